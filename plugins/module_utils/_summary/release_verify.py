# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of release_verify as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .words import first_lines, listed, problem_line, resource_text, table

_KINDS = ("missing", "unexpected", "different", "unready")
_MOST = 50


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """How many resources differ, the first ones of each kind of difference, and what could not be compared."""
    return list(_lines(result)) if "missing" in result else []


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    enabled = listed(result["capability_status"]["enabled_capabilities"])
    yield f"{result['verified']} resources checked, enabled capabilities: {enabled}"
    yield ""
    yield from table([(kind, len(result[kind])) for kind in _KINDS])
    for kind in _KINDS:
        if result[kind]:
            yield ""
            yield f"{kind}:"
        lines = (f"- {resource_text(item)}: {_difference(kind, item)}" for item in result[kind])
        yield from first_lines(lines, _MOST, "- ")
    yield from (problem_line(item) for item in result["problems"] if item["severity"] == "error")


def _difference(kind: str, item: Mapping[str, Any]) -> str:
    if kind == "missing":
        return str(item["reason"])
    if kind == "unexpected":
        return "; ".join(reason["message"] for reason in item["reasons"])
    if kind == "unready":
        return str(item["message"])
    fields = [
        f"{field['field']} is {_value(field['actual'])}, expected {_value(field['expected'])}"
        for field in item["fields"]
    ]
    more = f" and {item['more_fields']} more" if item["more_fields"] else ""
    return f"{'; '.join(fields)}{more}"


def _value(value: Any) -> str:
    """``value`` as JSON. A text with quotes stays as it is: it can be the beginning of a long list as JSON."""
    return value if isinstance(value, str) and '"' in value else json.dumps(value, ensure_ascii=False)
