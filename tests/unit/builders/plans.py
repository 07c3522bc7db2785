# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans of small releases, written from short descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import HopPlan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import PlanSerializer
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    PROFILE,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

DELETE = "release.openshift.io/delete"
TECH_PREVIEW = "TechPreviewNoUpgrade"
HOP = ("4.20.1", "4.21.1")

Entry = tuple[str, dict[str, Any]]


def manifest(
    needs: str | None = None,
    name: str = "one",
    *,
    api: str = "apps/v1",
    kind: str = "Deployment",
    namespace: str = "openshift-one",
    file: str = "0000_50_one_01.yaml",
    profile: str = PROFILE,
    body: dict[str, Any] | None = None,
    **annotations: str,
) -> Entry:
    """Return a manifest with its file; ``annotations`` as ``feature_set``, ``feature_gate`` and so on."""
    keys = {
        "feature_set": FEATURE_SET,
        "feature_gate": FEATURE_GATE,
        "delete": DELETE,
        "exclude_here": "exclude.release.openshift.io/here",
    }
    values = {f"include.release.openshift.io/{profile}": "true"}
    values |= {keys.get(key, key): value for key, value in annotations.items()}
    if needs is not None:
        values[CAPABILITY] = needs
    metadata = {"name": name, "namespace": namespace, "annotations": values}
    return file, {"apiVersion": api, "kind": kind, "metadata": metadata, **(body or {})}


def admin_gates_manifest(texts: Mapping[str, str]) -> Entry:
    """Return the ConfigMap admin-gates of a release."""
    return manifest(
        None,
        "admin-gates",
        api="v1",
        kind="ConfigMap",
        namespace="openshift-config-managed",
        file="0000_00_gates.yaml",
        body={"data": dict(texts)},
    )


def gates(*names: str) -> Entry:
    """Return a FeatureGate manifest as releases carry them: for config-operator, not for the CVO."""
    status = {"featureGates": [{"version": "", "enabled": [{"name": name} for name in names], "disabled": []}]}
    file, found = manifest(
        None,
        "cluster",
        api="config.openshift.io/v1",
        kind="FeatureGate",
        file="0000_10_gates.yaml",
        body={"status": status},
        feature_set="Default",
    )
    found["metadata"]["annotations"][INCLUDE] = "false-except-for-the-config-operator"
    return file, found


def request(name: str, provider: str, needs: str | None = None, **annotations: str) -> Entry:
    """Return a CredentialsRequest."""
    return manifest(
        needs,
        name,
        api="cloudcredential.openshift.io/v1",
        kind="CredentialsRequest",
        body={"spec": {"providerSpec": {"kind": provider}}},
        **annotations,
    )


def build_release(version: str, entries: Sequence[Entry]) -> Release:
    """Return a release in memory, each of its documents in its file."""
    bodies: dict[tuple[str, int], Any] = {}
    manifests = []
    for number, (file, value) in enumerate(entries, 1):
        problems = Problems()
        decoded = manifest_from_object(value, file, number, problems)
        assert decoded is not None
        assert not problems
        manifests.append(decoded)
        bodies[file, number] = value

    def body(wanted: Manifest) -> Any:
        return bodies[wanted.file, wanted.document]

    return reference.release(version, manifests, body)


def planned(*sides: Sequence[Entry], path: Sequence[str] = HOP, down: bool = False, **options: Any) -> PlanResult:
    """Return the plan of a path, of a cluster with an empty selection unless ``options`` set another start."""
    starts = ("capabilities", "cluster_version", "enabled_capabilities")
    selection = {} if any(name in options for name in starts) else {"capabilities": select_only()}
    # Tests ignore warnings about gates and profiles, which such small releases cause.
    releases = [build_release(version, side) for version, side in zip(path, sides, strict=True)]
    return reference.plan_of(releases, allow_downgrade=down, **selection, **options)


def one_hop(before: Sequence[Entry], after: Sequence[Entry], **options: Any) -> HopPlan:
    (hop,) = planned(before, after, **options).plan.hops
    return hop


def select_only(*names: str, baseline: str = "None") -> dict[str, Any]:
    """Return a selection of these names."""
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


def enabled_by(hop: HopPlan) -> dict[str, str]:
    """Return what the hop enables implicitly, each name with its cause."""
    return {item.name: item.cause for item in hop.implicitly_enabled}


def changes(hop: HopPlan) -> dict[str, list[str]]:
    return {side: [item.resource_id.name for item in found] for side, found in hop.changes._asdict().items() if found}


def shape(result: PlanResult) -> dict[str, Any]:
    """Return the first hop as playbooks get it."""
    hop = PlanSerializer().plan(result, details=True)["hops"][0]
    assert isinstance(hop, dict)
    return hop


def the_problem(result: PlanResult, part: str) -> Problem:
    (found,) = [problem for problem in result.problems if part in problem.message]
    return found


def has_problem(result: PlanResult, part: str) -> bool:
    return any(part in problem.message for problem in result.problems)


ELSEWHERE = "0000_70_two_09.yaml"
