# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a workload of a release runs: its containers, their images, and what they request of the nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from .._kubernetes.quantity import NANO, _rounded_up, parse_quantity
from .._problems import Problem, Problems, type_name
from .._release.manifest import Manifest, location
from .._unstructured import nested

_POD_SPECS: Mapping[str, tuple[str, ...]] = {
    "Deployment": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "StatefulSet": ("spec", "template", "spec"),
    "ReplicaSet": ("spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "Pod": ("spec",),
}
"""Where each kind of workload has the spec of its Pods."""

_SCALED = {"Deployment", "StatefulSet", "ReplicaSet"}
_ENDING = {"Job", "CronJob"}


class Requests(NamedTuple):
    """What Pods ask the scheduler for: CPU in thousandths of a core, memory in bytes."""

    cpu_millicores: int = 0
    memory_bytes: int = 0


def is_workload(manifest: Manifest) -> bool:
    """Whether Pods come of a manifest, so that its body is worth reading."""
    return manifest.resource_id.kind in _POD_SPECS


def workload_images(manifest: Manifest, body: Any, pull_specs: Collection[str]) -> Iterator[str]:
    """Yield the images that a workload runs, and those of ``pull_specs`` that it is handed in environment variables.

    ``body`` is that of ``manifest``, ``pull_specs`` are the release's own; an image can come more than once.
    """
    for _where, container in _containers(_pod_spec(manifest, body), "initContainers", "containers"):
        image = container.get("image")
        if isinstance(image, str) and image:
            yield image
        variables = container.get("env")
        for variable in variables if isinstance(variables, list) else ():
            value = nested(variable, "value")
            if isinstance(value, str) and value in pull_specs:
                yield value


def workload_requests(manifest: Manifest, body: Any, problems: Problems) -> Requests:
    """Return what all Pods of a workload request, as the scheduler counts it; report what cannot be read.

    Replicas count as often as there are; a DaemonSet counts once, for a release does not tell how many nodes there
    are. Jobs and CronJobs end, so they take nothing for good and count as nothing.
    """
    if manifest.resource_id.kind in _ENDING:
        return Requests()
    pods = _pods(manifest, body, problems)
    spec = _pod_spec(manifest, body)
    cpu = _pod_nanos(manifest, spec, "cpu", problems)
    memory = _pod_nanos(manifest, spec, "memory", problems)
    return Requests(pods * _rounded_up(cpu, NANO // 1000), pods * _rounded_up(memory, NANO))


def _pod_spec(manifest: Manifest, body: Any) -> Any:
    return nested(body, *_POD_SPECS[manifest.resource_id.kind])


def _containers(spec: Any, *fields: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the containers in ``fields`` of a Pod's spec, and where in it each stands."""
    for field in fields:
        found = nested(spec, field)
        for index, container in enumerate(found if isinstance(found, list) else ()):
            if isinstance(container, Mapping):
                yield f"{field}[{index}]", container


def _pods(manifest: Manifest, body: Any, problems: Problems) -> int:
    """How many Pods a workload has; without a number it is one."""
    replicas = nested(body, "spec", "replicas") if manifest.resource_id.kind in _SCALED else None
    if replicas is None:
        return 1
    if isinstance(replicas, int) and not isinstance(replicas, bool) and replicas >= 0:
        return replicas
    message = f"is {_shown(replicas)}, expected a number of Pods; counted as one"
    problems.append(
        Problem("warning", "todo", location(manifest.file, manifest.document, field="spec.replicas"), message)
    )
    return 1


def _pod_nanos(manifest: Manifest, spec: Any, resource: str, problems: Problems) -> int:
    """What one Pod requests of ``resource``, in nanos of its unit.

    Init containers run one after the other and before the others, except those that are to be restarted always
    (sidecars), which run on. Source: kubernetes/kubernetes:staging/src/k8s.io/component-helpers/resource/helpers.go
    AggregateContainerRequests.
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
    """What one container requests: where it does not say, its limit (kubernetes:pkg/apis/core/v1/defaults.go)."""
    for field in ("requests", "limits"):
        quantities = nested(container, "resources", field)
        if isinstance(quantities, Mapping) and resource in quantities:
            nanos = parse_quantity(quantities[resource])
            if nanos is not None:
                return nanos
            at = location(manifest.file, manifest.document, field=f"{where}.resources.{field}.{resource}")
            message = f"is {_shown(quantities[resource])}, expected a quantity such as 100m or 64Mi; not counted"
            problems.append(Problem("warning", "todo", at, message))
            return 0
    return 0


def _shown(value: object) -> str:
    # A map or list can be of any size and depth.
    return repr(value) if isinstance(value, (str, int, float)) else type_name(value)
