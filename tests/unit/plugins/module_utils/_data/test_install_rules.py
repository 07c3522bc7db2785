# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import (
    INSTALL_METHODS,
    SINGLE_RULES,
)
from ansible_collections.capability.openshift.tests.unit.builders.installations import MINORS, minor_data_of

RULES = (*SINGLE_RULES, *(dependency.rule for dependency in DEPENDENCIES))
STANDALONE = ("ipi", "upi", "agent", "assisted")

# Every rule that the installer and the APIs hold, with the minors in which each of its forms is in force. The enums of
# the API are what inst-known-names says.
WINDOWS = {
    "inst-known-names": [("4.11", None)],
    "inst-baseline-required": [("4.11", None)],
    "inst-ipi-machineapi": [("4.14", None)],
    "inst-baremetal-machineapi": [("4.14", "4.16")],
    "inst-marketplace-olm": [("4.15", "4.16"), ("4.17", None)],
    "inst-platform-baremetal": [("4.16", None)],
    "inst-cloudcredential": [("4.15", None)],
    "inst-ccm": [("4.16", None)],
    "inst-ccm-external": [("4.16", None)],
    "inst-ingress": [("4.16", None)],
    "inst-baremetal-hosts": [("4.11", "4.16"), ("4.17", None)],
    "api-marketplace-olm": [("4.15", None)],
    "api-baremetal-machineapi": [("4.14", "4.16")],
    "api-clusterapi-compat": [("4.23", None)],
    "hcp-ingress-console": [("4.20", None)],
    "hcp-both": [("4.20", None)],
}
LAYERS = {"api": "ClusterVersion", "hcp": "HostedCluster", "doc": "documentation"}


@pytest.mark.parametrize(("name", "windows"), WINDOWS.items(), ids=WINDOWS)
def test_every_rule_has_a_row_for_each_time_in_which_it_holds(name, windows):
    found = [(str(rule.since), rule.until and str(rule.until)) for rule in RULES if rule.name == name]

    assert found == windows


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name} since {rule.since}")
def test_every_row_says_when_it_applies_what_is_answered_and_where_that_stands(rule):
    for text in (rule.condition, rule.message, rule.source):
        assert text.strip() == text != ""
    assert not re.match(r"[\w.]+\.[\w.]+: ", rule.message), "the location of a problem names the field"
    assert "openshift/" in rule.source
    assert rule.methods
    assert set(rule.methods) <= set(INSTALL_METHODS)


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", INSTALL_METHODS)
def test_no_two_rows_of_one_name_hold_at_once(minor, method):
    names = [rule.name for rule in RULES if rule.in_force(minor_data_of(minor).minor, method)]

    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name} since {rule.since}")
def test_the_layer_of_a_rule_is_in_its_name(rule):
    prefix = rule.name.partition("-")[0]
    if rule.name in ("inst-set-name-missing", "agent-block-ignored"):
        assert rule.layer == "documentation"  # no layer enforces them
    else:
        assert rule.layer == LAYERS.get(prefix, "installer")


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("inst-ingress", STANDALONE),
        ("inst-ipi-machineapi", ("ipi",)),
        ("inst-baremetal-hosts", ("ipi", "upi")),
        ("agent-block-ignored", ("agent",)),
        ("doc-platform-baremetal", STANDALONE),
        ("agent-platform", ("agent",)),
        ("agent-single-node-platform", ("agent", "assisted")),
        ("inst-single-node-platform", ("ipi", "upi")),
        ("doc-assisted-platform", ("assisted",)),
        ("doc-build-imageregistry", (*STANDALONE, "hosted")),
        ("hcp-ingress-console", ("hosted",)),
    ],
)
def test_a_rule_holds_for_the_methods_that_meet_it(name, methods):
    newest = [rule for rule in RULES if rule.name == name][-1]
    minor = newest.until or newest.since

    assert tuple(method for method in INSTALL_METHODS if newest.in_force(minor, method)) == methods


def test_a_rule_holds_in_both_ends_of_its_window_and_not_beyond():
    (rule,) = [rule for rule in RULES if rule.name == "inst-baremetal-machineapi"]

    assert [minor for minor in MINORS if rule.in_force(minor_data_of(minor).minor, "upi")] == ["4.14", "4.15", "4.16"]
