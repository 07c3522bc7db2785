# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._contents.workloads import (
    Requests,
    is_workload,
    workload_images,
    workload_requests,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

NO_CONTAINERS: list[Any] = [None, {}, "text", ["text", None, []]]
NO_IMAGES: list[Any] = [None, "", 1, []]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *((kind, True) for kind in ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job", "CronJob", "Pod")),
        *((kind, False) for kind in ("ConfigMap", "CustomResourceDefinition", "deployment", "")),
    ],
)
def test_a_workload_is_recognized_by_its_kind(kind: str, expected: bool) -> None:
    assert is_workload(workload(kind)) is expected


@pytest.mark.parametrize("kind", ["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job", "CronJob", "Pod"])
def test_containers_are_found_in_each_kind(kind: str) -> None:
    spec = {"initContainers": [{"image": "first"}], "containers": [{"image": "second"}, {"image": "first"}]}
    assert list(workload_images(workload(kind), body_of(kind, spec), ())) == ["first", "second", "first"]


def test_images_in_variables_are_those_of_the_release() -> None:
    env = [
        {"name": "A", "value": "ours"},
        {"name": "B", "value": "other"},
        {"name": "C", "valueFrom": {}},
        "odd",
        {"value": 1},
    ]
    spec = {"containers": [{"image": "app", "env": env}, {"env": {"value": "ours"}}, {"env": None}]}
    assert list(workload_images(workload(), body_of("Deployment", spec), {"ours", "unused"})) == ["app", "ours"]


@pytest.mark.parametrize(
    "body",
    [
        *(None, [], "text", {}, {"spec": None}, {"spec": []}, {"spec": {"template": "text"}}),
        *({"spec": {"template": {"spec": {"containers": found}}}} for found in NO_CONTAINERS),
        *({"spec": {"template": {"spec": {"containers": [{"image": image}]}}}} for image in NO_IMAGES),
    ],
)
def test_a_body_of_another_shape_has_no_images_and_no_requests(body: Any) -> None:
    problems = Problems()
    assert list(workload_images(workload(), body, {"ours"})) == []
    assert workload_requests(workload(), body, problems) == Requests(0, 0)
    assert problems == []


@pytest.mark.parametrize(
    ("kind", "replicas", "times"),
    [
        *(
            ("Deployment", None, 1),
            ("Deployment", 0, 0),
            ("Deployment", 3, 3),
            ("StatefulSet", 2, 2),
            ("ReplicaSet", 4, 4),
        ),
        *(("DaemonSet", 3, 1), ("Pod", 3, 1), ("Job", None, 0), ("CronJob", None, 0)),
    ],
)
def test_requests_count_for_every_replica(kind: str, replicas: int | None, times: int) -> None:
    spec = {"containers": [requesting("100m", "64Mi"), requesting("0.05", "1Ki")]}
    body = body_of(kind, spec)
    if replicas is not None:
        body["spec"]["replicas"] = replicas
    assert requests_of(spec, workload(kind), body) == Requests(150 * times, (64 * 2**20 + 1024) * times)


@pytest.mark.parametrize("replicas", ["3", -1, 1.5, True, [], {"a": 1}])
def test_replicas_that_are_no_number_count_as_one(replicas: object) -> None:
    body = body_of("Deployment", {"containers": [requesting("1", "1")]})
    body["spec"]["replicas"] = replicas
    problems = Problems()
    assert workload_requests(workload(), body, problems) == Requests(1000, 1)
    (problem,) = problems
    assert (problem.severity, str(problem.where)) == (
        "warning",
        "release-manifests/one.yaml, document 2, spec.replicas",
    )
    assert problem.code == "invalid-replicas"
    assert problem.message.endswith("expected a number of Pods; counted as one")


@pytest.mark.parametrize(
    ("init", "containers", "millicores"),
    [
        # (request, whether it is a sidecar) of init containers, requests of the others
        ([], ["100m"], 100),
        ([("50m", False)], ["100m"], 100),
        ([("150m", False), ("120m", False)], ["100m"], 150),
        ([("50m", True)], ["100m"], 150),
        # A sidecar runs beside the init containers after it, not beside those before it.
        ([("50m", True), ("80m", False)], ["100m"], 150),
        ([("50m", True), ("120m", False)], ["100m"], 170),
        ([("120m", False), ("10m", True)], ["100m"], 120),
        ([("10m", True), ("20m", True), ("90m", False), ("5m", True)], ["80m"], 120),
        ([("1", False)], [], 1000),
    ],
)
def test_init_containers_count_as_the_scheduler_counts_them(
    init: list[tuple[str, bool]], containers: list[str], millicores: int
) -> None:
    spec = {
        "initContainers": [
            {**requesting(cpu, cpu), **({"restartPolicy": "Always"} if sidecar else {})} for cpu, sidecar in init
        ],
        "containers": [requesting(cpu, cpu) for cpu in containers],
    }
    assert requests_of(spec).cpu_millicores == millicores


def test_each_resource_has_its_own_maximum() -> None:
    spec = {"initContainers": [requesting("500m", "10")], "containers": [requesting("100m", "20")]}
    assert requests_of(spec) == Requests(500, 20)


def test_parts_of_a_pod_are_added_before_they_are_rounded_up() -> None:
    spec = {"containers": [requesting("0.5m", "0.5"), requesting("0.4m", "0.4")]}
    assert requests_of(spec) == Requests(1, 1)
    assert requests_of({"containers": [requesting("1n", "1n")]}) == Requests(1, 1)


@given(st.lists(st.integers(0, 10**7), max_size=5), st.integers(0, 5))
def test_the_sum_is_exact(micros: list[int], replicas: int) -> None:
    spec = {"containers": [requesting(f"{each}u", f"{each}Ki") for each in micros]}
    body = body_of("Deployment", spec)
    body["spec"]["replicas"] = replicas
    assert requests_of(spec, body=body) == Requests(
        replicas * ceil(Fraction(sum(micros), 1000)), replicas * 1024 * sum(micros)
    )


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"limits": {"cpu": "2", "memory": "3"}}, Requests(2000, 3)),
        ({"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "3"}}, Requests(1000, 3)),
        ({"requests": {"cpu": "0", "memory": None}, "limits": {"cpu": "2", "memory": "3"}}, Requests(0, 0)),
        ({"requests": None, "limits": None}, Requests()),
        ({"requests": [], "limits": "text"}, Requests()),
        ({"requests": {"ephemeral-storage": "1Gi"}}, Requests()),
        (None, Requests()),
        ([], Requests()),
    ],
)
def test_a_limit_stands_for_a_request_that_is_missing(resources: object, expected: Requests) -> None:
    assert requests_of({"containers": [{"resources": resources}]}) == expected


def test_what_cannot_be_read_is_left_out_and_reported_once() -> None:
    spec = {
        "initContainers": [{"resources": {"limits": {"memory": ["1Gi"]}}}],
        "containers": ["text", requesting("lots", "1Mi"), requesting("10m", True)],
    }
    problems = Problems()
    assert workload_requests(workload(), body_of("Deployment", spec), problems) == Requests(10, 2**20)
    at = Location("release-manifests/one.yaml", 2)
    expected = "expected a quantity such as 100m or 64Mi; not counted"
    assert problems == [
        Problem(
            "warning", "invalid-quantity", at.child("containers[1].resources.requests.cpu"), f"is 'lots', {expected}"
        ),
        Problem(
            "warning",
            "invalid-quantity",
            at.child("initContainers[0].resources.limits.memory"),
            f"is a list, {expected}",
        ),
        Problem(
            "warning", "invalid-quantity", at.child("containers[2].resources.requests.memory"), f"is True, {expected}"
        ),
    ]


def workload(kind: str = "Deployment") -> Manifest:
    return Manifest(ResourceId("apps", kind, "here", "one"), "v1", {}, "release-manifests/one.yaml", 2)


def body_of(kind: str, pod: dict[str, Any]) -> dict[str, Any]:
    template = {"template": {"spec": pod}}
    if kind == "Pod":
        return {"spec": pod}
    return {"spec": {"jobTemplate": {"spec": template}} if kind == "CronJob" else template}


def requesting(cpu: object, memory: object) -> dict[str, Any]:
    return {"resources": {"requests": {"cpu": cpu, "memory": memory}}}


def requests_of(pod: dict[str, Any], manifest: Manifest | None = None, body: Any = None) -> Requests:
    problems = Problems()
    found = workload_requests(manifest or workload(), body or body_of("Deployment", pod), problems)
    assert problems == []
    return found
