# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of the admission guard. What its expressions do is tested on a real API server, in tests/cluster."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import (
    FINGERPRINT,
    GUARD_NAME,
    PROBE,
    Guard,
    guard_objects,
    owned,
    parse_guard,
)
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import V_CURRENT
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor

LARGEST = 8000
"""Characters of a policy: what a person can still read, and nothing to an API server."""


def policy_of(guard: Guard | None = None) -> dict[str, Any]:
    return guard_objects(guard or Guard())[0][1]


def variables_of(policy: dict[str, Any]) -> dict[str, str]:
    return {item["name"]: item["expression"] for item in policy["spec"]["variables"]}


def tables() -> dict[str, Any]:
    """Return the facts in the policy, which CEL and Python write alike."""
    found = variables_of(policy_of())
    return {name: ast.literal_eval(found[name]) for name in ("names", "since", "sets", "firstSet")}


def test_the_guard_is_a_policy_and_its_binding() -> None:
    (policy_kind, policy), (binding_kind, binding) = guard_objects(Guard())
    assert (policy["kind"], binding["kind"]) == (policy_kind.kind, binding_kind.kind)
    assert policy["apiVersion"] == binding["apiVersion"] == "admissionregistration.k8s.io/v1"
    assert policy["metadata"]["name"] == binding["metadata"]["name"] == binding["spec"]["policyName"] == GUARD_NAME
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", GUARD_NAME)
    assert len(GUARD_NAME) < 64
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert rule["operations"] == ["UPDATE", "DELETE"]
    # No sub-resource: the cluster-version operator writes the status all the time.
    assert rule["resources"] == ["clusterversions"]


@pytest.mark.parametrize("minor", sorted(capability_data.BRANCHES))
def test_every_set_of_every_minor_can_be_told(minor: Minor) -> None:
    facts = capability_data.data_of(minor)
    assert facts is not None
    told = tables()
    known = {name for name in told["names"] if told["since"][name] <= minor.major * 1000 + minor.minor}
    assert known == facts.capabilities
    for name, content in facts.sets.items():
        if name != V_CURRENT:
            place = told["sets"].index(name)
            first = told["firstSet"]
            assert {item for item in known if item in first and told["sets"].index(first[item]) <= place} == content


def test_names_are_told_in_one_order() -> None:
    assert tables()["names"] == sorted(item.name for item in capability_data.CAPABILITIES)
    assert policy_of(parse_guard(True, ["Storage", "Console", "Storage"])[0]) == policy_of(
        parse_guard(True, ["Console", "Storage"])[0]
    )


def test_the_policy_stays_small() -> None:
    everything = tuple(item.name for item in capability_data.CAPABILITIES)
    assert len(str(policy_of(Guard(True, everything)))) < LARGEST


def test_variables_are_used_after_they_are_made() -> None:
    policy = policy_of(Guard(True, ("Console",)))
    made: set[str] = set()
    for name, expression in variables_of(policy).items():
        assert set(re.findall(r"variables\.(\w+)", expression)) <= made
        made.add(name)
    texts = [text for item in policy["spec"]["validations"] for text in item.values()]
    used = set(re.findall(r"variables\.(\w+)", " ".join([*texts, *variables_of(policy).values()])))
    assert used == made


def test_every_refusal_has_a_text_on_one_line() -> None:
    """The API server takes no others, and no long ones."""
    for guard in (Guard(), Guard(True, ()), Guard(True, ("Console",))):
        for item in policy_of(guard)["spec"]["validations"]:
            assert item["reason"] == "Invalid"
            assert "\n" not in item["message"] + item.get("messageExpression", "")
            assert len(item["message"]) < 1000


def test_the_mode_is_the_bindings_business() -> None:
    (_kind, enforcing), (_kind, refusing) = guard_objects(Guard(enforce=True))
    (_kind, auditing), (_kind, warning) = guard_objects(Guard(enforce=False))
    assert enforcing == auditing
    assert refusing["spec"]["validationActions"] == ["Deny"]
    assert warning["spec"]["validationActions"] == ["Audit", "Warn"]


def test_each_policy_refuses_a_mark_of_its_own() -> None:
    guards = (Guard(), Guard(True, ()), Guard(True, ("Console",)))
    policies = [policy_of(guard) for guard in guards]
    marks = [policy["metadata"]["annotations"][FINGERPRINT] for policy in policies]
    assert len(set(marks)) == len(guards)
    for policy, mark in zip(policies, marks, strict=True):
        probe = policy["spec"]["validations"][-1]["expression"]
        assert PROBE in probe
        assert mark in probe


def test_no_list_is_no_limit_and_an_empty_one_is() -> None:
    assert parse_guard(True, None) == (Guard(True, None), ())
    assert parse_guard(True, []) == (Guard(True, ()), ())
    assert "added" not in variables_of(policy_of(Guard(True, None)))
    assert variables_of(policy_of(Guard(True, ())))["allowed"] == "[]"
    assert "nothing may be added" in str(policy_of(Guard(True, ()))["spec"]["validations"])


def test_an_unknown_name_would_never_match() -> None:
    _guard, problems = parse_guard(False, ["Console", "console", "Ingres", "x"])
    assert [(item.where, item.message, item.hint) for item in problems[:2]] == [
        (
            "allowed_capabilities[1]",
            "'console' is not a capability of any version",
            "Write Console: names are case sensitive",
        ),
        ("allowed_capabilities[2]", "'Ingres' is not a capability of any version", "Did you mean Ingress?"),
    ]
    assert problems[2].hint.startswith("Known are: Build, ")


def test_what_is_owned_leaves_the_marks_of_others_out() -> None:
    policy = policy_of()
    found = {
        **policy,
        "metadata": {
            **policy["metadata"],
            "labels": {**policy["metadata"]["labels"], "team": "platform"},
            "resourceVersion": "7",
            "managedFields": [],
        },
        "status": {"observedGeneration": 1},
    }
    assert owned(policy, found) == owned(policy, policy)
    bare = {"metadata": {"name": GUARD_NAME}}
    assert owned(policy, bare) == {"metadata": {"labels": {}, "annotations": {}}, "spec": {}}
