# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module release_fetch: from a real registry to a directory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_fetch, release_info
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image
from ansible_collections.capability.openshift.tests.unit.run_module import caller

RELEASES = Path(__file__).parents[2] / "examples" / "releases"
OLD, NEW = RELEASES / "4.21.0", RELEASES / "4.22.0"
IMAGES = {"4.21.0": release_image(OLD, noise=1000), "4.22.0": release_image(NEW)}
INVENTORY = ".capability-openshift-files"


@pytest.fixture(autouse=True, scope="module")
def pushed(registry):
    for tag, image in IMAGES.items():
        registry.push("ocp/fetch", image, tag)


@pytest.fixture
def fetch(capsys, registry, tmp_path):
    call = caller(capsys)
    common = {
        "ca_path": str(registry.site.ca),
        "release_cache": str(tmp_path / "cache"),
        "signature": "ignore",
        "dest": str(tmp_path / "dest"),
    }

    def run(tag: str = "4.21.0", **options):
        return call(release_fetch, **{"release": f"{registry.host}/ocp/fetch:{tag}", **common, **options})

    return run


def files(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if not name.endswith(INVENTORY)}


def test_the_files_are_those_of_the_release(fetch, tmp_path, registry, call):
    fetched = fetch()

    image = IMAGES["4.21.0"]
    assert fetched["changed"]
    assert files(tmp_path / "dest") == files(OLD)
    assert fetched["files"] == len(files(OLD))
    named = f"{registry.host}/ocp/fetch"
    assert fetched["image"] == {
        "pull_spec": f"{named}@{image.digest}",
        "digest": image.digest,
        "manifest_digest": image.digest,
        "architecture": "amd64",
        "source": f"{named}:4.21.0",
        "signed_by": [],
    }
    read = call(release_info, release=tmp_path / "dest", release_image="x")["release"]
    assert read == call(release_info, release=OLD, release_image="x")["release"]


@pytest.fixture
def call(capsys):
    return caller(capsys)


def test_a_second_run_changes_nothing_and_check_mode_predicts_that(fetch, tmp_path):
    planned = fetch(check=True, diff=True)
    assert planned["changed"]
    assert not (tmp_path / "dest").exists()
    done = fetch(diff=True)
    assert done["diff"] == planned["diff"]
    again = fetch(diff=True)
    assert (again["changed"], again["diff"]) == (False, [])


def test_another_release_replaces_the_files(fetch, tmp_path):
    fetch()
    (tmp_path / "dest" / "note").write_text("mine")

    changed = fetch("4.22.0", diff=True)

    assert changed["changed"]
    assert files(tmp_path / "dest") == {**files(NEW), "note": b"mine"}
    assert any("release-metadata" in entry["before_header"] for entry in changed["diff"])


def test_files_of_others_are_reported_for_both_directories_and_nothing_is_written(fetch, tmp_path):
    for folder in ("manifests", "release-manifests"):
        name = next((OLD / folder).iterdir()).name
        (tmp_path / "dest" / folder).mkdir(parents=True)
        (tmp_path / "dest" / folder / name).write_text("mine")

    refused = fetch()

    assert [code for code, _message in refused.faults] == ["foreign-file", "foreign-file"]
    assert len(files(tmp_path / "dest")) == 2


def test_what_is_not_an_image(fetch, tmp_path):
    assert fetch(release=str(tmp_path)).faults == [("not-an-image", "release")]
    assert fetch(release="quay.io/a@sha256:1").faults == [("invalid-digest", "release")]
    assert fetch(dest="").faults == [("empty-option", "dest")]


def test_a_python_without_urllib3(fetch, monkeypatch, registry):
    monkeypatch.setitem(sys.modules, "urllib3", None)

    assert fetch().faults == [("missing-library", f"{registry.host}/ocp/fetch:4.21.0")]
