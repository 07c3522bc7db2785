# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real control plane for each worker of pytest, and brought back to its first state before each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import Rollouts, rollouts_of
from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site, site_of
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import apply_crds
from ansible_collections.capability.openshift.tests.control_plane.programs import Log
from ansible_collections.capability.openshift.tests.control_plane.reset import reset


@pytest.fixture(scope="session")
def log(pytestconfig: pytest.Config) -> Log:
    """Return a function that tells people something while tests are captured: a build takes minutes."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def tell(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"control plane: {text}", file=sys.stderr, flush=True)

    return tell


def _started(log: Log, *, controllers: bool) -> Iterator[ControlPlane]:
    with ControlPlane(controllers=controllers, log=log) as started:
        yield started


@pytest.fixture(scope="session")
def plane(log: Log) -> Iterator[ControlPlane]:
    """Return a control plane of etcd and kube-apiserver alone."""
    yield from _started(log, controllers=False)


@pytest.fixture(scope="session")
def full_plane(log: Log) -> Iterator[ControlPlane]:
    """Return a control plane with controllers, scheduler and three simulated nodes."""
    yield from _started(log, controllers=True)


@pytest.fixture
def cluster(plane: ControlPlane) -> ControlPlane:
    """Return the control plane with the kinds of our example release, and nothing that another test left."""
    reset(plane, apply_crds(plane.api))
    return plane


@pytest.fixture
def full_cluster(full_plane: ControlPlane) -> ControlPlane:
    """Return the same with controllers."""
    reset(full_plane, apply_crds(full_plane.api))
    return full_plane


@pytest.fixture
def site(cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Site:
    """Return the control plane, and the modules that talk to it."""
    return site_of(cluster, capsys, monkeypatch)


@pytest.fixture
def rollouts(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Rollouts:
    """Return rollouts to a control plane that has nothing but a namespace."""
    return rollouts_of(plane, tmp_path, capsys, monkeypatch)
