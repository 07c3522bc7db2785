# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of a fleet: who differs from the group, and who has which capability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._fleet.table import FleetRow, fleet_dict

KNOWN = ("Console", "Ingress", "Insights")


def row(name: str, group: str, *enabled: str, known: Sequence[str] = KNOWN) -> FleetRow:
    capabilities: dict[str, Any] = {
        "openshift_version": "4.20.3",
        "requested_capabilities": ["Ingress"],
        "enabled_capabilities": list(enabled),
        "known_capabilities": list(known),
        "pending_capabilities": [],
        "implicitly_enabled_capabilities": [],
    }
    return FleetRow(name, group, capabilities)


FLEET = (
    row("berlin", "edge", "Ingress"),
    row("paris", "edge", "Ingress"),
    row("rome", "edge", "Console", "Ingress"),
    row("oslo", "core", "Console", "Ingress", "Insights"),
    row("lima", "core", "Console", "Ingress", known=("Console", "Ingress")),
)


def differences(*rows: FleetRow) -> dict[str, tuple[list[str], list[str]]]:
    """The missing and the additional capabilities of each cluster that differs from its group."""
    return {
        item["name"]: (item["missing"], item["additional"]) for item in fleet_dict(rows)["clusters"] if item["differs"]
    }


def test_a_cluster_differs_from_most_clusters_of_its_group():
    assert differences(*FLEET) == {"rome": ([], ["Console"])}
    assert differences(*FLEET[2:], row("nice", "edge", "Ingress", "Console"), row("bonn", "edge")) == {
        "bonn": (["Console", "Ingress"], [])
    }


def test_a_capability_of_half_of_the_clusters_is_not_common():
    assert differences(row("a", "", "Console"), row("b", "")) == {"a": ([], ["Console"])}


def test_groups_are_in_the_order_of_their_first_clusters():
    assert fleet_dict(FLEET)["groups"] == [
        {"name": "edge", "clusters": ["berlin", "paris", "rome"], "common": ["Ingress"]},
        {"name": "core", "clusters": ["oslo", "lima"], "common": ["Console", "Ingress", "Insights"]},
    ]


def test_the_clusters_of_each_capability():
    console, _ingress, insights = fleet_dict(FLEET)["capabilities"]
    assert console == {
        "name": "Console",
        "enabled": ["rome", "oslo", "lima"],
        "disabled": ["berlin", "paris"],
        "unknown": [],
    }
    assert insights["unknown"] == ["lima"]


def test_a_cluster_that_was_not_read_has_only_its_errors():
    unread = FleetRow("lost", "edge", None, ("does not answer",))
    result = fleet_dict([*FLEET, unread])
    assert result["clusters"][-1] == {
        "name": "lost",
        "group": "edge",
        "reachable": False,
        "errors": ["does not answer"],
    }
    assert result["groups"][0]["clusters"] == ["berlin", "paris", "rome", "lost"]
    assert all(
        "lost" not in item[state] for item in result["capabilities"] for state in ("enabled", "disabled", "unknown")
    )
