# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads live objects in parallel and compares them with their manifests. Keeps only their faults."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._cluster.injected_config import InjectedConfig
from .._cluster.injected_config_reader import read_config
from .._cluster.injection import inject, with_live_formatting
from .._cluster.operators import readiness_of
from .._cluster.readiness import Readiness, can_be_unready
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.lookup import read_schema
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.schema import Schema, is_declared
from .._problems import Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ApiResource, Target, mappings_in, nested
from .._rollout.desired_object import LAST_APPLIED_HASH, PART_OF, OwnershipMetadata, build_apply_object, is_create_only
from .difference import Difference, differences, mask

_LONGEST = 200


class CheckedResource(NamedTuple):
    """Result for one resource. ``absent``: it was deleted after the lookup.

    ``unclear``: the resource, or the configuration that the CVO injects into it, could not be read.
    """

    manifest: Manifest
    unclear: bool = False
    absent: bool = False
    fields: tuple[Difference, ...] = ()
    readiness: Readiness | None = None
    problems: tuple[Problem, ...] = ()


def compare_with_cluster(
    client: Client,
    kinds: RestMapper,
    release: Release,
    existing: Sequence[tuple[Manifest, Target]],
    problems: Problems,
) -> Sequence[CheckedResource]:
    """Read the ``existing`` resources and compare each with its manifest; report what affects all of them."""
    configuration = read_config(client, kinds, [manifest for manifest, _target in existing], release.minor)
    problems += [problem for reasons in configuration.unread.values() for problem in reasons]

    def check(item: tuple[Manifest, Target]) -> CheckedResource:
        manifest, target = item
        try:
            live = client.get(target)
        except ApiError as error:
            if error.is_not_found:
                return CheckedResource(manifest, absent=True)
            return CheckedResource(manifest, unclear=True, problems=error.problems)
        readiness = None
        if can_be_unready(manifest.resource_id) or nested(live, "metadata", "deletionTimestamp"):
            readiness = readiness_of(release, manifest, live, "reconcile")
        unready = readiness if readiness and readiness.state != "ready" else None
        if is_create_only(manifest.annotations):
            return CheckedResource(manifest, readiness=unready)
        if configuration.reasons(manifest):
            return CheckedResource(manifest, unclear=True, readiness=unready)
        reported = Problems()
        fields = _different_fields(release, target, manifest, live, configuration.config, reported)
        return CheckedResource(manifest, fields=fields, readiness=unready, problems=tuple(reported))

    return _without_undeclared_fields(client, existing, list(client.each(check, existing)))


def _different_fields(
    release: Release,
    target: Target,
    manifest: Manifest,
    live: Mapping[str, Any],
    config: InjectedConfig,
    problems: Problems,
) -> tuple[Difference, ...]:
    """Return the fields that differ from the manifest; report why the desired object is unknown."""
    body = release.read_body(manifest)
    inject(manifest, body, config, problems)
    ownership = OwnershipMetadata("", "", config, is_created=False)
    desired = build_apply_object(manifest, body, ownership, "", problems, namespaced=target.kind.namespaced)
    if problems.has_errors:
        return ()
    expected = with_live_formatting(manifest, _without_ownership(desired), live)
    different = mask(differences(expected, live), manifest.resource_id.kind)
    return tuple(map(shorten, different))


def shorten(difference: Difference) -> Difference:
    """Shorten long values so that a result never contains large parts of an object."""
    return Difference(difference.field, _beginning(difference.expected), _beginning(difference.actual))


def _beginning(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _without_ownership(desired: Mapping[str, Any]) -> dict[str, Any]:
    """Remove what the rollout itself adds, and owner references to the ClusterVersion, whose uid differs by cluster."""
    metadata = dict(desired["metadata"])
    metadata["labels"] = {key: value for key, value in metadata["labels"].items() if key != PART_OF}
    metadata["annotations"] = {key: value for key, value in metadata["annotations"].items() if key != LAST_APPLIED_HASH}
    owners = [
        item for item in mappings_in(metadata.pop("ownerReferences", None)) if item.get("kind") != "ClusterVersion"
    ]
    return {**desired, "metadata": {**metadata, **({"ownerReferences": owners} if owners else {})}}


def _without_undeclared_fields(
    client: Client, existing: Sequence[tuple[Manifest, Target]], checked: Sequence[CheckedResource]
) -> Sequence[CheckedResource]:
    """Remove fields that the API does not declare from the differences, and report them.

    Reads one schema per kind, and only for kinds whose objects lack a field.
    """
    results = list(checked)
    suspects: dict[ApiResource, list[int]] = {}
    for index, (_manifest, target) in enumerate(existing):
        if any(item.actual is None for item in results[index].fields):
            suspects.setdefault(target.kind, []).append(index)
    for kind, indexes in suspects.items():
        schema = read_schema(client, kind)
        for index in indexes:
            results[index] = _declared(schema, kind, results[index])
    return results


def _declared(schema: Schema, kind: ApiResource, item: CheckedResource) -> CheckedResource:
    undeclared = [one.field for one in item.fields if one.actual is None and not is_declared(schema, one.field)]
    if not undeclared:
        return item
    message = f"the API does not declare {', '.join(undeclared)} of {kind.kind}, so this is not compared"
    where = item.manifest.location
    fields = tuple(one for one in item.fields if one.field not in undeclared)
    return item._replace(
        fields=fields, problems=(*item.problems, Problem("warning", "undeclared-field", where, message))
    )


def report_checked(checked: Iterable[CheckedResource], problems: Problems) -> None:
    """Report the problems of all resources; of those that could not be read, only the first one of each kind."""
    unreadable = set()
    for item in checked:
        kind = item.manifest.resource_id.group_kind
        if not item.unclear or kind not in unreadable:
            problems += item.problems
        if item.unclear and item.problems:
            unreadable.add(kind)
