# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The forms of add-ons: bundles, catalogs, charts, lists, directories; and what cannot be read."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._addons import stream
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    EVERYTHING,
    LINK,
    bundle,
    catalog_bundle,
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
PACKAGE = {"schema": "olm.package", "name": "widgets"}


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
    downloaded = "# Source: https://example.com/install.yaml\n" + json.dumps(thing("ConfigMap"))
    write_addon(tmp_path, {"charts/out.yaml": chart(thing("ConfigMap")), "x.yaml": downloaded})
    write_addon(tmp_path, {"deep/er/y.json": json.dumps(thing("Secret")), "README.md": "apiVersion: v1"})
    assert rows(str(tmp_path)) == [
        ("a/bundle/manifests", "olm", 2),
        ("b/manifests", "olm", 1),
        ("charts/out.yaml", "helm", 1),
        (".", "gitops", 2),
    ]


@pytest.mark.parametrize("folder", ["out/widgets/templates", "split"])
def test_the_files_of_a_chart_are_one_addon(tmp_path, folder):
    """helm template --output-dir writes a file for each template."""
    service = thing("Service", "ui", "fresh")
    plugin = {"apiVersion": "console.openshift.io/v1", "kind": "ConsolePlugin", "metadata": {"name": "p"}}
    plugin["spec"] = {"backend": {"service": {"name": "ui", "namespace": "fresh"}}}
    for name, item in (("a", plugin), ("b", service)):
        text = chart(item).replace("x.yaml", f"{name}.yaml")
        write_addon(tmp_path, {f"{folder}/{name}.yaml": text, f"{folder}/other-{name}.yaml": ""})
    assert rows(str(tmp_path)) == [(folder, "helm", 2)]
    assert found(check(str(tmp_path), capabilities=EVERYTHING)) == []
    write_addon(tmp_path, {f"{folder}/c.yaml": chart(service).replace("widgets", "gears")})
    assert rows(str(tmp_path)) == [(folder, "helm", 2), (f"{folder}/c.yaml", "helm", 1)]


@pytest.mark.parametrize(
    ("before", "number", "expected"),
    [
        ("", 2, [("invalid-manifest", "manifests/a.yaml", 10)]),
        ("---\n---\n", 2, [("invalid-manifest", "manifests/a.yaml", 12)]),
        ("--- # comment\n", 2, [("invalid-manifest", "manifests/a.yaml", 11)]),
        ("# comment\n", 1, [("invalid-manifest", "manifests/a.yaml", 3)]),
        ("\n", 1, [("invalid-manifest", "manifests/a.yaml", 3)]),
    ],
)
def test_olm_reads_the_first_document_of_a_file(tmp_path, before, number, expected):
    """As NewYAMLOrJSONDecoder of apimachinery divides it, so a comment before --- is a document."""
    text = before + documents(thing("ConfigMap"), LINK)
    path = bundle(tmp_path, csv())
    write_addon(tmp_path, {"manifests/a.yaml": text})
    assert places(path) == expected
    assert rows(path) == [("manifests", "olm", number)]


@pytest.mark.parametrize(
    ("folder", "below", "installer", "is_reported"),
    [
        ("manifests", "manifests/crds", None, True),
        ("manifests", "manifests/a/b", "olm", True),
        ("manifests", "manifests/crds", "gitops", False),
        ("manifests", "tests/crds", None, False),
        ("manifests", "manifests-old", None, False),
        ("deploy", "deploy/crds", None, False),
    ],
)
def test_olm_cannot_unpack_a_subdirectory_of_a_bundle(tmp_path, folder, below, installer, is_reported):
    files = {f"{folder}/csv.yaml": csv(), f"{below}/a.yaml": thing("ConfigMap"), f"{below}/b.yaml": thing("ConfigMap")}
    path = write_addon(tmp_path, {name: documents(item) for name, item in files.items()})
    expected = [("invalid-manifest", f"{below}/a.yaml", 2)] if is_reported else []
    assert places(path, installer=installer) == expected


def test_json_objects_after_the_first_one_are_not_read_by_olm(tmp_path):
    path = bundle(tmp_path, csv())
    write_addon(tmp_path, {"manifests/a.json": json.dumps(thing("ConfigMap")) + json.dumps(LINK)})
    assert places(path) == [("invalid-manifest", "manifests/a.json", 1)]


def test_other_installers_read_all_documents_of_a_bundle(tmp_path):
    path = bundle(tmp_path, csv())
    write_addon(tmp_path, {"manifests/a.yaml": documents(thing("ConfigMap"), LINK)})
    assert places(path, installer="gitops") == [("absent-kind", "manifests/a.yaml", 10)]


def test_olm_reads_the_first_document_of_an_object_of_a_catalog(tmp_path):
    data = base64.b64encode(documents(thing("ConfigMap"), LINK).encode()).decode()
    embedded = {"type": "olm.bundle.object", "value": {"data": data}}
    entry = catalog_bundle("widgets.v1", csv(), properties=[embedded])
    path = write_addon(tmp_path, {"catalog.json": json.dumps(entry)})
    assert found(check(path)) == [("invalid-manifest", f"widgets.v1: {LINK_NAME}")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_objects_of_a_catalog_can_have_line_breaks(tmp_path, end):
    """As encoding/base64 of Go, which opm uses."""
    data = base64.encodebytes(documents(LINK).encode()).decode().replace("\n", end)
    embedded = {"type": "olm.bundle.object", "value": {"data": data}}
    entry = catalog_bundle("widgets.v1", csv(), properties=[embedded])
    path = write_addon(tmp_path, {"catalog.json": json.dumps(entry)})
    assert found(check(path)) == [("absent-kind", f"widgets.v1: {LINK_NAME}")]


def test_what_a_shell_writes_into_a_pipe(tmp_path):
    """As addon-check <(helm template widgets)."""
    read, write = os.pipe()
    with os.fdopen(write, "wb") as file:
        file.write(chart(LINK).encode())
    path = write_addon(tmp_path, {"x.yaml": documents(thing("ConfigMap"))})
    pipe = f"/dev/fd/{read}"
    result = check(pipe, path)
    os.close(read)
    assert [(row["path"], row["installer"]) for row in result.keys["addons"]] == [(pipe, "helm"), (".", "gitops")]
    assert [(item.code, item.where.source) for item in result.findings] == [("absent-kind", pipe)]


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
    scorecard = thing("Configuration", "config", api="scorecard.operatorframework.io/v1alpha3")
    objects = documents(kustomize, thing("ConfigMap"), scorecard)
    path = write_addon(tmp_path, {"values.yaml": values, "c.yaml": objects})
    assert rows(path) == [(".", "gitops", 1)]
    assert found(check(path)) == []


def test_lines_are_those_of_the_objects(tmp_path):
    text = "# A comment\n---\n\n# Another\n" + json.dumps(LINK)
    assert places(write_addon(tmp_path, {"a.yaml": text})) == [("absent-kind", "a.yaml", 5)]


@pytest.mark.parametrize(
    ("write", "line"),
    [
        (lambda value: json.dumps(value, indent=4), 11),
        (yaml.safe_dump, 7),
        (lambda value: "# A comment\r\n---\r\n" + yaml.safe_dump(value).replace("\n", "\r\n"), 9),
        (json.dumps, 1),
    ],
)
def test_the_line_of_an_item_of_a_list(tmp_path, write, line):
    value = {"apiVersion": "v1", "items": [thing("ConfigMap"), LINK], "kind": "List", "metadata": {"items": ["a"]}}
    assert places(write_addon(tmp_path, {"a.yaml": write(value)})) == [("absent-kind", "a.yaml", line)]


# Catalogs


@pytest.mark.parametrize("form", ["indented", "lines", "yaml"])
def test_a_catalog_has_bundles_with_objects(tmp_path, form):
    blobs = [PACKAGE, catalog_bundle("widgets.v1", csv(), LINK), catalog_bundle("gears.v1", csv("g"), package="gears")]
    indent, start = (None if form == "lines" else 1), "---\n" if form == "yaml" else ""
    text = "".join(f"{start}{json.dumps(item, indent=indent)}\n" for item in blobs)
    path = write_addon(tmp_path, {"widgets/catalog.yaml" if form == "yaml" else "widgets/catalog.json": text})
    result = check(path)
    assert [(row["name"], row["error"], row["fine"]) for row in result.keys["addons"]] == [
        ("widgets.v1", 1, 1),
        ("gears.v1", 0, 1),
    ]
    assert found(result) == [("absent-kind", f"widgets.v1: {LINK_NAME}")]
    # What is fine is left out, because a catalog can have a hundred thousand objects.
    assert [row["resource"] for row in result.keys["objects"]] == [f"widgets.v1: {LINK_NAME}"]
    assert [name for _path, name, _number in rows(path, packages=["gears"])] == ["olm"]
    with pytest.raises(InvalidOptionError) as raised:
        check(path, packages=["gears", "gear"])
    assert [(item.code, str(item.where)) for item in raised.value.problems] == [("unknown-package", "packages")]
    assert "gears" not in raised.value.problems[0].message
    # A catalog need not have a package that another one has, and is no directory without objects.
    other = write_addon(tmp_path, {"other/catalog.json": json.dumps(blobs[1])})
    empty = write_addon(tmp_path, {"empty/values.yaml": "a: 1\n"})
    assert len(check(path, f"{other}/other", packages=["gears"]).keys["addons"]) == 1
    with pytest.raises(InvalidOptionError) as raised:
        check(f"{empty}/empty", path, packages=["gears"])
    assert [item.code for item in raised.value.problems] == ["no-objects"]


def test_bundles_of_a_catalog_bring_nothing_for_others(tmp_path):
    brought = own_definition("ConsoleLink", "console.openshift.io", namespaced=False)
    text = documents(catalog_bundle("one", csv(), brought), catalog_bundle("two", csv(), LINK))
    assert found(check(write_addon(tmp_path, {"catalog.yaml": text}))) == [("absent-kind", f"two: {LINK_NAME}")]


def test_a_catalog_with_metadata_only(tmp_path):
    entry = {"name": "consolelinks.console.openshift.io", "kind": "ConsoleLink", "version": "v1"}
    metadata = {"type": "olm.csv.metadata", "value": {"crdDescriptions": {"required": [entry]}}}
    # opm names what a definition is required for in both places.
    kinds = (("build", "BuildConfig"), ("console", "ConsoleLink"))
    values = ({"group": f"{group}.openshift.io", "kind": kind, "version": "v1"} for group, kind in kinds)
    gvks = [{"type": "olm.gvk.required", "value": value} for value in values]
    blobs = [catalog_bundle(name, properties=[metadata, *gvks]) for name in ("one", "two")]
    result = check(write_addon(tmp_path, {"catalog.json": "".join(f"{json.dumps(item)}\n" for item in blobs)}))
    names = [f"{name}: ClusterServiceVersion.operators.coreos.com {name}" for name in ("one", "two")]
    assert found(result, "error") == [("absent-requirement", name) for name in names for _rule in "ab"]
    (note,) = (item for item in result.findings if item.severity == "info")
    assert (note.code, note.where.source) == ("unchecked-bundle", "catalog.json")
    assert note.message == "contains only metadata of 2 bundles, so their objects are not checked"


@pytest.mark.parametrize("data", ["!", None, "bm90OiBbeWFtbA=="])
def test_a_bundle_with_an_object_that_cannot_be_read(tmp_path, data):
    broken = {"type": "olm.bundle.object", "value": {"data": data}}
    blob = catalog_bundle("widgets.v1", LINK, properties=[broken])
    assert places(write_addon(tmp_path, {"c.json": json.dumps(blob)})) == [
        ("absent-kind", "c.json", 1),
        *([("invalid-manifest", "c.json", 1)] if data else []),
    ]


# Images


def test_a_bundle_in_an_image(tmp_path):
    optional = {"type": "olm.manifests.optional", "value": {"manifests": [{"kind": "ConfigMap", "name": "one"}]}}
    files = {
        "manifests/csv.yaml": documents(csv()).encode(),
        "manifests/link.yaml": documents(LINK).encode(),
        "manifests/one.yaml": documents(thing("ConfigMap")).encode(),
        "metadata/properties.yaml": json.dumps({"properties": [optional]}).encode(),
        "tests/scorecard.yaml": documents(LINK).encode(),
        "manifests/README.md": b"# Widgets",
    }
    write_oci_archive(tmp_path / "layout.tar", {"v1": image([layer(files)])})
    name = f"oci-archive:{tmp_path}/layout.tar:v1"
    assert rows(name) == [(f"{name}/manifests", "olm", 3)]
    assert places(name) == [
        ("absent-kind", f"{name}/manifests/link.yaml", 2),
        ("ignored-marker", f"{name}/manifests/one.yaml", 2),
    ]


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
        "c.json": '{"kind": "ConfigMap",}\n{"broken": [}\n' + json.dumps(LINK),
        "d.yaml": "\x00",
    }
    path = write_addon(tmp_path, files)
    (tmp_path / "e.yaml").write_bytes(b"kind: \xff\xfe\n" + link.encode())
    result = places(path)
    assert [item for item in result if item[0] == "absent-kind"] == [
        ("absent-kind", "a.yaml", 2),
        ("absent-kind", "a.yaml", 12),
        ("absent-kind", "c.json", 3),
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
    (tmp_path / "text.yaml").write_text('{"a": 1}\n--- {"kind": "ConfigMap"}\n')
    (tmp_path / "names.json").write_text('["a", {"kind": "x"}]')
    (tmp_path / "good.yaml").write_text(text)
    result = check(str(tmp_path))
    assert [(item.where.source, item.code, item.message) for item in result.findings] == [
        ("array.json", "invalid-manifest", "is a list of objects, expected an object or several documents"),
        (
            "returns.yaml",
            "invalid-manifest",
            "ends lines with a carriage return alone, so its documents are not divided",
        ),
        ("text.yaml", "invalid-manifest", "has text after ---, with which kubectl and GitOps reject the file"),
        ("utf16.yaml", "invalid-manifest", "is UTF-16, expected UTF-8"),
    ]
    assert [row["path"] for row in result.keys["objects"]] == ["good.yaml", "good.yaml"]


@pytest.mark.parametrize(
    ("separator", "objects", "codes"),
    [
        ("---", 2, []),
        ("---#two", 2, []),
        ("--- # two", 2, []),
        ("---\t", 2, []),
        ("----", 1, ["invalid-manifest"]),
        ("---two", 1, ["invalid-manifest"]),
    ],
)
def test_each_line_that_begins_with_three_dashes_divides_documents(tmp_path, separator, objects, codes):
    """As the reader of kubectl and GitOps does, which accepts only a comment after them."""
    one, two = (f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n" for name in "ab")
    result = check(write_addon(tmp_path, {"all.yaml": f"{one}{separator}\n{two}"}))
    assert len(result.keys["objects"]) == objects
    assert [item.code for item in result.findings] == codes


@pytest.mark.parametrize("between", ["", " ", "\n", "\n\n\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 1])
def test_json_objects_follow_each_other(tmp_path, between, indent):
    """As cat and jq -j write them."""
    texts = [json.dumps(thing("ConfigMap", name), indent=indent) for name in "abc"]
    assert rows(write_addon(tmp_path, {"all.json": between.join(texts)})) == [(".", "gitops", 3)]


@pytest.mark.parametrize("content", [b"a: '{{ b }}'\n<<<<<<< HEAD\nc: d\n", b"a.yaml\0\0ustar {{ b }}\n{{ c }}\n"])
def test_a_broken_file_and_an_archive_with_braces_are_no_templates(tmp_path, content):
    file = tmp_path / "addon"
    file.write_bytes(content)
    assert [item.code for item in check(file).findings] == ["invalid-manifest"]


def test_templates_and_patches_are_notes(tmp_path):
    files = {
        "a.yaml": "kind: {{ .Values.kind }}\n---\n{{ if }}\n---\n" + documents(LINK),
        "b.yaml": "{% if x %}\nkind: ConfigMap\n",
        "c.yaml": "{{- range . }}\nkind: ConfigMap\n",
        "patch.yaml": documents({"kind": "Deployment", "metadata": {"name": "x"}}, thing("ConfigMap", "")),
        "install-config.yaml": "apiVersion: v1\nmetadata: {name: x}\n",
        "of_opm.yaml": "schema: olm.semver\nstable: {bundles: [{image: quay.io/a/b:v1}]}\n",
        "of_oc.yaml": documents(thing("Template", api="template.openshift.io/v1", objects=[LINK])),
        "kustomization.yaml": "resources: [a.yaml]\n",
        "chart/Chart.yaml": "apiVersion: v2\nname: widgets\n",
        "chart/templates/x.yaml": "kind: {{ . }}",
    }
    result = check(write_addon(tmp_path, files))
    notes = [(item.where.source, item.severity) for item in result.findings if item.code == "template"]
    messages = {item.message for item in result.findings}
    assert {"is a Kustomization, so its result is not checked", "has no kind, so it is not checked"} <= messages
    assert sorted(notes) == [
        ("a.yaml", "info"),
        ("b.yaml", "info"),
        ("c.yaml", "info"),
        ("chart/templates", "info"),
        ("install-config.yaml", "info"),
        ("kustomization.yaml", "info"),
        ("of_oc.yaml", "info"),
        ("of_opm.yaml", "info"),
        ("patch.yaml", "info"),
        ("patch.yaml", "info"),
    ]
    assert found(result, "error") == [("absent-kind", LINK_NAME)]


def test_a_document_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "LARGEST_DOCUMENT", 4096)
    big = thing("ConfigMap", data={"x": "y" * 5000})
    path = write_addon(tmp_path, {"a.yaml": documents(big, LINK), "b.json": f"{json.dumps(big)}\n{json.dumps(LINK)}\n"})
    assert places(path) == [
        ("absent-kind", "a.yaml", 13),
        ("absent-kind", "b.json", 2),
        ("invalid-manifest", "a.yaml", 1),
        ("invalid-manifest", "b.json", 1),
    ]


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
    assert any(f", outside of {inside}, " in item.message for item in check(str(inside)).findings)


def test_a_file_in_two_addons_counts_once(tmp_path):
    path = write_addon(tmp_path, {"a.yaml": documents(LINK), "b.yaml": documents(thing("ConfigMap"))})
    assert rows(path, f"{path}/a.yaml", f"{path}/.") == [(".", "gitops", 2)]
    assert [number for *_names, number in rows(f"{path}/a.yaml", path)] == [1, 1]


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
    objects += [{"schema": "olm.bundle", "name": value, "properties": [{"type": "olm.csv.metadata", "value": value}]}]
    objects += [thing("ConfigMap", metadata={name: value}) for name in ("name", "namespace", "annotations")]
    path = write_addon(tmp_path, {"a.yaml": documents(LINK, *objects)})
    assert ("absent-kind", LINK_NAME) in found(check(path))
