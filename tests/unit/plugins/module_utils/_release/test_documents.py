# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.documents import read_manifest_file
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest_file import ManifestFile
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest

ONE, TWO, THREE = (manifest(name).encode() for name in ("one", "two", "three"))


def read_with_problems(data: bytes) -> tuple[ManifestFile, Problems]:
    problems = Problems()
    return read_manifest_file("f.yaml", data, problems), problems


def read(data: bytes) -> ManifestFile:
    file, problems = read_with_problems(data)
    assert problems == []
    return file


def names(file: ManifestFile) -> list[str]:
    return [item.resource_id.name for item in file.manifests]


def as_json(name: str) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"# only a comment\n", []),
        (b"---\n---\n", []),
        (b"null\n---\n" + ONE, ["one"]),
        (ONE, ["one"]),
        (ONE.rstrip(), ["one"]),
        (b"---\n" + ONE, ["one"]),
        (b"# head\n---\n" + ONE, ["one"]),
        (ONE + b"---\n" + TWO, ["one", "two"]),
        (ONE + b"--- # why\n" + TWO, ["one", "two"]),
        (ONE + b"---   \n" + TWO + b"---\n", ["one", "two"]),
        (ONE + b"---\n---\n# nothing\n---\n" + TWO, ["one", "two"]),
        (ONE + b"---\n" + TWO + b"---", ["one", "two"]),
        (b"\xef\xbb\xbf" + ONE, ["one"]),
        ((ONE + b"---\n" + TWO).replace(b"\n", b"\r\n"), ["one", "two"]),
        (ONE + b"...\n", ["one"]),
        (ONE + b"...\n---\n" + TWO, ["one", "two"]),
        (as_json("one"), ["one"]),
        (as_json("one") + as_json("two"), ["one", "two"]),
        (b"\n " + as_json("one") + b"\n\n" + as_json("two") + b"\n", ["one", "two"]),
        (b"{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n", ["one"]),
        (as_json("one") + b"\n---\n" + as_json("two"), ["one", "two"]),
        (ONE + b"data:\n  text: |\n    ---\n", ["one"]),
        (ONE + b"kind: Secret\n", ["one"]),
    ],
)
def test_a_file_is_split_into_its_documents(data, expected):
    assert names(read(data)) == expected


def test_documents_are_numbered_in_the_order_of_the_file():
    file = read(b"# nothing\n---\n" + ONE + b"---\n" + TWO)

    assert [item.document for item in file.manifests] == [1, 2]


@pytest.mark.parametrize(
    ("data", "code", "where", "message"),
    [
        (
            ONE + b"--- foo\n" + TWO,
            "invalid-separator",
            "f.yaml, document 2 (line 7)",
            "invalid YAML document separator: foo",
        ),
        (
            ONE + b"----\n" + TWO,
            "invalid-separator",
            "f.yaml, document 2 (line 7)",
            "invalid YAML document separator: -",
        ),
        (
            ONE + b"---\nkind: [\n",
            "invalid-yaml",
            "f.yaml, document 2 (line 9)",
            "is not valid YAML: did not find expected node content (column 1)",
        ),
        (
            ONE + b"---\n- a\n",
            "not-a-map",
            "f.yaml, document 2 (line 8)",
            "the document is a list, expected a map with apiVersion, kind and metadata",
        ),
        (
            ONE + b"---\n" + ONE,
            "duplicate-resource",
            "f.yaml, document 2 (line 8)",
            "ConfigMap one is repeated, first on line 1; the CVO rejects the file",
        ),
        (b"kind: A\nmetadata: {name: \xff}\n", "invalid-encoding", "f.yaml, line 2", "byte 25 is not valid UTF-8"),
        (
            as_json("one") + as_json("one"),
            "duplicate-resource",
            "f.yaml, document 2 (line 1)",
            "ConfigMap one is repeated, first on line 1; the CVO rejects the file",
        ),
        (
            as_json("one") + as_json("two") + b"x",
            "invalid-json",
            "f.yaml, document 3 (line 1)",
            "is not valid JSON: Expecting value: line 1 column 141 (char 140)",
        ),
        (
            ONE + b"---\napiVersion: v1\nkind: List\nitems: []\n",
            "unsupported-list",
            "f.yaml, document 2 (line 8), kind",
            "is List",
        ),
    ],
)
def test_an_error_names_the_document_and_its_line(data, code, where, message):
    _file, (problem,) = read_with_problems(data)

    assert (problem.severity, problem.code, str(problem.where)) == ("error", code, where)
    assert problem.message.partition(", which the CVO")[0] == message
    assert problem.hint


def test_every_document_with_an_error_is_reported():
    data = b"kind: [\n---\n" + ONE + b"---\nkind: A\n---\n" + ONE + b"--- x\n"
    file, problems = read_with_problems(data)

    wheres = [str(problem.where) for problem in problems if problem.severity == "error"]
    assert [where.partition(" (")[0] for where in wheres] == [
        "f.yaml, document 1",
        "f.yaml, document 3",
        "f.yaml, document 4",
        "f.yaml, document 5",
    ]
    assert names(file)[0] == "one"


def test_a_document_after_dots_is_a_warning():
    _file, (problem,) = read_with_problems(ONE + b"...\n" + TWO)

    assert (problem.severity, problem.code) == ("warning", "missing-separator")
    assert problem.message == "another document follows after '...'; the CVO reads only the first"


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_the_version_is_not_part_of_the_identity(api):
    data = ONE + b"---\n" + manifest("one", api=api).encode()
    _file, (problem,) = read_with_problems(data)

    assert (problem.code, problem.hint) == ("duplicate-resource", "Remove one of the two")


def test_the_same_name_in_another_namespace_group_or_kind_is_another_resource():
    texts = [
        manifest("one"),
        manifest("one", namespace="ns"),
        manifest("one", kind="Secret"),
        manifest("one", api="x.io/v1"),
    ]

    assert len(read("---\n".join(texts).encode()).manifests) == 4


def test_an_excerpt_keeps_documents_with_their_comments_byte_for_byte():
    data = b"# head\n" + ONE + b"---\n# about two\n" + TWO + b"# end of two\n---\n# about three\n" + THREE
    file = read(data)

    assert file.excerpt(data, frozenset({0, 1, 2})) == data
    assert file.excerpt(data, frozenset({0})) == b"# head\n" + ONE
    assert file.excerpt(data, frozenset({1})) == b"---\n# about two\n" + TWO + b"# end of two\n"
    assert file.excerpt(data, frozenset({0, 2})) == b"# head\n" + ONE + b"---\n# about three\n" + THREE


def test_the_rest_after_the_last_document_belongs_to_it():
    data = ONE + b"---\n" + TWO + b"---\n# the end\n"

    assert read(data).excerpt(data, frozenset({1})) == b"---\n" + TWO + b"---\n# the end\n"


def test_each_manifest_has_its_body_as_json():
    file = read(ONE + b"data: {1: 0x10, y: 'y', z: y}\n---\n" + TWO)

    bodies = [json.loads(file.read_json(item)) for item in file.manifests]
    assert [body["metadata"]["name"] for body in bodies] == ["one", "two"]
    assert bodies[0]["data"] == {"1": 16, "true": "y", "z": True}
    assert [(item, json.loads(body)) for item, body in file.read_all_json()] == list(
        zip(file.manifests, bodies, strict=True)
    )


@pytest.mark.parametrize("value", [".nan", "-.inf", "[" * 2000 + "]" * 2000])
def test_a_body_that_json_does_not_have_is_an_error(value):
    _file, (problem,) = read_with_problems(ONE + b"---\n" + TWO + b"data: " + value.encode() + b"\n")

    assert (problem.severity, problem.code, str(problem.where)) == (
        "error",
        "invalid-yaml",
        "f.yaml, document 2 (line 8)",
    )


# apimachinery:pkg/util/yaml/decoder.go LineReader.Read ends the last line, and sigs.k8s.io/yaml reads the result.
@pytest.mark.parametrize(
    ("end", "value"),
    [
        (b"|\n      x", "x\n"),
        (b"|\n      x\n", "x\n"),
        (b"|-\n      x", "x"),
        (b"|+\n      x", "x\n"),
        (b">\n      x\n      y", "x y\n"),
        (b"|\n      x\n      ", "x\n"),
        (b"|", ""),
        (b"x", "x"),
        (b"'x'", "x"),
    ],
)
def test_a_block_scalar_at_the_end_of_a_file_keeps_its_line_break(end, value):
    data = ONE + b"---\n" + TWO + b"    key: " + end
    file = read(data)

    annotations = [item.annotations for item in file.manifests]
    bodies = [json.loads(file.read_json(item)) for item in file.manifests]
    assert (annotations[1] or {})["key"] == value
    assert annotations == [body["metadata"]["annotations"] for body in bodies]
    assert file.excerpt(data, frozenset({0, 1})) == data


def test_an_excerpt_of_a_json_stream_is_json():
    data = as_json("one") + b"\n" + as_json("two") + b"\n" + as_json("three")
    file = read(data)

    for keep, expected in (({0}, "one"), ({1}, "two"), ({2}, "three")):
        assert json.loads(file.excerpt(data, frozenset(keep)))["metadata"]["name"] == expected


PIECES = st.sampled_from([b"# note\n", b"\n", b"", b"# ---\n"])
SEPARATORS = st.sampled_from([b"---\n", b"--- # x\n", b"---\r\n", b"---\n---\n"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    data = draw(PIECES)
    for number in range(draw(st.integers(1, 4))):
        data += (draw(SEPARATORS) if number or draw(st.booleans()) else b"") + draw(PIECES)
        data += manifest(f"n{number}").encode() + draw(PIECES)
    return data


@given(files(), st.data())
def test_an_excerpt_has_exactly_the_selected_manifests(data, draws):
    file = read(data)
    keep = draws.draw(st.frozensets(st.integers(0, len(file.manifests) - 1)))
    remaining = read(file.excerpt(data, keep))

    assert names(remaining) == [name for at, name in enumerate(names(file)) if at in keep]
    assert [remaining.read_json(item) for item in remaining.manifests] == [
        file.read_json(item) for at, item in enumerate(file.manifests) if at in keep
    ]


@given(st.binary(max_size=60) | st.text("-{}[]:#&*!|>'\" \n\tab,", max_size=40).map(str.encode))
def test_no_bytes_raise_an_exception(data):
    file, problems = read_with_problems(data)

    assert all(str(problem.where).startswith("f.yaml") for problem in problems)
    assert len(file.spans) == len(file.manifests)
