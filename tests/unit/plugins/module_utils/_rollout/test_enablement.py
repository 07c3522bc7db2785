# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The release that a cluster has: as recorded, as reported, and as set by the user."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import ClusterVersion
from ansible_collections.capability.openshift.plugins.module_utils._data.version import find_minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import ClusterState
from ansible_collections.capability.openshift.plugins.module_utils._rollout.enablement import (
    OutgoingRelease,
    outgoing_release,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory import Inventory
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory_store import StoredInventory

OLD, NEW = "4.21.0", "4.22.0"
GIVEN = OutgoingRelease(OLD, find_minor(OLD), ())


def state_of(version: str, recorded: str | None) -> ClusterState:
    inventory = Inventory(recorded, "self-managed-high-availability", frozenset(), "", {}) if recorded else None
    kinds: Any = None
    cluster = ClusterVersion(version, Selection(), None, ())
    return ClusterState(kinds, StoredInventory(inventory), {}, cluster, ())


@pytest.mark.parametrize(
    ("version", "recorded_version", "began", "expected"),
    [
        pytest.param(OLD, None, False, OLD, id="before the first rollout"),
        pytest.param(OLD, OLD, True, OLD, id="before an update"),
        pytest.param(NEW, NEW, True, NEW, id="the same play runs again"),
        pytest.param(NEW, OLD, True, OLD, id="an update was killed after its status"),
        pytest.param(NEW, None, True, OLD, id="a first update was killed before its inventory"),
        pytest.param(NEW, None, False, NEW, id="another client installed the new version"),
    ],
)
def test_previous_release_counts_unless_the_cluster_is_further(
    version: str, recorded_version: str | None, began: bool, expected: str
) -> None:
    outgoing = outgoing_release(state_of(version, recorded_version), GIVEN, NEW, began=began)
    assert outgoing.version == expected
    assert outgoing.minor == find_minor(expected)


@pytest.mark.parametrize("began", [False, True])
def test_another_release_than_that_of_the_cluster_is_an_error(began: bool) -> None:
    with pytest.raises(InvalidOptionError, match=r"is 4\.21\.0, but the cluster has 4\.20\.7") as error:
        outgoing_release(state_of("4.20.7", None), GIVEN, NEW, began=began)
    assert [item.code for item in error.value.problems] == ["different-version"]
