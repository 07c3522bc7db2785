# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action reads the same as the module: directories, and images that are in the cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._release_image.cache import (
    ReleaseCache,
    default_directory,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import ReleaseImage
from ansible_collections.capability.openshift.plugins.modules import release_info
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    image_references,
    manifest,
    metadata,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.run_action import MODULE, ActionTask

FILES = {"a.yaml": manifest("one"), "b.yaml": manifest("console", "Console")}
OLDER = {"a.yaml": manifest("one"), "c.yaml": manifest("storage", "Storage")}
DIGEST = "sha256:" + 64 * "1"
STORED = f"registry.example/release@{DIGEST}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a playbook with two releases. A third one is in the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)  # as the directory of a playbook for modules in this process
    write_release(tmp_path / "4.20.3", FILES)
    write_release(tmp_path / "4.19.1", OLDER, "4.19.1")
    files = {
        **{f"release-manifests/{name}": text.encode() for name, text in FILES.items()},
        "release-manifests/release-metadata": json.dumps(metadata("4.20.3")).encode(),
        "release-manifests/image-references": json.dumps(image_references("4.20.3")).encode(),
        "manifests/0000_00.yaml": manifest("cvo").encode(),
    }
    image = ReleaseImage(DIGEST, DIGEST, "amd64", "registry.example/release")
    ReleaseCache(default_directory({"XDG_CACHE_HOME": str(tmp_path / "cache")})).add(image, files)
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        {"release": "4.20.3"},
        {"release": "4.20.3", "images": True, "capabilities": {"baselineCapabilitySet": "None"}},
        {"release": "4.20.3", "previous_release": "4.19.1"},
        {"release": STORED, "signature": "ignore"},
        {"release": STORED, "architecture": "x86_64"},
        {"release": "4.20.3", "previous_release": STORED, "signature": "ignore"},
    ],
    ids=["directory", "images", "changes", "image", "signature", "changes of image"],
)
def test_the_result_is_that_of_the_module(folder, monkeypatch, call, options):
    here = ActionTask("release_info", folder).run(monkeypatch, **options)
    module = call(release_info, **options).result
    for result in (here, module):
        result.pop("warnings", None)
    assert here == module


@pytest.mark.parametrize(
    "options",
    [
        {"release": "registry.example/release@sha256:" + 64 * "2"},
        {"release": "registry.example/release:4.20.3"},
        {"release": STORED, "release_cache": "elsewhere"},
        {"release": "4.20.3", "previous_release": "oci-archive:layout.tar"},
        {"release": "registry.example/release@sha256:1"},
    ],
    ids=["digest", "tag", "cache", "changes", "invalid"],
)
def test_the_module_reads_what_is_not_in_the_cache(folder, monkeypatch, options):
    read: list[Any] = []
    monkeypatch.setattr(release_info, "run_release_info", lambda params, problems: read.append(params))
    assert ActionTask("release_info", folder).run(monkeypatch, **options) == MODULE
    assert read == []


def test_the_module_fails_if_a_signature_is_required(folder, monkeypatch):
    task = ActionTask("release_info", folder)
    assert task.run(monkeypatch, release=STORED, signature="required") == MODULE
