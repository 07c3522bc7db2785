# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What keeps a cluster from an update, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_reasons import UpdateReason
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.violations import capability_violations
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    TECH_PREVIEW,
    changes,
    enabled_by,
    has_problem,
    manifest,
    one_hop,
    planned,
    select_only,
    shape,
    the_problem,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference


def blocked_by(answer: PlanResult) -> tuple[UpdateReason, ...]:
    """Return why the cluster refuses the first hop."""
    return tuple(reason for reason in answer.verdicts[0].reasons if reason.verdict == "blocked")


# Overrides and feature sets.

OVERRIDE = {"kind": "Deployment", "group": "apps", "namespace": "openshift-one", "name": "one", "unmanaged": True}


EVERY, ANOTHER_MINOR = "spec.overrides block every update: ", "spec.overrides block updates to another minor version: "
BLOCKING = [
    # Before 4.22 the operator that the cluster runs refuses all of them, from then on only another minor.
    (("4.13.1", "4.13.2"), EVERY),
    (("4.20.1", "4.21.1"), EVERY),
    (("4.21.1", "4.21.2"), EVERY),
    (("4.21.9", "4.22.1"), EVERY),
    (("4.21.2", "4.21.1"), EVERY),
    (("4.22.1", "4.22.2"), None),
    (("4.22.1", "4.23.1"), ANOTHER_MINOR),
    (("4.22.1", "4.21.9"), None),
    (("4.21.1", "4.21.1"), EVERY),  # to another image of it, as in a migration to several architectures
    (("4.23.1", "4.23.2"), None),
    (("4.23.1", "5.0.1"), ANOTHER_MINOR),
]


@pytest.mark.parametrize(("path", "blocked"), [pytest.param(*row, id=" to ".join(row[0])) for row in BLOCKING])
@pytest.mark.parametrize("unmanaged", [True, False])
@pytest.mark.parametrize("in_spec", [False, True])
def test_overrides_block_updates(path, blocked, unmanaged, in_spec):
    overrides = [{**OVERRIDE, "unmanaged": unmanaged}]
    options: dict[str, Any] = {"overrides": overrides}
    if in_spec:
        options = {"cluster_version": reference.cluster_version(select_only(), [], overrides=overrides)}
    options["always_enabled_capabilities"] = []
    answer = planned([manifest()], [manifest("Console"), manifest("Console", "two")], path=path, down=True, **options)
    (hop,) = answer.plan.hops

    message = f"{blocked}Deployment openshift-one/one"
    expected = [("ClusterVersionOverridesSet", message, "Remove these overrides before the update")]
    found = [
        (item.reason, item.message, item.hint) for item in blocked_by(answer) if item.reason != "LowDesiredVersion"
    ]
    assert found == (expected if blocked and unmanaged else [])
    # The CVO loads without overrides, so the resource turns its capability on all the same.
    assert enabled_by(hop) == {"Console": "manifest"}
    assert changes(hop) == {"added": ["two"]}


BACK = [
    (("4.15.2", "4.14.1"), True),
    (("4.22.1", "4.21.9"), True),
    (("5.0.1", "4.23.1"), True),
    (("4.21.1", "4.21.1"), False),
    (("4.21.1", "4.21.2"), False),
    (("4.21.1", "4.22.1"), False),
]


@pytest.mark.parametrize(("path", "blocked"), [pytest.param(*row, id=" to ".join(row[0])) for row in BACK])
@pytest.mark.parametrize("options", [{}, {"overrides": [OVERRIDE], "feature_set": TECH_PREVIEW}])
def test_the_cluster_refuses_to_go_back_whatever_else_it_has(path, blocked, options):
    answer = planned([manifest()], [manifest()], path=path, down=True, **options)
    reasons = [item.reason for item in blocked_by(answer) if item.code != "overrides"]

    assert reasons == ["LowDesiredVersion"] if blocked else "LowDesiredVersion" not in reasons
    message = f"the cluster refuses a downgrade from {path[0]}"
    assert any(message in reason.message for reason in blocked_by(answer)) is blocked
    if path[0] == path[1]:
        assert reasons == []


@pytest.mark.parametrize("path", [("4.21.1", "4.21.2"), ("4.22.1", "4.23.1")])
def test_no_override_blocks_nothing(path):
    assert blocked_by(planned([manifest()], [manifest()], path=path, overrides=[])) == ()


def test_all_overrides_that_block_are_named_and_no_others():
    managed = {**OVERRIDE, "name": "managed", "unmanaged": False}
    cluster_scoped = {"kind": "Namespace", "name": "two", "unmanaged": True}
    (blocker,) = blocked_by(planned([manifest()], [manifest()], overrides=[OVERRIDE, managed, cluster_scoped]))

    assert blocker.message == f"{EVERY}Deployment openshift-one/one, Namespace two"


@pytest.mark.parametrize("path", [("4.20.1", "4.21.1"), ("4.22.1", "4.23.1")])
def test_a_blocker_has_a_hint_and_is_no_other_problem(path):
    answer = planned([manifest()], [manifest()], path=path, overrides=[OVERRIDE], feature_set=TECH_PREVIEW)
    blockers = blocked_by(answer)

    assert [item.reason for item in blockers] == ["FeatureSet", "ClusterVersionOverridesSet"]
    assert [item.hint for item in blockers] == [
        "Replace it with a new cluster of the new minor version",
        "Remove these overrides before the update",
    ]
    assert {item.message for item in blockers}.isdisjoint(item.message for item in answer.problems)


def test_an_overridden_resource_is_neither_added_nor_removed():
    kept = [manifest(None, "two")]
    assert changes(one_hop([manifest(), *kept], kept, overrides=[OVERRIDE])) == {}
    assert changes(one_hop(kept, [manifest(), *kept], overrides=[OVERRIDE])) == {}
    assert changes(one_hop([manifest(), *kept], kept)) == {"removed": ["one"]}
    assert changes(one_hop(kept, [manifest(), *kept])) == {"added": ["one"]}
    assert changes(one_hop(kept, [manifest(delete="true"), *kept])) == {"deleted": ["one"]}
    assert changes(one_hop(kept, [manifest(delete="true"), *kept], overrides=[OVERRIDE])) == {}
    managed = {**OVERRIDE, "unmanaged": False}
    assert changes(one_hop(kept, [manifest(), *kept], overrides=[managed])) == {"added": ["one"]}
    # The first override that names a resource decides.
    assert changes(one_hop(kept, [manifest(), *kept], overrides=[managed, OVERRIDE])) == {"added": ["one"]}
    assert changes(one_hop(kept, [manifest(), *kept], overrides=[OVERRIDE, managed])) == {}


def test_the_namespace_of_an_override_does_not_affect_cluster_scoped_resources():
    override = {"kind": "Namespace", "group": "", "namespace": "default", "name": "one", "unmanaged": True}
    one = manifest(api="v1", kind="Namespace", namespace="")
    assert changes(one_hop([], [one, manifest(None, "two")], overrides=[override])) == {"added": ["two"]}


def test_overrides_that_were_given_win_over_those_of_the_object():
    status = reference.cluster_version(select_only(), overrides=[OVERRIDE])
    assert blocked_by(planned([manifest()], [manifest()], cluster_version=status, overrides=[])) == ()


@pytest.mark.parametrize("feature_set", ["", "Default", TECH_PREVIEW, "CustomNoUpgrade", "DevPreviewNoUpgrade"])
@pytest.mark.parametrize(("path", "other_minor"), [(("4.20.1", "4.21.1"), True), (("4.20.1", "4.20.2"), False)])
def test_feature_sets_block_another_minor(feature_set, path, other_minor):
    answer = planned([manifest()], [manifest()], path=path, feature_set=feature_set)
    blocked = feature_set.endswith("NoUpgrade") and other_minor
    assert [item.reason for item in blocked_by(answer)] == ["FeatureSet"] * blocked
    message = f"feature set {feature_set} blocks updates to another minor version, and is permanent"
    assert [item.message for item in blocked_by(answer)] == [message] * blocked


# Back again.


@pytest.mark.parametrize("path", [("4.21.1", "4.20.9"), ("4.20.2", "4.20.1"), ("4.20.1", "4.20.1")])
def test_going_back_has_to_be_allowed(path):
    with pytest.raises(InvalidOptionError, match="allow_downgrade"):
        planned([manifest()], [manifest()], path=path)
    (hop,) = planned([manifest()], [manifest()], path=path, down=True).plan.hops
    assert hop.downgrade is (path[0] != path[1])


def test_a_downgrade_lists_orphaned_resources():
    before, after = [manifest(), manifest("Console", "two"), manifest("Build", "three")], [manifest()]
    down = planned(before, after, path=("4.21.1", "4.20.1"), down=True, capabilities=select_only("Console"))
    up = planned(before, after, path=("4.20.1", "4.21.1"), capabilities=select_only("Console"))

    for answer, back in ((down, True), (up, False)):
        found = shape(answer)
        assert found["downgrade"] is back
        assert [item["name"] for item in found["removed"]] == ["two"]
        assert has_problem(answer, "would orphan 1 resource, see") == back


def test_a_downgrade_keeps_names_that_the_older_release_does_not_know():
    answer = planned(
        [], [], path=("4.18.1", "4.17.1"), down=True, capabilities=select_only("OperatorLifecycleManagerV1")
    )
    (hop,) = answer.plan.hops
    assert "OperatorLifecycleManagerV1" in hop.after.enabled - hop.after.known
    assert has_problem(answer, "4.17.1 does not know OperatorLifecycleManagerV1")


def test_a_downgrade_to_a_release_without_capabilities_creates_everything():
    files = {"one": "0000_50_one_01.yaml", "two": "0000_50_two_01.yaml", "three": "0000_50_two_02.yaml", "x": "x.yaml"}
    before = [manifest("Console" if name != "one" else None, name, file=file) for name, file in files.items()]
    # A CVO without capabilities does not read the annotation.
    after = [manifest("Console" if name == "three" else None, name, file=file) for name, file in files.items()]
    answer = planned(before, after, path=("4.12.1", "4.10.1"), down=True, capabilities=select_only("marketplace"))
    (hop,) = answer.plan.hops

    assert (answer.plan.condition, hop.after.known) == (None, frozenset())
    assert answer.plan.status.enabled == {"marketplace"}
    assert changes(hop) == {"added": ["two", "three", "x"]}
    assert hop.no_longer_optional == {"CSISnapshot", "Console", "Insights", "Storage", "baremetal", "openshift-samples"}
    listed = "CSISnapshot, Console, Insights, Storage, baremetal, openshift-samples"
    message = f"4.10.1 does not know {listed} as capabilities, so it creates their components"
    assert the_problem(answer, "so it creates").message == message
    everything = one_hop(
        before, after, path=("4.12.1", "4.10.1"), down=True, capabilities=select_only(baseline="vCurrent")
    )
    assert everything.no_longer_optional == frozenset()


UNKNOWN_IN_4_11 = {"CSISnapshot", "Console", "Insights", "Storage"}


@pytest.mark.parametrize(
    ("path", "options", "expected"),
    [
        (("4.12.1", "4.11.1"), {}, UNKNOWN_IN_4_11),
        (("4.12.1", "4.11.1"), {"capabilities": select_only("Console")}, UNKNOWN_IN_4_11 - {"Console"}),
        (("4.12.1", "4.11.1"), {"capabilities": None}, set()),
        (("4.18.1", "4.17.1"), {}, {"OperatorLifecycleManagerV1"}),
        (("4.18.1", "4.16.1"), {"capabilities": select_only("OperatorLifecycleManagerV1")}, set()),
        # Back to 4.15 in two hops: the first is the one that does it.
        (("4.18.1", "4.17.1", "4.16.1"), {}, {"OperatorLifecycleManagerV1"}),
        # What its gate hid was not there to be chosen.
        (("4.23.1", "4.22.1"), {}, set()),
        (("4.23.1", "4.22.1"), {"feature_set": TECH_PREVIEW}, {"ClusterAPI", "CompatibilityRequirements"}),
        (("4.17.1", "4.18.1"), {}, set()),
        (("4.18.1", "4.18.1"), {}, set()),
    ],
)
def test_a_release_that_does_not_know_a_disabled_name_creates_its_components(path, options, expected):
    sides = [[manifest("Console", "one")], *[[manifest(None, "one")] for _release in path[1:]]]
    answer = planned(*sides, path=path, down=True, **options)
    first, *others = answer.plan.hops

    assert first.no_longer_optional == expected
    assert first.newly_enabled >= expected
    assert first.after.enabled.isdisjoint(expected)
    assert [hop.no_longer_optional for hop in others] == [frozenset()] * len(others)
    named = [item.name for item in capability_violations(answer, ["all"]) if item.hop is first]
    assert set(named) >= expected
    for name in sorted(expected):
        (violation,) = capability_violations(answer, [name])
        assert violation.message.startswith(f"{path[0]} to {path[1]} enables {name}: {path[1]} does not know it ")
    found = [(item.severity, item.hint) for item in answer.problems if item.code == "no-longer-optional"]
    assert found == ([("warning", "Decide whether the cluster may run them")] if expected else [])


def test_an_overridden_resource_is_not_created():
    sides = [manifest("Console"), manifest("Console", "two")], [manifest(), manifest(None, "two")]
    hop = one_hop(*sides, path=("4.12.1", "4.11.1"), down=True, overrides=[OVERRIDE])

    assert changes(hop) == {"added": ["two"]}


def test_a_fresh_install_of_a_release_without_capabilities_has_everything():
    status = reference.cluster_version(select_only("marketplace"), ["Console", "marketplace"])
    to_4_10, to_4_11 = (
        one_hop([manifest()], [manifest("baremetal")], path=("4.12.1", end), down=True, cluster_version=status)
        for end in ("4.10.1", "4.11.1")
    )

    assert to_4_10.after.enabled == {"Console", "baremetal", "marketplace"}
    assert to_4_10.not_in_fresh_install == frozenset()
    assert to_4_11.not_in_fresh_install == {"Console", "baremetal"}


def test_no_path_begins_without_capabilities():
    with pytest.raises(InvalidOptionError, match="has no capabilities"):
        planned([], [], path=("4.10.1", "4.11.1"))
