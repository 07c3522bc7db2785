# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId


def convert(value, document=1, line=0):
    problems = Problems()
    return manifest_from_object(value, "f.yaml", document, problems, line=line), problems


def read(**fields):
    return convert({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}} | fields)


@pytest.mark.parametrize(
    ("api", "group", "version"),
    [("v1", "", "v1"), ("apps/v1", "apps", "v1"), ("config.openshift.io/v1", "config.openshift.io", "v1")],
)
def test_group_and_version_come_from_api_version(api, group, version):
    item, problems = read(apiVersion=api, metadata={"name": "one", "namespace": "ns", "annotations": {}})

    assert problems == []
    assert item == Manifest(ResourceId(group, "ConfigMap", "ns", "one"), version, {}, "f.yaml", 1)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (None, ()),
        ("", ()),
        ("Console", ("Console",)),
        ("A+B", ("A", "B")),
        ("A + B", ("A ", " B")),
        ("+A", ("", "A")),
        ("A++B", ("A", "", "B")),
        ("A+A", ("A", "A")),
    ],
)
def test_capabilities_are_split_at_plus_but_neither_trimmed_nor_deduplicated(value, names):
    annotations = {} if value is None else {"capability.openshift.io/name": value}
    item, _problems = read(metadata={"name": "one", "annotations": annotations})

    assert item is not None
    assert item.capabilities == names


def test_annotations_of_a_pod_template_are_ignored():
    template = {"metadata": {"annotations": {"capability.openshift.io/name": "Console"}}}
    item, _problems = read(spec={"template": template})

    assert item is not None
    assert item.annotations is None
    assert item.capabilities == ()


def test_a_null_annotation_is_the_empty_string():
    """As apimachinery reads it: unstructured.go GetAnnotations, NestedNullCoercingStringMap."""
    annotations = {"include.release.openshift.io/x": None, "capability.openshift.io/name": None, "some.note": None}
    item, problems = read(metadata={"name": "one", "annotations": annotations})

    assert item is not None
    assert item.annotations == dict.fromkeys(annotations, "")
    assert (item.capabilities, problems) == ((), [])


@pytest.mark.parametrize("value", [True, 1, 1.5, ["a"], {"a": "b"}])
def test_an_annotation_that_is_not_a_string_makes_all_of_them_unreadable(value):
    item, (problem,) = read(metadata={"name": "one", "annotations": {"good": "yes", "bad": value}})

    assert item is not None
    assert item.annotations is None
    assert (problem.severity, problem.code) == ("warning", "not-a-string")
    assert str(problem.where) == "f.yaml, document 1, metadata.annotations[bad]"
    consequence = "expected a string; the CVO ignores all annotations of this manifest, so it is excluded"
    assert problem.message.endswith(consequence)


@pytest.mark.parametrize("value", ["text", 7, True, ["a"]])
def test_annotations_that_are_not_a_map_are_unreadable(value):
    item, (problem,) = read(metadata={"name": "one", "annotations": value})

    assert item is not None
    assert item.annotations is None
    assert (problem.code, str(problem.where)) == ("not-a-map", "f.yaml, document 1, metadata.annotations")
    consequence = "expected a map of strings; the CVO ignores all annotations of this manifest, so it is excluded"
    assert problem.message.endswith(consequence)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": None}, [("missing-field", "kind", "is missing, expected a non-empty string")]),
        ({"kind": ""}, [("invalid-field", "kind", "is '', expected a non-empty string")]),
        ({"kind": 7}, [("invalid-field", "kind", "is a number, expected a non-empty string")]),
        ({"metadata": {}}, [("missing-field", "metadata.name", "is missing, expected a non-empty string")]),
        ({"metadata": None}, [("missing-field", "metadata.name", "is missing, expected a non-empty string")]),
        ({"metadata": []}, [("missing-field", "metadata.name", "is missing, expected a non-empty string")]),
        ({"metadata": {"name": ""}}, [("invalid-field", "metadata.name", "is '', expected a non-empty string")]),
        ({"metadata": {"name": 7}}, [("invalid-field", "metadata.name", "is a number, expected a non-empty string")]),
        (
            {"kind": None, "metadata": {}},
            [
                ("missing-field", "kind", "is missing, expected a non-empty string"),
                ("missing-field", "metadata.name", "is missing, expected a non-empty string"),
            ],
        ),
        ({"apiVersion": "a/b/c"}, [("invalid-field", "apiVersion", "is 'a/b/c', expected VERSION or GROUP/VERSION")]),
        ({"apiVersion": 1}, [("invalid-field", "apiVersion", "is a number, expected VERSION or GROUP/VERSION")]),
        (
            {"kind": "List", "items": [], "metadata": None},
            [("unsupported-list", "kind", "is List, which the CVO does not expand")],
        ),
        (
            {"kind": "ConfigMapList", "items": [], "metadata": {}},
            [("unsupported-list", "kind", "is ConfigMapList, which the CVO does not expand")],
        ),
    ],
)
def test_a_manifest_that_the_cvo_cannot_load_is_an_error_that_names_the_field(fields, expected):
    item, problems = read(**fields)

    assert item is None
    assert [(problem.code, str(problem.where), problem.message) for problem in problems] == [
        (code, f"f.yaml, document 1, {field}", message) for code, field, message in expected
    ]
    assert {problem.severity for problem in problems} == {"error"}
    assert all(problem.hint for problem in problems)


@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_api_version_loads_with_a_warning(value):
    item, (problem,) = read(apiVersion=value)

    assert item is not None
    assert item.resource_id.group == ""
    assert (problem.severity, problem.code) == ("warning", "missing-field")
    assert problem.message == "is missing; the CVO loads the manifest but cannot apply it"


def test_a_namespace_that_is_not_a_string_is_ignored_with_a_warning():
    item, (problem,) = read(metadata={"name": "one", "namespace": 7})

    assert item is not None
    assert item.resource_id.namespace == ""
    assert (problem.code, str(problem.where)) == ("not-a-string", "f.yaml, document 1, metadata.namespace")
    assert problem.message == "is a number, expected a string; the CVO ignores it"


@pytest.mark.parametrize(("value", "kind"), [("text", "string"), (7, "number"), ([], "list"), (True, "boolean")])
def test_a_document_that_is_not_a_map_is_an_error(value, kind):
    item, (problem,) = convert(value, 3, 12)

    assert item is None
    assert (problem.code, str(problem.where)) == ("not-a-map", "f.yaml, document 3 (line 12)")
    assert f"the document is a {kind}," in problem.message


@pytest.mark.parametrize(
    ("resource", "text"),
    [
        (ResourceId("", "ConfigMap", "ns", "one"), "ConfigMap ns/one"),
        (ResourceId("apps", "Deployment", "ns", "one"), "Deployment.apps ns/one"),
        (ResourceId("", "Namespace", "", "one"), "Namespace one"),
    ],
)
def test_a_resource_in_a_message(resource, text):
    assert str(resource) == text


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "namespace", "annotations", "x"]) | st.text(max_size=3), inner)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["apiVersion", "kind", "metadata", "items"]), JUNK)


@given(OBJECTS | JUNK)
def test_every_document_is_a_manifest_or_an_error(value):
    item, problems = convert(value)

    assert (item is None) == any(problem.severity == "error" for problem in problems)
    assert all(str(problem.where).startswith("f.yaml, document 1") for problem in problems)


def test_a_list_with_a_name_is_a_normal_object():
    item, problems = read(kind="AllowList", items=[])

    assert item is not None
    assert problems == []
