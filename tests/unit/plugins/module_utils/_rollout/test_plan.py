# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a rollout: its mode, and the inventory before and after the manifests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, get_args

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import ResolvedRelease
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    FEATURE_GATE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    inclusion_rules,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import (
    Action,
    ApplyResult,
    CapabilityResult,
    ChangeSet,
    Leftover,
    refused,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import (
    ClusterState,
    RolloutContext,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.drift import owned_digest
from ansible_collections.capability.openshift.plugins.module_utils._rollout.enablement import OutgoingRelease
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory import Entry, Inventory
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory_store import StoredInventory
from ansible_collections.capability.openshift.plugins.module_utils._rollout.plan import (
    ManifestPlan,
    RolloutPlan,
    final_inventory,
    loaded_by_outgoing,
    plan_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.refusals import Refusal

VERSION, PROFILE = "4.21.0", "self-managed-high-availability"
ENABLED = frozenset({"Console"})
MANAGED = {"managedFields": [{"manager": FIELD_MANAGER, "operation": "Apply", "fieldsV1": {"f:data": {}}}]}
INCLUDED = f"include.release.openshift.io/{PROFILE}"


def inventory(version: str = VERSION, enabled: frozenset[str] = ENABLED, unfinished: Any = "", **entries: Entry) -> Any:
    return Inventory(version, PROFILE, enabled, unfinished, {resource(name): item for name, item in entries.items()})


def resource(name: str) -> ResourceId:
    return ResourceId("", "ConfigMap", "team", name)


def manifest(name: str, **annotations: str) -> Manifest:
    return Manifest(resource(name), "v1", {INCLUDED: "true", **annotations}, "a.yaml")


def plan_of(stored: Inventory | None, *manifests: Manifest, outgoing: str | None = None, mode: Any = None) -> Any:
    kinds: Any = SimpleNamespace(find=lambda group, kind: None)
    state = ClusterState(kinds, StoredInventory(stored), None, None, ())
    target: Any = None
    release: Any = SimpleNamespace(shown_version=VERSION, manifests=manifests)
    resolved: Any = ResolvedRelease(
        release=release,
        minor=Minor(4, 21),
        minor_data=None,
        context=InclusionContext(PROFILE),
        gated=frozenset(),
        always=frozenset(),
        loaded=manifests,
    )
    in_release = {item.resource_id for item in manifests}
    dropped = tuple(item for item in (stored.entries if stored else ()) if item not in in_release)
    context = RolloutContext(state, release, ClusterOptions(), resolved, (), target, dropped, ())
    options: Any = SimpleNamespace(mode=mode)
    capabilities: Any = None
    return RolloutPlan(context, options, OutgoingRelease(outgoing, None, None), capabilities, None, ())


def work_of(plan: RolloutPlan, implicit: frozenset[str] = frozenset()) -> ManifestPlan:
    status = CapabilityStatus(ENABLED, ENABLED)
    return plan_manifests(plan, CapabilityResult(None, status, None, implicit, False), Problems())


@pytest.mark.parametrize(
    ("stored", "outgoing", "mode"),
    [
        pytest.param(None, None, "install", id="first rollout"),
        pytest.param(None, VERSION, "install", id="lost inventory"),
        pytest.param(None, "4.20.0", "update", id="first rollout to a cluster with a release"),
        pytest.param(inventory("4.20.0"), "4.20.0", "update", id="other release"),
        pytest.param(inventory(enabled=frozenset()), VERSION, "update", id="other capabilities"),
        pytest.param(inventory(unfinished="install"), VERSION, "install", id="unfinished installation"),
        pytest.param(inventory(), VERSION, "reconcile", id="nothing to do"),
    ],
)
def test_mode_is_that_of_the_cvo(stored: Inventory | None, outgoing: str | None, mode: str) -> None:
    work = work_of(plan_of(stored, outgoing=outgoing))
    assert (work.mode, work.required_mode) == (mode, mode)
    given = work_of(plan_of(stored, outgoing=outgoing, mode="reconcile"))
    assert (given.mode, given.required_mode) == ("reconcile", mode)
    assert work_of(plan_of(stored, outgoing=outgoing, mode="install")).mode == mode


@pytest.mark.parametrize("mode", [None, "install", "update", "reconcile"])
def test_killed_run_in_another_mode_leaves_the_update_to_the_next_run(mode: Any) -> None:
    work = work_of(plan_of(inventory("4.20.0"), outgoing="4.20.0", mode=mode))
    assert work.inventory.unfinished == "update"


@pytest.mark.parametrize(
    ("minor", "names"),
    [
        (Minor(4, 11), ["base", "preview"]),  # reads no feature sets
        (Minor(4, 15), ["base", "latency"]),
        (Minor(4, 16), ["base"]),
        (None, ["base"]),
    ],
)
def test_rules_of_the_outgoing_release_decide_what_moves(minor: Minor | None, names: list[str]) -> None:
    base = manifest("base")
    preview = manifest("preview", **{FEATURE_SET_ANNOTATION: "TechPreviewNoUpgrade"})
    latency = manifest(
        "latency", **{FEATURE_SET_ANNOTATION: "Default,LatencySensitive", FEATURE_GATE_ANNOTATION: "New"}
    )
    plan = plan_of(None, base, preview, latency)
    inclusion = InclusionContext(PROFILE, feature_set="", rules=inclusion_rules(Minor(4, 16)))
    resolved = plan.context.resolved._replace(context=inclusion, loaded=(base,))
    context = plan.context._replace(resolved=resolved)
    loaded = loaded_by_outgoing(OutgoingRelease(None, minor, None), context)
    assert [item.resource_id.name for item in loaded] == names


def test_planned_inventory_has_earlier_and_new_resources() -> None:
    work = work_of(plan_of(inventory(old=Entry(())), manifest("new")), frozenset({"Console"}))
    assert set(work.inventory.entries) == {resource("old"), resource("new")}
    assert (work.inventory.unfinished, work.inventory.implicit) == ("reconcile", frozenset({"Console"}))


def test_planned_inventory_is_the_stored_one_if_nothing_changes() -> None:
    stored = inventory(a=Entry(()))
    assert work_of(plan_of(stored, manifest("a"))).inventory == stored


def final(plan: RolloutPlan, *results: ApplyResult, leftovers: tuple[Leftover, ...] = ()) -> Inventory:
    work = work_of(plan, frozenset({"Console"}))
    return final_inventory(plan, work, ChangeSet(results, (), ()), leftovers)


def test_final_inventory_records_what_we_own() -> None:
    item = manifest("a")
    result = final(plan_of(None, item), ApplyResult(item, "created", metadata=MANAGED))
    assert result.entries[item.resource_id] == Entry((), owned_digest(MANAGED))
    assert (result.unfinished, result.implicit) == ("", frozenset())


def test_final_inventory_stays_unfinished_after_a_failure() -> None:
    item = manifest("a")
    result = final(plan_of(None, item), refused(item, Refusal.FORBIDDEN))
    assert (result.unfinished, result.implicit) == ("install", frozenset({"Console"}))


@pytest.mark.parametrize("action", get_args(Action))
def test_only_failed_and_retryable_manifests_leave_a_rollout_unfinished(action: Action) -> None:
    item = manifest("a")
    result = final(plan_of(None, item), ApplyResult(item, action, metadata=MANAGED))
    complete = action in ("created", "changed", "unchanged", "deleted", "absent", "skipped")
    assert bool(result.unfinished) is not complete


@pytest.mark.parametrize(("mode", "gone"), [(None, True), ("reconcile", False)])
def test_deleted_resource_leaves_the_inventory_after_an_update(mode: Any, gone: bool) -> None:
    item = manifest("old", **{DELETE_ANNOTATION: "true"})
    stored = inventory("4.20.0", old=Entry(()))
    result = final(plan_of(stored, item, outgoing="4.20.0", mode=mode), ApplyResult(item, "absent"))
    assert (item.resource_id not in result.entries) is gone
    assert result.unfinished == ("" if gone else "update")


def test_pruned_and_missing_leftovers_leave_the_inventory() -> None:
    stored = inventory(pruned=Entry(()), missing=Entry(()), unread=Entry(()))
    plan = plan_of(stored)
    members = plan.context.members._replace(existing={resource("pruned"): {}}, unclear=frozenset({resource("unread")}))
    plan = plan._replace(context=plan.context._replace(members=members))
    result = final(plan, leftovers=(Leftover(resource("pruned"), True),))
    assert set(result.entries) == {resource("unread")}


def test_a_reference_to_what_capabilities_exclude_is_a_warning() -> None:
    namespace = ResourceId("", "Namespace", "", "team")
    definition = Manifest(namespace, "v1", {INCLUDED: "true", CAPABILITY_ANNOTATION: "Unknown"}, "b.yaml")
    plan = plan_of(None, manifest("one"), definition)
    problems = Problems()
    status = CapabilityStatus(ENABLED, ENABLED)
    plan_manifests(plan, CapabilityResult(None, status, None, frozenset(), False), problems)
    assert [(problem.severity, problem.code) for problem in problems] == [("warning", "dangling-namespace")]
    # An earlier rollout applied the Namespace, before its capability was disabled for new clusters.
    live: Any = {namespace: None}
    members = plan.context.members._replace(existing=live)
    plan = plan._replace(context=plan.context._replace(members=members))
    problems = Problems()
    plan_manifests(plan, CapabilityResult(None, status, None, frozenset(), False), problems)
    assert problems == []


def test_a_deletion_needs_no_definition() -> None:
    name = ResourceId("apiextensions.k8s.io", "CustomResourceDefinition", "", "widgets.example.org")
    definition = Manifest(name, "v1", {INCLUDED: "true", CAPABILITY_ANNOTATION: "Unknown"}, "b.yaml")
    annotations = {INCLUDED: "true", DELETE_ANNOTATION: "true"}
    widget = Manifest(ResourceId("example.org", "Widget", "", "one"), "v1", annotations, "a.yaml")
    plan = plan_of(None, widget, definition)
    release: Any = plan.context.release
    release.read_body = lambda manifest: {"spec": {"names": {"kind": "Widget"}}}
    problems = Problems()
    plan_manifests(plan, CapabilityResult(None, CapabilityStatus(ENABLED, ENABLED), None, frozenset(), False), problems)
    assert problems == []
