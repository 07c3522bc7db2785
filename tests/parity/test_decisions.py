# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decisions on real releases and on synthetic manifests are those of the CVO's own code, to the letter."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    Inclusion,
    InclusionContext,
    decide,
    decide_all,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import (
    Selection,
    capability_status,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.tests.parity.support import (
    FACT_RELEASES,
    Scenario,
    all_scenarios,
    options_of,
    release_facts,
    synthetic_settings,
)

# Every form of message that the filters have, and the rule that stands for it (library-go:pkg/manifest/manifest.go).
FORMS = {
    r"no annotations": "annotations",
    r"exclude\.release\.openshift\.io/\S+=true": "exclude_identifier",
    r"both feature set and feature gate annotations are present: .*": "feature_set_and_gate",
    r'unrecognized value ".*" in release\.openshift\.io/feature-set=.*; known values are: .*': "feature_set",
    r'".*" is required, and release\.openshift\.io/feature-set=.*': "feature_set",
    r"feature gate \S+ is required but not enabled": "feature_gate",
    r"feature gate \S+ is enabled but manifest requires it to be disabled": "feature_gate",
    r"major version filtering is only supported for .*": "major_version",
    r'invalid included major version ".*" in annotation: strconv\.ParseUint: parsing ".*": .*': "major_version",
    r'invalid excluded major version ".*" in annotation: strconv\.ParseUint: parsing ".*": .*': "major_version",
    r"inclusion and exclusion requirements overlap: \[.*\]": "major_version",
    r"major version \d+ matches excluded version \d+": "major_version",
    r"major version \d+ does not match any required versions": "major_version",
    r"include\.release\.openshift\.io/\S* unset": "cluster_profile",
    r"unrecognized value include\.release\.openshift\.io/\S*=.*": "cluster_profile",
    r"unrecognized capability names: .*": "unknown_capability",
    r"disabled capabilities: .*": "disabled_capability",
    r"overridden": "override",
}

scenarios = pytest.mark.parametrize("scenario", all_scenarios(), ids=str)


@scenarios
def test_scenario(scenario: Scenario) -> None:
    assert_answers(scenario, scenario.facts)


@scenarios
def test_scenario_from_options(scenario: Scenario) -> None:
    inputs = scenario.inputs
    problems = Problems()
    context, status = resolve_cluster(options_of(inputs, inputs["gates"]), release_of_version(scenario.minor), problems)
    assert problems == []
    assert (sorted(status.known), sorted(status.enabled)) == (inputs["known"], inputs["enabled"])
    assert_answers(scenario, context)


@scenarios
def test_capability_status(scenario: Scenario) -> None:
    inputs = scenario.inputs
    minor = data_of(scenario.minor)
    assert minor is not None
    status = capability_status(Selection(inputs["baseline"], tuple(inputs["additional"])), minor)
    assert (sorted(status.known), sorted(status.enabled)) == (inputs["known"], inputs["enabled"])
    assert not status.implicitly_enabled


@pytest.mark.parametrize("at", range(len(synthetic_settings())))
def test_synthetic_setting(at: int) -> None:
    facts, answers = synthetic_settings()[at]
    wrong = [
        (manifest, message, first_message(inclusion))
        for manifest, message in answers
        if first_message(inclusion := decide(manifest, facts)) != message or inclusion.included != (message == "")
    ]
    assert wrong == []


def test_the_data_is_all_there() -> None:
    assert len(all_scenarios()) == 24
    assert FACT_RELEASES == ("4.13", "4.14", "4.18", "4.20")
    assert sum(len(answers) for _facts, answers in synthetic_settings()) == 2000
    for release in FACT_RELEASES:
        assert len(release_facts(release).manifests) > 1000
        assert all(
            any(scenario.messages) and not all(scenario.messages) for scenario in release_facts(release).scenarios
        )


def test_every_filter_and_message_occurs() -> None:
    first = {message for _facts, answers in synthetic_settings() for _manifest, message in answers}
    first |= {message for scenario in all_scenarios() for message in scenario.messages}
    forms = Counter(form for message in first - {""} for form in FORMS if re.fullmatch(form, message, re.DOTALL))
    assert set(forms) == set(FORMS)
    assert sum(forms.values()) == len(first - {""}), "a message has no form, or two"


def test_every_reason_is_under_the_rule_of_its_message() -> None:
    decided = [
        *(decide(manifest, facts) for facts, answers in synthetic_settings() for manifest, _message in answers),
        *(
            inclusion
            for scenario in all_scenarios()
            for inclusion in decide_all(release_facts(scenario.release).manifests, scenario.facts)
        ),
    ]
    reasons = {(reason.rule, reason.message) for inclusion in decided for reason in inclusion.reasons}
    ruled = {(rule_of(message), message) for _rule, message in reasons}
    assert reasons == ruled
    assert {rule for rule, _message in reasons} == set(FORMS.values())


def assert_answers(scenario: Scenario, facts: InclusionContext) -> None:
    decided = decide_all(release_facts(scenario.release).manifests, facts)
    pairs = list(zip(decided, scenario.messages, strict=True))
    assert [(item, message) for item, message in pairs if item.included != (message == "")] == []
    assert [(item, message) for item, message in pairs if first_message(item) != message] == []


def first_message(inclusion: Inclusion) -> str:
    return inclusion.reasons[0].message if inclusion.reasons else ""


def rule_of(message: str) -> str:
    (rule,) = {rule for form, rule in FORMS.items() if re.fullmatch(form, message, re.DOTALL)}
    return rule
