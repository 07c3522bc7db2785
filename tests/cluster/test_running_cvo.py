# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster-version operator is noticed as long as it lives, also one that has nothing to write or runs elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    Rollouts,
    config_map,
    crd,
    everything_but,
    namespace,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

LEASES = "/apis/coordination.k8s.io/v1/namespaces/openshift-cluster-version/leases"
CONFIG = "/apis/config.openshift.io/v1"
CONFIG_MAP = config_map("a")
Attempt = Callable[..., Outcome]


@pytest.fixture
def attempt(rollouts: Rollouts) -> Iterator[Attempt]:
    """Return a function that runs release_apply on a cluster whose ClusterVersion no operator wrote recently."""
    release = rollouts.release([CONFIG_MAP], cluster_version=True)
    rollouts.done(rollouts.release([], "first", cluster_version=True), capabilities=selection("Ingress"))
    rollouts.api.apply("/api/v1/namespaces/openshift-cluster-version", namespace("openshift-cluster-version"))

    def run(**options: Any) -> Outcome:
        return rollouts.apply(release, **options)

    yield run
    rollouts.api.delete(LEASES)


def hold_lease(rollouts: Rollouts, age: timedelta, holder: str = "master-0_1234") -> None:
    """Create the Lease of the operator, renewed this long ago."""
    renewed = (datetime.now(UTC) - age).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 137}
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "version"}, "spec": spec}
    rollouts.api.apply(f"{LEASES}/version", body)


def refused(rollouts: Rollouts, attempt: Attempt, reason: str) -> None:
    """The module fails with ``reason`` and writes nothing, also in check mode."""
    for check in (True, False):
        with rollouts.unwritten():
            outcome = attempt(check=check)
        assert [code for code, _where in outcome.faults] == ["running-cvo"]
        assert reason in outcome.message
    assert not attempt(allow_cvo_managed=True).failed


@pytest.mark.parametrize("age", [timedelta(seconds=14), timedelta(minutes=4), timedelta(minutes=-6)])
def test_an_operator_that_has_nothing_to_write_renews_its_lease(
    rollouts: Rollouts, attempt: Attempt, age: timedelta
) -> None:
    hold_lease(rollouts, age)
    refused(rollouts, attempt, "its Lease openshift-cluster-version/version was renewed at 20")


@pytest.mark.parametrize(("age", "holder"), [(timedelta(minutes=6), "master-0_1234"), (timedelta(seconds=14), "")])
def test_an_operator_that_ended_is_no_obstacle(
    rollouts: Rollouts, attempt: Attempt, age: timedelta, holder: str
) -> None:
    """One that is scaled to 0 releases its Lease."""
    hold_lease(rollouts, age, holder)
    outcome = attempt()
    assert not outcome.failed, outcome.message


def test_the_operator_of_a_hosted_cluster_runs_elsewhere(rollouts: Rollouts, attempt: Attempt) -> None:
    definition = crd("infrastructures", "Infrastructure", namespaced=False, group="config.openshift.io")
    rollouts.done(rollouts.release([definition], "infrastructure"))
    body = {"apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": {"name": "cluster"}}
    rollouts.api.post(f"{CONFIG}/infrastructures", {**body, "status": {"controlPlaneTopology": "HighlyAvailable"}})
    assert not attempt().failed
    rollouts.api.patch(f"{CONFIG}/infrastructures/cluster", {"status": {"controlPlaneTopology": "External"}})
    refused(rollouts, attempt, "its control plane is external")


def test_the_clock_of_the_host_does_not_matter(
    rollouts: Rollouts, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = SimpleNamespace(
        now=lambda tz: datetime.now(tz) + timedelta(minutes=6), fromisoformat=datetime.fromisoformat
    )
    package = "ansible_collections.capability.openshift.plugins.module_utils"
    monkeypatch.setattr(f"{package}._cluster.running_cvo.datetime", ahead)
    status = {"status": {"versionHash": "I3skQa0FyxU="}}
    rollouts.api.patch(f"{OBJECT}/status", status, fieldManager="cluster-version-operator")
    refused(rollouts, attempt, "cluster-version-operator wrote the status at 20")


@pytest.mark.parametrize(
    ("group", "resource"), [("coordination.k8s.io", "leases"), ("config.openshift.io", "infrastructures")]
)
def test_what_may_not_be_read_is_named(rollouts: Rollouts, attempt: Attempt, group: str, resource: str) -> None:
    user = certificate_user(rollouts.plane, f"no-{resource}", everything_but(group, resource))
    outcome = attempt(kubeconfig=user.kubeconfig)
    assert [code for code, _where in outcome.faults] == ["forbidden-request"]
    assert f"get on {resource}.{group}, or set allow_cvo_managed" in outcome.errors[0]["hint"]
