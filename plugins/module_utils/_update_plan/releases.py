# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The releases that the paths of clusters refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from .._problems import CapabilityError, Problem, Problems, did_you_mean
from .._progress import Progress, with_progress
from .._release.loader import problems_for_users
from .._release.release import Release, read_minor
from .._release_image.open_release import open_unverified, problems_of_keys, source_after, with_signers
from .._release_image.opened_release import OpenedRelease
from .._release_image.release_name import absolute_release_name
from .._release_image.release_source import ReleaseSource
from .request import PlanRequest
from .signature import ImageSignature, image_signature

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
        message = f"is {value!r}, expected a directory or the name of an image"
        problems.error("invalid-path", where, message, "Write PATH, or {release: PATH, openshift_version: X.Y.Z}")
        return None
    if version is not None and read_minor(version, f"{where}.openshift_version", problems) is None:
        return None
    # Ansible splits a string at its commas, and keeps the spaces after them.
    return ReleaseReference(absolute_release_name(value), None if version is None else str(version), cluster_profile)


def _located_in_release(problem: Problem, path: str) -> Problem:
    where = problem.where
    is_located = where.source.startswith(path) or (where.field and path.endswith(where.field))
    return problem if is_located else problem._replace(where=where.within(path))


class HopSignatures:
    """The signatures of the images of paths, which consist of ``releases``. Each path is verified once.

    ``source`` has the options. ``remarks`` gets the reasons why an image is not verified, unless that is an error.
    """

    def __init__(self, releases: Sequence[PathRelease], source: ReleaseSource, remarks: Problems) -> None:
        self._releases, self._source, self._remarks = releases, source, remarks
        self._verified: dict[tuple[object, ...], tuple[ImageSignature | None, ...] | CapabilityError] = {}

    def add(self, request: PlanRequest) -> PlanRequest:
        """Return ``request`` with the signature of each hop. Raises ``CapabilityError`` if a required one is missing.

        The stores of the cluster replace those of the releases, and the option ``signature_stores`` replaces both. Then
        the stores of the cluster that it lacks remain in the request.
        """
        if all(self._releases[position].opened.image is None for position in request.path):
            return request  # directories have no signatures
        options, stores = self._source.signature, request.state.signature_stores
        stores, left = ((), stores) if options.stores else (stores, ())
        if options.mode == "ignore":
            stores, left = (), ()  # no store would be asked
        left = tuple(url for url in left if url not in options.stores)
        verified = self._verify(request.path, stores)
        return request._replace(state=request.state._replace(signature_stores=left, signatures=verified))

    def _verify(self, path: tuple[int, ...], stores: tuple[str, ...]) -> tuple[ImageSignature | None, ...]:
        key = path, stores
        if key not in self._verified:
            try:
                self._verified[key] = tuple(self._signatures(path, stores))
            except CapabilityError as error:
                self._verified[key] = error
        verified = self._verified[key]
        if isinstance(verified, CapabilityError):
            raise verified
        return verified

    def _signatures(self, path: tuple[int, ...], stores: tuple[str, ...]) -> Iterator[ImageSignature | None]:
        """Yield the signature of each hop of ``path``, ``None`` for a directory. ``stores``: of the cluster."""
        name, opened = self._releases[path[0]][:2]
        before = with_signers(opened, name, self._source, self._remarks)
        signature = self._source.signature
        own = self._source._replace(signature=signature._replace(stores=stores or signature.stores))
        for position in path[1:]:
            source = source_after(before, name, own)
            keyless = partial(problems_of_keys, before, name)
            name, opened = self._releases[position][:2]
            unsigned = Problems()
            before = with_signers(opened, name, source, unsigned)
            self._remarks += unsigned
            if opened.image is None:
                yield None
            else:
                yield image_signature(source.signature, unsigned, keyless, is_signed=bool(before.signed_by))
