# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The forms of add-ons: bundles, charts, lists, directories; and what cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    LINK,
    bundle,
    chart,
    check,
    csv,
    documents,
    found,
    own_definition,
    thing,
    write_addon,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer, write_oci_archive

LINK_NAME = "ConsoleLink.console.openshift.io one"


def rows(*names: str, **options: Any) -> list[tuple[str, str, int]]:
    """Path, installer and number of objects of each add-on."""
    rows = check(*names, **options).keys["addons"]
    return [(row["path"], row["installer"], row["error"] + row["review"] + row["fine"]) for row in rows]


def places(*names: str, **options: Any) -> list[tuple[str, str, int]]:
    """Rule, file and line of each finding."""
    found = check(*names, **options).findings
    return sorted((item.code, item.where.source, item.where.line) for item in found)


# Forms


def test_a_directory_is_divided_into_bundles_charts_and_the_rest(tmp_path):
    bundle(tmp_path / "a" / "bundle", csv(), own_definition())
    bundle(tmp_path / "b", csv("other.v1"))
    write_addon(tmp_path, {"charts/out.yaml": chart(thing("ConfigMap")), "x.yaml": documents(thing("ConfigMap"))})
    write_addon(tmp_path, {"deep/er/y.json": json.dumps(thing("Secret")), "README.md": "apiVersion: v1"})
    assert rows(str(tmp_path)) == [
        ("a/bundle/manifests", "olm", 2),
        ("b/manifests", "olm", 1),
        ("charts/out.yaml", "helm", 1),
        (".", "gitops", 2),
    ]


def test_paths_are_relative_to_the_directory_that_contains_all_addons(tmp_path):
    one, two = (write_addon(tmp_path / name, {"x.yaml": documents(LINK)}) for name in ("one", "two"))
    assert places(one) == [("absent-kind", "x.yaml", 2)]
    assert places(one, two) == [("absent-kind", "one/x.yaml", 2), ("absent-kind", "two/x.yaml", 2)]
    assert rows(f"{one}/x.yaml", two) == [("one/x.yaml", "kubectl", 1), ("two", "gitops", 1)]
    assert rows(f"{one}/x.yaml", installer="helm") == [("x.yaml", "helm", 1)]


def test_lists_are_expanded(tmp_path):
    items = {"apiVersion": "v1", "kind": "List", "items": [LINK, thing("ConfigMap"), "nothing"]}
    inner = {"apiVersion": "v1", "kind": "ConfigMapList", "items": [thing("ConfigMap")]}
    path = write_addon(tmp_path, {"a.json": json.dumps(items), "b.yaml": documents(inner)})
    assert rows(path) == [(".", "gitops", 3)]
    assert found(check(path)) == [("absent-kind", LINK_NAME)]


def test_values_that_are_no_objects_are_left_out(tmp_path):
    values = "replicas: 2\n---\n- a\n---\n---\n# nothing\n---\ntext\n"
    kustomize = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component", "resources": []}
    path = write_addon(tmp_path, {"values.yaml": values, "c.yaml": documents(kustomize, thing("ConfigMap"))})
    assert rows(path) == [(".", "gitops", 1)]
    assert found(check(path)) == []


def test_lines_are_those_of_the_objects(tmp_path):
    text = (
        "# A comment\n---\n\n# Another\napiVersion: console.openshift.io/v1\nkind: ConsoleLink\nmetadata: {name: a}\n"
    )
    path = write_addon(tmp_path, {"a.yaml": text})
    assert places(path) == [("absent-kind", "a.yaml", 5)]


# Catalogs


def test_a_catalog_is_not_checked_and_that_is_reported_once(tmp_path):
    blobs = [{"schema": "olm.package", "name": "widgets"}, {"schema": "olm.bundle", "name": "widgets.v1"}, LINK]
    result = check(write_addon(tmp_path, {"catalog.yaml": documents(*blobs)}))
    assert [(item.code, item.severity, item.where.source) for item in result.findings] == [
        ("unchecked-bundle", "warning", "catalog.yaml"),
        ("absent-kind", "error", "catalog.yaml"),
    ]


# Images


def test_a_bundle_in_an_image(tmp_path):
    files = {
        "manifests/csv.yaml": documents(csv()).encode(),
        "manifests/link.yaml": documents(LINK, thing("ConfigMap")).encode(),
        "metadata/properties.yaml": b"properties: []\n",
        "tests/scorecard.yaml": documents(LINK).encode(),
        "manifests/README.md": b"# Widgets",
    }
    write_oci_archive(tmp_path / "layout.tar", {"v1": image([layer(files)])})
    name = f"oci-archive:{tmp_path}/layout.tar:v1"
    assert rows(name) == [(f"{name}/manifests", "olm", 3)]
    assert places(name) == [("absent-kind", f"{name}/manifests/link.yaml", 2)]


def test_an_image_without_anything_to_check(tmp_path):
    write_oci_archive(tmp_path / "layout.tar", {"v1": image([layer({"bin/opm": b"x"})])})
    with pytest.raises(InvalidOptionError) as raised:
        check(f"oci-archive:{tmp_path}/layout.tar:v1")
    assert [item.code for item in raised.value.problems] == ["no-objects"]


# What cannot be read


def test_each_broken_document_is_one_finding_and_the_rest_is_checked(tmp_path):
    link = documents(LINK)
    files = {
        "a.yaml": f"{link}---\nkind: [\n{link}",
        "b.yaml": "kind: ConfigMap\n  name: x\n",
        "c.json": '{"kind": "ConfigMap",}\n{"broken": [}\n',
        "d.yaml": "\x00",
    }
    path = write_addon(tmp_path, files)
    (tmp_path / "e.yaml").write_bytes(b"kind: \xff\xfe\n" + link.encode())
    result = places(path)
    assert [item for item in result if item[0] == "absent-kind"] == [
        ("absent-kind", "a.yaml", 2),
        ("absent-kind", "a.yaml", 12),
        ("absent-kind", "e.yaml", 3),
    ]
    assert [item[1] for item in result if item[0] == "invalid-manifest"] == [
        "a.yaml",
        "b.yaml",
        "c.json",
        "d.yaml",
        "e.yaml",
    ]


def test_objects_that_kubernetes_would_not_find_are_an_error(tmp_path):
    text = documents(thing("ConfigMap", "a"), thing("ConfigMap", "b"))
    (tmp_path / "utf16.yaml").write_bytes(text.encode("utf-16"))
    (tmp_path / "returns.yaml").write_bytes(text.replace("\n", "\r").encode())
    (tmp_path / "array.json").write_text(json.dumps([thing("ConfigMap", "a"), thing("ConfigMap", "b")]))
    (tmp_path / "adjacent.json").write_text(json.dumps(thing("ConfigMap", "a")) * 2)
    (tmp_path / "names.json").write_text('["a", {"kind": "x"}]')
    (tmp_path / "good.yaml").write_text(text)
    result = check(str(tmp_path))
    assert [(item.where.source, item.code, item.message) for item in result.findings] == [
        ("adjacent.json", "invalid-manifest", "is not valid YAML: another document follows without a line ---"),
        ("array.json", "invalid-manifest", "is a list of objects, expected an object or several documents"),
        (
            "returns.yaml",
            "invalid-manifest",
            "ends lines with a carriage return alone, so its documents are not divided",
        ),
        ("utf16.yaml", "invalid-manifest", "is UTF-16, expected UTF-8"),
    ]
    assert [row["path"] for row in result.keys["objects"]] == ["good.yaml", "good.yaml"]


def test_templates_and_patches_are_notes(tmp_path):
    files = {
        "a.yaml": "kind: {{ .Values.kind }}\n---\n{{ if }}\n---\n" + documents(LINK),
        "b.yaml": "{% if x %}\nkind: ConfigMap\n",
        "c.yaml": "{{- range . }}\nkind: ConfigMap\n",
        "patch.yaml": documents({"kind": "Deployment", "metadata": {"name": "x"}}, thing("ConfigMap", "")),
        "install-config.yaml": "apiVersion: v1\nmetadata: {name: x}\n",
        "kustomization.yaml": "resources: [a.yaml]\n",
        "chart/Chart.yaml": "apiVersion: v2\nname: widgets\n",
        "chart/templates/x.yaml": "kind: {{ . }}",
    }
    result = check(write_addon(tmp_path, files))
    notes = [(item.where.source, item.severity) for item in result.findings if item.code == "template"]
    assert sorted(notes) == [
        ("a.yaml", "info"),
        ("b.yaml", "info"),
        ("c.yaml", "info"),
        ("chart/templates", "info"),
        ("install-config.yaml", "info"),
        ("kustomization.yaml", "info"),
        ("patch.yaml", "info"),
        ("patch.yaml", "info"),
    ]
    assert found(result, "error") == [("absent-kind", LINK_NAME)]


def test_links_pipes_and_files_without_permission(tmp_path):
    inside = tmp_path / "addon"
    write_addon(inside, {"a.yaml": documents(LINK)})
    (tmp_path / "outside.yaml").write_text(documents(LINK))
    (inside / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "lost.yaml").symlink_to("nothing")
    os.mkfifo(inside / "pipe.yaml")
    (inside / "loop").symlink_to(inside)
    (tmp_path / "named.yaml").symlink_to(inside / "a.yaml")
    assert places(str(tmp_path / "named.yaml")) == [("absent-kind", "a.yaml", 2)]
    assert places(str(inside)) == [
        ("absent-kind", "a.yaml", 2),
        ("unread-file", "link.yaml", 0),
        ("unread-file", "lost.yaml", 0),
        ("unread-file", "pipe.yaml", 0),
    ]


def test_an_addon_without_objects_is_a_mistake_of_the_call(tmp_path):
    (tmp_path / "empty").mkdir()
    write_addon(tmp_path, {"values.yaml": "a: 1\n", "good.yaml": documents(LINK)})
    with pytest.raises(InvalidOptionError) as raised:
        check(
            *(str(tmp_path / name) for name in ("empty", "values.yaml", "good.yaml", "lost")), "registry.example/a:b:c"
        )
    assert [(item.code, str(item.where)) for item in raised.value.problems] == [
        ("no-objects", "addons[0]"),
        ("no-objects", "addons[1]"),
        ("missing-path", "addons[3]"),
        ("invalid-tag", "addons[4]"),
    ]


ODD: tuple[Any, ...] = ("", 0, None, [], {}, [None], {"a": None}, "{{ x }}")


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_fields_of_any_type_are_no_traceback(tmp_path: Path, value: Any) -> None:
    names = ("apiVersion", "kind", "metadata", "spec", "rules", "webhooks", "items", "properties", "schema")
    kinds = (
        "ClusterServiceVersion",
        "CustomResourceDefinition",
        "ConsolePlugin",
        "ClusterRole",
        "Subscription",
        "List",
    )
    apis = ("operators.coreos.com/v1alpha1", "apiextensions.k8s.io/v1", "console.openshift.io/v1")
    objects = [{**thing(kind, api=api, spec={}), name: value} for kind in kinds for api in apis for name in names]
    spec_fields = ("customresourcedefinitions", "nativeAPIs", "install", "webhookdefinitions", "names", "versions")
    objects += [thing(kind, api=api, spec={name: value}) for kind in kinds for api in apis for name in spec_fields]
    install = {"spec": {"deployments": [{"name": value}]}}
    hooks = [{"deploymentName": value}]
    objects.append(thing(kinds[0], api=apis[0], spec={"install": install, "webhookdefinitions": hooks}))
    objects += [thing("ConfigMap", metadata={name: value}) for name in ("name", "namespace", "annotations")]
    path = write_addon(tmp_path, {"a.yaml": documents(LINK, *objects)})
    assert ("absent-kind", LINK_NAME) in found(check(path))
