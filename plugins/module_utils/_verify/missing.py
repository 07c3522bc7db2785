# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which expected resources are missing from a cluster, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from .._data.aggregated_apis import is_aggregated
from .._kubernetes.lookup import ExistingResources
from .._kubernetes.rest_mapper import RestMapper
from .._problems import Problems
from .._release.manifest import Manifest
from .._resources import Target, target_for

ABSENT = "does not exist"


class Missing(NamedTuple):
    """A manifest whose resource does not exist, with the reason."""

    manifest: Manifest
    reason: str


class ExpectedResources(NamedTuple):
    """The expected manifests: ``missing``, ``existing`` with the target, and ``unserved``, which are not compared."""

    missing: tuple[Missing, ...]
    existing: tuple[tuple[Manifest, Target], ...]
    unserved: tuple[Manifest, ...]


def find_missing(
    kinds: RestMapper,
    expected: Iterable[Manifest],
    lookup: ExistingResources,
    is_cvo_running: Callable[[], bool],
    problems: Problems,
) -> ExpectedResources:
    """Split the ``expected`` manifests, except for those that ``lookup`` could not read.

    Without a CVO, a cluster can lack the aggregated API servers of OpenShift. Their kinds are then reported as
    warnings and not as missing resources, because a rollout skips them, too. ``is_cvo_running`` is called only if such
    a kind is not served.
    """
    missing: list[Missing] = []
    existing: list[tuple[Manifest, Target]] = []
    aggregated: list[Missing] = []
    for manifest in expected:
        resource = manifest.resource_id
        if resource in lookup.unclear:
            continue
        served = kinds.find(resource.group, resource.kind, manifest.version)
        if served is None:
            unserved = Missing(manifest, f"the cluster does not serve {resource.kind} of {_api_version(manifest)}")
            (aggregated if is_aggregated(*resource.group_kind) else missing).append(unserved)
        elif served.namespaced and not resource.namespace:
            missing.append(Missing(manifest, f"the manifest has no namespace, but {resource.kind} needs one"))
        elif resource not in lookup.existing:
            missing.append(Missing(manifest, ABSENT))
        else:
            existing.append((manifest, target_for(served, resource)))
    if aggregated and is_cvo_running():
        return ExpectedResources((*missing, *aggregated), tuple(existing), ())
    _warn(aggregated, problems)
    return ExpectedResources(tuple(missing), tuple(existing), tuple(item.manifest for item in aggregated))


def _warn(aggregated: Iterable[Missing], problems: Problems) -> None:
    counts: dict[str, int] = {}
    for item in aggregated:
        where = f"{item.manifest.resource_id.kind} ({_api_version(item.manifest)})"
        counts[where] = counts.get(where, 0) + 1
    for where, count in counts.items():
        message = (
            "is not served, because the cluster lacks this aggregated API server of OpenShift; "
            f"resources not compared: {count}"
        )
        problems.warning("unserved-kind", where, message)


def _api_version(manifest: Manifest) -> str:
    group = manifest.resource_id.group
    return f"{group}/{manifest.version}" if group else manifest.version
