# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each release is decided as its own CVO decides: the answers of the real code of 4.11 to 4.21, to the letter.

The facts of test_decisions.py come from the newest CVO alone. Its contexts have the newest rules, which is the default
of a context. Here the same releases are decided by the rules of their minor, too.
"""

from __future__ import annotations

import re

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    Inclusion,
    InclusionContext,
    decide_all,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._data.feature_sets import feature_set_names
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import inclusion_rules
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.tests.parity.support import (
    OwnAnswer,
    Scenario,
    all_scenarios,
    options_of,
    own_answers,
    release_facts,
)

# The 4.11 CVO reads the annotation of feature gates in its own way, so it has its own messages.
FIRST_FORMS = {
    r"unrecognized value release\.openshift\.io/feature-gate=.*": "feature_gate",
    r"tech-preview excluded, and release\.openshift\.io/feature-gate=TechPreviewNoUpgrade": "feature_gate",
}
KNOWN_VALUES = re.compile("known values are: .*")


@pytest.mark.parametrize("answer", own_answers(), ids=str)
def test_answers_of_each_cvo(answer: OwnAnswer) -> None:
    assert_answers(answer, answer.context)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(item, id=str(item))
        for item in own_answers()
        if item.inputs["featureSet"] in ("", *feature_set_names(item.minor))
    ],
)
def test_answers_of_each_cvo_from_options(answer: OwnAnswer) -> None:
    """The decisions that follow from options, for the feature sets that a cluster of the minor can have."""
    problems = Problems()
    options = options_of(answer.inputs, ["ClusterAPIMachineManagement"])
    context, status = resolve_cluster(options, release_of_version(answer.minor), problems)
    assert problems == []
    assert (status.known, status.enabled) == (answer.status.known, answer.status.enabled)
    assert_answers(answer, context)


def test_the_data_is_all_there() -> None:
    answers = own_answers()
    assert len({item.minor for item in answers}) == 11
    assert len(answers) == 77
    assert sum(len(item.messages) for item in answers) == 77 * 250
    assert all(any(item.messages) and not all(item.messages) for item in answers)


def test_messages_that_only_the_first_cvo_has() -> None:
    found = {
        (reason.rule, form)
        for answer in own_answers()
        for inclusion in decide_all(answer.manifests, answer.context)
        for reason in inclusion.reasons
        for form in FIRST_FORMS
        if re.fullmatch(form, reason.message)
    }
    assert found == {(rule, form) for form, rule in FIRST_FORMS.items()}


@pytest.mark.parametrize("scenario", all_scenarios(), ids=str)
def test_stored_releases_under_the_rules_of_their_minor(scenario: Scenario) -> None:
    """The newest CVO and the one of the release agree on these releases, but for the values that they know."""
    context = scenario.facts._replace(rules=inclusion_rules(scenario.minor), major_version=scenario.minor.major)
    decided = decide_all(release_facts(scenario.release).manifests, context)
    pairs = list(zip(decided, scenario.messages, strict=True))
    assert [item for item, message in pairs if item.included != (message == "")] == []
    assert [item for item, message in pairs if without_values(first_message(item)) != without_values(message)] == []


def assert_answers(answer: OwnAnswer, context: InclusionContext) -> None:
    pairs = list(zip(decide_all(answer.manifests, context), answer.messages, strict=True))
    assert [name(item.manifest) for item, message in pairs if item.included != (message == "")] == []
    assert [(first_message(item), message) for item, message in pairs if first_message(item) != message] == []


def name(manifest: Manifest) -> str:
    return manifest.resource_id.name


def first_message(inclusion: Inclusion) -> str:
    return inclusion.reasons[0].message if inclusion.reasons else ""


def without_values(message: str) -> str:
    return KNOWN_VALUES.sub("", message)
