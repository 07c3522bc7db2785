# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is against an update besides the plan."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.preflight import (
    cvo_reasons,
    operator_reasons,
    pool_reasons,
)
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import operator
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition


@pytest.mark.parametrize(
    ("statuses", "codes"),
    [
        ({}, []),
        ({"Available": "False"}, ["unavailable-operator"]),
        ({"Available": "Unknown"}, ["unavailable-operator"]),
        ({"Degraded": "True"}, ["degraded-operator"]),
        ({"Degraded": "Unknown"}, ["degraded-operator"]),
        ({"Available": "False", "Degraded": "True"}, ["unavailable-operator", "degraded-operator"]),
        ({"Progressing": "True"}, []),
    ],
)
def test_operators_have_to_be_available_and_not_degraded(statuses, codes):
    reasons = list(operator_reasons({"console": {"status": operator(**statuses)}, "network": {"status": operator()}}))

    assert [(item.verdict, item.code, item.name) for item in reasons] == [
        ("risk", code, f"{code}/console") for code in codes
    ]
    assert all("console" in item.message and "about" in item.message for item in reasons)


def test_a_degraded_pool_is_no_pool_to_wait_for():
    conditions = [condition("Updated", "False"), condition("Degraded", "True", message="disk is full")]
    pool = {"spec": {"paused": True}, "status": {"conditions": conditions}}
    reasons = list(pool_reasons({"worker": {**pool, "spec": {}}}))

    assert [(item.code, item.name, item.verdict) for item in reasons] == [
        ("degraded-pool", "degraded-pool/worker", "risk")
    ]
    assert "disk is full" in reasons[0].message
    assert [item.code for item in pool_reasons({"worker": pool})] == ["paused-pool", "degraded-pool"]

    # The machine-config operator reports the new version only without a degraded pool, and with all required ones.
    required = {"labels": {"operator.machineconfiguration.openshift.io/required-for-upgrade": ""}}
    for metadata, expected in (({}, [False, True]), (required, [True, True])):
        found = pool_reasons({"worker": {**pool, "metadata": metadata}})
        assert ["does not complete" in item.message for item in found] == expected


def test_an_operator_that_reports_nothing_is_neither_available_nor_healthy():
    found = [(item.code, item.message.rpartition(": ")[2]) for item in operator_reasons({"console": {}})]
    assert found == [
        ("unavailable-operator", "it does not report Available"),
        ("degraded-operator", "it does not report Degraded"),
    ]


@pytest.mark.parametrize(
    ("spec", "updated", "codes"),
    [
        ({}, "True", []),
        ({"paused": False}, "True", []),
        ({"paused": True}, "True", ["paused-pool"]),
        ({"paused": True}, "False", ["paused-pool"]),
        ({}, "False", ["updating-pool"]),
    ],
)
def test_pools_have_to_be_done_and_not_paused(spec, updated, codes):
    status = {"conditions": [condition("Updated", updated)], "machineCount": 3, "updatedMachineCount": 1}
    reasons = list(pool_reasons({"worker": {"spec": spec, "status": status}}))

    assert [(item.verdict, item.code, item.name) for item in reasons] == [
        ("risk", code, f"{code}/worker") for code in codes
    ]
    assert ["1 of 3" in item.message for item in reasons] == [code == "updating-pool" for code in codes]


def test_without_a_cvo_nothing_updates():
    (reason,) = cvo_reasons("no operator runs")

    assert (reason.code, reason.message, reason.name) == ("no-running-cvo", "no operator runs", "no-running-cvo")
    assert list(cvo_reasons("")) == []
