# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import InclusionContext
from ansible_collections.capability.openshift.plugins.module_utils._cluster.operators import (
    check_availability,
    is_synced,
    operators_of_cluster,
    operators_of_release,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import DEFAULT_CLUSTER_PROFILE
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    TECH_PREVIEW,
    Entry,
    build_release,
    manifest,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import CAPABILITY

PLACEHOLDER = "0.0.1-snapshot"


def operator(name: str, needs: str | None, *versions: dict[str, Any], **more: Any) -> Entry:
    status = {"status": {"versions": list(versions)}} if versions else {}
    api = more.pop("api", "config.openshift.io/v1")
    kind = more.pop("kind", "ClusterOperator")
    return manifest(needs, name, api=api, kind=kind, namespace="", file=f"0000_50_{name}_01.yaml", body=status, **more)


CLUSTER = InclusionContext(cluster_profile=DEFAULT_CLUSTER_PROFILE, feature_set="")


def of_release(loaded: Any, names: list[str], cluster: InclusionContext = CLUSTER) -> Any:
    return operators_of_release(loaded, names, frozenset(names), cluster)


def version(value: str, name: str = "operator") -> dict[str, str]:
    return {"name": name, "version": value}


def release(*entries: Entry, release_version: str = "4.20.3") -> Release:
    return build_release(release_version, entries)


CONSOLE = operator("console", "Console", version("4.20.3"))


def test_the_operators_of_a_release_are_those_of_the_capabilities():
    loaded = release(
        CONSOLE,
        operator("storage", "Storage", version("4.20.3")),
        operator("etcd", None, version("4.20.3")),
        manifest("Console", "console-operator"),
    )

    assert of_release(loaded, ["Console"]) == {"console": {"operator": "4.20.3"}}
    assert sorted(of_release(loaded, ["Console", "Storage", "Build"])) == ["console", "storage"]
    assert of_release(loaded, []) == {}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (operator("console", "Console", profile="ibm-cloud-managed"), "another cluster profile"),
        (operator("console", "Console", feature_set=TECH_PREVIEW), "another feature set"),
        (operator("console", "Consoles"), "a name with the same beginning"),
        (operator("console", "console"), "a name in another case"),
    ],
)
def test_an_operator_that_is_not_applied_does_not_count(entry, why):
    assert of_release(release(entry), ["Console"]) == {}, why


@pytest.mark.parametrize(
    ("entry", "cluster"),
    [
        (operator("console", "Console", profile="ibm-cloud-managed"), {"cluster_profile": "ibm-cloud-managed"}),
        (operator("console", "Console", feature_set=TECH_PREVIEW), {"feature_set": TECH_PREVIEW}),
    ],
    ids=["profile", "feature set"],
)
def test_the_cluster_decides_which_operators_are_applied(entry, cluster):
    loaded = release(entry)

    assert of_release(loaded, ["Console"]) == {}
    assert of_release(loaded, ["Console"], CLUSTER._replace(**cluster)) == {"console": {}}


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([], {}),
        ([version("4.20.3")], {"operator": "4.20.3"}),
        ([version("4.20.3"), version("1.2", "operand")], {"operator": "4.20.3", "operand": "1.2"}),
        # oc replaces it by the version of the release; with a suffix, by that of a component
        ([version(PLACEHOLDER)], {"operator": "4.20.3"}),
        ([version(PLACEHOLDER), version(f"{PLACEHOLDER}-operand", "operand")], {"operator": "4.20.3", "operand": ""}),
        ([version(f"{PLACEHOLDER}-operand", "operand")], {"operand": ""}),
        # oc replaces an image by a pull spec with a digest; until then any image is accepted
        ([version("placeholder.example/x:machine-config", "image")], {"image": ""}),
        ([version("registry.example/x@sha256:1", "image")], {"image": "registry.example/x@sha256:1"}),
        ([version("")], {}),
        (["4.20.3"], {}),
    ],
)
def test_the_versions_are_those_of_the_manifest(listed, expected):
    assert of_release(release(operator("console", "Console", *listed)), ["Console"]) == {"console": expected}


def test_a_version_that_the_manifest_does_not_have_is_not_expected():
    loaded = release(operator("console", "Console", {"name": "operator"}))

    assert of_release(loaded, ["Console"]) == {"console": {}}


def test_an_operator_of_several_capabilities_needs_all_of_them():
    loaded = release(operator("both", "Console+Storage"))

    assert of_release(loaded, ["Console", "Storage"]) == {"both": {}}
    assert of_release(loaded, ["Build"]) == {}


def live(needs: Any) -> dict[str, Any]:
    return {"metadata": {"annotations": {} if needs is None else {CAPABILITY: needs}}}


def test_an_operator_that_needs_a_disabled_capability_is_not_expected():
    loaded = release(operator("both", "Console+Storage"))

    assert operators_of_release(loaded, ["Console"], frozenset({"Console", "Ingress"}), CLUSTER) == {}
    assert operators_of_release(loaded, ["Console"], frozenset({"Console", "Storage"}), CLUSTER) == {"both": {}}


@pytest.mark.parametrize(
    ("operators", "expected"),
    [
        ({"console": live("Console"), "storage": live("Storage"), "etcd": live(None)}, ["console"]),
        ({"both": live("Storage+Console")}, ["both"]),
        ({"one": live("Consoles"), "two": live("console"), "three": live("Console ")}, []),
        ({"one": live(""), "two": {}, "three": {"metadata": {}}, "four": {"metadata": {"annotations": None}}}, []),
        ({}, []),
    ],
)
def test_the_operators_of_a_cluster_are_those_with_the_annotation(operators, expected):
    assert list(operators_of_cluster(operators, ["Console"], "4.20.3")) == expected
    assert operators_of_cluster(operators, [], "4.20.3") == {}


@pytest.mark.parametrize(
    ("reported", "versions"),
    [("4.20.3", {"operator": "4.20.3"}), (None, {}), ("", {})],
    ids=["reported", "not reported", "empty"],
)
def test_they_are_expected_at_the_version_of_the_cluster(reported, versions):
    assert operators_of_cluster({"console": live("Console")}, ["Console"], reported) == {"console": versions}


def cluster_version(observed: Any, progressing: str | None) -> dict[str, Any]:
    """Return a ClusterVersion of generation 2."""
    condition = {"type": "Progressing", "status": progressing, "message": "3 of 9 done"}
    status = {
        "capabilities": {"enabledCapabilities": ["Console"]},
        "conditions": [condition] if progressing else [],
        "observedGeneration": observed,
    }
    return {"metadata": {"generation": 2}, "status": status}


@pytest.mark.parametrize(
    ("observed", "progressing", "message"),
    [
        (2, "False", ""),
        (3, "Unknown", ""),
        (2, None, ""),
        (None, "False", ""),
        (1, "False", "the operator has not reported generation 2 of the spec yet, only 1"),
        (1, None, "the operator has not reported generation 2 of the spec yet, only 1"),
        (2, "True", "the operator has not applied everything yet: 3 of 9 done"),
    ],
)
def test_a_sync_that_is_not_complete_is_missing(observed, progressing, message):
    obj = cluster_version(observed, progressing)
    found = check_availability(frozenset({"Console"}), obj, {}, {})
    assert [(item.code, item.message) for item in found.missing] == ([("unfinished-sync", message)] if message else [])
    # An operator that reports its progress runs.
    assert [item.hint.startswith("Wait") for item in found.missing] == ([progressing == "True"] if message else [])
    assert is_synced(obj) == (not message and progressing is not None)


@pytest.mark.parametrize("progressing", ["False", "True"])
def test_a_change_for_which_nothing_is_applied_can_be_reported_later(progressing):
    found = check_availability(frozenset({"Console"}), cluster_version(1, progressing), {}, {}, is_processed=True)
    hints = ["Wait, or repair what it waits for"] if progressing == "True" else []
    assert [item.hint for item in found.missing] == hints


def test_the_operator_reports_a_change_of_the_channel_minutes_later():
    found = check_availability(frozenset({"Console"}), cluster_version(1, "False"), {}, {})
    hint = "After a change of the channel, wait up to four minutes, and otherwise check that the operator runs"
    assert [item.hint for item in found.missing] == [hint]


def test_a_missing_name_is_returned_alone():
    found = check_availability(frozenset({"Build"}), cluster_version(1, "True"), {}, {})
    assert [item.code for item in found.missing] == ["missing-capability"]
