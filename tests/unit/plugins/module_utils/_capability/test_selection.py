# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import (
    Selection,
    capability_status,
    check_selection,
    parse_selection,
)
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import MinorData
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problems


def data_of(major: int, minor: int) -> MinorData:
    data = capability_data.data_of(Minor(major, minor))
    assert data is not None
    return data


DATA = data_of(4, 20)
ALL = sorted(DATA.capabilities)
V411 = ["MachineAPI", "baremetal", "marketplace", "openshift-samples"]  # openshift/api release-4.20


def parse(options: Any, where: str = "capabilities") -> tuple[Selection, Problems]:
    problems = Problems()
    return parse_selection(options, Location(field=where), problems), problems


def check(selection: Selection, data: MinorData = DATA, gated: frozenset[str] = frozenset()) -> Problems:
    problems = Problems()
    check_selection(selection, data, gated, problems)
    return problems


def errors(options: Any) -> list[tuple[str, str]]:
    return [(str(item.where), item.message) for item in parse(options)[1] if item.severity == "error"]


def parsed(options: Any) -> Selection:
    selection, problems = parse(options)
    assert [item for item in problems if item.severity == "error"] == []
    return selection


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (None, Selection()),
        ({}, Selection()),
        ({"baselineCapabilitySet": None}, Selection()),
        ({"baseline_capability_set": ""}, Selection()),
        ({"baseline_capability_set": "None"}, Selection("None")),
        ({"baselineCapabilitySet": "v4.11"}, Selection("v4.11")),
        (
            {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Build"]},
            Selection("None", ("Console", "Build")),
        ),
        (
            {"baseline_capability_set": "None", "additionalEnabledCapabilities": ["Console", "Console"]},
            Selection("None", ("Console", "Console")),
        ),
        ({"baseline_capability_set": "None", "additional_enabled_capabilities": []}, Selection("None")),
        ({"additional_enabled_capabilities": []}, Selection()),
        ({"excluded_capabilities": ["Console"]}, Selection(None, (), ("Console",))),
        ({"excludedCapabilities": []}, Selection(None, (), ())),
        ({"excluded_capabilities": None}, Selection()),
        (
            {"baselineCapabilitySet": "v4.11", "excludedCapabilities": ("baremetal",)},
            Selection("v4.11", (), ("baremetal",)),
        ),
        ({"inclusionDefault": "Include"}, Selection("vCurrent")),
        ({"inclusionDefault": "Include", "exclude": ["Console"]}, Selection("vCurrent", (), ("Console",))),
        ({"inclusion_default": "Exclude", "include": ["Console"]}, Selection("None", ("Console",))),
        ({"inclusionDefault": "Exclude"}, Selection("None")),
        ({"inclusionDefault": "Exclude", "exclude": ["Console"]}, Selection("None", (), ("Console",))),
        ({"inclusionDefault": "Include", "include": ["Console"]}, Selection("vCurrent", ("Console",))),
    ],
)
def test_a_selection_is_read_in_every_spelling(options, expected):
    assert parsed(options)[:3] == expected[:3]


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({}, ("baseline_capability_set", "additional_enabled_capabilities", "excluded_capabilities")),
        (
            {"baselineCapabilitySet": None},
            ("baselineCapabilitySet", "additionalEnabledCapabilities", "excludedCapabilities"),
        ),
        (
            {"baseline_capability_set": "None", "excludedCapabilities": []},
            ("baseline_capability_set", "additionalEnabledCapabilities", "excludedCapabilities"),
        ),
        ({"inclusionDefault": "Exclude"}, ("inclusionDefault", "include", "exclude")),
        ({"inclusion_default": "Include", "exclude": []}, ("inclusion_default", "include", "exclude")),
    ],
)
def test_problems_name_the_fields_as_the_user_spells_them(options, fields):
    selection = parsed(options)

    assert (selection.baseline_field, selection.additional_field, selection.excluded_field) == fields


def test_the_place_is_kept_for_later_problems():
    selection, _problems = parse({"baselineCapabilitySet": "v9"}, "clusters[2].capabilities")

    (problem,) = check(selection)
    assert str(problem.where) == "clusters[2].capabilities.baselineCapabilitySet"


def test_the_first_draft_with_exclusions_says_that_it_pins():
    _selection, (problem,) = parse({"inclusionDefault": "Include", "exclude": ["Console"]})

    assert problem.severity == "info"
    assert str(problem.where) == "capabilities.exclude"
    assert problem.message == "pins the selection: it does not request capabilities of later releases"


@pytest.mark.parametrize(
    ("options", "where", "part"),
    [
        ("None", "capabilities", "expected a dict"),
        (["Console"], "capabilities", "expected a dict"),
        (7, "capabilities", "expected a dict"),
        ({"baselineCapabilitySet": ["None"]}, "capabilities.baselineCapabilitySet", "expected the name of a set"),
        ({"baseline_capability_set": 4.11}, "capabilities.baseline_capability_set", "expected the name of a set"),
        ({"baselineCapabilitySet": 4.11}, "capabilities.baselineCapabilitySet", "expected the name of a set"),
        ({"baselineCapabilitySet": False}, "capabilities.baselineCapabilitySet", "expected the name of a set"),
        (
            {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": "Console"},
            "capabilities.additionalEnabledCapabilities",
            "expected a list",
        ),
        (
            {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", 7]},
            "capabilities.additionalEnabledCapabilities[1]",
            "expected a name",
        ),
        ({"excludedCapabilities": {"Console": True}}, "capabilities.excludedCapabilities", "expected a list"),
        ({"excludedCapabilities": [None]}, "capabilities.excludedCapabilities[0]", "is null, expected a name"),
        (
            {"additionalEnabledCapabilities": ["Console"]},
            "capabilities.baselineCapabilitySet",
            "is missing; additionalEnabledCapabilities requires it",
        ),
        (
            {"baselineCapabilitySet": "None", "baseline_capability_set": "None"},
            "capabilities.baseline_capability_set",
            "is set in two spellings, baselineCapabilitySet and baseline_capability_set",
        ),
        (
            {
                "baselineCapabilitySet": "None",
                "additional_enabled_capabilities": ["Console"],
                "additionalEnabledCapabilities": ["Console"],
            },
            "capabilities.additionalEnabledCapabilities",
            "is set in two spellings",
        ),
        ({"baselineCapabilitySets": "None"}, "capabilities.baselineCapabilitySets", "is not a field of a selection"),
        ({7: "None"}, "capabilities.7", "is not a field of a selection"),
        (
            {
                "baselineCapabilitySet": "None",
                "additionalEnabledCapabilities": ["Console"],
                "excludedCapabilities": ["Console"],
            },
            "capabilities.excludedCapabilities",
            "Console is also in additionalEnabledCapabilities",
        ),
        (
            {"inclusionDefault": "Include", "include": ["Console"], "exclude": ["Console"]},
            "capabilities.exclude",
            "Console is also in include",
        ),
        ({"inclusionDefault": "include"}, "capabilities.inclusionDefault", "expected Include or Exclude"),
        ({"exclude": ["Console"]}, "capabilities.inclusion_default", "is missing"),
        ({"inclusionDefault": "Exclude", "include": "Console"}, "capabilities.include", "expected a list"),
        ({"inclusionDefault": "Exclude", "baselineCapabilitySet": "None"}, "capabilities", "mixes two spellings"),
    ],
)
def test_what_is_wrong_with_a_selection_names_the_field(options, where, part):
    ((found_where, found),) = errors(options)

    assert found_where == where
    assert part in found


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"additional_enabled_capabilities": ["Console"]}, "missing-baseline"),
        ({"baselineCapabilitySet": "None", "include": ["Console"]}, "mixed-spellings"),
        ({"inclusionDefault": "Exclude", "include": ["Build"], "exclude": ["Build"]}, "conflicting-names"),
        ({"inclusionDefault": "Sometimes"}, "invalid-inclusion-default"),
    ],
)
def test_a_wrong_selection_has_a_code(options, code):
    assert [problem.code for problem in parse(options)[1]] == [code]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"baselineCapabilitysset": "None"}, "Did you mean baselineCapabilitySet?"),
        ({"baselineCapabilitySet": "None", "additionalEnabledCapabilities": [["Console"]]}, "Write one name per item"),
    ],
)
def test_the_hint_can_be_followed(options, hint):
    _selection, (problem,) = parse(options)

    assert problem.hint == hint


def test_all_problems_of_a_selection_are_reported_at_once():
    options = {
        "baselineCapabilitySet": 4.11,
        "additionalEnabledCapabilities": ["Console", 7],
        "excludedCapabilities": ["Console"],
        "colour": "red",
    }

    assert len(errors(options)) == 4


@pytest.mark.parametrize(
    ("selection", "where", "hint"),
    [
        (Selection("vcurrent"), "baseline_capability_set", "Write vCurrent"),
        (Selection("none"), "baseline_capability_set", "Write None"),
        (Selection("4.11"), "baseline_capability_set", "Did you mean v4.11?"),
        (Selection("v4.19"), "baseline_capability_set", "Use a set from v4.11 to v4.18, or vCurrent for everything"),
        (Selection("None", ("console",)), "additional_enabled_capabilities[0]", "Write Console: names are case"),
        (Selection("None", ("Build", "BareMetal")), "additional_enabled_capabilities[1]", "Write baremetal: names"),
        (Selection("None", ("Consol",)), "additional_enabled_capabilities[0]", "Did you mean Console?"),
        (Selection("None", ("Console ",)), "additional_enabled_capabilities[0]", "Remove the spaces"),
        (Selection("None", ("Zzzz",)), "additional_enabled_capabilities[0]", "Use one of: Build, CSISnapshot"),
        (Selection(None, (), ("Insight",)), "excluded_capabilities[0]", "Did you mean Insights?"),
    ],
)
def test_an_unknown_name_gets_the_nearest_known_one_and_a_word_on_case(selection, where, hint):
    (problem,) = check(selection)

    assert problem.severity == "error"
    assert str(problem.where) == f"capabilities.{where}"
    assert problem.hint.startswith(hint)
    assert "4.20" in problem.message


@pytest.mark.parametrize(
    ("version", "known"), [((4, 17), False), ((4, 18), True)], ids=["before it was known", "since it is"]
)
def test_whether_a_name_is_known_depends_on_the_minor(version, known):
    selection = Selection("None", ("OperatorLifecycleManagerV1",))

    assert (check(selection, data_of(*version)) == []) is known


def test_a_gated_capability_is_an_error_that_names_its_gate():
    data = data_of(4, 23)
    (problem,) = check(Selection("None", ("ClusterAPI",)), data, frozenset({"ClusterAPI"}))

    assert "ClusterAPIMachineManagement" in problem.message
    assert check(Selection("None", ("ClusterAPI",)), data) == []


# openshift/cluster-version-operator:lib/capability/capability.go SetCapabilities
@pytest.mark.parametrize(
    ("selection", "stay_enabled", "enabled", "implicit"),
    [
        (Selection(), [], ALL, []),
        (Selection("vCurrent"), ["Ingress"], ALL, []),
        (Selection("None"), [], [], []),
        (Selection("None"), ["Ingress"], ["Ingress"], ["Ingress"]),
        (Selection("None", ("Ingress",)), ["Ingress"], ["Ingress"], []),
        (Selection("v4.11"), [], V411, []),
        (Selection("v4.11", ("Console",)), ["Build"], ["Build", "Console", *V411], ["Build"]),
        (Selection("None", ("Brand",)), [], ["Brand"], []),
        (Selection("v4.99"), [], [], []),
        (Selection(None, (), ()), [], ALL, []),
        (Selection(None, (), ("Ingress",)), ["Ingress"], ALL, ["Ingress"]),
    ],
)
def test_the_status_is_baseline_additional_and_what_stays_enabled(selection, stay_enabled, enabled, implicit):
    status = capability_status(selection, DATA, stay_enabled=stay_enabled)

    assert sorted(status.enabled) == sorted(enabled)
    assert sorted(status.implicitly_enabled) == implicit
    assert sorted(status.known) == ALL


def test_disabled_gates_remove_their_names_from_known_enabled_and_implicit():
    gated = frozenset({"ClusterAPI"})
    status = capability_status(Selection("None"), data_of(4, 23), gated, ["ClusterAPI", "Ingress"])

    assert "ClusterAPI" not in status.known | status.enabled | status.implicitly_enabled
    assert status.implicitly_enabled == {"Ingress"}


def test_a_set_that_does_not_exist_is_pinned_to_its_list():
    """It is reported as an error; the other names are checked all the same."""
    assert Selection("v9", ("Console",), ("Storage",)).pinned(DATA) == Selection("None", ("Console",))


def test_a_selection_without_exclusions_is_pinned_to_itself():
    assert Selection("v4.11", ("Console",)).pinned(DATA) == Selection("v4.11", ("Console",))


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection("v4.11", (), ("baremetal",)), ("MachineAPI", "marketplace", "openshift-samples")),
        (
            Selection("v4.11", ("Console",), ("baremetal", "MachineAPI")),
            ("Console", "marketplace", "openshift-samples"),
        ),
        (Selection("None", (), ("Console",)), ()),
    ],
)
def test_exclusions_become_none_and_a_list(selection, expected):
    assert selection.pinned(DATA) == Selection("None", expected)


NAMES = st.sampled_from([*ALL, "Brand"])
LISTS = st.lists(NAMES, max_size=6, unique=True)
SETS = st.sampled_from([None, *DATA.sets])
SELECTIONS = st.builds(Selection, SETS, LISTS.map(tuple), st.none() | LISTS.map(tuple))
GATED_NAMES = st.frozensets(NAMES, max_size=3)


@given(SELECTIONS, GATED_NAMES)
def test_a_pinned_selection_has_no_excluded_or_gated_name_and_is_stable(selection, gated):
    translated = selection.pinned(DATA, gated)

    assert translated.excluded is None
    if selection.excluded is not None:
        assert translated.baseline == "None"
        assert not set(translated.additional) & (set(selection.excluded) | gated)
    assert translated.pinned(DATA, gated) == translated


@given(SELECTIONS, GATED_NAMES, LISTS)
def test_enabled_contains_everything_that_must_stay_enabled(selection, gated, stay_enabled):
    status = capability_status(selection, DATA, gated, stay_enabled)

    assert status.enabled >= set(stay_enabled) & status.known
    assert status.implicitly_enabled <= status.enabled & set(stay_enabled)
    assert not (status.known | status.enabled) & gated


@given(SELECTIONS, LISTS)
def test_an_excluded_name_is_enabled_only_implicitly(selection, stay_enabled):
    status = capability_status(selection, DATA, stay_enabled=stay_enabled)

    assert status.enabled & set(selection.excluded or ()) <= status.implicitly_enabled


@given(SELECTIONS, LISTS, LISTS)
def test_keeping_more_enabled_never_disables_anything(selection, stay_enabled, more):
    fewer = capability_status(selection, DATA, stay_enabled=stay_enabled).enabled

    assert fewer <= capability_status(selection, DATA, stay_enabled=[*stay_enabled, *more]).enabled


SNAKE = {
    "baseline_capability_set": "baselineCapabilitySet",
    "additional_enabled_capabilities": "additionalEnabledCapabilities",
    "excluded_capabilities": "excludedCapabilities",
    "inclusion_default": "inclusionDefault",
    "include": "include",
    "exclude": "exclude",
}


def in_camel_case(text: str) -> str:
    for snake, camel in SNAKE.items():
        text = text.replace(snake, camel)
    return text


VALUES = st.none() | st.sampled_from(["None", "v4.11", "Include", "Exclude", "", 7]) | LISTS
OPTIONS = st.dictionaries(st.sampled_from(list(SNAKE)), VALUES)


@given(OPTIONS)
def test_both_spellings_say_the_same(options):
    camel, camel_problems = parse({SNAKE[key]: value for key, value in options.items()})
    snake, snake_problems = parse(options)

    assert camel[:3] == snake[:3]
    assert list(map(str, camel_problems)) == [in_camel_case(str(problem)) for problem in snake_problems]


@given(OPTIONS)
def test_the_order_of_keys_does_not_matter(options):
    selection, problems = parse(options)
    reordered, reordered_problems = parse(dict(reversed(options.items())))

    assert reordered == selection
    assert sorted(map(str, reordered_problems)) == sorted(map(str, problems))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(SNAKE)) | st.text(), inner, max_size=4)
    ),
)


@given(ANYTHING)
def test_no_value_at_all_ends_in_an_exception(options):
    selection, problems = parse(options)

    check(selection)
    assert all(str(problem.where) for problem in problems)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), {"baselineCapabilitySet": "vCurrent"}),
        (Selection("v4.11"), {"baselineCapabilitySet": "v4.11"}),
        (
            Selection("None", ("Ingress", "Build")),
            {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", "Build"]},
        ),
    ],
)
def test_a_selection_in_the_spelling_of_the_api_has_no_empty_list(selection, expected):
    assert selection.to_api() == expected
