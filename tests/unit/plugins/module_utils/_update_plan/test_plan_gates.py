# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Feature gates and the rules of each minor in plans: the outgoing CVO loads both releases under its own."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    TECH_PREVIEW,
    changes,
    enabled_by,
    gates,
    has_problem,
    manifest,
    one_hop,
    planned,
    select_only,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

GATE_ROWS = [
    ("gate becomes enabled, so it is not loaded yet", "4.22.1", [], ["New"], "New", {}),
    ("gate becomes enabled, so it is still loaded", "4.22.1", [], ["New"], "-New", {"Console": "manifest"}),
    ("gate becomes disabled, so it is still loaded", "4.22.1", ["New"], [], "New", {"Console": "manifest"}),
    ("gate becomes disabled, so it is not loaded yet", "4.22.1", ["New"], [], "-New", {}),
    ("gate is on", "4.22.1", ["New"], ["New"], "New", {"Console": "manifest"}),
    ("gate is off", "4.22.1", [], [], "New", {}),
    ("gates are not read before 4.22", "4.21.1", [], ["New"], "New", {"Console": "manifest"}),
    ("gates are not read before 4.22, not even off", "4.21.1", [], [], "New", {"Console": "manifest"}),
]


@pytest.mark.parametrize(
    ("version", "before", "after", "gate", "expected"), [pytest.param(*row[1:], id=row[0]) for row in GATE_ROWS]
)
def test_gates_of_the_outgoing_release_decide(version, before, after, gate, expected):
    answer = planned(
        [manifest(), gates(*before)], [manifest("Console", feature_gate=gate), gates(*after)], path=(version, "4.23.1")
    )
    (hop,) = answer.plan.hops

    assert enabled_by(hop) == expected
    # What the incoming CVO applies is decided by its own gates.
    in_after = (gate == "New") == (after == ["New"]) and bool(expected)
    assert changes(hop) == ({} if in_after else {"removed": ["one"]})


OLD_TECH, NEW_TECH = {"feature_gate": TECH_PREVIEW}, {"feature_set": TECH_PREVIEW}
RULE_ROWS = [
    # version, annotations before and after, what the hop enables, what it changes
    ("tech preview moves to the annotation of 4.12", "4.11", "4.12", OLD_TECH, NEW_TECH, {}, {}),
    ("4.12 ignores the annotation of 4.11", "4.11", "4.12", OLD_TECH, OLD_TECH, {}, {"added": ["one"]}),
    ("4.11 loads what 4.12 excludes", "4.11", "4.12", {}, NEW_TECH, {"baremetal": "manifest"}, {"removed": ["one"]}),
    ("4.12 does not load it", "4.12", "4.13", {}, NEW_TECH, {}, {"removed": ["one"]}),
    (
        "4.15 loads what 4.16 does not know",
        "4.15",
        "4.16",
        {"feature_set": "Default,LatencySensitive"},
        {"feature_set": "Default,LatencySensitive"},
        {"baremetal": "manifest"},
        {"removed": ["one"]},
    ),
    (
        "4.15 does not know what 4.16 loads",
        "4.15",
        "4.16",
        {"feature_set": "Default,DevPreviewNoUpgrade"},
        {"feature_set": "Default,DevPreviewNoUpgrade"},
        {},
        {"added": ["one"]},
    ),
]


@pytest.mark.parametrize(
    ("start", "end", "before", "after", "enabled", "changed"), [pytest.param(*row[1:], id=row[0]) for row in RULE_ROWS]
)
def test_each_release_is_decided_by_the_rules_of_its_minor(start, end, before, after, enabled, changed):
    selection = {"capabilities": select_only("baremetal")} if "added" in changed else {}
    options: dict[str, Any] = {"always_enabled_capabilities": [], **selection}
    before, after = [manifest(**before)], [manifest("baremetal", **after)]
    hop = one_hop(before, after, path=(f"{start}.1", f"{end}.1"), **options)

    assert enabled_by(hop) == enabled
    assert changes(hop) == changed


@pytest.mark.parametrize(("given", "expected"), [(["New"], {"Console": "manifest"}), (["New=false"], {}), ([], {})])
def test_given_gates_apply_to_both_releases(given, expected):
    before, after = (
        [manifest(feature_gate="-Old"), gates("Old")],
        [manifest("Console", feature_gate="New"), gates("Old")],
    )
    assert enabled_by(one_hop(before, after, path=("4.22.1", "4.23.1"), feature_gates=given)) == expected


@pytest.mark.parametrize(("name", "codes"), [("Old", []), ("New", []), ("Odd", ["unknown-feature-gate"])])
def test_a_gate_that_no_release_of_the_path_lists_is_a_warning(name, codes):
    answer = planned([gates("Old")], [gates("New")], path=("4.22.1", "4.23.1"), feature_gates=[name])
    assert [item.code for item in answer.problems] == codes


@pytest.mark.parametrize(
    ("version", "reported", "expected"),
    [
        ("4.22.1", {"4.22.1": ["New"]}, {"Console": "manifest"}),
        ("4.22.1", {"4.22.1": []}, {}),
        ("4.22.1", {"4.22.0": ["New"], "4.23.1": ["New"]}, {}),
        ("4.21.1", {"4.21.1": []}, {"Console": "manifest"}),  # does not read gates
    ],
)
def test_gates_that_the_cluster_reports_for_its_version_replace_those_of_the_release(version, reported, expected):
    before, after = [manifest(), gates()], [manifest("Console", feature_gate="New"), gates("New")]
    of_versions = tuple((of_version, frozenset(names)) for of_version, names in reported.items())
    hop = one_hop(before, after, path=(version, "4.23.1"), reported_gates=of_versions)

    assert enabled_by(hop) == expected


GATED = {"ClusterAPI", "CompatibilityRequirements"}
CLUSTER_API_ROWS = [
    ("hidden", [], {}, set()),
    ("by feature set", [], {"feature_set": TECH_PREVIEW}, GATED),
    ("by the gates of the release", [gates("ClusterAPIMachineManagement")], {}, GATED),
    ("by given gates", [], {"feature_gates": ["ClusterAPIMachineManagement"]}, GATED),
    ("the other gate", [], {"feature_gates": ["CRDCompatibilityRequirementOperator"]}, {"CompatibilityRequirements"}),
    ("given gates take precedence", [gates("ClusterAPIMachineManagement")], {"feature_gates": []}, set()),
]


@pytest.mark.parametrize(("more", "options", "known"), [pytest.param(*row[1:], id=row[0]) for row in CLUSTER_API_ROWS])
def test_gated_names_are_known_only_under_their_gates(more, options, known):
    answer = planned([manifest(), *more], [manifest("ClusterAPI"), *more], path=("4.22.1", "4.23.1"), **options)
    (hop,) = answer.plan.hops

    assert enabled_by(hop) == {"ClusterAPI": "manifest"}
    assert not hop.before.known & GATED
    assert hop.after.known & GATED == known
    assert hop.newly_known == known - {"ClusterAPI"}
    assert ("ClusterAPI" in hop.after.enabled) == ("ClusterAPI" in known)
    assert has_problem(answer, "ClusterAPI is enabled only during the update") == ("ClusterAPI" not in known)
    assert answer.plan.condition is not None
    assert ("ClusterAPI" in answer.plan.condition.message) == ("ClusterAPI" in known)


@pytest.mark.parametrize(("options", "hidden"), [({}, True), ({"feature_set": TECH_PREVIEW}, False)])
def test_a_cluster_does_not_know_what_its_gates_hide(options, hidden):
    status = reference.cluster_version(select_only(), ["ClusterAPI", "Ingress"])
    answer = planned([], [], path=("4.23.1", "4.23.2"), cluster_version=status, **options)
    (hop,) = answer.plan.hops

    assert hop.before.known.isdisjoint(GATED) == hidden
    assert ("ClusterAPI" in hop.after.enabled) is not hidden
    # It is a name of 4.23 all the same, and does not stay on as one of a later release would.
    assert not has_problem(answer, "contains names that 4.23 does not know")
    assert has_problem(answer, "ClusterAPI exists in 4.23 only if the feature gate ") is hidden


GATE = gates("ClusterAPIMachineManagement")
BOTH = "ClusterAPI+Console"


@pytest.mark.parametrize(
    ("path", "gate", "options", "on", "stays"),
    [
        # The operator of 4.23 knows the name and hides it: what needs it is not there, whatever the status says.
        (("4.23.1", "4.23.2"), [], {}, False, False),
        (("4.23.1", "5.0.1"), [], {"feature_set": "Default"}, False, False),
        (("4.23.1", "4.23.2"), [GATE], {"feature_gates": []}, False, False),
        (("4.23.1", "4.23.2"), [GATE], {}, True, True),
        (("4.23.1", "4.23.2"), [], {"feature_set": TECH_PREVIEW}, True, True),
        (("4.23.1", "4.23.2"), [], {"feature_gates": ["ClusterAPIMachineManagement"]}, True, True),
        # Before 4.23 it is an unknown name like any other.
        (("4.22.1", "4.22.2"), [], {}, True, True),
        (("4.22.1", "4.23.1"), [], {}, True, False),
        (("4.22.1", "4.23.1"), [GATE], {}, True, True),
    ],
)
def test_a_gated_name_is_not_enabled_for_the_outgoing_operator_from_4_23_on(path, gate, options, on, stays):
    status = reference.cluster_version(select_only(), ["ClusterAPI", "Ingress"])
    hop = one_hop(
        [manifest("ClusterAPI"), *gate], [manifest(BOTH), *gate], path=path, cluster_version=status, **options
    )

    assert hop.before.enabled == {"ClusterAPI", "Ingress"}
    assert enabled_by(hop) == ({"Console": "manifest"} if on else {})
    assert hop.after.enabled == {"Ingress", *(["Console"] if on else []), *(["ClusterAPI"] if stays else [])}


@pytest.mark.parametrize(("hidden_before", "before"), [(False, [GATE]), (True, [])])
@pytest.mark.parametrize("options", [{}, {"feature_set": "Default"}])
def test_a_downgrade_to_4_22_keeps_what_4_23_shows_enabled(hidden_before, before, options):
    """The operator of 4.22 does not know ClusterAPI, so it does not hide it either."""
    status = reference.cluster_version(select_only(), ["ClusterAPI", "Ingress"])
    answer = planned(before, [], path=("4.23.1", "4.22.1"), down=True, cluster_version=status, **options)
    (hop,) = answer.plan.hops

    kept = set() if hidden_before else {"ClusterAPI"}
    assert hop.after.enabled == hop.after.implicitly_enabled == {*kept, "Ingress"}
    assert hop.after.known.isdisjoint(GATED)
    assert has_problem(answer, "4.22.1 does not know ClusterAPI") is not hidden_before
