# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.acceptance import (
    Acceptance,
    acceptances_of,
    accepting,
    check_used,
    read_acceptances,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_reasons import (
    UpdateReason,
    accept,
)

TODAY = date(2026, 11, 28)
GATE = "ack-4.18-kube-1.32-api-removals-in-4.19"


def entry(name: str = GATE, **fields: Any) -> dict[str, Any]:
    return {"name": name, "reason": "no v1beta1 client since June", **fields}


def read(*entries: dict[str, Any]) -> tuple[tuple[Acceptance, ...], list[tuple[str, str, str]]]:
    problems = Problems()
    acceptances = read_acceptances(entries, TODAY, problems)
    assert all(item.hint for item in problems)
    return acceptances, [(item.severity, item.code, str(item.where)) for item in problems]


def test_an_entry_is_read_with_its_place():
    acceptances, problems = read(entry(" Console "), entry(expires="2027-03-01", clusters=["paris", "edge-*"]))

    reason = "no v1beta1 client since June"
    assert acceptances == (
        Acceptance("Console", reason, "", (), "acceptances[0]"),
        Acceptance(GATE, reason, "2027-03-01", ("paris", "edge-*"), "acceptances[1]"),
    )
    assert problems == []


@pytest.mark.parametrize(
    ("expires", "counts"),
    [
        (None, True),
        ("2026-11-28", True),
        (date(2026, 11, 28), True),
        ("2026-11-27", False),
        (date(2026, 11, 27), False),
        ("0999-01-01", False),
    ],
)
def test_an_entry_counts_until_the_end_of_its_last_day(expires, counts):
    acceptances, problems = read(entry(expires=expires))

    assert [item.name for item in acceptances] == ([GATE] if counts else [])
    assert problems == ([] if counts else [("warning", "expired-acceptance", "acceptances[0]")])


def test_an_expired_entry_says_when_it_expired():
    problems = Problems()
    read_acceptances([entry(expires="2026-10-01")], TODAY, problems)

    assert [str(item) for item in problems] == [
        f"acceptances[0]: expired on 2026-10-01, so this entry does not accept {GATE}. "
        "Decide again, then change expires, or remove it"
    ]


@pytest.mark.parametrize("expires", ["2026-13-01", "2026-1-1", "20270301", "2027-W10-1", "tomorrow", "", 20270301])
def test_another_date_is_an_error(expires):
    assert read(entry(expires=expires))[1] == [("error", "invalid-date", "acceptances[0].expires")]


@pytest.mark.parametrize("name", ["*", "all", "All", " ALL ", "ack-4.18-*", "ack-4.1?-x", "ack-4.1[89]-x"])
def test_a_name_that_could_match_several_is_an_error(name):
    assert read(entry(name))[1] == [("error", "wildcard-name", "acceptances[0].name")]


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"name": " "}, "empty-option", "acceptances[0].name"),
        ({"reason": " "}, "empty-option", "acceptances[0].reason"),
        ({"clusters": []}, "empty-list", "acceptances[0].clusters"),
    ],
)
def test_an_empty_field_is_an_error(fields, code, where):
    assert read({**entry(), **fields})[1] == [("error", code, where)]


@pytest.mark.parametrize(
    ("clusters", "names", "concerned"),
    [
        ((), [], True),
        ((), ["rome"], True),
        (("paris", "edge-*"), ["paris"], True),
        (("paris", "edge-*"), ["edge-17"], True),
        (("paris", "edge-*"), ["rome", "paris"], True),
        (("paris", "edge-*"), ["Paris"], False),
        (("paris", "edge-*"), ["paris-2"], False),
        (("paris", "edge-*"), ["rome"], False),
    ],
)
def test_an_entry_counts_for_the_clusters_that_it_names(clusters, names, concerned):
    problems = Problems()
    acceptance = Acceptance(GATE, "why", clusters=clusters)

    assert acceptances_of([acceptance], names, problems) == ((acceptance,) if concerned else ())
    assert not problems


def test_an_entry_for_certain_clusters_accepts_nothing_on_a_cluster_without_a_name():
    problems = Problems()
    limited, general = Acceptance(GATE, "why", clusters=("*",), where="acceptances[0]"), Acceptance("Console", "why")

    assert acceptances_of([limited, general], [], problems) == (general,)
    assert [str(item) for item in problems] == [
        "acceptances[0].clusters: names clusters, but no name of this cluster is known, "
        f"so this entry does not accept {GATE}. Set cluster_name"
    ]
    assert [(item.severity, item.code) for item in problems] == [("warning", "unknown-cluster-name")]


def test_the_first_entry_of_a_name_accepts_it():
    first, second = Acceptance(GATE, "first"), Acceptance(GATE, "second")

    assert accepting(GATE, [Acceptance("Console", ""), first, second]) is first
    assert accepting("Insights", [first]) is None


def test_nothing_accepts_a_reason_without_a_name():
    reason = UpdateReason("blocked", "not-upgradeable", "NotUpgradeable", "", "", "")

    assert [item.accepted for item in accept([reason], [Acceptance("", "why"), Acceptance("not-upgradeable", "")])] == [
        None
    ]


def test_an_entry_that_accepts_nothing_is_reported():
    problems = Problems()
    used = Acceptance(GATE, "why", where="acceptances[0]")
    unused = Acceptance("Console", "why", where="acceptances[1]")
    misspelled = Acceptance("Insight", "why", where="acceptances[2]")
    unknown = Acceptance("SomethingElse", "why", where="acceptances[3]")

    elsewhere = Acceptance(GATE, "why", where="acceptances[4]", clusters=("pris",))
    matched = [used, unused, misspelled, unknown]

    check_used([*matched, elsewhere], matched, {used}, {GATE, "Console", "Insights"}, problems)

    assert [(item.severity, item.code, str(item.where), item.hint) for item in problems] == [
        ("warning", "unused-acceptance", "acceptances[1]", "Remove the entry when no cluster needs it"),
        ("warning", "unknown-acceptance", "acceptances[2].name", "Did you mean Insights?"),
        (
            "warning",
            "unknown-acceptance",
            "acceptances[3].name",
            "Copy the name from required_acceptances of update_plan",
        ),
        ("warning", "unused-acceptance", "acceptances[4].clusters", "Correct the names, or remove it"),
    ]
