# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lint on real releases: no error is wrong, and forgotten annotations are found against the previous release."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.tests.parity.support import release_folders
from ansible_collections.capability.openshift.tests.unit.builders.lint_trials import errors, trials

_ACCOUNT = "no annotation, but its ServiceAccount needs CSISnapshot"
_CREDENTIALS = "no annotation, but CredentialsRequest and its Namespace need CloudCredential"
TRUE = {
    "csi-snapshot-controller-operator-authentication-reader": _ACCOUNT,
    "csi-snapshot-controller-operator-clusterrole": _ACCOUNT,
    "csi-snapshot-controller-operator-role": _ACCOUNT,
    "machine-api-controllers-baremetal": "no annotation, but its ServiceAccount needs MachineAPI",
    "console-operator": "no annotation up to 4.19, gained in 4.20 (openshift/console-operator#992)",
    "openshift-cluster-api-vsphere": _CREDENTIALS,
    "openshift-cluster-api-baremetal": _CREDENTIALS,
    "openshift-ingress-ibmcloud": "no profile (openshift/cluster-ingress-operator#1457)",
    "openshift-ingress-powervs": "no profile (openshift/cluster-ingress-operator#1457)",
    "openshift-ingress-alibabacloud": "no profile, although the platform was removed",
    "openshift-machine-api-alibabacloud": "no profile, although the platform was removed",
    "cluster-baremetal-operator-servicemonitor": "no profile, so nothing monitors the operator",
    "default-deny": "NetworkPolicy without profile",
    "allow-egress-to-api-server": "NetworkPolicy without profile",
    "allow-metrics-traffic": "NetworkPolicy without profile",
    "allow-webhook-traffic": "NetworkPolicy without profile",
}
"""Resources with a true error, and what is wrong with them. Each of them was looked at."""


@pytest.mark.parametrize("folder", release_folders())
def test_no_error_is_wrong(folder: Path) -> None:
    found = errors(read_source(str(folder), None))
    assert {finding.where.field.split(" ")[1].rpartition("/")[2] for finding in found} <= set(TRUE)
    assert all(finding.hint and finding.message for finding in found)


@pytest.mark.parametrize("folder", release_folders()[-1:])
def test_a_forgotten_annotation_is_found_against_the_previous_release(folder: Path) -> None:
    source = read_source(str(folder), None)
    assert errors(source, source) == errors(source)
    for trial in trials(source, 2):
        assert [finding.where.field for finding in trial.against] == [str(trial.manifest.resource_id)]
