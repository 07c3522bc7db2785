# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How unsuccessful answers of an API server are reported. Failed connections: test_api_errors_connection.py."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import (
    ApiError,
    api_error,
    one_line,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem

SHOWN = "clusterversions.config.openshift.io version"
SERVER_ERROR = "Check the health of the API server, and run it again"


def status(code: int, reason: str, message: str, **details: Any) -> bytes:
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
        **({"details": details} if details else {}),
    }
    return json.dumps(body).encode()


def problem_of(code: int, data: bytes, verb: str = "patch", shown: str = SHOWN) -> Problem:
    error = api_error(code, data, verb, shown)
    (problem,) = error.problems
    assert isinstance(error, ApiError)
    assert (error.code, problem.severity, str(problem.where)) == (code, "error", "")
    return problem


FORBIDDEN = (
    'clusterversions.config.openshift.io "version" is forbidden: User "ann" cannot patch resource "clusterversions" in'
)


@pytest.mark.parametrize(
    ("code", "reason", "message", "problem_code", "hint"),
    [
        (
            400,
            "BadRequest",
            "the body is no object",
            "invalid-request",
            "Check that the address is that of the cluster's API",
        ),
        (
            401,
            "Unauthorized",
            "Unauthorized",
            "unauthorized-request",
            "Log in again, and use the new kubeconfig or api_key: ",
        ),
        (
            403,
            "Forbidden",
            FORBIDDEN,
            "forbidden-request",
            "Grant the user a role that allows patch on clusterversions.config.openshift.io",
        ),
        (
            404,
            "NotFound",
            '"version" not found',
            "unserved-kind",
            "Check that the object and its CustomResourceDefinition exist",
        ),
        (
            409,
            "Conflict",
            "the object has been modified",
            "conflicting-write",
            "Run it again: another client changed the object at the same time",
        ),
        (
            429,
            "TooManyRequests",
            "too many requests",
            "overloaded-server",
            "Try again later: the server has too many requests",
        ),
        (
            429,
            "TooManyRequests",
            "Too many requests, please try again later",
            "overloaded-server",
            "Run it when the cluster is less busy",
        ),
        (
            403,
            "Forbidden",
            'services "a" is forbidden: exceeded quota: few, requested: count/services=1',
            "denied-request",
            "Raise the ResourceQuota",
        ),
        (500, "InternalError", "etcdserver: leader changed", "failed-server", SERVER_ERROR),
        (503, "ServiceUnavailable", "the server is currently unable", "failed-server", SERVER_ERROR),
        (504, "Timeout", "request did not complete", "failed-server", SERVER_ERROR),
    ],
)
def test_a_status_is_reported_in_its_words_with_a_hint(code, reason, message, problem_code, hint):
    problem = problem_of(code, status(code, reason, f"{message}."))

    assert problem.message == f"cannot patch {SHOWN}: {code} {reason}: {message}"
    assert problem.code == problem_code
    assert problem.hint.startswith(hint)


def test_a_page_of_a_proxy_that_forbids_a_request_is_no_answer_of_an_api_server():
    problem = problem_of(403, b"<html><title>Access denied by the proxy</title></html>")

    assert (problem.code, "no proxy or login page answers" in problem.hint) == ("forbidden-request", True)


def test_the_hint_names_the_verb_and_the_sub_resource_as_rbac_does():
    """An apply that creates the object needs create, too."""
    problem = problem_of(
        403,
        status(403, "Forbidden", 'User "x" cannot create resource "clusterversions/status" in'),
        "patch",
        "clusterversions.config.openshift.io/status version",
    )

    assert problem.hint == "Grant the user a role that allows create on clusterversions.config.openshift.io/status"


def test_the_error_has_the_code_and_the_name_of_the_object():
    error = api_error(404, status(404, "NotFound", "no", name="version", kind="clusterversions"), "get", SHOWN)

    assert (error.code, error.object_name, error.problems[0].code) == (404, "version", "missing-object")
    nothing = api_error(404, b"404 page not found\n", "get", SHOWN)
    assert (nothing.code, nothing.object_name) == (404, "")
    assert nothing.problems[0].message == f"cannot get {SHOWN}: 404: 404 page not found"


UNSUPPORTED = {"reason": "FieldValueNotSupported", "field": "spec.capabilities", "message": 'Unsupported value: "X"'}
RULE = {"reason": "FieldValueInvalid", "field": "<nil>", "message": "Invalid value: null: some rules were not checked"}


@pytest.mark.parametrize(
    ("causes", "text"),
    [
        ([UNSUPPORTED], 'spec.capabilities: Unsupported value: "X"'),
        ([UNSUPPORTED, RULE], f'spec.capabilities: Unsupported value: "X"; <nil>: {RULE["message"]}'),
        # Causes that say nothing leave the message as it is.
        ([{"message": "no field"}, {"field": "no message"}, "a word", None], "is invalid"),
        ([], "is invalid"),
        (None, "is invalid"),
        ("a word", "is invalid"),
        ({"field": "x"}, "is invalid"),
    ],
)
def test_an_invalid_object_is_reported_by_its_fields(causes, text):
    problem = problem_of(422, status(422, "Invalid", "is invalid", causes=causes))

    assert problem.message == f"cannot patch {SHOWN}: 422 Invalid: {text}"


def test_causes_of_other_codes_are_not_in_the_message():
    problem = problem_of(409, status(409, "Conflict", "Apply failed", causes=[UNSUPPORTED]))

    assert problem.message.endswith("409 Conflict: Apply failed")


@pytest.mark.parametrize("details", [None, [], "a word", 7])
def test_details_that_are_no_map_are_ignored(details):
    body = {"kind": "Status", "message": "is invalid", "details": details}

    assert problem_of(422, json.dumps(body).encode()).message == f"cannot patch {SHOWN}: 422: is invalid"


HTML = b"<html>\n<head><title>503 Service Unavailable</title></head>\n</html>\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "no message"),
        (b" \n", "no message"),
        (b"{}", "{}"),
        (b"null", "null"),
        (b'"no"', '"no"'),
        (b'{"kind": "Pod", "message": "not for us"}', '{"kind": "Pod", "message": "not for us"}'),
        (b'{"kind": "Status"}', '{"kind": "Status"}'),
        (HTML, HTML.decode().strip()),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("Ünavailable".encode("latin-1"), "\ufffdnavailable"),
    ],
)
def test_a_body_that_is_no_status_is_shown_unchanged(data, text):
    problem = problem_of(503, data)

    assert problem.message == f"cannot patch {SHOWN}: 503: {text}"
    assert problem.hint == SERVER_ERROR


@pytest.mark.parametrize("data", [b"<p>" * 1_000_000, b"\xff" * 1_000_000, b"\xc3\xa9" * 1_000_000])
def test_a_huge_body_is_cut(data):
    assert len(problem_of(502, data).message) < 2200


@pytest.mark.parametrize("causes", [7, True, 1.5])
def test_causes_that_are_no_list_are_ignored(causes):
    assert problem_of(422, status(422, "Invalid", "is invalid", causes=causes)).message.endswith("Invalid: is invalid")


def test_a_body_of_brackets_is_not_a_traceback():
    assert problem_of(500, b"[" * 200_000).hint == SERVER_ERROR


@pytest.mark.parametrize("code", [301, 302, 405, 410, 415, 418])
def test_other_codes_are_reported_too(code):
    problem = problem_of(code, b"no")

    assert (problem.code, problem.message) == ("unexpected-answer", f"cannot patch {SHOWN}: {code}: no")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
# The types of lists and maps that the API has, with anything in them.
bodies = st.one_of(
    st.binary(max_size=40),
    st.builds(
        lambda message, reason, name, causes: json.dumps(
            {"kind": "Status", "message": message, "reason": reason, "details": {"name": name, "causes": causes}}
        ).encode(),
        json_values,
        json_values,
        json_values,
        st.lists(st.dictionaries(st.sampled_from(["field", "message"]), json_values) | json_values, max_size=3),
    ),
)


@given(bodies, st.integers(300, 599))
def test_any_answer_is_an_error_with_the_request_and_the_code(data, code):
    problem = problem_of(code, data)

    assert problem.message.startswith(f"cannot patch {SHOWN}: {code}")
    assert str(api_error(code, data, "patch", SHOWN)) == str(problem)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("two\n  lines\t here "), "two lines here"),
        (ValueError(), "ValueError"),
        (KeyError("x"), "'x'"),
        (OSError(113, "No route to host"), "[Errno 113] No route to host"),
    ],
)
def test_an_error_is_one_line(error, text):
    assert one_line(error) == text


def test_the_text_of_an_error_is_shortened():
    assert one_line(ValueError("x" * 5000)) == "x" * 2000 + " ..."
