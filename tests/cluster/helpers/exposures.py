# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts with far-reaching permissions on a cluster: as the authorizer and the packages see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import included_manifests
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._contents.contents import (
    ContentsReader,
    ManifestContents,
    contents_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.cluster.helpers.access_reviews import (
    RBAC,
    answers,
    subjects_of,
    wait_for_aggregation,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import release_of
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import PART_OF
from ansible_collections.capability.openshift.tests.control_plane.api import Api

_PATHS = (f"{RBAC}/clusterrolebindings", f"{RBAC}/rolebindings", "/api/v1/serviceaccounts")
_KINDS = ("ClusterRoleBinding", "RoleBinding", "ServiceAccount")


class Expected:
    """The accounts that rollouts of releases, one after the other, give each permission."""

    def __init__(self) -> None:
        self._contents: dict[ResourceId, ManifestContents] = {}

    def add(self, version: str, result: Mapping[str, Any]) -> dict[str, set[str]]:
        """Return the accounts after another rollout, of which ``result`` is the result."""
        included = _included(version, result)
        for deleted in (item for item in included if item.deletes):
            self._contents.pop(deleted.object_id, None)
        applied = {item.object_id: item for item in included if not item.deletes}
        # What the release no longer has stays on the cluster.
        self._contents |= ContentsReader(release_of(version), Problems()).read(applied)
        found = contents_of(self._contents)
        assert not found.unknown_roles
        return {key: set(accounts) for key, accounts in found.accounts.items()}


def _included(version: str, result: Mapping[str, Any]) -> tuple[Manifest, ...]:
    """Return the manifests that a rollout includes, also those that delete."""
    names = result["capability_status"]["enabled_capabilities"]
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": names}
    options = ClusterOptions(capabilities=capabilities, feature_set="Default")
    context, _status = resolve_cluster(options, release_of(version), Problems())
    return included_manifests(release_of(version).manifests, context)


def allowed(api: Api) -> dict[str, set[str]]:
    """Return which of the accounts that rollouts named have each permission."""
    wait_for_aggregation(api)
    bodies = [
        {**item, "kind": kind}
        for path, kind in zip(_PATHS, _KINDS, strict=True)
        for item in api.list(path)
        if PART_OF in (item["metadata"].get("labels") or {})
    ]
    subjects = subjects_of(bodies)
    assert len(subjects) > 20
    return answers(api, subjects)
