# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Feature gates in plans: the outgoing cluster-version operator loads both releases under its own."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    TECH_PREVIEW,
    asked,
    changes,
    gates,
    obj,
    one_hop,
    only,
    told,
    turned_on,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

GATE_ROWS = [
    ("gate turns on, so it is not loaded yet", "4.22.1", [], ["New"], "New", {}),
    ("gate turns on, so it is loaded still", "4.22.1", [], ["New"], "-New", {"Console": "manifest"}),
    ("gate turns off, so it is loaded still", "4.22.1", ["New"], [], "New", {"Console": "manifest"}),
    ("gate turns off, so it is not loaded yet", "4.22.1", ["New"], [], "-New", {}),
    ("gate is on", "4.22.1", ["New"], ["New"], "New", {"Console": "manifest"}),
    ("gate is off", "4.22.1", [], [], "New", {}),
    ("gates are not read before 4.22", "4.21.1", [], ["New"], "New", {"Console": "manifest"}),
    ("gates are not read before 4.22, not even off", "4.21.1", [], [], "New", {"Console": "manifest"}),
]


@pytest.mark.parametrize(
    ("version", "before", "after", "gate", "expected"), [pytest.param(*row[1:], id=row[0]) for row in GATE_ROWS]
)
def test_gates_of_the_outgoing_release_decide(version, before, after, gate, expected):
    answer = asked(
        [obj(), gates(*before)], [obj("Console", feature_gate=gate), gates(*after)], path=(version, "4.23.1")
    )
    (hop,) = answer.plan.hops

    assert turned_on(hop) == expected
    # What the incoming CVO applies is decided by its own gates.
    in_after = (gate == "New") == (after == ["New"]) and bool(expected)
    assert changes(hop) == ({} if in_after else {"removed": ["one"]})


@pytest.mark.parametrize(("said", "expected"), [(["New"], {"Console": "manifest"}), (["New=false"], {}), ([], {})])
def test_gates_that_were_said_hold_in_both_releases(said, expected):
    before, after = [obj(feature_gate="-Old"), gates("Old")], [obj("Console", feature_gate="New"), gates("Old")]
    assert turned_on(one_hop(before, after, path=("4.22.1", "4.23.1"), feature_gates=said)) == expected


GATED = {"ClusterAPI", "CompatibilityRequirements"}
CLUSTER_API_ROWS = [
    ("hidden", [], {}, set()),
    ("by feature set", [], {"feature_set": TECH_PREVIEW}, GATED),
    ("by the gates of the release", [gates("ClusterAPIMachineManagement")], {}, GATED),
    ("by gates that were said", [], {"feature_gates": ["ClusterAPIMachineManagement"]}, GATED),
    ("the other gate", [], {"feature_gates": ["CRDCompatibilityRequirementOperator"]}, {"CompatibilityRequirements"}),
    ("gates that were said win", [gates("ClusterAPIMachineManagement")], {"feature_gates": []}, set()),
]


@pytest.mark.parametrize(("more", "options", "known"), [pytest.param(*row[1:], id=row[0]) for row in CLUSTER_API_ROWS])
def test_gated_names_are_known_only_under_their_gates(more, options, known):
    answer = asked([obj(), *more], [obj("ClusterAPI"), *more], path=("4.22.1", "4.23.1"), **options)
    (hop,) = answer.plan.hops

    assert turned_on(hop) == {"ClusterAPI": "manifest"}
    assert not hop.before.known & GATED
    assert hop.after.known & GATED == known
    assert hop.newly_known == known - {"ClusterAPI"}
    assert ("ClusterAPI" in hop.after.enabled) == ("ClusterAPI" in known)
    assert told("ClusterAPI is on during the update only", answer=answer) == ("ClusterAPI" not in known)
    assert answer.plan.condition is not None
    assert ("ClusterAPI" in answer.plan.condition.message) == ("ClusterAPI" in known)


@pytest.mark.parametrize(("options", "hidden"), [({}, True), ({"feature_set": TECH_PREVIEW}, False)])
def test_a_cluster_does_not_know_what_its_gates_hide(options, hidden):
    status = reference.cluster_version(only(), ["ClusterAPI", "Ingress"])
    answer = asked([], [], path=("4.23.1", "4.23.2"), cluster_version=status, **options)
    (hop,) = answer.plan.hops

    assert hop.before.known.isdisjoint(GATED) == hidden
    assert ("ClusterAPI" in hop.after.enabled) is not hidden
    # It is a name of 4.23 all the same, and does not stay on as one of a later release would.
    assert not told("names what 4.23 does not know", answer=answer)
    assert told("ClusterAPI exists in 4.23 only while its feature gate is on", answer=answer) is hidden


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
        # Before, it is a name like any other that nobody knows.
        (("4.22.1", "4.22.2"), [], {}, True, True),
        (("4.22.1", "4.23.1"), [], {}, True, False),
        (("4.22.1", "4.23.1"), [GATE], {}, True, True),
    ],
)
def test_a_name_that_its_gate_hides_is_not_on_for_the_outgoing_operator_from_4_23_on(path, gate, options, on, stays):
    told_by = reference.cluster_version(only(), ["ClusterAPI", "Ingress"])
    hop = one_hop([obj("ClusterAPI"), *gate], [obj(BOTH), *gate], path=path, cluster_version=told_by, **options)

    assert hop.before.enabled == {"ClusterAPI", "Ingress"}
    assert turned_on(hop) == ({"Console": "manifest"} if on else {})
    assert hop.after.enabled == {"Ingress", *(["Console"] if on else []), *(["ClusterAPI"] if stays else [])}


@pytest.mark.parametrize(("hidden_before", "before"), [(False, [GATE]), (True, [])])
@pytest.mark.parametrize("options", [{}, {"feature_set": "Default"}])
def test_going_back_to_4_22_keeps_on_what_4_23_shows(hidden_before, before, options):
    """The operator of 4.22 does not know ClusterAPI, so it does not hide it either."""
    told_by = reference.cluster_version(only(), ["ClusterAPI", "Ingress"])
    answer = asked(before, [], path=("4.23.1", "4.22.1"), down=True, cluster_version=told_by, **options)
    (hop,) = answer.plan.hops

    kept = set() if hidden_before else {"ClusterAPI"}
    assert hop.after.enabled == hop.after.implicitly_enabled == {*kept, "Ingress"}
    assert hop.after.known.isdisjoint(GATED)
    assert told("4.22.1 does not know ClusterAPI", answer=answer) is not hidden_before
