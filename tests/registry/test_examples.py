# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of plugins that read from a registry, run as they are documented.

Others are in ``tests/unit/test_examples.py`` and ``tests/cluster/test_examples.py``. Defaults of the modules lead to a
mirror on loopback where an example names none, and have the key and the signatures. The certificate of the mirror is
one of the system.
"""

from __future__ import annotations

import base64
import json
import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site, mirror_sets
from ansible_collections.capability.openshift.tests.unit.builders.examples import (
    Outcomes,
    Plugin,
    play_of,
    plugins,
    run,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import Image, image, layer, release_image
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    image_references,
    manifest,
    write_files,
    write_release,
)

QUAY = "quay.io/openshift-release-dev"
RELEASES, OTHERS = "examples/release", "examples/art"
SOURCES = {f"{QUAY}/ocp-release": RELEASES, f"{QUAY}/ocp-v4.0-art-dev": OTHERS}
CLI = image([layer({"cli": b"x"})])
KEY = Key("Release key")
WORKING, SIGNATURES = "working-dir/cluster-resources", "working-dir/signatures"
OF_CLUSTERS = "Read the signatures that the cluster has"
IN_A_REGISTRY = "Check a release in a registry, and the update to it"
EXAMPLES = {plugin.name: plugin.tasks for plugin in plugins()}
OF_MIRRORS = [task for task in EXAMPLES["mirror_check"] if task["name"] != OF_CLUSTERS]
OF_RELEASES = [task for task in EXAMPLES["release_lint"] if task["name"] == IN_A_REGISTRY]


class Mirror(NamedTuple):
    """A mirror with releases, the files of the examples, and the images of the releases by their version."""

    registry: Registry
    folder: Path
    images: dict[str, Image]

    @property
    def variables(self) -> dict[str, Any]:
        """Variables that the examples do not define."""
        digest = self.images["4.21.3"].digest
        metadata = {"name": "signatures", "labels": {"release.openshift.io/verification-signatures": ""}}
        kind = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        signature = base64.b64encode(KEY.sign(content(digest))).decode()
        found = {**kind, "binaryData": {f"{digest.replace(':', '-')}-1": signature}}
        current = f"{QUAY}/ocp-release@{self.images['4.20.9'].digest}"
        return {
            "digest": digest,
            "release_digest": self.images["4.20.3"].digest,
            "cluster_version": {"status": {"desired": {"image": current}}},
            "signatures": {"stdout": json.dumps({"kind": "List", "items": [found]})},
        }


def write_archive(folder: Path, found: Image) -> None:
    """Write an archive of oc-mirror with one release."""
    write_files(folder / "media", {})
    site = Site(folder / "media")
    try:
        Registry(site).push("openshift/release-images", found, "4.20.3-x86_64")
        with tarfile.open(folder / "media" / "mirror_000001.tar", "w") as archive:
            archive.add(folder / "media" / "storage" / "docker", "docker")
    finally:
        site.processes.close(folder / "media" / "storage")


def write_releases(folder: Path) -> dict[str, Image]:
    """Write the releases of the examples, and return their images."""
    images = {}
    for version in ("4.19.9", "4.20.3", "4.20.9", "4.21.3"):
        references = image_references(version, {"cli": f"{QUAY}/ocp-v4.0-art-dev@{CLI.digest}"})
        files = {"0000_10_base_01.yaml": manifest("base")}
        cvo = {"0000_00_cvo_01.yaml": manifest("cvo")}
        path = write_release(folder / "releases" / version, files, version, references=references, cvo=cvo)
        images[version] = release_image(path)
    return images


def write_settings(folder: Path, registry: Registry) -> None:
    """Write what leads to the mirror."""
    mirror_set = json.dumps(mirrors_in(registry)[0])
    sources = mirrors_in(registry)[0]["spec"]["imageDigestMirrors"]
    write_files(folder, {"install-config.yaml": json.dumps({"apiVersion": "v1", "imageDigestSources": sources})})
    auth = json.dumps({"auths": {registry.host: {"auth": "dTpw"}}})
    ca = registry.site.ca.read_bytes()
    srv = folder / "srv"
    for parent in (folder, srv / "mirror"):
        write_files(parent / WORKING, {"idms.yaml": mirror_set})
    write_files(srv / "mirror", {"auth.json": auth, "ca.crt": ca})
    write_files(srv / "secrets", {"auth.json": auth, "mirror-ca.crt": ca})
    write_files(srv, {"pull-secret.json": auth, "ring.gpg": KEY.ring})


def mirrors_in(registry: Registry) -> list[dict[str, Any]]:
    return mirror_sets({source: f"{registry.host}/{path}" for source, path in SOURCES.items()})


@pytest.fixture
def mirror(registry: Registry, tmp_path: Path) -> Mirror:
    """A mirror that has all releases, but not what they name."""
    write_settings(tmp_path, registry)
    images = write_releases(tmp_path / "srv")
    for version, found in images.items():
        registry.push(RELEASES, found, f"{version}-x86_64")
        signature = {f"{version}-{found.digest.replace(':', '-')}": KEY.sign(content(found.digest))}
        write_files(tmp_path / "srv" / "mirror" / SIGNATURES, signature)
    return Mirror(registry, tmp_path, images)


def outcomes(tasks: Sequence[dict[str, Any]], mirror: Mirror) -> Outcomes:
    """Run examples."""
    own = mirror.variables
    tasks = [{**task, "vars": {name: own[name] for name in task.get("vars", ())}} for task in tasks]
    play = play_of(Plugin("registry", tasks), mirror.folder, own)
    srv = mirror.folder / "srv"
    signed = {"signature_keys": [f"{srv}/ring.gpg"], "signature_stores": [f"{srv}/mirror/{SIGNATURES}"]}
    play["module_defaults"] = {"group/capability.openshift.release": {**signed, "mirrors": mirrors_in(mirror.registry)}}
    (found,), printed = run(mirror.folder, play, settings={"SSL_CERT_FILE": str(mirror.registry.site.ca)})
    print(printed)
    assert set(found) == {task["name"] for task in tasks}
    return found


def test_examples_of_mirrors(mirror: Mirror) -> None:
    """The example in a loop has an item once and none once."""
    (in_a_loop,) = [task["name"] for task in OF_MIRRORS if "loop" in task]
    missing = outcomes(OF_MIRRORS, mirror)
    assert {name: list(each) for name, each in missing.items()} == {task["name"]: ["ok"] for task in OF_MIRRORS}
    mirror.registry.push(OTHERS, CLI)
    before = OF_MIRRORS[: 1 + [task["name"] for task in OF_MIRRORS].index(in_a_loop)]
    complete = outcomes(before, mirror)
    assert list(complete[in_a_loop]) == ["skipped"]


def test_examples_of_releases_in_a_registry_and_in_an_archive(mirror: Mirror) -> None:
    write_archive(mirror.folder, mirror.images["4.20.3"])
    shutil.rmtree(mirror.folder / "srv" / "releases" / "4.20.3")
    found = outcomes(OF_RELEASES, mirror)
    assert {name: list(each) for name, each in found.items()} == {task["name"]: ["ok"] for task in OF_RELEASES}
