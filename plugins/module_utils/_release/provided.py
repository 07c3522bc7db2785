# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The resources of manifests that do not come from a release, such as the extra manifests of an installation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._problems import Problems
from .._resources import CONFIG_MAPS, ResourceId
from .documents import read_manifest_file


def provided_resources(file: str, data: bytes, problems: Problems) -> frozenset[ResourceId]:
    """The resources that the manifests in ``data`` create.

    A ConfigMap also provides the manifests in its values: installers get extra manifests so, and other values are no
    manifests. Source: openshift/assisted-service:api/hiveextension/v1beta1/agentclusterinstall_types.go
    ManifestsConfigMapRefs. Problems are those of the documents of ``file``, and name it.
    """
    found: set[ResourceId] = set()
    for manifest, body in read_manifest_file(file, data, problems).read_all_json():
        found.add(manifest.resource_id)
        if manifest.resource_id.group_kind == CONFIG_MAPS.group_kind:
            found |= resources_in_config_map(json.loads(body))
    return frozenset(found)


def resources_in_config_map(body: Mapping[str, Any]) -> frozenset[ResourceId]:
    """The resources that the manifests in the values of a ConfigMap create."""
    values = body.get("data")
    found: set[ResourceId] = set()
    for text in values.values() if isinstance(values, dict) else ():
        if isinstance(text, str):
            found |= provided_resources("", text.encode(errors="replace"), Problems())
    return frozenset(found)
