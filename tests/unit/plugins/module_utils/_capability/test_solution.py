# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predefined solutions, for every version, platform and install method."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import InstallContext
from ansible_collections.capability.openshift.plugins.module_utils._capability.solution import resolve
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS
from ansible_collections.capability.openshift.plugins.module_utils._data.platforms import PLATFORMS
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import SOLUTIONS
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem, Problems
from ansible_collections.capability.openshift.tests.unit.builders import installations as installs
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    METHODS,
    after,
    broken,
    known,
    listed,
    minor_data_of,
    requested_names,
)

MINORS = after("4.12")
BY_NAME = {solution.name: solution for solution in SOLUTIONS}
GRID = [(name, minor) for name in BY_NAME for minor in MINORS]

# The names that a solution excludes, and those that it excludes unless a rule requires them.
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
    """Whether a solution is impossible, because a name that it excludes cannot be disabled."""
    if method == "hosted":
        return minor not in after("4.20") and (
            minor in after("4.11", "4.17") or name in ("headless", "managed_service", "disconnected")
        )
    return name == "no_image_registry" and minor in ("4.12", "4.13")


@cache
def install(minor: str, method: str, platform: str, *, external: bool = False, **more: Any) -> InstallContext:
    return installs.install(minor, method, platform, external_cloud_controller_manager=external, **more)


def resolved(name, context) -> tuple[Any, list[Problem]]:
    problems = Problems()
    return resolve(BY_NAME[name], context, problems), problems


def cells(minor):
    extra = frozenset({"openshift-marketplace"})
    for method in INSTALL_METHODS:
        for platform in PLATFORMS:
            yield method, install(minor, method, platform, namespaces=extra)
        yield method, install(minor, method, "external", external=True, namespaces=extra)


@pytest.mark.parametrize(("name", "minor"), GRID)
def test_a_solution_is_valid_if_it_is_possible_and_otherwise_reports_the_reason(name, minor):
    for method, context in cells(minor):
        case = (method, context.platform)
        resolution, problems = resolved(name, context)
        assert (resolution is None) == impossible(name, minor, method), (case, problems)
        if resolution is None:
            assert problems, case
            assert all(problem.severity == "error" and problem.hint for problem in problems), case
            assert {str(problem.where) for problem in problems} == {f"solution {name}"}, case
        else:
            assert problems == [], case
            assert broken(resolution.selection, context) == [], case


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("minor", after("4.12", "4.17"))
def test_a_hosted_cluster_without_selections_accepts_no_solution(name, minor):
    result = installs.check(minor, method="hosted", solution=name)

    codes = [problem.code for problem in installs.errors(result.problems)]
    assert codes.count("hcp-capabilities") == 1
    assert result.resolved is None


@pytest.mark.parametrize(("name", "minor"), GRID)
def test_a_solution_has_its_names_and_none_that_it_excludes(name, minor):
    rather = RATHER_WITHOUT.get(name, set())
    for method, context in cells(minor):
        case = (method, context.platform)
        resolution, _problems = resolved(name, context)
        if resolution is None:
            continue
        enabled = requested_names(resolution.selection, minor)
        assert not enabled & WITHOUT[name], case
        if method != "hosted":
            assert not enabled & rather, case
            if name in EVERYTHING:
                assert enabled == known(minor) - WITHOUT[name] - rather, case
        if name == "ran_du":
            assert enabled >= {"NodeTuning", "OperatorLifecycleManager"} & known(minor), case
        assert enabled <= known(minor), case
        assert resolution.selection.excluded is None, case
        assert resolution.selection.baseline != "vCurrent", case


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("minor", after("4.20"))
def test_a_hosted_cluster_keeps_the_names_that_it_cannot_disable(name, minor):
    resolution, problems = resolved(name, install(minor, "hosted", "none"))

    assert problems == []
    assert resolution is not None
    selectable = RATHER_WITHOUT.get(name, set()) - {"marketplace", "Build"}
    expected = known(minor) - {"baremetal"} - WITHOUT[name] - selectable
    assert requested_names(resolution.selection, minor) == expected


# openshift-kni/cnf-features-deploy release-4.12 to release-4.18; openshift-kni/telco-reference release-4.19 and later,
# telco-ran/install/clusterinstance/example-sno.yaml, whose extra manifests create Namespace openshift-marketplace.
REFERENCE = {
    "4.12": {"marketplace"},
    **{minor: {"marketplace", "NodeTuning"} for minor in ("4.13", "4.14")},
    "4.15": {"OperatorLifecycleManager", "NodeTuning"},
    **{minor: {"NodeTuning", "OperatorLifecycleManager", "Ingress"} for minor in after("4.16")},
}


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", ["upi", "agent", "assisted"])
def test_a_distributed_unit_equals_its_reference(minor, method):
    extra = frozenset({"openshift-marketplace"})
    resolution, problems = resolved("ran_du", install(minor, method, "none", namespaces=extra))

    assert problems == []
    assert resolution is not None
    assert resolution.selection._replace(
        where=Location(field="capabilities"), additional_field=listed().additional_field
    ) == listed(*sorted(REFERENCE[minor]))


@pytest.mark.parametrize("name", ["ran_du", "managed_service", "disconnected"])
def test_without_an_extra_manifest_the_namespace_of_olm_needs_marketplace_from_4_23_on(name):
    for minor in after("4.16"):
        resolution, problems = resolved(name, install(minor, "agent", "none"))
        assert problems == []
        assert resolution is not None
        names = requested_names(resolution.selection, minor)
        assert ("marketplace" in names) is (minor in after("4.23"))
        reasons = [item for item in resolution.added if item.rule.name == "doc-olm-marketplace"]
        assert bool(reasons) is (minor in after("4.23"))


@pytest.mark.parametrize(
    ("feature_set", "minors"),
    [
        ("", ()),
        ("DevPreviewNoUpgrade", ()),
        ("TechPreviewNoUpgrade", after("4.16", "4.21")),
        ("CustomNoUpgrade", after("4.19", "4.21")),
    ],
)
def test_cluster_api_needs_its_credentials_with_the_feature_sets_that_include_it(feature_set, minors):
    for minor in MINORS:
        resolution, problems = resolved("ran_du", install(minor, "agent", "none", feature_set=feature_set))
        assert problems == []
        assert resolution is not None
        reasons = [item for item in resolution.added if item.rule.name == "doc-clusterapi-credentials"]
        assert bool(reasons) is (minor in minors)
        assert ("CloudCredential" in requested_names(resolution.selection, minor)) is (minor in minors)
    gated = resolved("ran_du", install("4.22", "agent", "none", gates=frozenset({"ClusterAPIMachineManagement"})))[0]
    assert "doc-clusterapi-credentials" in {item.rule.name for item in gated.added}


@pytest.mark.parametrize(
    ("minor", "method", "platform", "expected"),
    [
        ("4.12", "upi", "none", []),
        # What only the documentation requires is part of a solution too.
        ("4.12", "assisted", "baremetal", ["baremetal"]),
        ("4.13", "ipi", "baremetal", ["baremetal"]),
        ("4.15", "agent", "baremetal", ["MachineAPI", "baremetal"]),
        ("4.12", "upi", "openstack", ["Storage"]),
        ("4.20", "upi", "openstack", ["CloudControllerManager", "CloudCredential", "Ingress", "Storage"]),
        ("4.15", "ipi", "aws", ["CloudCredential", "MachineAPI"]),
        ("4.16", "agent", "baremetal", ["Ingress", "MachineAPI", "baremetal"]),
        ("4.20", "assisted", "baremetal", ["Ingress", "baremetal"]),
        ("5.2", "ipi", "gcp", ["CloudControllerManager", "CloudCredential", "Ingress", "MachineAPI"]),
    ],
)
def test_the_minimal_solution_has_the_required_names(minor, method, platform, expected):
    resolution, _problems = resolved("minimal", install(minor, method, platform))

    assert resolution is not None
    assert resolution.selection.baseline == "None"
    assert list(resolution.selection.additional) == expected
    assert sorted({violation.capability for violation in resolution.added}) == expected


@pytest.mark.parametrize("minor", ["4.18", "4.20", installs.NEWEST])
def test_a_solution_that_equals_no_set_is_a_list(minor):
    resolution, _problems = resolved("headless", install(minor, "upi", "none"))

    assert resolution is not None
    assert resolution.selection.baseline == "None"
    assert resolution.reasons[0].endswith(f"({len(known(minor)) - 1})")


@pytest.mark.parametrize("method", METHODS)
def test_a_part_of_every_older_cluster_cannot_be_excluded(method):
    resolution, problems = resolved("headless", installs.install("4.11", method))

    assert resolution is None
    (problem,) = problems
    assert problem == Problem(
        "error",
        "impossible-exclusion",
        Location("solution headless"),
        "cannot exclude Console in 4.11: it is part of every cluster before 4.12",
        "Install 4.12 or later, or choose another solution",
    )


def test_a_rule_that_requires_an_excluded_name_is_named():
    resolution, problems = resolved("headless", install("4.19", "hosted", "none"))

    assert resolution is None
    (problem,) = problems
    assert str(problem.where) == "solution headless"
    assert problem.message.startswith("cannot exclude Console: a hosted cluster cannot disable it ")
    assert "hcp-selectable" in problem.message
    assert problem.hint == "Choose another install method or solution"


@pytest.mark.parametrize("minor", after("4.23"))
def test_gated_names_are_in_a_solution_only_if_they_exist(minor):
    disabled = install(minor, "upi", "none")
    enabled = disabled._replace(gated=frozenset(), gates=installs.BOTH_GATES)

    for context, expected in ((disabled, set()), (enabled, installs.GATED)):
        resolution, problems = resolved("headless", context)
        assert problems == []
        assert resolution is not None
        assert requested_names(resolution.selection, minor) & installs.GATED == expected
        assert broken(resolution.selection, context) == []


def test_a_resolution_is_the_same_for_every_later_minor():
    resolution, _problems = resolved("minimal", install("4.14", "ipi", "aws"))

    assert resolution is not None
    assert {requested_names(resolution.selection, minor) for minor in after("4.14")} == {frozenset({"MachineAPI"})}
    assert minor_data_of("4.14").minor < minor_data_of("5.2").minor
