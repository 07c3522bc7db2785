# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenShift versions and minors, and the version of this collection."""

from __future__ import annotations

import re
from typing import NamedTuple

COLLECTION_VERSION = "0.1.0"
"""The version of this collection, as in galaxy.yml."""

_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_PRE_RELEASE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMVER = rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_PRE_RELEASE}(?:\.{_PRE_RELEASE})*))?(?:\+{_BUILD})?"
_MINOR = rf"({_NUMBER})\.({_NUMBER})"


def find_minor(version: object) -> Minor | None:
    """The minor of ``version``, a semantic version or MAJOR.MINOR; ``None`` if it is neither."""
    text = version if isinstance(version, str) else ""
    match = re.fullmatch(_SEMVER, text) or re.fullmatch(_MINOR, text)
    return Minor(int(match.group(1)), int(match.group(2))) if match else None


def minor_of(version: object) -> Minor:
    """The minor of ``version``. Raises ``ValueError`` if it is not a version."""
    minor = find_minor(version)
    if minor is None:
        raise ValueError(f"{version!r} is not a version of OpenShift")
    return minor


def is_semantic_version(text: str) -> bool:
    """Whether ``text`` is a semantic version, as release-metadata must have (blang/semver: semver.go Parse)."""
    return re.fullmatch(_SEMVER, text) is not None


def precedence(version: str) -> tuple[object, ...]:
    """Sort key of a version (semver.org section 11). MAJOR.MINOR alone counts as MAJOR.MINOR.0.

    Raises ``ValueError`` if ``version`` is not a version.
    """
    match = re.fullmatch(_SEMVER, version)
    if match is None:
        return (*minor_of(version), 0, (1,))
    major, minor, patch, pre_release = match.groups()
    if pre_release is None:
        return int(major), int(minor), int(patch), (1,)
    parts = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in pre_release.split("."))
    return int(major), int(minor), int(patch), (0, parts)


class Minor(NamedTuple):
    """A minor version such as 4.18. Minors of all majors can be compared."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    def is_in(self, since: Minor, until: Minor | None) -> bool:
        """Whether it is one of the minors from ``since`` to ``until``, both included (``None``: no end)."""
        return since <= self and (until is None or self <= until)
