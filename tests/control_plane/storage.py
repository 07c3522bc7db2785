# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the API server keeps in etcd, for states that only a crash leaves behind."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import urllib3

from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

_DEFINITIONS = "/registry/apiextensions.k8s.io/customresourcedefinitions"


def rewrite_definition(plane: ControlPlane, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a CustomResourceDefinition as it is stored, behind the back of the API server, which must not run.

    Raises ``ControlPlaneError`` where there is none.
    """
    key = b64encode(f"{_DEFINITIONS}/{name}".encode()).decode()
    found = _ask(plane, "range", {"key": key}).get("kvs")
    if not found:
        raise ControlPlaneError(f"etcd has no CustomResourceDefinition {name}")
    body = json.loads(b64decode(found[0]["value"]))
    change(body)
    _ask(plane, "put", {"key": key, "value": b64encode(json.dumps(body).encode()).decode()})


def forget(definition: dict[str, Any]) -> None:
    """Leave a definition as an API server does that is killed once it has accepted the names."""
    for condition in definition["status"]["conditions"]:
        if condition["type"] == "Established":
            condition.update(status="False", reason="Installing", message="the initial names have been accepted")


def _ask(plane: ControlPlane, what: str, question: dict[str, str]) -> dict[str, Any]:
    with urllib3.PoolManager(ca_certs=str(plane.folder / "ca.crt"), retries=False) as pool:
        answer = pool.request("POST", f"{plane.etcd}/v3/kv/{what}", json=question)
    if answer.status != 200:
        raise ControlPlaneError(f"etcd answers {answer.status}: {answer.data.decode(errors='replace')}")
    found: dict[str, Any] = answer.json()
    return found
