# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Versions of releases, and the minors they belong to."""

from __future__ import annotations

import re

from .errors import Problem
from .registry import Minor

_NUMBER = r"(?:0|[1-9]\d*)"
_PRE_RELEASE = rf"(?:{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.{_NUMBER}(?:-{_PRE_RELEASE}(?:\.{_PRE_RELEASE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_MINOR = re.compile(rf"({_NUMBER})\.({_NUMBER})", re.ASCII)


def minor_of(version: object, where: str = "openshift_version") -> Minor:
    """Return the minor of ``version``, a semantic version or MAJOR.MINOR.

    Raises ``ValueError`` carrying one ``Problem`` where it is neither.
    """
    text = version if isinstance(version, str) else ""
    match = _SEMVER.fullmatch(text) or _MINOR.fullmatch(text)
    if match:
        return Minor(int(match.group(1)), int(match.group(2)))
    mend = "Write it as 4.20 or 4.20.3"
    if isinstance(version, (int, float)) and not isinstance(version, bool):
        mend = 'Quote it: YAML reads an unquoted 4.20 as the number 4.2, so write "4.20"'
    raise ValueError(Problem("error", where, f"{version!r} is not a version of OpenShift", mend))


def is_semantic_version(text: str) -> bool:
    """Tell whether ``text`` is a semantic version, as release-metadata must have (blang/semver Parse)."""
    return _SEMVER.fullmatch(text) is not None
