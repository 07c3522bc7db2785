# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads live objects in parallel and compares them with their manifests. Keeps only their faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._cluster.injection import inject, read_config, with_live_formatting
from .._cluster.operators import readiness_of
from .._cluster.readiness import Readiness, can_be_unready
from .._data.version import Minor
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.lookup import read_schema
from .._kubernetes.rest_mapper import RestMapper
from .._kubernetes.schema import Schema, is_declared, is_default
from .._problems import Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ApiResource, Target, mappings_in, nested
from .._rollout.desired_object import (
    CREATED_BY_ROLLOUT,
    LAST_APPLIED_HASH,
    PART_OF,
    OwnershipMetadata,
    build_apply_object,
    is_applied_before_its_owner,
    is_created_by_rollout,
    remove_injected_bundles,
)
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


class Owner(NamedTuple):
    """The ClusterVersion, which owns all objects of its CVO, and those that a rollout created.

    ``uid`` is empty if there is none.
    """

    uid: str
    is_cvo_running: Callable[[], bool]

    def is_expected(self, manifest: Manifest, metadata: Mapping[str, Any]) -> bool:
        """Whether the object with this metadata should have it. Nothing adds it to other objects without a CVO."""
        is_there = any(item.get("uid") == self.uid for item in mappings_in(metadata.get("ownerReferences")))
        from_rollout = is_created_by_rollout(metadata) and not is_applied_before_its_owner(manifest)
        return bool(self.uid) and (is_there or from_rollout or self.is_cvo_running())


def compare_with_cluster(
    client: Client,
    kinds: RestMapper,
    release: Release,
    existing: Sequence[tuple[Manifest, Target]],
    owner: Owner,
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
        if manifest.is_create_only:
            return CheckedResource(manifest, readiness=unready)
        if configuration.reasons(manifest):
            return CheckedResource(manifest, unclear=True, readiness=unready)
        reported = Problems()
        uid = owner.uid if owner.is_expected(manifest, live["metadata"]) else ""
        ownership = OwnershipMetadata("", uid, configuration.config, is_created=False)
        body = release.read_body(manifest)
        inject(manifest, body, configuration.config, reported)
        desired = build_apply_object(manifest, body, ownership, "", reported, namespaced=target.kind.namespaced)
        fields = () if reported.has_errors else different_fields(manifest, desired, live, release.minor)
        return CheckedResource(manifest, fields=fields, readiness=unready, problems=tuple(reported))

    return _as_declared(client, existing, list(client.each(check, existing)))


def different_fields(
    manifest: Manifest, desired: Mapping[str, Any], live: Mapping[str, Any], minor: Minor | None
) -> tuple[Difference, ...]:
    """Return the fields of ``live`` that the CVO of ``minor`` would revert to ``desired``, and defaults of definitions.

    What a rollout or an operator adds to ``live`` is removed.
    """
    remove_injected_bundles(manifest, live)
    without_rollout = {**live, "metadata": _without_rollout(live["metadata"])}
    without_own = {**desired, "metadata": _without_rollout(desired["metadata"])}
    expected = with_live_formatting(manifest, without_own, live)
    return mask(differences(expected, without_rollout, minor), manifest.resource_id.kind)


def shorten(difference: Difference) -> Difference:
    """Shorten long values so that a result never contains large parts of an object."""
    return Difference(difference.field, _beginning(difference.expected), _beginning(difference.actual))


def _beginning(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _without_rollout(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Copy metadata without what a rollout adds."""
    result = dict(metadata)
    for field, names in (("labels", {PART_OF}), ("annotations", {LAST_APPLIED_HASH, CREATED_BY_ROLLOUT})):
        result[field] = {name: value for name, value in (metadata.get(field) or {}).items() if name not in names}
    return result


def _as_declared(
    client: Client, existing: Sequence[tuple[Manifest, Target]], checked: Sequence[CheckedResource]
) -> Sequence[CheckedResource]:
    """Remove what the API adds or does not declare from the differences, and report the latter.

    Reads one schema per kind, and only for kinds whose objects have or lack a field.
    """
    results = list(checked)
    suspects: dict[ApiResource, list[int]] = {}
    for index, (_manifest, target) in enumerate(existing):
        if any(None in (item.expected, item.actual) for item in results[index].fields):
            suspects.setdefault(target.kind, []).append(index)
    for kind, indexes in suspects.items():
        schema = read_schema(client, kind)
        for index in indexes:
            results[index] = as_declared(schema, results[index])
    return [item._replace(fields=tuple(map(shorten, item.fields))) for item in results]


def as_declared(schema: Schema, item: CheckedResource) -> CheckedResource:
    """Remove defaults and undeclared fields from the differences of a resource, and report the latter."""
    fields = [one for one in item.fields if one.expected is not None or not is_default(schema, one.field, one.actual)]
    undeclared = [one.field for one in fields if one.actual is None and not is_declared(schema, one.field)]
    fields = [one for one in fields if one.field not in undeclared]
    problems = item.problems
    if undeclared:
        kind = item.manifest.resource_id.kind
        message = f"the API does not declare {', '.join(undeclared)} of {kind}, so this is not compared"
        problems = (*problems, Problem("warning", "undeclared-field", item.manifest.location, message))
    return item._replace(fields=tuple(fields), problems=problems)


def report_checked(checked: Iterable[CheckedResource], problems: Problems) -> None:
    """Report the problems of all resources; of those that could not be read, only the first one of each kind."""
    unreadable = set()
    for item in checked:
        kind = item.manifest.resource_id.group_kind
        if not item.unclear or kind not in unreadable:
            problems += item.problems
        if item.unclear and item.problems:
            unreadable.add(kind)
