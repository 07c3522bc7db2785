# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of capability_usage_info as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .words import table

_KINDS = ("yours", "openshift", "own", "lists_everything")
_STATES = {True: "enabled", False: "disabled", None: "not known"}


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The numbers of requests for each capability, and the ``clients`` of some kinds, by default ``yours``."""
    return list(_lines(result, options)) if "rows" in result else []


def _lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    kinds = [kind.strip() for kind in options.get("clients") or ("yours",)]
    counts = [
        (item["capability"], _STATES[item["enabled"]], *(item["requests"][kind] for kind in _KINDS), item["unnamed"])
        for item in sorted(result["capabilities"], key=_name)
    ]
    yield from table([("capability", "state", *_KINDS, "unnamed"), *counts])
    yield ""
    rows = [row for row in result["rows"] if row["client"] in kinds]
    if not rows:
        named = " that is named" if any(item["unnamed"] for item in result["capabilities"]) else ""
        yield f"No client{named} of the kind {' or '.join(kinds)} sent a request in the last 24 hours"
        return
    clients = [(row["capability"], row["client"], row["requests"], _described(row)) for row in sorted(rows, key=_name)]
    yield from table([("capability", "client", "requests", "API, verbs, user and user agent"), *clients])


def _described(row: Mapping[str, Any]) -> str:
    verbs = ", ".join(f"{verb} {count}" for verb, count in sorted(row["verbs"].items()))
    return f"{row['api']} ({verbs}) {row['username']}, {row['user_agent']}"


def _name(item: Mapping[str, Any]) -> str:
    return str(item["capability"]).lower()
