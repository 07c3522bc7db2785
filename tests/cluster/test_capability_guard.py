# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which writes the admission guard rejects, on a real API server, which evaluates its expressions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import PROBE
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import MinorData
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import (
    KNOWN,
    VERSION,
    Run,
    allow_any_name,
    block,
    create,
    refusal,
    rejection,
    replace,
    runner,
    status,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    set_cluster_version_status,
)

HINT = ". The guard does not know the set v9.1: install the guard of a newer collection, or list the names"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], cluster: ControlPlane) -> Iterator[Run]:
    yield from runner(capsys, cluster)


def test_a_removal_is_rejected_and_named(run: Run, cluster: ControlPlane) -> None:
    create(cluster.api, block("v4.12", "Console", "Build"))
    assert run()["verified"]
    rejected = rejection(cluster.api, block("v4.12", "Console"))
    assert rejected.startswith("drops Build, which the spec of the cluster requests. ")
    assert rejected.endswith("in spec.capabilities.additionalEnabledCapabilities")
    # Console is in the set
    assert rejection(cluster.api, block("v4.12", "Build")) == ""
    assert rejection(cluster.api, block("v4.11", "Build")).startswith(
        "drops CSISnapshot, Console, Insights, Storage, which"
    )
    assert rejection(cluster.api, block("None", "Build", "Console")).startswith(
        "drops CSISnapshot, Insights, MachineAPI, Storage, baremetal, marketplace, openshift-samples, which"
    )


def test_the_client_shows_the_message(run: Run, cluster: ControlPlane) -> None:
    create(cluster.api, block("v4.12", "Build"))
    run()
    patch = json.dumps({"spec": {"capabilities": block("v4.12")}})
    with pytest.raises(ControlPlaneError, match="drops Build, which the spec of the cluster requests"):
        cluster.kubectl("patch", "clusterversion", "version", "--type=merge", "-p", patch)
    assert rejection(cluster.api, block("v4.12"), dry_run=False).startswith("drops Build, which")
    assert cluster.api.get(VERSION)["spec"]["capabilities"] == block("v4.12", "Build")


def test_unrelated_writes_pass(run: Run, cluster: ControlPlane) -> None:
    """Even if names are enabled implicitly, and whatever the status is."""
    create(cluster.api, block("None", "Console"))
    run(allowed_capabilities=[])
    overrides = [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}]
    known: list[str] | None
    for version, known in (("4.21.3", KNOWN), ("4.21.3", None), ("9.9.9", ["Build"]), ("no version", None)):
        # Writes of the status are not affected.
        set_cluster_version_status(cluster.api, status(version, ["Console", "Ingress", "Insights"], known))
        for change in (
            {"spec": {"channel": f"stable-{version}"}},
            {"spec": {"overrides": overrides}},
            {"spec": {"desiredUpdate": {"version": "4.21.4"}}},
            {"metadata": {"labels": {"site": "berlin"}}},
            {"metadata": {"annotations": {PROBE: "something else"}}},
            {"spec": {"capabilities": block("None", "Console", "Console")}},
            {"spec": {"capabilities": block("None", "Console"), "overrides": []}},
        ):
            assert refusal(lambda body=change: cluster.api.patch(VERSION, body)) == ""  # type: ignore[misc]


def test_a_set_that_the_guard_does_not_know(run: Run, cluster: ControlPlane) -> None:
    allow_any_name(cluster.api)
    create(
        cluster.api, block("v9.1", "Console"), status("9.1.0", ["Build", "Console", "Strange"], ["Build", "Console"])
    )
    run()
    assert refusal(lambda: cluster.api.patch(VERSION, {"spec": {"channel": "stable"}})) == ""
    # The same set with other names
    assert rejection(cluster.api, block("v9.1", "Console", "New")) == ""
    assert rejection(cluster.api, block("v9.1", "New")).startswith("drops Console, which")
    # Enabled names count as its content
    assert rejection(cluster.api, block("None", "Console")).startswith("drops Build, which")
    assert rejection(cluster.api, block("None", "Console")).endswith(HINT)
    assert rejection(cluster.api, block("None", "Build", "Console")) == ""
    assert rejection(cluster.api, block("vCurrent")) == ""


def test_a_new_set_that_the_guard_does_not_know(run: Run, cluster: ControlPlane) -> None:
    """Its content is not known, so it keeps no name and can add any name."""
    allow_any_name(cluster.api)
    create(cluster.api, block("None", "Build"), status("9.1.0", ["Build"], ["Build", "Console", "New"]))
    run(allowed_capabilities=["Console"])
    assert rejection(cluster.api, block("v9.1")).startswith("drops Build, which")
    assert (
        rejection(cluster.api, block("v9.1", "Build")) == f"adds New; only Console may be added on this cluster{HINT}"
    )
    run()
    assert rejection(cluster.api, block("v9.1", "Build")) == ""


def test_only_listed_names_may_be_added(run: Run, cluster: ControlPlane) -> None:
    create(cluster.api, block("v4.11"), status("4.21.3", ["Ingress"]))
    run(allowed_capabilities=["Storage", "Console"])
    assert rejection(cluster.api, block("v4.11", "Storage")) == ""
    assert rejection(cluster.api, block("v4.11", "Build", "Insights", "Storage")) == (
        "adds Build, Insights; only Console, Storage may be added on this cluster"
    )
    assert rejection(cluster.api, block("v4.12")).startswith("adds CSISnapshot, Insights; only")
    assert rejection(cluster.api, None).startswith("adds Build, CSISnapshot, CloudControllerManager, ")
    # It is in the set, or already enabled: the write enables nothing.
    assert rejection(cluster.api, block("v4.11", "MachineAPI", "Ingress")) == ""
    run(allowed_capabilities=[])
    assert rejection(cluster.api, block("v4.11", "Storage")).startswith("adds Storage; nothing ")
    run()
    assert rejection(cluster.api, block("v4.11", "Storage")) == ""


def test_deletion_is_rejected(run: Run, cluster: ControlPlane) -> None:
    create(cluster.api, block("None"))
    run()
    for path in (VERSION, CLUSTER_VERSIONS):
        assert refusal(lambda path=path: cluster.api.delete(path)).startswith(  # type: ignore[misc]
            "deletes the ClusterVersion, and with it all requests for capabilities. To do so, remove the guard first"
        )
    other = {**cluster.api.get(VERSION), "metadata": {"name": "other"}}
    cluster.api.post(CLUSTER_VERSIONS, other)
    cluster.api.delete(f"{CLUSTER_VERSIONS}/other")


def test_the_guard_agrees_with_the_collection(run: Run, cluster: ControlPlane) -> None:
    """Random writes on clusters of all minors, with and without known names in the status."""
    allowed = ["Console", "MachineAPI", "OperatorLifecycleManagerV1", "Storage"]
    chance = random.Random(20)
    allow_any_name(cluster.api)
    create(cluster.api, None)
    run(allowed_capabilities=allowed)
    verdicts = {"drops": 0, "adds": 0, "": 0}
    for minor in [*sorted(capability_data.BRANCHES), *chance.choices(sorted(capability_data.BRANCHES), k=24)]:
        data = capability_data.data_of(minor)
        assert data is not None
        known = sorted(data.capabilities)
        old = _random_selection(chance, data)
        before = old.requested(data)
        enabled = before | set(chance.sample(known, chance.choice([0, 2])))
        reported = status(f"{minor}.7", sorted(enabled), chance.choice([known, None]))
        replace(cluster.api, block(old.baseline, *old.additional), reported)
        for _number in range(8):
            new = _random_selection(chance, data)
            after = new.requested(data)
            answer = rejection(cluster.api, block(new.baseline, *new.additional))
            dropped, added = sorted(before - after), sorted(after - before - enabled - set(allowed))
            same = (old.baseline, old.additional) == (new.baseline, new.additional)
            verdict = "" if same else "drops" if dropped else "adds" if added else ""
            names = ", ".join(dropped or added)
            assert answer == "" if not verdict else answer.startswith((f"{verdict} {names},", f"{verdict} {names};")), (
                minor,
                reported,
                old,
                new,
                answer,
            )
            verdicts[verdict] += 1
    assert min(verdicts.values()) > 20, verdicts


def _random_selection(chance: random.Random, data: MinorData) -> Selection:
    baseline = chance.choice([None, *data.sets])
    known = sorted(data.capabilities)
    return Selection(baseline, tuple(chance.sample(known, min(chance.choice([0, 1, 3, 99]), len(known)))))
