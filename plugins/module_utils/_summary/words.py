# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers and lists in text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._problems import Problem, shown_names


def listed(names: Iterable[str]) -> str:
    """``names``, or that there are none."""
    return ", ".join(names) or "none"


def first_of(names: Sequence[str], most: int) -> str:
    """The first ``names`` and the number of the others, or that there are none."""
    return shown_names(names, most) or "none"


def sorted_names(names: Iterable[str]) -> list[str]:
    """``names`` in the order of the alphabet, whatever their case is."""
    return sorted(names, key=str.lower)


def table(rows: Iterable[Sequence[str | int]]) -> Iterator[str]:
    """Align ``rows`` in columns, numbers to the right."""
    cells = list(rows)
    widths = [max(len(str(cell)) for cell in column) for column in zip(*cells, strict=True)]
    right = [any(isinstance(cell, int) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        parts = zip(map(str, row), widths, right, strict=True)
        yield "  ".join(text.rjust(width) if number else text.ljust(width) for text, width, number in parts).rstrip()


def first_lines(lines: Iterable[str], most: int, indent: str = "") -> Iterator[str]:
    """The first ``lines``, and the number of the others."""
    shown = list(lines)
    yield from shown[:most]
    if len(shown) > most:
        yield f"{indent}and {len(shown) - most} more"


def resource_text(item: Mapping[str, Any]) -> str:
    """Kind, namespace and name of a manifest."""
    namespace = f"{item['namespace']}/" if item["namespace"] else ""
    return f"{item['kind']} {namespace}{item['name']}"


def decision_lines(found: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the decision on each of the manifests ``found``, with the reasons for an exclusion below it."""
    ordered = sorted(found, key=lambda item: str(item["file"]))
    rows = [
        (
            "included" if item["included"] else "excluded",
            " + ".join(item["capabilities"]) or "(no capability)",
            f"{resource_text(item)} ({item['file']})",
        )
        for item in ordered
    ]
    for item, line in zip(ordered, table(rows), strict=True):
        yield line
        if item["reasons"]:
            yield f"          {'; '.join(reason['message'] for reason in item['reasons'])}"


def image_lines(images: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names in image-references and the pull specs of ``images``."""
    yield from (f"{item['name']}  {item['pull_spec']}" if item["name"] else item["pull_spec"] for item in images)


def problem_line(item: Mapping[str, Any]) -> str:
    """A problem with its severity and hint."""
    return f"{item['severity']}: {problem_text(item)}"


def problem_text(item: Mapping[str, Any]) -> str:
    """A problem with its location and hint."""
    return str(Problem(**item))
