# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a bad ClusterVersion and a bad list of clusters get, through the module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.update_paths import NOTHING, cluster_version
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

WHOLE = "Give the whole object"
LIST = {"apiVersion": "v1", "kind": "List"}
MISTYPED = {
    "name": 7,
    "releases": "x",
    "feature_set": 7,
    "platform": [],
    "feature_gates": [1],
    "enabled_capabilities": "x",
    "known_capabilities": ["Console", None],
    "live_resources": {},
    "overrides": 7,
}


def errors(outcome: Outcome) -> dict[str, str]:
    """Return what is told of each place, having checked that the message has all of it."""
    found = outcome.errors
    assert all(item["hint"] or "expected" in item["message"] for item in found)
    assert len({item["where"] for item in found}) == len(found)
    return {item["where"]: f"{item['message']}. {item['hint']}" for item in found}


def warnings(outcome: Outcome) -> dict[str, str]:
    assert not outcome.failed
    return {item["where"]: item["message"] for item in outcome["problems"] if item["severity"] == "warning"}


def status(**capabilities: Any) -> dict[str, Any]:
    return {**cluster_version(), "status": {"capabilities": capabilities}}


@pytest.mark.parametrize(
    ("value", "where", "part"),
    [
        (True, "", "is a boolean, expected a ClusterVersion object. Give the object, or its file"),
        ([], "", "is a list, expected a ClusterVersion object"),
        ([cluster_version()], "", "is a list, expected a ClusterVersion object"),
        ({}, "", "is no kind of no API, expected ClusterVersion of config.openshift.io/v1. Give what `oc get"),
        ({**cluster_version(), "kind": "ClusterOperator"}, "", "is ClusterOperator of config.openshift.io/v1, expect"),
        ({**cluster_version(), "apiVersion": "v1"}, "", "is ClusterVersion of v1, expected"),
        ({**cluster_version(), "apiVersion": None}, "", "is ClusterVersion of no API, expected"),
        ({**cluster_version(), "apiVersion": ["x"]}, "", "is ClusterVersion of ['x'], expected"),
        ({**LIST, "items": []}, "", "is a list of 0 objects, expected one ClusterVersion. Give each"),
        ({**LIST, "items": [cluster_version()] * 2}, "", "is a list of 2 objects, expected one ClusterVersion"),
        ({**LIST, "items": ["x"]}, "", "expected one ClusterVersion"),
        ({**LIST, "items": [{"kind": "Pod", "apiVersion": "v1"}]}, "", "is Pod of v1, expected ClusterVersion"),
        (LIST, "", "is List of v1, expected ClusterVersion"),
        ({**cluster_version(), "spec": "x"}, ".spec", f"is a string, expected a map. {WHOLE}"),
        ({**cluster_version(), "spec": []}, ".spec", f"is a list, expected a map. {WHOLE}"),
        ({**cluster_version(), "status": []}, ".status", f"is a list, expected a map. {WHOLE}"),
        ({**cluster_version(), "status": {"desired": "x"}}, ".status.desired", f"is a string, expected a map. {WHOLE}"),
        (
            {**cluster_version(), "status": {"capabilities": 7}},
            ".status.capabilities",
            f"is a number, expected a map. {WHOLE}",
        ),
        (
            status(enabledCapabilities="Console"),
            ".status.capabilities.enabledCapabilities",
            "is a string, expected a list",
        ),
        (status(knownCapabilities={}), ".status.capabilities.knownCapabilities", f"is a map, expected a list. {WHOLE}"),
        (
            status(knownCapabilities=[7]),
            ".status.capabilities.knownCapabilities[0]",
            f"is a number, expected a name. {WHOLE}",
        ),
        (cluster_version(overrides={}), ".spec.overrides", f"is a map, expected a list. {WHOLE}"),
        ({**cluster_version(), "spec": {"capabilities": []}}, ".spec.capabilities", "is a list, expected a map"),
        (
            cluster_version(capabilities={"baselineCapabilitySet": 4.13}),
            ".spec.capabilities.baselineCapabilitySet",
            "is a number, expected the name of a set",
        ),
    ],
)
def test_an_invalid_cluster_version(value, where, part, run):
    found = errors(run(cluster_version=value))

    assert list(found) == [f"cluster_version{where}"]
    assert part in found[f"cluster_version{where}"]


def test_all_names_that_are_none_come_at_once(run):
    value = status(enabledCapabilities=["Console", None, 7], knownCapabilities=[{}, "Console"])
    field = "cluster_version.status.capabilities"

    assert list(errors(run(cluster_version={**value, "spec": {"overrides": 7}}))) == [
        "cluster_version.spec.overrides",
        f"{field}.enabledCapabilities[1]",
        f"{field}.enabledCapabilities[2]",
        f"{field}.knownCapabilities[0]",
    ]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "cannot be read: No such file or directory. Name a file, or give the object"),
        ("a: [\n", "is neither YAML nor JSON in line 2: did not find expected node content. Save it again: oc get"),
        ('{"a": ', "is neither YAML nor JSON in line 2: did not find expected node content"),
        (b"\xff\xfe\x00", "is neither YAML nor JSON: "),
        ("a: !!python/object:os.system x\n", "is neither YAML nor JSON: could not determine a constructor"),
        ("? [a]\n: b\n", "is neither YAML nor JSON in line 1: a map or list is used as a key"),
        ('{"a":' + "[" * 100_000, "is neither YAML nor JSON: exceeded max depth"),
        ("a: 1\n---\nb: 2\n", "holds more than one document, expected one. Save it again: oc get"),
        *(
            (empty, "is empty, expected a ClusterVersion object")
            for empty in ("", "\n", "# nothing\n", "null\n", "---\n")
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(content, part, run, tmp_path):
    path = tmp_path / "cv.yaml"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = errors(run(cluster_version=path))

    assert list(found) == [f"cluster_version ({path})"]
    assert found[f"cluster_version ({path})"].startswith(part)


def test_a_directory_in_the_place_of_a_file(run, tmp_path):
    where = f"cluster_version ({tmp_path})"

    assert errors(run(cluster_version=tmp_path)) == {
        where: "cannot be read: Is a directory. Name a file, or give the object"
    }


def test_an_empty_path_is_an_error(run):
    assert errors(run(cluster_version="")) == {"cluster_version": "'' is not a path. Name a file, or give the object"}


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

    assert "taken from the spec alone" in warnings(outcome)["cluster_version.status.capabilities"]
    assert outcome["hops"][0]["enabled_before"] == ["baremetal"]


def test_without_a_spec_it_is_the_cluster_default(run):
    value = {**cluster_version(), "spec": None}
    outcome = run(cluster_version=value)

    assert outcome["capabilities"]["baseline_capability_set"] is None
    pending = outcome.problem("does not show yet what the spec asks for: CSISnapshot, ")
    assert (pending["severity"], pending["where"]) == ("warning", "cluster_version")
    assert "Storage" in outcome["enabled_capabilities"]


def test_additional_names_without_a_set_are_as_with_vcurrent(run):
    value = {**cluster_version(capabilities={"additionalEnabledCapabilities": ["Console"]}), "status": None}
    outcome = run(cluster_version=value)

    assert list(warnings(outcome)) == ["cluster_version.status.capabilities"]
    assert outcome["capabilities"] == {"baseline_capability_set": None, "additional_enabled_capabilities": ["Console"]}
    assert outcome["hops"][0]["enabled_before"] == outcome["hops"][0]["known_before"]


@pytest.mark.parametrize(
    ("version", "warned"), [("4.13.5", False), ("4.13.9", False), ("4.12.9", True), ("4.14.2", True), ("?", False)]
)
def test_a_cluster_of_another_minor_is_a_warning(version, warned, run):
    found = warnings(run(cluster_version=cluster_version(version=version)))

    expected = {"cluster_version.status.desired.version": f"is {version}, and the path begins with a release of 4.13"}
    assert found == (expected if warned else {})


def test_beside_a_policy_a_cluster_of_another_minor_is_an_error(run):
    where = "cluster_version.status.desired.version"
    other = {"cluster_version": cluster_version(version="4.12.9")}

    assert errors(run(**other, fail_on=["Build"])) == {
        where: "is 4.12.9, and the path begins with a release of 4.13. "
        "Begin the path with the release that the cluster runs"
    }
    of_fleet = run(clusters=[{"name": "a", **other}], fail_on=["Build"])
    assert list(errors(of_fleet)) == [f"clusters[0] (a), {where}"]


@pytest.mark.parametrize("field", ["inclusionDefault", "excludedCapabilities", "additional_enabled_capabilities"])
def test_fields_that_the_api_does_not_have_are_errors(field, run):
    value = cluster_version(capabilities={"baselineCapabilitySet": "None", field: ["Console"]})
    found = errors(run(cluster_version=value))

    assert list(found) == [f"cluster_version.spec.capabilities.{field}"]
    assert "is not a field of ClusterVersion" in found[f"cluster_version.spec.capabilities.{field}"]


def test_an_update_that_is_not_finished_is_a_warning(run):
    value = cluster_version()
    value["status"]["history"] = [{"state": "Partial", "version": "4.13.5"}, {"state": "Completed"}]

    assert "4.13.5 is not finished" in warnings(run(cluster_version=value))["cluster_version.status.history"]


def test_names_of_a_later_version_stay_on_after_a_rollback_and_are_warnings(run):
    spec = {"baselineCapabilitySet": "v4.14", "additionalEnabledCapabilities": ["Build", "Brand"]}
    outcome = run(cluster_version=cluster_version(["Build", "Console"], ["Build", "Console", "Ingress"], spec))

    found = warnings(outcome)
    spec_field = "cluster_version.spec.capabilities"
    assert "'v4.14' is not a capability set of 4.13" in found[f"{spec_field}.baseline_capability_set"]
    assert "'Build' is not" in found[f"{spec_field}.additional_enabled_capabilities[0]"]
    assert "'Brand' is not" in found[f"{spec_field}.additional_enabled_capabilities[1]"]
    assert {"Build", "Console"} < set(outcome["enabled_capabilities"])
    assert "Brand" in outcome["enabled_capabilities"]
    assert "4.14.2 does not know Brand" in found["4.13.5 to 4.14.2"]


def test_every_name_that_is_on_and_does_not_exist_is_an_error_with_the_nearest_one(run):
    outcome = run(enabled_capabilities=["Console", "Consoel", "storage"])

    told = [item for item in outcome["problems"] if item["severity"] == "error"]
    assert [(item["where"], item["message"], item["hint"]) for item in told] == [
        ("enabled_capabilities", "'Consoel' is not a capability of 4.13", "Did you mean Console?"),
        (
            "enabled_capabilities",
            "'storage' is not a capability of 4.13",
            "Write Storage: names are case sensitive",
        ),
    ]


@pytest.mark.parametrize("option", ["enabled_capabilities", "known_capabilities"])
def test_beside_known_capabilities_names_that_do_not_exist_are_one_warning(option, run):
    given = {"enabled_capabilities": ["Console"], "known_capabilities": ["Console"]}
    outcome = run(**{**given, option: ["Console", "Storage", "Consoel"]})

    problem = outcome.problem("names what 4.13 does not know: Consoel")
    assert (problem["severity"], problem["where"]) == ("warning", "enabled_capabilities")
    assert [item["where"] for item in outcome["problems"] if "Storage" in item["message"]] == []


def test_that_nothing_is_known_is_a_value(run):
    assert run(enabled_capabilities=[], known_capabilities=[])["hops"][0]["known_before"] == []


@pytest.mark.parametrize(
    ("clusters", "where", "part"),
    [
        ([], "clusters", "is empty. Name a cluster, or leave clusters out"),
        ([{}], "clusters[0].name", "is missing. Give each cluster a name"),
        ([{"name": ""}], "clusters[0].name", "is missing. Give each cluster a name"),
        ([{"name": None}], "clusters[0].name", "is missing. Give each cluster a name"),
        (
            [{"name": "a"}, {"name": "b"}, {"name": "a"}],
            "clusters[2] (a).name",
            "'a' is the name of clusters[0] too. Give",
        ),
        ([{"name": "a", "capabilties": NOTHING}], "clusters[0].capabilties", "Did you mean capabilities?"),
        ([{"name": "a", "Platform": "aws"}], "clusters[0].Platform", "Write platform: names are case sensitive"),
        (
            [{"name": "a", "enabledCapabilities": [], "enabled_capabilities": []}],
            "clusters[0].enabled_capabilities",
            "is given twice, in two spellings. Keep one",
        ),
        ([{"name": "a", "releases": []}], "clusters[0] (a), releases", "names no releases, expected two or more"),
        ([{"name": "a", "releases": [7, 7]}], "clusters[0] (a).releases[1]", "is 7, expected the directory"),
        ([{"name": "a", "cluster_version": 7}], "clusters[0] (a), cluster_version", "is a number, expected a Clu"),
        ([{"name": "a", "capabilities": "x"}], "clusters[0] (a), capabilities", "is 'x', expected a dict"),
        ([{"name": "a", "known_capabilities": []}], "clusters[0] (a), known_capabilities", "is given without enabled"),
    ],
)
def test_invalid_clusters(clusters, where, part, run):
    assert part in errors(run(clusters=clusters))[where]


def test_clusters_need_a_path(run):
    found = errors(run(releases=None, clusters=[{"name": "a"}, {"name": "b", "releases": None}]))

    assert found == {
        f"clusters[{index}] ({name}).releases": "is missing. Give the path here, or releases for all clusters"
        for index, name in enumerate("ab")
    }


@pytest.mark.parametrize(("name", "place"), [(7, "clusters[1]"), ("berlin", "clusters[1] (berlin)")])
def test_all_fields_of_another_type_come_at_once_with_the_name_of_the_cluster(name, place, run):
    given = MISTYPED if name == 7 else {field: value for field, value in MISTYPED.items() if field != "name"}
    found = errors(run(clusters=[{"name": "fine"}, {**given, "name": name}]))

    indexed = {"feature_gates": "feature_gates[0]", "known_capabilities": "known_capabilities[1]"}
    assert set(found) == {f"{place}.{indexed.get(field, field)}" for field in given}
    assert found[f"{place}.feature_set"] == "is 7, expected a string. Quote it"


def test_errors_of_several_clusters_are_reported_together_with_their_names(run, releases, tmp_path):
    missing = tmp_path / "missing"
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "berlin": ({"capabilities": {"baselineCapabilitySet": "none"}}, "capabilities.baseline_capability_set"),
        "paris": ({"platform": "asw"}, "platform"),
        "rome": ({"releases": releases.hop[::-1]}, "releases[1]"),
        "oslo": ({"feature_set": "Tech"}, "feature_set"),
        "bern": ({"cluster_version": str(missing)}, f"cluster_version ({missing})"),
        "bonn": ({"live_resources": ["x"]}, "live_resources[0]"),
        "wien": ({"overrides": ["x"]}, "overrides[0]"),
        "prag": ({"feature_gates": ["A=x"]}, "feature_gates[0]"),
    }
    outcome = run(clusters=[{"name": "fine"}, *({"name": name, **fields} for name, (fields, _where) in wrong.items())])

    expected = [
        f"clusters[{index}] ({name}), {where}" for index, (name, (_fields, where)) in enumerate(wrong.items(), 1)
    ]
    assert list(errors(outcome)) == expected
    assert outcome.message.startswith("8 problems were found:\n- ")


def test_fields_of_another_type_come_with_everything_else(run):
    clusters = [{"name": "berlin", "feature_set": 7}, {"name": "paris", "platform": "asw"}]

    assert list(errors(run(clusters=clusters))) == ["clusters[0] (berlin).feature_set", "clusters[1] (paris), platform"]


def test_a_release_of_several_clusters_is_reported_once(run, releases, tmp_path):
    path = [releases.r4_13, str(tmp_path / "missing")]
    found = errors(run(clusters=[{"name": name, "releases": path} for name in ("berlin", "paris")]))

    assert list(found) == [str(Path(path[1]))]
