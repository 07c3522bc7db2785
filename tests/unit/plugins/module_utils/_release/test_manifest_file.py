# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._release.manifest_file import (
    ManifestFile,
    read_manifest_file,
)
from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import read_head
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest

ONE, TWO, THREE = (manifest(name).encode() for name in ("one", "two", "three"))


def read(data: bytes) -> ManifestFile:
    file, problems = read_manifest_file("f.yaml", data, read_head)
    assert problems == ()
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
def test_a_file_is_cut_into_its_documents(data, expected):
    assert names(read(data)) == expected


def test_documents_are_numbered_as_they_stand_in_the_file():
    file = read(b"# nothing\n---\n" + ONE + b"---\n" + TWO)

    assert [item.document for item in file.manifests] == [1, 2]


@pytest.mark.parametrize(
    ("data", "where", "part"),
    [
        (ONE + b"--- foo\n" + TWO, "f.yaml, document 2 (line 7)", "invalid YAML document separator: foo"),
        (ONE + b"----\n" + TWO, "f.yaml, document 2 (line 7)", "invalid YAML document separator: -"),
        (ONE + b"---\nkind: [\n", "f.yaml, document 2", "is not valid YAML"),
        (ONE + b"---\n- a\n", "f.yaml, document 2 (line 8)", "the document is a list"),
        (ONE + b"---\n" + ONE, "f.yaml, document 2 (line 8)", "ConfigMap one begins in line 1 already"),
        (b"kind: A\nmetadata: {name: \xff}\n", "f.yaml (line 2)", "byte 25 is not valid UTF-8"),
        (as_json("one") + as_json("one"), "f.yaml, document 2 (line 1)", "begins in line 1 already"),
        (ONE + b"---\napiVersion: v1\nkind: List\nitems: []\n", "f.yaml, document 2 (line 8), kind", "is a list"),
    ],
)
def test_an_error_names_the_document_and_its_line(data, where, part):
    _file, problems = read_manifest_file("f.yaml", data, read_head)

    (problem,) = problems
    assert problem.severity == "error"
    assert problem.where.startswith(where)
    assert part in problem.message


def test_every_document_in_error_is_told():
    data = b"kind: [\n---\n" + ONE + b"---\nkind: A\n---\n" + ONE + b"--- x\n"
    file, problems = read_manifest_file("f.yaml", data, read_head)

    wrong = [problem.where for problem in problems if problem.severity == "error"]
    assert [where.partition(" (")[0] for where in wrong] == [
        "f.yaml, document 1",
        "f.yaml, document 3",
        "f.yaml, document 4",
        "f.yaml, document 5",
    ]
    assert names(file)[0] == "one"


def test_a_document_behind_dots_is_a_warning():
    _file, (problem,) = read_manifest_file("f.yaml", ONE + b"...\n" + TWO, read_head)

    assert problem.severity == "warning"
    assert "the CVO reads only the first" in problem.message


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_the_version_is_not_part_of_the_identity(api):
    data = ONE + b"---\n" + manifest("one", api=api).encode()
    _file, (problem,) = read_manifest_file("f.yaml", data, read_head)

    assert "twice" in problem.message


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

    assert file.excerpt(frozenset({0, 1, 2})) == data
    assert file.excerpt(frozenset({0})) == b"# head\n" + ONE
    assert file.excerpt(frozenset({1})) == b"---\n# about two\n" + TWO + b"# end of two\n"
    assert file.excerpt(frozenset({0, 2})) == b"# head\n" + ONE + b"---\n# about three\n" + THREE


def test_what_follows_the_last_document_belongs_to_it():
    data = ONE + b"---\n" + TWO + b"---\n# the end\n"

    assert read(data).excerpt(frozenset({1})) == b"---\n" + TWO + b"---\n# the end\n"


def test_the_text_of_a_manifest_has_no_separator():
    file = read(ONE + b"---\n" + TWO)

    assert [file.text(item) for item in file.manifests] == [ONE, TWO]


def test_an_excerpt_of_a_json_stream_is_json():
    file = read(as_json("one") + b"\n" + as_json("two") + b"\n" + as_json("three"))

    for keep, expected in (({0}, "one"), ({1}, "two"), ({2}, "three")):
        assert json.loads(file.excerpt(frozenset(keep)))["metadata"]["name"] == expected


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
def test_an_excerpt_read_again_holds_exactly_the_manifests_that_were_kept(data, draws):
    file = read(data)
    keep = draws.draw(st.frozensets(st.integers(0, len(file.manifests) - 1)))
    kept = read(file.excerpt(keep))

    assert names(kept) == [name for at, name in enumerate(names(file)) if at in keep]
    assert [kept.text(item) for item in kept.manifests] == [
        file.text(item) for at, item in enumerate(file.manifests) if at in keep
    ]


@given(st.binary(max_size=60) | st.text("-{}[]:#&*!|>'\" \n\tab,", max_size=40).map(str.encode))
def test_no_bytes_at_all_end_in_an_exception(data):
    file, problems = read_manifest_file("f.yaml", data, read_head)

    assert all(problem.where.startswith("f.yaml") for problem in problems)
    assert len(file.spans) == len(file.manifests)
