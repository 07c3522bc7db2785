# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rollout follows the capabilities of the cluster, disables none, and enables those that an update moves into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    FEATURE_SET,
    HOME,
    NEXT,
    Body,
    Rollouts,
    config_map,
    ids,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    CRD,
    OBJECT,
    condition_of,
    selection,
    status_of,
)
from ansible_collections.capability.openshift.tests.control_plane.api import ApiError
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS, EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

INGRESS_ONLY = selection("Ingress")
CONSOLE = selection("Console", "Ingress")
BODIES = [config_map("core"), config_map("console", capability="Console"), config_map("storage", capability="Storage")]
HELD = [{"group": "apiextensions.k8s.io", "kind": "CustomResourceDefinition", "name": CRD, "unmanaged": True}]


def small(rollouts: Rollouts) -> Path:
    return rollouts.release(BODIES, cluster_version=True)


def there(rollouts: Rollouts) -> list[str]:
    """The names of our ConfigMaps on the cluster."""
    return [body["metadata"]["name"] for body in BODIES if rollouts.has(body)]


def replace_crd(rollouts: Rollouts, change: dict[str, str], probe: Body, accepted: bool) -> None:
    """Change the ClusterVersion's definition, and wait until it accepts (rejects) the spec ``probe``."""
    text = json.dumps(rollouts.api.get(f"{CRDS}/{CRD}"))
    for old, new in change.items():
        text = text.replace(old, new)
    rollouts.api.put(f"{CRDS}/{CRD}", json.loads(text))

    def accepts() -> bool:
        try:
            rollouts.api.patch(OBJECT, {"spec": {"capabilities": probe}}, dryRun="All")
        except ApiError as error:
            if error.status != 422:
                raise
            return False
        return True

    wait_for(lambda: accepts() is accepted, "another definition to be served")


# Enabled capabilities are applied


def test_only_enabled_capabilities_are_applied(rollouts: Rollouts) -> None:
    outcome = rollouts.done(small(rollouts), capabilities=CONSOLE)
    assert there(rollouts) == ["core", "console"]
    assert outcome["capability_status"]["enabled_capabilities"] == ["Console", "Ingress"]


def test_status_follows_and_not_the_spec(rollouts: Rollouts) -> None:
    outcome = rollouts.done(small(rollouts), capabilities=selection())
    assert outcome["capability_status"]["implicitly_enabled_capabilities"] == ["Ingress"]
    condition = condition_of(rollouts.plane)
    assert condition
    assert condition["message"] == "The following capabilities could not be disabled: Ingress"


def test_enabling_a_capability_later_creates_exactly_its_manifests(rollouts: Rollouts) -> None:
    release = small(rollouts)
    rollouts.done(release, capabilities=INGRESS_ONLY)
    outcome = rollouts.done(release, capabilities=CONSOLE)
    assert ids(outcome, "created") == ["ConfigMap console"]
    assert ids(outcome, "changed_resources") == []
    assert outcome["mode"] == "update"


def test_capability_that_another_client_enabled_is_applied(rollouts: Rollouts) -> None:
    release = small(rollouts)
    rollouts.done(release, capabilities=INGRESS_ONLY)
    rollouts.api.patch(OBJECT, {"spec": {"capabilities": CONSOLE}})
    assert ids(rollouts.done(release), "created") == ["ConfigMap console"]


# Nothing is disabled


@pytest.mark.parametrize("check", [False, True])
def test_attempt_to_disable_fails_and_nothing_is_written(rollouts: Rollouts, check: bool) -> None:
    release = small(rollouts)
    rollouts.done(release, capabilities=CONSOLE)
    with rollouts.unwritten():
        outcome = rollouts.apply(release, capabilities=INGRESS_ONLY, check=check)
    assert "Console" in outcome.message


def test_names_removed_from_the_spec_by_hand_stay_enabled_and_reconciled(rollouts: Rollouts) -> None:
    release = small(rollouts)
    rollouts.done(release, capabilities=CONSOLE)
    rollouts.api.patch(OBJECT, {"spec": {"capabilities": INGRESS_ONLY}})
    rollouts.api.delete(f"/api/v1/namespaces/{HOME}/configmaps/console")
    outcome = rollouts.done(release)
    assert ids(outcome, "created") == ["ConfigMap console"]
    condition = condition_of(rollouts.plane)
    assert condition
    assert condition["status"] == "True"
    assert condition["message"] == "The following capabilities could not be disabled: Console"


def test_invalid_spec_changes_nothing(rollouts: Rollouts) -> None:
    release = small(rollouts)
    rollouts.done(release, capabilities=CONSOLE)
    odd = selection(baseline="v9.99")
    replace_crd(rollouts, {'"vCurrent"': '"vCurrent", "v9.99"'}, odd, True)
    rollouts.api.patch(OBJECT, {"spec": {"capabilities": odd}})
    before = status_of(rollouts.plane)["capabilities"]
    mark = rollouts.plane.audit.mark()
    outcome = rollouts.done(release, overrides=HELD)
    assert "v9.99" in json.dumps(outcome["problems"])
    assert status_of(rollouts.plane)["capabilities"] == before
    assert there(rollouts) == ["core", "console"]
    assert not [item for item in rollouts.writes(mark) if item.startswith("delete")]


# Capabilities that an update enables

INSIGHTS = "The following capabilities could not be disabled: Insights"


def installed(rollouts: Rollouts) -> None:
    """Roll out the example 4.21 without optional capabilities."""
    rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set="Default")


def newly_enabled(rollouts: Rollouts, **options: Any) -> None:
    """Update to 4.22, which moves a ConfigMap of every cluster into Insights."""
    outcome = rollouts.done(NEXT, **options)
    assert outcome["capability_status"]["newly_implicitly_enabled_capabilities"] == ["Insights"]
    condition = condition_of(rollouts.plane)
    assert condition is not None
    assert (condition["status"], condition["reason"]) == ("True", "CapabilitiesImplicitlyEnabled")
    assert condition["message"] == INSIGHTS
    assert "Deployment insights-operator" in ids(outcome, "created")


def test_update_finds_the_capabilities_it_enables(rollouts: Rollouts) -> None:
    installed(rollouts)
    newly_enabled(rollouts)
    again = rollouts.done(NEXT)
    assert again["changed"] is False
    assert again["capability_status"]["enabled_capabilities"] == ["Ingress", "Insights"]


def test_update_keeps_capabilities_requested_in_the_same_run(rollouts: Rollouts) -> None:
    installed(rollouts)
    outcome = rollouts.done(NEXT, capabilities=CONSOLE)
    assert outcome["capability_status"]["enabled_capabilities"] == ["Console", "Ingress", "Insights"]
    condition = condition_of(rollouts.plane)
    assert condition
    assert condition["message"] == INSIGHTS


def test_update_that_requests_a_capability_does_not_enable_it_implicitly(rollouts: Rollouts) -> None:
    rollouts.done(rollouts.release([config_map("a")], cluster_version=True), capabilities=INGRESS_ONLY)
    moved = rollouts.release([config_map("a", capability="Console")], cluster_version=True)
    outcome = rollouts.predicted(moved, capabilities=CONSOLE, openshift_version="4.22.0", feature_gates=[])
    assert outcome["capability_status"]["enabled_capabilities"] == ["Console", "Ingress"]
    assert outcome["capability_status"]["newly_implicitly_enabled_capabilities"] == []
    assert outcome["problems"] == []


@pytest.mark.parametrize(
    "without",
    [
        pytest.param([], id="gone"),
        pytest.param([config_map("a", annotations={FEATURE_SET: "TechPreviewNoUpgrade"})], id="of another feature set"),
    ],
)
def test_only_resources_of_the_last_release_enable_a_capability(rollouts: Rollouts, without: list[Body]) -> None:
    """As for the CVO, which compares two releases. What an earlier one left on the cluster does not count."""
    core = config_map("core")
    rollouts.done(rollouts.release([core, config_map("a")], cluster_version=True), capabilities=INGRESS_ONLY)
    rollouts.done(
        rollouts.release([core, *without], cluster_version=True), openshift_version="4.22.0", feature_gates=[]
    )
    back = rollouts.release([core, config_map("a", capability="Console")], cluster_version=True)
    outcome = rollouts.predicted(back, openshift_version="4.23.0", feature_gates=[])
    assert outcome["capability_status"]["enabled_capabilities"] == ["Ingress"]
    assert rollouts.done(back, openshift_version="4.23.0", feature_gates=[])["changed"] is False


# A definition without the name


def test_name_gets_into_the_status_as_soon_as_the_definition_knows_it(rollouts: Rollouts) -> None:
    installed(rollouts)
    replace_crd(rollouts, {'"Insights", ': "", ', "Insights"': ""}, selection("Insights"), False)
    rollouts.done(NEXT, overrides=HELD)
    outcome = rollouts.done(NEXT, force_conflicts=True)
    assert "Insights" in status_of(rollouts.plane)["capabilities"]["enabledCapabilities"]
    assert "cannot have" not in json.dumps(outcome["problems"])
