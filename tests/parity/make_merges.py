#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Change objects of releases at random, and write which changes the CVO of each minor reverts.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_merges SEED COUNT FACTS_FILE
           MINOR=CVO_CHECKOUT... RELEASE_FOLDER...

A checkout is one of openshift/cluster-version-operator, of the branch ``release-MINOR``. The program of ``go/merging``
is copied there, and removed afterwards. An API server of ``tests/control_plane`` completes objects with its defaults,
and decides which changes are valid: the CVO reverts a change if what it writes is another object there.

Nothing of a manifest is written, only what differs from it.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import define
from ansible_collections.capability.openshift.tests.parity.go_program import run_in_checkout
from ansible_collections.capability.openshift.tests.parity.make_facts import write
from ansible_collections.capability.openshift.tests.parity.mutations import (
    OWNER,
    Operation,
    change,
    changed,
    operations_between,
    owned,
)

_METADATA = ("annotations", "finalizers", "labels", "name", "namespace", "ownerReferences")
_STUBS = {"ImageStream": ("image.openshift.io", "imagestreams")}
_COMPLEX = {"CronJob", "CustomResourceDefinition", "DaemonSet", "Deployment", "Job", "SecurityContextConstraints"}
_ATTEMPTS = 40

Body = dict[str, Any]


class Example(NamedTuple):
    """An object of a release on the API server."""

    folder: Path
    file: str
    document: int
    manifest: Body
    live: Body
    path: str
    resource_version: str


class Change(NamedTuple):
    """A change of an object; ``live`` is the changed object as the API server stores it."""

    example: Example
    operations: list[Operation]
    live: Body


def stored(found: Mapping[str, Any]) -> Body:
    """Return an object without what differs between clusters."""
    metadata = {name: value for name, value in found["metadata"].items() if name in _METADATA}
    body = {key: value for key, value in found.items() if key != "status"}
    return copy.deepcopy({**body, "metadata": metadata})


def created(api: Api, folder: Path) -> Iterator[Example]:
    """Create all objects of a release that the CVO reconciles, as it creates them."""
    release = load_release(str(folder), Problems(), release_image="quay.io/a/release")
    _define(api, release)
    paths, seen = _collections(api), set()
    for file in release.files.values():
        for manifest in file.manifests:
            body = release.read_body(manifest)
            found = paths.get((str(body.get("apiVersion")), manifest.resource_id.kind))
            if manifest.deletes or manifest.is_create_only or found is None:
                continue
            if found[1] and not manifest.resource_id.namespace:
                continue
            metadata = owned(body)["metadata"]
            if found[1]:
                _make_namespace(api, str(metadata.get("namespace")))
            collection = found[0].format(namespace=metadata.get("namespace"))
            path = f"{collection}/{metadata['name']}"
            sent = {key: value for key, value in body.items() if key != "status"}
            if manifest.resource_id.kind == "ClusterOperator":
                sent["spec"] = {}
            if path in seen:
                continue  # another manifest of the object
            try:
                answer = api.post(collection, {**sent, "metadata": metadata})
            except ApiError as error:
                if error.status != 409:
                    continue  # a kind that this server validates in another way
                answer = api.get(path)
            seen.add(path)
            version = answer["metadata"]["resourceVersion"]
            yield Example(folder, manifest.file, manifest.document, body, stored(answer), path, version)


def _define(api: Api, release: Release) -> None:
    """Define the kinds of a release, and those that an aggregated API server of OpenShift has."""
    definitions: dict[str, Body] = {}
    for manifest in release.manifests:
        if manifest.resource_id.kind == "CustomResourceDefinition" and not manifest.deletes:
            definitions.setdefault(manifest.resource_id.name, release.read_body(manifest))
    for kind, (group, plural) in _STUBS.items():
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        spec = {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        }
        name = f"{plural}.{group}"
        head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        definitions[name] = {**head, "metadata": {"name": name}, "spec": spec}
    for body in definitions.values():
        try:
            define(api, [{**body, "metadata": {**body["metadata"], "ownerReferences": [OWNER]}}])
        except ApiError:
            continue


def _collections(api: Api) -> dict[tuple[str, str], tuple[str, bool]]:
    """Return the path of each kind, and whether it has namespaces."""
    versions = [item["groupVersion"] for group in api.get("/apis")["groups"] for item in group["versions"]]
    found = {}
    for version in ["v1", *versions]:
        root = f"/apis/{version}" if "/" in version else "/api/v1"
        for resource in api.get(root)["resources"]:
            inside = "namespaces/{namespace}/" if resource["namespaced"] else ""
            if "/" not in resource["name"]:
                found[version, resource["kind"]] = (f"{root}/{inside}{resource['name']}", resource["namespaced"])
    return found


def _make_namespace(api: Api, name: str) -> None:
    try:
        api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    except ApiError as error:
        if error.status != 409:
            raise


def answer_of(api: Api, example: Example, body: Mapping[str, Any]) -> Body | None:
    """Return what the API server would store, ``None`` if it refuses."""
    metadata = {**body["metadata"], "resourceVersion": example.resource_version}
    try:
        return stored(api.put(example.path, {**body, "metadata": metadata}, dryRun="All"))
    except ApiError:
        return None


def random_changes(api: Api, chance: random.Random, examples: list[Example], count: int) -> Iterator[Change]:
    """Yield valid changes that are not without effect, of each kind about the same number."""
    by_kind = defaultdict(list)
    for example in examples:
        by_kind[example.live["kind"]].append(example)
    kinds = sorted(by_kind)
    weights = [len(by_kind[kind]) ** 0.5 * (3 if kind in _COMPLEX else 1) for kind in kinds]
    done = 0
    while done < count:
        example = chance.choice(by_kind[chance.choices(kinds, weights)[0]])
        for _attempt in range(_ATTEMPTS):
            operations = change(chance, example.live)
            live = answer_of(api, example, wanted := changed(example.live, operations))
            if live is not None and live != example.live:
                operations = [*operations, *operations_between(wanted, live)]
                yield Change(example, operations, live)
                done += 1
                break


def written_by_cvo(checkout: Path, changes: list[Change]) -> list[Body | None]:
    """Return the objects that the CVO of a checkout writes. The objects on the cluster have a status."""
    cases = [
        {
            "manifest": item.example.manifest,
            "live": {**item.live, **({"status": {}} if "status" in item.example.manifest else {})},
            "resource": item.example.path.split("/")[-2],
        }
        for item in changes
    ]
    return answers(checkout, cases)


def answers(checkout: Path, cases: object) -> list[Body | None]:
    """Return what the program in a checkout answers."""
    bodies: list[Body | None] = run_in_checkout("merging", checkout, cases, package="pkg/cvo/parity")
    return bodies


def reconciled(api: Api, checkout: Path, examples: list[Example]) -> Iterator[Example]:
    """Yield objects as the CVO leaves them: it adds more defaults to an object that it has created."""
    bodies = written_by_cvo(checkout, [Change(example, [], example.live) for example in examples])
    for example, body in zip(examples, bodies, strict=True):
        if body is None:
            yield example
            continue
        metadata = {**body["metadata"], "resourceVersion": example.resource_version}
        try:
            answer = api.put(example.path, {**body, "metadata": metadata})
        except ApiError:
            continue
        version = answer["metadata"]["resourceVersion"]
        yield example._replace(live=stored(answer), resource_version=version)


def is_reverted(api: Api, item: Change, written: Mapping[str, Any] | None) -> bool:
    """Whether the CVO changes the object, or tries to in vain because the API server refuses what it writes."""
    return written is not None and answer_of(api, item.example, written) != item.live


def main(arguments: list[str]) -> int:
    """Write the facts."""
    seed, count, target, *others = arguments
    checkouts = dict(other.split("=", 1) for other in others if "=" in other)
    folders = [Path(other) for other in others if "=" not in other]
    chance = random.Random(int(seed))
    rows: dict[tuple[str, str, int], Any] = {}
    for folder in folders:
        with ControlPlane(log=lambda _line: None) as plane:
            examples = list(created(plane.api, folder))
            examples = list(reconciled(plane.api, [Path(path) for path in checkouts.values()][-1], examples))
            changes = [Change(example, [], example.live) for example in examples]
            changes += random_changes(plane.api, chance, examples, int(count) // len(folders))
            columns = []
            for path in checkouts.values():
                bodies = written_by_cvo(Path(path), changes)
                pairs = zip(changes, bodies, strict=True)
                columns.append([is_reverted(plane.api, item, body) for item, body in pairs])
        for item, *reverted in zip(changes, *columns, strict=True):
            key = (folder.name, item.example.file, item.example.document)
            if item.operations or key not in rows:
                fields = list(operations_between(owned(item.example.manifest), item.example.live))
                rows.setdefault(key, [*key, fields, []])
            rows[key][4].append([item.operations, reverted])
    write(Path(target), {"minors": list(checkouts), "cases": [row for row in rows.values() if len(row[4]) > 1]})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
