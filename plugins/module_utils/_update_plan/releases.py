# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The releases that the paths of clusters name: each is loaded once, however many paths lead through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._module.files import absolute
from .._problems import CapabilityError, Problem, Problems, did_you_mean
from .._release.loader import PLACEHOLDER_IMAGE, load_release
from .._release.release import Release
from .._version import read_minor

_RELEASE_FIELDS = ("release", "openshift_version")


class _Named(NamedTuple):
    """A release as it was named: its directory, its version where that was given, and the profile to render it for."""

    path: str
    openshift_version: str | None
    cluster_profile: str


class NamedReleases:
    """The releases that paths name, each once, in the order in which they were first named.

    ``directory`` is where relative paths start from; ``problems`` are the errors found so far.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._named: dict[_Named, int] = {}
        self._texts: dict[tuple[str, str], int] = {}
        self.problems = Problems()

    def path(self, releases: Sequence[Any], cluster_profile: str, where: str) -> tuple[int, ...] | None:
        """Return the positions of ``releases``; ``None`` where one of them is not named as it should be."""
        positions = [
            self._position(value, cluster_profile, f"{where}[{index}]") for index, value in enumerate(releases)
        ]
        path = tuple(position for position in positions if position is not None)
        return path if len(path) == len(positions) else None

    def load(self) -> tuple[tuple[Release, ...], tuple[Problem, ...]]:
        """Return the releases that can be loaded, and what is worth knowing about them."""
        releases: list[Release] = []
        worth_knowing: dict[Problem, None] = {}
        for name in self._named:
            try:
                loaded = load_release(
                    name.path,
                    openshift_version=name.openshift_version,
                    cluster_profile=name.cluster_profile,
                    release_image=PLACEHOLDER_IMAGE,
                )
            except CapabilityError as error:
                self.problems += [_of_release(problem, name.path) for problem in error.problems]
                continue
            releases.append(loaded.release)
            worth_knowing |= dict.fromkeys(_of_release(problem, name.path) for problem in loaded.problems)
        return tuple(releases), tuple(worth_knowing)

    def _position(self, value: Any, cluster_profile: str, where: str) -> int | None:
        text = (value, cluster_profile) if isinstance(value, str) else None
        if text in self._texts:
            return self._texts[text]
        found = _named(value, cluster_profile, self._directory, where, self.problems)
        if found is None:
            return None
        position = self._named.setdefault(found, len(self._named))
        if text is not None:
            self._texts[text] = position
        return position


def _named(value: object, cluster_profile: str, directory: str, where: str, problems: Problems) -> _Named | None:
    version: object = None
    if isinstance(value, Mapping):
        unknown = [field for field in value if field not in _RELEASE_FIELDS]
        for field in unknown:
            hint = did_you_mean(field, _RELEASE_FIELDS)
            problems.append(Problem("error", "todo", f"{where}.{field}", "is not a field of a release", hint))
        if unknown:
            return None
        version = value.get("openshift_version")
        value = value.get("release")
    if not isinstance(value, str) or not value:
        message = f"is {value!r}, expected the directory of an extracted release"
        problems.append(
            Problem("error", "todo", where, message, "Write PATH, or {release: PATH, openshift_version: X.Y.Z}")
        )
        return None
    if version is not None and read_minor(version, f"{where}.openshift_version", problems) is None:
        return None
    # A text with commas, which Ansible takes for a list, has blanks behind them.
    return _Named(absolute(value.strip(), directory), None if version is None else str(version), cluster_profile)


def _of_release(problem: Problem, path: str) -> Problem:
    return problem if problem.where.startswith(path) else problem._replace(where=f"{path}: {problem.where}")
