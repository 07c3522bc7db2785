# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status of real clusters is the one that the collection computes from their spec, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import capability_status
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import (
    capability_condition,
    parse_cluster_version,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    always_enabled_by_default,
    data_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problems
from ansible_collections.capability.openshift.tests.parity.support import cluster_versions, fact_release
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

PROFILE = "self-managed-high-availability"


def only(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object itself, of a List too."""
    found = value["items"][0] if value["kind"] == "List" else value
    assert isinstance(found, dict)
    return found


def version_of(value: dict[str, Any]) -> str:
    return str(only(value)["status"]["desired"]["version"])


objects = pytest.mark.parametrize("value", cluster_versions(), ids=version_of)


def test_the_data_is_all_there() -> None:
    assert sorted(map(version_of, cluster_versions())) == ["4.14.1", "4.14.1", "4.16.27", "4.19.0-okd-scos.16"]
    assert any(value["kind"] == "List" for value in cluster_versions())


@objects
def test_the_condition_is_the_cluster_s_own(value: dict[str, Any]) -> None:
    problems = Problems()
    cluster = parse_cluster_version(value, Location(field="cluster_version"), problems)
    assert cluster is not None
    assert cluster.status is not None
    assert not problems.has_errors
    minor = minor_of(cluster.version)
    data = data_of(minor)
    assert data is not None
    stay_enabled = cluster.status.enabled | set(always_enabled_by_default(minor, PROFILE))
    status = capability_status(cluster.selection, data, frozenset(), stay_enabled)

    reported = only(value)["status"]
    assert sorted(status.known) == reported["capabilities"]["knownCapabilities"]
    assert sorted(status.enabled) == reported["capabilities"]["enabledCapabilities"]
    (condition,) = reported["conditions"]
    assert capability_condition(status)._asdict() == condition


@objects
def test_a_plan_starts_from_what_the_cluster_has(value: dict[str, Any]) -> None:
    answer = reference.plan_of([fact_release("4.14"), fact_release("4.18")], cluster_version=value)
    (hop,) = answer.plan.hops

    assert sorted(hop.before.enabled) == only(value)["status"]["capabilities"]["enabledCapabilities"]
    assert hop.before.enabled <= hop.after.enabled
