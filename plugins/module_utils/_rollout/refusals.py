# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why a cluster refuses a manifest, and how a rollout reports each reason."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._problems import Problem, Severity
from .._release.manifest import Manifest
from .._resources import ResourceId
from .normalize import wrong_types


class Refusal(Enum):
    """Why a cluster refuses a manifest."""

    UNAUTHORIZED = auto()
    FORBIDDEN = auto()
    DENIED = auto()
    """Admission control denies the request: a webhook, a policy or a quota."""

    NAMESPACE_MISSING = auto()
    NAMESPACE_TERMINATING = auto()
    KIND_NOT_SERVED = auto()
    KIND_SKIPPED = auto()
    """The same for a kind that the cluster may lack."""

    GROUP_UNAVAILABLE = auto()
    """The aggregated API server of the group does not answer."""

    SERVER_UNAVAILABLE = auto()
    OBJECT_TERMINATING = auto()
    """The object is being deleted, with everything that is applied to it."""

    MISTYPED_FIELD = auto()
    FIELD_CONFLICT = auto()
    IMMUTABLE_FIELD = auto()
    STORED_VERSION = auto()
    """A CustomResourceDefinition drops a version in which objects may be stored."""

    UNFIT_FOR_SCHEMA = auto()
    INVALID = auto()


class Explanation(NamedTuple):
    """How a rollout reports together all manifests that were refused for the same reason.

    ``hint`` is empty if it depends on the error of the API server, or if there is nothing to do. ``quotes_server``: the
    message of the API server is added.
    """

    code: str
    message: str
    hint: str = ""
    quotes_server: bool = False
    severity: Severity = "error"


EXPLANATIONS = {
    Refusal.FORBIDDEN: Explanation(
        "forbidden-request", "cannot be applied, because the API server forbids it", quotes_server=True
    ),
    Refusal.DENIED: Explanation(
        "denied-request", "cannot be applied, because admission control denies it", quotes_server=True
    ),
    Refusal.NAMESPACE_TERMINATING: Explanation(
        "terminating-namespace",
        "cannot be applied, because the namespace is being deleted",
        "Check the conditions in the status of the namespace, which name what prevents its deletion",
    ),
    Refusal.NAMESPACE_MISSING: Explanation(
        "missing-namespace",
        "cannot be applied, because the namespace does not exist",
        "Check the operator that creates the namespace, or create it",
    ),
    Refusal.GROUP_UNAVAILABLE: Explanation(
        "unavailable-group",
        "cannot be applied, because the API server of its group does not answer",
        "Check the APIService and the service that it names",
    ),
    Refusal.SERVER_UNAVAILABLE: Explanation("failed-server", "could not be applied", quotes_server=True),
    Refusal.KIND_NOT_SERVED: Explanation(
        "unserved-kind",
        "is not served by this cluster",
        "Apply the definition of the kind first, or add the API version to allow_unserved if the cluster lacks it on "
        "purpose",
    ),
    Refusal.KIND_SKIPPED: Explanation(
        "unserved-kind", "is not served by this cluster, so it is not applied", severity="warning"
    ),
}
"""Reasons that apply to a whole kind or namespace, and are reported once for each."""

_EXPECTED_HINT = "Correct the manifest, so it matches the schema of the API"
_IMMUTABLE_HINT = (
    "Delete the object, so the next run re-creates it (its workload stops meanwhile), or add an override for it: "
    "the field cannot change after creation"
)
_CONFLICT_HINT = (
    "Agree with the owner of that field manager, take ownership with force_conflicts=true, or add the object to "
    "spec.overrides"
)


def refusal_of(error: ApiError, resource: ResourceId) -> Refusal:
    """Classify the error of a request that applies ``resource``."""
    if error.is_unauthorized:
        return Refusal.UNAUTHORIZED
    if error.is_namespace_terminating:
        return Refusal.NAMESPACE_TERMINATING
    if error.is_namespace_missing(resource.namespace):
        return Refusal.NAMESPACE_MISSING
    if error.is_denied:
        return Refusal.DENIED
    if error.is_kind_not_served:
        return Refusal.KIND_NOT_SERVED
    if error.is_forbidden:
        return Refusal.FORBIDDEN
    if error.is_retryable:
        return Refusal.SERVER_UNAVAILABLE
    return _refusal_of_content(error)


def _refusal_of_content(error: ApiError) -> Refusal:
    if error.mistyped_fields:
        return Refusal.MISTYPED_FIELD
    if error.is_field_conflict:
        return Refusal.FIELD_CONFLICT
    if error.is_stored_version:
        return Refusal.STORED_VERSION
    if error.is_immutable_field:
        return Refusal.IMMUTABLE_FIELD
    return Refusal.UNFIT_FOR_SCHEMA if error.is_permanent else Refusal.INVALID


def refusal_problem(
    refusal: Refusal, manifest: Manifest, error: ApiError, read_body: Callable[[Manifest], Any]
) -> Problem:
    """Build the problem of a refused manifest. Secret values that the server quotes are not in it."""
    is_secret = manifest.resource_id.group_kind == ("", "Secret") and not error.is_field_conflict
    problem = error.redacted() if is_secret else error.problems[0]
    if refusal in EXPLANATIONS:
        return problem
    problem = problem._replace(where=manifest.location)
    if refusal is Refusal.MISTYPED_FIELD:
        message = "; ".join(wrong_types(error.mistyped_fields, read_body(manifest)))
        return problem._replace(code="mistyped-field", message=message, hint=_EXPECTED_HINT)
    if refusal is Refusal.FIELD_CONFLICT:
        message = "; ".join(f"{conflict.field} is owned by {conflict.manager}" for conflict in error.field_conflicts)
        return problem._replace(message=message, hint=_CONFLICT_HINT)
    if refusal is Refusal.STORED_VERSION:
        return problem._replace(code="stored-version")
    if refusal is Refusal.IMMUTABLE_FIELD:
        return problem._replace(code="immutable-field", hint=_IMMUTABLE_HINT)
    is_unfit = refusal is Refusal.UNFIT_FOR_SCHEMA and not error.has_duplicate_entry
    return problem._replace(hint=_EXPECTED_HINT) if is_unfit else problem
