# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Normalized bodies lose only undeclared fields, and get only required ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import (
    ApiError,
    MistypedField,
    StatusCause,
)
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.schema import schema_of
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.desired_object import LAST_APPLIED_HASH
from ansible_collections.capability.openshift.plugins.module_utils._rollout.normalize import (
    adopt_conflicting_defaults,
    fill_required_fields,
    normalized_for,
    without_field,
    wrong_types,
)

NAMES = st.text("abcXYZ-", min_size=1, max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
BODIES = st.dictionaries(NAMES, VALUES, max_size=4)


# Fields that the schema does not declare


PORTS = [{"port": 80}, {"port": 80, "protocol": "UDP"}, {"port": 81, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("path", "items", "changed"),
    [
        ('[name="a"]', [{"name": "a"}, {"name": "b"}], [0]),
        ('[name="a.b"]', [{"name": "a"}, {"name": "a.b"}], [1]),
        ('[name="a]b"]', [{"name": "a]b"}, {"name": "a"}], [0]),
        ('[name="a,b=c"]', [{"name": "a,b=c"}, {"name": "a"}], [0]),
        ('[name="a\\"b"]', [{"name": 'a"b'}, {"name": "a"}], [0]),
        ('[port=80,protocol="TCP"]', PORTS, [0]),
        ('[port=80,protocol="UDP"]', PORTS, [1]),
        ('[port=81,protocol="TCP"]', PORTS, [2]),
        ("[port=82]", PORTS, []),
        ("[on=true]", [{"on": True}, {"on": "true"}, {"on": 1}], [0]),
        ("[1]", [{}, {}], [1]),
        ("[5]", [{}], []),
    ],
)
def test_item_of_a_list_is_selected_by_its_keys(path: str, items: list[dict[str, Any]], changed: list[int]) -> None:
    body = {"items": [{**item, "odd": 1} for item in items]}
    rest = without_field(body, f".items{path}.odd")["items"]
    assert [index for index, item in enumerate(rest) if "odd" not in item] == changed
    assert [{field: value for field, value in item.items() if field != "odd"} for item in rest] == items


@given(BODIES, NAMES, VALUES)
def test_field_that_was_added_is_removed_and_nothing_else(body: dict[str, Any], name: str, value: Any) -> None:
    rest = {field: item for field, item in body.items() if field != name}
    before = json.dumps(body)
    assert without_field({**rest, name: value}, f".{name}") == rest
    assert json.dumps(body) == before


@given(BODIES, st.lists(NAMES, min_size=1, max_size=3), VALUES)
def test_nested_field_is_removed(body: dict[str, Any], path: list[str], value: Any) -> None:
    inner: Any = {**body, "odd": value}
    expected: Any = {field: item for field, item in body.items() if field != "odd"}
    for name in reversed(path):
        inner, expected = [{"name": "z"}, {"name": "it", name: inner}], [{"name": "z"}, {"name": "it", name: expected}]
        inner, expected = {"list": inner}, {"list": expected}
    way = "".join(f'.list[name="it"].{name}' for name in path)
    if "name" not in path:
        assert without_field(inner, f"{way}.odd") == expected


@given(BODIES, st.text(max_size=12))
def test_path_of_no_field_changes_nothing(body: dict[str, Any], path: str) -> None:
    assert without_field({"only": body}, f".nowhere{path}") == {"only": body}


# Fields that the schema requires

TEXT = {"type": "string", "nullable": True}
SCHEMA = {
    "properties": {
        "flat": TEXT,
        "strict": {"type": "string"},
        "spec": {"properties": {"deep": TEXT, "list": {"items": {"properties": {"deep": TEXT}}}}},
    }
}


def required(*fields: str) -> list[StatusCause]:
    return [StatusCause("FieldValueRequired", field, "Required value") for field in fields]


def test_required_nullable_fields_become_null() -> None:
    body = {"spec": {"a": 1}}
    normalized, filled = fill_required_fields(body, required("flat", "spec.deep"), SCHEMA, is_typed=False)
    assert normalized == {"spec": {"a": 1, "deep": None}, "flat": None}
    assert filled == (("flat", None), ("spec.deep", None))
    assert body == {"spec": {"a": 1}}


@pytest.mark.parametrize("field", ["strict", "unknown", "spec.unknown", "gone.deep", "spec.list[0].deep", ""])
def test_field_that_is_not_nullable_is_not_added(field: str) -> None:
    assert fill_required_fields({"spec": {}}, required(field), SCHEMA, is_typed=False) == ({"spec": {}}, ())


SCALARS = {
    "flag": ({"type": "boolean"}, False),
    "whole": ({"type": "integer", "format": "int32"}, 0),
    "part": ({"type": "number"}, 0),
    "text": ({"type": "string"}, ""),
    "nothing": ({"type": "boolean", "nullable": True}, None),
}


@pytest.mark.parametrize("field", SCALARS)
def test_required_scalar_of_a_typed_kind_gets_its_zero_value(field: str) -> None:
    schema = {"properties": {"spec": {"properties": {field: SCALARS[field][0]}}}}
    filled = fill_required_fields({"spec": {}}, required(f"spec.{field}"), schema, is_typed=True)
    value = SCALARS[field][1]
    assert filled == ({"spec": {field: value}}, ((f"spec.{field}", value),))


@pytest.mark.parametrize("type_", ["array", "object"])
def test_required_field_of_a_typed_kind_that_is_no_scalar_is_not_added(type_: str) -> None:
    schema = {"properties": {"more": {"type": type_}}}
    assert fill_required_fields({}, required("more"), schema, is_typed=True) == ({}, ())


def test_existing_field_is_unchanged() -> None:
    assert fill_required_fields({"flat": "x"}, required("flat"), SCHEMA, is_typed=True) == ({"flat": "x"}, ())


def test_other_causes_add_nothing() -> None:
    assert fill_required_fields({}, [StatusCause("FieldValueInvalid", "flat", "is odd")], SCHEMA, is_typed=True) == (
        {},
        (),
    )


@given(
    BODIES,
    st.lists(st.sampled_from(["flat", "strict", "spec.deep", "a.b", "spec.list.x"])),
    st.none() | BODIES,
    st.booleans(),
)
def test_existing_fields_are_never_lost(body: dict[str, Any], fields: list[str], schema: Any, typed: bool) -> None:
    before = json.dumps(body)
    normalized, filled = fill_required_fields(
        body, required(*fields), SCHEMA if schema is None else schema, is_typed=typed
    )
    assert json.dumps(body) == before
    rest = normalized
    for field, _value in filled:
        rest = without_field(rest, f".{field}")
    assert rest == body


@pytest.mark.parametrize("crd", [None, {}, {"spec": {"versions": [{"name": "v2"}]}}, {"spec": {"versions": "x"}}])
def test_definition_without_the_version_has_no_schema(crd: object) -> None:
    assert schema_of(crd, "v1") is None


def test_schema_is_that_of_the_version() -> None:
    versions = [{"name": name, "schema": {"openAPIV3Schema": {"description": name}}} for name in ("v1", "v2")]
    assert schema_of({"spec": {"versions": versions}}, "v2") == {"description": "v2"}


# Fields of a wrong type


def test_fields_of_a_wrong_type_are_named_without_their_values() -> None:
    fields = (
        MistypedField(".data.a", "string"),
        MistypedField('.list[name="x"].b', "list"),
        MistypedField(".n", "numeric (int or float)"),
    )
    body = {"data": {"a": 12345}, "list": [{"name": "z"}, {"name": "x", "b": True}], "n": "y"}
    assert wrong_types(fields, body) == (
        ".data.a is a number, expected a string",
        '.list[name="x"].b is a boolean, expected a list',
        ".n is a string, expected numeric (int or float)",
    )


# Conflicting defaults


def forbidden(*fields: str) -> list[StatusCause]:
    return [StatusCause("FieldValueForbidden", field, "may not be there") for field in fields]


def test_parent_of_a_forbidden_field_becomes_the_live_one() -> None:
    body = {"spec": {"a": 1, "b": {"type": "x"}}}
    live = {"spec": {"a": 2, "b": {"type": "y", "odd": 3}, "c": 4}}
    normalized, adopted = adopt_conflicting_defaults(body, forbidden("spec.b.odd"), live)
    assert normalized == {"spec": {"a": 1, "b": {"type": "y", "odd": 3}}}
    assert adopted == ("spec.b.odd",)
    assert body == {"spec": {"a": 1, "b": {"type": "x"}}}


@pytest.mark.parametrize("field", ["spec.b.type", "spec.none.odd", "spec", "spec.b[0].odd", "spec.a.odd"])
def test_field_that_we_set_or_the_cluster_lacks_is_unchanged(field: str) -> None:
    body = {"spec": {"a": 1, "b": {"type": "x"}}}
    live = {"spec": {"a": 2, "b": {"type": "y"}}}
    assert adopt_conflicting_defaults(body, forbidden(field), live) == (body, ())


# The choice of a way


def error(code: int, message: str, *causes: StatusCause) -> ApiError:
    return ApiError(code, message, "patch", "it", causes=causes)


ODD = {"metadata": {}, "spec": {"b": {"odd": 1}}}


@pytest.mark.parametrize(
    ("rejection", "live", "code", "first"),
    [
        (error(500, ".spec.odd: field not declared in schema"), ODD, "undeclared-field", None),
        (error(422, "", *required("flat")), ODD, "required-field", None),
        (error(422, "", *required("flat"), *forbidden("spec.b.odd")), ODD, "required-field", None),
        (error(422, "", *forbidden("spec.b.odd")), ODD, "conflicting-default", {"b": {"odd": 1}}),
        (error(422, "", *forbidden("spec.b.odd")), None, "", None),
        (error(422, "", *forbidden("spec.b.other")), ODD, "", None),
        (error(422, "", StatusCause("FieldValueInvalid", "spec.b.odd", "is odd")), ODD, "", None),
        (error(422, ""), ODD, "", None),
        (error(409, "", *required("flat")), ODD, "", None),
    ],
)
def test_the_rejection_decides_how_a_body_is_normalized(rejection: ApiError, live: Any, code: str, first: Any) -> None:
    manifest = Manifest(ResourceId("test.io", "Thing", "", "a"), "v1", {}, "a.yaml")
    body = {"metadata": {"annotations": {LAST_APPLIED_HASH: "h"}}, "spec": {"odd": 1, "b": {}}}
    found = normalized_for(rejection, manifest, body, lambda: SCHEMA, lambda: live)
    assert (found.problem.code if found else "") == code
    assert (found and found.first and found.first["spec"]["b"]) == (first and first["b"])
