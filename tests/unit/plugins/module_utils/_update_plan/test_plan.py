# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans of small releases, for cases that the real ones in tests/parity do not contain: names that manifests enable."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    ELSEWHERE,
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

KEPT = manifest(None, "kept")

# Manifests before and after, enabled names, and names that are enabled. Console and Storage are disabled by default.
MEETINGS = [
    ("core to capability", [manifest()], [manifest("Console")], [], ["Console"]),
    ("core to capability that is on", [manifest()], [manifest("Console")], ["Console"], []),
    ("empty annotation to capability", [manifest("")], [manifest("Console")], [], ["Console"]),
    ("capability to capability", [manifest("Console")], [manifest("Storage")], ["Console"], ["Storage"]),
    ("capability that is off to capability", [manifest("Console")], [manifest("Storage")], [], []),
    ("capability that is off to one that is on", [manifest("Console")], [manifest("Storage")], ["Storage"], []),
    ("one added", [manifest("Console")], [manifest("Console+Storage")], ["Console"], ["Storage"]),
    ("one added in front", [manifest("Console")], [manifest("Storage+Console")], ["Console"], ["Storage"]),
    ("one added to one that is off", [manifest("Console")], [manifest("Console+Storage")], [], []),
    ("one added that is on", [manifest("Console")], [manifest("Console+Storage")], ["Console", "Storage"], []),
    ("two added", [manifest()], [manifest("Storage+Console")], [], ["Console", "Storage"]),
    ("two added of which one is on", [manifest()], [manifest("Storage+Console")], ["Console"], ["Storage"]),
    ("one of two is off before", [manifest("Console+Build")], [manifest("Console+Storage")], ["Console"], []),
    ("one taken away", [manifest("Console+Storage")], [manifest("Console")], ["Console", "Storage"], []),
    ("all taken away", [manifest("Console")], [manifest()], ["Console"], []),
    ("the same", [manifest("Console")], [manifest("Console")], [], []),
    ("the same twice", [manifest("Console")], [manifest("Console+Console")], ["Console"], []),
    ("one twice", [manifest()], [manifest("Console+Console")], [], ["Console"]),
    ("an unknown name", [manifest()], [manifest("Later")], [], ["Later"]),
    ("an unknown name with an enabled one", [manifest()], [manifest("Console+Later")], ["Console"], ["Later"]),
    ("blanks are part of names", [manifest()], [manifest("Console + Storage")], ["Console"], [" Storage", "Console "]),
    ("an empty name", [manifest()], [manifest("Console+")], ["Console"], [""]),
    ("file moved", [manifest()], [manifest("Console", file=ELSEWHERE)], [], ["Console"]),
    ("another version of its API", [manifest(api="apps/v1beta1")], [manifest("Console")], [], ["Console"]),
    ("renamed", [manifest()], [manifest("Console", "two")], [], []),
    ("another namespace", [manifest()], [manifest("Console", namespace="openshift-two")], [], []),
    ("another kind", [manifest()], [manifest("Console", kind="DaemonSet")], [], []),
    ("another group", [manifest(api="extensions/v1")], [manifest("Console")], [], []),
    ("not there before", [], [manifest("Console")], [], []),
    ("not there after", [manifest("Console")], [], ["Console"], []),
    ("excluded by profile before", [manifest(profile="hypershift"), KEPT], [manifest("Console")], [], []),
    ("excluded by profile after", [manifest()], [manifest("Console", profile="hypershift"), KEPT], [], []),
    ("excluded by feature set before", [manifest(feature_set=TECH_PREVIEW)], [manifest("Console")], [], []),
    ("excluded by feature set after", [manifest()], [manifest("Console", feature_set=TECH_PREVIEW)], [], []),
    (
        "of this feature set",
        [manifest(feature_set="Default")],
        [manifest("Console", feature_set="Default")],
        [],
        ["Console"],
    ),
    (
        "variants by feature set",
        [manifest(feature_set="Default"), manifest("Storage", feature_set=TECH_PREVIEW, file=ELSEWHERE)],
        [manifest("Console", feature_set="Default"), manifest("Build", feature_set=TECH_PREVIEW, file=ELSEWHERE)],
        ["Storage"],
        ["Console"],
    ),
    ("deleted by the new release", [manifest()], [manifest("Console", delete="true")], [], ["Console"]),
    ("deleted by the old release", [manifest(delete="true")], [manifest("Console")], [], ["Console"]),
    (
        "two new manifests",
        [manifest()],
        [manifest("Console"), manifest("Storage", file=ELSEWHERE)],
        [],
        ["Console", "Storage"],
    ),
    ("two new manifests, one is in", [manifest()], [manifest(), manifest("Storage", file=ELSEWHERE)], [], ["Storage"]),
    (
        "two old manifests, one is in",
        [manifest("Console"), manifest(file=ELSEWHERE)],
        [manifest("Console")],
        [],
        ["Console"],
    ),
    (
        "two old manifests, the other is in",
        [manifest(), manifest("Console", file=ELSEWHERE)],
        [manifest("Console")],
        [],
        ["Console"],
    ),
    (
        "two old manifests, none is in",
        [manifest("Console"), manifest("Build", file=ELSEWHERE)],
        [manifest("Storage")],
        [],
        [],
    ),
    (
        "two manifests on both sides",
        [manifest("Console"), manifest("Build", file=ELSEWHERE)],
        [manifest("Console+Insights"), manifest("Build+Storage", file=ELSEWHERE)],
        ["Build"],
        ["Console", "Insights", "Storage"],
    ),
]


@pytest.mark.parametrize(("before", "after", "on", "expected"), [pytest.param(*row[1:], id=row[0]) for row in MEETINGS])
def test_a_resource_is_compared_with_itself(before, after, on, expected):
    hop = one_hop(before, after, capabilities=select_only(*on))

    assert enabled_by(hop) == dict.fromkeys(expected, "manifest")
    assert list(enabled_by(hop)) == expected
    assert hop.before.enabled == {*on, "Ingress"}
    assert hop.after.enabled == {*on, *expected, "Ingress"}
    assert hop.after.implicitly_enabled == {*expected, "Ingress"}
    assert hop.newly_requested == frozenset()
    assert hop.not_in_fresh_install == set(expected)


def test_a_cause_contains_both_manifests():
    before, after = manifest("Console"), manifest("Console+Storage", file=ELSEWHERE, delete="true")
    answer = planned([before], [after], capabilities=select_only("Console"))

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
def test_a_cause_that_is_deleted_is_also_listed_as_deleted(value, deleted):
    hop = one_hop([manifest()], [manifest("Console", delete=value), manifest("Console", "two")])

    (item,) = hop.implicitly_enabled
    assert [cause.target.deletes for cause in item.causes] == [deleted]
    assert changes(hop) == {"added": ["two"], **({"deleted": ["one"]} if deleted else {})}


def test_causes_are_in_the_order_of_the_new_release():
    names = ["b", "a", "c"]
    before = [manifest(None, name) for name in sorted(names)] + [manifest("Storage", "d")]
    after = [
        manifest("Console", "b"),
        manifest("Console+Build", "a"),
        manifest("Console", "c"),
        manifest("Console+Storage", "d"),
    ]

    found = {
        item.name: item.causes
        for item in one_hop(before, after, capabilities=select_only("Storage")).implicitly_enabled
    }

    assert {name: [cause.target.resource_id.name for cause in causes] for name, causes in found.items()} == {
        "Build": ["a"],
        "Console": ["b", "a", "c", "d"],
    }


@pytest.mark.parametrize(
    ("feature_set", "expected"), [("", "Console"), ("Default", "Console"), (TECH_PREVIEW, "Build")]
)
def test_variants_of_a_resource_by_feature_set(feature_set, expected):
    before = [manifest(feature_set="Default"), manifest(feature_set=TECH_PREVIEW, file=ELSEWHERE)]
    after = [manifest("Console", feature_set="Default"), manifest("Build", feature_set=TECH_PREVIEW, file=ELSEWHERE)]
    assert enabled_by(one_hop(before, after, feature_set=feature_set)) == {expected: "manifest"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([manifest(None, exclude_here="true")], [manifest("Console")]),
        ([manifest()], [manifest("Console", exclude_here="true")]),
    ],
)
def test_an_exclude_identifier_takes_a_resource_out_of_the_comparison(before, after):
    assert enabled_by(one_hop(before, after)) == {"Console": "manifest"}
    assert enabled_by(one_hop(before, after, exclude_identifier="here")) == {}


def test_an_unknown_name_stays_and_is_reported():
    answer = planned([manifest()], [manifest("Later"), manifest("Later", "two")])

    assert answer.plan.status.enabled == {"Ingress", "Later"}
    assert "4.21.1 does not know Later" in the_problem(answer, "does not know").message
    # Known it is not, so what carries it is out all the same.
    assert changes(answer.plan.hops[0]) == {"removed": ["one"]}


@pytest.mark.parametrize("side", [0, 1])
def test_a_plan_of_a_release_that_has_nothing_for_the_profile_is_an_error(side):
    """A plan without a single manifest would be a gate that is always open."""
    sides = [[KEPT], [KEPT]]
    sides[side] = [manifest(profile="hypershift")]
    with pytest.raises(InvalidOptionError) as raised:
        planned(*sides)

    (problem,) = raised.value.problems
    assert (problem.severity, str(problem.where)) == ("error", f"{('4.20.1', '4.21.1')[side]}: cluster_profile")
    assert "its profiles are hypershift" in problem.message


def test_a_misspelled_profile_is_reported_with_the_nearest():
    with pytest.raises(InvalidOptionError, match=r"Did you mean self-managed-high-availability\?"):
        planned([KEPT], [KEPT], cluster_profile="self-managed-high-availabilty")


# A path.


def test_what_one_hop_enables_is_enabled_in_the_next():
    sides = [[manifest()], [manifest("Console")], [manifest("Console+Storage"), manifest("Console", "two")]]
    answer = planned(*sides, path=("4.20.1", "4.21.1", "4.21.2"))
    first, second = answer.plan.hops

    assert [enabled_by(hop) for hop in (first, second)] == [{"Console": "manifest"}, {"Storage": "manifest"}]
    assert second.before == first.after
    assert changes(second) == {"added": ["two"]}
    assert answer.plan.condition == (
        "ImplicitlyEnabledCapabilities",
        "True",
        "CapabilitiesImplicitlyEnabled",
        "The following capabilities could not be disabled: Console, Ingress, Storage",
    )


def test_a_hop_that_skips_minors_is_reported():
    answer = planned([manifest()], [manifest()], path=("4.18.1", "4.20.1"))
    assert has_problem(answer, "skips minors")
    assert not has_problem(planned([manifest()], [manifest()]), "skips minors")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"capabilities": select_only("Consol")}, "unknown-capability"),
        (
            {"capabilities": {"baselineCapabilitySet": "v9", "excludedCapabilities": ["Console"]}},
            "unknown-capability-set",
        ),
        ({"capabilities": select_only(baseline="v4.19")}, "unknown-capability-set"),
        ({"feature_set": "TechPreview"}, "unknown-feature-set"),
        ({"capabilities": select_only(), "enabled_capabilities": []}, "conflicting-options"),
    ],
)
def test_an_invalid_request_is_reported(options, code):
    with pytest.raises(InvalidOptionError) as raised:
        planned([], [], **options)
    assert code in {problem.code for problem in raised.value.problems}
