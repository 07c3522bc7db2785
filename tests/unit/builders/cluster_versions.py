# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""ClusterVersion objects as a CVO reports them before an update, written from short descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

HEALTHY = {"Available": True, "Failing": False, "Progressing": False, "ReleaseAccepted": True, "RetrievedUpdates": True}


def condition(name: str, status: bool | str, reason: str = "", message: str = "") -> dict[str, str]:
    """Return a condition."""
    return {"type": name, "status": str(status), "reason": reason, "message": message}


def risk(name: str, *, promql: str = "", **more: Any) -> dict[str, Any]:
    """Return a risk of a conditional update; without ``promql`` it applies to every cluster."""
    rule: dict[str, Any] = {"type": "PromQL", "promql": {"promql": promql}} if promql else {"type": "Always"}
    text = {"name": name, "message": f"{name} breaks clusters.", "url": f"https://example.com/{name}"}
    return {**text, "matchingRules": [rule], **more}


def conditional(version: str, recommended: bool | str, reason: str, *risks: Mapping[str, Any]) -> dict[str, Any]:
    """Return a conditional update, with what the CVO found."""
    conditions = [condition("Recommended", recommended, reason, f"about {version}")]
    return {"release": {"version": version}, "risks": list(risks), "conditions": conditions}


def reported(
    version: str,
    *conditions: Mapping[str, str],
    available: Sequence[str] = (),
    conditional_updates: Sequence[Mapping[str, Any]] = (),
    past: Sequence[str] = (),
    state: str = "Completed",
    status: Mapping[str, Any] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """Return the ClusterVersion of a healthy cluster that selects no capability, apart from ``conditions``.

    ``past``: versions before the current one, newest first. ``spec`` and ``status``: further fields.
    """
    shown = {name: condition(name, value) for name, value in HEALTHY.items()}
    shown.update((item["type"], dict(item)) for item in conditions)
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "spec": {"capabilities": {"baselineCapabilitySet": "None"}, "channel": "stable-4.18", **spec},
        "status": {
            "desired": {"version": version, "image": f"image:{version}"},
            "history": [
                {"state": "Completed" if place else state, "version": item, "image": f"image:{item}"}
                for place, item in enumerate([version, *past])
            ],
            "conditions": list(shown.values()),
            "availableUpdates": [{"version": item, "image": f"image:{item}"} for item in available],
            "conditionalUpdates": list(conditional_updates),
            "capabilities": {"enabledCapabilities": [], "knownCapabilities": []},
            **(status or {}),
        },
    }
