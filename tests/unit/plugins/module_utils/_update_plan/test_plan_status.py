# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans of clusters with a reported status, and with the resources on them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    ELSEWHERE,
    HOP,
    TECH_PREVIEW,
    changes,
    enabled_by,
    has_problem,
    manifest,
    one_hop,
    planned,
    select_only,
    the_problem,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

# What the cluster says of itself.


def test_the_status_of_the_cluster_takes_precedence():
    status = reference.cluster_version(select_only("Storage"), ["Console", "Storage"], ["Console", "Storage", "Build"])
    hop = one_hop([manifest("Console")], [manifest("Console+Build")], cluster_version=status)

    # Ingress is always on, whatever the status shows yet.
    assert hop.before.enabled == {"Console", "Ingress", "Storage"}
    assert hop.before.known == {"Console", "Storage", "Build"}
    assert hop.before.implicitly_enabled == {"Console", "Ingress"}
    assert enabled_by(hop) == {"Build": "manifest"}
    assert hop.after.enabled == {"Build", "Console", "Ingress", "Storage"}
    assert hop.after.implicitly_enabled == {"Build", "Console", "Ingress"}
    assert hop.not_in_fresh_install == {"Build", "Console"}


def test_a_status_without_known_names_is_completed():
    hop = one_hop([], [], cluster_version=reference.cluster_version(select_only(), ["Console"]))
    assert hop.before.known == one_hop([], []).before.known
    assert hop.before.enabled == {"Console", "Ingress"}


def test_a_spec_without_a_status_is_a_selection():
    answer = planned(
        [manifest()],
        [manifest("Console")],
        cluster_version={**reference.cluster_version(select_only("Storage")), "status": {}},
    )
    assert answer.plan.hops[0].before.enabled == {"Ingress", "Storage"}
    assert enabled_by(answer.plan.hops[0]) == {"Console": "manifest"}


def test_names_of_a_later_release_stay_after_a_rollback():
    status = reference.cluster_version(select_only(), ["MachineAPI", "Later"], ["Console", "MachineAPI"])
    before = [manifest(), manifest("Later", "two")]
    after = [manifest("MachineAPI+Later"), manifest(None, "two"), manifest("MachineAPI", "three")]
    answer = planned(before, after, path=("4.13.1", "4.14.1"), cluster_version=status)
    (hop,) = answer.plan.hops

    assert enabled_by(hop) == {"DeploymentConfig": "forced"}
    assert hop.after.enabled == {"DeploymentConfig", "Later", "MachineAPI"}
    unknown = the_problem(answer, "contains names that 4.13 does not know: Later, MachineAPI")
    assert (unknown.severity, unknown.hint.startswith("Check whether the cluster was rolled back")) == ("warning", True)
    assert has_problem(answer, "4.14.1 does not know Later")
    # 4.14 knows MachineAPI again; Later lets nothing in, neither before nor after.
    assert changes(hop) == {"added": ["two", "three"], "removed": ["one"]}


def test_a_spec_can_request_a_name_of_the_next_release():
    status = reference.cluster_version(select_only("MachineAPI"), [])
    answer = planned([], [], path=("4.13.1", "4.14.1"), cluster_version=status)
    assert answer.plan.hops[0].newly_requested == {"MachineAPI"}
    assert not has_problem(answer, "'MachineAPI' is not a capability of 4.13")


def test_an_enabled_name_is_not_newly_requested():
    path = ("4.13.1", "4.14.1")
    of_set = one_hop([], [], path=path, capabilities=select_only(baseline="v4.13"))
    status = reference.cluster_version(select_only(baseline="v4.13"), {*of_set.before.enabled, "MachineAPI"})
    hop = one_hop([], [], path=path, cluster_version=status)
    assert of_set.newly_requested == {"MachineAPI"}
    assert hop.before.implicitly_enabled == {"MachineAPI"}
    assert hop.newly_requested == frozenset()
    assert "MachineAPI" in hop.after.enabled - hop.after.implicitly_enabled


def test_requested_names_that_the_status_does_not_contain_yet():
    status = reference.cluster_version(select_only("Console"), ["Ingress"])
    answer = planned(
        [manifest(), manifest("Console", "two")],
        [manifest("Console+Build"), manifest("Console+Storage", "two")],
        cluster_version=status,
    )
    (hop,) = answer.plan.hops

    assert hop.before.enabled == {"Ingress"}
    assert enabled_by(hop) == {"Build": "manifest", "Storage": "manifest"}
    assert hop.after.enabled == {"Build", "Console", "Ingress", "Storage"}
    assert hop.after.implicitly_enabled == {"Build", "Ingress", "Storage"}
    assert the_problem(answer, "does not contain requested capabilities yet: Console").severity == "warning"
    assert hop.newly_enabled == {"Build", "Console", "Storage"}
    assert hop.requested == hop.newly_requested == {"Console"}
    assert changes(hop) == {"added": ["two"]}


@pytest.mark.parametrize("known", [None, ["Console", "Build"]])
def test_a_list_of_names_counts_as_requested(known):
    options = {} if known is None else {"known_capabilities": known}
    hop = one_hop([manifest("Console")], [manifest("Console+Build")], enabled_capabilities=["Console"], **options)
    assert enabled_by(hop) == {"Build": "manifest"}
    assert hop.before.implicitly_enabled == {"Ingress"}
    assert hop.newly_enabled == {"Build"}
    assert hop.before.known == (set(known) if known else one_hop([], []).before.known)
    assert hop.after.implicitly_enabled == {"Build", "Ingress"}


@pytest.mark.parametrize(
    ("names", "hints"),
    [
        (["console"], ["Write Console"]),
        (["Consol", "Later", "Storage"], ["Did you mean Console?", "Use one of: "]),
        # A name of a later release is invalid too: the list does not indicate a rollback.
        (["MachineAPI"], ["Use one of: "]),
    ],
)
def test_a_name_in_a_list_that_the_release_does_not_know_is_an_error(names, hints):
    with pytest.raises(InvalidOptionError) as raised:
        planned([], [], path=("4.13.1", "4.14.1"), enabled_capabilities=names)

    found = [item for item in raised.value.problems if item.severity == "error"]
    assert {str(item.where) for item in found} == {"enabled_capabilities"}
    assert {item.code for item in found} == {"unknown-capability"}
    assert [item.hint.startswith(hint) for item, hint in zip(found, hints, strict=True)] == [True] * len(hints)


STRANGE = ["Consol", "Console", "Later"]


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (
            {"enabled_capabilities": STRANGE, "known_capabilities": ["Console", "Later", "Other"]},
            "enabled_capabilities",
        ),
        (
            {"cluster_version": reference.cluster_version(select_only("Console"), STRANGE, ["Console", "Other"])},
            "cluster_version",
        ),
    ],
)
def test_a_status_with_names_that_the_release_does_not_know_is_one_warning(options, where):
    answer = planned([], [], **options)

    text = "contains names that 4.20 does not know: Consol, Later, Other; of these, Consol, Later stay enabled"
    problem = the_problem(answer, text)
    assert (problem.severity, str(problem.where)) == ("warning", where)
    assert [item for item in answer.problems if item.severity == "error"] == []
    assert answer.plan.status.enabled >= set(STRANGE)
    answer = planned([], [], enabled_capabilities=["Console"], known_capabilities=["Console", "Other"])
    assert str(the_problem(answer, "contains names that 4.20 does not know: Other").where) == "known_capabilities"


# Resources on the cluster enable nothing, except with the rule presence.

ON_THE_CLUSTER = [{"group": "apps", "kind": "Deployment", "namespace": "openshift-one", "name": "one"}]
PRESENCE: dict[str, Any] = {"live_resources": ON_THE_CLUSTER, "rule": "presence"}


def test_a_namespace_made_by_hand_does_not_enable_its_capability():
    namespace = manifest("marketplace", "openshift-marketplace", api="v1", kind="Namespace", namespace="")
    by_hand = {"kind": "Namespace", "name": "openshift-marketplace"}
    result = planned([namespace], [namespace], live_resources=[by_hand])

    (hop,) = result.plan.hops
    assert enabled_by(hop) == {}
    assert "marketplace" not in hop.after.enabled


@pytest.mark.parametrize(
    ("before", "after", "live", "expected"),
    [
        pytest.param([], [manifest("Console")], ON_THE_CLUSTER, {"Console": None}, id="orphaned, in no release before"),
        pytest.param([manifest()], [manifest("Console")], [], {}, id="removed by hand"),
        pytest.param(
            [manifest("Build")], [manifest("Console")], ON_THE_CLUSTER, {"Console": ("Build",)}, id="off, and there"
        ),
        pytest.param([manifest()], [manifest("Console")], ON_THE_CLUSTER, {"Console": ()}, id="as its release says"),
        pytest.param(
            [manifest(delete="true")], [manifest("Console")], [], {"Console": ()}, id="deleted by the old release"
        ),
        pytest.param([], [manifest("Console", delete="true")], ON_THE_CLUSTER, {"Console": None}, id="to be deleted"),
        pytest.param([], [manifest("Console", "two")], ON_THE_CLUSTER, {}, id="another resource"),
        pytest.param([], [manifest("Ingress")], ON_THE_CLUSTER, {}, id="on already"),
        pytest.param(
            [],
            [manifest("Console", profile="hypershift"), manifest(None, "two")],
            ON_THE_CLUSTER,
            {},
            id="not for this profile",
        ),
    ],
)
def test_with_the_rule_presence_resources_on_the_cluster_enable_names(before, after, live, expected):
    hop = one_hop(before, after, live_resources=live, rule="presence")
    found = {
        item.name: [cause.current and cause.current.capabilities for cause in item.causes]
        for item in hop.implicitly_enabled
    }
    assert found == {name: [names] for name, names in expected.items()}
    assert set(expected) <= hop.after.enabled


BUILD, STORAGE = manifest("Build"), manifest("Storage", file=ELSEWHERE)


@pytest.mark.parametrize(
    ("before", "on", "shown"),
    [
        pytest.param([BUILD, STORAGE], ["Build"], "Build", id="the first was in"),
        pytest.param([BUILD, STORAGE], ["Storage"], "Storage", id="the second was in"),
        pytest.param([STORAGE, BUILD], ["Build"], "Build", id="the second was in, the other way round"),
        pytest.param([BUILD, STORAGE], ["Build", "Storage"], "Build", id="both were in"),
        pytest.param([BUILD, STORAGE], [], "Build", id="none was in"),
        pytest.param([manifest("Build+Insights"), STORAGE], ["Build", "Storage"], "Storage", id="half of it is not in"),
    ],
)
def test_the_shown_manifest_of_a_resource_on_the_cluster_is_an_included_one(before, on, shown):
    hop = one_hop(before, [manifest("Console")], capabilities=select_only(*on), **PRESENCE)

    (console,) = hop.implicitly_enabled
    assert [cause.current and cause.current.capabilities[0] for cause in console.causes] == [shown]


@pytest.mark.parametrize(
    ("needs", "path", "options", "expected"),
    [
        pytest.param("Storage", HOP, {"capabilities": select_only()}, {}, id="its name is off"),
        pytest.param(
            "Storage", HOP, {"capabilities": select_only("Storage")}, {"Console": "manifest"}, id="its name is on"
        ),
        pytest.param(
            "Storage",
            HOP,
            {"cluster_version": reference.cluster_version(select_only("Storage"), ["Ingress"])},
            {"Console": "manifest"},
            id="requested, and not in the status yet",
        ),
        pytest.param(
            "Ingress",
            HOP,
            {"cluster_version": reference.cluster_version(select_only(), [])},
            {"Console": "manifest"},
            id="always enabled, and not in the status yet",
        ),
        pytest.param(
            "ClusterAPI",
            ("4.23.1", "4.23.2"),
            {"cluster_version": reference.cluster_version(select_only(), ["ClusterAPI"])},
            {},
            id="shown by the status, and hidden by its gate",
        ),
        pytest.param(
            "ClusterAPI",
            ("4.23.1", "4.23.2"),
            {"cluster_version": reference.cluster_version(select_only(), ["ClusterAPI"]), "feature_set": TECH_PREVIEW},
            {"Console": "manifest"},
            id="shown by the status, and its gate is on",
        ),
    ],
)
def test_what_the_outgoing_release_deleted_counts_with_what_is_really_enabled(needs, path, options, expected):
    options = {**options, "live_resources": [], "rule": "presence"}
    hop = one_hop([manifest(needs, delete="true")], [manifest("Console")], path=path, **options)

    assert enabled_by(hop) == expected


@pytest.mark.parametrize(
    ("middle", "live", "by_presence", "by_release"),
    [
        pytest.param([], ON_THE_CLUSTER, {"Console": "manifest"}, {}, id="orphaned"),
        pytest.param([manifest()], [], {"Console": "manifest"}, {"Console": "manifest"}, id="came with the first hop"),
        pytest.param([manifest("Build")], [], {}, {}, id="did not come with the first hop"),
        pytest.param(
            [manifest(delete="true")], ON_THE_CLUSTER, {"Console": "manifest"}, {"Console": "manifest"}, id="deleted"
        ),
        pytest.param([manifest("Build", delete="true")], [], {}, {}, id="not deleted, its name is off"),
    ],
)
def test_what_a_hop_does_counts_in_the_next(middle, live, by_presence, by_release):
    sides = [[], middle, [manifest("Console")]]
    path = ("4.20.1", "4.21.1", "4.21.2")
    presence = planned(*sides, path=path, live_resources=live, rule="presence")
    assert enabled_by(presence.plan.hops[1]) == by_presence
    lists: list[list[dict[str, str]] | None] = [None, live, []]
    for resources in lists:
        assert enabled_by(planned(*sides, path=path, live_resources=resources).plan.hops[1]) == by_release


def test_what_was_deleted_on_the_path_does_not_exist():
    path = ("4.20.1", "4.21.1", "4.21.2", "4.21.3")
    deleted, kept = (
        planned([], middle, [], [manifest("Console")], path=path, **PRESENCE).plan.hops[2]
        for middle in ([manifest(delete="true")], [])
    )
    assert [enabled_by(hop) for hop in (deleted, kept)] == [{}, {"Console": "manifest"}]
