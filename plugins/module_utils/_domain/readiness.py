# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Whether an object on a cluster is ready, and what it says if it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .body import conditions_of, maps, walk


class Readiness(NamedTuple):
    """``ready``, or ``waiting`` for something that ``message`` names.

    ``degraded`` is what it complains about, empty where it does not.
    """

    state: Literal["ready", "waiting"]
    message: str = ""
    degraded: str = ""


def cluster_operator_readiness(found: Mapping[str, Any] | None, versions: Mapping[str, str]) -> Readiness:
    """Return whether a ClusterOperator is Available at ``versions`` (name -> version, as its manifest lists them).

    ``found`` is ``None`` where the cluster does not have it. What is not told counts as not being so.
    Source: openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go checkOperatorHealth, but for
    Degraded, which is told and does not hold anything up.
    """
    if found is None:
        return Readiness("waiting", "does not exist yet")
    conditions = conditions_of(found)
    degraded = conditions.get("Degraded", {})
    complaint = (_said(degraded) or "Degraded") if degraded.get("status") == "True" else ""
    available = conditions.get("Available")
    if available is None:
        return Readiness("waiting", "does not say yet whether it is available", complaint)
    if available.get("status") != "True":
        return Readiness("waiting", _joined("is not available", _said(available), complaint), complaint)
    told = {item.get("name"): item.get("version") for item in maps(walk(found, "status", "versions"))}
    behind = [
        f"{name} is at {told.get(name) or 'no version'} and not at {version}"
        for name, version in sorted(versions.items())
        if told.get(name) != version
    ]
    if behind:
        progress = conditions.get("Progressing", {})
        says = _said(progress) if progress.get("status") == "True" else ""
        return Readiness("waiting", _joined(", ".join(behind), says, complaint), complaint)
    return Readiness("ready", "", complaint)


def _said(condition: Mapping[str, Any]) -> str:
    parts = [str(condition[field]) for field in ("reason", "message") if condition.get(field)]
    return ": ".join(parts)


def _joined(*parts: str) -> str:
    return "; ".join(dict.fromkeys(part for part in parts if part))
