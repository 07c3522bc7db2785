# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Built-in solutions, over every version, platform and install method."""

from __future__ import annotations

from functools import cache

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import InstallContext
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS
from ansible_collections.capability.openshift.plugins.module_utils._data.platforms import PLATFORMS
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import SOLUTIONS
from ansible_collections.capability.openshift.plugins.module_utils._install_config.solution import Resolution, resolve
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.tests.unit.builders import installations as installs
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    METHODS,
    after,
    asks_for,
    broken,
    facts_of,
    known,
    listed,
)

MINORS = after("4.12")
BY_NAME = {solution.name: solution for solution in SOLUTIONS}
GRID = [(name, minor) for name in BY_NAME for minor in MINORS]

# What a solution goes without, and what it goes without where that is possible.
WITHOUT = {
    "minimal": set(),
    "ran_du": set(),
    "headless": {"Console"},
    "no_image_registry": {"ImageRegistry"},
    "managed_service": {"Console"},
    "disconnected": {"Insights"},
}
RATHER_WITHOUT = {
    "no_image_registry": {"Build"},
    "managed_service": {"marketplace", "openshift-samples"},
    "disconnected": {"marketplace", "openshift-samples"},
}
EVERYTHING = ("headless", "no_image_registry", "managed_service", "disconnected")


def test_these_are_the_solutions():
    assert set(BY_NAME) == set(WITHOUT)
    assert all(solution.description and solution.source for solution in SOLUTIONS)


def impossible(name, minor, method):
    """Tell whether a solution cannot be had: what it goes without cannot be turned off there."""
    if method == "hosted":
        return minor not in after("4.20") and (
            minor in after("4.11", "4.17") or name in ("headless", "managed_service", "disconnected")
        )
    return name == "no_image_registry" and minor in ("4.12", "4.13")


@cache
def facts(minor: str, method: str, platform: str, *, external: bool = False) -> InstallContext:
    return installs.install(minor, method, platform, external_cloud_controller_manager=external)


def resolved(name, install) -> tuple[Resolution | None, list[Problem]]:
    problems = Problems()
    return resolve(BY_NAME[name], install, problems), problems


def cells(minor):
    for method in INSTALL_METHODS:
        for platform in PLATFORMS:
            yield method, facts(minor, method, platform)
        yield method, facts(minor, method, "external", external=True)


@pytest.mark.parametrize(("name", "minor"), GRID)
def test_a_solution_is_valid_wherever_it_can_be_had_and_says_why_it_cannot_elsewhere(name, minor):
    for method, install in cells(minor):
        place = (method, install.platform)
        resolution, problems = resolved(name, install)
        assert (resolution is None) == impossible(name, minor, method), (place, problems)
        if resolution is None:
            assert problems, place
            assert all(problem.severity == "error" and problem.hint for problem in problems), place
            assert {problem.where for problem in problems} == {f"solution {name}"}, place
        else:
            assert problems == [], place
            assert broken(resolution.selection, install) == [], place


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("minor", after("4.12", "4.17"))
def test_a_hosted_cluster_that_takes_no_selection_takes_no_solution(name, minor):
    found = installs.check(minor, method="hosted", solution=name)

    reasons = [problem.message for problem in installs.errors(found.problems)]
    assert sum("HostedCluster has no spec.capabilities before 4.18" in reason for reason in reasons) == 1
    assert found.chosen is None


@pytest.mark.parametrize(("name", "minor"), GRID)
def test_a_solution_has_what_it_is_for_and_nothing_that_it_goes_without(name, minor):
    rather = RATHER_WITHOUT.get(name, set())
    for method, install in cells(minor):
        place = (method, install.platform)
        resolution, _problems = resolved(name, install)
        if resolution is None:
            continue
        enabled = asks_for(resolution.selection, minor)
        assert not enabled & WITHOUT[name], place
        if method != "hosted":
            assert not enabled & rather, place
            if name in EVERYTHING:
                assert enabled == known(minor) - WITHOUT[name] - rather, place
        if name == "ran_du":
            assert enabled >= {"NodeTuning", "OperatorLifecycleManager"} & known(minor), place
        assert enabled <= known(minor), place
        assert resolution.selection.excluded is None, place
        assert resolution.selection.baseline != "vCurrent", place


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("minor", after("4.20"))
def test_a_hosted_cluster_keeps_what_it_cannot_turn_off(name, minor):
    resolution, problems = resolved(name, facts(minor, "hosted", "none"))

    assert problems == []
    assert resolution is not None
    selectable = RATHER_WITHOUT.get(name, set()) - {"marketplace", "Build"}
    expected = known(minor) - {"baremetal"} - WITHOUT[name] - selectable
    assert asks_for(resolution.selection, minor) == expected


# openshift-kni/cnf-features-deploy release-4.12 to release-4.18; openshift-kni/telco-reference release-4.19 and later,
# telco-ran/install/clusterinstance/example-sno.yaml.
REFERENCE = {
    "4.12": {"marketplace"},
    **{minor: {"marketplace", "NodeTuning"} for minor in ("4.13", "4.14")},
    "4.15": {"OperatorLifecycleManager", "NodeTuning"},
    **{minor: {"NodeTuning", "OperatorLifecycleManager", "Ingress"} for minor in after("4.16")},
}


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", ["upi", "agent", "assisted"])
def test_a_distributed_unit_is_what_its_reference_says(minor, method):
    resolution, problems = resolved("ran_du", facts(minor, method, "none"))

    assert problems == []
    assert resolution is not None
    assert resolution.selection._replace(where="capabilities", additional_field=listed().additional_field) == listed(
        *sorted(REFERENCE[minor])
    )


@pytest.mark.parametrize(
    ("minor", "method", "platform", "expected"),
    [
        ("4.12", "upi", "none", []),
        ("4.15", "ipi", "aws", ["CloudCredential", "MachineAPI"]),
        ("4.16", "agent", "baremetal", ["Ingress", "MachineAPI", "baremetal"]),
        ("4.20", "assisted", "baremetal", ["Ingress", "baremetal"]),
        ("5.2", "ipi", "gcp", ["CloudControllerManager", "CloudCredential", "Ingress", "MachineAPI"]),
    ],
)
def test_the_minimal_solution_is_what_the_rules_demand(minor, method, platform, expected):
    resolution, _problems = resolved("minimal", facts(minor, method, platform))

    assert resolution is not None
    assert resolution.selection.baseline == "None"
    assert list(resolution.selection.additional) == expected
    assert sorted({violation.capability for violation in resolution.added}) == expected


@pytest.mark.parametrize("minor", ["4.18", "4.20", "5.2"])
def test_a_solution_that_is_no_set_is_a_list(minor):
    resolution, _problems = resolved("headless", facts(minor, "upi", "none"))

    assert resolution is not None
    assert resolution.selection.baseline == "None"
    assert resolution.reasons[0].startswith("no capability set is exactly that")
    assert resolution.reasons[0].endswith("(16)")


@pytest.mark.parametrize("method", METHODS)
def test_what_is_part_of_every_older_cluster_cannot_be_left_out(method):
    resolution, problems = resolved("headless", installs.install("4.11", method))

    assert resolution is None
    (problem,) = problems
    assert problem == Problem(
        "error",
        "todo",
        "solution headless",
        "cannot be had on 4.11: Console is part of every cluster before 4.12",
        "Install 4.12 or later, or choose another solution",
    )


def test_a_rule_that_brings_back_what_a_solution_goes_without_is_named():
    resolution, problems = resolved("headless", facts("4.19", "hosted", "none"))

    assert resolution is None
    (problem,) = problems
    assert problem.where == "solution headless"
    assert problem.message.startswith("cannot be had: it goes without Console, and Console is missing: ")
    assert "hcp-selectable" in problem.message
    assert problem.hint == "Choose another platform or install method, or take Console out of without"


@pytest.mark.parametrize("minor", after("4.23"))
def test_gated_names_are_in_a_solution_only_while_they_exist(minor):
    off = facts(minor, "upi", "none")
    on = off._replace(hidden=frozenset(), gates=installs.BOTH_GATES)

    for install, expected in ((off, set()), (on, installs.GATED)):
        resolution, problems = resolved("headless", install)
        assert problems == []
        assert resolution is not None
        assert asks_for(resolution.selection, minor) & installs.GATED == expected
        assert broken(resolution.selection, install) == []


def test_a_resolution_is_the_same_for_every_later_minor():
    resolution, _problems = resolved("minimal", facts("4.14", "ipi", "aws"))

    assert resolution is not None
    assert {asks_for(resolution.selection, minor) for minor in after("4.14")} == {frozenset({"MachineAPI"})}
    assert facts_of("4.14").minor < facts_of("5.2").minor
