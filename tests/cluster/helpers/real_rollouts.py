# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rollouts of real releases, and whether a cluster has what they say: compared here, without the product's own eyes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import decide_all
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import rolled_out
from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.operators import Operators, operators_of

IMAGE = "registry.example/release@sha256:" + "0" * 64
FACTS = {"feature_set": "Default", "release_image": IMAGE}
OLD_VERSION = "flowcontrol.apiserver.k8s.io/v1beta3"
"""The API version of older releases that the API server of these tests no longer serves."""

_WORKERS = 8
_QUANTITY = re.compile(r"([0-9.]+)(m|k|M|G|T|Ki|Mi|Gi|Ti|)")
_UNITS = {"m": Decimal("0.001"), "": Decimal(1)}
_UNITS |= {unit: Decimal(1000) ** at for at, unit in enumerate("kMGT", 1)}
_UNITS |= {f"{unit}i": Decimal(1024) ** at for at, unit in enumerate("KMGT", 1)}

_NOT_COMPARED = ("apiVersion", "kind", "status")
"""An item of a list has no kind, because the list does."""

Index = Mapping[ResourceId, Mapping[str, Any]]


def folder_of(version: str) -> Path:
    """Return where a release of a minor is."""
    return Path(os.environ.get("CAPABILITY_RELEASES", "")) / version


def are_there(*versions: str) -> bool:
    """Return whether there are releases of these minors."""
    return all((folder_of(version) / "release-manifests").is_dir() for version in versions)


@cache
def release_of(version: str) -> Release:
    """Return a release of a minor."""
    return load_release(str(folder_of(version)), Problems(), release_image=IMAGE)


def roll(plane: ControlPlane, version: str, **options: Any) -> dict[str, Any]:
    """Roll a release out to a cluster with its operators, and wait until all is ready."""
    with Operators(plane.kubeconfig, operators_of(folder_of(version)), make=False):
        options |= {"wait": True, "wait_timeout": 300, "allow_unserved": [OLD_VERSION], **FACTS}
        return rolled_out(plane.kubeconfig, folder_of(version), **options)


def ask(module: str, **options: Any) -> dict[str, Any]:
    """Run another module of the collection, and return what it says."""
    found: dict[str, Any] = json.loads(Process(module, **options).communicate()[0])
    assert not found.get("failed"), found["msg"]
    return found


# What should be there


class Wanted(NamedTuple):
    """The manifests of a release that a cluster should have by now, and all others, by resource."""

    included: Mapping[ResourceId, Manifest]
    excluded: Mapping[ResourceId, Manifest]


def wanted(version: str, enabled: Iterable[str], profile: str = "self-managed-high-availability") -> Wanted:
    """Return what a cluster with these capabilities should have, Ingress being on where each cluster has it."""
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": sorted(enabled)}
    options = ClusterOptions(capabilities=capabilities, cluster_profile=profile, feature_set="Default")
    release = release_of(version)
    context, _status = resolve_cluster(options, release, Problems())
    included: dict[ResourceId, Manifest] = {}
    excluded: dict[ResourceId, Manifest] = {}
    for item in decide_all(release.manifests, context):
        is_in = item.included and not item.manifest.deletes
        (included if is_in else excluded)[item.manifest.resource_id] = item.manifest
    return Wanted(included, {key: item for key, item in excluded.items() if key not in included})


def of_capability(version: str, name: str) -> set[ResourceId]:
    """Return the resources of a release that need a capability."""
    return {item.resource_id for item in release_of(version).manifests if name in item.capabilities}


# What is there


class Served:
    """What a server serves: the path of the collection of each kind, by group, version and kind."""

    def __init__(self, api: Api) -> None:
        groups = api.get("/apis")["groups"]
        versions = [item["groupVersion"] for group in groups for item in group["versions"]]
        self._api = api
        self._paths: dict[tuple[str, str, str], str] = {}
        self._cluster_scoped: set[tuple[str, str, str]] = set()
        for version in ["v1", *versions]:
            group, _slash, name = version.rpartition("/")
            root = f"/apis/{version}" if group else "/api/v1"
            for resource in api.get(root)["resources"]:
                if "/" not in resource["name"]:
                    self._paths[group, name, resource["kind"]] = f"{root}/{resource['name']}"
                    if not resource["namespaced"]:
                        self._cluster_scoped.add((group, name, resource["kind"]))

    def __contains__(self, manifest: object) -> bool:
        return isinstance(manifest, Manifest) and _kind(manifest) in self._paths

    def objects(self, manifests: Iterable[Manifest]) -> Index:
        """Return all objects of the kinds of these manifests, by resource.

        Some manifests give a cluster-scoped object a namespace, and are found with it.
        """
        manifests = [manifest for manifest in manifests if manifest in self]
        kinds = sorted({_kind(manifest) for manifest in manifests})
        with ThreadPoolExecutor(_WORKERS) as pool:
            lists = list(pool.map(lambda kind: self._api.list(self._paths[kind]), kinds))
        found = {
            ResourceId(group, kind, item["metadata"].get("namespace", ""), item["metadata"]["name"]): item
            for (group, _version, kind), items in zip(kinds, lists, strict=True)
            for item in items
        }
        for manifest in manifests:
            key = manifest.resource_id
            if key.namespace and _kind(manifest) in self._cluster_scoped and key._replace(namespace="") in found:
                found[key] = found.pop(key._replace(namespace=""))
        return found


def _kind(manifest: Manifest) -> tuple[str, str, str]:
    return manifest.resource_id.group, manifest.version, manifest.resource_id.kind


# Whether it is the same


def lacks(release: Release, manifest: Manifest, found: Mapping[str, Any]) -> list[str]:
    """Return the fields of a manifest that an object lacks or has otherwise, as dotted paths.

    Its status is not looked at: that is other people's. Neither are the rules of a role that a controller collects.
    """
    body = {key: value for key, value in release.read_body(manifest).items() if key not in _NOT_COMPARED}
    # It was found in its namespace, which a cluster-scoped object does not have.
    compared = set(body["metadata"]) - {"creationTimestamp", "namespace"}
    body["metadata"] = {key: body["metadata"][key] for key in compared}
    if manifest.resource_id.kind == "ClusterOperator":
        body.pop("spec", None)  # the CVO makes them with an empty one
    if manifest.resource_id.kind == "ClusterRole" and body.get("aggregationRule"):
        body.pop("rules", None)
    return list(_lacks(body, found, ""))


def _lacks(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    if _is_nothing(ours) and _is_nothing(theirs):
        return
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key, value in ours.items():
            yield from _lacks(value, theirs.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _list_lacks(ours, theirs, path)
    elif not _is_same(ours, theirs):
        yield path


def _list_lacks(ours: Sequence[Any], theirs: Sequence[Any], path: str) -> Iterator[str]:
    """Yield what a list lacks; an API server may have it in another order, and nothing may be in it twice."""
    if len(ours) != len(theirs):
        yield path
        return
    left = list(theirs)
    for at, item in enumerate(ours):
        fits = next((other for other in left if not list(_lacks(item, other, path))), None)
        if fits is None:
            yield from _lacks(item, theirs[at], f"{path}[{at}]")
        else:
            left.remove(fits)


def _is_nothing(value: Any) -> bool:
    return value in (None, "", [], {}, False, 0)


def _is_same(ours: Any, theirs: Any) -> bool:
    if ours == theirs:
        return True
    one, other = _number(ours), _number(theirs)
    return one is not None and one == other


def _number(value: Any) -> Decimal | None:
    """Return a quantity, which an API server writes in its own way."""
    match = _QUANTITY.fullmatch(str(value)) if isinstance(value, str | int | float) else None
    try:
        return Decimal(match.group(1)) * _UNITS[match.group(2)] if match else None
    except ArithmeticError:
        return None
