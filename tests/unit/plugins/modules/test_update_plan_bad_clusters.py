# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Invalid ClusterVersions and lists of clusters, through the module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.update_paths import cluster_version
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

LIST = {"apiVersion": "v1", "kind": "List"}


def errors(outcome: Outcome) -> dict[str, str]:
    """Return location and code of each error, after checking that each has a hint or an expectation."""
    found = outcome.errors
    assert all(item["hint"] or "expected" in item["message"] for item in found)
    assert len({item["where"] for item in found}) == len(found)
    return {item["where"]: item["code"] for item in found}


def warnings(outcome: Outcome) -> dict[str, str]:
    assert not outcome.failed
    return {item["where"]: item["code"] for item in outcome["problems"] if item["severity"] == "warning"}


def status(**capabilities: Any) -> dict[str, Any]:
    return {**cluster_version(), "status": {"capabilities": capabilities}}


@pytest.mark.parametrize(
    ("value", "where", "code"),
    [
        ({**LIST, "items": [cluster_version()] * 2}, "", "several-objects"),
        ({**cluster_version(), "spec": "x"}, ".spec", "not-a-map"),
    ],
)
def test_an_invalid_cluster_version(value, where, code, run):
    assert errors(run(cluster_version=value)) == {f"cluster_version{where}": code}


def test_a_file_that_cannot_be_read_is_named(run, tmp_path):
    path = tmp_path / "cv.yaml"

    assert errors(run(cluster_version=path)) == {f"cluster_version ({path})": "unreadable-file"}


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"apiVersion": "v1", "kind": "Pod"}, ""),
        (["x"], ""),
        ({**cluster_version(), "spec": "x"}, ".spec"),
        (cluster_version(overrides=["x"]), ".spec.overrides[0]"),
        (status(enabledCapabilities=[7]), ".status.capabilities.enabledCapabilities[0]"),
    ],
)
def test_an_error_inside_a_file_is_reported_with_its_name(value, where, run, tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_text(yaml.safe_dump(value))

    assert list(errors(run(cluster_version=path))) == [f"cluster_version ({path}){where}"]


def test_a_warning_about_a_file_is_reported_with_its_name(run, tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_text(yaml.safe_dump(cluster_version(version="4.12.9")))

    assert list(warnings(run(cluster_version=path))) == [f"cluster_version ({path}).status.desired.version"]


def test_invalid_overrides_of_the_object_are_reported_in_the_object(run):
    assert list(errors(run(cluster_version=cluster_version(overrides=["x"])))) == ["cluster_version.spec.overrides[0]"]


@pytest.mark.parametrize("without", ["status", "capabilities"])
def test_without_a_status_the_spec_decides_what_is_enabled(without, run):
    value = cluster_version()
    del (value if without == "status" else value["status"])[without]
    outcome = run(cluster_version=value)

    assert list(warnings(outcome)) == ["cluster_version.status.capabilities"]
    assert outcome["hops"][0]["enabled_before"] == ["baremetal"]


def test_without_a_spec_it_is_the_cluster_default(run):
    value = {**cluster_version(), "spec": None}
    outcome = run(cluster_version=value)

    assert outcome["capabilities"]["baseline_capability_set"] is None
    pending = outcome.problem("pending-capability")
    assert (pending["severity"], pending["where"]) == ("warning", "cluster_version")
    assert "Storage" in outcome["enabled_capabilities"]


def test_additional_names_without_a_set_are_as_with_vcurrent(run):
    value = {**cluster_version(capabilities={"additionalEnabledCapabilities": ["Console"]}), "status": None}
    outcome = run(cluster_version=value)

    assert list(warnings(outcome)) == ["cluster_version.status.capabilities"]
    assert outcome["capabilities"] == {"baseline_capability_set": None, "additional_enabled_capabilities": ["Console"]}
    assert outcome["hops"][0]["enabled_before"] == outcome["hops"][0]["known_before"]


def test_with_forbidden_names_a_cluster_of_another_minor_is_an_error(run):
    where = "cluster_version.status.desired.version"
    other = {"cluster_version": cluster_version(version="4.12.9")}

    assert errors(run(**other, forbidden_capabilities=["Build"])) == {where: "version-mismatch"}
    of_fleet = run(clusters=[{"name": "a", **other}], forbidden_capabilities=["Build"])
    assert list(errors(of_fleet)) == [f"clusters[0] (a): {where}"]


def test_names_of_a_later_version_stay_enabled_after_a_rollback_and_are_warnings(run):
    spec = {"baselineCapabilitySet": "v4.14", "additionalEnabledCapabilities": ["Build", "Brand"]}
    outcome = run(cluster_version=cluster_version(["Build", "Console"], ["Build", "Console", "Ingress"], spec))

    found = warnings(outcome)
    spec_field = "cluster_version.spec.capabilities"
    assert found[f"{spec_field}.baselineCapabilitySet"] == "unknown-capability-set"
    assert found[f"{spec_field}.additionalEnabledCapabilities[0]"] == "unknown-capability"
    assert found[f"{spec_field}.additionalEnabledCapabilities[1]"] == "unknown-capability"
    assert {"Build", "Console"} < set(outcome["enabled_capabilities"])
    assert "Brand" in outcome["enabled_capabilities"]
    assert found["4.13.5 to 4.14.2"] == "unknown-capability"


def test_every_unknown_enabled_name_is_an_error_with_the_nearest_one(run):
    outcome = run(enabled_capabilities=["Console", "Consoel", "storage"])

    found = [item for item in outcome["problems"] if item["severity"] == "error"]
    assert [(item["code"], item["where"], item["hint"].partition(":")[0]) for item in found] == [
        ("unknown-capability", "enabled_capabilities", "Did you mean Console?"),
        ("unknown-capability", "enabled_capabilities", "Write Storage"),
    ]


@pytest.mark.parametrize("option", ["enabled_capabilities", "known_capabilities"])
def test_with_known_capabilities_unknown_names_are_one_warning(option, run):
    given = {"enabled_capabilities": ["Console"], "known_capabilities": ["Console"]}
    outcome = run(**{**given, option: ["Console", "Storage", "Consoel"]})

    problem = outcome.problem("contains names that 4.13 does not know: Consoel")
    assert (problem["severity"], problem["where"]) == ("warning", "enabled_capabilities")
    assert [item["where"] for item in outcome["problems"] if "Storage" in item["message"]] == []


def test_no_known_capabilities_is_a_value(run):
    assert run(enabled_capabilities=[], known_capabilities=[])["hops"][0]["known_before"] == []


@pytest.mark.parametrize(
    ("clusters", "where", "code"),
    [
        ([], "clusters", "empty-list"),
        ([{"name": ""}], "clusters[0].name", "missing-field"),
        (
            [{"name": "a"}, {"name": "b"}, {"name": "a"}],
            "clusters[2] (a).name",
            "duplicate-name",
        ),
        ([{"name": "a", "releases": []}], "clusters[0] (a): releases", "path-too-short"),
        ([{"name": "a", "releases": [7, 7]}], "clusters[0] (a).releases[1]", "invalid-path"),
        ([{"name": "a", "cluster_version": 7}], "clusters[0] (a): cluster_version", "not-a-map"),
        ([{"name": "a", "known_capabilities": []}], "clusters[0] (a): known_capabilities", "missing-option"),
    ],
)
def test_invalid_clusters(clusters, where, code, run):
    assert errors(run(clusters=clusters))[where] == code


def test_clusters_need_a_path(run):
    found = errors(run(releases=None, clusters=[{"name": "a"}, {"name": "b", "releases": None}]))

    assert found == {f"clusters[{index}] ({name}).releases": "missing-field" for index, name in enumerate("ab")}


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ({}, "name"),
        ({"name": "a", "capabilties": {}}, "capabilties"),
        ({"name": "a", "Platform": "aws"}, "Platform"),
        ({"name": "a", "capabilities": "x"}, "capabilities"),
        ({"name": "a", "hosted_control_plane": "perhaps"}, "hosted_control_plane"),
        ({"name": "a", "overrides": ["x"]}, "overrides"),
        ({"name": "a", "live_resources": [7]}, "live_resources"),
        ({"name": "a", "promql": "Slow"}, "promql"),
        ({"name": "a", "rule": "manifests"}, "rule"),
    ],
)
def test_ansible_checks_the_options_of_a_cluster(entry, part, run):
    assert part in run(clusters=[{"name": "fine"}, entry]).message


def test_errors_of_several_clusters_are_reported_together_with_their_names(run, releases, tmp_path):
    missing = tmp_path / "missing"
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "berlin": ({"capabilities": {"baselineCapabilitySet": "none"}}, "capabilities.baselineCapabilitySet"),
        "paris": ({"platform": "asw"}, "platform"),
        "rome": ({"releases": releases.hop[::-1]}, "releases[1]"),
        "oslo": ({"feature_set": "Tech"}, "feature_set"),
        "bern": ({"cluster_version": str(missing)}, f"cluster_version ({missing})"),
        "bonn": ({"live_resources": [{"kind": "A"}]}, "live_resources[0].name"),
        "wien": ({"overrides": [{"kind": "A", "unmanaged": True}]}, "overrides[0].name"),
        "prag": ({"feature_gates": ["A=x"]}, "feature_gates[0]"),
    }
    outcome = run(clusters=[{"name": "fine"}, *({"name": name, **fields} for name, (fields, _where) in wrong.items())])

    expected = [
        f"clusters[{index}] ({name}): {where}" for index, (name, (_fields, where)) in enumerate(wrong.items(), 1)
    ]
    assert list(errors(outcome)) == expected
    assert outcome.message.startswith("8 problems were found:\n- ")


def test_a_release_of_several_clusters_is_reported_once(run, releases, tmp_path):
    path = [releases.r4_13, str(tmp_path / "missing")]
    found = errors(run(clusters=[{"name": name, "releases": path} for name in ("berlin", "paris")]))

    assert list(found) == [str(Path(path[1]))]
