# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rollouts that must not start fail before they write, and records outlast a rollout."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CLUSTER_VERSION_CRD,
    DELETE,
    HOME,
    INVENTORY,
    NEXT,
    Body,
    Rollouts,
    config_map,
    crd,
    deployment,
    everything_but,
    ids,
    manifest,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    OBJECT,
    is_write,
    selection,
    status_of,
)
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

INGRESS_ONLY, CONSOLE = selection("Ingress"), selection("Console", "Ingress")
MOVING, MOVED = config_map("moving"), config_map("moving", capability="Insights")
PROXIES = crd("proxies", "Proxy", namespaced=False, group="config.openshift.io")
NEWLY = "newly_implicitly_enabled_capabilities"


def unmanaged(body: Body) -> list[dict[str, Any]]:
    """Overrides that make one object unmanaged."""
    metadata, group = body["metadata"], body["apiVersion"].rpartition("/")[0]
    override = {"group": group, "kind": body["kind"], "name": metadata["name"], "unmanaged": True}
    return [{**override, "namespace": metadata.get("namespace", "")}]


def inventory_of(rollouts: Rollouts) -> dict[str, str]:
    found: dict[str, str] = rollouts.api.get(INVENTORY)["data"]
    return found


def is_refused(rollouts: Rollouts, release: Any, **options: Any) -> dict[str, Any]:
    """Check that a rollout fails before anything is written, and return the first problem."""
    path = release if isinstance(release, Path) else rollouts.release(release)
    mark = rollouts.plane.audit.mark()
    outcome = rollouts.apply(path, **options)
    assert outcome.failed, outcome.result
    sent = [f"{item.verb} {item.uri.partition('?')[0]}" for item in rollouts.requests(mark) if is_write(item)]
    assert sent == [], outcome.message
    found: dict[str, Any] = outcome.errors[0]
    return found


def enabled(outcome: Outcome) -> list[str]:
    found: list[str] = outcome["capability_status"]["enabled_capabilities"]
    return found


# Clusters and releases without ClusterVersion

BODIES = [config_map("core"), config_map("console", capability="Console")]


def test_first_run_without_the_kind_and_without_capabilities_has_the_default(rollouts: Rollouts) -> None:
    assert enabled(rollouts.done(BODIES, capabilities=None)) == enabled(
        rollouts.done(BODIES, capabilities={"baseline_capability_set": "vCurrent"})
    )


@pytest.mark.parametrize("version", ["4.13.0", "4.21.0"])
def test_next_run_without_the_kind_and_without_capabilities_keeps_them(rollouts: Rollouts, version: str) -> None:
    first = rollouts.done(BODIES, capabilities=selection(), openshift_version=version)
    again = rollouts.done(BODIES, capabilities=None, openshift_version=version)
    assert enabled(again) == enabled(first)
    assert again["changed"] is False
    assert not rollouts.has(BODIES[1])


def test_update_without_the_kind_and_without_capabilities_keeps_them(rollouts: Rollouts) -> None:
    first = rollouts.done(BODIES, capabilities=INGRESS_ONLY)
    assert enabled(rollouts.done(BODIES, capabilities=None, openshift_version="4.21.1")) == enabled(first)
    assert not rollouts.has(BODIES[1])


def test_smaller_selection_without_the_kind_disables_nothing(rollouts: Rollouts) -> None:
    rollouts.done(BODIES, capabilities=CONSOLE)
    assert "Console" in enabled(rollouts.apply(BODIES, capabilities=INGRESS_ONLY))


# The previous release


def test_same_play_runs_again_after_its_update(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set="Default")
    rollouts.done(NEXT, previous_release=EXAMPLE)
    again = rollouts.done(NEXT, previous_release=EXAMPLE)
    assert (again["changed"], again["mode"]) == (False, "reconcile")


def test_same_play_runs_again_after_a_kill_in_the_middle(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set="Default")
    rollouts.done(NEXT, previous_release=EXAMPLE)
    rollouts.api.patch(INVENTORY, {"data": {"unfinished": "update"}})
    again = rollouts.done(NEXT, previous_release=EXAMPLE)
    assert again["mode"] == "update"
    assert "Insights" in enabled(again)
    assert inventory_of(rollouts)["unfinished"] == ""


# A cluster keeps its profile


def test_other_profile_than_that_of_the_cluster_is_an_error(rollouts: Rollouts) -> None:
    bodies = [MOVING, config_map("hosted", annotations={"include.release.openshift.io/ibm-cloud-managed": "true"})]
    rollouts.done(bodies, capabilities=INGRESS_ONLY)
    problem = is_refused(rollouts, bodies, cluster_profile="ibm-cloud-managed", capabilities=INGRESS_ONLY)
    assert (problem["code"], problem["where"]) == ("different-profile", "cluster_profile")
    assert rollouts.done(bodies, capabilities=INGRESS_ONLY)["changed"] is False


# Two rollouts at the same time


# A lost inventory


def before_and_after(rollouts: Rollouts) -> tuple[Path, Path]:
    """Roll out a release, delete its inventory, and return it and the next one, which moves a resource."""
    old = rollouts.release([MOVING, config_map("old")], "before", cluster_version=True)
    rollouts.done(old, capabilities=INGRESS_ONLY, openshift_version="4.21.2")
    rollouts.api.delete(INVENTORY)
    gone = config_map("old", annotations={DELETE: "true"})
    return old, rollouts.release([MOVED, gone], "after", cluster_version=True)


def test_update_within_a_minor_needs_the_previous_release_if_the_inventory_is_lost(rollouts: Rollouts) -> None:
    _old, new = before_and_after(rollouts)
    problem = is_refused(rollouts, new, openshift_version="4.21.3")
    assert problem["where"] == "previous_release"
    assert "4.21.2" in problem["message"]


@pytest.mark.parametrize("versioned", [True, False])
def test_previous_release_replaces_a_lost_inventory(rollouts: Rollouts, versioned: bool) -> None:
    old, new = before_and_after(rollouts)
    if versioned:
        metadata = {"kind": "cincinnati-metadata-v0", "version": "4.21.2"}
        (old / "release-metadata").write_text(json.dumps(metadata), encoding="utf-8")
    outcome = rollouts.done(new, openshift_version="4.21.3", previous_release=old)
    assert outcome["capability_status"][NEWLY] == ["Insights"]
    assert outcome["mode"] == "update"
    assert ids(outcome, "deleted") == ["ConfigMap old"]


def test_lost_inventory_of_the_same_release_is_no_error(rollouts: Rollouts) -> None:
    old, _new = before_and_after(rollouts)
    assert rollouts.done(old, openshift_version="4.21.2")["mode"] == "install"


# Names that only the incoming definition has


def test_check_predicts_a_name_that_only_the_incoming_definition_has(rollouts: Rollouts) -> None:
    first = rollouts.release([MOVING], "first", cluster_version=True)
    definition = first / CLUSTER_VERSION_CRD
    text = definition.read_text(encoding="utf-8")
    less = re.sub(r'(?m)^\s*- "?Storage"?\n', "", text)
    assert less != text
    definition.write_text(less, encoding="utf-8")
    rollouts.done(first, capabilities=INGRESS_ONLY)
    storage = config_map("storage", capability="Storage")
    release = rollouts.release([MOVING, storage], cluster_version=True)
    options = {"capabilities": selection("Ingress", "Storage"), "openshift_version": "4.21.1"}
    with rollouts.unwritten():
        predicted = rollouts.done(release, check=True, **options)
    real = rollouts.done(release, **options)
    assert ids(predicted, "created") == ids(real, "created") == ["ConfigMap storage"]
    assert enabled(predicted) == enabled(real) == ["Ingress", "Storage"]
    assert predicted["mode"] == real["mode"]
    assert "Storage" in status_of(rollouts.plane)["capabilities"]["enabledCapabilities"]
    assert "Storage" in rollouts.api.get(OBJECT)["spec"]["capabilities"]["additionalEnabledCapabilities"]


# Permissions


def test_unreadable_proxy_that_a_manifest_requests_is_an_error(rollouts: Rollouts) -> None:
    rollouts.done([PROXIES], capabilities=INGRESS_ONLY)
    user = certificate_user(rollouts.plane, "no-proxies", everything_but("config.openshift.io", "proxies"))
    asking = deployment("asking", annotations={"config.openshift.io/inject-proxy": "main"})
    options = {"kubeconfig": user.kubeconfig, "capabilities": INGRESS_ONLY, "openshift_version": "4.21.1"}
    problem = is_refused(rollouts, [PROXIES, asking], **options)
    assert "proxies" in problem["where"] + problem["message"]
    assert inventory_of(rollouts)["release"] == "4.21.0"


def test_leftover_that_may_not_be_listed_is_not_forgotten(rollouts: Rollouts) -> None:
    account = manifest("ServiceAccount", "old", HOME)
    rollouts.done([MOVING, account], capabilities=INGRESS_ONLY)
    user = certificate_user(rollouts.plane, "no-accounts", everything_but("", "serviceaccounts"))
    rollouts.done([MOVING], capabilities=INGRESS_ONLY, kubeconfig=user.kubeconfig, openshift_version="4.21.1")
    outcome = rollouts.done([MOVING], capabilities=INGRESS_ONLY, openshift_version="4.21.1")
    assert ids(outcome, "leftovers") == ["ServiceAccount old"]


# The option mode


def test_update_in_another_mode_leaves_its_deletions_to_the_next_run(rollouts: Rollouts) -> None:
    old = config_map("old")
    rollouts.done([MOVING, old], capabilities=INGRESS_ONLY)
    later = {"capabilities": INGRESS_ONLY, "openshift_version": "4.21.1"}
    release = rollouts.release([MOVING, config_map("old", annotations={DELETE: "true"})])
    rollouts.done(release, mode="reconcile", **later)
    assert rollouts.has(old)
    with rollouts.unwritten():
        assert rollouts.done(release, mode="reconcile", **later)["changed"] is False
    outcome = rollouts.done(release, **later)
    assert outcome["mode"] == "update"
    assert ids(outcome, "deleted") == ["ConfigMap old"]
    assert rollouts.done(release, **later)["mode"] == "reconcile"


@pytest.mark.parametrize("mode", ["install", "update", "reconcile"])
def test_second_run_of_a_task_with_a_mode_writes_nothing(rollouts: Rollouts, mode: str) -> None:
    options: dict[str, Any] = {"capabilities": INGRESS_ONLY, "mode": mode}
    release = rollouts.release([MOVING, config_map("a")], cluster_version=True)
    rollouts.done(release, **options)
    with rollouts.unwritten():
        assert rollouts.done(release, **options)["changed"] is False
    assert rollouts.unfinished == ""


# The definition of ClusterVersion, which is applied first


# Unmanaged resources count for implicit enablement


def test_unmanaged_resource_enables_the_capability_it_moves_into(rollouts: Rollouts) -> None:
    overrides = unmanaged(MOVING)
    rollouts.done([MOVING, config_map("core")], capabilities=INGRESS_ONLY, overrides=overrides)
    assert not rollouts.has(MOVING)
    later = {"overrides": overrides, "openshift_version": "4.21.1", "capabilities": None}
    outcome = rollouts.done([MOVED, config_map("core")], **later)
    assert outcome["capability_status"][NEWLY] == ["Insights"]
    assert not rollouts.has(MOVING)
