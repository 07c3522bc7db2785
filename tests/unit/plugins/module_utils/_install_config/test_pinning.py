# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import InstallContext
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._install_config.pinning import (
    candidate_minors,
    pinned,
    shortest,
    stable_sets,
)
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    GATED,
    MINORS,
    after,
    asks_for,
    facts_of,
    known,
    listed,
    sets_of,
)


def pin(selection, minors, hidden=frozenset()):
    """Return the pinned form of a selection, which is made of the names that it asks for."""
    return pinned(InstallContext(minors[0], "upi", hidden=hidden).enabled(selection), minors, "capabilities")


def question(*minors):
    return tuple(facts_of(minor) for minor in minors)


def later(minor):
    return question(*after(minor))


# Sets that every minor from this one on resolves alike. Those of 4.11 and 4.12 are gone because v4.11 to v4.13 gained
# MachineAPI in 4.14.
STABLE = {
    **dict.fromkeys(("4.11", "4.12", "4.13"), "None"),
    "4.14": "None v4.11 v4.12 v4.13 v4.14",
    "4.15": "None v4.11 v4.12 v4.13 v4.14 v4.15",
    "4.16": "None v4.11 v4.12 v4.13 v4.14 v4.15 v4.16",
    "4.17": "None v4.11 v4.12 v4.13 v4.14 v4.15 v4.16 v4.17",
    **dict.fromkeys(after("4.18"), "None v4.11 v4.12 v4.13 v4.14 v4.15 v4.16 v4.17 v4.18"),
}


@pytest.mark.parametrize("minor", MINORS)
def test_sets_that_stay_what_they_are(minor):
    found = stable_sets(later(minor))

    assert list(found) == STABLE[minor].split()
    assert found == {name: sets_of(minor)[name] for name in found}


@pytest.mark.parametrize("minor", MINORS)
def test_a_cluster_may_be_updated_to_every_later_minor(minor):
    assert [str(facts.minor) for facts in candidate_minors(facts_of(minor))] == list(after(minor))


def test_a_minor_that_is_not_known_here_is_in_question_alone():
    newest = facts_of("5.2")
    unknown = newest._replace(minor=newest.minor._replace(minor=9))

    assert candidate_minors(unknown) == (unknown,)


@pytest.mark.parametrize(
    ("minor", "selection", "expected"),
    [
        # v4.16 and v4.17 have the same content: the older one is the older promise.
        ("4.17", Selection("v4.17"), Selection("v4.16")),
        ("4.22", Selection("v4.17"), Selection("v4.16")),
        ("4.17", Selection("vCurrent"), Selection("v4.16")),
        ("4.18", Selection("vCurrent"), Selection("v4.18")),
        ("4.22", Selection(), Selection("v4.18")),
        ("4.22", Selection("vCurrent", (), ("OperatorLifecycleManagerV1",)), Selection("v4.16")),
        ("4.22", Selection("v4.14", ("CloudCredential", "OperatorLifecycleManager")), Selection("v4.15")),
        ("4.14", Selection("v4.11"), Selection("v4.11")),
        ("4.14", Selection("v4.12"), Selection("v4.12")),
        ("4.14", Selection("v4.14", (), ("Build", "DeploymentConfig", "ImageRegistry")), Selection("v4.13")),
        ("4.14", listed("MachineAPI", "baremetal", "marketplace", "openshift-samples"), Selection("v4.11")),
        ("4.11", Selection("v4.11"), listed("baremetal", "marketplace", "openshift-samples")),
        ("4.13", Selection("v4.11"), listed("baremetal", "marketplace", "openshift-samples")),
        ("4.13", Selection("vCurrent"), listed(*sorted(known("4.13")))),
        ("4.13", listed("Console", "Build"), listed("Build", "Console")),
        ("4.20", Selection("None", (), ("Console",)), listed()),
        ("4.20", Selection("vCurrent", (), tuple(known("4.20"))), listed()),
        ("4.20", Selection("vCurrent", (), ("Console",)), listed(*sorted(known("4.20") - {"Console"}))),
        ("4.20", Selection("vCurrent", (), ()), Selection("v4.18")),
        ("5.2", Selection("vCurrent"), Selection("v4.18")),
    ],
)
def test_a_selection_is_pinned_to_the_oldest_set_that_is_exactly_that(minor, selection, expected):
    form = pin(selection, later(minor), GATED)

    assert form.selection == expected
    assert (f"every version from {minor} to 5.2" if minor != "5.2" else "in 5.2") in form.reason
    assert form.reason.startswith("no capability set" if expected.baseline == "None" and expected.additional else "")


def test_reasons_name_the_set_or_the_number_of_names():
    assert pin(Selection("v4.17"), question("4.17")).reason == "v4.16 is exactly that in 4.17"
    assert pin(listed("Build"), later("5.1")).reason == (
        "no capability set is exactly that in every version from 5.1 to 5.2, so every name is listed (1)"
    )


def test_gated_names_are_pinned_only_while_they_exist():
    with_gates = pin(Selection("vCurrent"), later("4.23"))

    assert with_gates.selection == listed(*sorted(known("4.23") | GATED))
    assert pin(Selection("vCurrent"), later("4.23"), GATED).selection == Selection("v4.18")


@pytest.mark.parametrize(
    ("minor", "selection", "expected"),
    [
        ("4.20", listed(*known("4.20") - {"Console"}), 12),  # beside v4.11, as v4.12 and later have Console
        ("4.20", listed(*known("4.20")), 0),
        ("4.13", listed(*known("4.13")), 8),
        ("4.14", listed(*known("4.13"), "MachineAPI"), 0),
        ("4.20", Selection("v4.14", ("OperatorLifecycleManager", "Console")), 1),
    ],
)
def test_the_shortest_form_lists_what_no_set_brings(minor, selection, expected):
    form = shortest(selection, later(minor))

    assert len(form.selection.additional) == expected
    assert asks_for(form.selection, minor) == asks_for(selection, minor)
    assert f"with {expected} beside it" in form.reason


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("baseline", [None, "vCurrent"])
def test_what_follows_every_release_goes_on_doing_so(minor, baseline):
    assert shortest(Selection(baseline, ("Console",)), later(minor)).selection.baseline == "vCurrent"


def test_a_set_that_grew_is_not_taken_for_what_it_was():
    form = shortest(Selection("v4.11", ("Insights",)), later("4.13"))

    assert form.selection == Selection("v4.11", ("Insights",))


def test_a_set_that_grew_alike_is_as_good_as_the_one_that_was_asked_for():
    """v4.11 and v4.12 both gained MachineAPI in 4.14, so every minor makes the same of these two."""
    asked = Selection("v4.11", ("CSISnapshot", "Console", "Insights", "Storage"))
    minors = after("4.12")

    assert [asks_for(Selection("v4.12"), minor) for minor in minors] == [asks_for(asked, minor) for minor in minors]
    assert shortest(asked, question(*minors)).selection == Selection("v4.12")


NAMES = st.lists(st.sampled_from(sorted(known("5.2") | GATED)), max_size=18, unique=True)
RANGES = st.integers(0, len(MINORS) - 1).flatmap(
    lambda first: st.integers(first, len(MINORS) - 1).map(lambda last: MINORS[first : last + 1])
)


@st.composite
def questions(draw, *, exclusions):
    """Return minors, and a selection that the first of them knows."""
    minors = draw(RANGES)
    first = minors[0]
    exists = sets_of(first)["vCurrent"]
    baseline = draw(st.sampled_from([None, *sets_of(first)]))
    additional = tuple(name for name in draw(NAMES) if name in exists)
    excluded = draw(st.none() | NAMES.map(tuple)) if exclusions else None
    return minors, Selection(baseline, additional, excluded)


@given(questions(exclusions=True))
def test_a_pinned_selection_is_the_same_in_every_minor_and_holds_nothing_that_is_excluded(asked):
    minors, selection = asked
    expected = asks_for(selection, minors[0]) - set(selection.excluded or ())

    form = pin(selection, question(*minors)).selection

    assert form.excluded is None
    assert form.baseline != "vCurrent"
    assert {asks_for(form, minor) for minor in minors} == {expected}
    assert list(form.additional) == sorted(set(form.additional))


@given(questions(exclusions=True))
def test_a_pinned_selection_lists_names_only_if_no_set_is_exactly_that(asked):
    minors, selection = asked
    expected = asks_for(selection, minors[0]) - set(selection.excluded or ())

    form = pin(selection, question(*minors)).selection

    same = [
        name
        for name in sets_of(minors[0])
        if name != "vCurrent" and all(sets_of(minor)[name] == expected for minor in minors)
    ]
    assert form == (Selection(same[0]) if same else listed(*sorted(expected)))


@given(questions(exclusions=True))
def test_what_is_pinned_stays_as_it_is(asked):
    minors, selection = asked
    once = pin(selection, question(*minors)).selection

    assert pin(once, question(*minors)).selection == once


@given(questions(exclusions=False))
def test_the_shortest_form_is_the_same_in_every_minor(asked):
    minors, selection = asked

    form = shortest(selection, question(*minors)).selection

    assert [asks_for(form, minor) for minor in minors] == [asks_for(selection, minor) for minor in minors]


@given(questions(exclusions=False))
def test_no_other_form_of_a_selection_is_shorter(asked):
    """Every set of the first minor is tried, but for vCurrent, which would make the selection grow from then on."""
    minors, selection = asked
    names = asks_for(selection, minors[0])

    form = shortest(selection, question(*minors)).selection

    others = [
        names - content
        for name, content in sets_of(minors[0]).items()
        if content <= names
        and (name != "vCurrent" or selection.baseline in (None, "vCurrent"))
        and all(sets_of(minor)[name] | (names - content) == asks_for(selection, minor) for minor in minors)
    ]
    assert len(form.additional) <= min([len(selection.additional), *map(len, others)])
