# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts with far-reaching permissions after rollouts of real releases, as the API server's authorizer sees them.

The releases are not part of the collection: CAPABILITY_RELEASES names a folder of them, one per minor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import included_manifests
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._exposure.exposure import exposure
from ansible_collections.capability.openshift.plugins.module_utils._exposure.parts import PartReader, Parts
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.tests.cluster.helpers import real_rollouts
from ansible_collections.capability.openshift.tests.cluster.helpers.access_reviews import (
    RBAC,
    answers,
    subjects_of,
    wait_for_aggregation,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import (
    ask,
    folder_of,
    release_of,
    roll,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import PART_OF, selected
from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.programs import Log

__test__ = real_rollouts.are_there("4.18", "4.20")
"""Without releases these tests do not exist, because a skipped test fails the gate."""

RAN_DU = ("Ingress", "NodeTuning", "OperatorLifecycleManager")
"""What the radio access network of a telephone operator selects."""

_PATHS = (f"{RBAC}/clusterrolebindings", f"{RBAC}/rolebindings", "/api/v1/serviceaccounts")
_KINDS = ("ClusterRoleBinding", "RoleBinding", "ServiceAccount")


@pytest.fixture
def site(log: Log) -> Iterator[ControlPlane]:
    """A separate cluster, because deleting a whole release takes longer than starting another cluster."""
    with ControlPlane(controllers=True, log=log) as started:
        yield started


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


def predicted(parts: Parts) -> dict[str, set[str]]:
    found = exposure(parts)
    assert not found.unknown_roles
    return {key: set(accounts) for key, accounts in found.accounts.items()}


def planned(accounts: Mapping[str, Any], *lists: str) -> dict[str, set[str]]:
    """Return the names in some lists of a plan."""
    return {
        key: {name for group in entry["by_capabilities"] for names in lists for name in group[names]}
        for key, entry in accounts.items()
    }


def included(version: str, result: Mapping[str, Any]) -> tuple[Manifest, ...]:
    """Return the manifests that a rollout includes, also those that delete."""
    names = result["capability_status"]["enabled_capabilities"]
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": names}
    options = ClusterOptions(capabilities=capabilities, feature_set="Default")
    context, _status = resolve_cluster(options, release_of(version), Problems())
    return included_manifests(release_of(version).manifests, context)


@pytest.mark.parametrize("selection", [selected(*RAN_DU), selected(baseline="vCurrent")], ids=["small", "default"])
def test_accounts_of_a_release_and_after_its_update(selection: dict[str, Any], site: ControlPlane) -> None:
    result = roll(site, "4.18", capabilities=selection)
    releases = [str(folder_of(version)) for version in ("4.18", "4.20")]
    plan = ask("update_plan", releases=releases, capabilities=selection, feature_set="Default")
    accounts = plan["hops"][0]["exposure"]["accounts"]
    before = PartReader(release_of("4.18")).parts(included("4.18", result))
    assert predicted(before) == planned(accounts, "unchanged", "removed") == allowed(site.api)
    result = roll(site, "4.20")
    after = PartReader(release_of("4.20")).parts(included("4.20", result), before)
    assert predicted(after) == planned(accounts, "unchanged", "added") == allowed(site.api)
