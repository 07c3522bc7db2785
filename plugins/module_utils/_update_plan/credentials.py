# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""CredentialsRequests: permissions in the cloud that a release needs, which may have to be granted before an update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .._data.platforms import PLATFORM_DATA
from .._problems import Problems, did_you_mean
from .._release.credentials_requests import is_credentials_request
from .._release.manifest import Manifest
from .._release.release import Release
from .._unstructured import nested


def resolve_platform(name: str | None, problems: Problems) -> str | None:
    """Return the platform in lower case; reports an unknown one."""
    if name is None:
        return None
    platform = name.lower()
    if platform not in PLATFORM_DATA:
        problems.error("unknown-platform", "platform", f"{name!r} is not a platform", did_you_mean(name, PLATFORM_DATA))
    return platform


def credentials_requests(release: Release, manifests: Iterable[Manifest], platform: str | None) -> Iterator[Manifest]:
    """Yield the CredentialsRequests among ``manifests`` of ``release`` that are for ``platform``.

    All of them if ``platform`` is ``None``; then their bodies are not read. Raises ``ReleaseError``.
    """
    data = PLATFORM_DATA.get(platform or "")
    provider = None if data is None else data.credentials
    for manifest in manifests:
        if not is_credentials_request(manifest) or manifest.deletes:
            continue
        if platform is None or (
            provider is not None and nested(release.read_body(manifest), "spec", "providerSpec", "kind") == provider
        ):
            yield manifest
