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

from .body import maps, walk
from .errors import Cause

_UNDECLARED = re.compile(r"(?:^|\s)(\.\S.*?): field not declared in schema")
_REQUIRED = "FieldValueRequired"
_STEP = re.compile(r'\.((?:[^.\[\]"])+)|\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\]')
_KEY = re.compile(r'([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)')


def undeclared_fields(said: str) -> tuple[str, ...]:
    """Return the paths of fields that a server says to be in no schema, such as ``.spec.containers[name="a"].x``.

    Source: kubernetes-sigs/structured-merge-diff:typed/validate.go, fieldpath/path.go String.
    """
    return tuple(dict.fromkeys(_UNDECLARED.findall(said)))


def without_field(body: Any, path: str) -> Any:
    """Return ``body`` without the field at ``path``, the rest of it shared; as it is where the path leads nowhere."""
    steps = _STEP.findall(path)
    return _without(body, steps) if steps else body


def with_required_nulls(
    body: Mapping[str, Any], causes: Iterable[Cause], schema: object
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
            inner, property_of = parent.get(step), walk(property_of, "properties", step)
            if not isinstance(inner, Mapping):
                break
            parent[step] = parent = dict(inner)
        else:
            nullable = walk(property_of, "properties", steps[-1], "nullable") is True
            if cause.reason == _REQUIRED and nullable and steps[-1] not in parent:
                parent[steps[-1]] = None
                filled.append(cause.field)
    return mended, tuple(filled)


def schema_of(crd: object, version: str) -> Any:
    """Return the schema that a CustomResourceDefinition has for ``version``; ``None`` where it has none."""
    for item in maps(walk(crd, "spec", "versions")):
        if item.get("name") == version:
            return walk(item, "schema", "openAPIV3Schema")
    return None


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
