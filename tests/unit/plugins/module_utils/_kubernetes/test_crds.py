# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for definitions, as far as it needs no watch. tests/cluster/test_established.py waits for real ones."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import (
    TOUCHED,
    wait_until_established,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import CUSTOM_RESOURCE_DEFINITIONS, Target
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer

TARGET = Target(CUSTOM_RESOURCE_DEFINITIONS, "things.test.io")


def condition(type_: str, status: str) -> dict[str, str]:
    return {"type": type_, "status": status, "reason": "Why", "message": "so"}


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ([condition("Established", "True")], ""),
        ([condition("NamesAccepted", "False")], "its names are not accepted (so)"),
        (
            [condition("NamesAccepted", "True"), condition("Established", "False")],
            "is not established in time: Why (so)",
        ),
        (None, "is not established in time: the API server has not processed it"),
    ],
)
def test_without_time_the_definition_is_read_once(conditions: Any, reason: str) -> None:
    server = ApiServer()
    metadata = {"uid": "1", "name": TARGET.name}
    server.objects[TARGET.path] = {"metadata": metadata, "status": {"conditions": conditions}}

    crd, found = wait_until_established(server.client(), TARGET, metadata, 0)

    assert (crd["status"]["conditions"], found) == (conditions, reason)
    assert server.requests == [f"GET {TARGET.path}"]


def test_the_trace_of_a_killed_run_is_removed() -> None:
    server = ApiServer()
    versions = [{"name": "v1", "served": True}]
    spec = {
        "group": "test.io",
        "scope": "Cluster",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": versions,
    }
    obj = server.put(CUSTOM_RESOURCE_DEFINITIONS, TARGET.name, metadata={"annotations": {TOUCHED: "1"}}, spec=spec)

    _crd, reason = wait_until_established(server.client(), TARGET, obj["metadata"], 0)

    assert reason == ""
    assert server.objects[TARGET.path]["metadata"]["annotations"] == {}
