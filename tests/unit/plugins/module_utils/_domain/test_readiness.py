# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._domain.readiness import (
    Readiness,
    cluster_operator_readiness,
)

VERSIONS = {"operator": "4.20.3", "operand": "1.2"}


def condition(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message}


AVAILABLE = condition("Available", "True", "AsExpected", "All is well")
AT_VERSION = [{"name": "operator", "version": "4.20.3"}, {"name": "operand", "version": "1.2"}]


def operator(*conditions: Any, versions: Any = None) -> dict[str, Any]:
    told = AT_VERSION if versions is None else versions
    return {"status": {"conditions": list(conditions), "versions": told}}


def test_an_operator_that_is_available_at_its_versions_is_ready():
    more = [*AT_VERSION, {"name": "other", "version": "9"}]

    assert cluster_operator_readiness(operator(AVAILABLE, versions=more), VERSIONS) == Readiness("ready")


# cvo-behaviour 7: available, degraded, versions; Progressing is not evaluated
@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "does not exist yet"),
        ({}, "does not say yet whether it is available"),
        ({"status": None}, "does not say yet whether it is available"),
        ({"status": {"conditions": None}}, "does not say yet whether it is available"),
        (operator(condition("Progressing", "True")), "does not say yet whether it is available"),
        (operator(condition("Available", "False")), "is not available"),
        (operator(condition("Available", "Unknown", "NoData")), "is not available; NoData"),
        (operator(condition("Available", "False", "", "No pods")), "is not available; No pods"),
        (operator(condition("Available", "False", "Gone", "No pods")), "is not available; Gone: No pods"),
        (operator({"type": "Available"}), "is not available"),
        (
            operator(condition("Available", "False", "Gone"), condition("Degraded", "True", "Broken", "Pods crash")),
            "is not available; Gone; Broken: Pods crash",
        ),
        (
            operator(condition("Available", "False", "Gone"), condition("Degraded", "True", "Gone")),
            "is not available; Gone",
        ),
        (
            operator(AVAILABLE, versions=[]),
            "operand is at no version and not at 1.2, operator is at no version and not at 4.20.3",
        ),
        (operator(AVAILABLE, versions=AT_VERSION[:1]), "operand is at no version and not at 1.2"),
        (
            operator(AVAILABLE, versions=[AT_VERSION[1], {"name": "operator", "version": "4.20.2"}]),
            "operator is at 4.20.2 and not at 4.20.3",
        ),
        (
            operator(AVAILABLE, condition("Progressing", "True", "Rolling", "1 of 3"), versions=AT_VERSION[:1]),
            "operand is at no version and not at 1.2; Rolling: 1 of 3",
        ),
        (
            operator(AVAILABLE, condition("Progressing", "False", "AsExpected"), versions=AT_VERSION[:1]),
            "operand is at no version and not at 1.2",
        ),
    ],
)
def test_what_it_waits_for_is_named(found, message):
    readiness = cluster_operator_readiness(found, VERSIONS)

    assert (readiness.state, readiness.message) == ("waiting", message)


@pytest.mark.parametrize(
    ("degraded", "said"),
    [
        (condition("Degraded", "True", "Broken", "Pods crash"), "Broken: Pods crash"),
        (condition("Degraded", "True", "Broken"), "Broken"),
        (condition("Degraded", "False", "AsExpected", "Nothing"), ""),
        (condition("Degraded", "Unknown", "NoData"), ""),
    ],
)
def test_degraded_is_told_and_holds_nothing_up(degraded, said):
    assert cluster_operator_readiness(operator(AVAILABLE, degraded), VERSIONS) == Readiness("ready", "", said)


def test_degraded_without_a_word_is_degraded_all_the_same():
    """Reason and message are optional; without either nobody would learn of it."""
    degraded = {"type": "Degraded", "status": "True"}

    assert cluster_operator_readiness(operator(AVAILABLE, degraded), VERSIONS).degraded != ""


def test_progressing_holds_nothing_up():
    progressing = condition("Progressing", "True", "Rolling")

    assert cluster_operator_readiness(operator(AVAILABLE, progressing), VERSIONS) == Readiness("ready")


@pytest.mark.parametrize("versions", [None, [], AT_VERSION])
def test_an_operator_of_which_no_version_is_expected_has_to_be_available_only(versions):
    assert cluster_operator_readiness(operator(AVAILABLE, versions=versions), {}).state == "ready"
    assert cluster_operator_readiness(operator(versions=versions), {}).state == "waiting"


statuses = st.sampled_from(["True", "False", "Unknown", None])
conditions = st.lists(
    st.builds(
        lambda kind, status, reason, message: {"type": kind, "status": status, "reason": reason, "message": message},
        st.sampled_from(["Available", "Degraded", "Progressing", "Upgradeable"]),
        statuses,
        st.sampled_from(["", "Why"]),
        st.sampled_from(["", "Because", None]),
    ),
    max_size=4,
    unique_by=lambda item: item["type"],
)
told_versions = st.lists(
    st.builds(
        lambda name, version: {"name": name, "version": version},
        st.sampled_from(["operator", "operand"]),
        st.sampled_from(["4.20.3", "1.2", ""]),
    ),
    max_size=2,
    unique_by=lambda item: item["name"],
)


@given(conditions, told_versions)
def test_ready_is_available_at_every_version_and_nothing_else(conditions, versions):
    readiness = cluster_operator_readiness(operator(*conditions, versions=versions), VERSIONS)

    available = any((item["type"], item["status"]) == ("Available", "True") for item in conditions)
    there = VERSIONS.items() <= {item["name"]: item["version"] for item in versions}.items()
    assert (readiness.state == "ready") == (available and there)
    assert (readiness.message == "") == (readiness.state == "ready")
    assert not readiness.degraded or {"type": "Degraded", "status": "True"}.items() <= next(
        item.items() for item in conditions if item["type"] == "Degraded"
    )
