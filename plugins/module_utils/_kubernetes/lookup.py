# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks up which resources exist on a cluster, with one request for the metadata of each kind, and reads schemas."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from .._problems import ClusterError, Problem
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, ApiResource, ResourceId, Target, nested, target_for
from .api_errors import ApiError
from .client import Client, object_key
from .rest_mapper import RestMapper
from .schema import Schema, schema_of, served_schema


def api_identity(kinds: RestMapper, resource: ResourceId) -> ResourceId:
    """``ResourceId.as_object`` as the server defines the kind. A kind that is not served keeps its namespace."""
    served = kinds.find(resource.group, resource.kind) if resource.namespace else None
    return resource.as_object(cluster_scoped=served is not None and not served.namespaced)


class ExistingResources(NamedTuple):
    """The metadata of the ``existing`` resources. ``unclear`` are those that could not be read, ``errors`` the reasons.

    ``unserved`` is the number of kinds that the cluster does not serve; no resource of them exists.
    """

    existing: Mapping[ResourceId, Mapping[str, Any]]
    unclear: frozenset[ResourceId]
    errors: tuple[ClusterError, ...]
    unserved: int

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the errors, each once."""
        return tuple(dict.fromkeys(problem for error in self.errors for problem in error.problems))


def find_existing(
    client: Client, kinds: RestMapper, resources: Collection[ResourceId], labels: str = ""
) -> ExistingResources:
    """Return which of ``resources`` exist and match ``labels``, a label selector of the form ``KEY=VALUE``.

    Raises ``ClusterError`` if the server does not answer at all.
    """
    defined = {resource.name for resource in resources if resource.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind}
    label, _equals, value = labels.partition("=")
    # Manifests of cluster-scoped resources can have a namespace, which the API ignores; targets do not have it.
    by_key: dict[ApiResource, dict[str, list[ResourceId]]] = {}
    missing: dict[tuple[str, str], list[ResourceId]] = {}
    for resource in sorted(resources):
        served = kinds.find(resource.group, resource.kind)
        if served is None:
            missing.setdefault(resource.group_kind, []).append(resource)
        else:
            by_key.setdefault(served, {}).setdefault(target_for(served, resource).key, []).append(resource)
    unknown = {group_kind: named for group_kind, named in missing.items() if kinds.unknown(group_kind[0])}
    unclear = {resource for named in unknown.values() for resource in named}
    errors: list[ClusterError] = [_group_unavailable(*group_kind) for group_kind in unknown]

    def list_kind(served: ApiResource) -> Mapping[ResourceId, Mapping[str, Any]] | ApiError:
        keys = by_key[served]
        try:
            # While the storage of a new definition is initialized, the server rejects lists with a selector (KEP-4568).
            is_defined = served.resource in defined
            items = client.list(Target(served, labels="" if is_defined else labels), metadata_only=True)
            return {
                resource: item["metadata"]
                for item in items
                if not label or nested(item, "metadata", "labels", label) == value
                for resource in keys.get(object_key(item), ())
            }
        except ApiError as error:
            return {} if error.is_not_found else error  # its CustomResourceDefinition was deleted in between

    existing: dict[ResourceId, Mapping[str, Any]] = {}
    for served, answer in zip(by_key, client.each(list_kind, tuple(by_key)), strict=True):
        if isinstance(answer, ApiError):
            errors.append(answer)
            unclear.update(resource for resources in by_key[served].values() for resource in resources)
        else:
            existing.update(answer)
    return ExistingResources(existing, frozenset(unclear), tuple(errors), len(missing) - len(unknown))


def read_schema(client: Client, kind: ApiResource) -> Schema:
    """Read the schema of a kind. The OpenAPI document is updated later than the CustomResourceDefinition."""
    try:
        return Schema(schema_of(client.get(Target(CUSTOM_RESOURCE_DEFINITIONS, kind.resource)), kind.version))
    except ApiError:
        pass  # a built-in kind has no CustomResourceDefinition
    try:
        group = f"apis/{kind.group}" if kind.group else "api"
        return served_schema(client.document(f"/openapi/v3/{group}/{kind.version}"), kind)
    except ApiError:
        return Schema(None)  # declares every field


def _group_unavailable(group: str, kind: str) -> ClusterError:
    message = f"cannot list {kind} of {group}: the server of this API group does not answer"
    hint = "Check the APIServices of the group (oc get apiservice), and run it again"
    return ClusterError([Problem("error", "unavailable-group", "", message, hint)])
