# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bring a control plane back to its first state, between two tests.

All objects that are not as they were are stored as they were, in one transaction of etcd, except definitions. The API
server sees that as it sees the writes of another API server. Controllers that run can write in between, so this repeats
until they do not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ansible_collections.capability.openshift.tests.control_plane import storage
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import apply_crds, collection_path
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

_STILL = 0.3
"""Seconds without a write after which nothing more is expected; controllers need more."""

_STILL_WITH_CONTROLLERS = 1.0
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
    """Bring a control plane to the state in which it has the kinds of ``release``, or no kinds but its own.

    ``remember`` has to be called before anything is written.
    """
    snapshots = _snapshots[plane]
    if release is None or release in snapshots:
        _restore(plane, snapshots[release])
        return
    _restore(plane, snapshots[None])
    apply_crds(plane.api, release)
    snapshots[release] = _after_last_write(plane)


def remember(plane: ControlPlane) -> None:
    """Take the present state of a control plane that was started a moment ago for its first one."""
    namespaces = [f"/api/v1/namespaces/{name}" for name in ("default", "kube-node-lease", "kube-public", "kube-system")]
    paths = [*namespaces, f"{namespaces[0]}/services/kubernetes"]
    if plane.controllers:
        made = ("configmaps/kube-root-ca.crt", "serviceaccounts/default")
        paths += [f"{namespace}/{name}" for namespace in namespaces for name in made]
    wait_for(lambda: all(map(plane.api.exists, paths)), "the objects of Kubernetes")
    _snapshots[plane] = {None: _after_last_write(plane)}


def _after_last_write(plane: ControlPlane) -> dict[str, storage.Stored]:
    """Return all objects once the API server and the controllers have written what they write by themselves."""
    still = _STILL_WITH_CONTROLLERS if plane.controllers else _STILL
    found, since = storage.objects(plane), time.monotonic()
    while time.monotonic() - since < still:
        time.sleep(still / 10)
        now = storage.objects(plane)
        if now != found:
            found, since = now, time.monotonic()
    return found


def _restore(plane: ControlPlane, snapshot: dict[str, storage.Stored]) -> None:
    """Store what a snapshot has, until controllers leave it as it is."""
    wait_for(lambda: not _changed(plane, snapshot) or not plane.controllers, "what tests left to be gone", pause=_STILL)


def _changed(plane: ControlPlane, snapshot: dict[str, storage.Stored]) -> bool:
    """Store what a snapshot has, note the new revisions in it, and return whether anything was different."""
    there = storage.revisions(plane)
    lost = [key for key, stored in snapshot.items() if there.get(key) != stored.revision]
    new = [key for key in there if key not in snapshot]
    if not lost and not new:
        return False
    definitions = [key for key in new if key.startswith(storage.DEFINITIONS)]
    before = storage.values(plane, definitions)
    # A watch that breaks within a transaction goes on after it, and the API server would keep what it did not see.
    for key in definitions:
        storage.write(plane, {key: None})
    writes: dict[str, bytes | None] = {key: snapshot[key].value for key in lost}
    revision = storage.write(plane, {**writes, **dict.fromkeys(set(new).difference(definitions))})
    snapshot.update({key: snapshot[key]._replace(revision=revision) for key in lost})
    back = [snapshot[key].value for key in lost if key.startswith(storage.DEFINITIONS)]
    _wait_for_kinds(plane.api, gone=map(json.loads, before.values()), back=map(json.loads, back))
    if any(key.startswith(_LEARNT) for key in (*lost, *new)):
        time.sleep(_PAUSE)
    return True


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
