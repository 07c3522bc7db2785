# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what a module does at the moment, every 5 seconds, from the file that ``progress`` writes.

After the first minute, what has not changed is shown only every 30 seconds, because an update takes an hour.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event

_SECONDS = 5.0
"""Between two lines, and before the first one."""

_FIRST_SECONDS = 60.0
_UNCHANGED_SECONDS = 30.0

_LONGEST_LINE = 200


def follow(path: str, over: Event, unknown: str, show: Callable[[str], None]) -> None:
    """Show what the module does, and for how long it has run, until it is ``over``. Never fails.

    ``unknown`` is shown until the module has written a line.
    """
    started = time.monotonic()
    text, rest = "", b""
    shown, shown_at = "", started
    with suppress(Exception), open(path, "rb") as file:
        while not over.wait(_SECONDS):
            *lines, rest = (rest + file.read()).split(b"\n")
            text = _printable(lines[-1]) if lines else text
            now = time.monotonic()
            if text != shown or now - started < _FIRST_SECONDS or now - shown_at >= _UNCHANGED_SECONDS:
                shown, shown_at = text, now
                show(f"{text or unknown}, {round(now - started)} s")


def _printable(line: bytes) -> str:
    """Convert a line, which can contain texts of a cluster, to one without control characters."""
    text = "".join(char if char.isprintable() else " " for char in line.decode("utf-8", "replace"))
    return text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 3]}..."
