# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about fields of an install-config that depend on version, platform and install method."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.installations import CLOUDS, PLATFORMS, check

VIPS = {"apiVIPs": ["10.0.0.5"], "ingressVIPs": ["10.0.0.7"]}
OF_RULES = ("agent-", "inst-vips", "inst-fips", "inst-platform-fields", "doc-baremetal-vips", "doc-assisted-platform")
BLOCKS: dict[str, Any] = {
    "baremetal": {"hosts": [{"name": "one"}], **VIPS},
    "nutanix": {"prismCentral": {"endpoint": {"address": "pc.example.com"}}, **VIPS},
    "vsphere": {"vcenters": [{"server": "vc.example.com"}], **VIPS},
    "ovirt": {"ovirt_cluster_id": "68833f9f"},
    **{name: {"region": "here"} for name in ("aws", "azure", "gcp", "ibmcloud", "powervs")},
}


def document(platform: str, block: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {"platform": {platform: BLOCKS.get(platform, {}) if block is None else block}, **fields}


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
        (problem.code, problem.where.removeprefix("content: "))
        for problem in result.problems
        if problem.code.startswith(OF_RULES)
    ]


def supporting(minor: str, method: str) -> list[str]:
    """Return the platforms on which an installation by ``method`` violates none of these rules."""
    return sorted(name for name in PLATFORMS if found(minor, method, document(name)) == [])


@pytest.mark.parametrize(
    ("minor", "platforms"),
    [
        ("4.13", ["baremetal", "none", "vsphere"]),
        ("4.14", ["baremetal", "external", "none", "vsphere"]),
        ("4.19", ["baremetal", "external", "none", "nutanix", "vsphere"]),
    ],
)
def test_the_agent_based_installer_supports_some_platforms(minor, platforms):
    assert supporting(minor, "agent") == platforms
    assert found(minor, "agent", document("aws")) == [("agent-platform", "platform")]
    assert found(minor, "agent", document("aws"), complete=False) == [("agent-platform", "platform")]


def test_other_methods_support_the_other_platforms():
    assert supporting("4.20", "ipi") == supporting("4.20", "upi") == sorted(PLATFORMS)
    assert supporting("4.20", "assisted") == ["baremetal", "external", "none", "nutanix", "ovirt", "vsphere"]


@pytest.mark.parametrize("platform", ["baremetal", "vsphere"])
def test_an_agent_based_single_node_has_no_platform(platform):
    assert found("4.20", "agent", single_node(platform)) == [("agent-single-node-platform", "platform")]
    assert found("4.20", "agent", single_node("none")) == []
    assert found("4.20", "agent", single_node("external")) == []
    assert found("4.20", "agent", document(platform, controlPlane={"replicas": 3})) == []
    assert [rule for rule, _field in found("4.20", "ipi", single_node(platform))] == []


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


@pytest.mark.parametrize(("network", "broken"), [("OpenShiftSDN", True), ("OVNKubernetes", False), (None, False)])
def test_an_agent_based_single_node_uses_ovn_kubernetes(network, broken):
    values = single_node("none", networking={"networkType": network})

    assert found("4.14", "agent", values) == (
        [("agent-single-node-network", "networking.networkType")] if broken else []
    )


@pytest.mark.parametrize("platform", ["nutanix", "vsphere"])
def test_vips_are_required_by_the_agent_based_installer_and_otherwise_in_pairs(platform):
    without = {name: value for name, value in BLOCKS[platform].items() if name not in VIPS}
    api = f"platform.{platform}.apiVIPs"
    ingress = f"platform.{platform}.ingressVIPs"

    assert found("4.20", "agent", document(platform, without)) == [("agent-vips", api), ("agent-vips", ingress)]
    assert found("4.20", "agent", document(platform, {**without, "apiVIPs": ["10.0.0.5"]})) == [("agent-vips", ingress)]
    assert found("4.20", "agent", document(platform, {**without, "apiVip": "10.0.0.5", "ingressVip": "10.0.0.7"})) == []
    assert found("4.20", "ipi", document(platform, without)) == []
    assert found("4.20", "upi", document(platform, {**without, "ingressVIPs": ["10.0.0.5"]})) == [
        ("inst-vips-in-pairs", api)
    ]


@pytest.mark.parametrize("method", ["ipi", "upi", "agent"])
def test_missing_vips_on_baremetal_are_a_warning_because_the_installer_resolves_names(method):
    block = {"hosts": [{"name": "one"}], "apiVIPs": ["10.0.0.5"]}
    result = check("4.20", document("baremetal", block), method=method, complete=True)
    (problem,) = [item for item in result.problems if item.code == "doc-baremetal-vips"]

    assert (problem.severity, problem.where) == ("warning", "content: platform.baremetal.ingressVIPs")


@pytest.mark.parametrize("platform", ["baremetal", "vsphere", "openstack"])
def test_the_vips_of_the_api_and_of_ingress_differ(platform):
    block = {**BLOCKS.get(platform, {}), "apiVIPs": ["10.0.0.5"], "ingressVIPs": ["10.0.0.5"]}
    by_user = {**block, "loadBalancer": {"type": "UserManaged"}}

    assert found("4.20", "ipi", document(platform, block)) == [("inst-vips-differ", f"platform.{platform}.apiVIPs")]
    assert found("4.20", "ipi", document(platform, by_user)) == []


@pytest.mark.parametrize(
    ("key", "broken"),
    [
        ("ssh-ed25519 AAAA me", True),
        ("sk-ssh-ed25519@openssh.com AAAA me", True),
        ("# mine\nssh-ed25519 AAAA me", True),
        ('from="10.0.0.1" ssh-ed25519 AAAA', True),
        ("ssh-rsa AAAA me", False),
        ("ecdsa-sha2-nistp384 AAAA me", False),
        # The installer reads only the first key.
        ("ssh-rsa AAAA me\nssh-ed25519 AAAA you", False),
        ("", False),
        (None, False),
    ],
)
def test_fips_needs_a_key_of_an_approved_type(key, broken):
    expected = [("inst-fips-ssh-key", "sshKey")] if broken else []

    assert found("4.20", "upi", document("none", fips=True, sshKey=key)) == expected
    assert found("4.20", "upi", document("none", fips=False, sshKey=key)) == []


def test_an_empty_block_lacks_what_the_installer_requires():
    fields = {
        **dict.fromkeys(("aws", "azure", "gcp", "ibmcloud", "powervs"), "region"),
        "nutanix": "prismCentral",
        "ovirt": "ovirt_cluster_id",
        "vsphere": "vcenters",
    }
    empty = {name: found("4.20", "upi", document(name, {})) for name in CLOUDS}

    assert {name: problems for name, problems in empty.items() if problems} == {
        name: [("inst-platform-fields", f"platform.{name}.{field}")] for name, field in fields.items()
    }
    assert found("4.20", "upi", document("aws", {}), complete=False) == []
    assert found("4.20", "agent", document("vsphere", VIPS)) == []
    assert found("4.20", "upi", document("vsphere", {"vCenter": "vc.example.com"})) == []


def test_the_filter_knows_the_rules_of_platforms():
    from ansible_collections.capability.openshift.plugins.filter.validate_capabilities import validate_capabilities

    problems = validate_capabilities({"baselineCapabilitySet": "vCurrent"}, "4.20", "aws", "agent")

    assert [(item["code"], item["where"]) for item in problems] == [("agent-platform", "platform")]
