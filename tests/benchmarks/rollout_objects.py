# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of a rollout that a plain API server takes: rollout_objects.py RELEASE FOLDER EVERY

All that the full set of a self-managed cluster includes is sent to a control plane, which is thrown away; of what it
accepts, every third object is kept if EVERY is 3. FOLDER gets

    release/        the kept manifests but CRDs and Namespaces, a release for ``release_apply``
    objects.yaml    the same in one file
    objects         the same for ``floor.py``; beside it ``crds`` and ``namespaces``
    served          where the kinds of the CRDs are served
    stubs           for ``floor.py``, CRDs of the kinds that OpenShift's own API servers would serve
    counts.json     what was counted

A separate process: 16 MB of bodies would else be in the memory of who measures.
"""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    Inclusion,
    Reason,
    decide_all,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._extract.files import included_files, selector
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.benchmarks.floor import send_all
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import collection_path
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

CAPABILITIES = {"baselineCapabilitySet": "vCurrent"}
FEATURE_SET = "Default"
OBJECTS, CRDS, NAMESPACES, SERVED, STUBS = "objects", "crds", "namespaces", "served", "stubs"
Place = tuple[str, int]
_CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def included(loaded: Release) -> list[Manifest]:
    """Return what a rollout of the full set applies."""
    options = ClusterOptions(capabilities=CAPABILITIES, feature_set=FEATURE_SET)
    context, _status = resolve_cluster(options, loaded, Problems())
    decided = decide_all(loaded.manifests, context)
    return [item.manifest for item in decided if item.included and not item.manifest.deletes]


def place(manifest: Manifest) -> Place:
    """Return where a manifest is, which is quicker to find than the manifest."""
    return manifest.file, manifest.document


class Kinds:
    """Where a server serves what."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._versions: dict[str, dict[str, dict[str, Any]]] = {}

    def path(self, manifest: Manifest) -> str | None:
        """Return the path of an object, unless its kind is not served."""
        group, kind, namespace, name = manifest.resource_id
        version = f"/apis/{group}/{manifest.version}" if group else f"/api/{manifest.version}"
        if version not in self._versions:
            try:
                found = self._api.get(version)["resources"]
            except ApiError as error:
                if error.status != 404:
                    raise
                found = []
            self._versions[version] = {item["kind"]: item for item in found if "/" not in item["name"]}
        resource = self._versions[version].get(kind)
        if resource is None:
            return None
        within = f"/namespaces/{namespace}" if resource["namespaced"] else ""
        return f"{version}{within}/{resource['name']}/{name}"


def sent_body(loaded: Release, manifest: Manifest) -> Any:
    """Return the body to send. The CVO makes ClusterOperators without what their manifests say."""
    body = loaded.read_body(manifest)
    return {**body, "spec": {}} if manifest.resource_id.kind == "ClusterOperator" and "spec" not in body else body


def stub(manifest: Manifest) -> dict[str, Any]:
    """Return a CRD for the kind of a manifest, that takes everything."""
    group, kind, namespace, _name = manifest.resource_id
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": manifest.version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced" if namespace else "Cluster",
            "versions": [version],
        },
    }


def write_lines(file: Path, lines: Iterable[tuple[str, bytes]]) -> None:
    """Write what ``floor.read_lines`` reads."""
    file.write_bytes(b"".join(path.encode() + b"\t" + body + b"\n" for path, body in lines))


def make_all(kubeconfig: Path, file: Path) -> None:
    """Make what is in a file for ``floor.py``, in a separate process."""
    subprocess.run([sys.executable, str(Path(__file__).with_name("floor.py")), str(kubeconfig), str(file)], check=True)


def make_kinds(kubeconfig: Path, folder: Path) -> None:
    """Make the CRDs, wait until their kinds are served, and make the Namespaces."""
    make_all(kubeconfig, folder / CRDS)
    with closing(Api(kubeconfig)) as api:
        wait_served(api, (folder / SERVED).read_text(encoding="utf-8").split())
    make_all(kubeconfig, folder / NAMESPACES)


def wait_served(api: Api, paths: Iterable[str]) -> None:
    """Wait until the collections at ``paths`` can be listed."""

    def listed(path: str) -> bool:
        try:
            return api.list(path, limit="1") is not None
        except ApiError as error:
            if error.status not in (404, 429, 500, 503):
                raise
            return False

    for path in paths:
        wait_for(partial(listed, path), f"{path} to be served")


def write_release(loaded: Release, kept: set[Place], folder: Path) -> None:
    """Write the manifests at ``kept`` as a flat directory, byte for byte, and as one file.

    Files with a ClusterOperator are the exception: only the CVO would apply one as it is.
    """
    out = (Reason("", ""),)
    decided = [Inclusion(item, () if place(item) in kept else out) for item in loaded.manifests]
    files = included_files(loaded, decided, selector(loaded))
    chosen = [item.manifest for item in decided if item.included]
    for file in {item.file for item in chosen if item.resource_id.kind == "ClusterOperator"}:
        bodies = [json.dumps(sent_body(loaded, item)).encode() for item in chosen if item.file == file]
        files[Path(file).name] = b"\n---\n".join(bodies) + b"\n"
    release = folder / "release"
    release.mkdir()
    for name, data in files.items():
        (release / name).write_bytes(data)
    # A byte order mark is one at the start of a file only.
    texts = [files[name].removeprefix(codecs.BOM_UTF8) for name in sorted(files)]
    (folder / "objects.yaml").write_bytes(b"\n---\n".join(texts) + b"\n")


def main() -> None:
    """Read, try and write."""
    loaded = load_release(sys.argv[1], Problems())
    folder, every = Path(sys.argv[2]), int(sys.argv[3])
    chosen = included(loaded)
    crds = [manifest for manifest in chosen if manifest.resource_id.kind == "CustomResourceDefinition"]
    namespaces = [manifest for manifest in chosen if manifest.resource_id.kind == "Namespace"]
    rest = [manifest for manifest in chosen if manifest not in crds and manifest not in namespaces]
    bodies = {place(item): sent_body(loaded, item) for item in chosen}

    def data(manifest: Manifest) -> bytes:
        return json.dumps(bodies[place(manifest)]).encode()

    write_lines(folder / CRDS, [(f"{_CRD_PATH}/{item.resource_id.name}", data(item)) for item in crds])
    write_lines(
        folder / NAMESPACES, [(f"/api/v1/namespaces/{item.resource_id.name}", data(item)) for item in namespaces]
    )
    served = [collection_path(bodies[place(item)]) for item in crds]
    (folder / SERVED).write_text("\n".join(served), encoding="utf-8")
    with ControlPlane() as plane:
        make_kinds(plane.kubeconfig, folder)
        kinds = Kinds(plane.api)
        known = [(item, path) for item in rest if (path := kinds.path(item))]
        lines = [(path, data(item)) for item, path in known]
        # Once more: webhooks without a server reject what came before they did.
        rounds = [send_all(plane.kubeconfig, lines) for _round in range(2)]
    unknown = {item.resource_id[:2]: stub(item) for item in rest if not kinds.path(item)}
    write_lines(
        folder / STUBS,
        [(f"{_CRD_PATH}/{crd['metadata']['name']}", json.dumps(crd).encode()) for crd in unknown.values()],
    )
    accepted = [pair for pair, *answers in zip(known, *rounds, strict=True) if all(item.accepted for item in answers)]
    kept = accepted[::every]
    write_lines(folder / OBJECTS, [(path, data(item)) for item, path in kept])
    write_release(loaded, {place(item) for item, _path in kept}, folder)
    counts = {
        "version": loaded.shown_version,
        "included": len(chosen),
        "crds": len(crds),
        "namespaces": len(namespaces),
        "kept": len(kept),
        "stubs": len(unknown),
        "refused": len(rest) - len(accepted),
    }
    (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")


if __name__ == "__main__":
    main()
