# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Three releases of successive minors made of the examples, a cluster that runs the first, and updates of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, OBJECT, is_write
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import condition_of
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE, make_cluster_version
from ansible_collections.capability.openshift.tests.control_plane.pools import DEFINITION
from ansible_collections.capability.openshift.tests.control_plane.updates import (
    ACKS,
    MACHINE_CONFIG,
    Enables,
    UpdatingOperator,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import expected

PATH = ("4.18.30", "4.19.20", "4.20.8")
GATE = "ack-4.18-boot-image-opt-out-in-4.19"
GATE_AND_MORE = f"data:\n  {GATE}: Boot images are managed from 4.19 on. See https://access.redhat.com/articles/1.\n"
ENABLED = {"4.18.30": ["Ingress"], "4.19.20": ["Ingress", "Insights"], "4.20.8": ["Console", "Ingress", "Insights"]}
"""What each update leaves enabled on a cluster that selected no capability."""

ACCEPTANCES = [
    {"name": GATE, "reason": "The machine sets of the site boot from other images"},
    {"name": "Insights", "reason": "The support contract needs it"},
    {"name": "Console", "reason": "The operators of the site want it"},
]
PROVED = {"capabilities": "equal", "condition": "equal"}

ACCEPT_RISKS = {
    "type": "array",
    "minItems": 1,
    "maxItems": 1000,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 256}},
    },
}
"""The schema of ``spec.desiredUpdate.acceptRisks`` in openshift/api, commit 2a3d73913, TechPreviewNoUpgrade."""

_SOURCES = {"4.18.30": "4.21.0", "4.19.20": "4.22.0", "4.20.8": "4.22.0"}


def image_of(version: str) -> str:
    """Return the pull spec of a release."""
    digest = version.encode().hex().ljust(64, "0")
    return f"quay.io/openshift-release-dev/ocp-release@sha256:{digest}"


def write_path(folder: Path, *, with_pools: bool = False) -> dict[str, Path]:
    """Write the three releases into a folder, and return them by their images.

    The second one enables Insights as the example does, the third one Console with a ConfigMap of all clusters. The
    first one has a gate. ``with_pools``: they also bring MachineConfigPools, their operator, and the field
    ``acceptRisks`` of the ClusterVersion.
    """
    for version, source in _SOURCES.items():
        for file in (EXAMPLE.parent / source).rglob("*"):
            if file.is_file():
                copy = folder / version / file.relative_to(EXAMPLE.parent / source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                text = file.read_text(encoding="utf-8").replace(source, version)
                copy.write_text(text.replace(source[:4], version[:4]), encoding="utf-8")
        capability = "Console" if version == PATH[2] else ""
        more = GATE_AND_MORE if version == PATH[0] else "data: {}\n"
        for name, text in {
            "11_config-operator_01_managed-ns": manifest("openshift-config-managed", kind="Namespace"),
            "11_config-operator_02_gates": manifest("admin-gates", namespace="openshift-config-managed", more=more),
            "50_console-operator_99_notes": manifest("console-notes", capability, namespace="openshift-config"),
        }.items():
            (folder / version / "release-manifests" / f"0000_{name}.yaml").write_text(text, encoding="utf-8")
        if with_pools:
            _add_pools(folder / version)
    return {image_of(version): folder / version for version in PATH}


def _add_pools(release: Path) -> None:
    files = {
        "01_machineconfigpools.crd": json.dumps(DEFINITION),
        "05_clusteroperator": manifest(MACHINE_CONFIG, kind="ClusterOperator", api="config.openshift.io/v1"),
    }
    for name, text in files.items():
        (release / "release-manifests" / f"0000_80_machine-config_{name}.yaml").write_text(text, encoding="utf-8")
    (file,) = (release / "manifests").glob("*_clusterversions-Default.crd.yaml")
    before, field, after = file.read_text(encoding="utf-8").partition("architecture: {type: string, enum: [Multi")
    file.write_text(f"{before}acceptRisks: {json.dumps(ACCEPT_RISKS)}\n{' ' * 20}{field}{after}", encoding="utf-8")


def releases_to(images: Mapping[str, Path], version: str) -> list[str]:
    """Return the folders of the release before ``version``, and of that release."""
    index = PATH.index(version)
    return [str(images[image_of(item)]) for item in PATH[index - 1 : index + 1]]


def writes(plane: ControlPlane, since: int) -> list[str]:
    """Return the names of the objects that the collection wrote, in this order, without requests that conflicted."""
    requests = plane.audit.requests(since, user_agent=AGENT)
    return [urlsplit(item.uri).path.rpartition("/")[2] for item in requests if is_write(item) and item.code != 409]


def enabled_implicitly(start: Release, target: Release, enabled: frozenset[str]) -> Iterable[str]:
    """Return what the loops of the oracle enable."""
    return expected(start, target, enabled)


def update_to(version: str) -> dict[str, Any]:
    """Return an entry of ``availableUpdates``."""
    return {"version": version, "image": image_of(version), "channels": ["stable-4.20"], "url": ""}


@contextmanager
def running(
    plane: ControlPlane, images: Mapping[str, Path], enables: Enables | None = None, **spec: Any
) -> Iterator[UpdatingOperator]:
    """Install the first release on an empty cluster, by an operator that updates it as long as this context."""
    given = {"capabilities": {"baselineCapabilitySet": "None"}, "channel": "stable-4.20", **spec}
    make_cluster_version(plane.api, given)
    available = {before: [update_to(after)] for before, after in pairwise(PATH)}
    for name in ("openshift-cluster-version", "openshift-config", "openshift-config-managed"):
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        plane.api.apply(f"/api/v1/namespaces/{name}", body)
    # As 0000_00_cluster-version-operator_01_adminack_configmap.yaml of a release, which is create-only.
    plane.api.apply(ACKS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "admin-acks"}})
    first, *_others = images
    with UpdatingOperator(plane.kubeconfig, images, first, enables or enabled_implicitly, available) as operator:
        wait_for(lambda: operator.failure or _is_installed(plane), "the installation", 300.0)
        yield operator


def _is_installed(plane: ControlPlane) -> bool:
    return [state for _version, state in history(plane)] == ["Completed"]


def wait_until_completed(plane: ControlPlane, version: str, seconds: float = 60.0) -> None:
    """Wait until the history has this version as completed."""
    wait_for(lambda: history(plane)[:1] == [(version, "Completed")], f"{version} to be completed", seconds)


def history(plane: ControlPlane) -> list[tuple[str, str]]:
    """Return version and state of each entry, newest first."""
    status = plane.api.get(OBJECT).get("status") or {}
    return [(item["version"], item["state"]) for item in status.get("history") or ()]


def request(plane: ControlPlane, version: str | None, **fields: Any) -> None:
    """Request an update as another client does."""
    update = None if version is None else {"version": version, "image": image_of(version), **fields}
    plane.api.patch(OBJECT, {"spec": {"desiredUpdate": update}})


def wait_for_condition(plane: ControlPlane, kind: str, status: str, reason: str | None = None) -> dict[str, Any]:
    """Return a condition of the ClusterVersion once it has this status and reason."""

    def found() -> dict[str, Any]:
        condition = condition_of(plane.api.get(OBJECT), kind)
        return condition if condition.get("status") == status and reason in (None, condition.get("reason")) else {}

    return wait_for(found, f"{kind}={status}", 60.0)
