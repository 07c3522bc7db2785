# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reports who uses the APIs of capabilities, from a cluster or from files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, InvalidOptionError, Problem, Problems
from .._release.loader import PLACEHOLDER_IMAGE, load_release
from .._resources import CLUSTER_VERSIONS, ApiResource, Target
from .._unstructured import nested
from .owned_apis import ownership_of
from .request_counts import KIND, read_request_counts
from .request_files import read_objects
from .usage import Usage, selected_capabilities, usage_of

_COUNTS = Target(ApiResource("apiserver.openshift.io", "v1", "apirequestcounts", KIND))
_CLUSTER_VERSION = "ClusterVersion"
_OPTION = "request_counts"


class UsageOptions(NamedTuple):
    """The options of the module. ``request_counts`` is a file or directory, ``None`` to ask the cluster.

    ``release`` is a directory, and ``index_directory`` is where its index is kept.
    """

    release: str
    openshift_version: str | None
    capabilities: tuple[str, ...] | None
    request_counts: str | None
    index_directory: str = ""


def capability_usage(options: UsageOptions, client: Client | None, problems: Problems) -> Usage:
    """Read everything and assign requests to capabilities. ``client`` is needed without ``request_counts``.

    Raises ``CapabilityError``.
    """
    loaded = load_release(
        options.release,
        openshift_version=options.openshift_version,
        release_image=PLACEHOLDER_IMAGE,
        index_directory=options.index_directory,
    )
    problems += loaded.problems
    ownership = ownership_of(loaded.release)
    selected = selected_capabilities(options.capabilities, ownership)
    where = options.request_counts or "cluster"
    objects = _live_objects(client) if client is not None else list(read_objects(options.request_counts or ""))
    counts = read_request_counts(objects, where, problems)
    if not counts and not problems.has_errors:
        message = f"{where} contains no {KIND}"
        hint = "Save them with oc get apirequestcounts,clusterversion -o json, as a user who may list them"
        problems.error("no-request-counts", _OPTION, message, hint)
    problems.raise_errors(InvalidOptionError)
    enabled = _enabled(objects)
    if enabled is None:
        message = "contains no ClusterVersion, so it is not known which APIs exist"
        problems.info("unknown-capabilities", where, message, "Add clusterversion to the objects")
    return usage_of(counts, ownership, selected, enabled, problems)


def _live_objects(client: Client) -> list[Mapping[str, Any]]:
    """The APIRequestCounts of a cluster, and its ClusterVersion if it can be read."""
    try:
        objects: list[Mapping[str, Any]] = [{**item, "kind": KIND} for item in client.list(_COUNTS)]
    except ApiError as error:
        if not error.is_not_found:
            raise
        message = f"{client.host} does not serve {KIND}: it is not the API server of an OpenShift cluster"
        problem = Problem("error", "no-request-counts", KIND, message, "Check the address, or set request_counts")
        raise ClusterError([problem]) from None
    try:
        found = client.find(Target(CLUSTER_VERSIONS, "version"))
    except ApiError:
        found = None  # it only shows which APIs exist
    return [*objects, {**found, "kind": _CLUSTER_VERSION}] if found is not None else objects


def _enabled(objects: list[Mapping[str, Any]]) -> frozenset[str] | None:
    for obj in objects:
        names = nested(obj, "status", "capabilities", "enabledCapabilities")
        if obj.get("kind") == _CLUSTER_VERSION and isinstance(names, list):
            return frozenset(name for name in names if isinstance(name, str))
    return None
