# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What site_check finds in selections that can be read."""

from __future__ import annotations

import json
import textwrap

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._sites.rules import site_rules
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    cluster_version_crd,
    manifest,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.sites import (
    ANNOTATION,
    INSTALL_CONFIG,
    agent_cluster_install,
    block,
    cluster_instance,
    cluster_version,
    documents,
    hosted_cluster,
    image_set,
    overrides,
    policy,
    quoted,
    rules_of,
    site_config,
)

EXTERNAL = "platformType: External\nexternal: {platformName: x}\n"
RAN_DU = ("NodeTuning", "OperatorLifecycleManager", "Ingress")


def errors_of(outcome):
    return [rule for rule, _path in rules_of(outcome["findings"])]


def instance(*names, **fields):
    more = {key: fields.pop(key) for key in ("name", "image_set", "kind") if key in fields}
    return cluster_instance(quoted(overrides(*names, **fields)), **more)


@pytest.mark.parametrize(
    ("version", "errors"),
    [
        ("4.12", ["unknown-capability"] * 3),
        ("4.14", ["unknown-capability"] * 2),
        ("4.15", ["unknown-capability"]),
        *((version, []) for version in ("4.16", "4.17", "4.18", "4.20", "4.21", "5.0", "5.1")),
    ],
)
def test_the_telco_reference_is_right_from_4_16_on(check, version, errors):
    outcome = check({"a.yaml": instance(*RAN_DU, image_set=f"openshift-{version}")})
    assert errors_of(outcome) == errors


def test_several_nodes_are_on_bare_metal_unless_the_object_names_a_platform(check):
    text = instance(*RAN_DU, kind="HighlyAvailable")
    named = {name: text.replace("spec:\n", f"spec:\n  platformType: {name}\n") for name in ("VSphere", "none", "metal")}
    outcome = check({"a.yaml": text, **{f"{name}.yaml": each for name, each in named.items()}})
    assert ("inst-platform-baremetal", "a.yaml") in rules_of(outcome["findings"])
    found = {site["path"].partition(".")[0]: site["platform"] for site in outcome["sites"]}
    assert found == {"a": "baremetal", "VSphere": "vsphere", "none": "none", "metal": None}
    wrong = [(item["path"], item["line"]) for item in outcome["findings"] if item["rule"] == "unknown-platform"]
    assert wrong == [("metal.yaml", 7), ("none.yaml", 7)]


def test_the_external_platform_needs_its_field(check):
    def errors(text):
        return errors_of(check({"a.yaml": text}, openshift_version="4.20"))

    names, spec = ("CloudCredential", "Ingress"), "platformType: External\n"
    assert errors(agent_cluster_install(overrides(*names), spec=spec)) == ["unknown-platform"]
    assert errors(agent_cluster_install(overrides(*names), spec=f"{spec}external: {{platformName: x}}\n")) == []
    text = instance(*names).replace("spec:\n", f"spec:\n  {spec}  templateRefs: [{{name: NAME}}]\n")
    assert errors(text.replace("NAME", "ai-cluster-templates-v1")) == ["unknown-platform"]
    assert errors(text.replace("NAME", "own")) == []
    suppressed = text.replace("NAME", "ai-cluster-templates-v1") + "  suppressedManifests: [AgentClusterInstall]\n"
    assert errors(suppressed) == ["misplaced-selection"]


@pytest.mark.parametrize(
    ("spec", "platform"),
    [
        ("networking: {userManagedNetworking: true}\n", "none"),
        ("networking: {userManagedNetworking: false}\n", "baremetal"),
        (
            "networking: {userManagedNetworking: true}\nplatformType: External\nexternal: {platformName: x}\n",
            "external",
        ),
    ],
)
def test_a_user_managed_network_has_no_platform_unless_one_is_set(check, spec, platform):
    text = agent_cluster_install(overrides("CloudCredential", "Ingress"), spec=spec).replace("Agents: 1", "Agents: 3")
    outcome = check({"a.yaml": text}, openshift_version="4.18")
    assert outcome["sites"][0]["platform"] == platform
    assert errors_of(outcome) == ["inst-platform-baremetal"] * (platform == "baremetal")


@pytest.mark.parametrize(
    ("image", "platform"),
    [
        ("quay.io/ocp/release:4.18.5-s390x", "none"),
        ("quay.io/ocp/release:4.18.5-ppc64le@sha256:abcd", "none"),
        ("registry:5000/ocp-s390x/release:4.18.5", "none"),
        ("registry:5000/ppc64le/release@sha256:abcd", "none"),
        ("quay.io/ocp/release:4.18.5-aarch64", "baremetal"),
        ("quay.io/ocp/release:4.18.5-multi", "baremetal"),
    ],
)
def test_some_architectures_have_no_platform(check, image, platform):
    text = agent_cluster_install(overrides("Ingress"), spec="imageSetRef: {name: lab}\n").replace("s: 1", "s: 3")
    files = {"a.yaml": text, "b.yaml": image_set("lab", image)}
    outcome = check(files)
    # The default network is managed by the cluster.
    rule = "inst-platform-baremetal" if platform == "baremetal" else "unknown-platform"
    assert (outcome["sites"][0]["platform"], errors_of(outcome)) == (platform, [rule])
    for spec in ("platformType: None\n", "networking: {userManagedNetworking: true}\n"):
        outcome = check(files | {"a.yaml": text + textwrap.indent(spec, "  ")})
        assert (outcome["sites"][0]["platform"], errors_of(outcome)) == ("none", [])


@pytest.mark.parametrize(
    ("spec", "agents", "is_rejected"),
    [
        ("networking: {userManagedNetworking: false}\n", "1", True),
        ("networking: {userManagedNetworking: false}\nplatformType: None\n", "3", True),
        ("networking: {userManagedNetworking: false}\n" + EXTERNAL, "3", True),
        ("networking: {userManagedNetworking: false}\nplatformType: VSphere\n", "3", False),
        ("networking: {userManagedNetworking: null}\nplatformType: None\n", "3", False),
        ("", "1, workerAgents: 2", True),
        ("", "1, workerAgents: 0", False),
        ("", "1, workerAgents: '${workers}'", False),
        ("networking: {userManagedNetworking: true}\n", "1, workerAgents: 2", False),
        ("platformType: None\n", "1, workerAgents: 2", False),
        (EXTERNAL, "1, workerAgents: 2", False),
        ("external: {platformName: x}\n", "1", True),
        ("external: {}\nplatformType: None\n", "3", True),
        ("external: {}\nplatformType: VSphere\n", "3", True),
        ("external: null\nplatformType: None\n", "3", False),
    ],
)
def test_assisted_service_rejects_fields_that_exclude_each_other(check, spec, agents, is_rejected):
    names = ("CloudControllerManager", "CloudCredential", "Ingress", "MachineAPI", "baremetal")
    text = agent_cluster_install(overrides(*names), spec=spec).replace("Agents: 1", f"Agents: {agents}")
    assert errors_of(check({"a.yaml": text}, openshift_version="4.20")) == ["conflicting-fields"] * is_rejected


@pytest.mark.parametrize(
    ("platform", "is_rejected"), [("Agent", False), ("GCP", False), ("${platform}", False), ("Kubevirt", True)]
)
def test_the_api_server_rejects_an_unknown_platform_of_a_hosted_cluster(check, platform, is_rejected):
    text = hosted_cluster("{disabled: [Console]}").replace("Agent", platform)
    assert rules_of(check({"a.yaml": text})["findings"]) == [("unknown-platform", "a.yaml")] * is_rejected


@pytest.mark.parametrize(
    ("kind", "is_rejected"),
    [("sno", True), ("Standard", True), ("HighlyAvailableArbiter", False), ("${type}", False), ("null", False)],
)
def test_the_api_server_rejects_an_unknown_type_of_cluster(check, kind, is_rejected):
    more = "  nodes: [{role: master}]\n"
    found = check({"a.yaml": cluster_instance(quoted(overrides("Ingress")), kind=kind, more=more)})["findings"]
    assert [(item["rule"], item["line"]) for item in found] == [("invalid-choice", 8)] * is_rejected


@pytest.mark.parametrize(
    ("kind", "platform", "workers", "is_rejected"),
    [
        ("HighlyAvailable", "", 1, True),
        ("HighlyAvailableArbiter", "", 1, True),
        ("null", "", 1, True),
        ("HighlyAvailable", "", 0, False),
        ("HighlyAvailable", "None", 1, False),
        ("SNO", "", 1, False),
        ("${type}", "", 1, False),
    ],
)
def test_a_single_control_plane_with_workers_needs_a_user_managed_network(check, kind, platform, workers, is_rejected):
    more = f"  platformType: {platform or 'null'}\n  nodes:\n  - {{role: master}}\n" + "  - {role: worker}\n" * workers
    more += "  templateRefs: [{name: ai-cluster-templates-v1}]\n"
    text = cluster_instance(quoted(overrides("Ingress")), kind=kind, more=more)
    assert errors_of(check({"a.yaml": text})) == ["conflicting-fields"] * is_rejected
    assert errors_of(check({"a.yaml": text.replace("ai-cluster-templates-v1", "own")})) == []


@pytest.mark.parametrize(
    "text",
    [
        instance("Ingress").replace("  clusterType: SNO\n", ""),
        instance("Ingress").replace("clusterType: SNO\n", "clusterType: ${type}\n"),
        site_config(("one", "", overrides("Ingress"))).replace("    clusterType: sno\n", ""),
        agent_cluster_install(overrides("Ingress")).replace("controlPlaneAgents", "workerAgents"),
        agent_cluster_install(overrides("Ingress")).replace("Agents: 1", "Agents: '${control_planes}'"),
        agent_cluster_install(overrides("Ingress"), spec="networking: {userManagedNetworking: '${x}'}\n"),
        cluster_instance(quoted(overrides("Ingress")), more="  nodes: [{role: master}, {role: '${role}'}]\n"),
    ],
)
def test_a_patch_without_nodes_does_not_decide_about_the_platform(check, text):
    outcome = check({"a.yaml": text}, openshift_version="4.20", state="fixed")
    assert outcome["sites"][0]["platform"] is None
    assert (rules_of(outcome["findings"]), outcome["fixed_files"]) == ([], [])
    assert rules_of(outcome["findings"], "warning") == [("unchecked-rules", "a.yaml")]
    assert "content" not in outcome["findings"][0]["hint"]
    # The names of a solution depend on the platform.
    outcome = check({"a.yaml": text}, openshift_version="4.20", state="fixed", solution="ran_du")
    assert (rules_of(outcome["findings"]), outcome["fixed_files"]) == ([], [])
    assert "1 of 1 site was not compared" in outcome["text"]


@pytest.mark.parametrize("null", ["null", "~", "Null", ""])
def test_a_field_that_is_null_has_its_default(check, null):
    more = f"  platformType: {null}\n  nodes: [{{hostName: a, role: {null}}}]\n"
    text = cluster_instance(quoted(overrides("Ingress")), more=more).replace("  clusterType: SNO\n", "")
    outcome = check({"a.yaml": text})
    assert (outcome["sites"][0]["platform"], outcome["findings"]) == ("none", [])


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ("platformType: External\nexternal: {cloudControllerManager: External}\n", ["inst-ccm-external"]),
        (
            "platformType: External\nexternal: {cloudControllerManager: external}\n",
            ["inst-ccm-external", "invalid-choice"],
        ),
        ("platformType: External\nexternal: {platformName: x}\n", []),
        ("external: {cloudControllerManager: External}\n", ["conflicting-fields"]),
    ],
)
def test_an_external_cloud_controller_manager_needs_its_capability(check, spec, errors):
    names = ("CloudCredential", "Ingress", "OperatorLifecycleManager")
    outcome = check({"a.yaml": agent_cluster_install(overrides(*names), spec=spec)}, openshift_version="4.20")
    assert errors_of(outcome) == errors


def test_the_nodes_decide_whether_there_is_a_single_one(check):
    nodes = "    nodes: [{hostName: a}, {hostName: b, role: master}, {hostName: c}]\n"
    text = site_config(("one", "", overrides(*RAN_DU)))
    assert check({"a.yaml": text})["sites"][0]["platform"] == "none"
    assert check({"a.yaml": text + nodes})["sites"][0]["platform"] == "baremetal"


def test_a_single_node_cannot_have_the_platform_baremetal(check):
    text = cluster_instance(quoted(overrides("Ingress"))).replace("spec:\n", "spec:\n  platformType: BareMetal\n")
    outcome = check({"a.yaml": text}, state="fixed")
    assert (errors_of(outcome), outcome["findings"][0]["line"]) == (["unknown-platform"], 7)
    # Enabled, baremetal would stay so.
    assert (outcome["sites"][0]["platform"], outcome["fixed_files"]) == ("none", [])
    assert errors_of(check({"a.yaml": text.replace("SNO", "HighlyAvailable")})) == ["inst-platform-baremetal"]


@pytest.mark.parametrize(
    ("platform", "spec", "agents", "is_rejected"),
    [
        ("VSphere", "", 1, True),
        ("Nutanix", "", 1, True),
        ("VSphere", "", 3, False),
        ("Nutanix", "networking: {userManagedNetworking: true}\n", 3, True),
        ("BareMetal", "networking: {userManagedNetworking: true}\n", 3, True),
        ("VSphere", "networking: {userManagedNetworking: true}\n", 3, False),
        ("None", "", 1, False),
    ],
)
def test_assisted_service_rejects_a_platform_of_some_topologies(check, platform, spec, agents, is_rejected):
    names = ("CloudControllerManager", "CloudCredential", "Ingress", "MachineAPI", "baremetal")
    text = agent_cluster_install(overrides(*names), spec=f"platformType: {platform}\n{spec}")
    outcome = check({"a.yaml": text.replace("controlPlaneAgents: 1", f"controlPlaneAgents: {agents}")})
    assert errors_of(outcome) == ["unknown-platform"] * is_rejected


def test_the_generator_of_a_site_config_reads_no_platform(check):
    nodes = "    platformType: None\n    nodes: [{hostName: a}, {hostName: b}, {hostName: c}]\n"
    text = site_config(("one", "", overrides("Ingress"))).replace("    clusterType: sno\n", nodes)
    outcome = check({"a.yaml": text}, openshift_version="4.20")
    assert (outcome["sites"][0]["platform"], errors_of(outcome)) == ("baremetal", ["inst-platform-baremetal"])


@pytest.mark.parametrize("indent", ["", "  "])
def test_an_own_agent_cluster_install_decides_about_the_platform_of_a_site_config(check, indent):
    nodes = "    nodes: [{hostName: a}, {hostName: b}, {hostName: c}]\n"
    text = site_config(("one", "", overrides("Ingress"))).replace("    clusterType: sno\n", nodes)
    text += f"  {indent}crTemplates: {{AgentClusterInstall: own.yaml}}\n"
    outcome = check({"a.yaml": text}, state="fixed")
    assert (outcome["sites"][0]["platform"], outcome["fixed_files"], errors_of(outcome)) == (None, [], [])
    assert rules_of(outcome["findings"], "info") == [("template", "a.yaml")]
    assert rules_of(outcome["findings"], "warning") == [("unchecked-rules", "a.yaml")]


@pytest.mark.parametrize(
    ("templates", "more", "platform"),
    [
        ("own", "", None),
        ("own", "  apiVIPs: [192.0.2.1]\n", "baremetal"),
        ("own", "  platformType: BareMetal\n", "baremetal"),
        ("ai-cluster-templates-v1", "", "baremetal"),
    ],
)
def test_own_templates_decide_about_the_network_of_several_control_planes(check, templates, more, platform):
    more += f"  templateRefs: [{{name: {templates}, namespace: own}}]\n"
    outcome = check({"a.yaml": cluster_instance(quoted(overrides("Ingress")), kind="HighlyAvailable", more=more)})
    assert outcome["sites"][0]["platform"] == platform
    assert rules_of(outcome["findings"], "warning") == [("unchecked-rules", "a.yaml")] * (platform is None)


@pytest.mark.parametrize(
    ("kind", "platform", "rules"),
    [
        ("SNO", {"baremetal": {}}, ["several-platforms"]),
        ("HighlyAvailable", {"none": {}}, ["several-platforms"]),
        ("HighlyAvailable", {"baremetal": {"provisioningNetwork": "Disabled"}}, ["inst-platform-baremetal"]),
        ("HighlyAvailable", {"baremetal": None, "none": {}}, []),
        ("HighlyAvailable", None, ["inst-platform-baremetal"]),
        ("HighlyAvailable", "none", ["not-a-map"]),
    ],
)
def test_the_platform_of_the_overrides_is_merged_with_the_one_of_the_site(check, kind, platform, rules):
    outcome = check({"a.yaml": instance("Ingress", kind=kind, platform=platform)}, openshift_version="4.20")
    assert errors_of(outcome) == rules
    assert rules_of(outcome["findings"], "warning") == []
    assert all("overrides" in item["hint"] for item in outcome["findings"] if item["rule"] == "several-platforms")


def test_an_install_config_has_no_overrides_to_correct(check):
    (finding,) = check({"a.yaml": INSTALL_CONFIG.replace("{none: {}", "{none: {}, aws: {}")}, openshift_version="4.15")[
        "findings"
    ]
    assert (finding["rule"], finding["hint"]) == ("several-platforms", "Keep one of them")


def test_overrides_of_the_external_platform_keep_its_cloud_controller_manager(check):
    spec = "platformType: External\nexternal: {platformName: oci, cloudControllerManager: External}\n"
    names = ("CloudCredential", "Ingress", "OperatorLifecycleManager")
    text = overrides(*names, platform={"external": {"platformName": "oci"}})
    outcome = check({"a.yaml": agent_cluster_install(text, spec=spec)}, openshift_version="4.20")
    assert errors_of(outcome) == ["inst-ccm-external"]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        # A later version can know another field, but hardly one with a similar name.
        ("credentialsMode", "Manual", ("unknown-field", "warning", "credentialsMode")),
        ("compute", [{"architecture": "arm64"}], ("unknown-field", "warning", "compute[0].architecture")),
        ("networking", {"netwrokType": ""}, ("unknown-field", "error", "networking.netwrokType")),
        ("fips", "true", ("invalid-json", "error", "fips")),
        ("networking", {"machineNetwork": ["10.0.0.0/16"]}, ("invalid-json", "error", "networking.machineNetwork[0]")),
        ("controlPlane", {"Hyperthreading": "Disabled", "fencing": None}, None),
        ("additionalTrustBundlePolicy", "Always", None),
        ("pullSecret", "{}", None),
    ],
)
def test_assisted_service_rejects_overrides_with_fields_that_it_does_not_know(check, field, value, expected):
    findings = check({"a.yaml": instance("Ingress", **{field: value})})["findings"]
    found = [(item["rule"], item["severity"], item["message"].split(": ")[0]) for item in findings]
    assert found == [expected] * bool(expected)


@pytest.mark.parametrize("version", ["4.15", "4.17", "4.20"])
@pytest.mark.parametrize(
    "names", [("marketplace",), ("baremetal", "Ingress"), ("OperatorLifecycleManagerV1", "Ingress")]
)
def test_one_mistake_is_one_finding(check, names, version):
    """The API and the installer have rules about the same names: the first one counts."""
    for text in (instance(*names, image_set=f"img{version}"), policy(cluster_version(*names, version=f"{version}.1"))):
        found = [item for item in check({"a.yaml": text})["findings"] if item["severity"] == "error"]
        hints = [item["hint"].partition(" to ")[0] for item in found]
        assert len(hints) == len(set(hints))


def test_the_summary_has_the_number_of_sites(check):
    files = {"a.yaml": cluster_instance(), "b.yaml": INSTALL_CONFIG.replace("[Console]", "[Console, Ingress]")}
    assert check(files, openshift_version="4.20")["text"] == "No findings in 2 sites\n"
    files["b.yaml"] = INSTALL_CONFIG
    assert check(files, openshift_version="4.20")["text"].splitlines()[-1] == "1 error in 2 sites"
    assert check(openshift_version="4.20", paths=["a.yaml"])["text"] == "No findings in 1 site\n"


def test_each_cluster_of_a_site_config_has_its_version(check):
    outcome = check(
        {"a.yaml": site_config(("one", "openshift-4.14", overrides(*RAN_DU)), ("two", "", overrides(*RAN_DU)))}
    )
    assert [(site["name"], site["openshift_version"]) for site in outcome["sites"]] == [
        ("one", "4.14"),
        ("two", "4.20.3"),
    ]
    assert {finding["resource"] for finding in outcome["findings"] if finding["severity"] == "error"} == {
        "SiteConfig lab, cluster one"
    }


def test_what_is_merged_into_a_merged_map_counts(check):
    text = """\
apiVersion: ran.openshift.io/v1
kind: SiteConfig
metadata: {name: lab}
spec:
  clusterImageSetNameRef: img4.20.3
  clusters:
  - &one {clusterName: one, clusterType: sno, installConfigOverrides: "{"}
  - &two {<<: *one, clusterName: two}
  - {<<: [*two], clusterName: three}
  - &loop {<<: *loop, clusterName: four}
"""
    assert [item["resource"] for item in check({"a.yaml": text})["findings"]] == [
        f"SiteConfig lab, cluster {name}" for name in ("one", "three", "two")
    ]


def test_an_object_of_a_policy_needs_no_metadata(check):
    text = cluster_version("ingress").replace("metadata: {name: version}\n", "")
    assert errors_of(check({"a.yaml": policy(text)})) == ["unknown-capability"]


def test_an_agent_cluster_install_gets_its_version_from_the_cluster_deployment(check):
    deployment = """\
apiVersion: hive.openshift.io/v1
kind: ClusterDeployment
metadata: {name: paris, namespace: paris}
spec: {provisioning: {imageSetRef: {name: golden}}}
"""
    files = {
        "site.yaml": documents(agent_cluster_install(overrides(*RAN_DU)), deployment),
        "sets/golden.yaml": image_set("golden", "quay.io/openshift-release-dev/ocp-release:4.14.9-x86_64"),
    }
    (site,) = check(files)["sites"]
    assert (site["openshift_version"], site["kind"]) == ("4.14.9", "AgentClusterInstall")
    assert site["version_source"] == "release image of ClusterImageSet golden"


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("quay.io/ocp/release:4.18.5-multi", "4.18.5"),
        ("quay.io/ocp/release:4.18.5-multi-aarch64", "4.18.5"),
        ("registry.lab:5000/ocp/release:4.18.5-x86_64@sha256:abcd", "4.18.5"),
        ("quay.io/ocp/release:4.18.0-rc.1-aarch64", "4.18.0-rc.1"),
        ("quay.io/ocp/release:4.18.0-0.nightly-2025-01-01-000000", "4.18.0-0.nightly-2025-01-01-000000"),
        ("registry.lab:5000/ocp/release@sha256:abcd", "4.19"),
    ],
)
def test_the_version_is_the_tag_of_the_release_image_or_else_in_the_name(check, image, version):
    files = {"a.yaml": instance("Ingress", image_set="lab-4.19"), "b.yaml": image_set("lab-4.19", image)}
    assert check(files)["sites"][0]["openshift_version"] == version


@pytest.mark.parametrize(
    ("tag", "version"), [("4.18.5-x86_64", "4.18.5"), ("4.14.9-x86_64", None), ("4.18.7-multi@sha256:abcd", "4.18.5")]
)
def test_image_sets_of_two_hubs_with_different_versions_do_not_count(check, tag, version):
    files = {
        "one/sites.yaml": instance("Ingress", image_set="stable"),
        "one/sets.yaml": image_set("stable", "quay.io/ocp/release:4.18.5-x86_64"),
        "two/sets.yaml": image_set("stable", f"quay.io/ocp/release:{tag}"),
        "two/patch.yaml": "apiVersion: hive.openshift.io/v1\nkind: ClusterImageSet\nmetadata: {name: stable}\n",
    }
    assert check(files)["sites"][0]["openshift_version"] == version
    assert check(files, openshift_versions={"one/*": "4.18"})["sites"][0]["openshift_version"] == "4.18"


def test_cluster_deployments_of_two_hubs_with_different_image_sets_do_not_count(check):
    deployment = """\
apiVersion: hive.openshift.io/v1
kind: ClusterDeployment
metadata: {name: paris, namespace: paris}
spec: {provisioning: {imageSetRef: {name: img4.18}}}
"""
    files = {"a.yaml": agent_cluster_install(overrides("Ingress")), "b.yaml": deployment}
    assert check(files)["sites"][0]["openshift_version"] == "4.18"
    files["c.yaml"] = deployment.replace("4.18", "4.14")
    assert check(files)["sites"][0]["openshift_version"] is None


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("acm-2.11-ocp-4.16.3", "4.16.3"),
        ("rhel-9.4-ocp-4.18.3", "4.18.3"),
        ("rhacm2.9-img4.15.12", "4.15.12"),
        ("odf-4.9-ocp-4.16", "4.16"),
        ("img4.10.3", "4.10.3"),
        ("acm-2.11", None),
        ("lab-4.08", None),
    ],
)
def test_versions_of_other_products_in_the_name_do_not_count(check, name, version):
    assert check({"a.yaml": instance("Ingress", image_set=name)})["sites"][0]["openshift_version"] == version


def test_a_version_that_no_platform_has_is_one_error(check):
    outcome = check({"a.yaml": instance("Ingress")}, openshift_versions={"*": "2.11"})
    assert errors_of(outcome) == ["unsupported-version"]
    assert outcome["findings"][0]["message"].startswith("openshift_versions[*]: 2.11 has no capabilities")


@pytest.mark.parametrize("pattern", ["berlin", "edge/*", "img4.20*", "*@sha256:ab*"])
def test_the_map_of_the_user_comes_first(check, pattern):
    files = {
        "edge/a.yaml": instance("Ingress"),
        "b.yaml": image_set("img4.20.3-x86-64-appsub", "quay.io/ocp/release@sha256:abcd"),
    }
    outcome = check(files, openshift_versions={"other": "4.12", pattern: "4.17.1", "*": "4.18"})
    (site,) = outcome["sites"]
    assert site["openshift_version"] == "4.17.1"
    assert site["version_source"] == f"openshift_versions[{pattern}]"
    assert [(item["code"], item["where"]) for item in outcome["problems"]] == [
        ("missing-path", "openshift_versions[other]")
    ]


def test_without_a_version_the_form_is_checked(check):
    files = {"a.yaml": instance(*RAN_DU, image_set="stable"), "b.yaml": cluster_instance("'{'", image_set="stable")}
    without_selection = "apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: berlin}\nplatform: {none: {}}\n"
    outcome = check({**files, "install-config.yaml": without_selection})
    warned = [item for item in outcome["findings"] if item["severity"] == "warning"]
    assert [(item["rule"], item["path"]) for item in warned] == [
        ("unknown-site-version", path) for path in ("a.yaml", "install-config.yaml")
    ]
    assert all(item["message"].endswith("not known, so nothing that depends on it is checked") for item in warned)
    assert rules_of(outcome["findings"]) == [("invalid-json", "b.yaml")]
    assert not check(files, openshift_version="4.20", paths=["a.yaml"])["findings"]


def test_options_with_a_wrong_version_fail_before_anything_is_read(check):
    outcome = check({}, openshift_version="four", openshift_versions={"a": 4.2})
    assert outcome.faults == [("invalid-version", "openshift_version"), ("invalid-version", "openshift_versions[a]")]


def test_a_cluster_version_in_nested_policies_is_checked_by_the_rules_of_the_api(check):
    outcome = check({"policy.yaml": policy(cluster_version("console", "marketplace", enabled=["Ingress"]))})
    assert rules_of(outcome["findings"]) == [
        ("api-marketplace-olm", "policy.yaml"),
        ("unknown-capability", "policy.yaml"),
    ]


def test_a_cluster_version_in_a_list_or_alone_is_found(check):
    # The API reads a missing baseline as vCurrent; only installers reject it.
    text = cluster_version("Console").replace("    baselineCapabilitySet: None\n", "")
    listed = "kind: List\napiVersion: v1\nitems:\n- " + text.rstrip().replace("\n", "\n  ")
    outcome = check({"a.yaml": text, "b.yaml": f"{listed}\n"})
    assert [site["kind"] for site in outcome["sites"]] == ["ClusterVersion"] * 2
    assert outcome["findings"] == []


def test_the_api_reads_the_fields_of_a_cluster_version_in_their_case_alone(check):
    text = policy(cluster_version("Console")).replace("baselineC", "BaselineC").replace("Console", "console")
    outcome = check({"a.yaml": text}, openshift_version="4.20", state="fixed")
    assert errors_of(outcome) == ["unknown-capability", "unknown-field"]
    assert outcome["findings"][-1]["hint"] == "Write baselineCapabilitySet: names are case sensitive"
    # Without the field, the correction would be another selection.
    assert outcome["fixed_files"] == []


def test_what_a_policy_must_not_have_is_no_selection(check):
    text = policy(cluster_version("console")).replace("musthave", "mustnothave")
    assert check({"a.yaml": text, "b.yaml": INSTALL_CONFIG})["sites"][0]["kind"] == "install-config"


@pytest.mark.parametrize(
    ("stanza", "version", "rules"),
    [
        ("{disabled: [Console, Ingress, openshift-samples]}", "4.20.3", []),
        ("{disabled: [Ingress]}", "4.20.3", ["hcp-ingress-console"]),
        ("{disabled: [marketplace]}", "4.20.3", ["hcp-selectable"]),
        ("{disabled: [Console]}", "4.19.1", ["hcp-selectable"]),
        ("{enabled: [baremetal]}", "4.20.3", []),
        ("{enabled: [Storage]}", "4.20.3", ["hcp-selectable"]),
        ("{enabled: [Console]}", "4.19.1", ["hcp-selectable"]),
        ("{disabled: [ImageRegistry, Ingress]}", "4.12.1", ["hcp-capabilities"]),
        ("{enabled: [Console], disabled: [Console, wrong]}", "4.20.3", ["conflicting-names", "unknown-capability"]),
        ("{baselineCapabilitySet: None}", "4.20.3", ["unknown-field"]),
        ("[Console]", "4.20.3", ["not-a-map"]),
    ],
)
def test_a_hosted_cluster_is_checked(check, stanza, version, rules):
    assert errors_of(check({"a.yaml": hosted_cluster(stanza, version)})) == rules


@pytest.mark.parametrize(
    ("stanza", "version", "hint"),
    [
        ("{disabled: [wrong]}", "4.18.1", "Use one of: ImageRegistry"),
        ("{enabled: [wrong]}", "4.18.1", "Remove it"),
        ("{enabled: [Storag]}", "4.20.1", "Use one of: Console, ImageRegistry, Ingress, Insights, NodeTuning, "),
        ("{disabled: [ClusterAPI]}", "4.23.1", "Remove the name"),
    ],
)
def test_hints_propose_what_a_hosted_cluster_can_select(check, stanza, version, hint):
    first, *_others = check({"a.yaml": hosted_cluster(stanza, version)})["findings"]
    assert first["hint"].startswith(hint)


def test_what_a_hosted_cluster_disables_is_in_the_list(check, tmp_path):
    name = "0000_50_console-operator_01-oauth.yaml"
    files = {"0000_00_clusterversion.crd.yaml": cluster_version_crd(["Console"]), name: manifest("console")}
    releases = [str(write_release(tmp_path / "release", files, "4.18.1"))]
    found = check({"a.yaml": hosted_cluster("{disabled: [Console]}", "4.18.1")}, releases=releases)["findings"]
    error, note = (next(item for item in found if item["severity"] == severity) for severity in ("error", "info"))
    assert error["message"].startswith("capabilities.disabled: excludes Console, but")
    assert error["hint"] == "Remove Console from disabled"
    # No option is the place of what is not known about the cluster.
    assert note["message"].startswith(name)


def test_an_install_config_is_checked_with_its_method(check):
    outcome = check({"rome/install-config.yaml": INSTALL_CONFIG}, openshift_version="4.20", install_method="agent")
    assert errors_of(outcome) == ["inst-ingress"]
    assert outcome["sites"][0]["name"] == "rome"
    assert outcome["sites"][0]["capabilities"]["additionalEnabledCapabilities"] == ["Console"]


def test_a_finding_of_an_install_config_is_on_the_line_of_its_field(check):
    text = INSTALL_CONFIG + "FeatureSet: CustomNoUpgrade\nfeatureGates: [A]\ncontrolPlane: {replicas: 1}\n"
    found = check({"install-config.yaml": text}, openshift_version="4.20", install_method="assisted")["findings"]
    lines = text.splitlines()
    at = {item["rule"]: lines[item["line"] - 1].partition(":")[0] for item in found}
    assert at == {
        "misspelled-field": "FeatureSet",
        "invalid-feature-gate": "featureGates",
        "inst-ingress": "capabilities",
        "doc-clusterapi-credentials": "capabilities",
    }


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("platform", "'{{ platform }}'", 4),
        ("platform", "{'{{ platform }}': {}}", 4),
        ("platform", "{{ platform }}", 4),
        ("featureSet", "'{{ set }}'", 8),
        ("featureSet", "{{ set }}", 8),
        ("featureGates", "['{{ gate }}']", 8),
        ("apiVersion", "'{{ version }}'", 1),
    ],
)
def test_the_templates_of_an_install_config_are_not_checked(check, field, value, line):
    lines = [text for text in INSTALL_CONFIG.splitlines() if not text.startswith(field)]
    lines.insert(line - 1, f"{field}: {value}")
    text = "\n".join([*lines, ""])
    found = check({"install-config.yaml": text}, openshift_version="4.20", install_method="upi")["findings"]
    selection = text[: text.index("capabilities:")].count("\n") + 1
    assert {(item["rule"], item["line"]) for item in found} == {("template", line), ("inst-ingress", selection)}


def test_json_can_escape_a_character_above_u_ffff(check):
    site = yaml.safe_load(cluster_instance(quoted(overrides("console"))))
    site["metadata"]["annotations"] = {"note": "\N{GRINNING FACE}\N{GRINNING FACE} \\"}
    outcome = check({"a.json": json.dumps(site, indent=1)})
    assert errors_of(outcome) == errors_of(check({"a.json": json.dumps(site, ensure_ascii=False, indent=1)}))
    assert "unknown-capability" in errors_of(outcome)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ({"baselineCapabilitySet": "None"}, "misplaced-selection"),
        ({"networking": block("Ingress")}, "misplaced-selection"),
        ({"Capabilities": {"baselineCapabilitySet": "None"}}, "inst-ingress"),  # the installer reads it
        ({"CAPABILITIES": {"additionalenabledcapabilities": ["Ingress"]}}, "missing-baseline"),
        (block("Ingress", Capabilities={}), "duplicate-field"),
        ({"capability": {}}, "misspelled-field"),
        (block(baseline=None) | {"capabilities": {"excludedCapabilities": ["Insights"]}}, "exclusion-list"),
        ({"capabilities": {"baselineCapabilitySet": "vCurrent", "disabled": ["Insights"]}}, "exclusion-list"),
        ({"capabilities": {"baseline_capability_set": "None"}}, "unknown-field"),
        ({"capabilities": ["Console"]}, "not-a-map"),
        (block("Console", baseline=None), "missing-baseline"),
    ],
)
def test_a_selection_in_a_wrong_form_is_an_error(check, value, rule):
    assert rule in errors_of(check({"a.yaml": cluster_instance(quoted(json.dumps(value)))}))


def test_a_list_of_names_in_the_baseline_is_probably_meant_to_exclude(check):
    outcome = check({"a.yaml": instance("Insights", baseline="vCurrent")})
    assert rules_of(outcome["findings"], "warning") == [("ineffective-list", "a.yaml")]
    (found,) = outcome["findings"]
    assert "vCurrent contains Insights. The list enables names and disables none" in found["message"]
    installed = check({"a.yaml": cluster_version("Insights", baseline="vCurrent")}, openshift_version="4.20")
    assert ["None" in item["hint"] for item in (found, *installed["findings"])] == [True, False]
    adding = instance("Console", "Ingress", baseline="v4.11")
    assert not rules_of(check({"a.yaml": adding})["findings"], "warning")


@pytest.mark.parametrize(
    "text",
    [
        f"metadata: {{name: x, annotations: {{{ANNOTATION}: '{{}}'}}}}",
        f"metadata: {{name: x, labels: {{{ANNOTATION}: x}}}}",
        "metadata: {name: x}\nspec: {installConfigOverrides: '{}'}",
    ],
)
@pytest.mark.parametrize(
    ("api", "kind"), [("agent-install.openshift.io/v1beta1", "InfraEnv"), ("hive.openshift.io/v1", "ClusterDeployment")]
)
def test_overrides_beside_the_agent_cluster_install_have_no_effect(check, text, api, kind):
    outcome = check({"a.yaml": f"apiVersion: {api}\nkind: {kind}\n{text}\n"})
    assert errors_of(outcome) == ["misplaced-selection"]
    assert "AgentClusterInstall" in outcome["findings"][0]["hint"]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("  capabilities: {baselineCapabilitySet: None}", "misplaced-selection"),
        ("  nodes: [{installConfigOverrides: '{}'}]", "misplaced-selection"),
        ("  installConfigOverride: '{}'", "misspelled-field"),
        ("  install_config_overrides: '{}'", "misplaced-selection"),
    ],
)
def test_fields_in_the_wrong_place_are_found(check, line, rule):
    outcome = check({"a.yaml": cluster_instance(more=f"{line}\n")})
    assert errors_of(outcome) == [rule]
    assert outcome["findings"][0]["line"] == 11
    assert outcome["findings"][0]["rule"] in {item.id for item in site_rules()}


@pytest.mark.parametrize(
    "line", ["  baselineCapabilitySet: None", "  Capabilities: {}", "  disabledCapabilities: [a]", "capability: {}"]
)
def test_a_field_beside_those_of_the_api_has_no_effect(check, line):
    for text in (cluster_version("Ingress"), hosted_cluster("{}")):
        outcome = check({"a.yaml": f"{text}{line}\n"})
        assert errors_of(outcome) == ["misplaced-selection"]
        assert outcome["findings"][0]["hint"] == "Write it in spec.capabilities"
        # Programs read one of two equal ones.
        assert errors_of(check({"a.yaml": f"{text}  capabilities: {{}}\n"})) == ["duplicate-key"]


def test_the_hint_for_a_pool_of_clusters_names_no_field_that_it_lacks(check):
    pool = "apiVersion: hive.openshift.io/v1\nkind: ClusterPool\nspec: {capabilities: {baselineCapabilitySet: None}}\n"
    (finding,) = check({"a.yaml": pool})["findings"]
    assert finding["hint"] == "Write it in the object that describes the cluster"


@pytest.mark.parametrize(
    ("kind", "templates"),
    [
        ("HostedControlPlane", "of-our-own"),
        ("HighlyAvailable", "hcp-cluster-templates-v1"),
        ("SNO", "ibi-cluster-templates-v1"),
    ],
)
def test_a_selection_that_no_template_reads_is_misplaced(check, kind, templates):
    more = f"  templateRefs: [{{name: {templates}, namespace: siteconfig-operator}}]\n"
    for value in (overrides("Ingress"), '{"Capabilities": {}}'):
        text = cluster_instance(quoted(value), kind=kind, more=more)
        assert errors_of(check({"a.yaml": text})) == ["misplaced-selection"]
    without = cluster_instance(kind=kind, more=more)
    outcome = check({"a.yaml": without}, state="fixed", solution="managed_service")
    assert (outcome["findings"], outcome["fixed_files"], outcome["sites"][0]["fixed"]) == ([], [], False)
    assert "1 of 1 site was not compared" in outcome["text"]
    outcome = check({"a.yaml": without})
    assert outcome["text"].splitlines()[-1] == "No findings in 1 site"
    assert outcome["sites"][0]["platform"] is None


@pytest.mark.parametrize(
    "text",
    [
        f"{cluster_instance(quoted(overrides('Ingress')))}  suppressedManifests: [InfraEnv, AgentClusterInstall]\n",
        f"{cluster_instance(quoted(overrides('Ingress')))}  pruneManifests:\n"
        "  - {apiVersion: extensions.hive.openshift.io/v1beta1, kind: AgentClusterInstall}\n",
        f"{site_config(('a', '', overrides('Ingress')))}    crSuppression: [AgentClusterInstall]\n",
    ],
)
def test_a_selection_in_a_manifest_that_is_not_rendered_is_misplaced(check, text):
    assert errors_of(check({"a.yaml": text})) == ["misplaced-selection"]
    assert errors_of(check({"a.yaml": text.replace("AgentClusterInstall", "ManagedCluster")})) == []


def test_a_manifest_of_another_version_is_not_pruned(check):
    more = "  pruneManifests: [{apiVersion: extensions.hive.openshift.io/v1, kind: AgentClusterInstall}]\n"
    outcome = check({"a.yaml": cluster_instance(quoted(overrides("Console")), more=more)})
    assert errors_of(outcome) == ["inst-ingress"]
    assert outcome["sites"][0]["platform"] == "none"


def test_an_extra_annotation_has_no_effect_because_the_operator_writes_its_own(check):
    annotation = f"{ANNOTATION}: {quoted(overrides('Ingress'))}"
    text = cluster_instance(more=f"  extraAnnotations:\n    AgentClusterInstall:\n      {annotation}\n")
    assert errors_of(check({"a.yaml": text})) == ["misplaced-selection"]


@pytest.mark.parametrize(
    ("text", "more", "is_dropped"),
    [
        (" " + overrides("Ingress"), "", True),
        ("\n" + overrides("Ingress"), "", True),
        (" " + overrides("Ingress"), "  cpuPartitioningMode: AllNodes\n", False),
        (" " + overrides("Ingress", networking={}), "", False),
        (overrides("Ingress", networking=None), "", True),
        (overrides("Ingress", networking=None), "  cpuPartitioningMode: AllNodes\n", True),
        (overrides("Ingress") + " ", "", False),
    ],
)
def test_overrides_that_the_operator_drops_have_no_effect(check, text, more, is_dropped):
    outcome = check({"a.yaml": cluster_instance(json.dumps(text), more=more)})
    assert errors_of(outcome) == ["invalid-json"] * is_dropped
    generated = site_config(("one", "", text)).replace(quoted(text), json.dumps(text)) + more.replace("  ", "    ")
    assert errors_of(check({"a.yaml": generated})) == ["invalid-json"] * is_dropped


@pytest.mark.parametrize(
    ("text", "more", "is_rejected"),
    [
        (' {"fips": true}', "", True),
        ("{}", "", True),
        ("{}", "  cpuPartitioningMode: AllNodes\n", False),
        ("null", "", True),
        ("null", "  cpuPartitioningMode: AllNodes\n", True),
        ("", "", False),
    ],
)
def test_nothing_can_be_rendered_of_some_overrides_without_a_selection(check, text, more, is_rejected):
    outcome = check({"a.yaml": cluster_instance(json.dumps(text), more=more)})
    assert errors_of(outcome) == ["invalid-json"] * is_rejected
    generated = site_config(("one", "", text)).replace(quoted(text), json.dumps(text)) + more.replace("  ", "    ")
    assert errors_of(check({"a.yaml": generated})) == ["invalid-json"] * is_rejected
    assert errors_of(check({"a.yaml": agent_cluster_install(text)}, openshift_version="4.20")) == []


@pytest.mark.parametrize(
    ("text", "more", "fails"),
    [
        (overrides("Ingress", sshKey="Bob's"), "", True),
        (overrides("Ingress", sshKey="Bob's").replace("'", "\\u0027"), "", False),
        (overrides("Ingress", sshKey="Bob's").replace("'", "\\u0027"), "  cpuPartitioningMode: AllNodes\n", True),
        (overrides("Ingress", sshKey="''"), "", False),
        ('{"sshKey": "Bob\'s"}', "", True),
        ('{"sshKey": "Bob\'s"}', "  templateRefs: [{name: ibi-cluster-templates-v1, namespace: siteconfig}]\n", False),
    ],
)
def test_an_apostrophe_ends_the_string_in_the_template_of_the_operator(check, text, more, fails):
    outcome = check({"a.yaml": cluster_instance(json.dumps(text), more=more)})
    assert errors_of(outcome) == ["invalid-json"] * fails
    generated = site_config(("one", "", text)).replace(quoted(text), json.dumps(text))
    assert errors_of(check({"a.yaml": generated})) == []


@pytest.mark.parametrize("mode", ["AllNodes", "None"])
def test_the_mode_of_cpus_is_added_to_the_overrides(check, mode):
    rules = [("rendered-anyway", "a.yaml")] * (mode == "AllNodes")
    text = cluster_instance(quoted(overrides("Ingress")), more=f"  cpuPartitioningMode: {mode}\n")
    assert rules_of(check({"a.yaml": text})["findings"], "info") == rules
    text = site_config(("one", "img4.20.3", overrides("Ingress"))) + f"    cpuPartitioningMode: {mode}\n"
    assert rules_of(check({"a.yaml": text})["findings"], "info") == rules


_OTHER = quoted(overrides("Console"))


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (cluster_instance(more=f"  installConfigOverides: {_OTHER}\n"), ["misplaced-selection"]),
        (cluster_instance(more=f"  nodes: [{{ignitionConfigOverride: {_OTHER}}}]\n"), ["misplaced-selection"]),
        (cluster_instance(more="  installConfig: {x: {baselineCapabilitySet: None}}\n"), ["misplaced-selection"]),
        (cluster_instance(more=f"  x: &o {_OTHER}\n  installConfigOverrides: *o\n"), ["inst-ingress"]),
        (cluster_instance(more=f"status: {{lastSpec: {_OTHER}}}\n"), []),
        (cluster_instance().replace("spec:\n", f"  annotations: {{last-applied: {_OTHER}}}\nspec:\n"), []),
    ],
)
def test_a_selection_that_nothing_reads_is_misplaced(check, text, errors):
    assert errors_of(check({"a.yaml": text})) == errors


def test_a_misspelled_annotation_is_found(check):
    text = agent_cluster_install("{}").replace("overrides:", "override:")
    assert errors_of(check({"a.yaml": text})) == ["misspelled-field"]


def test_the_names_are_those_of_the_release(check, tmp_path):
    crd = cluster_version_crd(["Ingress", "NodeTuning", "OperatorLifecycleManager", "Quantum"])
    release = write_release(tmp_path / "release", {"0000_00_clusterversion.crd.yaml": crd})
    files = {"a.yaml": instance(*RAN_DU, "Quantum"), "b.yaml": instance(*RAN_DU, "Quantum", image_set="img4.21")}
    outcome = check(files, releases=[str(release)])
    assert rules_of(outcome["findings"]) == [("unknown-capability", "b.yaml")]
    assert "; 1 of 2 sites was not checked with a release of the same minor version" in outcome["text"]
    # What differs in a release is no mistake of each of its sites.
    assert [item["code"] for item in outcome["problems"]] == ["different-capabilities"] * 2
    assert "different-capabilities" not in {item["rule"] for item in outcome["findings"]}


@pytest.mark.parametrize("text", [instance(*RAN_DU), policy(cluster_version(*RAN_DU))])
def test_a_reference_to_what_is_excluded_is_found_where_the_release_is_given(check, tmp_path, text):
    crd = cluster_version_crd([*RAN_DU, "marketplace"])
    release = write_release(
        tmp_path / "release",
        {
            "0000_00_clusterversion.crd.yaml": crd,
            "0000_50_marketplace_01.yaml": manifest("openshift-marketplace", "marketplace", kind="Namespace"),
            "0000_50_olm_01.yaml": manifest("one", "OperatorLifecycleManager", namespace="openshift-marketplace"),
        },
    )
    assert check({"a.yaml": text})["findings"] == []
    outcome = check(releases=[str(release)])
    assert rules_of(outcome["findings"]) == [("dangling-namespace", "a.yaml")]
    without = text.replace("OperatorLifecycleManager", "Ingress")
    assert "dangling-namespace" not in errors_of(check({"a.yaml": without}, releases=[str(release)]))


def test_sites_that_select_nothing_are_listed(check):
    (site,) = check({"a.yaml": cluster_instance()})["sites"]
    assert site["capabilities"] == {}
    assert site["line"] == 7


def test_a_checkout_without_sites_is_an_error(check):
    assert [code for code, _where in check({"a.yaml": "kind: ConfigMap\n"}).faults] == ["no-sites"]
    assert check({}, paths=[]).faults == [("empty-list", "paths")]


@pytest.mark.parametrize("version", ["4.8.0", "4.10.3"])
def test_a_version_without_capabilities_is_only_wrong_for_a_selection(check, version):
    # As in openshift-kni/cnf-features-deploy, whose sites of 4.8 override only networking.
    networking = quoted('{"networking": {"networkType": "OVNKubernetes"}, "capabilities": null}')
    files = {
        "a.yaml": cluster_instance(networking, image_set=f"openshift-v{version}"),
        "rome/install-config.yaml": INSTALL_CONFIG.partition("capabilities:")[0],
    }
    assert check(files, openshift_version=version)["findings"] == []
    (finding,) = check({"a.yaml": instance("Console", image_set=f"openshift-v{version}")}, paths=["a.yaml"])["findings"]
    assert finding["rule"] == "unsupported-version"
    assert finding["hint"] == "Select nothing, or install 4.11 or later"


def test_an_agent_config_next_to_an_install_config_means_the_agent_based_installer(check):
    text = INSTALL_CONFIG.replace("none: {}", "baremetal: {}").replace("[Console]", "[Ingress, MachineAPI, baremetal]")
    files = {"hub/install-config.yaml": f"{text}pullSecret: abc\n", "hub/agent-config.yaml": "kind: AgentConfig\n"}
    # As in openshift-kni/telco-reference:telco-hub/install/openshift, which lists no hosts.
    assert check(files, openshift_version="4.20")["findings"] == []
    assert check(openshift_version="4.20", paths=["hub/install-config.yaml"])["findings"] == []
    assert errors_of(check(openshift_version="4.20", install_method="ipi")) == ["inst-baremetal-hosts"]
    alone = {"other/install-config.yaml": files["hub/install-config.yaml"]}
    outcome = check(alone, openshift_version="4.20", paths=["other"])
    assert errors_of(outcome) == ["inst-baremetal-hosts"]
    assert outcome["findings"][0]["hint"] == "List the hosts, or set install_method to agent"


def test_a_finding_fails_the_module(check):
    outcome = check({"a.yaml": instance("marketplace", "NodeTuning")}, fail_on="error")
    assert (outcome.failed, set(errors_of(outcome))) == (True, {"inst-ingress", "inst-marketplace-olm"})
    assert "a.yaml:10: error [inst-ingress] ClusterInstance berlin" in outcome.message


@pytest.mark.parametrize(
    ("version", "hint"), [("4.18.1", "Choose another solution"), ("4.17.1", "Select nothing, or install 4.18 or later")]
)
def test_no_hint_is_to_use_another_install_method(check, version, hint):
    # The kind of the object is the method.
    (found,) = check({"a.yaml": hosted_cluster("{}", version)}, solution="headless")["findings"]
    assert (found["rule"] in ("impossible-exclusion", "hcp-capabilities"), found["hint"]) == (True, hint)


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (cluster_version("marketplace", version="4.15.9"), "warning"),  # 4.14 does not have OperatorLifecycleManager
        (cluster_version("marketplace", version="4.18.9", enabled=[]), "error"),
        (cluster_version("Ingress", version="4.16.9"), "warning"),
        (cluster_version("Ingress", version="4.15.9"), "error"),
        (cluster_version("Build", baseline="v4.16", version="4.16.9"), "warning"),
    ],
)
def test_a_cluster_version_that_requests_an_update_is_written_to_the_minor_before(check, text, severity):
    found = check({"a.yaml": text})["findings"]
    assert {item["severity"] for item in found} == {severity}
    assert check(state="fixed")["changed"] is (severity == "error")


@pytest.mark.parametrize(
    ("external", "rules"),
    [
        ("{platformName: oci}", ["inst-ccm-external", "agent-oracle-cloud"]),
        ("{platformName: oci, cloudControllerManager: ''}", ["inst-ccm-external", "agent-oracle-cloud"]),
        ("{platformName: oci, cloudControllerManager: External}", ["inst-ccm-external"]),
        ("{platformName: other}", []),
    ],
)
def test_oracle_cloud_needs_its_cloud_controller_manager(check, external, rules):
    spec = f"platformType: External\nexternal: {external}\n"
    text = agent_cluster_install(overrides("CloudCredential", "Ingress"), spec=spec)
    assert errors_of(check({"a.yaml": text}, openshift_version="4.20")) == rules


def test_a_patch_of_a_platform_is_not_checked_for_the_fields_of_its_base(check):
    patch = agent_cluster_install(overrides("CloudCredential", "Ingress"), spec="platformType: External\n")
    patch = patch.replace("  provisionRequirements: {controlPlaneAgents: 1}\n", "")
    assert errors_of(check({"p.yaml": patch}, openshift_version="4.20")) == []


@pytest.mark.parametrize(
    ("platform", "rules"),
    [("", ["unknown-platform"]), ("None", []), ("BareMetal", ["unknown-platform"]), ("VSphere", ["unknown-platform"])],
)
@pytest.mark.parametrize("architecture", ["s390x", "ppc64le"])
def test_assisted_service_rejects_a_platform_of_some_architectures(check, platform, rules, architecture):
    spec = "imageSetRef: {name: img}\n"
    spec += f"platformType: {platform}\n" if platform else ""
    files = {
        "a.yaml": agent_cluster_install(overrides("Ingress"), spec=spec).replace("s: 1", "s: 3"),
        "set.yaml": image_set("img", f"quay.io/openshift-release-dev/ocp-release:4.20.3-{architecture}"),
    }
    assert errors_of(check(files)) == rules


@pytest.mark.parametrize(
    ("enabled", "severities"),
    [(None, ["warning"]), (["Ingress"], ["error"]), (["OperatorLifecycleManager", "marketplace"], [])],
)
def test_a_cluster_version_needs_no_name_that_its_status_has(check, fix, enabled, severities):
    text = cluster_version("marketplace", enabled=enabled)
    found = check({"a.yaml": text})["findings"]
    assert [(item["rule"], item["severity"]) for item in found] == [
        ("api-marketplace-olm", each) for each in severities
    ]
    assert ("- OperatorLifecycleManager" in fix(text)) is (severities == ["error"])
    misspelled = cluster_version("Marketplace", enabled=enabled)
    assert ("- OperatorLifecycleManager" in fix(misspelled)) is (severities == ["error"])


@pytest.mark.parametrize(
    ("baseline", "names", "expected"),
    [
        ("''", ["Console"], [("error", "unknown-capability-set")]),
        (None, ["marketplace", "OperatorLifecycleManager"], [("warning", "api-marketplace-olm")]),
        (None, ["Console"], []),
    ],
)
def test_the_set_of_a_cluster_version(check, baseline, names, expected):
    text = cluster_version(*names, baseline=baseline or "x", version="4.18.9")
    text = text.replace("    baselineCapabilitySet: x\n", "")
    found = check({"a.yaml": text})["findings"]
    assert [(item["severity"], item["rule"]) for item in found] == expected
