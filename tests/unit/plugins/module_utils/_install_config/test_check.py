# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the selection of an installation comes from, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import block_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    MINORS,
    after,
    check,
    errors,
    known,
    listed,
    warnings,
)

NONE: dict[str, Any] = {"platform": {"none": {}}}
AWS = {"platform": {"aws": {"region": "eu-1"}}}


def said(problems):
    return [(problem.where, problem.message) for problem in problems]


def chosen(found):
    """Return the selection, without where it comes from."""
    assert errors(found.problems) == []
    selection = found.chosen.selection
    return selection and Selection(selection.baseline, selection.additional, selection.excluded)


def reasons(found):
    return found.chosen.reasons


def block(baseline, *names):
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


@pytest.mark.parametrize("document", [NONE, AWS, {**NONE, "capabilities": None}])
@pytest.mark.parametrize("minor", MINORS)
def test_nothing_said_is_the_default_of_the_cluster(minor, document):
    found = check(minor, document)

    assert found.problems == ()
    assert found.chosen is not None
    assert found.chosen.selection is None
    assert "vCurrent" in found.chosen.reasons[0]
    assert found.status is not None
    assert found.status.enabled == found.status.known == known(minor)
    assert (found.mended, found.shortest, found.hosted, found.violations) == (None, None, None, ())
    assert found.consequences == ()


def test_the_block_of_the_document_is_taken():
    found = check("4.20", {**NONE, "capabilities": block("None", "Ingress", "Console")})

    assert chosen(found) == listed("Ingress", "Console")
    assert reasons(found) == ("it is what the install-config says",)
    assert found.status is not None
    assert found.status.enabled == {"Ingress", "Console"}


def test_the_option_comes_before_the_block():
    document = {**NONE, "capabilities": block("nonsense", "Nonsense")}

    found = check("4.20", document, capabilities={"baseline_capability_set": "v4.18"})

    assert chosen(found) == Selection("v4.18")
    assert reasons(found) == ("it is what was asked for",)


def test_the_solution_comes_before_the_block():
    found = check("4.20", {**NONE, "capabilities": block("v4.11")}, solution="ran_du")

    assert chosen(found) == listed("Ingress", "NodeTuning", "OperatorLifecycleManager")
    assert reasons(found)[0].startswith("ran_du: ")
    assert reasons(found)[-1] == "added Ingress: the Ingress capability is required (inst-ingress)"


def test_a_solution_beside_capabilities_is_an_error():
    found = check("4.20", NONE, solution="minimal", capabilities=block("vCurrent"))

    assert said(errors(found.problems)) == [("solution", "is given beside capabilities")]


def test_solutions_that_nobody_names_are_an_error():
    found = check("4.20", NONE, solutions={"mine": {"starts_from": "nothing"}})

    assert said(errors(found.problems)) == [("solutions", "is given without solution")]


def test_a_solution_of_the_user_is_taken():
    own = {"mine": {"starts_from": "nothing", "wants": ["Console"], "description": "A console"}}

    found = check("4.20", NONE, solution="mine", solutions=own)

    assert chosen(found) == listed("Console", "Ingress")
    assert reasons(found)[0] == "mine: A console"


def test_an_unknown_solution_is_an_error():
    found = check("4.20", NONE, solution="minimum")

    assert said(errors(found.problems)) == [("solution", "'minimum' is not a solution")]
    assert found.chosen is None


def test_a_solution_that_cannot_be_had_is_an_error():
    found = check("4.13", NONE, solution="no_image_registry")

    (problem,) = errors(found.problems)
    assert "ImageRegistry is part of every cluster before 4.14" in problem.message
    assert found.chosen is None


@pytest.mark.parametrize("minor", ["4.11", "4.14", "4.18", "5.2"])
@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, "capabilities.baseline_capability_set"),
        ({"baselineCapabilitySet": ""}, "capabilities.baseline_capability_set"),
        ({"baselineCapabilitySet": None}, "capabilities.baseline_capability_set"),
        ({"additionalEnabledCapabilities": ["baremetal"]}, "capabilities.baseline_capability_set"),
        ({"additionalEnabledCapabilities": []}, "capabilities.baseline_capability_set"),
    ],
)
def test_a_baseline_is_required_of_the_option(minor, given, where):
    found = check(minor, NONE, capabilities=given)

    assert [problem.where for problem in errors(found.problems)] == [where]
    assert "vCurrent" in errors(found.problems)[0].hint


@pytest.mark.parametrize("minor", ["4.11", "4.14", "4.18", "5.2"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"baselineCapabilitySet": ""},
        {"baselineCapabilitySet": None},
        {"additionalEnabledCapabilities": ["baremetal"]},
        {"additionalEnabledCapabilities": []},
    ],
)
def test_a_baseline_is_required_of_the_document(minor, given):
    found = check(minor, {**NONE, "capabilities": given})

    assert len(errors(found.problems)) == 1
    assert errors(found.problems)[0].where == "content: capabilities.baselineCapabilitySet"


@pytest.mark.parametrize("given", [[], ["Console"], "None", 7, True])
def test_a_selection_that_is_no_dict_is_an_error(given):
    (of_option,) = errors(check("4.20", NONE, capabilities=given).problems)
    (of_document,) = errors(check("4.20", {**NONE, "capabilities": given}).problems)

    assert of_option.where == "capabilities"
    assert of_document.where == "content: capabilities"
    assert of_option.message.startswith(f"is {given!r}, expected a dict with ")
    assert of_document.message.endswith(", expected a map")


def test_a_document_is_told_in_the_spelling_of_its_fields():
    found = check("4.20", {**NONE, "capabilities": {**block("v4.99", "console"), "additionalEnabled": []}})

    assert said(errors(found.problems)) == [
        ("content: capabilities.additionalEnabled", "is not a field that the installer knows"),
        ("content: capabilities.baselineCapabilitySet", "'v4.99' is not a capability set of 4.20"),
        ("content: capabilities.additionalEnabledCapabilities[0]", "'console' is not a capability of 4.20"),
    ]
    assert found.chosen is None


def test_rules_are_told_in_the_spelling_of_the_document():
    document = {**NONE, "capabilities": block("None", "marketplace")}
    found = check("4.20", document)

    assert [item.rule.name for item in found.violations] == [
        "inst-ingress",
        "inst-marketplace-olm",
        "api-marketplace-olm",
    ]
    for problem in errors(found.problems):
        assert problem.where == "content: capabilities.additionalEnabledCapabilities"
        assert "additional_enabled" not in str(problem)


def test_the_set_that_an_installer_may_not_know_is_told_in_the_spelling_of_the_document():
    found = check("4.17", {**NONE, "capabilities": block("v4.17")})

    (problem,) = [problem for problem in warnings(found.problems) if "inst-set-name-missing" in problem.message]
    assert problem.where == "content: capabilities.baselineCapabilitySet"


@pytest.mark.parametrize("field", ["excludedCapabilities", "excluded_capabilities", "inclusionDefault", "exclude"])
def test_what_only_the_option_understands_is_told(field):
    found = check("4.20", {**NONE, "capabilities": {"baselineCapabilitySet": "vCurrent", field: ["Console"]}})

    (problem,) = errors(found.problems)
    assert problem == Problem(
        "error",
        "todo",
        f"content: capabilities.{field}",
        "is not a field that the installer knows",
        "Give it in the option capabilities, which translates it",
    )


@pytest.mark.parametrize("field", ["baseline_capability_set", "additional_enabled_capabilities"])
def test_the_installer_knows_no_spelling_but_its_own(field):
    given = {**block("vCurrent"), field: "vCurrent" if "set" in field else []}

    (problem,) = errors(check("4.20", {**NONE, "capabilities": given}).problems)

    assert problem.where == f"content: capabilities.{field}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"baseline_capability_set": "v4.18"}, Selection("v4.18")),
        ({"baselineCapabilitySet": "v4.18"}, Selection("v4.18")),
        (
            {"baseline_capability_set": "None", "additionalEnabledCapabilities": ["Ingress", "Build", "Ingress"]},
            listed("Ingress", "Build"),
        ),
        (
            {"excluded_capabilities": ["Console"]},
            listed(*sorted(known("4.20") - {"Console"})),
        ),
        ({"excludedCapabilities": []}, Selection("v4.18")),
        (
            {"baselineCapabilitySet": "vCurrent", "excludedCapabilities": ["OperatorLifecycleManagerV1"]},
            Selection("v4.16"),
        ),
        ({"inclusionDefault": "Include"}, Selection("vCurrent")),
        ({"inclusion_default": "Include", "exclude": ["OperatorLifecycleManagerV1"]}, Selection("v4.16")),
        ({"inclusionDefault": "Exclude", "include": ["Ingress", "Console"]}, listed("Ingress", "Console")),
    ],
)
def test_every_spelling_of_the_option_comes_to_what_the_api_can_say(given, expected):
    assert chosen(check("4.20", NONE, capabilities=given)) == expected


def test_exclusions_pin_and_say_so():
    found = check("4.20", NONE, capabilities={"excluded_capabilities": ["Console"]})

    assert found.chosen is not None
    assert found.chosen.asked.excluded == ("Console",)
    assert reasons(found) == (
        "no capability set is exactly that in every version from 4.20 to 5.2, so every name is listed (16)",
    )
    assert ("capabilities.excluded_capabilities", "info") in [(item.where, item.severity) for item in found.problems]


def test_the_first_draft_is_mended_in_its_own_words():
    found = check("4.20", NONE, capabilities={"inclusionDefault": "Exclude", "include": ["Console"]})
    included = check("4.20", NONE, capabilities={"inclusionDefault": "Include", "exclude": ["Ingress"]})

    assert [str(item.where) + ": " + item.hint for item in errors(found.problems)] == [
        "capabilities.include: Add Ingress to include"
    ]
    assert [str(item.where) + ": " + item.hint for item in errors(included.problems)] == [
        "capabilities.exclude: Take Ingress out of exclude"
    ]


@pytest.mark.parametrize("draft", ["include", "exclude", "INCLUDE"])
def test_the_default_of_the_first_draft_is_case_sensitive(draft):
    (problem,) = errors(check("4.20", NONE, capabilities={"inclusionDefault": draft}).problems)

    assert problem.where == "capabilities.inclusion_default"
    assert problem.hint == f"Write {draft.capitalize()}: names are case sensitive"


@pytest.mark.parametrize(
    ("minor", "name", "hint"),
    [
        ("4.20", "console", "Write Console: names are case sensitive"),
        ("4.20", "OperatorLifecycleManagerv1", "Write OperatorLifecycleManagerV1: names are case sensitive"),
        ("4.20", "imageregistry", "Write ImageRegistry: names are case sensitive"),
        ("4.20", "Marketplac", "Did you mean marketplace?"),
        ("4.17", "OperatorLifecycleManagerV1", "It exists from 4.18 on"),
        ("4.15", "Ingress", "It exists from 4.16 on"),
        ("4.22", "ClusterAPI", "It exists from 4.23 on"),
        ("4.13", "MachineAPI", "It exists from 4.14 on"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest_one_or_its_version(minor, name, hint):
    names = ["Ingress", name] if minor in after("4.16") else [name]
    index = len(names) - 1
    message = f"{name!r} is not a capability of {minor}"

    found = check(minor, NONE, capabilities=block("None", *names))
    of_document = check(minor, {**NONE, "capabilities": block("None", *names)})

    where = f"capabilities.additional_enabled_capabilities[{index}]"
    assert errors(found.problems) == [Problem("error", "todo", where, message, hint)]
    where = f"content: capabilities.additionalEnabledCapabilities[{index}]"
    assert errors(of_document.problems) == [Problem("error", "todo", where, message, hint)]


def test_a_name_that_begins_like_the_missing_one_is_told_apart():
    given = block("None", "Ingress", "OperatorLifecycleManagerV1", "marketplace")

    found = check("4.20", NONE, capabilities=given)

    assert {item.rule.name for item in found.violations} == {"inst-marketplace-olm", "api-marketplace-olm"}
    assert all("OperatorLifecycleManagerV1 is another capability" in item.hint for item in errors(found.problems))
    assert found.mended is not None
    assert found.mended.additional == tuple(
        sorted([*given["additionalEnabledCapabilities"], "OperatorLifecycleManager"])
    )


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (
            {"capabilities": block("None", "Ingress", "Build", "Ingress")},
            "capabilities.additional_enabled_capabilities",
        ),
        (
            {"capabilities": {"excludedCapabilities": ["Build", "Build"]}},
            "capabilities.excluded_capabilities",
        ),
    ],
)
def test_a_name_that_is_there_twice_is_worth_a_warning(options, where):
    found = check("4.20", NONE, **options)

    assert errors(found.problems) == []
    (problem,) = [item for item in warnings(found.problems) if "more than once" in item.message]
    assert problem.where == where


def test_the_installer_accepts_duplicates_in_a_document():
    found = check("4.20", {**NONE, "capabilities": block("None", "Ingress", "ImageRegistry", "Ingress")})

    assert errors(found.problems) == []
    assert said(warnings(found.problems)) == [
        ("content: capabilities.additionalEnabledCapabilities", "Ingress is there more than once")
    ]


@pytest.mark.parametrize("baseline", ["v4.11", "v4.12", "v4.13"])
@pytest.mark.parametrize("minor", ["4.13", "4.14"])
def test_a_set_that_an_update_changes_is_worth_a_warning(baseline, minor):
    found = check(minor, NONE, capabilities=block(baseline))

    warned = [problem.where for problem in warnings(found.problems)]
    assert warned == (["capabilities.baseline_capability_set"] if minor == "4.13" else [])


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), {"baselineCapabilitySet": "vCurrent"}),
        (Selection("v4.11"), {"baselineCapabilitySet": "v4.11"}),
        (listed("Ingress", "Build"), block("None", "Ingress", "Build")),
    ],
)
def test_a_selection_is_written_as_the_api_has_it(selection, expected):
    assert block_of(selection) == expected


@pytest.mark.parametrize("given", [{}, {"baselineCapabilitySet": ""}])
def test_a_missing_baseline_is_mended_to_the_default_that_it_stands_for(given):
    found = check("4.20", NONE, capabilities=given)

    assert found.mended == Selection("vCurrent")
