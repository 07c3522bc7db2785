# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenShift's part of a cluster: the kinds that a release brings, and its ClusterVersion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
    check_options,
    inclusion_context,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import included_manifests
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problems,
    raise_errors,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

EXAMPLE = Path(__file__).parents[2] / "examples" / "releases" / "4.21.0"
"""A release that every checkout has."""

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CLUSTER_VERSIONS = "/apis/config.openshift.io/v1/clusterversions"
CLUSTER_OPERATORS = "/apis/config.openshift.io/v1/clusteroperators"
CLUSTER_ID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
_WORKERS = 8


def release_bodies(release: Release, kind: str, options: ClusterOptions | None = None) -> list[dict[str, Any]]:
    """Return the objects of one kind that a cluster would get out of ``release``, whatever its capabilities.

    It is a self-managed cluster with the default feature set, unless ``options`` say otherwise.
    """
    problems = Problems()
    cluster = check_options(options or ClusterOptions(), release.minor, problems)
    facts = inclusion_context(cluster, release, problems)
    raise_errors(problems, InvalidOptionError)
    wanted = [manifest for manifest in release.manifests if manifest.resource_id.kind == kind and not manifest.deletes]
    return [release.read_body(manifest) for manifest in included_manifests(wanted, facts)]


def read_release(folder: Path) -> Release:
    """Return the release in a folder."""
    return load_release(str(folder), Problems())


def apply_crds(api: Api, release: Path = EXAMPLE, options: ClusterOptions | None = None) -> list[str]:
    """Make the kinds of a release known, wait until they are served, and return the names of their CRDs."""
    bodies = release_bodies(read_release(release), "CustomResourceDefinition", options)
    define(api, bodies)
    return sorted(body["metadata"]["name"] for body in bodies)


def define(api: Api, bodies: Iterable[Mapping[str, Any]]) -> None:
    """Apply CustomResourceDefinitions, and wait until their kinds are served."""
    with ThreadPoolExecutor(_WORKERS) as pool:
        list(pool.map(lambda body: api.apply(f"{CRDS}/{body['metadata']['name']}", body), bodies))
        list(pool.map(lambda body: _wait_until_served(api, body), bodies))


def _wait_until_served(api: Api, body: Mapping[str, Any]) -> None:
    path, name = collection_path(body), body["metadata"]["name"]
    wait_for(lambda: _served(api, path), f"{path} to be served")
    # A moment after requests are answered.
    wait_for(lambda: is_established(api, name), f"{name} to be established")


def is_established(api: Api, name: str) -> bool:
    """Return whether a CRD is established."""
    return _condition(api.get(f"{CRDS}/{name}"), "Established")


def collection_path(crd: Mapping[str, Any]) -> str:
    """Return where all objects of a CRD's kind are listed, in the version that is stored."""
    spec = crd["spec"]
    (version,) = [item["name"] for item in spec["versions"] if item["storage"]]
    return f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"


def _served(api: Api, path: str) -> bool:
    try:
        api.list(path)  # as others will: with a limit it is answered before the cache of the kind is there
    except ApiError as error:
        if error.status not in (404, 429, 500, 503):
            raise
        return False
    return True


def _condition(item: Mapping[str, Any], kind: str) -> bool:
    conditions = item.get("status", {}).get("conditions") or []
    return any(condition["type"] == kind and condition["status"] == "True" for condition in conditions)


def make_cluster_version(
    api: Api, spec: Mapping[str, Any] | None = None, status: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Make the ClusterVersion ``version``, or give it another spec and status; return it.

    Fields of the status that the CRD requires are filled in where ``status`` leaves them out. The API server may
    refuse either: ``ApiError``.
    """
    given = {"clusterID": CLUSTER_ID, **(spec or {})}
    body = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"}}
    try:
        made = api.post(CLUSTER_VERSIONS, {**body, "spec": given})
    except ApiError as error:
        if error.status != 409:
            raise
        made = _update(api, lambda found: {**found, "spec": given})
    return made if status is None else set_cluster_version_status(api, status)


def set_cluster_version_status(api: Api, status: Mapping[str, Any]) -> dict[str, Any]:
    """Give the ClusterVersion another status, as the cluster-version operator would, and return it."""
    desired = {"version": "", "image": "", **status.get("desired", {})}
    required = {"availableUpdates": None, "versionHash": "", **status, "desired": desired}

    def change(found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "status": {"observedGeneration": found["metadata"]["generation"], **required}}

    return _update(api, change, "/status")


def _update(
    api: Api, change: Callable[[dict[str, Any]], dict[str, Any]], subresource: str = "", tries: int = 20
) -> dict[str, Any]:
    """Read and write the ClusterVersion, again after a conflict: a request of a killed process can be executed late."""
    path = f"{CLUSTER_VERSIONS}/version"
    try:
        return api.put(f"{path}{subresource}", change(api.get(path)))
    except ApiError as error:
        if error.status != 409 or not tries:
            raise
    return _update(api, change, subresource, tries - 1)


def capabilities_status(enabled: Iterable[str], known: Iterable[str]) -> dict[str, Any]:
    """Return the part of a ClusterVersion's status that reports its capabilities."""
    return {"capabilities": {"enabledCapabilities": sorted(enabled), "knownCapabilities": sorted(known)}}
