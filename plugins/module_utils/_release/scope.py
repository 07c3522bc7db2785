# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Which manifests are cluster-scoped by the CustomResourceDefinitions of their release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from .._resources import CUSTOM_RESOURCE_DEFINITIONS
from .._unstructured import as_text, nested
from .manifest_file import ManifestFile


def with_scopes(files: Mapping[str, ManifestFile]) -> dict[str, ManifestFile]:
    """Return ``files`` with ``cluster_scoped`` for manifests of the kinds that they define so."""
    defined = frozenset(_cluster_scoped_kinds(files.values()))
    return {name: _with_scopes(file, defined) for name, file in files.items()}


def _cluster_scoped_kinds(files: Iterable[ManifestFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        for manifest, body in file.read_all_json():
            if manifest.resource_id.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind:
                spec = nested(json.loads(body), "spec")
                if nested(spec, "scope") == "Cluster":
                    yield as_text(nested(spec, "group")), as_text(nested(spec, "names", "kind"))


def _with_scopes(file: ManifestFile, defined: frozenset[tuple[str, str]]) -> ManifestFile:
    if not any(manifest.resource_id.group_kind in defined for manifest in file.manifests):
        return file
    manifests = (
        manifest._replace(cluster_scoped=True) if manifest.resource_id.group_kind in defined else manifest
        for manifest in file.manifests
    )
    return file._replace(manifests=tuple(manifests))
