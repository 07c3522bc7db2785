# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads an option that contains a version of OpenShift."""

from __future__ import annotations

from .._problems import Problems
from .._version import Minor, find_minor


def read_minor(version: object, where: str, problems: Problems) -> Minor | None:
    """The minor of ``version``; reports a value at ``where`` that is not a version."""
    minor = find_minor(version)
    if minor is None:
        hint = "Write it as 4.20 or 4.20.3"
        if isinstance(version, (int, float)) and not isinstance(version, bool):
            hint = 'Quote it: YAML reads an unquoted 4.20 as the number 4.2, so write "4.20"'
        problems.error("invalid-version", where, f"{version!r} is not a version of OpenShift", hint)
    return minor
