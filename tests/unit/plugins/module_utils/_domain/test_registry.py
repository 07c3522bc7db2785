# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._domain import registry
from ansible_collections.capability.openshift.plugins.module_utils._domain.registry import Minor

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "data" / "capabilities.json").read_text("utf-8"))
MINORS: dict[str, dict[str, Any]] = FACTS["minors"]


def minor(text: str) -> Minor:
    return Minor(*map(int, text.split(".")))


def test_the_registry_knows_exactly_the_minors_of_the_facts():
    assert [str(item) for item in sorted(registry.BRANCHES)] == list(MINORS)
    assert str(registry.newest_minor()) == list(MINORS)[-1]


@pytest.mark.parametrize("text", MINORS)
def test_known_names_and_sets_are_those_of_the_api(text):
    facts = registry.facts_of(minor(text))

    assert facts is not None
    assert sorted(facts.capabilities) == MINORS[text]["known"]
    assert {name: sorted(content) for name, content in facts.sets.items()} == MINORS[text]["sets"]


@pytest.mark.parametrize("text", MINORS)
def test_every_minor_names_the_commit_it_was_read_from(text):
    facts = registry.facts_of(minor(text))

    assert facts is not None
    assert registry.BRANCHES[minor(text)].commit == MINORS[text]["commit"]
    assert MINORS[text]["commit"][:12] in facts.source


@pytest.mark.parametrize("text", MINORS)
def test_capabilities_behind_gates_are_those_of_the_api(text):
    facts = registry.facts_of(minor(text))

    assert facts is not None
    assert {name: list(registry.gates_of(name)) for name in facts.capabilities if registry.gates_of(name)} == MINORS[
        text
    ]["gated"]


@pytest.mark.parametrize(
    ("gates", "hidden"),
    [
        (set(), {"ClusterAPI", "CompatibilityRequirements"}),
        ({"Other"}, {"ClusterAPI", "CompatibilityRequirements"}),
        ({"CRDCompatibilityRequirementOperator"}, {"ClusterAPI"}),
        ({"ClusterAPIMachineManagement"}, set()),
    ],
)
def test_a_capability_is_hidden_while_all_its_gates_are_off(gates, hidden):
    assert registry.hidden_capabilities(frozenset(gates)) == hidden


def test_feature_sets_enable_the_gates_that_the_api_says():
    expected: dict[str, set[str]] = {}
    for gate, names in FACTS["feature_sets_that_enable"].items():
        for name in names:
            expected.setdefault(name, set()).add(gate)

    assert expected == registry.GATES_OF_FEATURE_SETS


def test_a_minor_that_nobody_knows_has_no_facts():
    assert registry.facts_of(Minor(4, 10)) is None
    assert registry.facts_of(Minor(6, 0)) is None


def test_facts_from_names_take_older_sets_from_the_newest_known_minor_and_vcurrent_from_the_names():
    facts = registry.facts_from_names(Minor(9, 9), ["Console", "baremetal", "Brand"], "a CRD")

    assert facts.capabilities == {"Console", "baremetal", "Brand"}
    assert facts.sets["vCurrent"] == {"Console", "baremetal", "Brand"}
    assert facts.sets["None"] == set()
    assert facts.sets["v4.11"] == {"baremetal"}
    assert facts.sets["v4.18"] == {"Console", "baremetal"}
    assert set(facts.sets) == set(MINORS["5.2"]["sets"])


# cvo-behaviour: --always-enable-capabilities=Ingress from 4.16 on, not for hosted clusters.
@pytest.mark.parametrize(
    ("version", "profile", "expected"),
    [
        (Minor(4, 15), "self-managed-high-availability", ()),
        (Minor(4, 16), "self-managed-high-availability", ("Ingress",)),
        (Minor(5, 0), "single-node-developer", ("Ingress",)),
        (Minor(4, 20), "ibm-cloud-managed", ()),
        (Minor(4, 20), "hypershift", ()),
        (None, "self-managed-high-availability", ()),
    ],
)
def test_ingress_is_always_on_from_4_16_except_for_hosted_clusters(version, profile, expected):
    assert registry.always_enabled(version, profile) == expected


@pytest.mark.parametrize(
    ("version", "name", "expected"),
    [
        (Minor(4, 15), "LatencySensitive", True),
        (Minor(4, 16), "LatencySensitive", False),
        (Minor(4, 20), "TechPreviewNoUpgrade", True),
        (Minor(4, 22), "OKD", True),
        (None, "LatencySensitive", True),
    ],
)
def test_feature_sets_come_and_go_with_minors(version, name, expected):
    assert (name in registry.feature_set_names(version)) is expected


def test_annotations_may_name_what_the_newest_cvo_knows():
    # cvo-behaviour, "Per version", row 4.22 - 5.x
    assert registry.ANNOTATED_FEATURE_SETS == (
        "CustomNoUpgrade",
        "Default",
        "DevPreviewNoUpgrade",
        "OKD",
        "TechPreviewNoUpgrade",
    )


def test_every_capability_has_a_first_minor_that_the_api_confirms():
    for capability in registry.CAPABILITIES:
        first = next(text for text, facts in MINORS.items() if capability.name in facts["known"])
        assert str(capability.since) == first
    assert {capability.name for capability in registry.CAPABILITIES} == set(MINORS["5.2"]["known"])
    assert registry.gates_of("Nobody") == ()
