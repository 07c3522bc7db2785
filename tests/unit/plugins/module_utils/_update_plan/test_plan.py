# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans of small releases, for what the real ones in tests/parity do not show: what turns on because of manifests."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    ELSEWHERE,
    TECH_PREVIEW,
    asked,
    changes,
    obj,
    one_hop,
    only,
    shape,
    the_problem,
    told,
    turned_on,
)

KEPT = obj(None, "kept")

# Manifests before and after, what is on, and what turns on. Console and Storage are off unless they are on.
MEETINGS = [
    ("core to capability", [obj()], [obj("Console")], [], ["Console"]),
    ("core to capability that is on", [obj()], [obj("Console")], ["Console"], []),
    ("empty annotation to capability", [obj("")], [obj("Console")], [], ["Console"]),
    ("capability to capability", [obj("Console")], [obj("Storage")], ["Console"], ["Storage"]),
    ("capability that is off to capability", [obj("Console")], [obj("Storage")], [], []),
    ("capability that is off to one that is on", [obj("Console")], [obj("Storage")], ["Storage"], []),
    ("one added", [obj("Console")], [obj("Console+Storage")], ["Console"], ["Storage"]),
    ("one added in front", [obj("Console")], [obj("Storage+Console")], ["Console"], ["Storage"]),
    ("one added to one that is off", [obj("Console")], [obj("Console+Storage")], [], []),
    ("one added that is on", [obj("Console")], [obj("Console+Storage")], ["Console", "Storage"], []),
    ("two added", [obj()], [obj("Storage+Console")], [], ["Console", "Storage"]),
    ("two added of which one is on", [obj()], [obj("Storage+Console")], ["Console"], ["Storage"]),
    ("one of two is off before", [obj("Console+Build")], [obj("Console+Storage")], ["Console"], []),
    ("one taken away", [obj("Console+Storage")], [obj("Console")], ["Console", "Storage"], []),
    ("all taken away", [obj("Console")], [obj()], ["Console"], []),
    ("the same", [obj("Console")], [obj("Console")], [], []),
    ("the same twice", [obj("Console")], [obj("Console+Console")], ["Console"], []),
    ("one twice", [obj()], [obj("Console+Console")], [], ["Console"]),
    ("a name nobody knows", [obj()], [obj("Later")], [], ["Later"]),
    ("a name nobody knows, beside one that is on", [obj()], [obj("Console+Later")], ["Console"], ["Later"]),
    ("blanks are part of names", [obj()], [obj("Console + Storage")], ["Console"], [" Storage", "Console "]),
    ("an empty name", [obj()], [obj("Console+")], ["Console"], [""]),
    ("file moved", [obj()], [obj("Console", file=ELSEWHERE)], [], ["Console"]),
    ("another version of its API", [obj(api="apps/v1beta1")], [obj("Console")], [], ["Console"]),
    ("renamed", [obj()], [obj("Console", "two")], [], []),
    ("another namespace", [obj()], [obj("Console", namespace="openshift-two")], [], []),
    ("another kind", [obj()], [obj("Console", kind="DaemonSet")], [], []),
    ("another group", [obj(api="extensions/v1")], [obj("Console")], [], []),
    ("not there before", [], [obj("Console")], [], []),
    ("not there after", [obj("Console")], [], ["Console"], []),
    ("excluded by profile before", [obj(profile="hypershift"), KEPT], [obj("Console")], [], []),
    ("excluded by profile after", [obj()], [obj("Console", profile="hypershift"), KEPT], [], []),
    ("excluded by feature set before", [obj(feature_set=TECH_PREVIEW)], [obj("Console")], [], []),
    ("excluded by feature set after", [obj()], [obj("Console", feature_set=TECH_PREVIEW)], [], []),
    ("of this feature set", [obj(feature_set="Default")], [obj("Console", feature_set="Default")], [], ["Console"]),
    (
        "variants by feature set",
        [obj(feature_set="Default"), obj("Storage", feature_set=TECH_PREVIEW, file=ELSEWHERE)],
        [obj("Console", feature_set="Default"), obj("Build", feature_set=TECH_PREVIEW, file=ELSEWHERE)],
        ["Storage"],
        ["Console"],
    ),
    ("deleted by the new release", [obj()], [obj("Console", delete="true")], [], ["Console"]),
    ("deleted by the old release", [obj(delete="true")], [obj("Console")], [], ["Console"]),
    ("two new manifests", [obj()], [obj("Console"), obj("Storage", file=ELSEWHERE)], [], ["Console", "Storage"]),
    ("two new manifests, one is in", [obj()], [obj(), obj("Storage", file=ELSEWHERE)], [], ["Storage"]),
    ("two old manifests, one is in", [obj("Console"), obj(file=ELSEWHERE)], [obj("Console")], [], ["Console"]),
    ("two old manifests, the other is in", [obj(), obj("Console", file=ELSEWHERE)], [obj("Console")], [], ["Console"]),
    ("two old manifests, none is in", [obj("Console"), obj("Build", file=ELSEWHERE)], [obj("Storage")], [], []),
    (
        "two manifests on both sides",
        [obj("Console"), obj("Build", file=ELSEWHERE)],
        [obj("Console+Insights"), obj("Build+Storage", file=ELSEWHERE)],
        ["Build"],
        ["Console", "Insights", "Storage"],
    ),
]


@pytest.mark.parametrize(("before", "after", "on", "expected"), [pytest.param(*row[1:], id=row[0]) for row in MEETINGS])
def test_a_resource_meets_itself(before, after, on, expected):
    hop = one_hop(before, after, capabilities=only(*on))

    assert turned_on(hop) == dict.fromkeys(expected, "manifest")
    assert list(turned_on(hop)) == expected
    assert hop.before.enabled == {*on, "Ingress"}
    assert hop.after.enabled == {*on, *expected, "Ingress"}
    assert hop.after.implicitly_enabled == {*expected, "Ingress"}
    assert hop.newly_requested == frozenset()
    assert hop.not_in_fresh_install == set(expected)


def test_a_cause_tells_both_manifests():
    before, after = obj("Console"), obj("Console+Storage", file=ELSEWHERE, delete="true")
    answer = asked([before], [after], capabilities=only("Console"))

    (entry,) = shape(answer)["implicitly_enabled"]

    assert (entry["name"], entry["cause"], entry["requested"], entry["source"]) == ("Storage", "manifest", False, "")
    assert entry["resources"] == [
        {
            "group": "apps",
            "kind": "Deployment",
            "namespace": "openshift-one",
            "name": "one",
            "from_file": "0000_50_one_01.yaml",
            "to_file": ELSEWHERE,
            "from_capabilities": ["Console"],
            "to_capabilities": ["Console", "Storage"],
            "deleted": True,
        }
    ]


@pytest.mark.parametrize(("value", "deleted"), [("true", True), ("True", False), ("false", False)])
def test_a_cause_that_deletes_is_listed_among_the_deleted(value, deleted):
    hop = one_hop([obj()], [obj("Console", delete=value), obj("Console", "two")])

    (item,) = hop.implicitly_enabled
    assert [cause.target.deletes for cause in item.causes] == [deleted]
    assert changes(hop) == {"added": ["two"], **({"deleted": ["one"]} if deleted else {})}


def test_causes_stand_in_the_order_of_the_new_release():
    names = ["b", "a", "c"]
    before = [obj(None, name) for name in sorted(names)] + [obj("Storage", "d")]
    after = [obj("Console", "b"), obj("Console+Build", "a"), obj("Console", "c"), obj("Console+Storage", "d")]

    found = {item.name: item.causes for item in one_hop(before, after, capabilities=only("Storage")).implicitly_enabled}

    assert {name: [cause.target.resource_id.name for cause in causes] for name, causes in found.items()} == {
        "Build": ["a"],
        "Console": ["b", "a", "c", "d"],
    }


@pytest.mark.parametrize(
    ("feature_set", "expected"), [("", "Console"), ("Default", "Console"), (TECH_PREVIEW, "Build")]
)
def test_variants_of_a_resource_by_feature_set(feature_set, expected):
    before = [obj(feature_set="Default"), obj(feature_set=TECH_PREVIEW, file=ELSEWHERE)]
    after = [obj("Console", feature_set="Default"), obj("Build", feature_set=TECH_PREVIEW, file=ELSEWHERE)]
    assert turned_on(one_hop(before, after, feature_set=feature_set)) == {expected: "manifest"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([obj(None, exclude_here="true")], [obj("Console")]),
        ([obj()], [obj("Console", exclude_here="true")]),
    ],
)
def test_an_exclude_identifier_takes_a_resource_out_of_the_comparison(before, after):
    assert turned_on(one_hop(before, after)) == {"Console": "manifest"}
    assert turned_on(one_hop(before, after, exclude_identifier="here")) == {}


def test_a_name_that_nobody_knows_stays_and_is_told():
    answer = asked([obj()], [obj("Later"), obj("Later", "two")])

    assert answer.plan.status.enabled == {"Ingress", "Later"}
    assert "4.21.1 does not know Later" in the_problem(answer, "does not know").message
    # Known it is not, so what carries it is out all the same.
    assert changes(answer.plan.hops[0]) == {"removed": ["one"]}


@pytest.mark.parametrize("side", [0, 1])
def test_a_plan_of_a_release_that_has_nothing_for_the_profile_is_an_error(side):
    """A plan without a single manifest would be a gate that is always open."""
    sides = [[KEPT], [KEPT]]
    sides[side] = [obj(profile="hypershift")]
    with pytest.raises(InvalidOptionError) as raised:
        asked(*sides)

    (problem,) = raised.value.problems
    assert (problem.severity, problem.where) == ("error", f"{('4.20.1', '4.21.1')[side]}, cluster_profile")
    assert "its profiles are hypershift" in problem.message


def test_a_misspelt_profile_is_told_with_the_nearest():
    with pytest.raises(InvalidOptionError, match=r"Did you mean self-managed-high-availability\?"):
        asked([KEPT], [KEPT], cluster_profile="self-managed-high-availabilty")


# A path.


def test_what_one_hop_turns_on_is_on_in_the_next():
    sides = [[obj()], [obj("Console")], [obj("Console+Storage"), obj("Console", "two")]]
    answer = asked(*sides, path=("4.20.1", "4.21.1", "4.21.2"))
    first, second = answer.plan.hops

    assert [turned_on(hop) for hop in (first, second)] == [{"Console": "manifest"}, {"Storage": "manifest"}]
    assert second.before == first.after
    assert changes(second) == {"added": ["two"]}
    assert answer.plan.condition == (
        "ImplicitlyEnabledCapabilities",
        "True",
        "CapabilitiesImplicitlyEnabled",
        "The following capabilities could not be disabled: Console, Ingress, Storage",
    )


def test_a_hop_that_leaves_minors_out_is_told():
    answer = asked([obj()], [obj()], path=("4.18.1", "4.20.1"))
    assert told("a cluster passes every minor between", answer=answer)
    assert not told("a cluster passes every minor between", answer=asked([obj()], [obj()]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capabilities": only("Consol")}, "'Consol' is not a capability of 4.20"),
        ({"capabilities": {"baselineCapabilitySet": "v9", "excludedCapabilities": ["Console"]}}, "'v9' is not a"),
        ({"capabilities": only(baseline="v4.19")}, "'v4.19' is not a capability set of 4.20"),
        ({"feature_set": "TechPreview"}, "'TechPreview' is not a feature set"),
        ({"capabilities": only(), "enabled_capabilities": []}, "is given beside enabled_capabilities"),
    ],
)
def test_what_is_wrong_with_a_question_is_told(options, message):
    with pytest.raises(InvalidOptionError) as raised:
        asked([], [], **options)
    assert message in str(raised.value)
