# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import InclusionCriteria
from ansible_collections.capability.openshift.plugins.module_utils._capability.implicit_enablement import MovedResource
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import (
    Changes,
    EnabledCapability,
    HopPlan,
    Plan,
    StartingCluster,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanRequest
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.update_reasons import (
    VERDICTS,
    UpdateReason,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.verdict import HopVerdict
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.violations import (
    capability_violations,
    check_forbidden,
    verdict_violations,
)


def cause(name: str) -> MovedResource:
    return MovedResource(None, Manifest(ResourceId("apps", "Deployment", "ns", name), "v1", {}, "a.yaml"))


REQUEST = PlanRequest((), InclusionCriteria(InclusionContext()), StartingCluster(Selection()))
BY_MANIFEST = EnabledCapability("MachineAPI", "manifest", (cause("one"), cause("two")))
FORCED = EnabledCapability("DeploymentConfig", "forced", (), "because")
REQUESTED = EnabledCapability("Build", "manifest", (cause("three"),))
IN_PASSING = EnabledCapability("Hidden", "manifest", (cause("four"),))


def hop(
    before: str, after: str, *implicit: EnabledCapability, number: int = 13, requested: str = "", unknown: str = ""
) -> HopPlan:
    """Return a hop between names, written with blanks between them."""
    start, end = (CapabilityStatus(frozenset(), frozenset(names.split())) for names in (before, after))
    nothing = frozenset[str]()
    return HopPlan(
        f"4.{number}.0",
        f"4.{number + 1}.0",
        downgrade=False,
        before=start,
        after=end,
        implicitly_enabled=implicit,
        requested=frozenset(requested.split()),
        no_longer_optional=frozenset(unknown.split()),
        not_in_fresh_install=nothing,
        moved={},
        changes=Changes((), (), ()),
        credentials_requests=(),
    )


def violated(forbidden: Sequence[str], *hops: HopPlan) -> list[tuple[str, str]]:
    return [(item.hop.to_version, item.name) for item in capability_violations(result_of(*hops), forbidden)]


def result_of(*hops: HopPlan, verdicts: Sequence[HopVerdict] = ()) -> PlanResult:
    plan = Plan(Selection(), hops, hops[-1].after, None)
    return PlanResult(plan, (), tuple(verdicts) or (HopVerdict((), ()),) * len(hops), REQUEST)


FIRST = hop(
    "Console",
    "Console MachineAPI DeploymentConfig Build Storage",
    BY_MANIFEST,
    FORCED,
    REQUESTED,
    IN_PASSING,
    requested="Build Console Storage",
)
SECOND = hop("Console MachineAPI", "Console MachineAPI Ingress", number=14, requested="Console Ingress")
BACK = hop("Console", "Console", unknown="Insights Later")


@pytest.mark.parametrize(
    ("forbidden", "expected"),
    [
        ([], []),
        (["Console"], []),
        (["MachineAPI"], [("4.14.0", "MachineAPI")]),
        (["DeploymentConfig"], [("4.14.0", "DeploymentConfig")]),
        (["Build"], [("4.14.0", "Build")]),
        (["Storage"], [("4.14.0", "Storage")]),
        (["Hidden"], [("4.14.0", "Hidden")]),
        (["Ingress"], [("4.15.0", "Ingress")]),
        (["all"], [("4.14.0", name) for name in ("DeploymentConfig", "Hidden", "MachineAPI")]),
        (["all", "Build"], [("4.14.0", name) for name in ("Build", "DeploymentConfig", "Hidden", "MachineAPI")]),
        (["Storage", "Ingress", "Storage"], [("4.14.0", "Storage"), ("4.15.0", "Ingress")]),
    ],
)
def test_a_name_counts_however_it_is_enabled_and_all_only_if_it_is_not_requested(forbidden, expected):
    assert violated(forbidden, FIRST, SECOND) == expected


@pytest.mark.parametrize(
    ("forbidden", "expected"), [([], []), (["Console"], []), (["Later"], ["Later"]), (["all"], ["Insights", "Later"])]
)
def test_a_name_that_is_no_longer_optional_counts_by_name_and_as_all(forbidden, expected):
    assert violated(forbidden, BACK) == [("4.14.0", name) for name in expected]


def test_all_matches_an_enabled_name_that_is_not_requested():
    assert violated(["all"], hop("", "Console Storage", requested="Storage")) == [("4.14.0", "Console")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MachineAPI", "4.13.0 to 4.14.0 enables MachineAPI because of Deployment.apps ns/one and 1 more"),
        ("Build", "4.13.0 to 4.14.0 enables Build because of Deployment.apps ns/three"),
        ("DeploymentConfig", "4.13.0 to 4.14.0 enables DeploymentConfig: because"),
        ("Storage", "4.13.0 to 4.14.0 enables Storage: the selection requests it in 4.14.0"),
        (
            "Insights",
            "4.13.0 to 4.14.0 enables Insights: 4.14.0 does not know it as a capability, so it creates its components",
        ),
    ],
)
def test_a_violation_names_its_cause(name, text):
    (violation,) = capability_violations(result_of(FIRST, BACK), [name])

    assert violation.message == text


@pytest.mark.parametrize(
    ("forbidden", "wrong"),
    [
        ([], []),
        (["all", "Console"], []),
        (["Console", "Consoel"], [("forbidden_capabilities[1]", "Did you mean Console?")]),
        (
            ["console", "ALL"],
            [("forbidden_capabilities[0]", "Write Console: names"), ("forbidden_capabilities[1]", "Write all: names")],
        ),
        (["blocked"], [("forbidden_capabilities[0]", "Use one of: Build, Console, all")]),
    ],
)
def test_an_unknown_name_that_is_forbidden_is_an_error(forbidden, wrong):
    problems = Problems()
    check_forbidden(forbidden, iter(["Console", "Build"]), problems)

    assert [str(item.where) for item in problems] == [where for where, _hint in wrong]
    assert all(item.hint.startswith(hint) for item, (_where, hint) in zip(problems, wrong, strict=True))
    assert {(item.severity, item.code) for item in problems} <= {("error", "unknown-capability")}


REASONS = {verdict: UpdateReason(verdict, "code", "Reason", f"a {verdict}", "", "") for verdict in VERDICTS[1:]}


@pytest.mark.parametrize(
    ("fail_on", "violated_by"),
    [
        ("acknowledge", ["acknowledge", "risk", "blocked"]),
        ("risk", ["risk", "blocked"]),
        ("blocked", ["blocked"]),
        ("never", []),
    ],
)
def test_a_verdict_fails_from_the_least_serious_one_on(fail_on, violated_by):
    reasons = [(), *((reason,) for reason in REASONS.values())]
    verdicts = tuple(HopVerdict(found, ()) for found in reasons)
    hops = tuple(hop("", "", number=number) for number in range(len(verdicts)))
    result = result_of(*hops, verdicts=verdicts)

    assert [item.name for item in verdict_violations(result, fail_on)] == violated_by


def test_a_verdict_names_its_most_serious_reason():
    verdict = HopVerdict((REASONS["blocked"], REASONS["blocked"]._replace(code="other"), REASONS["risk"]), ())
    result = result_of(FIRST, verdicts=[verdict])

    (violation,) = verdict_violations(result, "risk")

    assert violation.message == "4.13.0 to 4.14.0 has the verdict blocked: a blocked, and 1 more"
