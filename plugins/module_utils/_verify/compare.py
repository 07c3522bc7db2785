# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Objects of a cluster, read several at a time and compared with their manifests; only what is wrong is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._cluster.operators import readiness_of
from .._cluster.readiness import Readiness, can_be_unready
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.schema import Schema, is_declared, schema_of, served_schema
from .._problems import Problem, Problems
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest, location
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, ApiResource, Target
from .._rollout.desired_object import LAST_APPLIED_HASH, PART_OF, OwnershipMetadata, build_apply_object, is_create_only
from .._rollout.feature_set import read_proxy
from .._unstructured import mappings_in, nested
from .difference import Difference, differences, masked

_LONGEST = 200


class CheckedResource(NamedTuple):
    """What was seen of one resource. ``unclear``: it could not be read."""

    manifest: Manifest
    unclear: bool = False
    absent: bool = False
    fields: tuple[Difference, ...] = ()
    readiness: Readiness | None = None
    problems: tuple[Problem, ...] = ()


def compare(
    client: Client,
    kinds: RestMapper,
    loaded: LoadedRelease,
    there: Sequence[tuple[Manifest, Target]],
    problems: Problems,
) -> Sequence[CheckedResource]:
    """Read what is there, and say of each what is wrong with it; ``problems`` gets what holds for all of them."""
    proxy: Mapping[str, Any] = {}
    try:
        proxy = read_proxy(client, kinds)
    except ApiError as error:
        problems += error.problems

    def look(item: tuple[Manifest, Target]) -> CheckedResource:
        manifest, target = item
        try:
            found = client.get(target)
        except ApiError as error:
            if error.is_not_found:
                return CheckedResource(manifest, absent=True)
            return CheckedResource(manifest, unclear=True, problems=error.problems)
        readiness = None
        if can_be_unready(manifest.resource_id) or nested(found, "metadata", "deletionTimestamp"):
            readiness = readiness_of(loaded.release, manifest, found, "reconcile")
        unready = readiness if readiness and readiness.state != "ready" else None
        if is_create_only(manifest):
            return CheckedResource(manifest, readiness=unready)
        fields, told = _different_fields(loaded, target, manifest, found, proxy)
        return CheckedResource(manifest, fields=fields, readiness=unready, problems=told)

    return _declared(client, there, list(client.each(look, there)))


def _different_fields(
    loaded: LoadedRelease,
    target: Target,
    manifest: Manifest,
    found: Mapping[str, Any],
    proxy: Mapping[str, Any],
) -> tuple[tuple[Difference, ...], tuple[Problem, ...]]:
    """Return the fields that are not as in the manifest, or why it cannot be said how they should be."""
    body = loaded.release.body(manifest)
    problems = Problems()
    ownership = OwnershipMetadata("", "", proxy)
    wanted = build_apply_object(manifest, body, ownership, "", target.kind.namespaced, problems)
    if problems.has_errors:
        return (), tuple(problems)
    told = masked(differences(_without_ownership(wanted), found), manifest.resource_id.kind)
    return tuple(map(shortened, told)), tuple(problems)


def shortened(told: Difference) -> Difference:
    """Return a difference that keeps no large part of an object: of a long value the beginning of its text."""
    return Difference(told.field, _beginning(told.wanted), _beginning(told.found))


def _beginning(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _without_ownership(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object that would be sent without what a rollout itself adds, and without owners of other clusters."""
    metadata = dict(wanted["metadata"])
    metadata["labels"] = {key: value for key, value in metadata["labels"].items() if key != PART_OF}
    metadata["annotations"] = {key: value for key, value in metadata["annotations"].items() if key != LAST_APPLIED_HASH}
    owners = [
        item for item in mappings_in(metadata.pop("ownerReferences", None)) if item.get("kind") != "ClusterVersion"
    ]
    return {**wanted, "metadata": {**metadata, **({"ownerReferences": owners} if owners else {})}}


def _declared(
    client: Client, there: Sequence[tuple[Manifest, Target]], looked: Sequence[CheckedResource]
) -> Sequence[CheckedResource]:
    """Take out of the differences the fields that the API does not know; a problem names them.

    One schema for each kind whose objects lack fields.
    """
    found = list(looked)
    suspects: dict[ApiResource, list[int]] = {}
    for index, (_manifest, target) in enumerate(there):
        if any(item.found is None for item in found[index].fields):
            suspects.setdefault(target.kind, []).append(index)
    for kind, indexes in suspects.items():
        schema = _schema(client, kind)
        for index in indexes:
            found[index] = _without_undeclared(schema, kind, found[index])
    return found


def _schema(client: Client, kind: ApiResource) -> Schema:
    """Return the schema of a kind: that of its CustomResourceDefinition, which OpenAPI gets to know later."""
    try:
        return Schema(schema_of(client.get(Target(CUSTOM_RESOURCE_DEFINITIONS, kind.resource)), kind.version))
    except ApiError:
        pass  # a kind of the server's own has none
    try:
        group = f"apis/{kind.group}" if kind.group else "api"
        return served_schema(client.document(f"/openapi/v3/{group}/{kind.version}"), kind)
    except ApiError:
        return Schema(None)  # then all fields count


def _without_undeclared(schema: Schema, kind: ApiResource, item: CheckedResource) -> CheckedResource:
    unknown = [one.field for one in item.fields if one.found is None and not is_declared(schema, one.field)]
    if not unknown:
        return item
    message = f"the API does not know {', '.join(unknown)} of {kind.kind}, so it is not compared"
    problem = Problem("warning", "todo", location(item.manifest.file, item.manifest.document), message)
    fields = tuple(one for one in item.fields if one.field not in unknown)
    return item._replace(fields=fields, problems=(*item.problems, problem))


def problems_of(looked: Iterable[CheckedResource]) -> Iterable[Problem]:
    """Yield the problems: of what could not be read only the first one of each kind."""
    told = set()
    for item in looked:
        kind = item.manifest.resource_id[:2]
        if not item.unclear or kind not in told:
            yield from item.problems
        if item.unclear:
            told.add(kind)
