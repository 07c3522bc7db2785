# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cluster that EXAMPLES and pages update: it runs 4.19.9, and lists an update to 4.20.3. A registry has both."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._release_image.verification_config import ANNOTATION
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import running
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site, mirror_sets
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, armored
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest

START, END = "4.19.9", "4.20.3"
GATE = "ack-4.19-admissionregistration-v1beta1-api-removals-in-4.20"
REPOSITORY = "quay.io/openshift-release-dev/ocp-release"

KEYS = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {
        "name": "release-verification",
        "namespace": "openshift-config-managed",
        "annotations": {ANNOTATION: "", "include.release.openshift.io/self-managed-high-availability": "true"},
    },
    "data": {"verifier-public-key-test": armored(Key().ring), "store-test": "https://store.example/signatures"},
}
"""Without keys, a CVO refuses each image."""

_SOURCES = {START: "4.21.0", END: "4.22.0"}
_GATES = {START: f"data:\n  {GATE}: Kubernetes 1.33 removes an API.\n", END: "data: {}\n"}


class Updatable(NamedTuple):
    """``images``: the pull specs of both releases. ``mirrors``: where they are. ``ca``: of the registry."""

    images: tuple[str, ...]
    mirrors: list[dict[str, Any]]
    ca: str


def write_releases(folder: Path) -> list[Path]:
    """Write both releases into a folder. The first one has a gate, and the second one enables Insights."""
    for version, source in _SOURCES.items():
        shutil.rmtree(folder / version, ignore_errors=True)
        for file in (path for path in (EXAMPLE.parent / source).rglob("*") if path.is_file()):
            copy = folder / version / file.relative_to(EXAMPLE.parent / source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text("utf-8").replace(source, version).replace(source[:4], version[:4])
            copy.write_text(text, "utf-8")
        gates = manifest("admin-gates", namespace="openshift-config-managed", more=_GATES[version])
        (folder / version / "release-manifests" / "0000_11_gates.yaml").write_text(gates, "utf-8")
        (folder / version / "release-manifests" / "0000_12_keys.json").write_text(json.dumps(KEYS), "utf-8")
    return [folder / version for version in _SOURCES]


@contextmanager
def updatable(plane: ControlPlane, folder: Path) -> Iterator[Updatable]:
    """Install the first release on an empty cluster as long as this context. The releases are in ``folder``, too."""
    (folder / "registry").mkdir(parents=True)
    with closing(Site(folder / "registry")) as site:
        yield from _updatable(plane, folder, Registry(site))


def _updatable(plane: ControlPlane, folder: Path, registry: Registry) -> Iterator[Updatable]:
    folders = write_releases(folder)
    found = [release_image(path) for path in folders]
    for image in found:
        registry.push("release", image)
    images = {f"{REPOSITORY}@{image.digest}": path for image, path in zip(found, folders, strict=True)}
    last = list(images)[-1]
    with running(plane, images) as operator:
        operator.available = {START: [{"version": END, "image": last}]}
        wait_for(lambda: plane.api.get(OBJECT)["status"].get("availableUpdates"), "the update")
        mirrors = mirror_sets({REPOSITORY: f"{registry.host}/release"})
        yield Updatable(tuple(images), mirrors, str(registry.site.ca))
