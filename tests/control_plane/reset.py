# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bring a control plane back to its first state, between two tests.

Without controllers all objects that are not as they were are stored as they were, in one transaction of etcd; the API
server sees that as it sees the writes of another API server. Controllers would write in between: where they run, what
tests left is deleted through the API.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ansible_collections.capability.openshift.tests.control_plane import storage
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS, apply_crds, collection_path
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

_NAMESPACES = "/api/v1/namespaces"
_BUILT_IN = {"default", "kube-node-lease", "kube-public", "kube-system"}
_CLUSTER_WIDE = (
    "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "rbac.authorization.k8s.io/v1/clusterrolebindings",
    "rbac.authorization.k8s.io/v1/clusterroles",
)
_ROLE_OF_KUBERNETES = "kubernetes.io/bootstrapping"
_STILL = 0.3
"""Seconds without a write after which nothing more is expected."""

_PAUSE = 0.1
"""Seconds in which an API server learns of a definition, a policy or a right that is stored otherwise."""

_LEARNT = tuple(
    f"/registry/{name}/"
    for name in (
        *("mutatingwebhookconfigurations", "validatingwebhookconfigurations"),
        *("validatingadmissionpolicies", "validatingadmissionpolicybindings"),
        storage.DEFINITIONS.split("/", 2)[2].rstrip("/"),
    )
)

_snapshots: WeakKeyDictionary[ControlPlane, dict[Path | None, dict[str, storage.Stored]]] = WeakKeyDictionary()


def reset(plane: ControlPlane, release: Path | None = None) -> None:
    """Bring a control plane to the state in which it has the kinds of ``release``, or no kinds but its own."""
    if plane.controllers:
        keep = apply_crds(plane.api, release) if release else ()
        wait_for(lambda: _is_clean(plane.api, keep), "what tests left to be gone")
        return
    snapshots = _snapshots.setdefault(plane, {})
    if None not in snapshots:
        raise AssertionError("remember() the first state before anything is written")
    if release in snapshots:
        _restore(plane, snapshots[release])
        return
    _restore(plane, snapshots[None])
    assert release is not None
    apply_crds(plane.api, release)
    snapshots[release] = _settled(plane)


def remember(plane: ControlPlane) -> None:
    """Take the present state of a control plane that was started a moment ago for its first one."""
    if not plane.controllers:
        paths = [*(f"{_NAMESPACES}/{name}" for name in _BUILT_IN), f"{_NAMESPACES}/default/services/kubernetes"]
        wait_for(lambda: all(map(plane.api.exists, paths)), "the namespaces of Kubernetes")
        _snapshots[plane] = {None: _settled(plane)}


def _settled(plane: ControlPlane) -> dict[str, storage.Stored]:
    """Return all objects once the API server has written what it writes by itself."""
    found, since = storage.objects(plane), time.monotonic()
    while time.monotonic() - since < _STILL:
        time.sleep(_STILL / 10)
        now = storage.objects(plane)
        if now != found:
            found, since = now, time.monotonic()
    return found


def _restore(plane: ControlPlane, snapshot: dict[str, storage.Stored]) -> None:
    """Store what a snapshot has, and note the new revisions in it."""
    there = storage.revisions(plane)
    lost = [key for key, stored in snapshot.items() if there.get(key) != stored.revision]
    new = [key for key in there if key not in snapshot]
    if not lost and not new:
        return
    before = storage.values(plane, [key for key in new if key.startswith(storage.DEFINITIONS)])
    writes: dict[str, bytes | None] = {key: snapshot[key].value for key in lost}
    revision = storage.write(plane, {**writes, **dict.fromkeys(new)})
    snapshot.update({key: snapshot[key]._replace(revision=revision) for key in lost})
    back = [snapshot[key].value for key in lost if key.startswith(storage.DEFINITIONS)]
    _wait_for_kinds(plane.api, gone=map(json.loads, before.values()), back=map(json.loads, back))
    if any(key.startswith(_LEARNT) for key in (*lost, *new)):
        time.sleep(_PAUSE)


def _wait_for_kinds(api: Api, gone: Iterable[Mapping[str, Any]], back: Iterable[Mapping[str, Any]]) -> None:
    """Wait until the API server serves kinds no more, and others again."""
    gone_paths, back_paths = set(map(collection_path, gone)), set(map(collection_path, back))
    for path in gone_paths - back_paths:
        wait_for(lambda path=path: _status(api, path) == 404, f"{path} to be gone")  # type: ignore[misc]
        wait_for(lambda path=path: not _is_discovered(api, path), f"discovery to leave {path} out")  # type: ignore[misc]
    for path in back_paths:
        wait_for(lambda path=path: _status(api, path) == 200, f"{path} to be served")  # type: ignore[misc]


def _is_discovered(api: Api, path: str) -> bool:
    """Whether clients find the kind at ``path`` when they ask what there is."""
    version, _slash, plural = path.rpartition("/")
    if version.split("/")[2] not in {item["name"] for item in api.get("/apis")["groups"]}:
        return False
    try:
        return plural in {item["name"] for item in api.get(version)["resources"]}
    except ApiError as error:
        if error.status not in (404, 503):
            raise
        return False


def _status(api: Api, path: str) -> int:
    """Return the HTTP status with which a list is answered."""
    try:
        api.list(path)
    except ApiError as error:
        return error.status
    return 200


# Where controllers run


class Kind(NamedTuple):
    """Where the objects of a kind are."""

    version: str
    plural: str
    namespaced: bool

    def path(self, item: dict[str, Any]) -> str:
        """Return where one object is."""
        metadata = item["metadata"]
        namespace = f"/namespaces/{metadata['namespace']}" if self.namespaced else ""
        return f"{self.version}{namespace}/{self.plural}/{metadata['name']}"


def _is_clean(api: Api, crds: Collection[str]) -> bool:
    """Delete all that, and tell whether it could be done: a kind that came or went a moment ago cannot be listed."""
    try:
        _clean(api, crds)
    except ApiError as error:
        if error.status not in (404, 409, 429, 500, 503):
            raise
        return False
    return True


def _clean(api: Api, crds: Collection[str]) -> None:
    for group in _CLUSTER_WIDE:
        version, _slash, plural = f"/apis/{group}".rpartition("/")
        for item in api.list(f"/apis/{group}"):
            if _ROLE_OF_KUBERNETES not in item["metadata"].get("labels", {}):
                _delete(api, Kind(version, plural, False), item)
    for crd in api.list(CRDS):
        _delete_objects(api, crd)
        if crd["metadata"]["name"] not in crds:
            _gone(api, Kind("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", False), crd)
    _delete_namespaces(api)


def _delete_objects(api: Api, crd: dict[str, Any]) -> None:
    spec = crd["spec"]
    (version,) = [item["name"] for item in spec["versions"] if item["storage"]]
    kind = Kind(f"/apis/{spec['group']}/{version}", spec["names"]["plural"], spec["scope"] == "Namespaced")
    for item in api.list(f"{kind.version}/{kind.plural}"):
        _delete(api, kind, item)


def _delete_namespaces(api: Api) -> None:
    left = [item for item in api.list(_NAMESPACES) if item["metadata"]["name"] not in _BUILT_IN]
    if not left:
        return
    # From here on nothing new gets into them, whatever controllers try.
    for item in left:
        _delete(api, Kind("/api/v1", "namespaces", False), item)
    for kind in _namespaced(api):
        for item in api.list(f"{kind.version}/{kind.plural}"):
            if item["metadata"]["namespace"] not in _BUILT_IN:
                _delete(api, kind, item)
    for item in left:
        # The controller says so too, ten seconds later, and without controllers nobody does.
        name = item["metadata"]["name"]
        path = f"{_NAMESPACES}/{name}"
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
        _unless_gone(lambda path=path, body=body: api.put(f"{path}/finalize", body))  # type: ignore[misc]
        wait_for(lambda path=path: not api.exists(path), f"{path} to be gone")  # type: ignore[misc]


def _namespaced(api: Api) -> Iterator[Kind]:
    """Return the kinds whose objects are in namespaces and can be deleted."""
    groups = api.get("/apis")["groups"]
    versions = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]
    for version in versions:
        for resource in api.get(version)["resources"]:
            if resource["namespaced"] and {"list", "delete"} <= set(resource["verbs"]):
                yield Kind(version, resource["name"], True)


def _delete(api: Api, kind: Kind, item: dict[str, Any]) -> None:
    path = kind.path(item)
    if item["metadata"].get("finalizers"):
        _unless_gone(lambda: api.patch(path, {"metadata": {"finalizers": None}}))
    _unless_gone(lambda: api.delete(path, gracePeriodSeconds="0", propagationPolicy="Background"))


def _unless_gone(ask: Callable[[], object]) -> None:
    """Ask for what a controller may have done a moment ago."""
    try:
        ask()
    except ApiError as error:
        if error.status != 404:
            raise


def _gone(api: Api, kind: Kind, item: dict[str, Any]) -> None:
    api.delete(kind.path(item))
    wait_for(lambda: not api.exists(kind.path(item)), f"{kind.path(item)} to be gone")
