# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""References that dangle in real releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import included_manifests
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._contents.unmet_references import ReleaseReferences
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.parity.support import load, release_folders

PROFILES = ("self-managed-high-availability", "single-node-developer", "ibm-cloud-managed")
TRUE_FINDINGS = {
    # Accounts of operators whose bindings have no annotation: they exist only with CSISnapshot or MachineAPI.
    "csi-snapshot-controller-operator-authentication-reader",
    "csi-snapshot-controller-operator-clusterrole",
    "csi-snapshot-controller-operator-role",
    "machine-api-controllers-baremetal",
    # The Deployment for hosted clusters had no annotation up to 4.19.
    "console-operator",
    # CredentialsRequests of the TechPreview cluster-api, without CloudCredential.
    "openshift-cluster-api-vsphere",
    "openshift-cluster-api-baremetal",
}
"""Names of the manifests with a dangling reference in some selection. All were looked at, and all are mistakes."""


@pytest.mark.parametrize("feature_set", ["", "TechPreviewNoUpgrade"])
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("folder", release_folders())
def test_the_default_selection_leaves_nothing_dangling(folder: Path, profile: str, feature_set: str) -> None:
    found = {}
    for name, selection in (("default", {}), ("none", {"baselineCapabilitySet": "None"})):
        options = ClusterOptions(selection, cluster_profile=profile, feature_set=feature_set)
        release = load(folder)
        context, status = resolve_cluster(options, release, Problems())
        manifests = included_manifests(release.manifests, context._replace(capability_status=None))
        found[name] = ReleaseReferences(release, manifests).dangling(status.enabled & status.known)
    assert found["default"] == ()
    assert {item.source.resource_id.name for item in found["none"]} <= TRUE_FINDINGS
