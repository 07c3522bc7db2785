# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Versions of releases, and the minors they belong to."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._problems import Problem

_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_PRE_RELEASE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMVER = rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_PRE_RELEASE}(?:\.{_PRE_RELEASE})*))?(?:\+{_BUILD})?"
_MINOR = rf"({_NUMBER})\.({_NUMBER})"


def minor_of(version: object, where: str = "openshift_version") -> Minor:
    """Return the minor of ``version``, a semantic version or MAJOR.MINOR.

    Raises ``ValueError`` carrying one ``Problem`` where it is neither.
    """
    text = version if isinstance(version, str) else ""
    match = re.fullmatch(_SEMVER, text) or re.fullmatch(_MINOR, text)
    if match:
        return Minor(int(match.group(1)), int(match.group(2)))
    hint = "Write it as 4.20 or 4.20.3"
    if isinstance(version, (int, float)) and not isinstance(version, bool):
        hint = 'Quote it: YAML reads an unquoted 4.20 as the number 4.2, so write "4.20"'
    raise ValueError(Problem("error", "todo", where, f"{version!r} is not a version of OpenShift", hint))


def find_minor(version: object) -> Minor | None:
    """Return the minor of ``version``, ``None`` where it is none or nobody said it."""
    try:
        return minor_of(version)
    except ValueError:
        return None


def is_semantic_version(text: str) -> bool:
    """Tell whether ``text`` is a semantic version, as release-metadata must have (blang/semver Parse)."""
    return re.fullmatch(_SEMVER, text) is not None


def precedence(version: str) -> tuple[object, ...]:
    """Return what orders versions (semver.org section 11); MAJOR.MINOR alone is taken for the first release of it.

    Raises ``ValueError`` where it is no version.
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
    """A minor version such as 4.18, comparable across majors."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"
