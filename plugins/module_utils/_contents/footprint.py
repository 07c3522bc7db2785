# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Counts the resources, images and requests of a selection, and compares two selections.

Only manifests of the release are counted. Operands that operators create later (the Pods of the console, routers, a
registry) have no manifest, so disabling a capability saves at least this much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._problems import Location, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ResourceId
from .images import has_images, images_of
from .workloads import Requests, is_workload, workload_requests

_FIELDS = {
    "CustomResourceDefinition": "crds",
    "Namespace": "namespaces",
    "ClusterOperator": "cluster_operators",
    "Deployment": "deployments",
    "DaemonSet": "daemonsets",
    "StatefulSet": "statefulsets",
    "Job": "jobs",
    "CronJob": "cronjobs",
}
NAMED = (*_FIELDS.values(), "images")
"""Fields of a footprint that count named things."""


class Footprint(NamedTuple):
    """Counts for one selection. The difference of two has the same fields, which can be negative.

    ``manifests`` counts applied manifests. The other fields count resources; a resource with two manifests counts once.
    ``images`` counts the distinct pull specs of containers, of environment variables, and of ConfigMaps.
    ``cpu_millicores`` (thousandths of a core) and ``memory_bytes`` are the requests of all replicas. A DaemonSet counts
    once, as on one node. Jobs and CronJobs do not count, because they end.
    """

    manifests: int
    crds: int
    namespaces: int
    cluster_operators: int
    deployments: int
    daemonsets: int
    statefulsets: int
    jobs: int
    cronjobs: int
    images: int
    cpu_millicores: int
    memory_bytes: int


class FootprintComparison(NamedTuple):
    """What ``selection`` saves compared with another: ``saved`` is ``against`` minus ``selection``.

    ``only_in_selection`` and ``only_in_other`` map each field of ``NAMED`` to the sorted names that only one of the two
    has: NAMESPACE/NAME for namespaced resources, and pull specs for images.
    """

    selection: Footprint
    against: Footprint
    saved: Footprint
    only_in_selection: Mapping[str, tuple[str, ...]]
    only_in_other: Mapping[str, tuple[str, ...]]


class _Applied(NamedTuple):
    """The applied manifests of a selection. Of two for the same object, the later one counts, as on a cluster."""

    manifests: int
    resources: Mapping[ResourceId, Manifest]


class _BodyContent(NamedTuple):
    images: frozenset[str]
    requests: Requests


_Contents = Mapping[Location, _BodyContent]
"""What the bodies of manifests contain. A manifest contains a mapping, so its location is the key."""


def compare(
    release: Release, included: Iterable[Manifest], against: Iterable[Manifest], problems: Problems
) -> FootprintComparison:
    """Compare the ``included`` manifests of ``release`` with the manifests ``against``.

    Reads and reports a workload that is on both sides once. Raises ``ReleaseError``.
    """
    applied, other_applied = _applied(included), _applied(against)
    contents = _read_contents(release, (*other_applied.resources.values(), *applied.resources.values()), problems)
    names, other_names = _names(applied, contents), _names(other_applied, contents)
    selection = _footprint(applied, contents, names)
    other = _footprint(other_applied, contents, other_names)
    return FootprintComparison(
        selection=selection,
        against=other,
        saved=Footprint(*(theirs - ours for ours, theirs in zip(selection, other, strict=True))),
        only_in_selection=_without(names, other_names),
        only_in_other=_without(other_names, names),
    )


def _applied(manifests: Iterable[Manifest]) -> _Applied:
    kept = [manifest for manifest in manifests if not manifest.deletes]
    return _Applied(len(kept), {manifest.object_id: manifest for manifest in kept})


def _read_contents(release: Release, manifests: Iterable[Manifest], problems: Problems) -> _Contents:
    pull_specs = frozenset(release.images.values())
    contents: dict[Location, _BodyContent] = {}
    for manifest in manifests:
        if has_images(manifest) and manifest.location not in contents:
            body = release.read_body(manifest)
            requests = workload_requests(manifest, body, problems) if is_workload(manifest) else Requests()
            contents[manifest.location] = _BodyContent(images_of(manifest, body, pull_specs), requests)
    return contents


def _names(applied: _Applied, contents: _Contents) -> dict[str, frozenset[str]]:
    """Return the names of the applied resources for each field of ``NAMED``."""
    names: dict[str, set[str]] = {field: set() for field in NAMED}
    for resource, manifest in applied.resources.items():
        # A Namespace of another API group is not a namespace of Kubernetes.
        if resource.kind in _FIELDS and not (resource.kind == "Namespace" and resource.group):
            name = f"{resource.namespace}/{resource.name}" if resource.namespace else resource.name
            names[_FIELDS[resource.kind]].add(name)
        if has_images(manifest):
            names["images"] |= contents[manifest.location].images
    return {field: frozenset(content) for field, content in names.items()}


def _footprint(applied: _Applied, contents: _Contents, names: Mapping[str, frozenset[str]]) -> Footprint:
    requests = [contents[manifest.location].requests for manifest in applied.resources.values() if has_images(manifest)]
    return Footprint(
        manifests=applied.manifests,
        **{field: len(content) for field, content in names.items()},
        cpu_millicores=sum(item.cpu_millicores for item in requests),
        memory_bytes=sum(item.memory_bytes for item in requests),
    )


def _without(names: Mapping[str, frozenset[str]], others: Mapping[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    return {field: tuple(sorted(content - others[field])) for field, content in names.items()}
