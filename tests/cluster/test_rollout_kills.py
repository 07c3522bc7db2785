# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Killed rollouts: the next run resumes, reaches the same end state, and disables nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import (
    INVENTORY,
    UPDATE,
    Point,
    Run,
    State,
    differences,
    enabled_on,
    fresh,
    rolled_out,
    selected,
    state_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import config_map, namespace
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

pytestmark = pytest.mark.deep

KILLS = 7
"""How often each rollout is killed. With the held requests, seven rollouts are more than fifty kills."""

INSIGHTS = "/apis/apps/v1/namespaces/openshift-insights/deployments/insights-operator"
CHOSEN = selected("Console", "Ingress", "Storage")
_FACTS: dict[str, Any] = {"feature_set": "Default"}


class Undisturbed(NamedTuple):
    """The state after an undisturbed rollout, and how long it takes."""

    state: State
    manifests: int
    seconds: float


def _undisturbed(plane: ControlPlane, release: Path, **options: Any) -> Undisturbed:
    run = Run(plane.kubeconfig, release, **_FACTS, **options)
    seconds = run.seconds()
    result = run.result()
    assert not result.get("failed"), result["msg"]
    sent = sum(level["manifests"] for level in result["run_levels"])
    return Undisturbed(state_of(plane), sent, seconds)


@pytest.fixture(scope="module")
def installed(plane: ControlPlane) -> Undisturbed:
    """The state after an installation."""
    fresh(plane)
    return _undisturbed(plane, EXAMPLE, capabilities=CHOSEN)


@pytest.fixture(scope="module")
def updated(plane: ControlPlane) -> Undisturbed:
    """The state after the update from the baseline ``None``."""
    _with_nothing(plane)
    return _undisturbed(plane, UPDATE)


def _with_nothing(plane: ControlPlane) -> None:
    fresh(plane)
    rolled_out(plane.kubeconfig, EXAMPLE, capabilities=selected(), **_FACTS)


def _points(seed: int, undisturbed: Undisturbed) -> Iterator[Point]:
    """Yield points all over a rollout. Later ones come sooner, because finished work takes hardly any time."""
    chance = random.Random(seed)
    longest = undisturbed.seconds
    while True:
        if chance.random() < 0.5:
            yield Point("manifests", chance.randrange(1, undisturbed.manifests))
        else:
            yield Point("seconds", chance.uniform(0, longest))
        longest = min(undisturbed.seconds, 0.5)


def _killed(
    plane: ControlPlane, points: Iterator[Point], release: Path, again: Callable[[ControlPlane], None], **options: Any
) -> None:
    """Kill rollouts of ``release`` at points. One that ends before its point is started ``again``."""
    again(plane)
    kills, on = 0, enabled_on(plane)
    while kills < KILLS:
        run = Run(plane.kubeconfig, release, **_FACTS, **options)
        if run.reached(next(points)):
            run.kill()
            kills += 1
            now = enabled_on(plane)
            assert on <= now
            on = now
        else:
            run.result()
            again(plane)
            on = enabled_on(plane)


@pytest.mark.parametrize("seed", range(4))
def test_killed_installation_resumes(plane: ControlPlane, installed: Undisturbed, seed: int) -> None:
    _killed(plane, _points(seed, installed), EXAMPLE, fresh, capabilities=CHOSEN)
    rolled_out(plane.kubeconfig, EXAMPLE, capabilities=CHOSEN, **_FACTS)
    assert differences(state_of(plane), installed.state) == {}


@pytest.mark.parametrize("seed", range(4, 7))
def test_killed_update_enables_the_same_capabilities(plane: ControlPlane, updated: Undisturbed, seed: int) -> None:
    _killed(plane, _points(seed, updated), UPDATE, _with_nothing)
    rolled_out(plane.kubeconfig, UPDATE, **_FACTS)
    assert differences(state_of(plane), updated.state) == {}
    assert enabled_on(plane) == {"Ingress", "Insights"}


@pytest.mark.parametrize(
    ("held", "remembered"),
    [
        pytest.param("/clusterversions/version/status", set(), id="before-the-status"),
        pytest.param("/configmaps/capability-openshift-rollout", {"status"}, id="before-the-inventory"),
        pytest.param("force=", {"status", "inventory"}, id="before-the-first-manifest"),
        pytest.param("/openshift-insights", {"status", "inventory"}, id="before-the-first-new-manifest"),
    ],
)
def test_capability_that_an_update_enables_survives_a_kill(
    plane: ControlPlane, updated: Undisturbed, held: str, remembered: set[str]
) -> None:
    _with_nothing(plane)
    with FaultProxy(plane) as proxy:
        proxy.fail("hold", method="PATCH", path=held)
        run = Run(proxy.kubeconfig, UPDATE, **_FACTS)
        wait_for(lambda: not proxy.pending, f"a request to {held}", pause=0.01)
        run.kill()
    assert _remembers(plane, "Insights") == remembered
    assert not plane.api.exists(INSIGHTS)
    result = rolled_out(plane.kubeconfig, UPDATE, **_FACTS)
    assert "Insights" in result["capability_status"]["enabled_capabilities"]
    assert plane.api.exists(INSIGHTS)
    assert differences(state_of(plane), updated.state) == {}


def test_objects_that_a_killed_run_created_are_pruned(plane: ControlPlane, tmp_path: Path) -> None:
    fresh(plane)
    kept = [config_map(f"kept-{index}", "default") for index in range(4)]
    release = tmp_path / "release"
    release.mkdir()
    for name, body in {"1": config_map("old", "default"), "2": namespace("old"), "3": kept}.items():
        text = "\n---\n".join(json.dumps(item) for item in (body if isinstance(body, list) else [body]))
        (release / f"0000_10_a_{name}.yaml").write_text(text, encoding="utf-8")
    options: dict[str, Any] = {"openshift_version": "4.21.0", "capabilities": CHOSEN}
    with FaultProxy(plane) as proxy:
        proxy.fail("hold", method="PATCH", path="/configmaps/kept-0")
        run = Run(proxy.kubeconfig, release, **options)
        wait_for(lambda: not proxy.pending, "a request", pause=0.01)
        run.kill()
    rolled_out(plane.kubeconfig, release, **options)
    for name in "12":
        (release / f"0000_10_a_{name}.yaml").unlink()
    result = rolled_out(plane.kubeconfig, release, prune=True, **options)
    assert [(item["kind"], item["pruned"], item["finalizers"]) for item in result["leftovers"]] == [
        ("ConfigMap", True, []),
        ("Namespace", False, ["kubernetes"]),  # No controller empties it.
    ]
    assert "deletionTimestamp" in plane.api.get("/api/v1/namespaces/old")["metadata"]


def _remembers(plane: ControlPlane, name: str) -> set[str]:
    """Where a capability is recorded as enabled."""
    found = set()
    if name in plane.api.get(OBJECT)["status"]["capabilities"]["enabledCapabilities"]:
        found.add("status")
    if name in plane.api.get(INVENTORY)["data"]["enabled-capabilities"].split():
        found.add("inventory")
    return found


def test_killed_update_keeps_enabled_capabilities_even_if_it_is_not_finished(
    plane: ControlPlane, updated: Undisturbed
) -> None:
    """A rollout of the earlier release applies all capabilities that the update has enabled."""
    for _try in range(5):  # It may end between two looks.
        _with_nothing(plane)
        run = Run(plane.kubeconfig, UPDATE, **_FACTS)
        reached = run.reached(Point("manifests", updated.manifests // 2))
        run.kill()
        if reached:
            break
    assert reached
    rolled_out(plane.kubeconfig, EXAMPLE, allow_downgrade=True, **_FACTS)
    assert enabled_on(plane) == {"Ingress", "Insights"}
    assert plane.api.exists(INSIGHTS)
