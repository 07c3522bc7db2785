# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the CVO of each minor reads, against the table of the facts."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import BRANCHES
from ansible_collections.capability.openshift.plugins.module_utils._data.feature_sets import feature_set_names
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    INCLUSION_RULES,
    NEWEST_RULES,
    inclusion_rules,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor

LATENCY = "CustomNoUpgrade,Default,LatencySensitive,TechPreviewNoUpgrade"
DEV = "CustomNoUpgrade,Default,DevPreviewNoUpgrade,TechPreviewNoUpgrade"
OKD = "CustomNoUpgrade,Default,DevPreviewNoUpgrade,OKD,TechPreviewNoUpgrade"


@pytest.mark.parametrize(
    ("minor", "feature_sets", "feature_gate", "major_version", "overrides"),
    [
        (Minor(4, 10), "", "tech_preview", False, False),
        (Minor(4, 11), "", "tech_preview", False, False),
        (Minor(4, 12), LATENCY, "ignored", False, False),
        (Minor(4, 13), LATENCY, "ignored", False, False),
        (Minor(4, 14), LATENCY, "ignored", False, True),
        (Minor(4, 15), LATENCY, "ignored", False, True),
        (Minor(4, 16), DEV, "ignored", False, True),
        (Minor(4, 21), DEV, "ignored", False, True),
        (Minor(4, 22), OKD, "gates", True, True),
        (Minor(5, 2), OKD, "gates", True, True),
        (Minor(9, 9), OKD, "gates", True, True),
        (None, OKD, "gates", True, True),
    ],
)
def test_rules_of_a_minor(minor, feature_sets, feature_gate, major_version, overrides):
    rules = inclusion_rules(minor)

    assert ",".join(rules.feature_sets) == feature_sets
    assert (rules.feature_gate, rules.major_version, rules.overrides) == (feature_gate, major_version, overrides)
    assert rules.reads_gates == (feature_gate == "gates")


def test_the_rules_are_in_order_and_each_has_a_source():
    assert [rules.since for rules in INCLUSION_RULES] == sorted({rules.since for rules in INCLUSION_RULES})
    assert all(f"release-{rules.since}:" in rules.source for rules in INCLUSION_RULES)
    assert INCLUSION_RULES[-1] is NEWEST_RULES


@pytest.mark.parametrize("minor", sorted(BRANCHES), ids=str)
def test_a_cvo_that_reads_feature_sets_knows_those_of_its_minor(minor):
    known = inclusion_rules(minor).feature_sets
    assert not known or set(known) == set(feature_set_names(minor))
