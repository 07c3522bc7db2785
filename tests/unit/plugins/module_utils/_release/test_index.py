# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kept index of a release: it has what its files contain, and is not read after one of them changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release import documents, index
from ansible_collections.capability.openshift.plugins.module_utils._release.documents import read_manifest_file
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest_file import ManifestFile
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

RELEASES = os.environ.get("CAPABILITY_RELEASES", "")
FILES: dict[str, str | bytes] = {
    "0000_10_one.yaml": manifest("one") + "---\n" + manifest("two", annotations={"a": "b"}),
    "0000_20_quoted.yaml": manifest("three", annotations={"number": 1}),
}
CVO: dict[str, str | bytes] = {"0000_00_cvo.yaml": manifest("cvo", more="data: {image: '{{.ReleaseImage}}'}\n")}

Parsed = Callable[[], list[str]]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release whose files are old enough to be trusted."""
    later = time() + 60
    monkeypatch.setattr(index, "time", lambda: later)
    return write_release(tmp_path / "release", FILES, cvo=CVO)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Parsed:
    """The files that were parsed since the last call."""
    names: list[str] = []

    def recorded(name: str, *more: Any) -> ManifestFile:
        names.append(name)
        return read_manifest_file(name, *more)

    def since() -> list[str]:
        found = names.copy()
        names.clear()
        return found

    monkeypatch.setattr(documents, "read_manifest_file", recorded)
    return since


class Loaded(NamedTuple):
    release: Release
    problems: Problems


def load(path: Path, directory: Path | str, image: str = "registry.example/release@sha256:1") -> Loaded:
    problems = Problems()
    release = load_release(str(path), problems, index_directory=str(directory), release_image=image)
    return Loaded(release, problems)


def content(loaded: Loaded) -> list[object]:
    release = loaded.release
    files = [(name, *file[1:4], bytes(file.bodies), release.read_file(name)) for name, file in release.files.items()]
    bodies = [release.read_body(item) for item in release.manifests]
    return [release[:5], bodies, release.directories, files, loaded.problems, release.partial]


def test_a_kept_index_gives_the_same_release(release, tmp_path, parsed):
    (release / "manifests" / "0000_01_cvo.yaml").write_text("a: {{ range .Unknown }}\n", "utf-8")

    first = load(release, tmp_path / "cache")
    assert len(parsed()) == 3
    second = load(release, tmp_path / "cache")

    assert parsed() == []
    assert content(second) == content(first)
    assert {problem.code for problem in second.problems} == {"unsupported-template", "not-a-string"}
    assert second.release.partial


@pytest.mark.skipif(not RELEASES, reason="needs real releases (CAPABILITY_RELEASES)")
@pytest.mark.parametrize("path", sorted(Path(RELEASES).glob("*/")) if RELEASES else [], ids=lambda path: path.name)
def test_the_index_of_a_real_release(path, tmp_path, parsed):
    first = load(path, tmp_path)
    assert parsed()
    second = load(path, tmp_path)

    assert parsed() == []
    assert (second.release[:5], second.problems) == (first.release[:5], first.problems)
    assert list(second.release.files.values()) == list(first.release.files.values())


def _same_size_and_time(release: Path) -> None:
    file = release / "release-manifests" / "0000_10_one.yaml"
    before = file.stat()
    file.write_text(file.read_text("utf-8").replace("two", "six"), "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _another_file(release: Path) -> None:
    file = release / "release-manifests" / "0000_10_one.yaml"
    text = file.read_text("utf-8").replace("two", "six")
    file.unlink()
    file.write_text(text, "utf-8")


def _one_more(release: Path) -> None:
    (release / "release-manifests" / "0000_30_six.yaml").write_text(manifest("six"), "utf-8")


def _one_less(release: Path) -> None:
    (release / "release-manifests" / "0000_10_one.yaml").unlink()


def _image_references(release: Path) -> None:
    file = release / "release-manifests" / "image-references"
    references = json.loads(file.read_text("utf-8"))
    references["spec"]["tags"] = [{"name": "cli", "from": {"name": "registry.example/cli@sha256:2"}}]
    file.write_text(json.dumps(references), "utf-8")


@pytest.mark.parametrize("change", [_same_size_and_time, _another_file, _one_more, _one_less, _image_references])
def test_a_change_of_any_file_is_seen(change, release, tmp_path, parsed):
    load(release, tmp_path / "cache")
    change(release)
    parsed()

    found = load(release, tmp_path / "cache")

    assert parsed()
    assert content(found) == content(load(release, ""))


def test_another_release_image_is_another_index(release, tmp_path, parsed):
    load(release, tmp_path / "cache")
    parsed()

    other = load(release, tmp_path / "cache", image="registry.example/release@sha256:2")

    assert parsed()
    (cvo,) = [item for item in other.release.manifests if item.resource_id.name == "cvo"]
    assert other.release.read_body(cvo)["data"]["image"] == "registry.example/release@sha256:2"


def test_the_index_of_another_version_of_the_collection_is_not_read(release, tmp_path, parsed, monkeypatch):
    load(release, tmp_path / "cache")
    parsed()
    monkeypatch.setattr(index, "COLLECTION_VERSION", "9.9.9")

    load(release, tmp_path / "cache")

    assert parsed()


def test_files_that_changed_just_now_are_not_trusted(tmp_path, parsed):
    release = write_release(tmp_path / "release", FILES)

    load(release, tmp_path / "cache")
    load(release, tmp_path / "cache")

    assert not (tmp_path / "cache").exists()
    assert len(parsed()) == 4


def test_a_release_with_errors_is_not_kept(release, tmp_path):
    (release / "release-manifests" / "0000_10_one.yaml").write_text("a: [\n", "utf-8")

    for _run in range(2):
        with pytest.raises(ReleaseError) as raised:
            load(release, tmp_path / "cache")
        assert [problem.code for problem in raised.value.problems if problem.severity == "error"] == ["invalid-yaml"]

    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"{}", b"half", b"\xff\n\xff"])
def test_a_damaged_index_is_replaced(damage, release, tmp_path, parsed):
    load(release, tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2] if damage == b"half" else damage)
    parsed()

    load(release, tmp_path / "cache")

    assert parsed()
    assert file.read_bytes() == data
    load(release, tmp_path / "cache")
    assert parsed() == []


def test_an_index_that_others_could_write_is_replaced(release, tmp_path, parsed):
    load(release, tmp_path / "cache")
    parsed()
    (file,) = (tmp_path / "cache").iterdir()
    file.chmod(0o602)

    load(release, tmp_path / "cache")
    assert len(parsed()) == 3
    load(release, tmp_path / "cache")
    assert parsed() == []


def test_an_index_of_another_user_is_not_read(release, tmp_path, parsed, monkeypatch):
    load(release, tmp_path / "cache")
    parsed()
    monkeypatch.setattr(index, "_ROOT", -1)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    load(release, tmp_path / "cache")
    assert len(parsed()) == 3


def test_a_directory_that_cannot_be_written_is_no_error(release, tmp_path, parsed):
    (tmp_path / "file").touch()

    for _run in range(2):
        assert load(release, tmp_path / "file").release.version
        assert load(release, tmp_path / "file" / "below").release.version

    assert len(parsed()) == 12


def test_old_indexes_are_removed(release, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "_MOST_INDEXES", 3)
    cache = tmp_path / "cache"
    for number in range(5):
        load(release, cache, image=f"registry.example/release@sha256:{number}")
        for file in cache.iterdir():
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 10))

    assert len(list(cache.iterdir())) == 3


def _replace_often(release: Path, cache: Path) -> bool:
    """Whether each of 20 loads is right, while other processes write and remove the same index."""
    counts = set()
    for _run in range(20):
        for file in cache.glob(f"*{index.INDEX_SUFFIX}"):
            file.unlink(missing_ok=True)
        counts.add(len(load(release, cache).release.manifests))
    return counts == {4}


def test_processes_share_a_directory(release, tmp_path):
    cache = tmp_path / "cache"
    load(release, cache)
    workers = []
    for _worker in range(4):
        worker = os.fork()
        if not worker:
            os._exit(0 if _replace_often(release, cache) else 1)
        workers.append(worker)

    assert [os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) for worker in workers] == [0] * 4
    assert {file.suffix for file in cache.iterdir()} == {index.INDEX_SUFFIX}
