# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The manifests of an operator as Markdown, below the findings: what changed, what a release has, and all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_COLUMNS = ("file", "resource", "owner", "capability", "profiles", "feature_set", "feature_gate")


def appendix(rows: Mapping[str, Any], *, has_release: bool) -> str:
    """Render ``rows`` of a checkout. ``has_release``: whether it was compared with one."""
    return "\n".join([*_lines(rows, has_release=has_release), ""])


def _lines(rows: Mapping[str, Any], *, has_release: bool) -> Iterator[str]:
    resources = rows["resources"]
    if rows["merge_base"]:
        yield from _section(f"Changes since {rows['merge_base']}", "changes", (*resources, *rows["removed"]))
    if has_release:
        yield from _section("Different in the release", "in_release", resources)
    yield from ("", "### Manifests", "", _row(_COLUMNS), _row(["---"] * len(_COLUMNS)))
    for item in resources:
        cells = {**item, "resource": _resource(item)}
        yield _row(str(cells[column]).replace("|", "\\|") for column in _COLUMNS)


def _section(title: str, key: str, items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    lines = [f"- `{item['file']}` {_resource(item)}: {'; '.join(item[key])}" for item in items if item[key]]
    yield from ("", f"### {title}", "", *(lines or ["None"]))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _resource(item: Mapping[str, Any]) -> str:
    return f"{item['kind']} {item['namespace'] + '/' if item['namespace'] else ''}{item['name']}"
