# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tests of permissions: root can read and write everything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

OTHER_USER = 65534


@contextmanager
def as_other_user() -> Iterator[None]:
    """Become another user for a while if the tests run as root, for os.access too."""
    root = os.geteuid() == 0
    if root:
        os.setresuid(OTHER_USER, OTHER_USER, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
