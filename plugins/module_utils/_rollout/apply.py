# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One manifest of a release, sent to a cluster: applied, created or deleted, and what came of it.

How the CVO does it: shared facts of openshift/cluster-version-operator:lib/resourceapply and lib/resourcedelete. Where
it reads, merges and writes, server-side apply does all at once, and keeps apart whose fields are whose.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import FIELD_MANAGER, Client, WriteResult
from .._kubernetes.crds import create_of_new_kind, is_established, wait_until_established
from .._kubernetes.rest_mapper import RestMapper
from .._problems import Problem, Problems, has_errors
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest, location
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, ApiResource, Target, target_for
from .._unstructured import nested
from .change_set import Action, ApplyResult, Conflict, LiveMetadata
from .desired_object import (
    LAST_APPLIED_HASH,
    NORMALIZED,
    OwnershipMetadata,
    build_apply_object,
    is_create_only,
    last_applied_hash,
    wrong_annotations,
)
from .drift import is_untouched, merged_preview, only_written_by, owned_digest, without_server_fields
from .inventory import Inventory
from .options import ApplyOptions
from .refusals import normalized_for, redacted, refusal

_NORMALIZATIONS = 4
_ATTEMPTS = 8


class Applier:
    """Sends the manifests of one release; several threads may use it."""

    def __init__(
        self,
        client: Client,
        loaded: LoadedRelease,
        kinds: RestMapper,
        marks: OwnershipMetadata,
        terms: ApplyOptions,
        known: LiveMetadata,
        inventory: Inventory | None,
    ) -> None:
        self._client, self._loaded, self._kinds = client, loaded, kinds
        self._marks, self._terms, self._known, self._inventory = marks, terms, known, inventory

    def send(self, manifest: Manifest, definition: Manifest | None = None) -> ApplyResult:
        """Bring the cluster to what ``manifest`` says. Raises ``ClusterError`` where the server does not answer.

        ``definition`` is the CustomResourceDefinition of its kind, where the rollout brings it.
        """
        wrong = tuple(wrong_annotations(manifest))
        if wrong:
            return ApplyResult(manifest, "failed", wrong)
        resource = manifest.resource_id
        served = self._kinds.find(resource.group, resource.kind, manifest.version)
        if served is None:
            if self._kinds.unknown(resource.group):
                return ApplyResult(manifest, "unanswered")
            return ApplyResult(manifest, "absent" if manifest.deletes else "unserved")
        if served.namespaced and not resource.namespace:
            where = location(manifest.file, manifest.document, field="metadata.namespace")
            problem = Problem(
                "error", "todo", where, f"is missing, and {resource.kind} needs one", "Name the namespace"
            )
            return ApplyResult(manifest, "failed", (problem,))
        target = target_for(served, resource)
        try:
            if manifest.deletes:
                return self._delete(manifest, target)
            return self._put(manifest, target, definition)
        except ApiError as error:
            return self._refused(manifest, error)

    def established(self, manifest: Manifest, sent: ApplyResult, seconds: float) -> ApplyResult:
        """Wait until the API server serves what a CustomResourceDefinition defines."""
        target = Target(CUSTOM_RESOURCE_DEFINITIONS, manifest.resource_id.name)
        try:
            found, why = wait_until_established(self._client, target, sent.metadata, seconds, self._terms.timings.touch)
        except ApiError as error:
            return self._refused(manifest, error)
        if why:
            problem = Problem("error", "todo", str(target), f"is not established: {why}", "Look at its conditions")
            return sent._replace(state="failed", problems=(*sent.problems, problem))
        self._kinds.learn(found, new=sent.state == "created")
        return sent._replace(pending=False)

    def is_unchanged(self, manifest: Manifest, definition: Manifest | None = None) -> bool:
        """Tell whether an object is known to be as this would leave it, without asking for it.

        One of which fields were left out is not if ``definition``, that of its kind, is going to change.
        """
        if manifest.deletes:
            return False
        resource = manifest.resource_id
        metadata = self._known.get(resource)
        if metadata is None or metadata.get("deletionTimestamp"):
            return False
        if is_create_only(manifest):
            return True
        noted, whole = nested(metadata, "annotations", LAST_APPLIED_HASH), self._hash(manifest)
        if noted != whole and (
            noted != whole + NORMALIZED or not (definition is None or self.is_unchanged(definition))
        ):
            return False
        entry = self._inventory.entries.get(resource) if self._inventory else None
        if entry is not None and entry.owned:
            return owned_digest(metadata, FIELD_MANAGER) == entry.owned
        return only_written_by(metadata, FIELD_MANAGER)

    def _hash(self, manifest: Manifest) -> str:
        return last_applied_hash(manifest, self._loaded.files[manifest.file].text(manifest), self._marks)

    def _put(self, manifest: Manifest, target: Target, definition: Manifest | None) -> ApplyResult:
        if self.is_unchanged(manifest, definition):
            return self._seen(ApplyResult(manifest, "unchanged", metadata=self._known[manifest.resource_id]), target)
        body = self._loaded.release.body(manifest)
        sending, problems = build_apply_object(
            manifest, body, self._marks, self._hash(manifest), target.kind.namespaced
        )
        if has_errors(problems):
            return ApplyResult(manifest, "failed", problems)
        if is_create_only(manifest):
            return self._create(manifest, target, sending)
        before = self._before(target)
        whole = before is not None or self._terms.show or self._terms.dry_run
        is_crd = target.kind.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind
        written, told = self._apply(manifest, target, sending, definition, metadata_only=not (whole or is_crd))
        metadata = written.object["metadata"]
        if metadata.get("deletionTimestamp") and not self._terms.dry_run:
            return ApplyResult(manifest, "terminating", (*told, _terminating_problem(target, metadata, "error")))
        state: Action = "created"
        if not written.created and not (self._terms.dry_run and before is None):
            state = "unchanged" if self._is_same(manifest, written.object, before) else "changed"
        return ApplyResult(
            manifest,
            state,
            told,
            metadata=metadata,
            before=before,
            after=written.object if whole else None,
            pending=is_crd and not self._terms.dry_run and not self._learn(written),
        )

    def _seen(self, sent: ApplyResult, target: Target) -> ApplyResult:
        """Return what is unchanged; pending where it is a definition that a run was killed after, or the server."""
        if self._terms.dry_run or target.kind.group_kind != CUSTOM_RESOURCE_DEFINITIONS.group_kind:
            return sent
        if self._kinds.serves(target.name):
            return sent
        found = self._client.get(target)
        return (
            sent if self._learn(WriteResult(False, found)) else sent._replace(metadata=found["metadata"], pending=True)
        )

    def _before(self, target: Target) -> Mapping[str, Any] | None:
        if not (self._terms.show or self._terms.dry_run):
            return None
        return self._client.find(target)

    def _is_same(self, manifest: Manifest, after: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
        if before is not None:
            return without_server_fields(before) == without_server_fields(after)
        known = self._known.get(manifest.resource_id)
        return known is not None and is_untouched(known, after["metadata"])

    def _learn(self, written: WriteResult) -> bool:
        if not is_established(written.object):
            return False
        self._kinds.learn(written.object, new=written.created)
        return True

    def _apply(
        self,
        manifest: Manifest,
        target: Target,
        sending: Mapping[str, Any],
        definition: Manifest | None,
        *,
        metadata_only: bool,
    ) -> tuple[WriteResult, tuple[Problem, ...]]:
        """Apply ``sending``; where the schema refuses what the CVO would have got through, mend it and try again."""

        def request(body: Mapping[str, Any]) -> WriteResult:
            def apply() -> WriteResult:
                terms = self._terms
                return self._client.apply(
                    target, body, force=terms.force, dry_run=terms.dry_run, metadata_only=metadata_only
                )

            return self._patiently(apply, target.kind)

        problems = Problems()
        for _attempt in range(_NORMALIZATIONS):
            try:
                return request(sending), tuple(problems)
            except ApiError as error:
                hint = normalized_for(self._client, self._loaded, manifest, target, sending, error, definition)
                if hint is None:
                    raise
            problems.append(self._foretold(hint.problem, definition))
            sending = hint.sending
            if hint.first is not None:
                before = request(hint.first)
                if self._terms.dry_run:
                    # What comes after it cannot be tried, because this was not done.
                    return before._replace(object=merged_preview(before.object, sending)), tuple(problems)
        return request(sending), tuple(problems)

    def _foretold(self, problem: Problem, definition: Manifest | None) -> Problem:
        """Return a warning for what it is in check mode: the API may know then what it does not know now."""
        if problem.severity != "warning" or not self._terms.dry_run or definition is None:
            return problem
        if self.is_unchanged(definition):
            return problem
        return problem._replace(severity="info", message=f"{problem.message} here; its definition changes before that")

    def _patiently(self, request: Callable[[], WriteResult], kind: ApiResource) -> WriteResult:
        """Send a request again that met somebody else's write, or a kind that came or changed a moment ago."""
        for attempt in range(_ATTEMPTS - 1):
            try:
                return request()
            except ApiError as error:
                early = error.is_kind_not_served and self._kinds.is_new(kind)
                stale = error.is_permanent and self._kinds.is_fresh(kind)
                if not (error.is_concurrent_write or early or stale):
                    raise
            time.sleep(random.uniform(0.5, 1) * 0.1 * 2**attempt)
        return request()

    def _create(self, manifest: Manifest, target: Target, sending: Mapping[str, Any]) -> ApplyResult:
        if self._inventory is not None and manifest.resource_id in self._inventory.entries:
            # It may have been there before us, without our label, so that no list of ours has it.
            found = self._client.find(target, metadata_only=True)
            if found is not None:
                metadata = found["metadata"]
                if metadata.get("deletionTimestamp") and not self._terms.dry_run:
                    return ApplyResult(manifest, "terminating", (_terminating_problem(target, metadata, "error"),))
                return ApplyResult(manifest, "unchanged", metadata=metadata)
        try:
            written = self._patiently(
                lambda: create_of_new_kind(self._client, self._kinds, target, sending, dry_run=self._terms.dry_run),
                target.kind,
            )
        except ApiError as error:
            if not error.is_conflict:
                raise
            # After a lost answer it is we who made it.
            return ApplyResult(manifest, "created" if error.repeated else "unchanged")
        shown = sending if self._terms.show else None
        # Of a kind that came a moment ago it may be somebody else who was faster.
        state: Action = "created" if written.created else "unchanged"
        return ApplyResult(manifest, state, metadata=written.object["metadata"], after=shown)

    def _delete(self, manifest: Manifest, target: Target) -> ApplyResult:
        if self._terms.mode != "update":
            return ApplyResult(manifest, "absent")
        found = self._client.find(target, metadata_only=not self._terms.show)
        if found is None:
            return ApplyResult(manifest, "absent")
        metadata = found["metadata"]
        if metadata.get("deletionTimestamp"):
            return ApplyResult(manifest, "unchanged", (_terminating_problem(target, metadata, "warning"),))
        gone = self._client.delete(target, uid=metadata["uid"], dry_run=self._terms.dry_run)
        return ApplyResult(manifest, "deleted" if gone else "absent", before=found if self._terms.show else None)

    def _refused(self, manifest: Manifest, error: ApiError) -> ApplyResult:
        if error.is_unauthorized:
            raise error  # the next manifest fares no better
        resource = manifest.resource_id
        problems = (redacted(manifest, error),)
        if error.is_namespace_missing(resource.namespace) or error.is_namespace_terminating:
            return ApplyResult(manifest, "no_namespace", problems)
        if error.is_kind_not_served:
            return ApplyResult(manifest, "unserved", problems)
        if error.is_forbidden:
            return ApplyResult(manifest, "forbidden", problems)
        if error.is_retriable:
            return ApplyResult(manifest, "unavailable", problems)
        conflicts = tuple(Conflict(resource, manager, field) for manager, field in error.field_conflicts)
        return ApplyResult(manifest, "failed", (refusal(self._loaded, manifest, error),), conflicts)


def _terminating_problem(target: Target, metadata: Mapping[str, Any], severity: Literal["error", "warning"]) -> Problem:
    finalizers = ", ".join(metadata.get("finalizers") or ()) or "none"
    message = f"is being deleted since {metadata['deletionTimestamp']}; finalizers: {finalizers}"
    return Problem(severity, "todo", str(target), message, "Look at whoever has to finish it")
