# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a report is about: the clusters and the releases of its plans, as they name themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._resources import mappings_in, nested


class ReportSources:
    """The clusters of plans, each with its ClusterVersion, and the releases of their paths.

    ``releases`` are pairs of a version and a name: its pull spec by digest if that is known, or its directory.
    ``own_name``: the name in the cloud of a selected cluster.
    """

    def __init__(self, releases: Sequence[tuple[str, str]] = ()) -> None:
        self.own_name = ""
        self._releases = releases
        self._cluster_versions: dict[str, object] = {}

    def add_cluster(self, name: str, cluster_version: object) -> None:
        """Add the cluster ``name`` with its ClusterVersion, valid or not. A single cluster has no name."""
        self._cluster_versions[name] = cluster_version

    def identity(self, name: str) -> str:
        """The name in the cloud and the ID of the cluster ``name``, as far as they are known."""
        cluster_id = nested(self._cluster_versions.get(name), "spec", "clusterID")
        return ", ".join(filter(None, (self.own_name, cluster_id and f"ID {cluster_id}")))

    def releases(self) -> list[dict[str, str]]:
        """The version and the name of each release, with the pull spec by which a cluster names it."""
        images: dict[str, str] = {}
        for cluster_version in self._cluster_versions.values():
            images.update(_images(cluster_version))
        named = ((version, name, images.get(version)) for version, name in self._releases)
        return [
            {"version": version, "name": f"{image} ({name})" if image and "@" not in name else name}
            for version, name, image in named
        ]


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
