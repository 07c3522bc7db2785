# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Normalizes a body that the API server's schema rejects although the CVO could apply it.

The CVO decodes manifests into typed objects, which drops unknown fields, and OpenShift's own API servers set fields
that a bare CustomResourceDefinition requires. Server-side apply does neither.
Source: openshift/cluster-version-operator:lib/resourceread, lib/resourceapply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .._data.kinds import TYPED_KINDS, ZERO_VALUES
from .._kubernetes.api_errors import ApiError, MistypedField, StatusCause
from .._problems import Problem, type_name
from .._release.manifest import Manifest
from .._resources import nested
from .desired_object import mark_normalized

_TYPES = {"boolean": "a boolean", "list": "a list", "map": "a map", "string": "a string"}
_STEP = re.compile(r'\.((?:[^.\[\]"])+)|\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\]')
_KEY = re.compile(r'([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)')


class Normalized(NamedTuple):
    """The body to apply instead of a rejected one. ``first``, if set, is a body to apply before it."""

    body: Mapping[str, Any]
    problem: Problem
    first: Mapping[str, Any] | None = None


def normalized_for(
    error: ApiError,
    manifest: Manifest,
    body: Mapping[str, Any],
    read_schema: Callable[[], object],
    read_live: Callable[[], Mapping[str, Any] | None],
) -> Normalized | None:
    """Normalize ``body``, which the server rejected with ``error``; ``None`` if that is not possible.

    ``read_schema`` reads the openAPIV3Schema of the kind, and ``read_live`` the object on the cluster.
    """
    if error.undeclared_fields:
        return _without_undeclared(error, manifest, body)
    if not error.is_invalid or not error.causes:
        return None
    where = manifest.location
    is_typed = manifest.resource_id.group_kind in TYPED_KINDS
    filled_body, filled = fill_required_fields(body, error.causes, read_schema(), is_typed=is_typed)
    if filled:
        values = "; ".join(f"{field} is set to {json.dumps(value)}" for field, value in filled)
        return Normalized(
            filled_body, Problem("info", "required-field", where, f"{values}, because the API requires the field")
        )
    # The CVO replaces a conflicting default of the API server. Server-side apply keeps it, because no manager owns it.
    # So the rollout takes ownership first, and the next apply without the field removes it.
    live = read_live() if any(cause.is_forbidden for cause in error.causes) else None
    first, adopted = adopt_conflicting_defaults(body, error.causes, live) if live is not None else ({}, ())
    if adopted:
        message = f"{', '.join(adopted)} of the live object conflicts with the manifest, so it is removed"
        problem = Problem("info", "conflicting-default", where, message)
        return Normalized(body, problem, mark_normalized(first, hashed=False))
    return None


def wrong_types(fields: Iterable[MistypedField], body: object) -> tuple[str, ...]:
    """Describe fields of a wrong type, such as ``.data.x is a number, expected a string``. Values are not in it."""
    return tuple(
        f"{path} is {type_name(_value(body, _STEP.findall(path)))}, expected {_TYPES.get(expected, expected)}"
        for path, expected in fields
    )


def without_field(body: Any, path: str) -> Any:
    """Copy ``body`` without the field at ``path``; everything else is shared. ``body`` itself if there is none."""
    steps = _STEP.findall(path)
    return _without(body, steps) if steps else body


def fill_required_fields(
    body: Mapping[str, Any], causes: Iterable[StatusCause], schema: object, *, is_typed: bool
) -> tuple[dict[str, Any], tuple[tuple[str, Any], ...]]:
    """Copy ``body`` with the missing fields that ``schema`` requires; also return their paths and values.

    A nullable field becomes null. ``is_typed``: the CVO decodes the kind into a Go type, so other scalars get their
    zero value. ``schema`` is the openAPIV3Schema of the kind's CustomResourceDefinition.
    """
    filled_body = dict(body)
    filled = []
    for cause in causes:
        steps = cause.field.lstrip(".").split(".")
        parent, property_of = filled_body, schema
        for step in steps[:-1]:
            inner, property_of = parent.get(step), nested(property_of, "properties", step)
            if not isinstance(inner, Mapping):
                break
            parent[step] = parent = dict(inner)
        else:
            required = nested(property_of, "properties", steps[-1])
            is_nullable, type_ = nested(required, "nullable") is True, nested(required, "type")
            is_scalar = is_typed and type_ in ZERO_VALUES
            if cause.is_required and (is_nullable or is_scalar) and steps[-1] not in parent:
                parent[steps[-1]] = None if is_nullable else ZERO_VALUES[type_]
                filled.append((cause.field, parent[steps[-1]]))
    return filled_body, tuple(filled)


def adopt_conflicting_defaults(
    body: Mapping[str, Any], causes: Iterable[StatusCause], live: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Copy ``body`` with the parents of forbidden fields as in ``live``; also return the paths of these fields.

    ``causes`` name the forbidden fields, which ``body`` does not have. Applying the copy takes ownership of them, so
    applying ``body`` afterwards removes them.
    """
    adopted_body = dict(body)
    adopted = []
    for cause in causes:
        *parents, last = cause.field.lstrip(".").split(".")
        theirs, ours = nested(live, *parents), nested(body, *parents)
        if not cause.is_forbidden or not parents or not isinstance(theirs, Mapping) or last not in theirs:
            continue
        if isinstance(ours, Mapping) and last in ours:
            continue
        outer = adopted_body
        for step in parents[:-1]:
            inner = outer.get(step)
            outer[step] = outer = dict(inner) if isinstance(inner, Mapping) else {}
        outer[parents[-1]] = theirs
        adopted.append(cause.field)
    return adopted_body, tuple(adopted)


def _without_undeclared(error: ApiError, manifest: Manifest, body: Mapping[str, Any]) -> Normalized | None:
    fields = error.undeclared_fields
    rest = body
    for field in fields:
        rest = without_field(rest, field)
    if rest == body:
        return None
    message = f"the API does not declare {', '.join(fields)} of {manifest.resource_id.kind}, so the rollout drops it"
    problem = Problem("warning", "undeclared-field", manifest.location, message)
    return Normalized(mark_normalized(rest), problem)


def _without(value: Any, steps: list[tuple[str, str]]) -> Any:
    (name, selector), rest = steps[0], steps[1:]
    if name and isinstance(value, Mapping) and name in value:
        if not rest:
            return {field: item for field, item in value.items() if field != name}
        return {**value, name: _without(value[name], rest)}
    if selector and isinstance(value, list):
        chosen = _selected(value, selector)
        items = []
        for index, item in enumerate(value):
            if index not in chosen:
                items.append(item)
            elif rest:
                items.append(_without(item, rest))
        return items
    return value


def _value(value: Any, steps: list[tuple[str, str]]) -> Any:
    for name, selector in steps:
        if name:
            value = value.get(name) if isinstance(value, Mapping) else None
        elif isinstance(value, list):
            chosen = _selected(value, selector)
            value = next((item for index, item in enumerate(value) if index in chosen), None)
    return value


def _selected(items: list[Any], selector: str) -> set[int]:
    """The indexes of the items that ``selector`` selects: an index, or the item with these keys."""
    if selector.isdigit():
        return {int(selector)}
    keys = _KEY.findall(selector)
    matches: dict[int, int] = {}
    for index, item in enumerate(items):
        pairs = [(item[name], text) for name, text in keys if isinstance(item, Mapping) and name in item]
        if pairs and all(json.dumps(value, ensure_ascii=False) == text for value, text in pairs):
            matches[index] = len(pairs)
    # The server also names keys that it sets itself, such as the protocol of a port.
    return {index for index, count in matches.items() if count == max(matches.values())}
