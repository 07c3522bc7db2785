# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for what others do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

Found = TypeVar("Found")


def wait_for(look: Callable[[], Found], what: str, seconds: float = 600.0, pause: float = 0.05) -> Found:
    """Return what ``look`` returns as soon as that is true.

    Raises ``ControlPlaneError`` with ``what`` was waited for. What ``look`` itself raises ends the waiting.
    """
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise ControlPlaneError(f"waited {seconds:.0f} s for {what}")
        time.sleep(pause)
