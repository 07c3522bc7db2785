# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can go wrong with a control plane for tests, in words that say what to do."""

from __future__ import annotations

import re
from pathlib import Path

_ADDRESSES = (
    (re.compile(r"\w+://[^\s'\",)]+"), "<address>"),
    (re.compile(r"\blookup \S+(?: on \S+)?:"), "lookup <host>:"),
    (re.compile(r"host='[^']*'"), "host='<host>'"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<address>"),
)


class ControlPlaneError(Exception):
    """The control plane, or a program that it needs, is not there; the message says why."""


def without_addresses(text: str) -> str:
    """Hide the addresses that go and pip were configured with: they can be private, or carry a password."""
    for pattern, shown in _ADDRESSES:
        text = pattern.sub(shown, text)
    return text


def tail(log: Path, lines: int = 20) -> str:
    """Return the end of a log, empty where there is none."""
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
