# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rollouts to API servers that are restarted, busy or gone: same end state, few more requests, clear errors."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import retries as _retries
from ansible_collections.capability.openshift.plugins.modules import release_apply
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import (
    Point,
    Run,
    State,
    differences,
    fresh,
    rolled_out,
    selected,
    state_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, restart, short_waits, site_of
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import Fault, FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE

pytestmark = pytest.mark.deep

COMPONENTS, MAPS, WIDGETS = 30, 10, 20
PARALLELISM = [1, 32]
OPTIONS: dict[str, Any] = {"capabilities": selected("Console", "Ingress"), "feature_set": "Default"}
_INCLUDED = {"include.release.openshift.io/self-managed-high-availability": "true"}
_SCHEMA = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_NAMES = {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"}
_SHARE = 0.05
_STALL = 2.0


class Whole(NamedTuple):
    """The state after a rollout of the large release, and the number of its requests."""

    state: State
    requests: int


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example release with many more manifests, so a rollout takes some time."""
    folder = tmp_path_factory.mktemp("releases") / "large"
    shutil.copytree(EXAMPLE, folder)
    manifests = folder / "release-manifests"
    names = [f"parts-{number:02}" for number in range(COMPONENTS)]
    for name in names:
        bodies = [_body("v1", "Namespace", name)]
        bodies += [_body("v1", "ConfigMap", f"map-{number}", name, data={"of": name}) for number in range(MAPS)]
        _write(manifests / f"0000_60_{name}_01_all.yaml", bodies)
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": _SCHEMA}}
    spec = {"group": "widgets.example", "scope": "Namespaced", "names": _NAMES, "versions": [version]}
    crd = _body("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.widgets.example", spec=spec)
    _write(manifests / "0000_65_widgets_00_crd.yaml", [crd])
    widgets = [
        _body("widgets.example/v1", "Widget", f"widget-{at}", names[0], spec={"at": at}) for at in range(WIDGETS)
    ]
    _write(manifests / "0000_65_widgets_01_all.yaml", widgets)
    return folder


def _body(version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, "annotations": _INCLUDED, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def _write(file: Path, bodies: list[dict[str, Any]]) -> None:
    file.write_text(yaml.safe_dump_all(bodies), encoding="utf-8")


@pytest.fixture(scope="module")
def whole(plane: ControlPlane, large: Path) -> Whole:
    """The state after an undisturbed rollout of the large release."""
    fresh(plane)
    mark = plane.audit.mark()
    result = rolled_out(plane.kubeconfig, large, **OPTIONS)
    assert len(result["created"]) > COMPONENTS * (1 + MAPS) + WIDGETS
    return Whole(state_of(plane), len(plane.audit.requests(mark, user_agent=AGENT)))


@pytest.fixture
def empty(plane: ControlPlane, whole: Whole) -> ControlPlane:
    """A control plane without a rollout."""
    fresh(plane)
    return plane


# Restarts


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_api_server_is_killed_and_started_again(
    empty: ControlPlane, large: Path, whole: Whole, parallelism: int
) -> None:
    run = Run(empty.kubeconfig, large, parallelism=parallelism, **OPTIONS)
    assert run.reached(Point("manifests", 100))
    empty.kill_api_server()
    assert run.process.poll() is None, "the rollout ended before the API server did"
    restart(empty)
    result = run.result()
    assert not result.get("failed"), result["msg"]
    assert not (found := differences(state_of(empty), whole.state)), found


def test_api_server_is_killed_while_kinds_are_defined(empty: ControlPlane, large: Path, whole: Whole) -> None:
    run = Run(empty.kubeconfig, large, **OPTIONS)
    assert run.reached(Point("manifests", 3))
    empty.kill_api_server()
    restart(empty)
    result = run.result()
    assert not result.get("failed"), result["msg"]
    assert not (found := differences(state_of(empty), whole.state)), found


# Many faults


class BusyProxy(FaultProxy):
    """A proxy that fails for a share of all requests, reproducibly for the same order of requests."""

    def __init__(self, plane: ControlPlane, seed: int) -> None:
        super().__init__(plane)
        self._chance = random.Random(seed)
        self.faults: list[str] = []

    def next_fault(self, method: str, path: str) -> Fault | None:
        """The fault of a request."""
        with self._lock:
            # A create request can only conflict with an existing object.
            kinds = ["429", "500", "503", "reset", "lose", "delay", *(["409"] if method == "PATCH" else [])]
            kind = self._chance.choice(kinds) if self._chance.random() < _SHARE else ""
            if kind:
                self.faults.append(kind)
        if kind in ("reset", "lose"):
            self.fail(kind)
        elif kind == "delay":
            self.fail("delay", seconds=_STALL)
        elif kind:
            self.fail("answer", status=int(kind))
        return super().next_fault(method, path)


@pytest.mark.parametrize(("parallelism", "seed"), [(1, 1), (32, 2), (8, 3)])
def test_faults_cost_few_requests(empty: ControlPlane, large: Path, whole: Whole, parallelism: int, seed: int) -> None:
    mark = empty.audit.mark()
    proxy = BusyProxy(empty, seed)
    with proxy:
        result = rolled_out(proxy.kubeconfig, large, parallelism=parallelism, **OPTIONS)
    assert len(proxy.faults) > 10
    assert len(set(proxy.faults)) >= 5, "hardly any kind of fault happened"
    assert result["changed"]
    assert not (found := differences(state_of(empty), whole.state)), found
    asked = len(empty.audit.requests(mark, user_agent=AGENT))
    assert asked <= 1.3 * whole.requests


# Servers that never come back


class ClosingProxy(FaultProxy):
    """A proxy that rejects everything from some object on."""

    def __init__(self, plane: ControlPlane, objects: int, status: int) -> None:
        super().__init__(plane)
        self._left, self._status = objects, status

    def next_fault(self, method: str, path: str) -> Fault | None:
        """The fault of a request."""
        with self._lock:
            self._left -= "force=" in path
            refuses = self._left < 0
        if refuses and self._status:
            self.fail("answer", status=self._status)
        elif refuses:
            self.fail("reset")
        return super().next_fault(method, path)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all waits of a rollout."""
    short_waits(monkeypatch, 5.0)
    monkeypatch.setattr(_retries, "OUTAGE_SECONDS", 1.0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("status", [0, 401, 503], ids=["resets", "401", "503"])
def test_api_server_that_never_comes_back_is_reported(
    empty: ControlPlane,
    large: Path,
    whole: Whole,
    status: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = site_of(empty, capsys, monkeypatch)
    with ClosingProxy(empty, 120, status) as proxy:
        outcome = site.call(release_apply, kubeconfig=proxy.kubeconfig, release=large, **OPTIONS)
    assert outcome.failed
    assert len(outcome.message) < 4000
    assert len(outcome["created"]) > 100
    counts = outcome["run_levels"]
    assert sum(level["not_sent"] + level["failed"] for level in counts) > COMPONENTS * MAPS - 150
    assert outcome.errors
    if status == 401:
        # The manifest in progress, and the inventory. No manifest after the first one adds an error.
        refused = [code for code, _where in outcome.faults if code == "unauthorized-request"]
        assert 1 <= len(refused) <= 2
    result = rolled_out(empty.kubeconfig, large, **OPTIONS)
    assert result["mode"] == "install"
    assert not (found := differences(state_of(empty), whole.state)), found
