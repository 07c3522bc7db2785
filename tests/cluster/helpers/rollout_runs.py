# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rollouts in their own processes, which can be killed, and what they leave on a cluster, ready to be compared."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._rollout.drift import owned_digest
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Clocks, Process
from ansible_collections.capability.openshift.tests.control_plane.api import ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_VERSIONS, EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.reset import reset

INVENTORY = "/api/v1/namespaces/kube-system/configmaps/capability-openshift-rollout"
UPDATE = EXAMPLE.parent / "4.22.0"
PART_OF = "applyset.kubernetes.io/part-of"
_UNIQUE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HASH = "capability.openshift.io/last-applied-hash"
_RUN = "capability.openshift.io/run"
_PAUSE = 0.002

State = Mapping[str, Any]
"""What a rollout left, by path, without what no two clusters have in common."""


def selected(*names: str, baseline: str = "None") -> dict[str, Any]:
    """Return a selection as ``release_apply`` takes it."""
    return {"baseline_capability_set": baseline, "additional_enabled_capabilities": list(names)}


# Processes


class Point(NamedTuple):
    """When to kill a rollout: after so many manifests, or seconds after it began."""

    unit: Literal["manifests", "seconds"]
    value: float


class Run:
    """A rollout in its own process, with other ``clocks`` if it is to wait for less time."""

    def __init__(self, kubeconfig: Path, release: Path, clocks: Clocks | None = None, **options: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rollout-")
        self._progress = Path(self._folder.name) / "progress"
        self._progress.touch()
        values = {"kubeconfig": kubeconfig, "release": release, **options}
        self.process = Process("release_apply", clocks, self._progress, **values)
        self._began = time.monotonic()

    def manifests(self) -> int:
        """Return how many manifests are processed."""
        return len(re.findall(rb"(?m)^(?:run level|files without)", self._progress.read_bytes()))

    def reached(self, point: Point) -> bool:
        """Wait for a point, and return whether the rollout gets there before it ends."""
        while self.process.poll() is None:
            if point.unit == "seconds" and time.monotonic() - self._began >= point.value:
                return True
            if point.unit == "manifests" and self.manifests() >= point.value:
                return True
            time.sleep(_PAUSE)
        return False

    def kill(self) -> None:
        """Kill it, so that nothing of it gets the time to tidy up."""
        self.process.kill()
        self._end()

    def result(self) -> dict[str, Any]:
        """Wait for its end, and return what it says."""
        out, err = self._end()
        assert "Traceback" not in out + err, out + err
        found: dict[str, Any] = json.loads(out)
        return found

    def seconds(self) -> float:
        """Wait for its end, and return how long it took."""
        while self.process.poll() is None:
            time.sleep(_PAUSE)
        return time.monotonic() - self._began

    def _end(self) -> tuple[str, str]:
        try:
            return self.process.communicate(timeout=300)
        finally:
            self._folder.cleanup()


def rolled_out(kubeconfig: Path, release: Path, **options: Any) -> dict[str, Any]:
    """Roll a release out, undisturbed, and return what the module says."""
    result = Run(kubeconfig, release, **options).result()
    assert not result.get("failed"), result["msg"]
    return result


# What is there


def fresh(plane: ControlPlane) -> None:
    """Make a cluster one that never saw a rollout."""
    reset(plane)


def state_of(plane: ControlPlane) -> State:
    """Return what rollouts left: their objects, the inventory and the ClusterVersion.

    The digests of the inventory are compared with the objects here, because they are others on each cluster.
    """
    objects = dict(_members(plane))
    found = {path: _comparable(item) for path, item in objects.items()}
    found[INVENTORY] = inventory_of(plane, list(objects.values()))
    for item in plane.api.list(CLUSTER_VERSIONS):
        found["ClusterVersion"] = _comparable(item)
    return found


def enabled_on(plane: ControlPlane) -> set[str]:
    """Return the capabilities that are on, as far as the status or the inventory remembers them."""
    names: set[str] = set()
    try:
        for item in plane.api.list(CLUSTER_VERSIONS):
            names |= set(item.get("status", {}).get("capabilities", {}).get("enabledCapabilities") or ())
    except ApiError as error:
        if error.status != 404:
            raise
    if plane.api.exists(INVENTORY):
        names |= set(plane.api.get(INVENTORY)["data"]["enabled-capabilities"].split())
    return names


def inventory_of(plane: ControlPlane, objects: list[dict[str, Any]]) -> Any:
    """Return the inventory, in which the digest of each of ``objects`` is its own or missing."""
    item = plane.api.get(INVENTORY)
    metadata = {(_group(obj), obj["kind"], *_place(obj)): obj["metadata"] for obj in objects}
    lines: dict[str, list[Any]] = {"resources": [], "earlier-resources": []}
    for key, found in lines.items():
        for line in item["data"][key].splitlines():
            *resource, names, digest = json.loads(line)
            there = metadata.get(tuple(resource))
            assert not digest or (there and digest == owned_digest(there)), resource
            found.append([*resource, names, bool(digest)])
    return {**_comparable(item), "data": {**item["data"], **lines}}


def differences(left: State, right: State) -> dict[str, tuple[Any, Any]]:
    """Return what is not alike, in few words: of objects on both sides the fields."""
    found: dict[str, tuple[Any, Any]] = {}
    for path in sorted(set(left) | set(right)):
        one, other = left.get(path), right.get(path)
        if one is None or other is None:
            found[path] = ("missing" if one is None else "there", "missing" if other is None else "there")
        elif one != other:
            fields = sorted(field for field in {*one, *other} if one.get(field) != other.get(field))
            found[path] = ({name: one.get(name) for name in fields}, {name: other.get(name) for name in fields})
    return found


def _members(plane: ControlPlane) -> dict[str, dict[str, Any]]:
    """Return the objects with the label of the rollout, by path."""
    found: dict[str, dict[str, Any]] = {}
    for version, plural, kind in _listable(plane):
        listed = _listed(plane, f"{version}/{plural}")
        for item in listed["items"]:
            namespace, name = _place(item)
            within = f"/namespaces/{namespace}" if namespace else ""
            item.setdefault("kind", kind)
            item.setdefault("apiVersion", listed["apiVersion"])
            found[f"{version}{within}/{plural}/{name}"] = item
    return found


def _listed(plane: ControlPlane, path: str) -> dict[str, Any]:
    """Return a list as the API does, and an empty one if its kind is gone."""
    try:
        return plane.api.get(path, labelSelector=PART_OF)
    except ApiError as error:
        if error.status != 404:
            raise
        return {"items": []}


def _listable(plane: ControlPlane) -> Iterator[tuple[str, str, str]]:
    groups = plane.api.get("/apis")["groups"]
    for version in ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]:
        for resource in _kinds(plane, version):
            if "list" in resource["verbs"] and resource["kind"] not in ("Event", "ComponentStatus"):
                yield version, resource["name"], resource["kind"]


def _kinds(plane: ControlPlane, version: str) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = plane.api.get(version)["resources"]
    except ApiError as error:
        if error.status != 404:
            raise
        return []  # the last kind of it went a moment ago
    return found


def _comparable(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without resource version and hash, and with times and unique ids all alike."""
    metadata = {**item["metadata"], "resourceVersion": "", "managedFields": []}
    made_once = item["kind"] == "ClusterVersion"
    metadata["managedFields"] = sorted(
        json.dumps([owner["manager"], *([] if made_once else [owner["operation"], owner.get("fieldsV1")])])
        for owner in item["metadata"].get("managedFields") or ()
    )
    for name in (_HASH, _RUN):
        if name in (metadata.get("annotations") or {}):
            metadata["annotations"] = {**metadata["annotations"], name: "of a run"}
    text = json.dumps({**item, "metadata": metadata})
    found: dict[str, Any] = json.loads(_UNIQUE.sub("unique", text))
    return found


def _place(item: Mapping[str, Any]) -> tuple[str, str]:
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


def _group(item: Mapping[str, Any]) -> str:
    return str(item["apiVersion"]).rpartition("/")[0]
