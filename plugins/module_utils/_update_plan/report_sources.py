# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Where the input of plans comes from: which clusters, and which releases. A report names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._cluster.cluster_properties import ClusterProperty
from .._unstructured import mappings_in, nested


class ReportSources:
    """Collects what clusters report about themselves and about the images of releases.

    ``identities`` maps names of clusters to their name in the cloud and their ID; a single cluster has no name.
    ``properties``: what was read from the selected cluster apart from its resources.
    """

    def __init__(self) -> None:
        self.identities: dict[str, str] = {}
        self.properties: dict[str, ClusterProperty] = {}
        self._images: dict[str, str] = {}

    def add_cluster(self, name: str, cluster_version: object) -> None:
        """Add the cluster ``name`` with its ClusterVersion, valid or not."""
        cluster_id = nested(cluster_version, "spec", "clusterID")
        own_name = self.properties.get("infrastructure_name")
        known = [own_name.value] if own_name else []
        known += [f"ID {cluster_id}"] if cluster_id else []
        if known:
            self.identities[name] = ", ".join(known)
        self._images.update(_images(cluster_version))

    def release(self, version: str, name: str) -> dict[str, str]:
        """Return the ``version`` of a release and its ``name``: its pull spec by digest if known, and its directory."""
        image = self._images.get(version)
        return {"version": version, "name": f"{image} ({name})" if image and "@" not in name else name}


def _images(cluster_version: Any) -> Iterator[tuple[str, str]]:
    """Yield the versions that a ClusterVersion names, with the pull specs of their images."""
    status = nested(cluster_version, "status")
    releases = [
        *(item.get("release") for item in mappings_in(nested(status, "conditionalUpdates"))),
        *mappings_in(nested(status, "availableUpdates")),
        *mappings_in(nested(status, "history")),
        nested(status, "desired"),
    ]
    for release in releases:
        if isinstance(release, Mapping):
            version, image = release.get("version"), release.get("image")
            if isinstance(version, str) and isinstance(image, str) and version and image:
                yield version, image
