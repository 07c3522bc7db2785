# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Layers: which entries are kept, how, and what is refused."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
from typing import Any

import pytest
import zstandard

from ansible_collections.capability.openshift.plugins.module_utils._problems import RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry import layer as reader
from ansible_collections.capability.openshift.plugins.module_utils._registry.layer import read_layer
from ansible_collections.capability.openshift.tests.unit.builders.images import link, tar

KEPT = ("a", "b")


def read(data: bytes):
    return read_layer(io.BytesIO(data), KEPT, "layer")


def problem(data: bytes) -> tuple[str, str, str]:
    with pytest.raises(RegistryError) as raised:
        read(data)
    (found,) = raised.value.problems
    assert str(found.where) == "layer"
    return found.code, found.message, found.hint


def test_only_the_directories_are_kept():
    layer = read(tar([("a/", None), ("a/x", b"1"), ("b/y/z", b"2"), ("c/x", b"3"), ("ab/x", b"4"), ("x", b"5")]))

    assert layer.entries == {"a": None, "a/x": b"1", "b/y/z": b"2"}
    assert (layer.deleted, layer.opaque) == (frozenset(), frozenset())


@pytest.mark.parametrize("name", ["a/x", "./a/x", "/a/x", "//a//x", "./a/./x"])
def test_one_file_has_many_names(name):
    assert read(tar([(name, b"1")])).entries == {"a/x": b"1"}


@pytest.mark.parametrize("name", ["../a/x", "a/../../b/x", "a/../b/x", "..", "."])
def test_what_leads_elsewhere_is_ignored(name):
    assert read(tar([(name, b"1")])).entries == {}


def test_the_last_of_two_entries_counts():
    assert read(tar([("a/x", b"1"), ("a/x", b"2")])).entries == {"a/x": b"2"}


def test_whiteouts_and_opaque_directories():
    entries = [("a/.wh.x", b""), (".wh.b", b""), ("a/y/.wh..wh..opq", b""), ("c/.wh.x", b""), (".wh..wh..opq", b"")]

    layer = read(tar(entries))

    assert layer.entries == {}
    assert layer.deleted == {"a/x", "b"}
    assert layer.opaque == {"a/y", ""}


def test_links():
    entries: list[Any] = [("a/x", b"1"), link("a/hard", "a/x", tarfile.LNKTYPE), link("a/out", "c/x", tarfile.LNKTYPE)]
    entries += [link("a/soft", "x"), link("a/pipe", "", tarfile.FIFOTYPE)]

    kinds = {"a/out": "a hard link", "a/soft": "a symbolic link", "a/pipe": "not a regular file"}
    assert read(tar(entries)).entries == {"a/x": b"1", "a/hard": b"1", **kinds}


def test_compressions():
    data = tar([("a/x", b"1"), ("a/y", b"2")])
    members = gzip.compress(data[:700]) + gzip.compress(b"") + gzip.compress(data[700:])

    assert read(data) == read(gzip.compress(data)) == read(members)
    assert set(read(members).entries) == {"a/x", "a/y"}


ZSTD_LIBRARIES = ("compression.zstd", "backports.zstd", "zstandard")


def keep_only(monkeypatch, library):
    for name in ZSTD_LIBRARIES:
        if name != library:
            monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("library", ZSTD_LIBRARIES)
def test_zstd_with_each_library(library, monkeypatch):
    pytest.importorskip(library, exc_type=ImportError)
    keep_only(monkeypatch, library)
    data = tar([("a/x", b"1"), ("b/x", b"2" * 1_000_000), ("a/y", b"3")])
    frames = zstandard.compress(data[:700]) + zstandard.compress(data[700:])
    assert read(zstandard.compress(data)) == read(frames) == read(data)
    for damaged in (frames[:-20], frames[:200] + b"x" * 50 + frames[250:], b"\x28\xb5\x2f\xfd" + data):
        assert problem(damaged)[0] == "invalid-layer"


def test_zstd_without_a_library(monkeypatch):
    keep_only(monkeypatch, None)
    code, message, hint = problem(b"\x28\xb5\x2f\xfd" + tar([("a/x", b"1")]))
    assert code == "zstd-not-supported"
    assert message == "is compressed with zstd, which needs Python 3.14 or the library zstandard or backports.zstd"
    assert hint == "Install zstandard for the Python that runs the module"


BIG = tarfile.TarInfo("a/big")
BIG.size = reader.LARGEST_FILE + 1
PAX = tarfile.TarInfo("a/x")
PAX.pax_headers = {"comment": "x" * (33 << 20)}
LONG = tarfile.TarInfo("a/x")
LONG.type, LONG.size = tarfile.GNUTYPE_LONGNAME, 2 << 20


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "invalid-layer"),
        (b"not an archive" * 100, "invalid-layer"),
        (gzip.compress(b"not an archive" * 100), "invalid-layer"),
        (gzip.compress(tar([("a/x", b"1")]))[:-20], "invalid-layer"),
        (tar([("a/x", os.urandom(4096))])[:2000], "invalid-layer"),
        (tar([("a/x", b"1")]) + b"", ""),
        (tar([("a/" + "n" * 256, b"1")]), "invalid-layer"),
        (tar([("a/\n", b"1")]), "invalid-layer"),
        (gzip.compress(tar([BIG])), "layer-too-large"),
        (gzip.compress(tar([PAX])), "invalid-layer"),
        (LONG.tobuf() + bytes(2 << 20) + tar([("a/x", b"1")]), "invalid-layer"),
    ],
    ids=["empty", "text", "packed-text", "cut", "cut-file", "whole", "long", "newline", "big", "header", "long-name"],
)
def test_what_is_refused(data, code):
    if code:
        assert problem(data)[0] == code
    else:
        assert read(data).entries == {"a/x": b"1"}


def test_limits_of_all_files_together(monkeypatch):
    monkeypatch.setattr(reader, "LARGEST_TOTAL", 5)
    assert problem(tar([("a/x", b"123"), ("a/y", b"456")]))[0] == "layer-too-large"
    monkeypatch.setattr(reader, "LARGEST_TOTAL", 500)
    monkeypatch.setattr(reader, "MOST_FILES", 1)
    assert problem(tar([("a/x", b"123"), ("a/y", b"456")]))[0] == "layer-too-large"
    monkeypatch.setattr(reader, "MOST_FILES", 100)
    monkeypatch.setattr(reader, "_MOST_ENTRIES", 1)
    assert problem(tar([("c/x", b"123"), ("c/y", b"456")]))[:2] == (
        "layer-too-large",
        "the layer has more than 1 entries",
    )


def test_a_layer_that_unpacks_to_more_than_the_limit(monkeypatch):
    monkeypatch.setattr(reader, "_LARGEST_LAYER", 1 << 20)

    code, message, _hint = problem(gzip.compress(tar([("c/zeros", b"\0" * (2 << 20)), ("a/x", b"1")])))

    assert (code, message) == ("invalid-layer", "the layer cannot be read: it has more than 1048576 bytes")


def header(name: str, kind: bytes, data: bytes = b"") -> bytes:
    """Return one header of an archive with its data."""
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, len(data)
    return member.tobuf(tarfile.GNU_FORMAT) + data + b"\0" * (-len(data) % 512)


FILE = header("a/x", tarfile.REGTYPE, b"data")
END = b"\0" * 1024


@pytest.mark.parametrize(
    "data",
    [
        header("././@LongLink", tarfile.GNUTYPE_LONGNAME, b"aaaa\0") * 3000,
        header("pax", tarfile.XHDTYPE, b"8 a=bcd\n") * 3000,
        header("pax", tarfile.XHDTYPE, b"12 size=-99\n"),
        header("pax", tarfile.XHDTYPE, b"23 GNU.sparse.map=a,b,c\n"),
        header("pax", tarfile.XHDTYPE, b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"),
        header("pax", tarfile.XHDTYPE, b"0 a=b\n"),
        header("pax", tarfile.XHDTYPE, b"99999999999999999999 a=b\n"),
    ],
    ids=["long names", "attributes", "negative size", "sparse map", "sparse version", "length zero", "length"],
)
def test_malicious_headers_are_refused(data):
    """None of them ends with an exception of tarfile or of Python's stack."""
    assert problem(data + FILE + END)[0] == "invalid-layer"
