# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import InstallContext
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._capability.solution import (
    candidate_minors,
    pinned,
    stable_sets,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    GATED,
    MINORS,
    NEWEST,
    after,
    known,
    listed,
    minor_data_of,
    requested_names,
    sets_of,
)


def pin(selection, minors, gated=frozenset()):
    """Return the pinned form of a selection."""
    return pinned(
        InstallContext(minors[0], "upi", gated=gated).enabled(selection), minors, Location(field="capabilities")
    )


def data_of(*minors):
    return tuple(minor_data_of(minor) for minor in minors)


def later(minor):
    return data_of(*after(minor))


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
def test_stable_sets_of_each_minor(minor):
    stable = stable_sets(later(minor))

    assert list(stable) == STABLE[minor].split()
    assert stable == {name: sets_of(minor)[name] for name in stable}


@pytest.mark.parametrize("minor", MINORS)
def test_a_cluster_may_be_updated_to_every_later_minor(minor):
    assert [str(data.minor) for data in candidate_minors(minor_data_of(minor))] == list(after(minor))


def test_an_unknown_minor_has_no_later_ones():
    newest = minor_data_of(NEWEST)
    unknown = newest._replace(minor=newest.minor._replace(minor=9))

    assert candidate_minors(unknown) == (unknown,)


@pytest.mark.parametrize(
    ("minor", "selection", "expected"),
    [
        # v4.16 and v4.17 have the same content: the older one is used.
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
        ("5.1", Selection("vCurrent"), Selection("v4.18")),
    ],
)
def test_a_selection_is_pinned_to_the_oldest_equal_set(minor, selection, expected):
    form, reason = pin(selection, later(minor), GATED)

    assert form == expected
    assert f"every version from {minor} to {NEWEST}" in reason
    assert reason.startswith("no capability set" if expected.baseline == "None" and expected.additional else "")


def test_reasons_name_the_set_or_the_number_of_names():
    assert pin(Selection("v4.17"), data_of("4.17"))[1] == "v4.16 has exactly these names in 4.17"
    assert pin(listed("Build"), later("5.1"))[1] == (
        f"no capability set has exactly these names in every version from 5.1 to {NEWEST}, so they are listed (1)"
    )


def test_gated_names_are_pinned_only_while_they_exist():
    with_gates, _reason = pin(Selection("vCurrent"), later("4.23"))

    assert with_gates == listed(*sorted(known("4.23") | GATED))
    assert pin(Selection("vCurrent"), later("4.23"), GATED)[0] == Selection("v4.18")


NAMES = st.lists(st.sampled_from(sorted(known(NEWEST) | GATED)), max_size=18, unique=True)
RANGES = st.integers(0, len(MINORS) - 1).flatmap(
    lambda first: st.integers(first, len(MINORS) - 1).map(lambda last: MINORS[first : last + 1])
)


@st.composite
def selections_with_minors(draw):
    """Return minors, and a selection that the first of them knows."""
    minors = draw(RANGES)
    first = minors[0]
    exists = sets_of(first)["vCurrent"]
    baseline = draw(st.sampled_from([None, *sets_of(first)]))
    additional = tuple(name for name in draw(NAMES) if name in exists)
    excluded = draw(st.none() | NAMES.map(tuple))
    return minors, Selection(baseline, additional, excluded)


@given(selections_with_minors())
def test_a_pinned_selection_is_the_same_in_every_minor_and_contains_no_excluded_name(case):
    minors, selection = case
    expected = requested_names(selection, minors[0]) - set(selection.excluded or ())

    form = pin(selection, data_of(*minors))[0]

    assert form.excluded is None
    assert form.baseline != "vCurrent"
    assert {requested_names(form, minor) for minor in minors} == {expected}
    assert list(form.additional) == sorted(set(form.additional))


@given(selections_with_minors())
def test_a_pinned_selection_lists_names_only_if_no_set_is_equal(case):
    minors, selection = case
    expected = requested_names(selection, minors[0]) - set(selection.excluded or ())

    form = pin(selection, data_of(*minors))[0]

    same = [
        name
        for name in sets_of(minors[0])
        if name != "vCurrent" and all(sets_of(minor)[name] == expected for minor in minors)
    ]
    assert form == (Selection(same[0]) if same else listed(*sorted(expected)))


@given(selections_with_minors())
def test_pinning_is_idempotent(case):
    minors, selection = case
    once = pin(selection, data_of(*minors))[0]

    assert pin(once, data_of(*minors))[0] == once
