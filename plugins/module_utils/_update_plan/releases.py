# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The releases that the paths of clusters refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._problems import CapabilityError, Problem, Problems, did_you_mean
from .._progress import Progress, with_progress
from .._release.loader import problems_for_users
from .._release.release import Release, read_minor
from .._release_image.open_release import open_unverified
from .._release_image.opened_release import OpenedRelease
from .._release_image.release_name import absolute_release_name
from .._release_image.release_source import ReleaseSource

_RELEASE_FIELDS = ("release", "openshift_version")


class ReleaseReference(NamedTuple):
    """A release as a path names it: by an absolute path, or by the name of an image.

    ``openshift_version``: as given. ``cluster_profile``: to render its templates.
    """

    name: str
    openshift_version: str | None
    cluster_profile: str


class PathRelease(NamedTuple):
    """A release of a path, with the name by which the path refers to it. The signature of its image is not verified."""

    name: str
    opened: OpenedRelease
    release: Release

    @property
    def exact_name(self) -> str:
        """Its pull spec by digest if there is one, or its directory."""
        return self.opened.pull_spec or self.name


class PathReleases:
    """The releases that paths refer to, each once, in the order of their first occurrence."""

    def __init__(self) -> None:
        self._positions: dict[ReleaseReference, int] = {}
        self._known: dict[tuple[str, str], int] = {}

    def read_path(
        self, releases: Sequence[Any], cluster_profile: str, where: str, problems: Problems
    ) -> tuple[int, ...] | None:
        """Return the positions of ``releases``; ``None`` if one of them is invalid."""
        positions = [
            self._position(value, cluster_profile, f"{where}[{index}]", problems)
            for index, value in enumerate(releases)
        ]
        path = tuple(position for position in positions if position is not None)
        return path if len(path) == len(positions) else None

    def load(
        self, source: ReleaseSource, remarks: Problems, problems: Problems, progress: Progress
    ) -> tuple[PathRelease, ...]:
        """Load the releases, in the order of their positions.

        ``remarks`` gets the problems of releases that can be loaded, ``problems`` those of releases that cannot.
        """
        releases: list[PathRelease] = []
        for reference in with_progress(list(self._positions), "releases", progress):
            name, version, profile = reference
            found = Problems()
            try:
                opened = open_unverified(name, source, remarks, name)
                release = opened.load(found, openshift_version=version, cluster_profile=profile)
            except CapabilityError as error:
                problems += [_located_in_release(problem, name) for problem in error.problems]
                continue
            remarks += [_located_in_release(problem, name) for problem in problems_for_users(found)]
            releases.append(PathRelease(name, opened, release))
        return tuple(releases)

    def _position(self, value: Any, cluster_profile: str, where: str, problems: Problems) -> int | None:
        # Many clusters name the same releases, and looking at the file system takes time.
        text = (value, cluster_profile) if isinstance(value, str) else None
        if text in self._known:
            return self._known[text]
        reference = _read_reference(value, cluster_profile, where, problems)
        if reference is None:
            return None
        position = self._positions.setdefault(reference, len(self._positions))
        if text is not None:
            self._known[text] = position
        return position


def _read_reference(value: object, cluster_profile: str, where: str, problems: Problems) -> ReleaseReference | None:
    version: object = None
    if isinstance(value, Mapping):
        unknown = [field for field in value if field not in _RELEASE_FIELDS]
        for field in unknown:
            hint = did_you_mean(field, _RELEASE_FIELDS)
            problems.error("unknown-field", f"{where}.{field}", "is not a field of a release", hint)
        if unknown:
            return None
        version = value.get("openshift_version")
        value = value.get("release")
    if not isinstance(value, str) or not value:
        message = f"is {value!r}, expected the directory of an extracted release"
        problems.error("invalid-path", where, message, "Write PATH, or {release: PATH, openshift_version: X.Y.Z}")
        return None
    if version is not None and read_minor(version, f"{where}.openshift_version", problems) is None:
        return None
    # Ansible splits a string at its commas, and keeps the spaces after them.
    return ReleaseReference(absolute_release_name(value), None if version is None else str(version), cluster_profile)


def _located_in_release(problem: Problem, path: str) -> Problem:
    return problem if problem.where.source.startswith(path) else problem._replace(where=problem.where.within(path))
