# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Ansible shows every 5 seconds while a registry is slow, or a mirror has many images."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.registry.harness.proxy import Proxy
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer, release_entries
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    image_references,
    manifest,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.watched_playbook import run_playbook

pytestmark = pytest.mark.deep

RELEASE = Path(__file__).parents[2] / "examples" / "releases" / "4.21.0"
INFO, CHECK = "capability.openshift.release_info", "capability.openshift.mirror_check"
IMAGES = 190
LARGE = random.Random(1).randbytes(3 << 20)


@pytest.fixture
def trusting(registry_site: Site, tmp_path: Path) -> dict[str, Any]:
    """Options of modules that read from the proxy."""
    return {"ca_path": str(registry_site.ca), "release_cache": str(tmp_path / "cache"), "signature": "ignore"}


def test_a_release_that_is_read_slowly_shows_its_megabytes(
    registry: Registry, proxy: Proxy, trusting: dict[str, Any], tmp_path: Path
) -> None:
    manifests = {**release_entries(RELEASE, ["release-manifests"]), "release-manifests/large.txt": LARGE}
    found = image([layer(release_entries(RELEASE, ["manifests"])), layer(manifests)])
    registry.push("ocp/slow", found)
    name = f"{proxy.host}/ocp/slow@{found.digest}"
    task = {INFO: {"release": name, **trusting}}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]))
    proxy.pace = 0.3
    played = run_playbook(tmp_path, "play.yml", {})

    assert played.code == 0, played
    texts = [line.text for line in played.progress]
    read = [match for text in texts if (match := re.fullmatch(rf"{name}: (\d) of 3 MB of a layer", text))]
    assert read, played.err
    assert [match[1] for match in read] == sorted(match[1] for match in read)


def test_a_mirror_shows_how_many_images_are_checked(
    registry: Registry, proxy: Proxy, trusting: dict[str, Any], tmp_path: Path
) -> None:
    base = layer({"base": b"x"})
    found = [image([base, layer({f"{number:03}": b"x"})]) for number in range(IMAGES)]
    for item in found:
        registry.push("mirror/many", item)
    names = {f"part-{number:03}": f"quay.io/ocp/art@{item.digest}" for number, item in enumerate(found[1:])}
    release = write_release(
        tmp_path / "4.21", {"a.yaml": manifest("one")}, "4.21.0", references=image_references("4.21.0", names)
    )
    mirrors = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ImageDigestMirrorSet",
        "metadata": {"name": "site"},
        "spec": {"imageDigestMirrors": [{"source": "quay.io/ocp/art", "mirrors": [f"{proxy.host}/mirror/many"]}]},
    }
    options = {"release": str(release), "release_image": f"quay.io/ocp/art@{found[0].digest}", "mirrors": [mirrors]}
    (tmp_path / "key").write_bytes(Key("Release key").ring)
    (tmp_path / "signatures").mkdir()
    options |= {"signature_keys": ["key"], "signature_stores": ["signatures"], "ca_path": trusting["ca_path"]}
    proxy.delay = 0.2
    played = run_playbook(tmp_path, CHECK, {**options, "images": "all"})

    texts = [line.text for line in played.progress]
    counts = [int(match[1]) for text in texts if (match := re.fullmatch(rf"mirror: (\d+) of {IMAGES} images", text))]
    assert counts, played.out + played.err
    assert counts == sorted(counts)
    # On a busy machine, a line is shown before the first image is checked.
    assert any(counts)
    assert f"of {IMAGES} images" in played.out
