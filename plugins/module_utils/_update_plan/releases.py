# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The releases that the paths of clusters name. Each is loaded once, even if many paths contain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from .._problems import CapabilityError, Problem, Problems, did_you_mean
from .._progress import Progress, counted, silent
from .._release.release import Release
from .._release.version_option import read_minor
from .._release_image.open_release import OpenedRelease, open_release, source_after
from .._release_image.release_name import absolute_release_name
from .._release_image.release_source import ReleaseSource
from .image_signature import ImageSignature, image_signature

_RELEASE_FIELDS = ("release", "openshift_version")


class _Name(NamedTuple):
    """A release as a path names it: an absolute path, or the name of an image.

    ``openshift_version``: as given. ``cluster_profile``: to render its templates.
    """

    path: str
    openshift_version: str | None
    cluster_profile: str


class NamedReleases:
    """The releases that paths name, each once, in the order of their first occurrence.

    ``source`` has the options for images. ``signatures``: those of images, for each hop between two positions, by the
    keys of the release before. They are known when the releases are loaded.
    """

    def __init__(self, source: ReleaseSource) -> None:
        self._source = source
        self._names: dict[_Name, int] = {}
        self._texts: dict[tuple[str, str], int] = {}
        self._before: dict[int, int | None] = {}
        self._hops: dict[tuple[int, int], None] = {}
        self._found: dict[int, tuple[OpenedRelease, str]] = {}
        self._in_stores: dict[tuple[tuple[int, ...], tuple[str, ...]], tuple[ImageSignature | None, ...]] = {}
        self.signatures: dict[tuple[int, int], ImageSignature] = {}

    def path(
        self, releases: Sequence[Any], cluster_profile: str, where: str, problems: Problems
    ) -> tuple[int, ...] | None:
        """Return the positions of ``releases``; ``None`` if one of them is invalid."""
        positions = [
            self._position(value, cluster_profile, f"{where}[{index}]", problems)
            for index, value in enumerate(releases)
        ]
        path = tuple(position for position in positions if position is not None)
        for position, before in zip(positions, [None, *positions], strict=False):
            if position is not None:
                self._before.setdefault(position, before)
                if before is not None:
                    self._hops.setdefault((before, position))
        return path if len(path) == len(positions) else None

    def load(
        self, remarks: Problems, problems: Problems, progress: Progress = silent
    ) -> tuple[tuple[Release, str], ...]:
        """Load the releases, in the order of their positions, each with its pull spec by digest, or its directory.

        The signature of each is verified with the one before it in the first path that contains it. ``remarks`` gets
        the problems of releases that can be loaded, ``problems`` those of releases that cannot.
        """
        releases: list[tuple[Release, str]] = []
        found = self._found
        for name, position in counted(list(self._names.items()), "releases", progress):
            try:
                before = self._before[position]
                source = source_after(*found[before], self._source) if before in found else self._source
                opened = open_release(name.path, source, name.path)
                found[position] = opened, name.path
                if before is not None and opened.image is not None:
                    signature = image_signature(source.signature, opened.unsigned, is_signed=bool(opened.signed_by))
                    self.signatures[before, position] = signature
                remarks += opened.problems
                loaded = opened.load(openshift_version=name.openshift_version, cluster_profile=name.cluster_profile)
            except CapabilityError as error:
                problems += [_located_in_release(problem, name.path) for problem in error.problems]
                continue
            releases.append((loaded.release, opened.pull_spec or name.path))
            remarks += [_located_in_release(problem, name.path) for problem in loaded.problems_for_users]
        if not problems:
            for before, position in self._hops:
                if before != self._before[position]:
                    other = self._verified(before, position, self._source.signature.stores)
                    if other is not None:
                        self.signatures[before, position] = other
        return tuple(releases)

    def signatures_in(self, path: tuple[int, ...], stores: tuple[str, ...]) -> tuple[ImageSignature | None, ...]:
        """Verify the images of a path with the ``stores`` of its cluster: one signature for each hop."""
        key = path, stores
        if key not in self._in_stores:
            found = tuple(self._verified(before, position, stores) for before, position in pairwise(path))
            self._in_stores[key] = found
        return self._in_stores[key]

    def _verified(self, before: int, position: int, stores: Sequence[object]) -> ImageSignature | None:
        """Verify an image by the release before it. A failure is a reason against the hop; ``None`` for a directory."""
        opened, path = self._found[position]
        if opened.image is None:
            return None
        options = self._source.signature._replace(stores=stores)
        options = options if options.mode == "ignore" else options._replace(mode="warn")
        source = source_after(*self._found[before], self._source._replace(signature=options))
        again = open_release(opened.pull_spec or path, source, path)
        return image_signature(source.signature, again.unsigned, is_signed=bool(again.signed_by))

    def _position(self, value: Any, cluster_profile: str, where: str, problems: Problems) -> int | None:
        text = (value, cluster_profile) if isinstance(value, str) else None
        if text in self._texts:
            return self._texts[text]
        name = _read_name(value, cluster_profile, where, problems)
        if name is None:
            return None
        position = self._names.setdefault(name, len(self._names))
        if text is not None:
            self._texts[text] = position
        return position


def _read_name(value: object, cluster_profile: str, where: str, problems: Problems) -> _Name | None:
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
    return _Name(absolute_release_name(value), None if version is None else str(version), cluster_profile)


def _located_in_release(problem: Problem, path: str) -> Problem:
    return problem if problem.where.source.startswith(path) else problem._replace(where=problem.where.within(path))
