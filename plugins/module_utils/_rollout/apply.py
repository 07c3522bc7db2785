# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies one manifest of a release: creates, updates or deletes its object, and classifies the result.

The CVO reads, merges and writes. Server-side apply does that in one request, and records who owns which field.
Source: openshift/cluster-version-operator:lib/resourceapply, lib/resourcedelete.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from .._cluster.injection import inject
from .._data.aggregated_apis import is_aggregated
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client, WriteResult
from .._kubernetes.crds import DefinitionWatch, is_established, remove_trace, wait_until_established
from .._kubernetes.lookup import read_schema
from .._kubernetes.schema import is_declared, schema_of
from .._problems import Problem, Problems
from .._release.manifest import Manifest
from .._release.task_graph import Mode
from .._resources import (
    CLUSTER_OPERATORS,
    CUSTOM_RESOURCE_DEFINITIONS,
    FEATURE_GATES,
    NAMESPACES,
    ApiResource,
    ResourceId,
    Target,
    nested,
    target_for,
)
from .change_set import Action, ApplyResult, refused
from .cluster_state import RolloutContext
from .deletion import can_hang, read_terminating, terminating_problem
from .desired_object import (
    LAST_APPLIED_HASH,
    NORMALIZED,
    OwnershipMetadata,
    build_apply_object,
    check_annotations,
    is_created_by_rollout,
    last_applied_hash,
    with_encoded_texts,
)
from .drift import is_untouched, merged_preview, owned_digest, rewritten_problem, without_server_fields
from .normalize import normalized_for
from .options import RolloutOptions
from .refusals import Refusal, refusal_of, refusal_problem

_FEATURE_GATE = ResourceId(*FEATURE_GATES.group_kind, "", "cluster")
_NORMALIZATIONS = 4
_ATTEMPTS = 8


class _Task(NamedTuple):
    """A manifest to apply, the ``target`` of its object, and the ``definition`` of its kind if that is applied, too."""

    manifest: Manifest
    target: Target
    definition: Manifest | None


class Applier:
    """Applies the manifests of one release. Several threads may use it."""

    def __init__(
        self,
        client: Client,
        context: RolloutContext,
        options: RolloutOptions,
        mode: Mode,
        ownership: OwnershipMetadata,
    ) -> None:
        self._client, self._options, self._mode, self._ownership = client, options, mode, ownership
        self._kinds, self._release = context.state.kinds, context.release
        self._live, self._inventory = context.live, context.state.inventory
        self._feature_set = context.resolved.context.feature_set
        self._definitions = DefinitionWatch(client)
        self._written: dict[ResourceId, Mapping[str, Any]] = {}
        """Metadata of what this run has written, because a manifest can be retried."""
        self._deleted_definitions: set[str] = set()

    def apply(self, manifest: Manifest, definition: Manifest | None = None) -> ApplyResult:
        """Reconcile the cluster with ``manifest``. Raises ``ClusterError`` if the server does not answer.

        ``definition`` is the CustomResourceDefinition of its kind, if the rollout applies one.
        """
        problems = Problems()
        check_annotations(manifest, problems)
        if problems.has_errors:
            return ApplyResult(manifest, "failed", tuple(problems))
        resource = manifest.resource_id
        # An object is the same in each version of its kind, so the version of a deletion does not matter.
        version = "" if manifest.deletes else manifest.version
        served = self._kinds.find(resource.group, resource.kind, version)
        if served is None:
            return self._unserved(manifest)
        if served.namespaced and not resource.namespace:
            where = manifest.location.child("metadata.namespace")
            problems.error("missing-namespace", where, f"is missing, but {resource.kind} is namespaced", "Set it")
            return ApplyResult(manifest, "failed", tuple(problems))
        target = target_for(served, resource)
        try:
            if manifest.deletes:
                return self._delete(manifest, target)
            result = self._put(_Task(manifest, target, definition))
            if not (self._options.dry_run or result.pending):
                remove_trace(self._client, target, result.metadata)
            return result
        except ApiError as error:
            if self._fits_later(error, definition):
                return self._as_fitting(manifest, target, error)
            return self._refused(manifest, error)

    def wait_until_established(self, result: ApplyResult, seconds: float) -> ApplyResult:
        """Wait until the API server serves the kind of an applied CustomResourceDefinition."""
        target = Target(CUSTOM_RESOURCE_DEFINITIONS, result.manifest.resource_id.name)
        try:
            crd, reason = wait_until_established(
                self._client, target, result.metadata, seconds, self._options.timings.touch, self._definitions
            )
        except ApiError as error:
            return self._refused(result.manifest, error)
        if reason:
            hint = "Check the conditions of the CustomResourceDefinition"
            problem = Problem("error", "unestablished-definition", str(target), f"is not established: {reason}", hint)
            return result._replace(action="failed", problems=(*result.problems, problem))
        self._kinds.learn(crd, new=result.action == "created")
        return result._replace(pending=False)

    def has_namespace(self, name: str) -> bool:
        """Whether a namespace exists, or cannot be read."""
        try:
            return self._client.find(Target(NAMESPACES, name), metadata_only=True) is not None
        except ApiError:
            return True

    def exists_in_another_version(self, manifest: Manifest) -> bool:
        """Whether the object of a manifest exists, although the server does not serve its version of the kind."""
        resource = manifest.resource_id
        served = self._kinds.find(resource.group, resource.kind)
        return served is not None and self._client.find(target_for(served, resource), metadata_only=True) is not None

    def defines(self, definition: Manifest, manifest: Manifest) -> bool:
        """Whether the CustomResourceDefinition ``definition`` defines the kind of ``manifest``."""
        spec = nested(self._release.read_body(definition), "spec")
        return (nested(spec, "group"), nested(spec, "names", "kind")) == manifest.resource_id.group_kind

    def is_unchanged(self, manifest: Manifest, definition: Manifest | None = None) -> bool:
        """Whether it is known without a request that ``apply`` would not change the object.

        It is not known if undeclared fields were dropped and ``definition``, that of the kind, is going to change.
        """
        if manifest.deletes:
            return False
        resource = manifest.resource_id
        metadata = self._live.get(resource)
        if metadata is None or metadata.get("deletionTimestamp"):
            return False
        if manifest.is_create_only:
            return True
        applied = nested(metadata, "annotations", LAST_APPLIED_HASH)
        full = self._hash(manifest, self._ownership.of_live(metadata))
        is_normalized = applied == full + NORMALIZED and (definition is None or self.is_unchanged(definition))
        if applied != full and not is_normalized:
            return False
        entry = self._inventory.entries.get(resource) if self._inventory else None
        return entry is not None and "" != entry.owned == owned_digest(metadata)

    def _hash(self, manifest: Manifest, ownership: OwnershipMetadata) -> str:
        return last_applied_hash(manifest, self._release.files[manifest.file].read_json(manifest), ownership)

    def _unserved(self, manifest: Manifest) -> ApplyResult:
        if self._kinds.unknown(manifest.resource_id.group):
            return refused(manifest, Refusal.GROUP_UNAVAILABLE)
        return ApplyResult(manifest, "absent") if manifest.deletes else refused(manifest, self._of_kind(manifest))

    def _of_kind(self, manifest: Manifest) -> Refusal:
        """How a cluster refuses a kind that it does not serve. It never lacks ClusterOperators on purpose."""
        group, kind = manifest.resource_id.group_kind
        api_version = f"{group}/{manifest.version}" if group else manifest.version
        is_allowed = api_version in self._options.allow_unserved and (group, kind) != CLUSTER_OPERATORS.group_kind
        return Refusal.KIND_SKIPPED if is_allowed or is_aggregated(group, kind) else Refusal.KIND_NOT_SERVED

    def _put(self, task: _Task) -> ApplyResult:
        manifest = task.manifest
        if self.is_unchanged(manifest, task.definition):
            metadata = self._live[manifest.resource_id]
            return self._unchanged_result(ApplyResult(manifest, "unchanged", metadata=metadata), task.target)
        if manifest.is_create_only:
            return self._find_created_before(task) or self._create_or_apply(task, None, None)
        # What the list of earlier objects does not contain may exist nevertheless, and belong to another client.
        before = self._client.find(task.target) if self._with_objects else None
        known = self._written.get(manifest.resource_id) or self._live.get(manifest.resource_id)
        return self._create_or_apply(task, before, before["metadata"] if before is not None else known)

    @property
    def _with_objects(self) -> bool:
        return self._options.diff_mode or self._options.dry_run

    def _find_created_before(self, task: _Task) -> ApplyResult | None:
        """The result of an existing create-only object that an earlier rollout processed."""
        if self._inventory is None or task.manifest.resource_id not in self._inventory.entries:
            return None
        # It may have existed before the first rollout. Then it lacks our label, and our lists do not contain it.
        existing = self._client.find(task.target, metadata_only=True)
        return None if existing is None else self._existing_result(task, existing["metadata"], "unchanged")

    def _existing_result(self, task: _Task, metadata: Mapping[str, Any], action: Action) -> ApplyResult:
        """The result of a create-only object that exists."""
        if metadata.get("deletionTimestamp"):
            return self._terminating(task, metadata)
        return ApplyResult(task.manifest, action, metadata=metadata)

    def _create_or_apply(
        self, task: _Task, before: Mapping[str, Any] | None, live: Mapping[str, Any] | None
    ) -> ApplyResult:
        """Create the object, or apply an existing one. ``live`` is the metadata of an object that is known to exist.

        The request that creates an object fails if it exists, and the one that changes an object fails if that was
        replaced. So another client's object never gets our owner.
        """
        attempt, is_created = 1, False
        while True:
            try:
                result = self._apply(task, before, live)
                return result._replace(action="created") if is_created and result.is_complete else result
            except ApiError as error:
                is_outdated = error.is_concurrent_write if live is None else error.is_uid_mismatch
                if not is_outdated or attempt == _ATTEMPTS:
                    raise
                is_repeated = live is None and error.repeated
            if attempt > 1:
                time.sleep(_pause(attempt))
            attempt += 1
            existing = self._client.find(task.target, metadata_only=not self._with_objects)
            live = None if existing is None else existing["metadata"]
            # If the request was repeated, an earlier attempt created it, and its answer was lost.
            is_created = is_repeated and live is not None and is_created_by_rollout(live)
            if live is not None and task.manifest.is_create_only:
                return self._existing_result(task, live, "created" if is_created else "unchanged")
            before = existing if self._with_objects and not is_created else None

    def _apply(self, task: _Task, before: Mapping[str, Any] | None, live: Mapping[str, Any] | None) -> ApplyResult:
        manifest, target = task.manifest, task.target
        dry_run = self._options.dry_run
        ownership = self._ownership.of_live(live)
        problems = Problems()
        content = self._release.read_body(manifest)
        inject(manifest, content, self._ownership.config, problems)
        if self._feature_set and manifest.resource_id == _FEATURE_GATE and manifest.is_create_only:
            # Later rollouts read it from the object that this one creates.
            content["spec"] = {"featureSet": self._feature_set, **(content.get("spec") or {})}
        hash_value, namespaced = self._hash(manifest, ownership), target.kind.namespaced
        body = build_apply_object(manifest, content, ownership, hash_value, problems, namespaced=namespaced)
        if problems.has_errors:
            return ApplyResult(manifest, "failed", tuple(problems))
        body = with_encoded_texts(body)
        is_crd = target.kind.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind
        uid = str(nested(live, "uid") or "")
        written = self._apply_normalized(task, body, uid, problems)
        # After a problem, the rollout itself changed fields.
        rewritten = () if problems else self._rewritten_fields(target.kind, body, written.object)
        if rewritten:
            problems.append(rewritten_problem(manifest, rewritten))
        metadata = written.object["metadata"]
        if metadata.get("deletionTimestamp"):
            return self._terminating(task, metadata, problems)
        known = live if manifest.resource_id not in self._written else None
        if not dry_run:
            self._written[manifest.resource_id] = metadata
        action: Action = "created"
        if not written.created and not (dry_run and before is None):
            if before is not None:
                is_same = without_server_fields(before) == without_server_fields(written.object)
            else:
                earlier = self._live.get(manifest.resource_id, known)
                is_same = earlier is not None and is_untouched(earlier, metadata)
            action = "unchanged" if is_same else "changed"
        return ApplyResult(
            manifest,
            action,
            tuple(problems),
            metadata=metadata,
            before=before,
            after=written.object if self._with_objects else None,
            pending=is_crd and not dry_run and not self._learn(written, live),
        )

    def _unchanged_result(self, result: ApplyResult, target: Target) -> ApplyResult:
        """The result of an unchanged object. A definition is pending if a killed process left it incomplete."""
        if self._options.dry_run or target.kind.group_kind != CUSTOM_RESOURCE_DEFINITIONS.group_kind:
            return result
        if self._kinds.serves(target.name):
            return result
        crd = self._client.get(target)
        if self._learn(WriteResult(created=False, object=crd)):
            return result
        return result._replace(metadata=crd["metadata"], pending=True)

    def _learn(self, written: WriteResult, before: Mapping[str, Any] | None = None) -> bool:
        """Learn the kinds of a definition, if it is established. ``before``: its metadata before it was written."""
        if not is_established(written.object):
            return False
        is_changed = before is not None and before.get("generation") != written.object["metadata"].get("generation")
        self._kinds.learn(written.object, new=written.created, changed=is_changed)
        return True

    def _apply_normalized(self, task: _Task, body: Mapping[str, Any], uid: str, problems: Problems) -> WriteResult:
        """Apply ``body``. If the schema rejects it and the CVO could apply it, normalize it and try again.

        ``uid``: of the object, empty to create it. Raises ``ApiError``: ``is_concurrent_write`` if an object to
        create exists, ``is_uid_mismatch`` if the object was deleted or replaced.
        """
        request = partial(self._send, task.target, uid)
        for _attempt in range(_NORMALIZATIONS):
            try:
                return request(body)
            except ApiError as error:
                read_schema, read_live = partial(self._read_schema, task), partial(self._read_live, task.target)
                normalized = normalized_for(error, task.manifest, body, read_schema, read_live)
                if normalized is None:
                    raise
            problems.append(self._as_prediction(normalized.problem, task.definition))
            body = normalized.body
            if normalized.first is not None:
                first = request(normalized.first)
                if self._options.dry_run:
                    # The server cannot check the second request, because the first one was not stored.
                    return first._replace(object=merged_preview(first.object, body))
        return request(body)

    def _send(self, target: Target, uid: str, body: Mapping[str, Any]) -> WriteResult:
        """Create or apply an object. Again, if that conflicts with another write, or if its kind has just changed."""
        force, dry_run = self._options.force_conflicts, self._options.dry_run
        attempt = 0
        while True:
            try:
                if not uid:
                    return self._client.apply_new(target, body, dry_run=dry_run)
                return self._client.apply(target, body, uid=uid, force=force, dry_run=dry_run)
            except ApiError as error:
                is_changing = self._kinds.is_changing(target.kind)
                is_early = error.is_kind_not_served and (is_changing or self._kinds.is_new(target.kind))
                is_stale = error.is_permanent and self._kinds.is_fresh(target.kind)
                is_stale = is_stale or (error.is_unfit and is_changing)
                # A conflict of a request that creates an object means that it exists.
                is_concurrent = error.is_concurrent_write and uid
                if attempt == _ATTEMPTS - 1 or not (is_concurrent or is_early or is_stale):
                    raise
            time.sleep(_pause(attempt))
            attempt += 1

    def _as_prediction(self, problem: Problem, definition: Manifest | None) -> Problem:
        """In check mode, a dropped field is only a remark if its definition changes: the API may declare it then."""
        if problem.severity != "warning" or not self._options.dry_run or definition is None:
            return problem
        if self.is_unchanged(definition):
            return problem
        return problem._replace(
            severity="info", message=f"{problem.message} here; the rollout changes its definition first"
        )

    def _rewritten_fields(self, kind: ApiResource, body: Mapping[str, Any], live: Mapping[str, Any]) -> Sequence[str]:
        """The fields of an applied object that something rewrote. The schema of the kind is read at most once."""
        schema = cache(partial(read_schema, self._client, kind))
        return self._options.rewritten_fields(body, live, lambda field: is_declared(schema(), field))

    def _read_schema(self, task: _Task) -> object:
        kind = task.target.kind
        if task.definition is not None:
            return schema_of(self._release.read_body(task.definition), kind.version)
        # The server's own kinds have no definition.
        return schema_of(self._read_live(Target(CUSTOM_RESOURCE_DEFINITIONS, kind.resource)), kind.version)

    def _read_live(self, target: Target) -> Mapping[str, Any] | None:
        try:
            return self._client.get(target)
        except ApiError:
            return None

    def _delete(self, manifest: Manifest, target: Target) -> ApplyResult:
        # The API server deletes the objects of a definition with it.
        if self._mode != "update" or target.kind.resource in self._deleted_definitions:
            return ApplyResult(manifest, "absent")
        with_object = self._options.diff_mode
        existing = self._client.find(target, metadata_only=not with_object)
        if existing is None:
            return ApplyResult(manifest, "absent")
        metadata, is_sent = existing["metadata"], False
        if not metadata.get("deletionTimestamp"):
            is_sent = self._client.delete(target, uid=metadata["uid"], dry_run=self._options.dry_run)
            if is_sent and target.kind.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind:
                self._deleted_definitions.add(target.name)
            left = self._left_by_deletion(target, existing) if is_sent else None
            if left is None:
                before = existing if with_object else None
                return ApplyResult(manifest, "deleted" if is_sent else "absent", before=before)
            metadata = left["metadata"]
        before = existing if with_object and is_sent else None
        return ApplyResult(manifest, "deleting", metadata=metadata, before=before, deletion_sent=is_sent)

    def _left_by_deletion(self, target: Target, existing: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The object if it exists in spite of its deletion. In a dry run, if that is to be expected."""
        if self._options.dry_run:
            return existing if can_hang(existing["metadata"]) else None
        left = self._client.find(target, metadata_only=True)
        return left if left is not None and left["metadata"]["uid"] == existing["metadata"]["uid"] else None

    def _terminating(self, task: _Task, metadata: Mapping[str, Any], problems: Iterable[Problem] = ()) -> ApplyResult:
        live = read_terminating(self._client, task.target, metadata)
        problem = terminating_problem(task.target, live, "error")
        return refused(task.manifest, Refusal.OBJECT_TERMINATING, (*problems, problem))

    def _fits_later(self, error: ApiError, definition: Manifest | None) -> bool:
        """Whether, in check mode, an object may fit the ``definition`` that the rollout is going to apply before it."""
        if definition is None or not self._options.dry_run or not error.is_unfit:
            return False
        live = self._read_live(Target(CUSTOM_RESOURCE_DEFINITIONS, definition.resource_id.name))
        desired = self._release.read_body(definition)
        return live is not None and bool(self._options.rewritten_fields(desired, live, lambda _field: True))

    def _as_fitting(self, manifest: Manifest, target: Target, error: ApiError) -> ApplyResult:
        """The prediction for an object that the server cannot check before its definition changes."""
        problem = refusal_problem(refusal_of(error, manifest.resource_id), manifest, error, self._release.read_body)
        message = f"{problem.message}; the rollout changes its definition first"
        existing = self._client.find(target)
        action: Action = "created" if existing is None else "changed"
        return ApplyResult(
            manifest, action, (problem._replace(severity="info", message=message, hint=""),), before=existing
        )

    def _refused(self, manifest: Manifest, error: ApiError) -> ApplyResult:
        refusal = refusal_of(error, manifest.resource_id)
        if refusal is Refusal.KIND_NOT_SERVED:
            refusal = self._of_kind(manifest)
        if refusal is Refusal.UNAUTHORIZED:
            raise error  # Every other manifest would fail, too.
        problem = refusal_problem(refusal, manifest, error, self._release.read_body)
        return refused(manifest, refusal, (problem,), error.field_conflicts)


def _pause(attempt: int) -> float:
    """Seconds before the next attempt."""
    return random.uniform(0.5, 1) * 0.1 * float(2**attempt)
