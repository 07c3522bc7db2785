# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases by the names of their images: from registries and archives, into the cache, through the modules."""

from __future__ import annotations

import base64
import json
import os
import tarfile
import tempfile
import threading
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpClient
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._release_image.open_release import open_release
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import ReleaseSource
from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests, update_plan
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    image,
    image_list,
    layer,
    release_entries,
    release_image,
)
from ansible_collections.capability.openshift.tests.unit.other_user import as_other_user
from ansible_collections.capability.openshift.tests.unit.run_module import caller

RELEASES = Path(__file__).parents[2] / "examples" / "releases"
OLD, NEW = RELEASES / "4.21.0", RELEASES / "4.22.0"
REPOSITORY = "ocp/release"
OLD_IMAGE, NEW_IMAGE = release_image(OLD, noise=100_000), release_image(NEW)
BOTH = image_list({"amd64": OLD_IMAGE, "arm64": NEW_IMAGE})


@pytest.fixture(autouse=True, scope="module")
def pushed(registry):
    registry.push(REPOSITORY, OLD_IMAGE, "4.21.0")
    registry.push(REPOSITORY, NEW_IMAGE, "4.22.0")
    registry.push(REPOSITORY, BOTH, "both")


@pytest.fixture
def call(capsys):
    return caller(capsys)


@pytest.fixture
def options(registry_site, tmp_path):
    return {"ca_path": str(registry_site.ca), "release_cache": str(tmp_path / "cache"), "signature": "ignore"}


@pytest.fixture
def source(registry_site, tmp_path):
    return ReleaseSource(AccessOptions(ca_path=str(registry_site.ca)), str(tmp_path / "cache"))


def spec(server, found=OLD_IMAGE) -> str:
    return f"{server.host}/{REPOSITORY}@{found.digest}"


def same_files(directory: str, release: Path) -> bool:
    found = {
        str(path.relative_to(directory)): path.read_bytes() for path in Path(directory).rglob("*") if path.is_file()
    }
    found.pop("release-image.json")
    return found == {str(path.relative_to(release)): path.read_bytes() for path in release.rglob("*") if path.is_file()}


def code(call, *args, **options) -> str:
    with pytest.raises(CapabilityError) as raised:
        call(*args, **options)
    return raised.value.problems[0].code


def test_a_release_is_the_same_from_an_image_and_from_a_directory(call, options, proxy):
    from_image = call(release_info, release=spec(proxy), **options)
    from_directory = call(release_info, release=str(OLD), release_image=spec(proxy))

    different = {
        name: (value, from_directory["release"][name])
        for name, value in from_image["release"].items()
        if value != from_directory["release"][name]
    }
    assert different == {"architecture": ("amd64", None), "source": (spec(proxy), None)}
    assert from_image["release"]["digest"] == OLD_IMAGE.digest
    assert from_image["problems"] == from_directory["problems"]
    assert [seen.status for seen in proxy.seen] == [200] * 4, "manifest, two layers and the configuration"
    assert proxy.sent < 60_000, "the layer of 100 kB was moved"


def test_the_digest_of_a_list_and_the_architecture_of_its_image(call, options, registry):
    shown = call(release_info, release=f"{registry.host}/{REPOSITORY}:both", architecture="arm64", **options)["release"]

    assert shown["digest"] == BOTH.digest
    assert shown["pull_spec"] == spec(registry, BOTH)
    assert shown["architecture"] == "amd64", "that of the image in the list, which the test did not build for arm64"


def test_two_images_are_compared(call, options, registry):
    changes = call(release_info, release=spec(registry, NEW_IMAGE), previous_release=spec(registry), **options)[
        "changes"
    ]
    same = call(release_info, release=NEW, previous_release=OLD)["changes"]

    images = changes["resources"].pop("images")
    assert same["resources"].pop("images")["added"] == []
    assert (images["added"], images["removed"]) == ([spec(registry, NEW_IMAGE)], [spec(registry)])
    assert changes == same
    assert changes["previous_version"] == "4.21.0"
    assert changes["manifests"]["added"]


def test_the_pull_spec_is_known_by_itself(call, options, proxy, tmp_path):
    shown = call(release_manifests, release=f"{proxy.host}/{REPOSITORY}:4.21.0", dest=str(tmp_path / "out"), **options)

    assert "missing-release-image" not in {item["code"] for item in shown["problems"]}
    texts = [path.read_text("utf-8") for path in (tmp_path / "out").iterdir()]
    assert any(spec(proxy) in text for text in texts)


def test_a_second_use_sends_no_request(call, options, proxy):
    first = call(release_info, release=spec(proxy), **options)
    proxy.reset()
    second = call(release_info, release=spec(proxy), **options)

    assert second.result == first.result
    assert proxy.seen == []


def test_a_tag_is_looked_up_and_its_release_read_once(source, proxy):
    opened = [open_release(f"{proxy.host}/{REPOSITORY}:4.21.0", source, Problems()) for _number in range(2)]

    assert opened[0] == opened[1]
    assert opened[0].pull_spec == spec(proxy)
    assert len([seen for seen in proxy.seen if not seen.is_blob]) == 2
    assert len(proxy.blobs) == 3


@pytest.fixture
def shared(source):
    """Return a source with a cache that all users can write to."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o1777)
        ca = Path(folder, "ca.crt")
        ca.write_bytes(Path(source.access.ca_path).read_bytes())
        yield source._replace(access=source.access._replace(ca_path=str(ca)), cache=folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_second_user_of_a_cache(shared, registry, monkeypatch):
    with as_other_user():
        theirs = open_release(spec(registry), shared, Problems())
    ours = open_release(spec(registry), shared, Problems())
    assert ours.directory != theirs.directory
    assert same_files(ours.directory, OLD)
    root_read = open_release(spec(registry, NEW_IMAGE), shared, Problems())
    monkeypatch.setattr(HttpClient, "request", lambda *_, **_options: pytest.fail("it sent a request"))
    with as_other_user():
        assert open_release(spec(registry), shared, Problems()) == theirs
        assert open_release(spec(registry, NEW_IMAGE), shared, Problems()).directory == root_read.directory
        assert same_files(root_read.directory, NEW)
    assert open_release(spec(registry), shared, Problems()) == ours


def test_a_cache_that_cannot_be_written_serves_what_it_has(shared, registry):
    tag = f"{registry.host}/{REPOSITORY}:4.21.0"
    known = open_release(tag, shared, Problems())
    os.chmod(shared.cache, 0o555)
    with as_other_user():
        assert open_release(tag, shared, Problems()).directory == known.directory
        assert open_release(spec(registry), shared, Problems()).directory == known.directory
        assert code(open_release, f"{registry.host}/{REPOSITORY}:4.22.0", shared, Problems()) == "unwritable-cache"


def test_a_plan_of_pull_specs(call, options, registry):
    path = [spec(registry), {"release": spec(registry, NEW_IMAGE)}]

    plan = call(update_plan, releases=path, **options)

    assert plan["releases"] == ["4.21.0", "4.22.0"]
    fleet = call(update_plan, clusters=[{"name": "a", "releases": path}, {"name": "b", "releases": path}], **options)
    assert set(fleet["clusters"]) == {"a", "b"}


def test_the_layers_of_three_copies_are_all_read_and_no_other(source, proxy):
    entries = release_entries(OLD)
    own = [name for name in entries if name.startswith("manifests/") and entries[name] is not None]
    crd = [name for name in own if "clusterversion" in name]
    parts = [{name: entries[name] for name in own if (name in crd) == first} for first in (True, False)]
    rest = {name: data for name, data in entries.items() if name.startswith("release-manifests/")}
    found = image([layer({"usr/x": b"x" * 1000}), *map(layer, parts), layer(rest)])
    proxy.registry.push(REPOSITORY, found)

    opened = open_release(spec(proxy, found), source, Problems())

    assert same_files(opened.directory, OLD)
    config, _lowest, *layers = found.blobs
    assert {seen.path.rpartition("/")[2] for seen in proxy.blobs} == {blob.digest for blob in (config, *layers)}


def test_parallel_tasks_read_a_release_once(source, proxy):
    proxy.delay = 0.05
    opened = []
    threads = [
        threading.Thread(target=lambda: opened.append(open_release(spec(proxy), source, Problems())))
        for _number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(opened) == 4
    assert len(set(opened)) == 1
    assert len(proxy.blobs) == 3


def test_an_archive_of_a_mirror(source, registry, tmp_path):
    registry.push("openshift/release-images", OLD_IMAGE, "4.21.0-x86_64")
    registry.push("openshift/release-images", NEW_IMAGE, "4.22.0-x86_64")
    folder = tmp_path / "mirror"
    folder.mkdir()
    with tarfile.open(folder / "mirror_000001.tar", "w") as tar:
        tar.add(registry.site.folder / "storage", arcname="")

    for path in (folder, folder / "mirror_000001.tar", registry.site.folder / "storage"):
        assert same_files(open_release(f"oc-mirror:{path}@{OLD_IMAGE.digest}", source, Problems()).directory, OLD)
    with pytest.raises(CapabilityError) as raised:
        open_release(f"oc-mirror:{folder}", source, Problems())
    (problem,) = raised.value.problems
    assert problem.code == "image-not-found"
    assert f"4.22.0-x86_64 ({NEW_IMAGE.digest})" in problem.message
    assert code(open_release, f"oc-mirror:{tmp_path}", source, Problems()) == "unreadable-image"


def auth_file(folder: Path, host: str, password: str = PASSWORD) -> str:
    path = folder / "auth.json"
    auth = base64.b64encode(f"{USER}:{password}".encode()).decode()
    path.write_text(json.dumps({"auths": {host: {"auth": auth}}}))
    return str(path)


@pytest.mark.parametrize("kind", ["basic_registry", "token_registry"])
def test_credentials_are_used_and_never_shown(call, options, kind, request, tmp_path, monkeypatch):
    server = request.getfixturevalue(kind)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    (tmp_path / "config.json").write_text("{")

    refused = call(release_info, release=spec(server), **options)
    assert refused.failed
    # A file that cannot be read is only a warning, and the reason here.
    assert [item["code"] for item in refused["problems"]] == ["registry-unauthorized", "invalid-json"]
    wrong = call(release_info, release=spec(server), auth_file=auth_file(tmp_path, server.host, "wr0ng"), **options)
    shown = call(release_info, release=spec(server), auth_file=auth_file(tmp_path, server.host), **options)

    assert shown["release"]["version"] == "4.21.0"
    assert wrong.failed
    assert "wr0ng" not in json.dumps(wrong.result)
    assert PASSWORD not in json.dumps(shown.result)


def test_a_mirror_of_the_release(source, proxy, tmp_path):
    mirrors = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ImageDigestMirrorSet",
        "metadata": {"name": "release"},
        "spec": {
            "imageDigestMirrors": [
                {
                    "source": "quay.example/ocp/release",
                    "mirrors": [f"{proxy.host}/{REPOSITORY}"],
                    "mirrorSourcePolicy": "NeverContactSource",
                }
            ]
        },
    }
    mirrored = source._replace(access=source.access._replace(mirrors=[mirrors]))

    opened = open_release(f"quay.example/ocp/release@{OLD_IMAGE.digest}", mirrored, Problems())

    assert same_files(opened.directory, OLD)
    assert opened.pull_spec == f"quay.example/ocp/release@{OLD_IMAGE.digest}"
    assert opened.image is not None
    assert opened.image.source == spec(proxy)
