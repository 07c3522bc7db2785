# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An install-config is rejected here exactly if the installer's own code rejects what its selection depends on."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import VALIDATION
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS
from ansible_collections.capability.openshift.tests.unit.builders.installations import NEWEST, check, errors

GOLDEN = json.loads((FACTS / "installer.json").read_text("utf-8"))
RANDOM = json.loads((FACTS / "install_configs.json").read_text("utf-8"))
MINORS = {"4.15": "4.15", "4.17": "4.17", "main": NEWEST}
RANDOM_MINORS = tuple(name for name in RANDOM if name != "details")
MESSAGES = {item.rule.message for item in DEPENDENCIES if item.rule.source.startswith(VALIDATION)}

ONLY_HERE = {
    # The agent-based installer checks these in another place (pkg/asset/agent), whose code did not answer.
    "agent-platform",
    "agent-single-node-compute",
    "agent-single-node-platform",
    "agent-oracle-cloud",
    "agent-architecture",
    "agent-feature-set",
    # pkg/asset/machines, whose code did not answer either.
    "inst-single-node-platform",
    # The CRD of the cluster has such a name only if its feature gate is enabled.
    "gated-capability",
    # The installer ignores a list of exclusions, and none next to another platform such as aws.
    "unknown-field",
    "several-platforms",
}
ONLY_IN_THE_INSTALLER = {
    # The installer counts the hosts. Whether there must be hosts depends on the selection, how many does not.
    ("platform.baremetal.hosts", "not enough hosts found (0) to support all the configured Compute replicas (2)"),
    # A release of OKD has this feature set. A version does not distinguish them.
    ("featureSet", "OKD featureset is not supported on OpenShift clusters"),
}
NOT_CHECKED = ("credentialsMode", "imageContentSources", "imageDigestSources")
"""Fields that no selection depends on."""


class Case(NamedTuple):
    """An install-config, and the fields that the installer rejects, with details."""

    minor: str
    agent: bool
    given: dict[str, Any]
    rejected: tuple[tuple[str, str], ...]

    @property
    def depending(self) -> list[str]:
        """The fields that the installer rejects because of what is checked here."""
        return [
            field
            for field, detail in self.rejected
            if (field.replace("Hosts", "hosts"), detail) not in ONLY_IN_THE_INSTALLER
            and not field.startswith(NOT_CHECKED)
            and (not field.startswith("platform.") or detail == "bare metal hosts are missing")
        ]

    @property
    def reported(self) -> list[str]:
        """The codes of all errors of the collection."""
        method = "agent" if self.agent else "upi"
        return [item.code for item in errors(check(self.minor, self.given, complete=True, method=method).problems)]


def cases(branch: str) -> list[Case]:
    return [
        Case(MINORS[branch], agent, given, tuple((field, GOLDEN["details"][detail]) for field, detail in rejected))
        for agent, given, rejected, stopped in GOLDEN[branch]
        if not stopped
    ]


def random_cases(minor: str) -> list[Case]:
    return [
        Case(minor, agent, given, tuple((field, RANDOM["details"][detail]) for field, detail in rejected))
        for agent, given, rejected in RANDOM[minor]
    ]


def has_the_set_that_some_installers_do_not_know(case: Case) -> bool:
    """Rule inst-set-name-missing: a later installer of 4.17 knows the set v4.17."""
    block = case.given.get("capabilities") or {}
    return case.minor == "4.17" and block.get("baselineCapabilitySet") == "v4.17"


@pytest.mark.parametrize("branch", MINORS)
def test_nothing_is_rejected_that_the_installer_accepts(branch: str) -> None:
    wrong = [
        (case, set(case.reported) - ONLY_HERE)
        for case in cases(branch)
        if not case.depending and set(case.reported) - ONLY_HERE
    ]

    assert wrong == []


@pytest.mark.parametrize("branch", MINORS)
def test_nothing_is_accepted_that_the_installer_rejects(branch: str) -> None:
    wrong = [
        case
        for case in cases(branch)
        if case.depending and not case.reported and not has_the_set_that_some_installers_do_not_know(case)
    ]

    assert wrong == []


@pytest.mark.parametrize(("branch", "least"), [("4.15", 180), ("4.17", 160), ("main", 160)])
def test_there_are_cases_of_both_kinds(branch: str, least: int) -> None:
    rejected = [case for case in cases(branch) if case.depending]

    assert len(rejected) >= least
    assert len(cases(branch)) - len(rejected) >= 20


@pytest.mark.parametrize("minor", RANDOM_MINORS)
def test_a_random_install_config_is_rejected_exactly_if_the_installer_rejects_it(minor: str) -> None:
    wrong = [case for case in random_cases(minor) if bool(case.depending) != bool(set(case.reported) - ONLY_HERE)]

    assert wrong == []


@pytest.mark.parametrize("minor", RANDOM_MINORS)
def test_a_random_selection_violates_the_rules_that_the_installer_names(minor: str) -> None:
    wrong, count = [], 0
    for case in random_cases(minor):
        result = check(minor, case.given, complete=True, method="agent" if case.agent else "upi")
        if result.status is None or any(item.rule.name == "inst-known-names" for item in result.violations):
            continue
        count += 1
        expected = {detail for _field, detail in case.rejected} & MESSAGES
        if {item.rule.message for item in result.violations} & MESSAGES != expected:
            wrong.append(case)

    assert wrong == []
    assert count >= 100


@pytest.mark.parametrize("minor", RANDOM_MINORS)
def test_the_installer_accepts_some_random_install_configs(minor: str) -> None:
    assert 40 <= sum(not case.depending for case in random_cases(minor)) <= 160
