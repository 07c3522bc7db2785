# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of install_config without a file: the selection in every format, and the rules that it violates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import SINGLE_RULES
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    runner,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    cluster_version_crd,
    manifest,
    write_release,
)

KNOWN_4_20 = [
    "Build",
    "CSISnapshot",
    "CloudControllerManager",
    "CloudCredential",
    "Console",
    "DeploymentConfig",
    "ImageRegistry",
    "Ingress",
    "Insights",
    "MachineAPI",
    "NodeTuning",
    "OperatorLifecycleManager",
    "OperatorLifecycleManagerV1",
    "Storage",
    "baremetal",
    "marketplace",
    "openshift-samples",
]


EDGE: dict[str, Any] = {"platform": {"none": {}}}


@pytest.fixture
def run(call):
    return runner(call)


def rules(outcome: Any) -> list[str]:
    """Return the rules that the selection violates, sorted."""
    return sorted(item["code"] for item in outcome["problems"] if item["code"] in SOURCES)


def names(block: dict[str, Any]) -> set[str]:
    return set(block.get("additionalEnabledCapabilities", []))


def test_one_selection_in_every_format(run):
    outcome = run(content=EDGE, capabilities={"excluded_capabilities": ["Console", "Insights"]})
    requested = [name for name in KNOWN_4_20 if name not in ("Console", "Insights")]

    assert outcome["changed"] is False
    assert outcome["known_capabilities"] == KNOWN_4_20
    assert outcome["enabled_capabilities"] == requested
    assert outcome["capabilities"]["baselineCapabilitySet"] == "None"
    assert names(outcome["capabilities"]) == set(requested)
    assert outcome["cluster_version_spec"] == {"capabilities": outcome["capabilities"]}
    overrides = outcome["install_config_overrides"]
    assert json.loads(overrides) == outcome["cluster_version_spec"]
    assert overrides == json.dumps(json.loads(overrides), separators=(",", ":"))
    # In a hosted cluster baremetal is disabled unless it is requested.
    assert outcome["hosted_cluster_spec"] == {
        "capabilities": {"enabled": ["baremetal"], "disabled": ["Console", "Insights"]}
    }
    assert len(outcome["explanation"]) == 1
    assert {"path", "diff"}.isdisjoint(outcome.result)


# openshift-kni/telco-reference:telco-ran/install/clusterinstance/example-sno.yaml
TELCO = '{"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["NodeTuning", "OperatorLifecycleManager", "Ingress"]}}'  # noqa: E501


def test_ran_du_equals_the_telco_reference(run):
    outcome = run(content=EDGE, openshift_version="4.18", install_method="assisted", solution="ran_du")
    ours, theirs = (json.loads(text)["capabilities"] for text in (outcome["install_config_overrides"], TELCO))

    assert ours["baselineCapabilitySet"] == theirs["baselineCapabilitySet"]
    assert sorted(ours["additionalEnabledCapabilities"]) == sorted(theirs["additionalEnabledCapabilities"])
    assert "\n" not in outcome["install_config_overrides"]
    assert ": " not in outcome["install_config_overrides"]
    assert outcome["explanation"][0].startswith("ran_du: ")
    assert any("added Ingress" in reason and "inst-ingress" in reason for reason in outcome["explanation"])


@pytest.mark.parametrize(
    ("minor", "method", "solution", "fault", "name"),
    [
        ("4.20", "hosted", "ran_du", "ImageRegistry is missing", "ImageRegistry"),
        ("4.20", "hosted", "no_image_registry", "excludes ImageRegistry", ""),
        ("4.12", "agent", "ran_du", "agent-based installers before", ""),
    ],
)
def test_the_hint_for_a_solution_is_to_replace_it_if_it_lacks_a_name(minor, method, solution, fault, name, run):
    problems = run(content=EDGE, solution=solution, openshift_version=minor, install_method=method)["problems"]
    (problem,) = [item for item in problems if item["severity"] == "warning"]
    assert problem["where"] == f"solution {solution}"
    assert problem["message"].startswith(fault)
    assert problem["hint"] == (name and f"To correct it, set capabilities instead of solution, with {name}")


def test_no_selection_is_the_default_and_every_format_is_empty(run):
    outcome = run(content=EDGE)

    assert outcome["enabled_capabilities"] == KNOWN_4_20
    assert (outcome["capabilities"], outcome["suggested_capabilities"]) == ({}, {})
    assert (outcome["cluster_version_spec"], outcome["hosted_cluster_spec"]) == ({}, {})
    assert outcome["install_config_overrides"] == "{}"
    assert outcome["explanation"][0].endswith("its default, vCurrent")


@pytest.mark.parametrize(
    ("content", "method", "platform"),
    [({"platform": {"aws": {}}}, "ipi", "aws"), ({}, "upi", None), (None, "upi", None)],
)
def test_the_default_install_method(content, method, platform, run):
    outcome = run(content=content, capabilities=selection(baseline="vCurrent"))

    assert (outcome["install_method"], outcome["platform"]) == (method, platform)
    warned = [item for item in outcome["problems"] if item["severity"] == "warning"]
    assert bool(warned) is (platform is None)
    if warned:
        assert (warned[0]["code"], warned[0]["where"]) == ("unchecked-rules", "content, platform")


@pytest.mark.parametrize("method", ["ipi", "upi", "agent", "assisted"])
def test_a_given_install_method_overrides_the_default(method, run):
    requested = selection("Ingress", "CloudCredential", "CloudControllerManager")
    outcome = run(content={"platform": {"vsphere": {}}}, capabilities=requested, install_method=method)

    assert outcome["install_method"] == method
    assert rules(outcome) == (["inst-ipi-machineapi"] if method == "ipi" else [])
    assert outcome.failed is (method == "ipi")


SOURCES = {rule.name: rule.source for rule in (*SINGLE_RULES, *(item.rule for item in DEPENDENCIES))}


def test_a_failed_run_returns_every_violation_and_the_suggested_selection(run):
    outcome = run(content={"platform": {"aws": {}}}, openshift_version="4.18", capabilities=selection("marketplace"))

    assert outcome.failed
    # Of two rules about one name, the first is a problem.
    missing = {
        "inst-ingress": "Ingress",
        "inst-cloudcredential": "CloudCredential",
        "inst-ccm": "CloudControllerManager",
        "inst-marketplace-olm": "OperatorLifecycleManager",
        "inst-ipi-machineapi": "MachineAPI",
    }
    assert rules(outcome) == sorted(missing)
    remedies, _heading, sources = outcome.message.partition("\nSources of these rules:\n")
    # All rules are listed with their texts, also several about one name.
    listed = {line.split()[1]: line for line in sources.splitlines()}
    assert listed.keys() == {*missing, "api-marketplace-olm"}
    assert all(line.endswith(f"): {SOURCES[rule]}") for rule, line in listed.items())
    assert all(item["message"] in remedies and item["hint"] in remedies for item in outcome.errors)
    assert not any(SOURCES[rule] in remedies for rule in missing)
    suggested = outcome["suggested_capabilities"]
    assert suggested["baselineCapabilitySet"] == "None"
    assert names(suggested) == {"marketplace", *missing.values()}

    again = run(content={"platform": {"aws": {}}}, openshift_version="4.18", capabilities=suggested)
    assert rules(again) == []
    assert again["suggested_capabilities"] == again["capabilities"]


def test_a_hosted_cluster(run):
    outcome = run(install_method="hosted", capabilities={"excludedCapabilities": ["Console", "Insights", "baremetal"]})

    assert outcome["hosted_cluster_spec"] == {"capabilities": {"disabled": ["Console", "Insights"]}}
    written = outcome["cluster_version_spec"]["capabilities"]
    # openshift/hypershift:support/capabilities writes None and all names, in the order of their bytes
    assert written == selection(*(name for name in KNOWN_4_20 if name not in ("Console", "Insights", "baremetal")))
    assert rules(outcome) == []
    enabled = {"baselineCapabilitySet": "vCurrent", "additionalEnabledCapabilities": ["Storag"]}
    wrong = run(install_method="hosted", capabilities=enabled)
    assert "openshift/installer" not in wrong.message  # which does not install it
    assert "Use one of: Console, ImageRegistry, " in wrong.message  # of what it can enable


def test_a_release_replaces_the_version_and_provides_names_of_an_unknown_one(run, tmp_path):
    files = {"0000_00_crd.yaml": cluster_version_crd(["Console", "Ingress", "Tomorrow"]), "0000_50_a.yaml": manifest()}
    release = write_release(tmp_path / "release", files, "5.9.1")
    outcome = run(release=release, openshift_version=None, content=EDGE, capabilities=selection("Ingress", "Tomorrow"))

    assert outcome["known_capabilities"] == ["Console", "Ingress", "Tomorrow"]
    assert names(outcome["capabilities"]) == {"Ingress", "Tomorrow"}
    other = run(release=release, openshift_version="4.19", content=EDGE)
    assert other.failed
    assert "5.9.1" in other.message


def test_values_that_are_not_secrets_are_not_masked(run, tmp_path):
    requested = selection("Console", "Ingress")
    outcome = run(path=tmp_path / "a.yaml", content=site(), capabilities=requested, diff=True)
    failed = run(content=site("aws", featureGates="v1", apiVersion="worker"), capabilities={"a": "master"})

    assert outcome["capabilities"] == requested
    assert outcome["platform"] == "none"
    (entry,) = outcome["diff"]
    assert "apiVersion: v1" in entry["after"].splitlines()
    assert "is 'worker', expected v1" in failed.message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sites" / "install-config.yaml"


OPTIONS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a float": ({"openshift_version": 4.20}, "unsupported-version", "openshift_version"),
    "no version": ({"openshift_version": None}, "missing-version", "openshift_version"),
    "a word": ({"openshift_version": "latest"}, "invalid-version", "openshift_version"),
    "hosted with path": (
        {"install_method": "hosted", "path": "{path}", "content": site()},
        "conflicting-options",
        "path",
    ),
    "an unknown solution": ({"solution": "ran_dux"}, "unknown-solution", "solution"),
    "a missing release": ({"release": "/nowhere"}, "missing-directory", "/nowhere"),
    "an empty path": ({"path": ""}, "empty-option", "path"),
}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_are_not_possible(case, check_mode, run, path):
    options, code, where = OPTIONS[case]
    options = {name: str(path) if value == "{path}" else value for name, value in options.items()}

    assert run(check=check_mode, **options).faults == [(code, where)]
    assert not path.parent.exists()


SEVERAL = site("nutanics", apiVersion="v2", featureSet=7, capabilities=selection("Ingress", "console", "Consol"))


def test_all_problems_are_reported_in_one_run(run, path):
    errors = run(path=path, content=SEVERAL, release="/nowhere").errors
    assert [item["where"] for item in errors] == [
        "/nowhere",
        "content, apiVersion",
        "content, platform.nutanics",
        "content, featureSet",
    ]
    outcome = run(path=path, content=SEVERAL)
    assert [item["where"].removeprefix("content, ") for item in outcome.errors] == [
        "apiVersion",
        "platform.nutanics",
        "featureSet",
        "capabilities.additionalEnabledCapabilities[1]",
        "capabilities.additionalEnabledCapabilities[2]",
    ]
    assert outcome.message.startswith("5 problems were found:\n- ")
    assert not path.parent.exists()
