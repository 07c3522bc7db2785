# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Normalizes a body that the API server's schema rejects although the CVO could apply it.

The CVO decodes manifests into typed objects, which drops unknown fields, and OpenShift's own API servers set fields
that a bare CustomResourceDefinition requires. Server-side apply does neither.
Source: openshift/cluster-version-operator:lib/resourceread, lib/resourceapply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._data.kinds import TYPED_KINDS, ZERO_VALUES
from .._kubernetes.api_errors import ApiError, MistypedField, StatusCause
from .._problems import Problem, type_name
from .._release.manifest import Manifest
from .._resources import mappings_in, nested
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


class UnownedItems(NamedTuple):
    """Items of lists that no manager owns. ``paths`` name the lists.

    ``adopted`` is the applied body with the items, and ``rest`` the live object without them.
    """

    paths: tuple[str, ...]
    adopted: dict[str, Any]
    rest: dict[str, Any]


def unowned_items(body: Mapping[str, Any], live: Mapping[str, Any], manager: str) -> UnownedItems | None:
    """Find the items of ``live`` that ``body`` lacks and no manager owns; ``None`` if there are none.

    ``live`` is the object after ``manager`` applied ``body``. A list that was atomic until its definition changed was
    owned as a whole. Server-side apply then keeps items that are no longer applied, because they never had an owner.
    """
    ours: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for entry in mappings_in(nested(live, "metadata", "managedFields")):
        is_ours = (entry.get("manager"), entry.get("operation"), entry.get("subresource")) == (manager, "Apply", None)
        (ours if is_ours else others).append(entry.get("fieldsV1") or {})
    if not ours:
        return None
    paths: list[str] = []
    # Items of metadata belong to their own controllers, for example finalizers.
    fields = {name: inner for name, inner in ours[0].items() if name != "f:metadata"}
    adopted, rest = _adopt(fields, others, body, live, "", paths)
    return UnownedItems(tuple(paths), mark_normalized(adopted, hashed=False), rest) if paths else None


def unowned_problem(manifest: Manifest, unowned: UnownedItems) -> Problem:
    """Build the problem that reports the items that the rollout removes."""
    paths = ", ".join(unowned.paths)
    message = f"has items in {paths} that the manifest lacks and no field manager owns, so they are removed"
    return Problem("info", "unowned-items", manifest.location, message)


def _adopt(
    ours: Mapping[str, Any], others: Sequence[Mapping[str, Any]], body: Any, live: Any, path: str, paths: list[str]
) -> tuple[Any, Any]:
    """Copy ``body`` with the unowned items of ``live``, and ``live`` without them. Adds their lists to ``paths``.

    ``ours`` and ``others`` are FieldsV1 at ``path`` (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
    """
    if isinstance(body, list) and isinstance(live, list):
        return _adopt_items(ours, others, body, live, path, paths)
    if not isinstance(body, Mapping) or not isinstance(live, Mapping):
        return body, live
    adopted, rest = dict(body), dict(live)
    for name, inner in ours.items():
        field = name.removeprefix("f:")
        if field != name and field in body and field in live:
            theirs = [fields[name] for fields in others if name in fields]
            adopted[field], rest[field] = _adopt(inner, theirs, body[field], live[field], f"{path}.{field}", paths)
    return adopted, rest


def _adopt_items(
    ours: Mapping[str, Any],
    others: Sequence[Mapping[str, Any]],
    body: list[Any],
    live: list[Any],
    path: str,
    paths: list[str],
) -> tuple[list[Any], list[Any]]:
    if not _item_keys(ours) or not all(map(_item_keys, others)):
        return body, live  # A manager owns the whole list.
    adopted, rest = list(body), []
    for item in live:
        name = next((name for name, key in _item_keys(ours).items() if _has_key(item, key)), None)
        if name is not None:
            index = next((at for at, own in enumerate(body) if _has_key(own, _item_keys(ours)[name])), None)
            if index is not None:
                theirs = [fields[name] for fields in others if name in fields]
                adopted[index], item = _adopt(ours[name], theirs, body[index], item, f"{path}[{name[2:]}]", paths)
        elif not any(_has_key(item, key) for fields in others for key in _item_keys(fields).values()):
            adopted.append(item)
            if path not in paths:
                paths.append(path)
            continue
        rest.append(item)
    return adopted, rest


def _item_keys(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The keys (``k:``) or values (``v:``) of the items of a list that ``fields`` own, none if the list is atomic."""
    return {name: json.loads(name[2:]) for name in fields if name.startswith(("k:", "v:"))}


def _has_key(item: Any, key: Any) -> bool:
    if isinstance(key, Mapping):
        return isinstance(item, Mapping) and all(item.get(name) == value for name, value in key.items())
    return bool(item == key)


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
