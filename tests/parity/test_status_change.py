# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The collection would write the same status as the CVOs of real clusters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
    check_options,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import (
    find_capability_condition,
    next_status,
    status_inputs,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.tests.parity.support import cluster_versions


def only(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object itself, of a List too."""
    found = value["items"][0] if value["kind"] == "List" else value
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    "value", cluster_versions(), ids=lambda value: str(only(value)["status"]["desired"]["version"])
)
def test_capabilities_and_condition_of_real_clusters_stay_the_same(value: dict[str, Any]) -> None:
    obj = only(value)
    reported = obj["status"]
    version = reported["desired"]["version"]
    release = release_of_version(minor_of(version))._replace(version=version)
    criteria = check_options(ClusterOptions(), release.minor, Problems())
    inputs, _resolved = status_inputs(criteria, release, "", Problems())
    problems = Problems()

    change = next_status(obj, inputs, datetime(2026, 1, 1, tzinfo=UTC), problems)

    assert problems == []
    assert change.after["capabilities"] == reported["capabilities"]
    assert [item["type"] for item in change.after["conditions"]] == [item["type"] for item in reported["conditions"]]
    condition = find_capability_condition(change.after)
    assert condition is not None
    (expected,) = [item for item in reported["conditions"] if item["type"] == condition["type"]]
    assert {**condition, "lastTransitionTime": ""} == {**expected, "lastTransitionTime": ""}
