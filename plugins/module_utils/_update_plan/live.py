# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads from the selected cluster what the options of a plan do not set, which resources exist, and admin gates."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._capability.cluster_options import ClusterOptions
from .._cluster.admin_acks import ADMIN_ACKS, ADMIN_GATES, AdminAcks, acknowledged, admin_gates
from .._cluster.cluster_properties import ClusterProperty, check_feature_set, find_or_warn, read_properties
from .._cluster.cluster_version import CLUSTER_VERSION
from .._cluster.cluster_version_client import get_cluster_version
from .._cluster.running_cvo import unkept_status
from .._data.feature_sets import DEFAULT_FEATURE_SET
from .._data.platforms import PLATFORM_DATA
from .._kubernetes.client import Client
from .._kubernetes.lookup import find_existing
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, Problem, Problems, raise_errors
from .._resources import CONFIG_MAPS, Object, ResourceId, nested, target_for
from .planner import ResolvedPath, deciding_resources
from .request import PlanOptions, PlanRequest

_WHERE, _RESOURCES = "cluster", "live_resources"
_OF_INFRASTRUCTURE = frozenset({"control_plane_topology", "infrastructure_topology", "infrastructure_name"})
_DECISIVE = ("feature_set", "cluster_profile", "overrides")


def complete_options(
    options: PlanOptions, client: Client, problems: Problems, *, is_strict: bool
) -> tuple[PlanOptions, str]:
    """Read what ``options`` do not set, apart from the resources, and report it. Raises ``ClusterError``.

    Returns the completed options, and the name of the cluster in the cloud.

    An object that the user may not read is a warning. If ``is_strict``, it is an error if the plan depends on it.
    """
    missing = options.missing
    reading_problems = Problems()
    options, found = _with_cluster_version(options, client, reading_problems)
    needed = _OF_INFRASTRUCTURE if missing & {"platform", "cluster_profile"} else frozenset[str]()
    properties = read_properties(client, missing | needed, reading_problems, settable=options.settable)
    if not needed:  # Then only acceptances need it, which report a missing name themselves.
        properties |= read_properties(client, _OF_INFRASTRUCTURE, Problems())
    decisive = _DECISIVE if is_strict else ()
    problems += (item._replace(severity="error") if item.where.field in decisive else item for item in reading_problems)
    cluster = options.cluster
    if "feature_set" in properties:
        reported = properties["feature_set"].value
        same = check_feature_set(cluster.feature_set, reported, problems)
        if not same:
            properties.pop("feature_gates")
        elif "feature_gates" in missing:
            gates = properties["feature_gates"].value
            reported_gates = tuple(sorted((version, frozenset(names)) for version, names in gates.items()))
            options = options._replace(reported_gates=reported_gates)
        if "feature_set" in missing:
            cluster = cluster._replace(feature_set=reported)
    if "cluster_profile" in missing & properties.keys():
        cluster = cluster._replace(cluster_profile=properties["cluster_profile"].value)
    if "platform" in missing & properties.keys():
        cluster = _with_platform(cluster, properties["platform"], problems, settable=options.settable)
    # What the user set was not used, even if it is in an object that was read.
    found |= {name: item for name, item in properties.items() if name in missing | _OF_INFRASTRUCTURE}
    _report(found, missing, problems)
    own_name = found["infrastructure_name"].value if "infrastructure_name" in found else ""
    return options._replace(cluster=cluster), own_name


def _with_cluster_version(
    options: PlanOptions, client: Client, problems: Problems
) -> tuple[PlanOptions, dict[str, ClusterProperty]]:
    """Return ``options`` with the ClusterVersion of the cluster, or with its overrides, if they are missing."""
    if "start" in options.missing:
        obj: Mapping[str, Any] | None = get_cluster_version(client)
        completed = options._replace(cluster_version=obj, location=str(CLUSTER_VERSION))
    elif "overrides" in options.missing:
        obj = find_or_warn(client, CLUSTER_VERSION, "overrides", problems)
        overrides = nested(obj, "spec", "overrides") or ()
        completed = options._replace(cluster=options.cluster._replace(overrides=overrides))
    else:
        return options, {}
    if obj is None or "overrides" not in options.missing:
        return completed, {}
    value = nested(obj, "spec", "overrides") or []
    return completed, {"overrides": ClusterProperty("overrides", value, f"{CLUSTER_VERSION}, .spec.overrides")}


def _with_platform(
    cluster: ClusterOptions, reported: ClusterProperty, problems: Problems, *, settable: bool
) -> ClusterOptions:
    if reported.value in PLATFORM_DATA:
        return cluster._replace(platform=reported.value)
    message = f"the platform {reported.value} of the cluster is not known, so credentials_requests lists all requests"
    problems.info("unknown-platform", "platform", message, "Set platform" if settable else "")
    return cluster


def _report(found: Mapping[str, ClusterProperty], missing: frozenset[str], problems: Problems) -> None:
    absent = sorted(missing - found.keys() - {"start", "live_resources", "overrides"})
    message = f"read from the cluster: {', '.join(map(_shown, found.values())) or 'nothing'}"
    if absent:
        message += f"; the default is used for {', '.join(absent)}"
    problems.info("cluster-read", _WHERE, message)


def _shown(item: ClusterProperty) -> str:
    if item.name == "overrides":
        return f"{len(item.value)} overrides"
    if item.name == "feature_gates":
        return f"feature_gates of {' and '.join(sorted(item.value)) or 'no version'}"
    return f"{item.name} {item.value or DEFAULT_FEATURE_SET}"


def read_live_state(request: PlanRequest, path: ResolvedPath, client: Client, problems: Problems) -> PlanRequest:
    """Return ``request`` with the gates of the cluster, and its resources if they are not set. Raises ``ClusterError``.

    Reads also whether a CVO keeps the status. ``path`` is the path of the request, which decides what is looked up.
    """
    state = request.state._replace(is_read=True, unkept=unkept_status(client), acks=find_admin_acks(client, problems))
    cluster = request.cluster
    if cluster.present is None:
        decisive = cluster.rule == "presence"
        resources = deciding_resources(request, path)
        cluster = cluster._replace(present=look_up_resources(client, resources, problems, decisive=decisive))
    return request._replace(state=state, cluster=cluster)


def look_up_resources(
    client: Client, resources: Collection[ResourceId], problems: Problems, *, decisive: bool
) -> frozenset[ResourceId]:
    """Return which of ``resources`` exist on the cluster, and report how many were looked up.

    A resource of a kind that the cluster does not serve does not exist. ``decisive``: the plan depends on the
    resources, so ``ClusterError`` is raised with every kind that cannot be listed. Otherwise these are warnings.
    """
    if not resources:
        message = "nothing to look up: all capabilities that the new manifests need are enabled"
        problems.info("live-resources-read", _RESOURCES, message)
        return frozenset()
    lookup = find_existing(client, RestMapper(client), resources)
    if decisive:
        raise_errors(lookup.problems, ClusterError)
    problems += map(_incomplete, lookup.problems)
    read = frozenset(resources) - lookup.unclear
    kinds = {resource.group_kind for resource in read}
    message = f"looked up {len(read)} resources of {len(kinds)} kinds on the cluster, and found {len(lookup.existing)}"
    if lookup.unserved:
        message += f"; the cluster does not serve {lookup.unserved} of the kinds"
    problems.info("live-resources-read", _RESOURCES, message)
    return frozenset(lookup.existing)


def _incomplete(problem: Problem) -> Problem:
    message = f"{problem.message}, so references to its resources can be reported as dangling"
    return Problem("warning", problem.code, problem.where if any(problem.where) else _RESOURCES, message, problem.hint)


def find_admin_acks(client: Client, problems: Problems) -> AdminAcks:
    """Read the ConfigMaps ``admin-gates`` and ``admin-acks``. Raises ``ClusterError``.

    One that the user may not read is ``None``, and a problem reports it.
    """
    gates, acks = (_find_readable(client, item, problems) for item in (ADMIN_GATES, ADMIN_ACKS))
    source = f"ConfigMap {ADMIN_GATES.namespace}/{ADMIN_GATES.name} of the cluster"
    return AdminAcks(
        None if gates is None else admin_gates(nested(gates, "data"), source),
        None if acks is None else acknowledged(nested(acks, "data")),
    )


def _find_readable(client: Client, resource: ResourceId, problems: Problems) -> Object | None:
    """Return an object, an empty one if it does not exist, ``None`` if the user may not read it."""
    target = target_for(CONFIG_MAPS, resource)
    found, denied = client.find_permitted(target)
    if not denied:
        return found or {}
    message = "cannot be read, so the verdict does not consider it"
    hint = f"Grant get on configmaps in the namespace {resource.namespace}"
    problems.info("unread-config-map", str(target), message, hint)
    return None
