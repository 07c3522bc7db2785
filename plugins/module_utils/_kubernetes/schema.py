# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that the kinds of an API server declare. The server silently drops all other fields.

Source: kubernetes/kube-openapi:pkg/spec3, kubernetes/apiextensions-apiserver:pkg/apiserver/schema/pruning/algorithm.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._resources import ApiResource, mappings_in, nested

_STEP = re.compile(r'\.([^.\[\]"]+)|\[("(?:[^"\\]|\\.)*")\]|(\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])')
_METADATA = re.compile(r"\.metadata\b")
_REF = "#/components/schemas/"
_SCHEMA_OR = re.compile(r"\.JSONSchemaPropsOr\w+$")
"""A schema, or a list or a boolean instead of it: the document does not say what its fields are (kubernetes/
apiextensions-apiserver:pkg/apis/apiextensions/v1/types_jsonschema.go)."""

_FREE = ("x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields")


class Schema(NamedTuple):
    """The schema of a kind, and the schemas that it can reference."""

    kind: Any
    others: Any = None


def served_schema(document: object, served: ApiResource) -> Schema:
    """Return the schema of a kind from ``document``, the OpenAPI v3 document of its group and version."""
    schemas = nested(document, "components", "schemas")
    group_version_kind = {"group": served.group, "version": served.version, "kind": served.kind}
    for schema in schemas.values() if isinstance(schemas, Mapping) else ():
        if group_version_kind in mappings_in(nested(schema, "x-kubernetes-group-version-kind")):
            return Schema(schema, schemas)
    return Schema(None)


def is_declared(schema: Schema, field: str) -> bool:
    """Whether objects of a kind can have ``field``, a path as in ``Difference``. In doubt they can."""
    if _METADATA.match(field):
        return True  # the same for all kinds; a CustomResourceDefinition does not declare it
    at = schema.kind
    for name, quoted, selector in _STEP.findall(field):
        found = _resolve(schema.others, at)
        if not isinstance(found, Mapping) or any(found.get(mark) for mark in _FREE):
            return True
        properties, more = found.get("properties") or {}, found.get("additionalProperties")
        key = json.loads(quoted) if quoted else name
        if selector:
            at = found.get("items")
        elif key in properties:
            at = properties[key]
        elif more or found.get("type") != "object":
            at = more
        else:
            # An object without properties: a referenced one is a built-in type (RawExtension) and accepts every field;
            # an inline one is in a CustomResourceDefinition and accepts none.
            return not properties and found is not at
    return True


def is_default(schema: Schema, field: str, value: object) -> bool:
    """Whether an API server adds ``value`` to objects of a kind that lack ``field``, a path as in ``Difference``.

    Source: kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/algorithm.go.
    """
    at = schema.kind
    for name, quoted, selector in _STEP.findall(field):
        found = _resolve(schema.others, at)
        named = nested(found, "properties", json.loads(quoted) if quoted else name)
        at = nested(found, "items") if selector else named or nested(found, "additionalProperties")
    at = _resolve(schema.others, at)
    return isinstance(at, Mapping) and "default" in at and _completed(at, at["default"]) == value


def _completed(schema: Any, value: Any) -> Any:
    """Copy ``value`` with the defaults of its fields."""
    if not isinstance(value, Mapping):
        return value
    fields = nested(schema, "properties") or {}
    defaults = {
        name: item["default"] for name, item in fields.items() if isinstance(item, Mapping) and "default" in item
    }
    return {name: _completed(fields.get(name), item) for name, item in {**defaults, **value}.items()}


def _resolve(schemas: object, schema: Any) -> Any:
    """The schema behind a reference. Built-in kinds wrap references to add a default and a description."""
    for _step in range(4):
        ref = nested(schema, "$ref")
        parts = nested(schema, "allOf")
        if isinstance(ref, str):
            schema = nested(schemas, _SCHEMA_OR.sub(".JSONSchemaProps", ref.removeprefix(_REF)))
        elif isinstance(parts, list) and len(parts) == 1 and "properties" not in schema:
            schema = parts[0]
    return schema


def schema_of(crd: object, version: str) -> Any:
    """Return the schema of a CustomResourceDefinition for ``version``, ``None`` if it has none."""
    for item in mappings_in(nested(crd, "spec", "versions")):
        if item.get("name") == version:
            return nested(item, "schema", "openAPIV3Schema")
    return None
