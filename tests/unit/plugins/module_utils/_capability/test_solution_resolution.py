# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Any solution: its wants and exclusions, and what the rules require."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.solution import find_solution, resolve
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import (
    SOLUTIONS,
    Solution,
    WantedCapability,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    BOTH_GATES,
    broken,
    errors,
    install,
    known,
    requested_names,
)


def resolved(context, start, wants=(), without=(), rather_without=()):
    solution = Solution("mine", "", start, tuple(map(WantedCapability, wants)), without, rather_without)
    problems = Problems()
    return resolve(solution, context, problems), problems


@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda solution: solution.name)
def test_a_solution_is_found_by_its_name(solution):
    problems = Problems()
    assert find_solution(solution.name, problems) == solution
    assert problems == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("headles", "Did you mean headless?"),
        ("Headless", "Write headless: names are case sensitive"),
        ("min", "Did you mean minimal?"),
        ("zzz", "Use one of: disconnected, headless, managed_service, minimal, no_image_registry, ran_du"),
    ],
)
def test_an_unknown_solution_is_reported_with_the_nearest_one(name, hint):
    problems = Problems()
    assert find_solution(name, problems) is None
    assert problems == [Problem("error", "unknown-solution", "solution", f"{name!r} is not a solution", hint)]


@pytest.mark.parametrize("minor", ["4.12", "4.14", "4.16", "4.20"])
def test_a_wanted_component_that_is_not_yet_a_capability_is_in_every_cluster(minor):
    resolution, problems = resolved(install(minor), "nothing", ["ImageRegistry", "Console"])

    assert problems == []
    assert resolution is not None
    assert requested_names(resolution.selection, minor) == {"ImageRegistry", "Console", "Ingress"} & known(minor)


def test_rather_without_keeps_names_that_are_required():
    rather = ("ImageRegistry", "Console", "Ingress")

    early, problems = resolved(install("4.12"), "everything", rather_without=rather)
    late, more_problems = resolved(install("4.20"), "everything", rather_without=rather)

    assert problems + more_problems == []
    assert early is not None
    assert requested_names(early.selection, "4.12") == known("4.12") - {"Console"}
    assert late is not None
    assert requested_names(late.selection, "4.20") == known("4.20") - {"ImageRegistry", "Console"}


def test_a_want_ends_with_its_version():
    solution = Solution("mine", "", "nothing", (WantedCapability("marketplace", Minor(4, 14)),))

    for minor, expected in (("4.13", {"marketplace"}), ("4.14", {"marketplace"}), ("4.15", set())):
        problems = Problems()
        resolution = resolve(solution, install(minor), problems)
        assert problems == []
        assert resolution is not None
        assert resolution.selection is not None
        assert requested_names(resolution.selection, minor) == expected


def test_a_required_name_cannot_be_excluded():
    resolution, problems = resolved(install("4.20"), "everything", without=("Ingress",))

    assert resolution is None
    assert [str(problem.where) for problem in problems] == ["solution mine"]
    assert problems[0].message.startswith("cannot exclude Ingress: ")
    assert " (inst-ingress)" in problems[0].message


def test_a_component_that_became_a_capability_later_is_explained():
    core, _problems = resolved(install("4.12"), "nothing", ["NodeTuning"])
    assert core is not None
    assert core.reasons[1] == "NodeTuning is a capability from 4.13 on; in earlier versions, every cluster has it"


def test_the_requirements_of_a_want_are_added():
    resolution, problems = resolved(install("4.20"), "nothing", ["marketplace"])

    assert problems == []
    assert resolution is not None
    assert resolution.selection.additional == ("Ingress", "OperatorLifecycleManager", "marketplace")
    assert {violation.capability for violation in resolution.added} == {"Ingress", "OperatorLifecycleManager"}


def test_a_requirement_of_a_want_cannot_be_excluded():
    resolution, problems = resolved(install("4.20"), "nothing", ["marketplace"], ("OperatorLifecycleManager",))

    assert resolution is None
    assert problems
    assert all("cannot exclude OperatorLifecycleManager" in problem.message for problem in problems)


def test_a_gated_name_can_be_wanted_and_excluded_if_its_gates_are_enabled():
    context = install("4.23", gates=BOTH_GATES, gated=frozenset())

    resolution, problems = resolved(context, "nothing", ["ClusterAPI"])
    without, more = resolved(context, "everything", without=("ClusterAPI",))

    assert problems + more == []
    assert resolution is not None
    assert resolution.selection.additional == ("ClusterAPI", "CompatibilityRequirements", "Ingress")
    assert without is not None
    assert requested_names(without.selection, "4.23") == known("4.23") | {"CompatibilityRequirements"}


def test_a_solution_that_equals_a_set_is_written_as_that_set():
    resolution, _problems = resolved(install("4.20"), "everything", without=("OperatorLifecycleManagerV1",))

    assert resolution is not None
    assert (resolution.selection.baseline, resolution.selection.additional) == ("v4.16", ())


NAMES = st.lists(st.sampled_from(sorted(known("4.18"))), max_size=5, unique=True)


@given(st.sampled_from(["nothing", "everything"]), NAMES, NAMES, NAMES, st.sampled_from(["none", "aws", "baremetal"]))
def test_a_resolved_solution_is_valid_and_keeps_its_wants_and_exclusions(start, wants, without, rather, platform):
    wants = [name for name in wants if name not in (*without, *rather)]
    context = install("4.20", "ipi", platform)

    resolution, problems = resolved(context, start, wants, tuple(without), tuple(rather))

    if resolution is None:
        assert errors(problems)
    else:
        enabled = requested_names(resolution.selection, "4.20")
        assert broken(resolution.selection, context) == []
        assert not enabled & set(without)
        assert enabled >= set(wants)
