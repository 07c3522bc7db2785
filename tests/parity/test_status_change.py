# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What real CVOs wrote into the status of real clusters is what the collection would write."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import (
    find_capability_condition,
    next_status,
    status_inputs,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._version import minor_of
from ansible_collections.capability.openshift.tests.parity.support import cluster_versions


def only(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object itself, of a List too."""
    found = value["items"][0] if value["kind"] == "List" else value
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    "value", cluster_versions(), ids=lambda value: str(only(value)["status"]["desired"]["version"])
)
def test_capabilities_and_condition_of_real_clusters_stay_as_they_are(value: dict[str, Any]) -> None:
    found = only(value)
    told = found["status"]
    version = told["desired"]["version"]
    release = release_of_version(minor_of(version))._replace(version=version)
    facts, _problems = status_inputs(ClusterOptions(), release, "")

    change, problems = next_status(found, facts, "2026-01-01T00:00:00Z")

    assert problems == ()
    assert change is not None
    assert change.after["capabilities"] == told["capabilities"]
    assert [item["type"] for item in change.after["conditions"]] == [item["type"] for item in told["conditions"]]
    condition = find_capability_condition(change.after)
    assert condition is not None
    (there,) = [item for item in told["conditions"] if item["type"] == condition["type"]]
    assert {**condition, "lastTransitionTime": ""} == {**there, "lastTransitionTime": ""}
