# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real control plane for each worker of pytest, and brought back to its first state before each test."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import Rollouts, rollouts_of
from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site, site_of
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import running, write_path
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.programs import Log
from ansible_collections.capability.openshift.tests.control_plane.reset import remember, reset
from ansible_collections.capability.openshift.tests.control_plane.updates import UpdatingOperator
from ansible_collections.capability.openshift.tests.unit.run_module import Call, caller

SECONDS = "capability/seconds"
"""The key in pytest's cache: how long the tests of each file took when they last ran."""

_WITH_CONTROLLERS = pytest.StashKey[ControlPlane]()
CONTROLLERS = "controllers"
"""The group of all tests that need them: they share one worker and one control plane."""


def pytest_configure(config: pytest.Config) -> None:
    whole = not config.option.keyword and not any("::" in name for name in config.args)
    if config.cache and whole and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Seconds(config.cache))


class _Seconds:
    """Notes how long the tests of each file take."""

    def __init__(self, cache: pytest.Cache) -> None:
        self._cache = cache
        self._found: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._found[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        self._cache.set(SECONDS, {**self._cache.get(SECONDS, {}), **self._found})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each file to one worker, because its tests share fixtures; begin with controllers and with what takes long.

    A test that starts its own control plane shares nothing, and takes long. The gate runs with ``--dist loadgroup
    --no-loadscope-reorder``.
    """
    seconds = config.cache.get(SECONDS, {}) if config.cache else {}
    groups: dict[str, list[pytest.Item]] = {}
    alone = set()
    for item in items:
        needed = getattr(item, "fixturenames", ())
        if "full_plane" in needed:
            name = CONTROLLERS
        elif ("site" in needed and "plane" not in needed) or item.get_closest_marker("alone"):
            name = item.nodeid
            alone.add(name)
        else:
            name = item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(name))
        groups.setdefault(name, []).append(item)

    def weight(name: str) -> tuple[bool, bool, float]:
        return name != CONTROLLERS, name not in alone, -seconds.get(name, len(groups[name]))

    items[:] = [item for name in sorted(groups, key=weight) for item in groups[name]]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is skipped."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the controllers after the last test that needs them."""
    if nextitem is None or "full_plane" not in getattr(nextitem, "fixturenames", ()):
        started = item.session.stash.get(_WITH_CONTROLLERS, None)
        if started is not None:
            started.close()


@pytest.fixture(scope="session")
def log(pytestconfig: pytest.Config) -> Log:
    """Return a function that prints a text while tests are captured: a build takes minutes."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def show(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"control plane: {text}", file=sys.stderr, flush=True)

    return show


def _started(log: Log, *, controllers: bool) -> Iterator[ControlPlane]:
    with ControlPlane(controllers=controllers, log=log) as started:
        remember(started)
        yield started


@pytest.fixture(scope="session")
def plane(log: Log) -> Iterator[ControlPlane]:
    """Return a control plane of etcd and kube-apiserver alone."""
    yield from _started(log, controllers=False)


@pytest.fixture(scope="session")
def full_plane(log: Log, request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """Return a control plane with controllers, scheduler and three simulated nodes."""
    for started in _started(log, controllers=True):
        request.session.stash[_WITH_CONTROLLERS] = started
        yield started


@pytest.fixture
def cluster(plane: ControlPlane) -> ControlPlane:
    """Return the control plane with the kinds of our example release, and nothing that another test left."""
    reset(plane, EXAMPLE)
    return plane


@pytest.fixture
def full_cluster(full_plane: ControlPlane) -> ControlPlane:
    """Return the same with controllers."""
    reset(full_plane, EXAMPLE)
    return full_plane


@pytest.fixture
def site(cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Site:
    """Return the control plane, and the modules that talk to it."""
    return site_of(cluster, capsys, monkeypatch)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that runs a module as in its own process."""
    return caller(capsys)


@pytest.fixture
def rollouts(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Rollouts:
    """Return rollouts to a control plane that has nothing but a namespace."""
    return rollouts_of(plane, tmp_path, capsys, monkeypatch)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the images of three releases, each of the next minor, with their directories."""
    return write_path(tmp_path_factory.mktemp("path"))


@pytest.fixture
def operator(cluster: ControlPlane, images: dict[str, Path]) -> Iterator[UpdatingOperator]:
    """Return a simulated cluster-version operator that has installed the first of these releases."""
    with running(cluster, images) as found:
        yield found
