# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The forms of a selection in the result of the module, for each install method."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.result import installation_dict
from ansible_collections.capability.openshift.tests.unit.builders.installations import check, errors

NAMES = ["Console", "Ingress", "MachineAPI"]
BLOCK = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": NAMES}


@pytest.mark.parametrize("method", ["upi", "hosted"])
def test_a_selection_has_the_form_of_each_reader(method: str) -> None:
    document: dict[str, Any] = {"platform": {"none" if method == "upi" else "aws": {}}}
    options = BLOCK if method == "upi" else {"excludedCapabilities": ["Console", "Insights"]}
    result = installation_dict(check("4.20", document, method=method, capabilities=options))

    written = result["cluster_version_spec"]["capabilities"]
    assert written["baselineCapabilitySet"] == "None"
    assert written["additionalEnabledCapabilities"] == (NAMES if method == "upi" else result["enabled_capabilities"])
    assert ("Console" in result["enabled_capabilities"]) == (method == "upi")
    assert json.loads(result["install_config_overrides"]) == {"capabilities": result["capabilities"]}
    lists = result["hosted_cluster_spec"]["capabilities"]
    assert ("Console" in lists["disabled"], "Insights" in lists["disabled"]) == (method == "hosted", True)


@pytest.mark.parametrize(
    ("minor", "disabled", "is_written"),
    [("4.17", [], False), ("4.19", [], False), ("4.19", ["ImageRegistry"], True), ("4.20", [], True)],
)
def test_hypershift_writes_names_from_4_20_on_or_without_the_image_registry(minor, disabled, is_written):
    selection = {"excludedCapabilities": disabled} if disabled else None
    result = installation_dict(check(minor, method="hosted", capabilities=selection))

    written = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": result["enabled_capabilities"]}
    assert result["cluster_version_spec"] == ({"capabilities": written} if is_written else {})


def test_a_selection_with_errors_has_only_its_correction() -> None:
    wrong = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["marketplace", "Ingress"]}
    result = installation_dict(check("4.20", {"platform": {"none": {}}}, method="upi", capabilities=wrong), failed=True)

    assert "OperatorLifecycleManager" in result["suggested_capabilities"]["additionalEnabledCapabilities"]
    assert result.keys() == {"install_method", "platform", "suggested_capabilities"}


NOTHING = {"baselineCapabilitySet": "None"}
SINGLE_NODE = {"controlPlane": {"replicas": 1}, "compute": [{"name": "worker", "replicas": 0}]}


@pytest.mark.parametrize(
    ("minor", "method", "document", "given", "code"),
    [
        ("4.20", "upi", {"platform": {"none": {}}}, {}, "inst-baseline-required"),
        ("4.20", "upi", {"platform": {"none": {}}}, {"baselineCapabilitySet": ""}, "inst-baseline-required"),
        ("4.17", "hosted", {}, {"excludedCapabilities": ["Console"]}, "hcp-capabilities"),
        ("4.20", "agent", {"platform": {"vsphere": {}}, **SINGLE_NODE}, NOTHING, "agent-single-node-platform"),
        ("4.20", "agent", {"platform": {"aws": {}}}, NOTHING, "agent-platform"),
        ("4.20", "ipi", {"platform": {"baremetal": {}}, "apiVersion": "v1"}, NOTHING, "inst-ipi-machineapi"),
    ],
)
def test_nothing_is_suggested_without_a_baseline_or_where_no_selection_meets_every_rule(
    minor, method, document, given, code
):
    found = check(minor, document, method=method, capabilities=given, complete="apiVersion" in document)

    assert code in {item.code for item in errors(found.problems)}
    assert "suggested_capabilities" not in installation_dict(found, failed=True)
