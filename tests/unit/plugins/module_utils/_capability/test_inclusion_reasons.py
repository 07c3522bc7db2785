# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests that several filters leave out: every reason, in the CVO's order."""

from __future__ import annotations

from itertools import combinations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    InclusionContext,
    Override,
    decide,
    decide_all,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.tests.unit.builders.inclusion import (
    CONFIG_MAP,
    CONTEXT,
    FAILING,
    FEATURE_GATES,
    OVERRIDDEN,
    Failing,
    annotated,
    manifest,
    messages,
    rules,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
)

BY_RULE = {part.rule: part for part in FAILING}


def failing(*parts: Failing) -> tuple[Manifest, InclusionContext]:
    annotations: dict[str, str] = {INCLUDE: "true"}
    context = CONTEXT
    for part in parts:
        for key, value in part.annotations.items():
            if value is None:
                del annotations[key]
            elif key == CAPABILITY and key in annotations:
                annotations[key] += "+" + value
            elif key not in (FEATURE_SET, FEATURE_GATE) or part.rule != "feature_set_and_gate":
                annotations[key] = value
            else:
                annotations.setdefault(key, value)
        context = context._replace(**dict(part.context))
    return manifest(annotations), context


@pytest.mark.parametrize("part", FAILING, ids=lambda part: part.rule)
def test_each_failing_filter_fails_alone(part):
    item, context = failing(part)

    assert [(reason.rule, reason.message) for reason in decide(item, context).reasons] == [(part.rule, part.message)]


@pytest.mark.parametrize(
    ("first", "second"),
    list(combinations(FAILING, 2)),
    ids=lambda part: part.rule if isinstance(part, Failing) else None,
)
def test_of_two_failing_filters_the_earlier_speaks_and_both_are_reasons(first, second):
    item, context = failing(first, second)
    expected = [first, second]
    if [first.rule, second.rule] == ["feature_set", "feature_gate"]:
        # Both annotations on one manifest are the third filter's business.
        expected.insert(0, BY_RULE["feature_set_and_gate"])

    assert rules(item, context) == [part.rule for part in expected]
    assert messages(item, context) == [part.message for part in expected]


@pytest.mark.parametrize("rule", ["cluster_profile", "override"])
def test_a_manifest_without_annotations_fails_for_that_first_and_for_other_reasons_too(rule):
    second = BY_RULE[rule]
    context = CONTEXT._replace(**dict(second.context))

    assert rules(manifest(None), context)[0] == "annotations"
    assert second.rule in rules(manifest(None), context)


def test_all_filters_at_once_are_all_reasons_in_order():
    item, context = failing(*FAILING)

    assert rules(item, context) == [part.rule for part in FAILING]


def test_reasons_name_unknown_and_disabled_capabilities_of_one_manifest():
    assert messages(annotated((CAPABILITY, "Build+Nope"))) == [
        "unrecognized capability names: Nope",
        "disabled capabilities: Build",
    ]


def test_every_gate_that_fails_is_a_reason():
    assert messages(annotated((FEATURE_GATE, "Off,-On,Other"))) == [
        "feature gate Off is required but not enabled",
        "feature gate On is enabled but manifest requires it to be disabled",
        "feature gate Other is required but not enabled",
    ]


@pytest.mark.parametrize(
    ("overrides", "resource", "out"),
    [
        ([OVERRIDDEN], CONFIG_MAP, True),
        ([OVERRIDDEN._replace(unmanaged=False)], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(unmanaged=False), OVERRIDDEN], CONFIG_MAP, False),
        ([OVERRIDDEN, OVERRIDDEN._replace(unmanaged=False)], CONFIG_MAP, True),
        ([OVERRIDDEN._replace(name="two"), OVERRIDDEN], CONFIG_MAP, True),
        ([OVERRIDDEN._replace(group="example.org")], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(kind="Secret")], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(namespace="")], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(namespace="openshift-two")], CONFIG_MAP, False),
        ([Override("FeatureGate", "config.openshift.io", "", "cluster", True)], FEATURE_GATES, True),
        ([Override("FeatureGate", "config.openshift.io", "ignored", "cluster", True)], FEATURE_GATES, True),
    ],
)
def test_the_first_override_that_matches_decides_and_cluster_scoped_resources_ignore_its_namespace(
    overrides, resource, out
):
    context = CONTEXT._replace(overrides=tuple(overrides))

    assert messages(annotated(resource=resource), context) == (["overridden"] if out else [])


def test_decisions_keep_the_order_of_the_manifests():
    items = [annotated((CAPABILITY, name)) for name in ("Console", "Build", "Nope")]

    assert [inclusion.manifest for inclusion in decide_all(items, CONTEXT)] == items
    assert [inclusion.included for inclusion in decide_all(items, CONTEXT)] == [True, False, False]
