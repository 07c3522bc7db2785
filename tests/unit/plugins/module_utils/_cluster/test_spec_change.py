# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each sentence of the rule that nothing is ever taken back, by example. What holds of all is in the properties."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.spec_changes import block, contents, wished

# Additions


@pytest.mark.parametrize(
    ("spec", "options", "body"),
    [
        (block(), block("Console"), block("Console")),
        (block("Console"), block("Storage", "Console"), block("Console", "Storage")),
        (block("Console"), block(baseline="v4.12"), block(baseline="v4.12")),
        (block(), {"baseline_capability_set": "v4.11"}, block(baseline="v4.11")),
        (block("baremetal"), block(baseline="vCurrent"), block(baseline="vCurrent")),
        (block(baseline="v4.11"), block(baseline="v4.12"), block(baseline="v4.12")),
        (block(baseline="v4.18"), block(baseline="vCurrent"), block(baseline="vCurrent")),
        # Sets are expanded, so the same names may be said in another way.
        (block("Console", baseline="vCurrent"), {}, block(baseline="vCurrent")),
        (None, block(baseline="v4.18"), block(baseline="v4.18")),
        (None, block(*contents("vCurrent")), block(*contents("vCurrent"))),
        (block(baseline="v4.11"), block("Console", *contents("v4.11")), block("Console", *contents("v4.11"))),
    ],
)
def test_names_come_and_the_set_goes_with_the_list(spec, options, body):
    change = wished(spec, options, enabled=["OperatorLifecycleManager"]).made

    assert change.changed
    assert change.body == {**body, "additionalEnabledCapabilities": sorted(body["additionalEnabledCapabilities"])}
    assert change.removed == ()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"additional_enabled_capabilities": []},
        {"baseline_capability_set": ""},
        {"baselineCapabilitySet": None, "additionalEnabledCapabilities": []},
        {"excluded_capabilities": []},
    ],
)
def test_what_a_template_leaves_empty_adds_nothing(options):
    told = wished(block("Ingress"), options)

    ((where, message),) = told.errors
    assert where == "capabilities.baseline_capability_set"
    assert message.startswith("is not said, which stands for vCurrent and would add Build, CSISnapshot, ")
    assert wished(None, options).errors == []
    assert wished(block(baseline="vCurrent"), options).errors == []


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        (None, {}),
        ({}, {"baselineCapabilitySet": "vCurrent"}),
        (None, {"inclusionDefault": "Include"}),
        ({"baselineCapabilitySet": "vCurrent"}, {}),
        ({"baselineCapabilitySet": ""}, {}),
        ({"additionalEnabledCapabilities": ["Console"]}, block("Console", baseline="vCurrent")),
        (block("Storage", "Console"), block("Console", "Storage", "Console")),
        (block("Console", "Console"), block("Console")),
        (block("Console"), {"inclusion_default": "Exclude", "include": ["Console"]}),
    ],
)
def test_what_says_the_same_is_no_change(spec, options):
    assert not wished(spec, options).made.changed


# Removals


@pytest.mark.parametrize(
    ("spec", "options", "removed", "named"),
    [
        (block("Console", "Storage"), block("Storage"), ["Console"], "Console (listed)"),
        (block("Console"), {"baselineCapabilitySet": "None"}, ["Console"], "Console (listed)"),
        (block("Console"), block(baseline="v4.11"), ["Console"], "Console (listed)"),
        (None, block(), contents("vCurrent"), "Build (from vCurrent), CSISnapshot (from vCurrent)"),
        (block(baseline="vCurrent"), block(), contents("vCurrent"), "(from vCurrent)"),
        (
            block(baseline="v4.12"),
            block(baseline="v4.11"),
            ["CSISnapshot", "Console", "Insights", "Storage"],
            "CSISnapshot (from v4.12), Console (from v4.12), Insights (from v4.12), Storage (from v4.12)",
        ),
        # Deleting the block is one only if names drop; with it stands vCurrent.
        (block("Console", baseline="v4.11"), block(baseline="v4.11"), ["Console"], "Console (listed)"),
        (None, block(baseline="v4.17"), ["OperatorLifecycleManagerV1"], "OperatorLifecycleManagerV1 (from vCurrent)"),
    ],
)
def test_a_removal_fails_and_is_named(spec, options, removed, named):
    told = wished(spec, options, enabled=contents("vCurrent"))

    ((where, message),) = told.errors
    assert where == "capabilities"
    assert message.startswith("lacks what the cluster's spec requests: ")
    assert named in message
    assert told.change is not None
    assert list(told.change.removed) == sorted(removed)


def test_a_removal_and_a_broken_rule_come_at_once():
    told = wished(block("Console"), block("marketplace"))

    assert [where for where, _message in told.errors] == [
        "capabilities",
        "capabilities.additional_enabled_capabilities",
    ]


def test_that_a_name_is_not_on_yet_makes_it_no_less_requested():
    assert wished(block("Console"), block(), enabled=[]).errors != []


# MachineAPI was put into v4.11 to v4.13 by 4.14 (cvo-behaviour 4)
V413_BEFORE = ["CSISnapshot", "Console", "Insights", "NodeTuning", "Storage", "baremetal", "marketplace"]
V413_BEFORE += ["openshift-samples"]


@pytest.mark.parametrize(("minor", "removed"), [("4.13", ()), ("4.14", ("MachineAPI",)), ("4.20", ("MachineAPI",))])
@pytest.mark.parametrize("baseline", ["v4.11", "v4.12", "v4.13"])
def test_a_set_that_was_amended_asks_for_more_from_then_on(minor, removed, baseline):
    names = [*contents(baseline, "4.13"), "OperatorLifecycleManager"][: None if minor == "4.20" else -1]

    told = wished(block(baseline=baseline), block(*names), minor, enabled=["MachineAPI"])

    assert told.change is not None
    assert told.change.removed == removed
    assert bool(told.errors) == bool(removed)


def test_a_set_pinned_before_the_amendment_stays_as_it_is():
    spec = wished(block(baseline="v4.13"), block(*V413_BEFORE), "4.13").made.body

    change = wished(spec, block(*V413_BEFORE), "4.14", enabled=[*V413_BEFORE, "MachineAPI"]).made

    assert not change.changed


# Append


@pytest.mark.parametrize(
    ("spec", "options", "body"),
    [
        (block("Storage"), {"additional_enabled_capabilities": ["Console"]}, block("Console", "Storage")),
        (block("Storage"), {"additionalEnabledCapabilities": ["Storage", "Storage"]}, block("Storage")),
        (block("Storage"), block("Console"), block("Console", "Storage")),
        (block(baseline="v4.11"), block("Console", "baremetal"), block("Console", baseline="v4.11")),
        (block("Console"), block(baseline="v4.11"), block("Console", *contents("v4.11"), baseline="None")),
        (None, block("Console"), block(baseline="vCurrent")),
        ({}, block(), block(baseline="vCurrent")),
        (block("Storage"), {}, block("Storage")),
        (block("Storage"), {"inclusionDefault": "Exclude", "include": ["Console"]}, block("Console", "Storage")),
    ],
)
def test_append_adds_to_what_the_spec_requests(spec, options, body):
    told = wished(spec, options, append=True, enabled=["OperatorLifecycleManager"])

    assert told.made.body == {**body, "additionalEnabledCapabilities": sorted(body["additionalEnabledCapabilities"])}


def test_append_in_the_first_draft_takes_nothing_back():
    """It only adds, so it does not go from Include to Exclude."""
    told = wished(None, {"inclusionDefault": "Exclude", "include": ["Console"]}, append=True)

    assert not told.made.changed


@pytest.mark.parametrize("field", ["baselineCapabilitySet", "baseline_capability_set"])
def test_append_takes_a_set_that_is_null_for_one_that_is_not_given(field):
    """As a template leaves it; vCurrent would turn everything on, and nothing can be turned off again."""
    options = {field: None, "additional_enabled_capabilities": ["Console"]}

    assert wished(block("Storage"), options, append=True).made.body == block("Console", "Storage")
    assert not wished(block("Storage"), {field: None}, append=True).made.changed


@pytest.mark.parametrize("options", [{"excluded_capabilities": ["Console"]}, {"excludedCapabilities": []}])
def test_append_excludes_nothing(options):
    ((where, message),) = wished(block("Console"), options, append=True).errors

    assert (where, message) == ("capabilities.excluded_capabilities", "is given beside append, which only adds")


@pytest.mark.parametrize(("append", "adopt"), [(False, False), (True, False), (True, True)])
def test_something_has_to_be_asked_for(append, adopt):
    assert wished(None, None, append=append, adopt=adopt).errors == [("capabilities", "is missing")]


# What is on implicitly


def test_what_is_on_implicitly_stays_and_fails_nothing():
    told = wished(block("Console"), block("Console"), enabled=["Console", "Ingress", "MachineAPI"])

    assert not told.made.changed
    assert told.problems == ()


def test_what_is_on_implicitly_is_adopted():
    on = ["Console", "MachineAPI", "Ingress"]

    change = wished(block("Console"), None, adopt=True, enabled=on).made

    assert change.adopted == ("Ingress", "MachineAPI")
    assert change.body == block("Console", "Ingress", "MachineAPI")
    again = wished(change.body, None, adopt=True, enabled=on).made
    assert (again.changed, again.adopted) == (False, ())


def test_adopting_beside_a_wish_is_repeatable():
    """The second run finds requested what the first one adopted, and what is on is part of this wish."""
    on = ["Console", "Ingress"]

    change = wished(block("Console"), block("Console"), adopt=True, enabled=on).made

    assert (change.adopted, change.body) == (("Ingress",), block("Console", "Ingress"))
    again = wished(change.body, block("Console"), adopt=True, enabled=on)
    assert not again.made.changed


def test_what_the_wish_names_itself_is_not_adopted():
    change = wished(block(), block("Console"), adopt=True, enabled=["Console", "Ingress"]).made

    assert change.adopted == ("Ingress",)
    assert change.body == block("Console", "Ingress")


def test_names_of_a_later_version_after_a_rollback_stay_and_are_not_adopted():
    on = ["Console", "Build", "Later"]

    told = wished(block(), None, "4.13", adopt=True, enabled=on, known=[*contents("vCurrent", "4.13"), "Build"])

    assert told.made.adopted == ("Console",)
    assert told.warnings == [
        ("adopt_implicit", f"{name} is on and not a capability of 4.13, so it cannot be requested")
        for name in ("Build", "Later")
    ]
    assert not wished(block(), block(), "4.13", enabled=on).made.changed


# The first draft


@pytest.mark.parametrize("names", [["Console"], ["Console", "Storage"]])
def test_adding_to_exclude_is_a_removal(names):
    told = wished(None, {"inclusionDefault": "Include", "exclude": names}, enabled=["Ingress"])

    ((where, message),) = told.errors
    assert where == "capabilities.exclude"
    assert all(f"{name} (from vCurrent)" in message for name in names)


def test_excluding_more_than_before_is_a_removal():
    spec = wished(block(), {"inclusionDefault": "Include", "exclude": ["Console"]}).made.body

    assert "Console" not in spec["additionalEnabledCapabilities"]
    ((where, _message),) = wished(spec, {"inclusionDefault": "Include", "exclude": ["Console", "Storage"]}).errors
    assert where == "capabilities.exclude"
    assert wished(spec, {"inclusionDefault": "Include", "exclude": []}).made.changed


@pytest.mark.parametrize("default", ["inclusionDefault", "inclusion_default"])
@pytest.mark.parametrize("spec", [None, {}, block(baseline="vCurrent")])
def test_going_from_include_to_exclude_is_a_removal_even_with_all_names(default, spec):
    told = wished(spec, {default: "Exclude", "include": contents("vCurrent")})

    assert told.errors == [
        ("capabilities.inclusion_default", "goes from Include to Exclude, which takes back what later releases add")
    ]


def test_going_from_exclude_to_include_is_none():
    assert wished(block("Console"), {"inclusionDefault": "Include"}).made.body == block(baseline="vCurrent")


def test_a_name_that_is_excluded_and_on_is_a_warning():
    told = wished(block(), {"excludedCapabilities": ["Console"]}, enabled=["Console", "Storage"])

    assert "Console" not in told.made.body["additionalEnabledCapabilities"]
    (stays, adds) = told.warnings
    assert stays == ("capabilities.excluded_capabilities", "Console is excluded, and on already, so it stays on")
    assert adds[0] == "capabilities.excluded_capabilities"
    assert adds[1].startswith("stands for everything else that 4.20 knows, and so adds Build, CSISnapshot, ")
