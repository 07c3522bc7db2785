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
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems

LARGEST = 8000
"""Characters of a policy that a person can still read."""


def policy_of(guard: Guard | None = None) -> dict[str, Any]:
    return guard_objects(guard or Guard())[0][1]


def variables_of(policy: dict[str, Any]) -> dict[str, str]:
    return {item["name"]: item["expression"] for item in policy["spec"]["variables"]}


def tables() -> dict[str, Any]:
    """Return the tables in the policy; CEL and Python write them alike."""
    variables = variables_of(policy_of())
    return {name: ast.literal_eval(variables[name]) for name in ("names", "since", "sets", "firstSet")}


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
def test_the_tables_have_every_set_of_every_minor(minor: Minor) -> None:
    data = capability_data.data_of(minor)
    assert data is not None
    table = tables()
    known = {name for name in table["names"] if table["since"][name] <= minor.major * 1000 + minor.minor}
    assert known == data.capabilities
    for name, content in data.sets.items():
        if name != V_CURRENT:
            index = table["sets"].index(name)
            first = table["firstSet"]
            assert {item for item in known if item in first and table["sets"].index(first[item]) <= index} == content


def test_names_are_sorted() -> None:
    assert tables()["names"] == sorted(item.name for item in capability_data.CAPABILITIES)
    names, same = (["Storage", "Console", "Storage"], ["Console", "Storage"])
    assert policy_of(parse_guard(names, Problems(), enforce=True)) == policy_of(
        parse_guard(same, Problems(), enforce=True)
    )


def test_the_policy_stays_small() -> None:
    everything = tuple(item.name for item in capability_data.CAPABILITIES)
    assert len(str(policy_of(Guard(True, everything)))) < LARGEST


def test_variables_are_used_after_their_definition() -> None:
    policy = policy_of(Guard(True, ("Console",)))
    defined: set[str] = set()
    for name, expression in variables_of(policy).items():
        assert set(re.findall(r"variables\.(\w+)", expression)) <= defined
        defined.add(name)
    texts = [text for item in policy["spec"]["validations"] for text in item.values()]
    used = set(re.findall(r"variables\.(\w+)", " ".join([*texts, *variables_of(policy).values()])))
    assert used == defined


def test_every_rejection_has_a_short_text_on_one_line() -> None:
    """The API server accepts no others."""
    for guard in (Guard(), Guard(True, ()), Guard(True, ("Console",))):
        for item in policy_of(guard)["spec"]["validations"]:
            assert item["reason"] == "Invalid"
            assert "\n" not in item["message"] + item.get("messageExpression", "")
            assert len(item["message"]) < 1000


def test_only_the_binding_depends_on_the_mode() -> None:
    (_kind, enforcing), (_kind, refusing) = guard_objects(Guard(enforce=True))
    (_kind, auditing), (_kind, warning) = guard_objects(Guard(enforce=False))
    assert enforcing == auditing
    assert refusing["spec"]["validationActions"] == ["Deny"]
    assert warning["spec"]["validationActions"] == ["Audit", "Warn"]


def test_each_policy_rejects_its_own_fingerprint() -> None:
    guards = (Guard(), Guard(True, ()), Guard(True, ("Console",)))
    policies = [policy_of(guard) for guard in guards]
    fingerprints = [policy["metadata"]["annotations"][FINGERPRINT] for policy in policies]
    assert len(set(fingerprints)) == len(guards)
    for policy, fingerprint in zip(policies, fingerprints, strict=True):
        probe = policy["spec"]["validations"][-1]["expression"]
        assert PROBE in probe
        assert fingerprint in probe


def test_no_list_is_no_limit_and_an_empty_list_is_one() -> None:
    problems = Problems()
    assert parse_guard(None, problems, enforce=True) == Guard(True, None)
    assert parse_guard([], problems, enforce=True) == Guard(True, ())
    assert problems == []
    assert "added" not in variables_of(policy_of(Guard(True, None)))
    assert variables_of(policy_of(Guard(True, ())))["allowed"] == "[]"
    assert "nothing may be added" in str(policy_of(Guard(True, ()))["spec"]["validations"])


def test_an_unknown_name_is_an_error() -> None:
    problems = Problems()
    parse_guard(["Console", "console", "Ingres", "x"], problems, enforce=False)
    assert {item.code for item in problems} == {"unknown-capability"}
    assert [str(item.where) for item in problems] == [f"allowed_capabilities[{index}]" for index in (1, 2, 3)]
    assert problems[0].hint.startswith("Write Console")
    assert problems[1] == Problem(
        "error",
        "unknown-capability",
        "allowed_capabilities[2]",
        "'Ingres' is not a capability of any version",
        "Did you mean Ingress?",
    )
    assert problems[2].hint.startswith("Use one of: Build, ")


def test_labels_of_others_are_not_owned() -> None:
    policy = policy_of()
    live = {
        **policy,
        "metadata": {
            **policy["metadata"],
            "labels": {**policy["metadata"]["labels"], "team": "platform"},
            "resourceVersion": "7",
            "managedFields": [],
        },
        "status": {"observedGeneration": 1},
    }
    assert owned(policy, live) == owned(policy, policy)
    bare = {"metadata": {"name": GUARD_NAME}}
    assert owned(policy, bare) == {"metadata": {"labels": {}, "annotations": {}}, "spec": {}}
