# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Adds what an API server adds to an object of a built-in kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._resources import as_list, mappings_in, nested
from .api_fields import DEFAULTS

_RBAC = "rbac.authorization.k8s.io"


def with_defaults(kind: tuple[str, str], body: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the object of a kind (group and name) with the defaults of fields that the CVO compares."""
    completed: dict[str, Any] = _completed(body, DEFAULTS.get(kind, {}))
    depends = _DEPENDENT.get(kind[1])
    if depends and kind in DEFAULTS:
        depends(completed)
    return completed


def _completed(value: Any, defaults: Any) -> Any:
    """Copy ``value`` with ``defaults``: an empty map or another value if it is absent, maps and items inside of it.

    An empty text is the same as an absent one.
    """
    if isinstance(defaults, list):
        return [_completed(item, defaults[0]) for item in value] if isinstance(value, list) else value
    if not isinstance(value, Mapping):
        return value
    result = dict(value)
    for name, default in defaults.items():
        if result.get(name) not in (None, ""):
            result[name] = _completed(result[name], default)
        elif not default or not isinstance(default, (Mapping, list)):
            result[name] = default
    return result


def _pod(pod: dict[str, Any]) -> None:
    for volume in _maps(pod.get("volumes")):
        if not any(volume[name] is not None for name in volume if name != "name"):
            volume["emptyDir"] = {}
    if pod.get("hostNetwork"):
        for container in (*_maps(pod.get("initContainers")), *_maps(pod.get("containers"))):
            for port in _maps(container.get("ports")):
                port.setdefault("hostPort", port.get("containerPort"))


def _workload(body: dict[str, Any]) -> None:
    _pod(_map(body, "spec", "template", "spec"))


def _deployment(body: dict[str, Any]) -> None:
    _workload(body)
    spec = _map(body, "spec")
    strategy = {"type": "RollingUpdate", **(spec.get("strategy") or {})}
    if strategy["type"] == "RollingUpdate":
        given = strategy.get("rollingUpdate") or {}
        strategy["rollingUpdate"] = {"maxSurge": "25%", "maxUnavailable": "25%", **given}
    spec["strategy"] = strategy


def _cron_job(body: dict[str, Any]) -> None:
    pod = _map(body, "spec", "jobTemplate", "spec", "template", "spec")
    _pod(pod)
    account = pod.get("serviceAccountName") or pod.get("serviceAccount")
    if account:
        pod.update(serviceAccount=account, serviceAccountName=account)  # The first is the former name.
    for container in (*_maps(pod.get("initContainers")), *_maps(pod.get("containers"))):
        container["imagePullPolicy"] = container.get("imagePullPolicy") or _pull_policy(str(container.get("image")))


def _pull_policy(image: str) -> str:
    """SetDefaults_Container: ``Always`` for the tag ``latest``, which is that of an image without a tag and digest."""
    name, digest, _value = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


def _job(body: dict[str, Any]) -> None:
    _workload(body)
    spec = _map(body, "spec")
    if spec.get("parallelism") is None and spec.get("completions") is None:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)


def _service(body: dict[str, Any]) -> None:
    for port in _maps(nested(body, "spec", "ports")):
        if port.get("targetPort") in (None, 0, ""):
            port["targetPort"] = port.get("port")


def _definition(body: dict[str, Any]) -> None:
    names, spec = nested(body, "spec", "names"), _map(body, "spec")
    if isinstance(names, dict):
        kind = str(names.get("kind"))
        spec["names"] = {"singular": kind.lower(), "listKind": f"{kind}List", **names}
        spec["conversion"] = spec.get("conversion") or {"strategy": "None"}


def _image_stream(body: dict[str, Any]) -> None:
    spec = _map(body, "spec")
    spec["lookupPolicy"] = {"local": False, **(spec.get("lookupPolicy") or {})}
    spec["tags"] = [
        {**tag, "importPolicy": {"importMode": "Legacy", **(tag.get("importPolicy") or {})}}
        for tag in mappings_in(spec.get("tags"))
    ]


def _binding(body: dict[str, Any]) -> None:
    for subject in _maps(body.get("subjects")):
        if subject.get("kind") in ("Group", "User"):
            subject["apiGroup"] = subject.get("apiGroup") or _RBAC


def _network_policy(body: dict[str, Any]) -> None:
    spec = _map(body, "spec")
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _map(body: Mapping[str, Any], *path: str) -> dict[str, Any]:
    """The map at ``path``, to change it. If there is none, a map that nothing contains."""
    found = nested(body, *path)
    return found if isinstance(found, dict) else {}


def _maps(items: object) -> list[dict[str, Any]]:
    return [item for item in as_list(items) if isinstance(item, dict)]


_DEPENDENT: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "ClusterRoleBinding": _binding,
    "CronJob": _cron_job,
    "CustomResourceDefinition": _definition,
    "DaemonSet": _workload,
    "Deployment": _deployment,
    "ImageStream": _image_stream,
    "Job": _job,
    "NetworkPolicy": _network_policy,
    "RoleBinding": _binding,
    "Service": _service,
}
"""Defaults that depend on other fields (kubernetes/kubernetes:pkg/apis/*/v1/defaults.go)."""
