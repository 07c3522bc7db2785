# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What long work does at the moment, for users who wait for it. ``_module/progress.py`` passes it to Ansible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Progress = Callable[[str], None]
"""Takes what the work does now, or waits for, as one line. An empty line means that this is over."""

Item = TypeVar("Item")


def silent(_text: str) -> None:
    """Show no progress."""


def with_progress(items: Sequence[Item], what: str, progress: Progress) -> Iterator[Item]:
    """Yield ``items``, and show how many of them are done."""
    for done, item in enumerate(items):
        progress(f"{done} of {len(items)} {what}")
        yield item
    progress("")
