# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulated pools report what the unit tests of the machine-config operator expect.

Source: openshift/machine-config-operator, commit 7ff337a4f.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.control_plane.pools import (
    REQUIRED,
    Node,
    pool_status,
    required_error,
    upgradeable,
)

BEFORE, BUSY, AFTER = Node("v0", "v0"), Node("v0", "v1"), Node("v1", "v1")
COUNTS = ("updatedMachineCount", "readyMachineCount", "unavailableMachineCount", "degradedMachineCount")
NOW = "2026-01-01T00:00:00Z"


def pool(*nodes: Node, name: str = "master", paused: bool = False) -> dict[str, Any]:
    labels = {REQUIRED: ""} if name == "master" else {}
    spec = {"configuration": {"name": "v1"}, "paused": paused}
    found: dict[str, Any] = {"metadata": {"name": name, "generation": 2, "labels": labels}, "spec": spec}
    return {**found, "status": pool_status(found, nodes, NOW)}


# pkg/controller/node/status_test.go TestCalculateStatus; each with three machines
@pytest.mark.parametrize(
    ("nodes", "paused", "counts", "states"),
    [
        ((BEFORE, BEFORE, BEFORE), False, (0, 0, 0, 0), ("False", "True", "False")),
        ((BUSY, BEFORE, BEFORE), False, (0, 0, 1, 0), ("False", "True", "False")),
        ((BUSY, BEFORE, BEFORE), True, (0, 0, 1, 0), ("False", "False", "False")),
        ((BUSY._replace(ready=False), BEFORE, BEFORE), False, (0, 0, 1, 0), ("False", "True", "False")),
        (
            (BUSY._replace(ready=False, failure="x"), BEFORE, BEFORE),
            False,
            (0, 0, 1, 1),
            ("False", "True", "True"),
        ),
        ((AFTER._replace(ready=False), BEFORE, BEFORE), False, (1, 0, 1, 0), ("False", "True", "False")),
        ((AFTER, BUSY, BUSY), False, (1, 1, 2, 0), ("False", "True", "False")),
        ((AFTER, AFTER, AFTER), False, (3, 3, 0, 0), ("True", "False", "False")),
    ],
)
def test_the_status_of_a_pool(
    nodes: tuple[Node, ...], paused: bool, counts: tuple[int, ...], states: tuple[str, ...]
) -> None:
    status = pool(*nodes, paused=paused)["status"]
    conditions = {item["type"]: item["status"] for item in status["conditions"]}

    assert (status["machineCount"], tuple(status[name] for name in COUNTS)) == (3, counts)
    assert tuple(conditions[kind] for kind in ("Updated", "Updating", "Degraded")) == states


def test_only_required_pools_and_degraded_ones_delay_their_operator() -> None:
    worker, failed = pool(BUSY, name="worker"), pool(Node("v0", "v1", failure="x"), name="worker")
    done, busy = pool(AFTER), pool(BUSY)

    assert required_error([done, worker]) == ""
    assert "not ready" in required_error([busy, worker])
    assert "is paused" in required_error([pool(BUSY, paused=True)])
    assert "worker is not ready" in required_error([done, failed])
    assert [upgradeable([done, item])["status"] for item in (worker, failed)] == ["True", "False"]
