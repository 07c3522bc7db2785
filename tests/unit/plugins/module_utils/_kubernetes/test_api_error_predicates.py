# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an unsuccessful answer means: the predicates of ``ApiError``, with real ``Status`` objects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import (
    RETRIED_CODES,
    ApiError,
    FieldConflict,
    MistypedField,
    StatusCause,
    UnsupportedValue,
    api_error,
)


def answer(
    code: int, reason: str, message: str, name: str = "", causes: list[dict[str, Any]] | None = None
) -> ApiError:
    details = {"name": name, "causes": causes or []}
    body = {"kind": "Status", "message": message, "reason": reason, "code": code, "details": details}
    return api_error(code, json.dumps(body).encode(), "patch", "things one")


def cause(reason: str, field: str, message: str) -> dict[str, str]:
    return {"reason": reason, "field": field, "message": message}


MANAGED = [
    cause("FieldManagerConflict", ".spec.replicas", 'conflict with "kubectl-scale" using apps/v1'),
    cause("FieldManagerConflict", ".data.key", 'conflict with "someone"'),
]
NOT_SUPPORTED = cause(
    "FieldValueNotSupported",
    "status.capabilities.enabledCapabilities[0]",
    'Unsupported value: "Nope": supported values: "Build", "Console"',
)
PATCHED = "failed to create typed patch object (home/a; apps/v1, Kind=Deployment)"
POLICY = "capabilities-only-grow.capability.openshift.io"

UNAUTHORIZED = answer(401, "Unauthorized", "Unauthorized")
FORBIDDEN = answer(403, "Forbidden", 'nodes is forbidden: User "ann" cannot list resource "nodes" in API group ""')
TERMINATING = answer(
    403,
    "Forbidden",
    'configmaps "a" is forbidden: unable to create new content in namespace home because it is being terminated',
    "a",
    [cause("NamespaceTerminating", "metadata.namespace", "namespace home is being terminated")],
)
MISSING = answer(404, "NotFound", 'configmaps "a" not found', "a")
NO_NAMESPACE = answer(404, "NotFound", 'namespaces "home" not found', "home")
NOT_SERVED = api_error(404, b"404 page not found\n", "patch", "things one")
NO_METHOD = answer(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
EXISTS = answer(409, "AlreadyExists", 'configmaps "a" already exists', "a")
MODIFIED = answer(409, "Conflict", 'Operation cannot be fulfilled on things "a": the object has been modified', "a")
DELETED = answer(
    409,
    "Conflict",
    'Operation cannot be fulfilled on things "a": uid mismatch: the provided object specified uid u, and no existing '
    "object was found",
    "a",
)
OWNED = answer(409, "Conflict", "Apply failed with 2 conflicts", causes=MANAGED)
IMMUTABLE = answer(
    422,
    "Invalid",
    'Deployment.apps "a" is invalid: spec.selector: Invalid value: {"app":"b"}: field is immutable',
    "a",
    [cause("FieldValueInvalid", "spec.selector", 'Invalid value: {"app":"b"}: field is immutable')],
)
REPLACED = answer(
    422,
    "Invalid",
    'Thing "a" is invalid: metadata.uid: Invalid value: "u": field is immutable',
    "a",
    [cause("FieldValueInvalid", "metadata.uid", 'Invalid value: "u": field is immutable')],
)
UNSUPPORTED = answer(422, "Invalid", "is invalid", "version", [NOT_SUPPORTED])
DENIED = answer(
    422, "Invalid", f"ValidatingAdmissionPolicy '{POLICY}' with binding '{POLICY}' denied request: drops Build"
)
OVERLOADED = answer(429, "TooManyRequests", "too many requests")
UNDECLARED = answer(
    500,
    "",
    f"{PATCHED}: errors:\n"
    '  .spec.template.spec.containers[name="a.b"].odd: field not declared in schema\n'
    "  .spec.x: field not declared in schema",
)
MISTYPED = answer(
    500,
    "",
    f"{PATCHED}: errors:\n"
    "  .data.a: expected string, got &value.valueUnstructured{Value:12345}\n"
    '  .list[name="x"].b: expected list, got &value.valueUnstructured{Value:true}\n'
    "  .odd: field not declared in schema\n"
    '  .n: expected numeric (int or float), got &value.valueUnstructured{Value:"y"}',
)
LEADER = answer(500, "InternalError", "etcdserver: leader changed")
UNAVAILABLE = answer(503, "ServiceUnavailable", "the server is currently unable to handle the request")

ANSWERS = {name: value for name, value in globals().items() if isinstance(value, ApiError)}


@pytest.mark.parametrize(
    ("predicate", "names"),
    [
        ("is_unauthorized", {"UNAUTHORIZED"}),
        ("is_forbidden", {"FORBIDDEN", "TERMINATING"}),
        ("is_namespace_terminating", {"TERMINATING"}),
        ("is_not_found", {"MISSING", "NO_NAMESPACE", "NOT_SERVED"}),
        ("is_kind_not_served", {"NOT_SERVED"}),
        (
            "is_denial",
            {"UNAUTHORIZED", "FORBIDDEN", "TERMINATING", "MISSING", "NO_NAMESPACE", "NOT_SERVED", "NO_METHOD"},
        ),
        ("is_conflict", {"EXISTS", "MODIFIED", "DELETED", "OWNED"}),
        ("is_concurrent_write", {"MODIFIED"}),
        ("is_uid_mismatch", {"DELETED", "REPLACED"}),
        ("is_field_conflict", {"OWNED"}),
        ("is_invalid", {"IMMUTABLE", "REPLACED", "UNSUPPORTED", "DENIED"}),
        ("is_immutable_field", {"IMMUTABLE", "REPLACED"}),
        ("is_server_error", {"OVERLOADED", "UNDECLARED", "MISTYPED", "LEADER", "UNAVAILABLE"}),
        ("is_service_unavailable", {"UNAVAILABLE"}),
        ("is_permanent", {"UNDECLARED", "MISTYPED"}),
        ("is_retryable", {"OVERLOADED", "LEADER", "UNAVAILABLE"}),
    ],
)
def test_each_predicate_is_true_of_its_answers_only(predicate, names):
    assert {name for name, error in ANSWERS.items() if getattr(error, predicate)} == names


@pytest.mark.parametrize("code", range(300, 600))
def test_server_errors_are_the_codes_that_are_retried(code):
    assert api_error(code, b"", "get", "x").is_server_error == (code in RETRIED_CODES)


def test_a_missing_namespace_is_that_of_the_object():
    assert {name for name, error in ANSWERS.items() if error.is_namespace_missing("home")} == {"NO_NAMESPACE"}
    assert not NO_NAMESPACE.is_namespace_missing("other")


def test_a_policy_denies_by_name():
    assert {name for name, error in ANSWERS.items() if error.is_denied_by_policy(POLICY)} == {"DENIED"}
    assert not DENIED.is_denied_by_policy("other.example.com")


def test_field_conflicts_name_the_manager_and_the_field():
    assert OWNED.field_conflicts == (
        FieldConflict("kubectl-scale", ".spec.replicas"),
        FieldConflict("someone", ".data.key"),
    )
    assert [(problem.code, problem.hint) for problem in OWNED.problems] == [
        ("conflicting-managers", "Agree with the owner of these fields on their values")
    ]


def test_a_field_conflict_without_a_manager_has_the_text_of_the_server():
    error = answer(409, "Conflict", "no", causes=[cause("FieldManagerConflict", ".x", "conflict")])

    assert error.field_conflicts == (FieldConflict("conflict", ".x"),)


def test_a_conflict_with_another_cause_is_not_about_fields_only():
    error = answer(409, "Conflict", "no", causes=[*MANAGED, cause("FieldValueInvalid", ".x", "is odd")])

    assert (error.is_field_conflict, len(error.field_conflicts)) == (False, 2)


@pytest.mark.parametrize(
    "text",
    [
        "cannot change roleRef",
        "updates to statefulset spec for a are forbidden",
        'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
        "value: Forbidden: may not be changed in an update.",
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`",
    ],
)
def test_some_immutable_fields_are_reported_in_other_words(text):
    assert answer(422, "Invalid", f"is invalid: {text}").is_immutable_field
    assert not answer(403, "Forbidden", text).is_immutable_field


def test_unsupported_values_are_named_with_their_fields():
    assert UNSUPPORTED.unsupported_values == (UnsupportedValue("status.capabilities.enabledCapabilities[0]", "Nope"),)


def test_unsupported_values_are_found_in_the_message_if_there_are_no_causes():
    error = answer(422, "Invalid", 'x is invalid: spec.set: Unsupported value: "v4.99": supported values: "None"')

    assert error.unsupported_values == (UnsupportedValue("spec.set", "v4.99"),)


@pytest.mark.parametrize("error", [IMMUTABLE, answer(400, "BadRequest", 'spec.set: Unsupported value: "v4.99"')])
def test_other_answers_have_no_unsupported_values(error):
    assert error.unsupported_values == ()


def test_undeclared_fields_are_paths():
    assert UNDECLARED.undeclared_fields == ('.spec.template.spec.containers[name="a.b"].odd', ".spec.x")


def test_a_single_undeclared_field_follows_the_text_of_the_server():
    error = answer(500, "", f"{PATCHED}: .userNames: field not declared in schema")

    assert error.undeclared_fields == (".userNames",)


def test_other_text_names_no_undeclared_field():
    assert LEADER.undeclared_fields == ()


def test_mistyped_fields_have_a_path_and_the_expected_type():
    assert MISTYPED.mistyped_fields == (
        MistypedField(".data.a", "string"),
        MistypedField('.list[name="x"].b', "list"),
        MistypedField(".n", "numeric (int or float)"),
    )


def test_causes_about_required_and_forbidden_fields():
    required = StatusCause("FieldValueRequired", "spec.a", "Required value")
    forbidden = StatusCause("FieldValueForbidden", "spec.a", "Forbidden: may not be set")

    assert (required.is_required, required.is_forbidden) == (True, False)
    assert (forbidden.is_required, forbidden.is_forbidden) == (False, True)


def test_a_redacted_problem_names_fields_and_no_values():
    error = answer(422, "Invalid", "is invalid: s3cret", causes=[cause("FieldValueInvalid", "data.key", "s3cret")])
    problem = error.redacted()

    assert problem.message == (
        "cannot patch things one: 422 about data.key (message omitted, because it can contain secret values)"
    )
    assert (problem.code, problem.hint) == (error.problems[0].code, error.problems[0].hint)


def test_a_redacted_problem_without_fields():
    assert LEADER.redacted().message == (
        "cannot patch things one: 500 (message omitted, because it can contain secret values)"
    )


@pytest.mark.parametrize("code", [401, 403, 404, 409, 422])
@pytest.mark.parametrize(
    "message",
    [
        'admission webhook "a.test.io" denied the request: no',
        "things \"one\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no",
    ],
)
def test_a_denial_does_not_mean_what_its_code_means(code: int, message: str) -> None:
    error = answer(code, "", message, "one")
    assert error.is_denied
    assert (error.is_unauthorized, error.is_not_found, error.is_conflict) == (False, False, False)
    assert error.problems[0].code == "denied-request"


def test_an_object_that_no_longer_fits_its_schema_has_to_be_created_again() -> None:
    message = (
        "failed to create typed live object (home/a; test.io/v1, Kind=Thing): .spec.n: expected numeric, got string"
    )
    error = answer(500, "", message)
    assert (error.is_permanent, error.is_retryable, error.is_immutable_field) == (True, False, True)
    assert error.mistyped_fields == ()
