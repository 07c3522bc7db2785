# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a rollout, by the audit log of the API server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    INVENTORY,
    Body,
    Rollouts,
    config_map,
    crd,
    manifest,
    namespace,
    path_of,
    versions_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, is_write, selection
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    CRDS,
    EXAMPLE,
)

VERSION_CRD = f"patch {CRDS}/clusterversions.config.openshift.io"
MAPS = f"patch /api/v1/namespaces/{HOME}/configmaps/"
INGRESS_ONLY = selection("Ingress")


def sent(rollouts: Rollouts, release: Path, **options: Any) -> list[str]:
    """The writes of a rollout."""
    mark = rollouts.plane.audit.mark()
    rollouts.done(release, **options)
    return rollouts.writes(mark)


def of_maps(writes: list[str]) -> list[str]:
    """The names of the written ConfigMaps."""
    return [item.removeprefix(MAPS) for item in writes if item.startswith(MAPS)]


def levels(*numbers: str, each: int = 4) -> dict[str, Any]:
    """Files of two components for each run level."""
    return {
        f"0000_{number}_{part}_{index:02}.yaml": config_map(f"{number}-{part}-{index:02}")
        for number in numbers
        for part in "ab"
        for index in range(each)
    }


def job(name: str) -> Body:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example/a:1"}]}
    return manifest("Job", name, HOME, api="batch/v1", spec={"template": {"spec": pod}})


def webhook(name: str) -> Body:
    """A webhook for objects that do not exist."""
    hook = {
        "name": "a.test.io",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Ignore",
        "rules": [{"apiGroups": ["unserved.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["x"]}],
    }
    api = "admissionregistration.k8s.io/v1"
    return manifest("ValidatingWebhookConfiguration", name, api=api, webhooks=[hook])


def made_cluster_version(write: str) -> bool:
    return write in (f"create {CLUSTER_VERSIONS}", f"patch {CLUSTER_VERSIONS}/version")


# First the ClusterVersion, then the rest


def test_cluster_version_and_inventory_come_before_all_manifests(rollouts: Rollouts) -> None:
    files: dict[str, Any] = {
        "0000_00_aaa_00.yaml": config_map("first", capability="Console"),
        "0000_00_aaa_01.yaml": config_map("second"),
    }
    release = rollouts.release(files, cluster_version=True)
    writes = sent(rollouts, release, capabilities=selection("Console", "Ingress"))
    status = next(index for index, item in enumerate(writes) if item.endswith("/version/status"))
    assert writes[0] == VERSION_CRD
    assert made_cluster_version(writes[1])
    assert status == 2
    assert writes[3] == f"create {INVENTORY.rpartition('/')[0]}"
    assert of_maps(writes[4:]) == ["first", "second"]


def test_inventory_is_written_before_and_after_and_no_third_time(rollouts: Rollouts) -> None:
    writes = sent(rollouts, rollouts.release(levels("10")))
    mine = [index for index, item in enumerate(writes) if "/kube-system/" in item]
    assert mine == [0, len(writes) - 1]


# Order of components, run levels, Jobs and webhooks


def test_update_applies_one_run_level_after_the_other(rollouts: Rollouts) -> None:
    names = of_maps(sent(rollouts, rollouts.release(levels("10", "20", "30")), mode="update", parallelism=16))
    run_levels = [name.partition("-")[0] for name in names]
    assert run_levels == sorted(run_levels)


@pytest.mark.parametrize("mode", ["install", "update"])
def test_job_comes_after_all_that_is_before_it_and_before_the_rest(rollouts: Rollouts, mode: str) -> None:
    files: dict[str, Any] = {**levels("10"), "0000_20_j_1.yaml": job("between"), **levels("30")}
    writes = sent(rollouts, rollouts.release(files), mode=mode, parallelism=16)
    at = writes.index(f"patch {path_of(job('between')).partition('?')[0]}")
    assert {name.partition("-")[0] for name in of_maps(writes[:at])} == {"10"}
    assert {name.partition("-")[0] for name in of_maps(writes[at:])} == {"30"}


def test_namespaces_come_before_their_objects(rollouts: Rollouts) -> None:
    files: dict[str, Any] = {
        f"0000_{level}_{part}_1.yaml": config_map(part, "made-later") for level, part in (("05", "a"), ("90", "c"))
    }
    writes = sent(rollouts, rollouts.release({**files, "0000_50_b_1.yaml": namespace("made-later")}), parallelism=16)
    at = writes.index("patch /api/v1/namespaces/made-later")
    assert not [item for item in writes[:at] if "/configmaps/" in item and "made-later" in item]


def test_definitions_come_before_their_objects_whatever_their_run_level(rollouts: Rollouts) -> None:
    body = manifest("Thing", "a", HOME, api="test.io/v1", spec={})
    files: dict[str, Any] = {"0000_05_a_1.yaml": body, "0000_50_b_1.yaml": crd("things", "Thing")}
    writes = sent(rollouts, rollouts.release(files), mode="update")
    assert writes.index(f"patch {path_of(crd('things', 'Thing'))}") < writes.index(f"patch {path_of(body)}")


# Parallelism


def together(rollouts: Rollouts, since: int) -> int:
    """The highest number of writes of a rollout that the API server processed in parallel."""
    with (rollouts.plane.folder / "audit.log").open("rb") as log:
        log.seek(since)
        events = [json.loads(line) for line in log]
    steps: list[tuple[str, int]] = []
    for event in events:
        if event["verb"] == "patch" and event.get("userAgent", "").startswith(AGENT):
            steps += [(event["requestReceivedTimestamp"], 1), (event["stageTimestamp"], -1)]
    running, most = 0, 0
    for _time, step in sorted(steps):
        running += step
        most = max(most, running)
    return most


@pytest.mark.parametrize("parallelism", [1, 3])
def test_concurrent_requests_do_not_exceed_parallelism(rollouts: Rollouts, parallelism: int) -> None:
    files = {f"0000_10_c{index}_1.yaml": config_map(f"c{index}") for index in range(40)}
    mark = rollouts.plane.audit.mark()
    rollouts.done(rollouts.release(files), parallelism=parallelism)
    rollouts.plane.audit.mark()
    assert 1 <= together(rollouts, mark) <= parallelism


# Check mode


def test_check_mode_reads_and_does_dry_runs_only(rollouts: Rollouts) -> None:
    before, mark = versions_of(rollouts.api), rollouts.plane.audit.mark()
    outcome = rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set="Default", check=True, diff=True)
    assert [item for item in rollouts.requests(mark) if is_write(item)] == []
    assert versions_of(rollouts.api) == before
    assert outcome["changed"] is True
    assert not rollouts.api.exists(INVENTORY)


# A cluster without ClusterVersion


# Definitions


def of_components(count: int) -> dict[str, Any]:
    """Files of components that define a kind each, and then make an object of it."""
    return {
        f"0000_10_c{number}_{part}.yaml": body
        for number in range(count)
        for part, body in enumerate(
            (crd(f"part{number}s", f"Part{number}"), manifest(f"Part{number}", "a", HOME, api="test.io/v1", spec={}))
        )
    }


@pytest.mark.parametrize("parallelism", [1, 8])
def test_all_definitions_are_sent_before_the_first_wait(rollouts: Rollouts, parallelism: int) -> None:
    """A component that waits for its definition does not keep others from sending theirs."""
    count = 12
    mark = rollouts.plane.audit.mark()
    rollouts.done(rollouts.release(of_components(count)), mode="install", parallelism=parallelism)
    writes = [item for item in rollouts.writes(mark) if "part" in item]
    assert len(writes) == 2 * count
    if parallelism == 1:
        assert [CRDS in item for item in writes] == [True] * count + [False] * count
    watches = [request for request in rollouts.site.requests(mark) if request.verb == "watch"]
    assert len(watches) <= 2


def test_rollout_to_a_new_cluster_lists_nothing_before_it_writes(rollouts: Rollouts) -> None:
    mark = rollouts.plane.audit.mark()
    rollouts.done(rollouts.release([config_map("a"), config_map("b")]), mode="install")
    requests = rollouts.site.requests(mark)
    first = next(index for index, request in enumerate(requests) if is_write(request))
    assert [request.uri for request in requests[:first] if request.verb == "list"] == []
