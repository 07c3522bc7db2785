# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Adds what an API server adds to an object of a built-in kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._resources import mappings_in, nested
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


def _pod(pod: Any) -> None:
    if not isinstance(pod, dict):
        return
    for volume in mappings_in(pod.get("volumes")):
        if isinstance(volume, dict) and not any(volume[name] is not None for name in volume if name != "name"):
            volume["emptyDir"] = {}
    if pod.get("hostNetwork"):
        for field in ("initContainers", "containers"):
            for container in mappings_in(pod.get(field)):
                for port in mappings_in(container.get("ports")):
                    if isinstance(port, dict):
                        port.setdefault("hostPort", port.get("containerPort"))


def _workload(body: dict[str, Any]) -> None:
    _pod(nested(body, "spec", "template", "spec"))


def _deployment(body: dict[str, Any]) -> None:
    _workload(body)
    spec = body.get("spec")
    if not isinstance(spec, dict):
        return
    strategy = {"type": "RollingUpdate", **(spec.get("strategy") or {})}
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = {
            "maxSurge": "25%",
            "maxUnavailable": "25%",
            **(strategy.get("rollingUpdate") or {}),
        }
    spec["strategy"] = strategy


def _cron_job(body: dict[str, Any]) -> None:
    _pod(nested(body, "spec", "jobTemplate", "spec", "template", "spec"))


def _job(body: dict[str, Any]) -> None:
    _workload(body)
    spec = body.get("spec")
    if isinstance(spec, dict):
        if spec.get("parallelism") is None and spec.get("completions") is None:
            spec["completions"] = 1
        spec.setdefault("parallelism", 1)


def _service(body: dict[str, Any]) -> None:
    for port in mappings_in(nested(body, "spec", "ports")):
        if isinstance(port, dict) and port.get("targetPort") in (None, 0, ""):
            port["targetPort"] = port.get("port")


def _definition(body: dict[str, Any]) -> None:
    names, spec = nested(body, "spec", "names"), body.get("spec")
    if isinstance(names, dict) and isinstance(spec, dict):
        kind = str(names.get("kind"))
        spec["names"] = {"singular": kind.lower(), "listKind": f"{kind}List", **names}
        spec["conversion"] = spec.get("conversion") or {"strategy": "None"}


def _image_stream(body: dict[str, Any]) -> None:
    spec = body.get("spec")
    if isinstance(spec, dict):
        spec["lookupPolicy"] = {"local": False, **(spec.get("lookupPolicy") or {})}
        spec["tags"] = [
            {**tag, "importPolicy": {"importMode": "Legacy", **(tag.get("importPolicy") or {})}}
            for tag in mappings_in(spec.get("tags"))
        ]


def _binding(body: dict[str, Any]) -> None:
    for subject in mappings_in(body.get("subjects")):
        if isinstance(subject, dict) and subject.get("kind") in ("Group", "User"):
            subject["apiGroup"] = subject.get("apiGroup") or _RBAC


def _network_policy(body: dict[str, Any]) -> None:
    spec = body.get("spec")
    if isinstance(spec, dict) and not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


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
