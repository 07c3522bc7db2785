# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters of a fleet whose ClusterVersion was saved, and mistakes in their entries. Others are in tests/cluster."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._fleet.read import FleetEntry, read_fleet
from ansible_collections.capability.openshift.plugins.module_utils._fleet.table import FleetRow
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._progress import silent

FIRST = "clusters[0]"
SPEC = {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}}


def cluster_version(version: str | None, known: list[str] | None, enabled: list[str]) -> dict[str, Any]:
    capabilities = {"enabledCapabilities": enabled, **({"knownCapabilities": known} if known else {})}
    status = {"desired": {"version": version}, "capabilities": capabilities}
    return {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "spec": SPEC, "status": status}


def read(*entries: dict[str, Any]) -> tuple[list[FleetRow], list[tuple[str, str, str]]]:
    def read_file(path: str) -> Any:
        if path != "good.yaml":
            raise CapabilityError([Problem("error", "unreadable-file", path, "cannot be read")])
        return cluster_version("4.20.3", ["Build", "Console"], ["Build"])

    problems = Problems()
    rows = read_fleet([FleetEntry.from_params(entry) for entry in entries], {}, read_file, silent, problems)
    return rows, [(item.severity, item.code, str(item.where)) for item in problems]


@pytest.mark.parametrize(
    ("saved", "known"),
    [
        ("good.yaml", ["Build", "Console"]),
        (cluster_version("4.20.3", ["Build", "New"], ["Build"]), ["Build", "New"]),
        (cluster_version("9.1.0", ["Build"], ["Build"]), ["Build"]),
        (cluster_version(None, ["Build"], ["Build"]), ["Build"]),
    ],
)
def test_a_saved_cluster_version_is_read(saved: object, known: list[str]) -> None:
    (row,), problems = read({"name": "a", "group": "g", "cluster_version": saved})

    assert (row.name, row.group, row.errors, problems) == ("a", "g", (), [])
    assert row.capabilities is not None
    found = {name: row.capabilities[f"{name}_capabilities"] for name in ("known", "enabled", "pending")}
    assert found == {"known": known, "enabled": ["Build"], "pending": ["Console"]}


def test_a_cluster_that_cannot_be_read_is_a_row_and_a_warning() -> None:
    rows, problems = read(
        {"name": "a", "cluster_version": "good.yaml"},
        {"name": "b", "cluster_version": "bad.yaml"},
        {"name": "c", "cluster_version": {"kind": "ConfigMap"}},
    )

    assert [(row.capabilities is not None, len(row.errors)) for row in rows] == [(True, 0), (False, 1), (False, 1)]
    assert [(severity, code) for severity, code, _where in problems] == [
        ("warning", "unreadable-file"),
        ("warning", "wrong-kind"),
    ]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], [("empty-list", "clusters")]),
        ([{"name": ""}], [("missing-field", f"{FIRST}.name"), ("missing-field", FIRST)]),
        ([{"name": "a", "api_key": "x"}], [("missing-field", FIRST)]),
        (
            [{"name": "a", "host": "x", "cluster_version": "y"}],
            [("conflicting-options", "clusters[0].cluster_version")],
        ),
        ([{"name": "a", "cluster_version": "good.yaml"}] * 2, [("duplicate-name", "clusters")]),
    ],
)
def test_a_mistake_in_an_entry_is_an_error_and_nothing_is_read(entries: Any, expected: Any) -> None:
    assert read(*entries) == ([], [("error", *fault) for fault in expected])
