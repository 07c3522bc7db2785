# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Containers of a workload: their images, and their requests for CPU and memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from .._data.kinds import POD_SPECS
from .._kubernetes.quantity import NANO, parse_quantity, round_up
from .._problems import Problems, type_name
from .._release.manifest import Manifest
from .._resources import as_list, nested

_SCALED = {"Deployment", "StatefulSet", "ReplicaSet"}
_ENDING = {"Job", "CronJob"}


class Requests(NamedTuple):
    """Requests of Pods: CPU in thousandths of a core, memory in bytes."""

    cpu_millicores: int = 0
    memory_bytes: int = 0


def is_workload(manifest: Manifest) -> bool:
    """Whether a manifest results in Pods."""
    return manifest.resource_id.kind in POD_SPECS


def workload_images(manifest: Manifest, body: Any, pull_specs: Collection[str]) -> Iterator[str]:
    """Yield the images of a workload's containers, and those ``pull_specs`` that its environment variables contain.

    ``body`` is the body of ``manifest``. ``pull_specs`` are the images of the release. Duplicates are possible.
    """
    for _where, container in _containers(_pod_spec(manifest, body), "initContainers", "containers"):
        image = container.get("image")
        if isinstance(image, str) and image:
            yield image
        variables = container.get("env")
        for variable in as_list(variables):
            value = nested(variable, "value")
            if isinstance(value, str) and value in pull_specs:
                yield value


def workload_requests(manifest: Manifest, body: Any, problems: Problems) -> Requests:
    """Add up the requests of all Pods of a workload, as the scheduler does, and report invalid values.

    Every replica counts. A DaemonSet counts once, because a release does not contain the number of nodes. Jobs and
    CronJobs count as nothing, because they end.
    """
    if manifest.resource_id.kind in _ENDING:
        return Requests()
    pods = _pods(manifest, body, problems)
    spec = _pod_spec(manifest, body)
    cpu = _pod_nanos(manifest, spec, "cpu", problems)
    memory = _pod_nanos(manifest, spec, "memory", problems)
    return Requests(pods * round_up(cpu, NANO // 1000), pods * round_up(memory, NANO))


def _pod_spec(manifest: Manifest, body: Any) -> Any:
    return nested(body, *POD_SPECS[manifest.resource_id.kind])


def _containers(spec: Any, *fields: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the field path and the content of each container in ``fields`` of a Pod spec."""
    for field in fields:
        containers = nested(spec, field)
        for index, container in enumerate(as_list(containers)):
            if isinstance(container, Mapping):
                yield f"{field}[{index}]", container


def _pods(manifest: Manifest, body: Any, problems: Problems) -> int:
    """Number of Pods of a workload, one by default."""
    replicas = nested(body, "spec", "replicas") if manifest.resource_id.kind in _SCALED else None
    if replicas is None:
        return 1
    if isinstance(replicas, int) and not isinstance(replicas, bool) and replicas >= 0:
        return replicas
    message = f"is {_shown(replicas)}, expected a number of Pods; counted as one"
    problems.warning("invalid-replicas", manifest.location.child("spec.replicas"), message)
    return 1


def _pod_nanos(manifest: Manifest, spec: Any, resource: str, problems: Problems) -> int:
    """Request of one Pod for ``resource``, in nanos of its unit.

    Init containers run one after the other, before the others. Those with restartPolicy Always (sidecars) keep running.
    Source: kubernetes/kubernetes:staging/src/k8s.io/component-helpers/resource/helpers.go AggregateContainerRequests.
    """
    sidecars = starting = 0
    for where, container in _containers(spec, "initContainers"):
        nanos = _container_nanos(manifest, where, container, resource, problems)
        starting = max(starting, sidecars + nanos)
        if container.get("restartPolicy") == "Always":
            sidecars += nanos
    running = sum(
        _container_nanos(manifest, where, container, resource, problems)
        for where, container in _containers(spec, "containers")
    )
    return max(starting, sidecars + running)


def _container_nanos(
    manifest: Manifest, where: str, container: Mapping[str, Any], resource: str, problems: Problems
) -> int:
    """Request of one container, by default its limit (kubernetes/kubernetes:pkg/apis/core/v1/defaults.go)."""
    for field in ("requests", "limits"):
        quantities = nested(container, "resources", field)
        if isinstance(quantities, Mapping) and resource in quantities:
            nanos = parse_quantity(quantities[resource])
            if nanos is not None:
                return nanos
            at = manifest.location.child(f"{where}.resources.{field}.{resource}")
            message = f"is {_shown(quantities[resource])}, expected a quantity such as 100m or 64Mi; not counted"
            problems.warning("invalid-quantity", at, message)
            return 0
    return 0


def _shown(value: object) -> str:
    # A map or list can have any size and depth.
    return repr(value) if isinstance(value, (str, int, float)) else type_name(value)
