# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    location,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId


def read(**fields):
    return manifest_from_object(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}} | fields, "f.yaml"
    )


@pytest.mark.parametrize(
    ("api", "group", "version"),
    [("v1", "", "v1"), ("apps/v1", "apps", "v1"), ("config.openshift.io/v1", "config.openshift.io", "v1")],
)
def test_group_and_version_come_from_api_version(api, group, version):
    item, problems = read(apiVersion=api, metadata={"name": "one", "namespace": "ns", "annotations": {}})

    assert problems == ()
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
def test_capabilities_are_split_at_plus_and_neither_trimmed_nor_made_unique(value, names):
    annotations = {} if value is None else {"capability.openshift.io/name": value}
    item, _problems = read(metadata={"name": "one", "annotations": annotations})

    assert item is not None
    assert item.capabilities == names


def test_annotations_of_a_pod_template_do_not_count():
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
    assert (item.capabilities, problems) == ((), ())


@pytest.mark.parametrize("value", [True, 1, 1.5, ["a"], {"a": "b"}])
def test_an_annotation_that_is_no_string_makes_all_of_them_unreadable_and_a_problem_says_so(value):
    item, (problem,) = read(metadata={"name": "one", "annotations": {"good": "yes", "bad": value}})

    assert item is not None
    assert item.annotations is None
    assert problem.severity == "warning"
    assert problem.where == "f.yaml, document 1, metadata.annotations[bad]"
    assert "no annotations at all" in problem.message


@pytest.mark.parametrize("value", ["text", 7, True, ["a"]])
def test_annotations_that_are_no_map_are_none_and_a_problem_says_so(value):
    item, (problem,) = read(metadata={"name": "one", "annotations": value})

    assert item is not None
    assert item.annotations is None
    assert problem.where == "f.yaml, document 1, metadata.annotations"


@pytest.mark.parametrize(
    ("fields", "wheres"),
    [
        ({"kind": None}, ["kind"]),
        ({"kind": ""}, ["kind"]),
        ({"kind": 7}, ["kind"]),
        ({"metadata": {}}, ["metadata.name"]),
        ({"metadata": None}, ["metadata.name"]),
        ({"metadata": []}, ["metadata.name"]),
        ({"metadata": {"name": ""}}, ["metadata.name"]),
        ({"metadata": {"name": 7}}, ["metadata.name"]),
        ({"kind": None, "metadata": {}}, ["kind", "metadata.name"]),
        ({"apiVersion": "a/b/c"}, ["apiVersion"]),
        ({"apiVersion": 1}, ["apiVersion"]),
        ({"kind": "List", "items": [], "metadata": None}, ["kind"]),
        ({"kind": "ConfigMapList", "items": [], "metadata": {}}, ["kind"]),
    ],
)
def test_what_the_cvo_cannot_load_is_an_error_that_names_the_field(fields, wheres):
    item, problems = read(**fields)

    assert item is None
    assert [problem.where for problem in problems] == [f"f.yaml, document 1, {where}" for where in wheres]
    assert {problem.severity for problem in problems} == {"error"}
    assert all(problem.hint for problem in problems)


@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_api_version_loads_with_a_warning(value):
    item, (problem,) = read(apiVersion=value)

    assert item is not None
    assert item.resource_id.group == ""
    assert problem.severity == "warning"


def test_a_namespace_that_is_no_string_is_none_with_a_warning():
    item, (problem,) = read(metadata={"name": "one", "namespace": 7})

    assert item is not None
    assert item.resource_id.namespace == ""
    assert problem.where.endswith("metadata.namespace")


@pytest.mark.parametrize(("value", "found"), [("text", "string"), (7, "number"), ([], "list"), (True, "boolean")])
def test_a_document_that_is_no_map_is_an_error(value, found):
    item, (problem,) = manifest_from_object(value, "f.yaml", 3, 12)

    assert item is None
    assert problem.where == "f.yaml, document 3 (line 12)"
    assert found in problem.message


@pytest.mark.parametrize(
    ("resource", "text"),
    [
        (ResourceId("", "ConfigMap", "ns", "one"), "ConfigMap ns/one"),
        (ResourceId("apps", "Deployment", "ns", "one"), "Deployment.apps ns/one"),
        (ResourceId("", "Namespace", "", "one"), "Namespace one"),
    ],
)
def test_a_resource_reads_as_people_write_it(resource, text):
    assert str(resource) == text


def test_a_place_names_file_document_line_and_field():
    assert location("a.yaml", 2) == "a.yaml, document 2"
    assert location("a.yaml", 2, 30, "kind") == "a.yaml, document 2 (line 30), kind"


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
def test_whatever_the_document_is_there_is_a_manifest_or_an_error(value):
    item, problems = manifest_from_object(value, "f.yaml")

    assert (item is None) == any(problem.severity == "error" for problem in problems)
    assert all(problem.where.startswith("f.yaml, document 1") for problem in problems)


def test_a_list_with_a_name_is_an_object_like_any_other():
    item, problems = read(kind="AllowList", items=[])

    assert item is not None
    assert problems == ()
