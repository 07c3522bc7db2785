# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about fields of an install-config that depend on version, platform and install method."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.installations import PLATFORMS, check, errors

OF_RULES = ("agent-", "doc-agent-feature-set", "doc-assisted-platform", "inst-single-node-")
FEATURE_SET = ("featureSet", "FeatureSet")


def document(platform: str, **fields: Any) -> dict[str, Any]:
    return {"platform": {platform: {}}, **fields}


def single_node(platform: str, **fields: Any) -> dict[str, Any]:
    return document(
        platform, **{"controlPlane": {"replicas": 1}, "compute": [{"name": "worker", "replicas": 0}], **fields}
    )


def found(minor: str, method: str | None, values: dict[str, Any], *, complete: bool = True) -> list[tuple[str, str]]:
    """Return rule and field of each violation of these rules."""
    result = check(minor, values, method=method, complete=complete)
    problems = {problem.code: problem for problem in result.problems if problem.code.startswith(OF_RULES)}
    assert {item.rule.name for item in result.violations if item.rule.name.startswith(OF_RULES)} == set(problems)
    return [
        (problem.code, str(problem.where).removeprefix("content, "))
        for problem in result.problems
        if problem.code.startswith(OF_RULES)
    ]


def supporting(minor: str, method: str, document: Any = document) -> list[str]:
    """Return the platforms on which an installation by ``method`` violates none of these rules."""
    known = [name for name in PLATFORMS if check(minor, document(name)).installation.platform == name]
    return sorted(name for name in known if found(minor, method, document(name)) == [])


@pytest.mark.parametrize(
    ("minor", "platforms"),
    [
        ("4.13", ["baremetal", "vsphere"]),
        ("4.14", ["baremetal", "none", "vsphere"]),
        ("4.15", ["baremetal", "external", "none", "vsphere"]),
        ("4.19", ["baremetal", "external", "none", "nutanix", "vsphere"]),
    ],
)
def test_the_agent_based_installer_supports_some_platforms(minor, platforms):
    assert supporting(minor, "agent") == platforms
    assert found(minor, "agent", document("aws")) == [("agent-platform", "platform")]
    assert found(minor, "agent", document("aws"), complete=False) == [("agent-platform", "platform")]


def test_other_methods_support_the_other_platforms():
    assert supporting("4.21", "ipi") == supporting("4.21", "upi") == sorted({*PLATFORMS} - {"ovirt"})
    assert supporting("4.14", "assisted") == ["baremetal", "external", "none", "nutanix", "vsphere"]
    hints = [item.problem.hint for item in check("4.13", document("aws"), method="assisted").violations]
    assert hints == ["Use one of: baremetal, none, nutanix, vsphere"]


@pytest.mark.parametrize("method", ["agent", "assisted"])
@pytest.mark.parametrize("platform", ["baremetal", "vsphere"])
def test_an_agent_based_single_node_has_no_platform(platform, method):
    assert found("4.20", method, single_node(platform)) == [("agent-single-node-platform", "platform")]
    assert supporting("4.20", method, single_node) == ["external", "none"]
    assert found("4.20", method, document(platform, controlPlane={"replicas": 3})) == []
    assert [rule for rule, _field in found("4.19", "ipi", single_node(platform))] == []


@pytest.mark.parametrize(("platform", "rejects"), [("baremetal", True), ("vsphere", True), ("none", False)])
@pytest.mark.parametrize("compute", [[{"name": "worker", "replicas": 2}], None])
def test_assisted_service_rejects_one_control_plane_node_on_a_platform_whatever_the_compute_replicas_are(
    platform, compute, rejects
):
    expected = [("agent-single-node-platform", "platform")] if rejects else []
    assert found("4.20", "assisted", single_node(platform, compute=compute), complete=False) == expected


def test_the_first_agent_based_installers_install_only_single_nodes_without_a_platform():
    rejected = [("agent-none-single-node", "controlPlane.replicas")]
    assert found("4.13", "agent", document("none")) == rejected
    assert found("4.13", "agent", document("none"), complete=False) == []
    assert found("4.12", "agent", document("none", controlPlane={"replicas": 3}), complete=False) == rejected
    assert found("4.13", "agent", single_node("none")) == []
    assert found("4.13", "assisted", document("none")) == []
    assert found("4.14", "agent", document("none")) == []


@pytest.mark.parametrize("method", ["ipi", "upi"])
def test_the_installer_itself_installs_single_nodes_on_some_platforms(method):
    installed = ["aws", "azure", "gcp", "ibmcloud", "none", "powervs"]
    assert supporting("4.21", method, single_node) == installed
    assert found("4.20", method, single_node("vsphere")) == [("inst-single-node-platform", "platform")]
    in_place = {"bootstrapInPlace": {"installationDisk": "/dev/sda"}}
    assert found("4.20", method, single_node("external", **in_place)) == []
    assert found("4.20", method, single_node("external")) == [("inst-single-node-platform", "bootstrapInPlace")]
    assert found("4.20", method, single_node("external"), complete=False) == []
    assert found("4.20", method, single_node("baremetal", **in_place)) == [("inst-single-node-platform", "platform")]


@pytest.mark.parametrize(
    ("minor", "method", "replicas", "rejects"),
    [
        ("4.20", "upi", 1, True),
        ("4.20", "agent", 1, True),
        ("4.20", "upi", 2, False),
        ("4.18", "upi", 1, False),
    ],
)
def test_a_single_node_has_no_arbiter(minor, method, replicas, rejects):
    values = single_node("none", controlPlane={"replicas": replicas}, arbiter={"replicas": 1})
    expected = [("inst-single-node-arbiter", "arbiter")] if rejects else []
    assert found(minor, method, values) == expected


def test_oracle_cloud_has_an_external_cloud_controller_manager():
    values = {"platform": {"external": {"platformName": "oci"}}}
    rejected = [("agent-oracle-cloud", "platform.external.cloudControllerManager")]
    assert found("4.20", "agent", values) == rejected
    assert found("4.20", "assisted", values) == rejected
    assert found("4.20", "upi", values) == []
    values["platform"]["external"]["cloudControllerManager"] = "None"
    assert found("4.20", "agent", values) == rejected
    values["platform"]["external"]["cloudControllerManager"] = "External"
    assert found("4.20", "agent", values) == []


@pytest.mark.parametrize(("name", "rejected"), [("oci", False), ("other", True), (None, True)])
def test_the_first_external_platform_of_the_agent_based_installer_is_oracle_cloud(name, rejected):
    settings = {} if name is None else {"platformName": name}
    values = {"platform": {"external": {"cloudControllerManager": "External", **settings}}}
    expected = [("agent-external-name", "platform.external.platformName")] if rejected else []
    assert found("4.14", "agent", values) == expected
    assert found("4.15", "agent", values) == found("4.14", "upi", values) == []
    assert found("4.14", "agent", values, complete=False) == (expected if name else [])


@pytest.mark.parametrize("architecture", ["ppc64le", "s390x"])
def test_some_architectures_have_no_platform(architecture):
    control_plane = {"controlPlane": {"architecture": architecture, "replicas": 3}}
    assert found("4.20", "agent", document("baremetal", **control_plane)) == [("agent-architecture", "platform")]
    assert found("4.20", "upi", document("baremetal", **control_plane)) == []
    assert found("4.20", "agent", document("none", **control_plane)) == []
    for platform, codes in (("vsphere", ["agent-architecture"]), ("external", []), ("none", [])):
        rules = found("4.20", "assisted", document(platform, **control_plane))
        assert [rule for rule, _field in rules if rule == "agent-architecture"] == codes
    assert found("4.20", "agent", document("baremetal", controlPlane={"architecture": "arm64"})) == []


def test_an_agent_based_cluster_on_s390x_can_be_external_in_new_minors():
    rejected = [("agent-architecture", "platform")]
    for architecture, minor, expected in (
        ("s390x", "5.0", rejected),
        ("s390x", "5.1", []),
        ("ppc64le", "5.1", rejected),
    ):
        values = document("external", controlPlane={"architecture": architecture, "replicas": 3})
        assert found(minor, "agent", values) == expected


@pytest.mark.parametrize(
    ("minor", "rules"),
    [
        ("4.11", ["doc-agent-feature-set"]),
        ("4.15", ["doc-agent-feature-set"]),
        ("4.16", ["agent-feature-set"]),
        ("4.19", ["agent-feature-set"]),
        ("4.20", []),
    ],
)
def test_some_agent_based_installers_have_only_the_default_feature_set(minor, rules):
    values = document("baremetal", featureSet="TechPreviewNoUpgrade", controlPlane={"replicas": 3})
    assert found(minor, "agent", values) == [(rule, "featureSet") for rule in rules]
    assert found(minor, "assisted", values) == found(minor, "upi", values) == []
    assert found(minor, "agent", {**values, "featureSet": ""}) == []


def test_the_agent_based_installer_accepts_the_feature_set_of_an_arbiter():
    fields = {"featureSet": "TechPreviewNoUpgrade", "arbiter": {"replicas": 1}, "controlPlane": {"replicas": 2}}
    assert found("4.19", "agent", document("baremetal", **fields)) == []


def test_a_dropped_feature_set_is_a_warning():
    values = document("baremetal", featureSet="TechPreviewNoUpgrade", controlPlane={"replicas": 3})
    severities = {item.code: item.severity for item in check("4.15", values, method="agent").problems}
    assert severities["doc-agent-feature-set"] == "warning"


def test_the_installer_reads_fields_in_any_case():
    values = {
        "APIVersion": "v1",
        "Platform": {"VSphere": {}},
        "ControlPlane": {"replicas": 1},
        "COMPUTE": [{"replicas": 0}],
    }
    assert found("4.20", "agent", values) == [("agent-single-node-platform", "platform")]
    assert [item.code for item in errors(check("4.20", values, method="agent", complete=True).problems)] == [
        "agent-single-node-platform"
    ]
    first, second = (check("5.1", document("none", **{name: "TechPreviewNoUpgrade"})) for name in FEATURE_SET)
    assert first.status == second.status != check("5.1", document("none")).status


@pytest.mark.parametrize(
    ("compute", "complete", "broken"),
    [
        ([{"name": "worker", "replicas": 2}], True, True),
        ([{"name": "worker"}], False, True),
        ([{"name": "worker", "replicas": 0}], True, False),
        ([{"name": "worker", "replicas": 0}, {"name": "edge"}], True, False),
        # The installer adds a pool with three replicas. Outside of an install-config, compute may be set elsewhere.
        (None, True, True),
        (None, False, False),
    ],
)
def test_an_agent_based_single_node_has_no_compute_replicas(compute, complete, broken):
    values = single_node("none", compute=compute)

    expected = [("agent-single-node-compute", "compute")] if broken else []
    assert found("4.20", "agent", values, complete=complete) == expected
    assert found("4.20", "upi", values, complete=complete) == []
