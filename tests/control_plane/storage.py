# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the API server stores in etcd: for states that only a crash leaves, and to bring back an earlier state."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import urllib3

from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError

DEFINITIONS = "/registry/apiextensions.k8s.io/customresourcedefinitions/"
_OF_SERVERS = ("/registry/leases/kube-", "/registry/masterleases/")
"""Objects by which API servers, controllers and nodes say that they are alive: no other client writes them."""


class Stored(NamedTuple):
    """What is stored under a key, and the revision of etcd in which it was written."""

    value: bytes
    revision: int


def objects(plane: ControlPlane) -> dict[str, Stored]:
    """Return all objects by their key."""
    return _found(plane)


def revisions(plane: ControlPlane) -> dict[str, int]:
    """Return the revision of all objects by their key."""
    return {key: item.revision for key, item in _found(plane, keys_only=True).items()}


def _found(plane: ControlPlane, *, keys_only: bool = False) -> dict[str, Stored]:
    # The range of all keys that begin with the prefix ends before the next key of its length.
    question = {"key": _encoded("/registry/"), "range_end": _encoded("/registry0"), "keys_only": keys_only}
    found = {
        b64decode(item["key"]).decode(): Stored(b64decode(item.get("value", "")), int(item["mod_revision"]))
        for item in _ask(plane, "range", question).get("kvs", ())
    }
    return {key: item for key, item in found.items() if not key.startswith(_OF_SERVERS)}


def values(plane: ControlPlane, keys: list[str]) -> dict[str, bytes]:
    """Return what is stored under keys."""
    reads = [{"requestRange": {"key": _encoded(key)}} for key in keys]
    answers = _ask(plane, "txn", {"success": reads}).get("responses", ())
    found = [item for answer in answers for item in answer["response_range"].get("kvs", ())]
    return {b64decode(item["key"]).decode(): b64decode(item.get("value", "")) for item in found}


def write(plane: ControlPlane, values: Mapping[str, bytes | None]) -> int:
    """Store values, or nothing for ``None``, in one transaction, and return its revision."""
    writes = [
        {"requestDeleteRange": {"key": _encoded(key)}}
        if value is None
        else {"requestPut": {"key": _encoded(key), "value": b64encode(value).decode()}}
        for key, value in values.items()
    ]
    return int(_ask(plane, "txn", {"success": writes})["header"]["revision"])


def rewrite_definition(plane: ControlPlane, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a CustomResourceDefinition as it is stored, behind the back of the API server, which must not run.

    Raises ``ControlPlaneError`` where there is none.
    """
    key = f"{DEFINITIONS}{name}"
    found = values(plane, [key])
    if not found:
        raise ControlPlaneError(f"etcd has no CustomResourceDefinition {name}")
    body = json.loads(found[key])
    change(body)
    write(plane, {key: json.dumps(body).encode()})


def forget(definition: dict[str, Any]) -> None:
    """Leave a definition as an API server does that is killed once it has accepted the names."""
    for condition in definition["status"]["conditions"]:
        if condition["type"] == "Established":
            condition.update(status="False", reason="Installing", message="the initial names have been accepted")


def _encoded(key: str) -> str:
    return b64encode(key.encode()).decode()


@cache
def _pool(folder: Path) -> urllib3.PoolManager:
    """Return the connections to the etcd of the control plane in a folder."""
    return urllib3.PoolManager(ca_certs=str(folder / "ca.crt"), retries=False)


def _ask(plane: ControlPlane, what: str, question: Mapping[str, Any]) -> dict[str, Any]:
    answer = _pool(plane.folder).request("POST", f"{plane.etcd}/v3/kv/{what}", json=question)
    if answer.status != 200:
        raise ControlPlaneError(f"etcd answers {answer.status}: {answer.data.decode(errors='replace')}")
    found: dict[str, Any] = answer.json()
    return found
