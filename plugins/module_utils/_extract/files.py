# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Selects the files of a release that go to a directory.

These are the manifests that a client applies. With ``release.openshift.io/delete: "true"``, a manifest asks
the CVO to delete its resource. Clients do not read that annotation, and would create the resource.
Source: openshift/cluster-version-operator:lib/resourcedelete.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from .._capability.inclusion import Inclusion
from .._problems import Problems, ReleaseError
from .._release.credentials_requests import is_credentials_request, is_for_platform
from .._release.loader import CVO_MANIFESTS, RELEASE_MANIFESTS
from .._release.manifest import Manifest
from .._release.release import Release

Selector = Callable[[Manifest], bool]


def included_files(release: Release, inclusions: Iterable[Inclusion], select: Selector) -> dict[str, bytes]:
    """Extract the included manifests that ``select`` accepts, byte for byte: file name -> content.

    Raises ``ReleaseError`` if both directories of the release have a file of the same name.
    """
    kept: dict[str, set[int]] = {}
    position: dict[str, int] = {}
    for inclusion in inclusions:
        file = inclusion.manifest.file
        at = position[file] = position.get(file, -1) + 1
        if inclusion.included and select(inclusion.manifest):
            kept.setdefault(file, set()).add(at)
    files: dict[str, bytes] = {}
    problems = Problems()
    for file, positions in kept.items():
        name = os.path.basename(file)
        if name in files:
            message = f"{CVO_MANIFESTS}/ and {RELEASE_MANIFESTS}/ both have a file of this name, expected one"
            problems.error("duplicate-file", file, message, "Rename one of the two files")
        files[name] = release.files[file].excerpt(release.read_file(file), frozenset(positions))
    problems.raise_errors(ReleaseError)
    return files


def selector(release: Release, *, only_credentials_requests: bool = False, platform: str | None = None) -> Selector:
    """A function that decides whether an included manifest goes to the directory.

    Manifests that delete their resource do not. ``platform`` leaves out CredentialsRequests of other platforms.
    """

    def select(manifest: Manifest) -> bool:
        if manifest.deletes:
            return False
        if not is_credentials_request(manifest):
            return not only_credentials_requests
        return platform is None or is_for_platform(release.read_body(manifest), platform)

    return select


def secret_files(inclusions: Iterable[Inclusion]) -> frozenset[str]:
    """Return the names of the files that contain an included Secret."""
    secrets = (item.manifest for item in inclusions if item.included and item.manifest.resource_id.kind == "Secret")
    return frozenset(os.path.basename(manifest.file) for manifest in secrets)
