# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""How a body is mended that the API server's schema refuses, where the CVO would have got it through.

The CVO decodes manifests into typed objects, so that unknown fields fall away, and OpenShift's own API servers fill in
what a bare CustomResourceDefinition requires. Server-side apply does neither.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._kubernetes.api_errors import MistypedField, StatusCause
from .._problems import type_name
from .._unstructured import nested

_TYPES = {"boolean": "a boolean", "list": "a list", "map": "a map", "string": "a string"}
_STEP = re.compile(r'\.((?:[^.\[\]"])+)|\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\]')
_KEY = re.compile(r'([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)')


def wrong_types(fields: Iterable[MistypedField], body: object) -> tuple[str, ...]:
    """Return what is of a wrong type in ``body``, such as ``.data.x is a number, expected a string``; no values."""
    return tuple(
        f"{path} is {type_name(_value(body, _STEP.findall(path)))}, expected {_TYPES.get(expected, expected)}"
        for path, expected in fields
    )


def without_field(body: Any, path: str) -> Any:
    """Return ``body`` without the field at ``path``, the rest of it shared; as it is where the path leads nowhere."""
    steps = _STEP.findall(path)
    return _without(body, steps) if steps else body


def fill_required_nulls(
    body: Mapping[str, Any], causes: Iterable[StatusCause], schema: object
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return ``body`` with null in the fields that are missing and may be null by ``schema``, and these fields.

    ``schema`` is the openAPIV3Schema of the kind's CustomResourceDefinition.
    """
    mended = dict(body)
    filled = []
    for cause in causes:
        steps = cause.field.lstrip(".").split(".")
        parent, property_of = mended, schema
        for step in steps[:-1]:
            inner, property_of = parent.get(step), nested(property_of, "properties", step)
            if not isinstance(inner, Mapping):
                break
            parent[step] = parent = dict(inner)
        else:
            nullable = nested(property_of, "properties", steps[-1], "nullable") is True
            if cause.is_required and nullable and steps[-1] not in parent:
                parent[steps[-1]] = None
                filled.append(cause.field)
    return mended, tuple(filled)


def adopt_conflicting_defaults(
    body: Mapping[str, Any], causes: Iterable[StatusCause], live: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return ``body`` with the parents of fields that it does not have and must not have as ``live`` has them.

    ``causes`` say which fields these are; returned with them are those that ``live`` has. Whoever applies that owns
    the fields, so that they go when the body itself is applied.
    """
    mended = dict(body)
    found = []
    for cause in causes:
        *parents, last = cause.field.lstrip(".").split(".")
        there, ours = nested(live, *parents), nested(body, *parents)
        if not cause.is_forbidden or not parents or not isinstance(there, Mapping) or last not in there:
            continue
        if isinstance(ours, Mapping) and last in ours:
            continue
        outer = mended
        for step in parents[:-1]:
            inner = outer.get(step)
            outer[step] = outer = dict(inner) if isinstance(inner, Mapping) else {}
        outer[parents[-1]] = there
        found.append(cause.field)
    return mended, tuple(found)


def _without(value: Any, steps: list[tuple[str, str]]) -> Any:
    (name, selector), rest = steps[0], steps[1:]
    if name and isinstance(value, Mapping) and name in value:
        if not rest:
            return {field: item for field, item in value.items() if field != name}
        return {**value, name: _without(value[name], rest)}
    if selector and isinstance(value, list):
        chosen = _selected(value, selector)
        kept = []
        for index, item in enumerate(value):
            if index not in chosen:
                kept.append(item)
            elif rest:
                kept.append(_without(item, rest))
        return kept
    return value


def _value(value: Any, steps: list[tuple[str, str]]) -> Any:
    """Return what is where ``steps`` lead; ``None`` where there is nothing."""
    for name, selector in steps:
        if name:
            value = value.get(name) if isinstance(value, Mapping) else None
        elif isinstance(value, list):
            chosen = _selected(value, selector)
            value = next((item for index, item in enumerate(value) if index in chosen), None)
    return value


def _selected(items: list[Any], selector: str) -> set[int]:
    """Return the indexes of the items that a selector means: an index, or the item with these keys."""
    if selector.isdigit():
        return {int(selector)}
    keys = _KEY.findall(selector)
    alike: dict[int, int] = {}
    for index, item in enumerate(items):
        there = [(item[name], text) for name, text in keys if isinstance(item, Mapping) and name in item]
        if there and all(json.dumps(found, ensure_ascii=False) == text for found, text in there):
            alike[index] = len(there)
    # The server also names keys that it fills in itself, such as the protocol of a port.
    return {index for index, count in alike.items() if count == max(alike.values())}
