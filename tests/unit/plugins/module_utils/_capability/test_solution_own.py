# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Solutions of users: valid ones, and every kind of error in one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.solution import find_solution, resolve
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import (
    SOLUTIONS,
    Solution,
    WantedCapability,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    BOTH_GATES,
    broken,
    check,
    errors,
    install,
    known,
    requested_names,
)


def read(entry, name="mine"):
    """Return the solution that a user defines with ``entry``, and its problems."""
    problems = Problems()
    return find_solution(name, {name: entry}, problems), problems


def resolved(entry, context):
    solution, problems = read(entry)
    assert solution is not None, problems
    return resolve(solution, context, problems), problems


def messages(entry):
    return [(str(problem.where), problem.message) for problem in read(entry)[1]]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"starts_from": "nothing"}, Solution("mine", "", "nothing")),
        ({"starts_from": "everything", "description": "All"}, Solution("mine", "All", "everything")),
        (
            {"starts_from": "nothing", "wants": ["Console", {"capability": "marketplace", "until": "4.14"}]},
            Solution(
                "mine", "", "nothing", (WantedCapability("Console"), WantedCapability("marketplace", Minor(4, 14)))
            ),
        ),
        (
            {"starts_from": "nothing", "wants": [{"capability": "Console"}, {"capability": "Build", "until": None}]},
            Solution("mine", "", "nothing", (WantedCapability("Console"), WantedCapability("Build"))),
        ),
        (
            {"starts_from": "nothing", "wants": [{"capability": "Console", "until": "4.16.3"}]},
            Solution("mine", "", "nothing", (WantedCapability("Console", Minor(4, 16)),)),
        ),
        (
            {"starts_from": "everything", "without": ["Console"], "rather_without": ("marketplace",)},
            Solution("mine", "", "everything", (), ("Console",), ("marketplace",)),
        ),
        (
            {"starts_from": "everything", "wants": None, "without": None, "rather_without": []},
            Solution("mine", "", "everything"),
        ),
    ],
)
def test_a_solution_is_read(entry, expected):
    assert read(entry) == (expected, [])


def test_a_solution_of_the_user_overrides_a_predefined_one():
    solution, problems = read({"starts_from": "nothing", "wants": ["Console"]}, "headless")

    assert problems == []
    assert solution == Solution("headless", "", "nothing", (WantedCapability("Console"),))


@pytest.mark.parametrize("own", [None, {}, {"other": {"starts_from": "nothing"}}])
@pytest.mark.parametrize("predefined", SOLUTIONS, ids=lambda solution: solution.name)
def test_predefined_solutions_are_found_in_addition_to_those_of_the_user(own, predefined):
    problems = Problems()

    assert find_solution(predefined.name, own, problems) == predefined
    assert problems == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("headles", "Did you mean headless?"),
        ("Headless", "Write headless: names are case sensitive"),
        ("min", "Did you mean minimal?"),
        ("edge_sit", "Did you mean edge_site?"),
        ("zzz", "Use one of: disconnected, edge_site, headless, managed_service, minimal, no_image_registry, ran_du"),
    ],
)
def test_an_unknown_solution_is_reported_with_the_nearest_one(name, hint):
    problems = Problems()

    assert find_solution(name, {"edge_site": {"starts_from": "nothing"}}, problems) is None
    assert problems == [Problem("error", "unknown-solution", "solution", f"{name!r} is not a solution", hint)]


@pytest.mark.parametrize("own", [[], "minimal", 7, ["minimal"]])
def test_solutions_have_to_be_a_dict(own):
    problems = Problems()

    find_solution("minimal", own, problems)

    assert [(problem.severity, str(problem.where)) for problem in problems] == [("error", "solutions")]
    assert repr(own) in problems[0].message


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (None, [("solutions.mine", "is None, expected a dict")]),
        ([], [("solutions.mine", "is [], expected a dict")]),
        ("minimal", [("solutions.mine", "is 'minimal', expected a dict")]),
        ({}, [("solutions.mine.starts_from", "is None, expected nothing or everything")]),
        ({"starts_from": "all"}, [("solutions.mine.starts_from", "is 'all', expected nothing or everything")]),
        ({"starts_from": "nothing", "want": []}, [("solutions.mine.want", "is not a field of a solution")]),
        ({"starts_from": "nothing", "description": 7}, [("solutions.mine.description", "is 7, expected a string")]),
        ({"starts_from": "nothing", "wants": "Console"}, [("solutions.mine.wants", "is 'Console', expected a list")]),
        (
            {"starts_from": "nothing", "wants": ["Build", 7]},
            [("solutions.mine.wants[1]", "is 7, expected a name, or a dict with capability and until")],
        ),
        (
            {"starts_from": "nothing", "wants": [{"until": "4.14"}]},
            [("solutions.mine.wants[0]", "is {'until': '4.14'}, expected a name, or a dict with capability and until")],
        ),
        (
            {"starts_from": "nothing", "wants": [{"capability": "Build", "from": "4.14"}]},
            [
                (
                    "solutions.mine.wants[0]",
                    "is {'capability': 'Build', 'from': '4.14'}, expected a name, or a dict with capability and until",
                )
            ],
        ),
        (
            {"starts_from": "everything", "without": "Console"},
            [("solutions.mine.without", "is 'Console', expected a list")],
        ),
        (
            {"starts_from": "everything", "without": {"Console": True}},
            [("solutions.mine.without", "is {'Console': True}, expected a list")],
        ),
        (
            {"starts_from": "everything", "rather_without": ["Console", None]},
            [("solutions.mine.rather_without[1]", "is None, expected a string")],
        ),
        (
            {"starts_from": "everything", "wants": ["Console"], "without": ["Console"]},
            [("solutions.mine", "Console is both wanted and excluded")],
        ),
        (
            {"starts_from": "everything", "wants": [{"capability": "Build"}], "rather_without": ["Build"]},
            [("solutions.mine", "Build is both wanted and excluded")],
        ),
        (
            {"starts_from": "most", "wants": [None], "withot": []},
            [
                ("solutions.mine.withot", "is not a field of a solution"),
                ("solutions.mine.starts_from", "is 'most', expected nothing or everything"),
                ("solutions.mine.wants[0]", "is None, expected a name, or a dict with capability and until"),
            ],
        ),
    ],
)
def test_all_errors_of_a_solution_are_reported_at_once(entry, expected):
    solution, problems = read(entry)

    assert solution is None
    assert messages(entry) == expected
    assert ("invalid-entry" in {problem.code for problem in problems}) is any(
        "expected a name" in text for _where, text in expected
    )
    assert all(problem.severity == "error" and problem.hint for problem in problems)


def test_a_misspelled_field_is_reported_with_the_nearest_one():
    (problem,) = read({"starts_from": "nothing", "rather_witout": []})[1]

    assert problem.hint == "Did you mean rather_without?"


@pytest.mark.parametrize("until", ["soon", 4.2])
def test_a_want_ends_with_a_version_of_openshift(until):
    solution, problems = read({"starts_from": "nothing", "wants": [{"capability": "Build", "until": until}]})

    assert solution is None
    assert [(problem.severity, problem.code, str(problem.where)) for problem in problems] == [
        ("error", "invalid-version", "solutions.mine.wants[0].until")
    ]
    assert repr(until) in problems[0].message
    assert problems[0].hint


def test_an_unquoted_version_has_a_hint_to_quote_it():
    (problem,) = read({"starts_from": "nothing", "wants": [{"capability": "Build", "until": 4.2}]})[1]

    assert "Quote it" in problem.hint


def test_errors_of_other_solutions_are_reported_too():
    problems = Problems()

    assert find_solution("minimal", {"mine": {}}, problems) is not None
    assert [str(problem.where) for problem in problems] == ["solutions.mine.starts_from"]


@pytest.mark.parametrize("field", ["wants", "without", "rather_without"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("console", "Write Console: names are case sensitive"),
        ("Imageregistry", "Write ImageRegistry: names are case sensitive"),
        ("Storag", "Did you mean Storage?"),
        ("OperatorLifecycleManagerv1", "Write OperatorLifecycleManagerV1: names are case sensitive"),
    ],
)
def test_an_unknown_name_is_reported_with_the_nearest_one(field, name, hint):
    resolution, problems = resolved({"starts_from": "everything", field: [name]}, install("4.20"))

    assert resolution is None
    assert problems == [
        Problem("error", "unknown-capability", Location("solution mine"), f"{name!r} is not a capability", hint)
    ]


@pytest.mark.parametrize("minor", ["4.12", "4.14", "4.16", "4.20"])
def test_a_wanted_component_that_is_not_yet_a_capability_is_in_every_cluster(minor):
    resolution, problems = resolved({"starts_from": "nothing", "wants": ["ImageRegistry", "Console"]}, install(minor))

    assert problems == []
    assert resolution is not None
    expected = {"ImageRegistry", "Console", "Ingress"} & known(minor)
    assert requested_names(resolution.selection, minor) == expected


def test_rather_without_keeps_names_that_are_required():
    entry = {"starts_from": "everything", "rather_without": ["ImageRegistry", "Console", "Ingress"]}

    early, problems = resolved(entry, install("4.12"))
    late, more_problems = resolved(entry, install("4.20"))

    assert problems + more_problems == []
    assert early is not None
    assert requested_names(early.selection, "4.12") == known("4.12") - {"Console"}
    assert late is not None
    assert requested_names(late.selection, "4.20") == known("4.20") - {"ImageRegistry", "Console"}


def test_a_want_ends_with_its_version():
    entry = {"starts_from": "nothing", "wants": [{"capability": "marketplace", "until": "4.14"}]}

    for minor, expected in (("4.13", {"marketplace"}), ("4.14", {"marketplace"}), ("4.15", set())):
        resolution, problems = resolved(entry, install(minor))
        assert problems == []
        assert resolution is not None
        assert requested_names(resolution.selection, minor) == expected


def test_a_required_name_cannot_be_excluded():
    resolution, problems = resolved({"starts_from": "everything", "without": ["Ingress"]}, install("4.20"))

    assert resolution is None
    assert [str(problem.where) for problem in problems] == ["solution mine"]
    assert problems[0].message.startswith("cannot exclude Ingress: ")
    assert " (inst-ingress)" in problems[0].message


def test_a_component_that_came_with_its_capability_is_in_no_cluster_before():
    """For all others, every cluster has the component before it becomes a capability."""
    without, problems = resolved({"starts_from": "nothing", "without": ["OperatorLifecycleManagerV1"]}, install("4.16"))
    assert without is not None
    assert problems == []

    wanted, _problems = resolved({"starts_from": "nothing", "wants": ["OperatorLifecycleManagerV1"]}, install("4.16"))
    assert wanted is not None
    assert (
        wanted.reasons[1]
        == "OperatorLifecycleManagerV1 is a capability from 4.18 on; in earlier versions, no cluster has it"
    )

    core, _problems = resolved({"starts_from": "nothing", "wants": ["NodeTuning"]}, install("4.12"))
    assert core is not None
    assert core.reasons[1] == "NodeTuning is a capability from 4.13 on; in earlier versions, every cluster has it"


def test_the_requirements_of_a_want_are_added():
    resolution, problems = resolved({"starts_from": "nothing", "wants": ["marketplace"]}, install("4.20"))

    assert problems == []
    assert resolution is not None
    assert resolution.selection.additional == ("Ingress", "OperatorLifecycleManager", "marketplace")
    assert {violation.capability for violation in resolution.added} == {"Ingress", "OperatorLifecycleManager"}


def test_a_requirement_of_a_want_cannot_be_excluded():
    entry = {"starts_from": "nothing", "wants": ["marketplace"], "without": ["OperatorLifecycleManager"]}

    resolution, problems = resolved(entry, install("4.20"))

    assert resolution is None
    assert problems
    assert all("cannot exclude OperatorLifecycleManager" in problem.message for problem in problems)


@pytest.mark.parametrize(("minor", "code"), [("4.22", "unknown-capability"), ("4.23", "gated-capability")])
def test_a_gated_name_cannot_be_wanted_if_it_does_not_exist(minor, code):
    resolution, problems = resolved({"starts_from": "nothing", "wants": ["ClusterAPI"]}, install(minor))

    assert resolution is None
    assert [(problem.code, str(problem.where)) for problem in problems] == [(code, "solution mine")]


def test_a_gated_name_can_be_wanted_and_excluded_if_its_gates_are_enabled():
    context = install("4.23", gates=BOTH_GATES, gated=frozenset())

    resolution, problems = resolved({"starts_from": "nothing", "wants": ["ClusterAPI"]}, context)
    without, more = resolved({"starts_from": "everything", "without": ["ClusterAPI"]}, context)

    assert problems + more == []
    assert resolution is not None
    assert resolution.selection.additional == ("ClusterAPI", "CompatibilityRequirements", "Ingress")
    assert without is not None
    assert requested_names(without.selection, "4.23") == known("4.23") | {"CompatibilityRequirements"}


def test_a_solution_that_equals_a_set_is_written_as_that_set():
    resolution, _problems = resolved(
        {"starts_from": "everything", "without": ["OperatorLifecycleManagerV1"]}, install("4.20")
    )

    assert resolution is not None
    assert (resolution.selection.baseline, resolution.selection.additional) == ("v4.16", ())


NAMES = st.lists(st.sampled_from(sorted(known("4.18"))), max_size=5, unique=True)


@given(st.sampled_from(["nothing", "everything"]), NAMES, NAMES, NAMES, st.sampled_from(["none", "aws", "baremetal"]))
def test_a_resolved_solution_is_valid_and_keeps_its_wants_and_exclusions(start, wants, without, rather, platform):
    wants = [name for name in wants if name not in (*without, *rather)]
    entry: dict[str, Any] = {"starts_from": start, "wants": wants, "without": without, "rather_without": rather}
    context = install("4.20", "ipi", platform)

    resolution, problems = resolved(entry, context)

    if resolution is None:
        assert errors(problems)
    else:
        enabled = requested_names(resolution.selection, "4.20")
        assert broken(resolution.selection, context) == []
        assert not enabled & set(without)
        assert enabled >= set(wants)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["Console", "nothing", "4.14"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["starts_from", "wants", "without", "rather_without", "capability", "until", "x"]), inner
        )
    ),
)


@given(ANYTHING)
def test_no_value_raises_an_exception(own):
    result = check("4.20", solution="mine", solutions={"mine": own})

    assert all(str(problem.where) for problem in result.problems)
    assert result.resolved is not None or errors(result.problems)
