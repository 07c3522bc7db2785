# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an answer of the API server means for a manifest, and how a rollout reports it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError, StatusCause
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import refused
from ansible_collections.capability.openshift.plugins.module_utils._rollout.refusals import (
    EXPLANATIONS,
    Refusal,
    refusal_of,
    refusal_problem,
)

RESOURCE = ResourceId("apps", "Deployment", "team", "a")
MANIFEST = Manifest(RESOURCE, "v1", {}, "a.yaml")
SECRET = Manifest(ResourceId("", "Secret", "team", "a"), "v1", {}, "a.yaml")
WHERE = "a.yaml, document 1"
SCHEMA = "failed to create typed patch object (team/a; apps/v1, Kind=Deployment): "
CONFLICT = StatusCause("FieldManagerConflict", ".spec.replicas", 'conflict with "kubectl" using apps/v1')


def answer(code: int, message: str = "", *causes: StatusCause, name: str = "") -> ApiError:
    return ApiError(code, message, "patch", "deployments.apps team/a", object_name=name, causes=causes)


STORED = StatusCause(
    "FieldValueInvalid", "status.storedVersions[0]", 'Invalid value: "v1": must appear in spec.versions'
)
ESCALATION = "attempting to grant RBAC permissions not currently held"
WEBHOOK = 'admission webhook "a.test.io" denied the request: not on Fridays'
POLICY = "things \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"

ANSWERS = [
    (answer(401), Refusal.UNAUTHORIZED, "failed"),
    (answer(403), Refusal.FORBIDDEN, "forbidden"),
    (answer(403, 'pods is forbidden: User "ann" cannot patch resource "pods"'), Refusal.FORBIDDEN, "forbidden"),
    (answer(403, 'roles "a" is forbidden: user "ann" is ' + ESCALATION), Refusal.FORBIDDEN, "forbidden"),
    (answer(403, WEBHOOK), Refusal.DENIED, "forbidden"),
    (answer(400, WEBHOOK), Refusal.DENIED, "forbidden"),
    (answer(422, POLICY), Refusal.DENIED, "forbidden"),
    (answer(403, 'pods "a" is forbidden: exceeded quota: small'), Refusal.DENIED, "forbidden"),
    (
        answer(403, 'pods "a" is forbidden: x', StatusCause("NamespaceTerminating", "x", "y")),
        Refusal.NAMESPACE_TERMINATING,
        "terminating",
    ),
    (answer(404, 'namespaces "team" not found', name="team"), Refusal.NAMESPACE_MISSING, "no_namespace"),
    (answer(404, "the server could not find the requested resource"), Refusal.KIND_NOT_SERVED, "unserved"),
    (answer(404, 'things "b" not found', name="b"), Refusal.INVALID, "failed"),
    (answer(503), Refusal.SERVER_UNAVAILABLE, "unavailable"),
    (answer(500, "etcd is slow"), Refusal.SERVER_UNAVAILABLE, "unavailable"),
    (answer(500, SCHEMA + ".x: expected string, got &value{1}"), Refusal.MISTYPED_FIELD, "failed"),
    (answer(500, SCHEMA + "duplicate entries"), Refusal.UNFIT_FOR_SCHEMA, "failed"),
    (answer(409, "", CONFLICT), Refusal.FIELD_CONFLICT, "failed"),
    (answer(422, "spec.selector: field is immutable"), Refusal.IMMUTABLE_FIELD, "failed"),
    (answer(422, "spec.x: Required value"), Refusal.INVALID, "failed"),
    (answer(422, "", STORED), Refusal.STORED_VERSION, "failed"),
]


@pytest.mark.parametrize(("error", "refusal", "action"), ANSWERS)
def test_refusal_of_an_answer_and_its_public_name(error: ApiError, refusal: Refusal, action: str) -> None:
    assert refusal_of(error, RESOURCE) is refusal
    assert refused(MANIFEST, refusal).action == action


def problem_of(error: ApiError, manifest: Manifest = MANIFEST, body: Any = None) -> Any:
    return refusal_problem(refusal_of(error, manifest.resource_id), manifest, error, lambda _manifest: body)


def test_field_conflict_names_each_field_and_its_owner() -> None:
    other = StatusCause("FieldManagerConflict", ".spec.x", 'conflict with "editor"')
    error = answer(409, "Apply failed with 2 conflicts", CONFLICT, other)
    problem = problem_of(error)
    assert (problem.code, str(problem.where)) == ("conflicting-managers", WHERE)
    assert problem.message == ".spec.replicas is owned by kubectl; .spec.x is owned by editor"
    assert "force_conflicts=true" in problem.hint


def test_mistyped_field_is_reported_without_its_value() -> None:
    problem = problem_of(answer(500, SCHEMA + ".x: expected string, got &value{12345}"), body={"x": 12345})
    assert (problem.code, str(problem.where)) == ("mistyped-field", WHERE)
    assert problem.message == ".x is a number, expected a string"


def test_immutable_field_is_reported_with_a_way_out() -> None:
    problem = problem_of(answer(422, "spec.selector: field is immutable"))
    assert (problem.code, str(problem.where)) == ("immutable-field", WHERE)
    assert problem.hint.startswith("Delete the object, so the next run re-creates it")


def test_dropped_stored_version_needs_a_migration() -> None:
    problem = problem_of(answer(422, "", STORED))
    assert (problem.code, str(problem.where)) == ("stored-version", WHERE)
    assert problem.hint.startswith("Migrate the stored objects")


@pytest.mark.parametrize("code", [400, 403, 422, 500])
def test_advice_about_a_denying_webhook_is_not_about_permissions(code: int) -> None:
    assert answer(code, WEBHOOK).problems[0].hint.startswith("Check the admission webhook or policy")


@pytest.mark.parametrize("code", [403, 422, 503])
def test_values_of_a_secret_are_not_quoted(code: int) -> None:
    assert "12345678" not in str(problem_of(answer(code, "data.x is 12345678"), SECRET))


def test_conflict_of_a_secret_is_reported() -> None:
    assert problem_of(answer(409, "", CONFLICT), SECRET).message == ".spec.replicas is owned by kubectl"


def test_problem_of_a_whole_kind_has_no_own_location() -> None:
    for error, refusal, _action in ANSWERS:
        if refusal in EXPLANATIONS:
            assert str(problem_of(error).where) == ""
