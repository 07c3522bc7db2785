# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an installation demands, by version, platform and method."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import (
    rule_violations,
    suggested_selection,
    unchecked_rules,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    CLOUDS,
    METHODS,
    MINORS,
    PLATFORMS,
    after,
    broken,
    install,
    known,
    listed,
    missing,
)

# What a cluster cannot be without, beside MachineAPI where the installer provisions it (4.14 and later).
# External is the platform external with cloudControllerManager: External.
_ON_CLOUDS = {"CloudCredential", "CloudControllerManager", "Ingress"}
MINIMAL: dict[str, dict[str, set[str]]] = {
    "4.11 to 4.14": {"none": set(), "baremetal": set(), "external": set(), "External": set(), "cloud": set()},
    "4.15": {
        "none": set(),
        "baremetal": set(),
        "external": {"CloudCredential"},
        "External": {"CloudCredential"},
        "cloud": {"CloudCredential"},
    },
    "4.16": {
        "none": {"Ingress"},
        "baremetal": {"baremetal", "MachineAPI", "Ingress"},
        "external": {"CloudCredential", "Ingress"},
        "External": _ON_CLOUDS,
        "cloud": _ON_CLOUDS,
    },
    "4.17 and later": {
        "none": {"Ingress"},
        "baremetal": {"baremetal", "Ingress"},
        "external": {"CloudCredential", "Ingress"},
        "External": _ON_CLOUDS,
        "cloud": _ON_CLOUDS,
    },
}
SPANS = {
    **dict.fromkeys(after("4.11", "4.14"), "4.11 to 4.14"),
    "4.15": "4.15",
    "4.16": "4.16",
    **dict.fromkeys(after("4.17"), "4.17 and later"),
}
PLACES = [*PLATFORMS, "External"]


def of(minor, method, place):
    """Return the context of an installation on ``place``, a platform or External."""
    if place == "External":
        return install(minor, method, "external", external_cloud_controller_manager=True)
    return install(minor, method, place)


def minimal(minor, method, place):
    names = MINIMAL[SPANS[minor]]["cloud" if place in CLOUDS else place]
    return sorted(names | ({"MachineAPI"} if method == "ipi" and minor in after("4.14") else set()))


def without(selection, name):
    return selection._replace(additional=tuple(item for item in selection.additional if item != name))


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
def test_the_suggestion_for_none_is_the_smallest_valid_list(minor, method):
    for place in PLACES:
        context = of(minor, method, place)
        expected = minimal(minor, method, place)

        selection, _reasons = suggested_selection(listed(), context)

        assert selection == listed(*expected), place
        assert broken(selection, context) == [], place
        for name in expected:
            assert missing(without(selection, name), context) == [name], place


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
def test_a_valid_selection_is_its_own_suggestion(minor, method):
    everything = Selection("vCurrent", ())

    for place in PLACES:
        assert suggested_selection(everything, of(minor, method, place)) == (everything, ()), place


@pytest.mark.parametrize("minor", after("4.16"))
def test_none_on_a_cloud_violates_all_its_rules_at_once(minor):
    three = [
        ("inst-ccm", "CloudControllerManager"),
        ("inst-cloudcredential", "CloudCredential"),
        ("inst-ingress", "Ingress"),
    ]

    for platform in CLOUDS:
        assert broken(listed(), install(minor, "upi", platform)) == three, platform
        found = broken(listed(), install(minor, "ipi", platform))
        assert found == [*three, ("inst-ipi-machineapi", "MachineAPI")], platform


@pytest.mark.parametrize("platform", CLOUDS)
def test_in_4_15_a_cloud_needs_cloud_credential_alone(platform):
    assert broken(listed(), install("4.15", "upi", platform)) == [("inst-cloudcredential", "CloudCredential")]


@pytest.mark.parametrize("minor", after("4.16"))
def test_external_with_a_cloud_controller_manager_has_its_own_rule(minor):
    selection = listed("CloudCredential", "Ingress")

    assert broken(selection, of(minor, "upi", "External")) == [("inst-ccm-external", "CloudControllerManager")]
    assert broken(selection, of(minor, "upi", "external")) == []


@pytest.mark.parametrize("minor", after("4.16"))
@pytest.mark.parametrize("platform", ["none", "baremetal", "aws"])
def test_only_platform_external_has_an_external_cloud_controller_manager(minor, platform):
    names = sorted(known(minor) - {"CloudControllerManager"})
    context = install(minor, "upi", platform, external_cloud_controller_manager=True)

    found = [rule for rule, _name in broken(listed(*names), context)]

    assert found == (["inst-ccm"] if platform == "aws" else [])


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("place", ["none", "baremetal"])
def test_baremetal_needs_machine_api_from_4_14_to_4_16(minor, place, method):
    everything_else = known(minor) - {"MachineAPI"}

    found = [rule for rule, name in broken(listed(*everything_else), install(minor, method, place))]

    both = ["api-baremetal-machineapi", "inst-baremetal-machineapi"] if minor in after("4.14", "4.16") else []
    assert found == both + (["inst-ipi-machineapi"] if method == "ipi" and minor in after("4.14") else [])


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", ["upi", "agent", "assisted"])
def test_marketplace_that_is_listed_needs_the_lifecycle_manager_from_4_15(minor, method):
    ingress = ["Ingress"] if minor in after("4.16") else []
    context = install(minor, method)

    found = broken(listed(*ingress, "marketplace"), context)
    selection, _reasons = suggested_selection(listed(*ingress, "marketplace"), context)

    if minor in after("4.15"):
        name = "OperatorLifecycleManager"
        assert found == [("api-marketplace-olm", name), ("inst-marketplace-olm", name)]
        assert selection == listed(*ingress, name, "marketplace")
    else:
        assert found == []
        assert selection == listed("marketplace")


@pytest.mark.parametrize("minor", after("4.15"))
@pytest.mark.parametrize("method", METHODS)
def test_marketplace_of_a_set_needs_the_lifecycle_manager_from_4_17(minor, method):
    context = install(minor, method)
    ingress = ("Ingress",) if minor in after("4.16") else ()

    found = broken(listed(*ingress, baseline="v4.11"), context)
    selection, reasons = suggested_selection(listed(*ingress, baseline="v4.11"), context)

    if minor in after("4.17"):
        assert found == [("inst-marketplace-olm", "OperatorLifecycleManager")]
        assert selection == listed(*ingress, "OperatorLifecycleManager", baseline="v4.11")
        assert [reason.rule.name for reason in reasons] == ["inst-marketplace-olm"]
    else:
        assert found == []
        assert selection == listed(*ingress, baseline="v4.11")


@pytest.mark.parametrize("minor", after("4.18"))
def test_the_newer_lifecycle_manager_does_not_stand_for_the_older_one(minor):
    selection = listed("Ingress", "OperatorLifecycleManagerV1", "marketplace")

    assert missing(selection, install(minor)) == ["OperatorLifecycleManager"]


DOCUMENTED = listed("CSISnapshot", "Console", "Storage", baseline="v4.11")
MISSING_IN_DOCUMENTED = {
    "none": ["Ingress", "OperatorLifecycleManager"],
    "baremetal": ["Ingress", "OperatorLifecycleManager"],
    "external": ["CloudCredential", "Ingress", "OperatorLifecycleManager"],
    "External": ["CloudControllerManager", "CloudCredential", "Ingress", "OperatorLifecycleManager"],
    "cloud": ["CloudControllerManager", "CloudCredential", "Ingress", "OperatorLifecycleManager"],
}


@pytest.mark.parametrize("minor", after("4.17"))
@pytest.mark.parametrize("method", METHODS)
def test_the_suggestion_for_the_example_of_the_documentation_adds_the_fewest_names(minor, method):
    for place in PLACES:
        expected = MISSING_IN_DOCUMENTED["cloud" if place in CLOUDS else place]
        context = of(minor, method, place)

        selection, reasons = suggested_selection(DOCUMENTED, context)

        assert missing(DOCUMENTED, context) == expected, place
        assert selection == DOCUMENTED._replace(additional=tuple(sorted({*DOCUMENTED.additional, *expected}))), place
        assert broken(selection, context) == [], place
        assert sorted(reason.capability for reason in reasons) == expected, place
        for name in expected:
            assert missing(without(selection, name), context) == [name], place


@pytest.mark.parametrize("place", PLACES)
def test_the_example_of_the_documentation_is_valid_where_it_was_written(place):
    assert broken(DOCUMENTED, of("4.12", "ipi", place)) == []


VALID_ALONE = {
    "4.11": {"none": "None v4.11 vCurrent", "aws": "None v4.11 vCurrent", "aws ipi": "None v4.11 vCurrent"},
    "4.12": {
        "none": "None v4.11 v4.12 vCurrent",
        "aws": "None v4.11 v4.12 vCurrent",
        "aws ipi": "None v4.11 v4.12 vCurrent",
    },
    "4.13": {
        "none": "None v4.11 v4.12 v4.13 vCurrent",
        "aws": "None v4.11 v4.12 v4.13 vCurrent",
        "aws ipi": "None v4.11 v4.12 v4.13 vCurrent",
    },
    "4.14": {
        "none": "None v4.11 v4.12 v4.13 v4.14 vCurrent",
        "aws": "None v4.11 v4.12 v4.13 v4.14 vCurrent",
        "aws ipi": "v4.11 v4.12 v4.13 v4.14 vCurrent",
    },
    "4.15": {
        "none": "None v4.11 v4.12 v4.13 v4.14 v4.15 vCurrent",
        "aws": "v4.15 vCurrent",
        "aws ipi": "v4.15 vCurrent",
    },
    "4.16": {"none": "v4.16 vCurrent", "aws": "v4.16 vCurrent", "aws ipi": "v4.16 vCurrent"},
    "4.17": dict.fromkeys(("none", "aws", "aws ipi"), "v4.16 v4.17 vCurrent"),
    **{minor: dict.fromkeys(("none", "aws", "aws ipi"), "v4.16 v4.17 v4.18 vCurrent") for minor in after("4.18")},
}


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("where", ["none", "aws", "aws ipi"])
def test_these_sets_are_valid_with_nothing_beside_them(minor, where):
    platform, _blank, method = where.partition(" ")
    context = install(minor, method or "upi", platform)

    valid = [name for name in context.minor_data.sets if not broken(Selection(name), context)]

    assert sorted(valid) == VALID_ALONE[minor][where].split()


@pytest.mark.parametrize("minor", after("4.17"))
@pytest.mark.parametrize(
    ("baseline", "platform", "expected"),
    [
        *((f"v4.{number}", "none", "Ingress OperatorLifecycleManager") for number in (11, 12, 13, 14)),
        *(
            (f"v4.{number}", "gcp", "CloudControllerManager CloudCredential Ingress OperatorLifecycleManager")
            for number in (11, 12, 13, 14)
        ),
        ("v4.15", "none", "Ingress"),
        ("v4.15", "gcp", "CloudControllerManager Ingress"),
    ],
)
def test_older_sets_need_what_came_after_them(minor, baseline, platform, expected):
    assert missing(Selection(baseline), install(minor, "ipi", platform)) == expected.split()


@pytest.mark.parametrize(
    ("minor", "method", "expected"),
    [
        ("4.11", "upi", "doc-platform-baremetal"),
        ("4.15", "upi", "doc-platform-baremetal doc-storage-platform inst-cloudcredential"),
        ("4.16", "ipi", "doc-storage-platform inst-ccm inst-ccm-external inst-cloudcredential inst-platform-baremetal"),
        ("5.2", "upi", "doc-storage-platform inst-ccm inst-ccm-external inst-cloudcredential inst-platform-baremetal"),
        ("5.2", "hosted", ""),
    ],
)
def test_rules_of_the_platform_are_unchecked_if_it_is_not_known(minor, method, expected):
    assert sorted(rule.name for rule in unchecked_rules(install(minor, method, None))) == expected.split()
    assert unchecked_rules(install(minor, method, "aws")) == ()
    rules = {item.rule.name for item in rule_violations(listed(), install(minor, method, None))}
    assert rules.isdisjoint(expected.split())
