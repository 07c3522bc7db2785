# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of addon_check as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import plural
from .words import first_lines, table

_MOST = 50


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """The findings, a table of the add-ons, and what would repair them."""
    return list(_lines(result)) if "addons" in result else []


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    yield from result["text"].splitlines()
    if result["every_selection"]:
        yield f"Checked for every selection of {result['version']}."
    else:
        yield f"Checked for {result['version']} with {', '.join(result['enabled_capabilities']) or 'no capability'}."
    yield ""
    addons = sorted(result["addons"], key=lambda row: not row["error"])
    rows: list[tuple[str | int, ...]] = [("ADD-ON", "INSTALLER", "ERROR", "REVIEW", "FINE", "NEEDS")]
    for row in addons:
        needs = f"{row['name']}: " if row["name"] else ""
        needs += ", ".join(row["needs"]) or "nothing"
        rows.append((row["path"] or ".", row["installer"], row["error"], row["review"], row["fine"], needs))
    yield from first_lines(table(rows), _MOST + 1) if addons else ["No object was checked."]
    for repair in result["repairs"]:
        objects, manifests = plural(repair["objects"], "object"), plural(repair["manifests"], "manifest")
        yield ""
        yield f"{' and '.join(repair['capabilities'])} would repair {objects}, and permanently add {manifests}."
