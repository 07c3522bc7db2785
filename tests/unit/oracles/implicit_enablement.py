# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an update enables, in the simplest possible form, and how to get the same from the collection.

The rule is written as the loops of openshift/cluster-version-operator:lib/manifest/manifest.go
GetImplicitlyEnabledCapabilities run, one manifest against each, without any optimization. The filter that it
calls is the collection's own, whose results are compared with the real code's in tests/parity/test_decisions.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    decide,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import DEFAULT_CLUSTER_PROFILE
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    NEWEST_RULES,
    InclusionRules,
    inclusion_rules,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import EnabledCapability, HopPlan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner, PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    PlanOptions,
    PlanRequest,
    SharedOptions,
    read_request,
)

Pair = tuple[Manifest, Manifest]
"""A manifest of the old release, and the one of the new release that enables something because of it."""


def load(manifests: Iterable[Manifest], context: InclusionContext) -> list[Manifest]:
    """Return the manifests that a CVO loads: all filters except capabilities and overrides."""
    loading = context._replace(capability_status=None, overrides=())
    return [manifest for manifest in manifests if decide(manifest, loading).included]


def implicitly_enabled(
    current: Sequence[Manifest],
    target: Sequence[Manifest],
    enabled: Iterable[str],
    *,
    implicit: Iterable[str] = (),
    gates: frozenset[str] | None = None,
    majors: tuple[int | None, int | None] = (None, None),
    rules: InclusionRules = NEWEST_RULES,
) -> dict[str, list[Pair]]:
    """Return what the update enables in addition to ``enabled``, each name with the pairs that cause it.

    Both lists as loaded. ``implicit`` is already enabled and stays, so it is not in the result. ``rules`` are those of
    the outgoing CVO.
    """
    status = CapabilityStatus(frozenset(enabled), frozenset(enabled))  # a name that is not known counts as disabled
    old_facts, new_facts = (
        InclusionContext(feature_gates=gates, major_version=major, capability_status=status, rules=rules)
        for major in majors
    )
    result: dict[str, list[Pair]] = {}
    for new in target:
        if decide(new, new_facts).included:
            continue
        for old in current:
            if old.resource_id.group != new.resource_id.group or old.resource_id.kind != new.resource_id.kind:
                continue
            if old.resource_id.namespace != new.resource_id.namespace or old.resource_id.name != new.resource_id.name:
                continue
            if not decide(old, old_facts).included:
                continue
            for name in dict.fromkeys(new.capabilities):
                if name in old.capabilities or name in status.enabled or name in implicit:
                    continue
                result.setdefault(name, []).append((old, new))
    return result


def plan_of(path: Sequence[Release], *, allow_downgrade: bool = False, **options: Any) -> PlanResult:
    """Return the plan of a cluster that goes through the releases of ``path``; ``options`` are those of the module.

    Its problems are complete, those of the request first. Raises ``InvalidOptionError`` if the module would fail.
    """
    of_request = Problems()
    planner = Planner(path, SharedOptions(allow_downgrade=allow_downgrade))
    request = plan_request(path, **options)
    result = planner.plan(*planner.resolve(request, of_request))
    return result._replace(problems=(*of_request, *result.problems))


def shared_plan(planner: Planner, request: PlanRequest) -> PlanResult:
    """Return the plan that equal requests share, without the warnings about this request."""
    return planner.plan(*planner.resolve(request, Problems()))


def plan_request(path: Sequence[Release], positions: tuple[int, ...] | None = None, **options: Any) -> PlanRequest:
    """Return the request for a path, by default through all releases in their order."""
    positions = tuple(range(len(path))) if positions is None else positions
    of_plan = {name: options.pop(name) for name in PlanOptions._fields if name in options}
    problems = Problems()
    cluster = ClusterOptions(**options)
    request = read_request(PlanOptions(cluster, **of_plan), positions, frozenset(), problems)
    problems.raise_errors(InvalidOptionError)
    return request


def release(version: str, manifests: Iterable[Manifest], body: Callable[[Manifest], Any] | None = None) -> Release:
    """Return a release in memory."""
    return Release(version, version, minor_of(version), tuple(manifests), read_body=body or _no_body)


def _no_body(manifest: Manifest) -> Any:
    raise LookupError(f"the test must not read {manifest.resource_id}")


def cluster_version(
    spec: Mapping[str, Any] | None, enabled: Iterable[str] = (), known: Iterable[str] | None = None, **more: Any
) -> dict[str, Any]:
    """Return a ClusterVersion object; ``more`` are fields of its spec."""
    names = {"enabledCapabilities": enabled, "knownCapabilities": known}
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "spec": {**({} if spec is None else {"capabilities": dict(spec)}), **more},
        "status": {
            "capabilities": {field: sorted(listed) for field, listed in names.items() if listed is not None},
            "history": [],
        },
    }


def by_manifests(hop: HopPlan) -> dict[str, EnabledCapability]:
    """Return what manifests enable in a hop."""
    return {item.name: item for item in hop.implicitly_enabled if item.cause == "manifest"}


def expected(
    start: Release,
    end: Release,
    enabled: Iterable[str],
    *,
    gates: frozenset[str] | None = None,
    feature_set: str = "",
    profile: str = DEFAULT_CLUSTER_PROFILE,
) -> dict[str, list[Pair]]:
    """Return the result of the loops for a cluster whose outgoing CVO has these ``gates`` enabled."""
    context = InclusionContext(
        cluster_profile=profile,
        feature_set=feature_set,
        feature_gates=gates,
        exclude_identifier="",
        rules=inclusion_rules(start.minor),
    )
    majors = start.minor.major if start.minor else None, end.minor.major if end.minor else None
    current, target = (
        load(side.manifests, context._replace(major_version=major))
        for side, major in zip((start, end), majors, strict=True)
    )
    return implicitly_enabled(current, target, enabled, gates=gates, majors=majors, rules=context.rules)
