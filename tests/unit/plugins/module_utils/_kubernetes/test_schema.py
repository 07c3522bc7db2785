# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.schema import (
    Schema,
    is_declared,
    is_default,
    served_schema,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import DEPLOYMENTS, PROXIES

TEXT = {"type": "string"}


def map_of(**properties):
    return {"type": "object", "properties": properties}


WRITTEN_OUT = map_of(
    metadata={"type": "object"},
    spec=map_of(
        size={"type": "integer"},
        labels={"type": "object", "additionalProperties": TEXT},
        rules={"type": "array", "items": map_of(name=TEXT)},
        anything={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        template={"type": "object", "x-kubernetes-embedded-resource": True},
        nothing={"type": "object"},
        port={"x-kubernetes-int-or-string": True},
    ),
)


@pytest.mark.parametrize(
    "field",
    [
        ".spec.size",
        ".spec.labels.a",
        '.spec.labels["a.b/c"]',
        '.spec.rules[name="a]b"].name',
        ".spec.rules[0]",
        ".spec.anything.a.b",
        ".spec.template.kind",
        ".spec.port.a",
        ".metadata.labels",
        '.metadata.annotations["a/b"]',
        "",
    ],
)
def test_a_field_of_the_schema_is_declared(field):
    assert is_declared(Schema(WRITTEN_OUT), field)


@pytest.mark.parametrize(
    "field", [".status", ".spec.colour", '.spec["a.b"]', ".spec.rules[0].colour", ".spec.nothing.a", ".metadataOfMine"]
)
def test_a_field_that_would_be_pruned_is_not_declared(field):
    assert not is_declared(Schema(WRITTEN_OUT), field)


def test_without_a_schema_all_fields_may_be_there():
    assert is_declared(Schema(None), ".spec.colour")


DOCUMENT = {
    "components": {
        "schemas": {
            "Deployment": {
                **map_of(spec={"allOf": [{"$ref": "#/components/schemas/Spec"}], "default": {}}),
                "x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "Deployment"}],
            },
            "Spec": map_of(size=TEXT, raw={"$ref": "#/components/schemas/RawExtension"}),
            "RawExtension": {"type": "object"},
            "Other": {"type": "object"},
        }
    }
}


def test_references_of_built_in_kinds_are_followed():
    schema = served_schema(DOCUMENT, DEPLOYMENTS)

    assert is_declared(schema, ".spec.size")
    assert is_declared(schema, ".spec.raw.whatever")
    assert not is_declared(schema, ".spec.colour")
    assert not is_declared(schema, ".userNames")


@pytest.mark.parametrize("document", [DOCUMENT, {}, None, {"components": {"schemas": []}}])
def test_a_kind_that_no_document_has_takes_all(document):
    assert is_declared(served_schema(document, PROXIES), ".spec.colour")


DEFAULTS = Schema(
    map_of(
        spec=map_of(
            size={"type": "integer", "default": 3},
            more={"additionalProperties": {"default": "x"}},
            rules={"items": map_of(name={"default": "a"}, other=TEXT)},
            part={**map_of(deep={"default": 1}, other=TEXT), "default": {}},
        )
    )
)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        (".spec.size", 3, True),
        (".spec.size", 4, False),
        (".spec.more.any", "x", True),
        ('.spec.more["a.b/c"]', "x", True),
        ('.spec.rules[name="b"].name', "a", True),
        (".spec.rules[0].other", None, False),
        (".spec.part", {"deep": 1}, True),
        (".spec.part", {}, False),
        (".spec.nothing", None, False),
    ],
)
def test_a_default_is_the_value_that_the_server_adds(field, value, expected):
    assert is_default(DEFAULTS, field, value) is expected


@pytest.mark.parametrize("field", ["items", "additionalProperties", "properties.a.items.anyOf[1]"])
def test_the_fields_of_a_schema_in_a_definition_are_those_of_schemas(field: str) -> None:
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"

    def ref(suffix: str = "") -> dict[str, str]:
        return {"$ref": f"#/components/schemas/{name}{suffix}"}

    either = {"description": "a schema, or something else"}
    fields: dict[str, object] = {"type": TEXT, "items": ref("OrArray"), "additionalProperties": ref("OrBool")}
    fields |= {"anyOf": {"type": "array", "items": ref()}}
    fields |= {"properties": {"type": "object", "additionalProperties": ref()}}
    schema = Schema(map_of(schema=ref()), {name: map_of(**fields), f"{name}OrArray": either, f"{name}OrBool": either})
    assert is_declared(schema, f".schema.{field}.type")
    assert not is_declared(schema, f".schema.{field}.optional")
