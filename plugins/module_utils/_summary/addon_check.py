# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of addon_check as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import plural

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
    rows = addons[:_MOST]
    names = [row["path"] or "." for row in rows]
    width = max([6, *map(len, names)])
    yield f"{'ADD-ON':<{width}}  INSTALLER  ERROR  REVIEW  FINE  NEEDS"
    for path, row in zip(names, rows, strict=True):
        name = f"{row['name']}: " if row["name"] else ""
        numbers = f"{row['error']:>5}  {row['review']:>6}  {row['fine']:>4}"
        needs = ", ".join(row["needs"]) or "nothing"
        yield f"{path:<{width}}  {row['installer']:<9}  {numbers}  {name}{needs}"
    if len(addons) > _MOST:
        yield f"and {len(addons) - _MOST} more"
    for repair in result["repairs"]:
        objects, manifests = plural(repair["objects"], "object"), plural(repair["manifests"], "manifest")
        yield ""
        yield f"{' and '.join(repair['capabilities'])} would repair {objects}, and permanently add {manifests}."
