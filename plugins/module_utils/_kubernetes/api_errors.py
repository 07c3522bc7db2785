# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Unsuccessful answers of an API server, and failed connections to it: what they mean, and how to report them.

Everything that depends on the English of the API server's messages is in this file. Predicates are named as in
kubernetes/apimachinery:pkg/api/errors/errors.go.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._problems import ClusterError, Problem
from .._resources import mappings_in

RETRIED_CODES = frozenset({429, 500, 502, 503, 504})
"""HTTP codes of a server that temporarily cannot answer."""

# Reasons of causes: kubernetes/apimachinery:pkg/apis/meta/v1/types.go.
_FIELD_CONFLICT = "FieldManagerConflict"
_FIELD_DUPLICATE = "FieldValueDuplicate"
_FIELD_FORBIDDEN = "FieldValueForbidden"
_FIELD_REQUIRED = "FieldValueRequired"
_NAMESPACE_TERMINATING = "NamespaceTerminating"

# Texts in messages of the API server. Those about fields: kubernetes-sigs/structured-merge-diff:typed/validate.go.
_ALREADY_EXISTS = "already exists"
_ANONYMOUS = "system:anonymous"
_BECAUSE = " is forbidden: "
_CONFLICT_WITH = re.compile(r'conflict with "([^"]*)"')
_DENIED = re.compile(r'admission webhook "[^"]*" denied the request|ValidatingAdmissionPolicy .* denied request')
_ESCALATION = "attempting to grant RBAC permissions not currently held"
_IMMUTABLE = re.compile(r"immutable|cannot change roleRef|updates to .* are forbidden|may not (?:be changed|change) ")
_MISSING_NAMESPACE = "namespaces "
_MISSING_PERMISSION = re.compile(r'User "[^"]*" cannot (\w+) (resource|path) ')
_MISTYPED_FIELD = re.compile(r"(?:^|\s)(\.\S.*?): expected ([^,\n]+), got ")
_CONVERSION_FAILED = "conversion webhook for "
_QUOTA = re.compile(r"(?:exceeded|failed|status unknown for) quota: ")
_STORAGE_INITIALIZING = "storage is (re)initializing"
_TOO_MANY_REQUESTS = "too many requests, please try again later"
_WEBHOOK_FAILED = "failed calling webhook "
_UID = "metadata.uid"
_UID_MISMATCH = "uid mismatch"
_UNDECLARED_FIELD = re.compile(r"(?:^|\s)(\.\S.*?): field not declared in schema")
_UNSUPPORTED_VALUE = re.compile(r'(\S+): Unsupported value(?:: "([^"]*)")?')
_STORED_VERSIONS = "status.storedVersions"
_LIVE_OBJECT = "failed to create typed live object"
_DUPLICATE_ENTRIES = "duplicate entries for key"
_PERMANENT_FAILURES = (
    "field not declared in schema",
    "failed to create typed patch object",
    _LIVE_OBJECT,
    "unable to convert unstructured object",
)
"""Failures of code 500 that are permanent, because the applied or the live object does not fit the schema. Source:
kubernetes/apimachinery:pkg/util/managedfields/internal/structuredmerge.go Apply, pkg/runtime/converter.go."""

_CODES = {
    400: "invalid-request",
    401: "unauthorized-request",
    403: "forbidden-request",
    409: "conflicting-write",
    422: "invalid-object",
    429: "overloaded-server",
}
_HINTS = {
    400: "Check that the address is that of the cluster's API, and that it begins with https://",
    401: "Log in again, and use the new kubeconfig or api_key: the token or certificate is invalid or expired",
    404: "Check that the object and its CustomResourceDefinition exist",
    409: "Run it again: another client changed the object at the same time",
    422: "Correct the fields that the server names",
    429: "Try again later: the server has too many requests",
}
_FIELD_CONFLICT_HINT = "Agree with the owner of these fields on their values"
_DUPLICATE_HINT = (
    "Remove the entry that has the same value: if another client added it to the list, or changed the key of an entry, "
    "the API server keeps it"
)
_DENIED_HINT = "Check the admission webhook or policy that denies the request: no permission is missing"
_STORED_VERSION_HINT = (
    "Migrate the stored objects to a version that the new definition contains (StorageVersionMigration), then remove "
    "the old version from status.storedVersions"
)
_QUOTA_HINT = "Raise the ResourceQuota that the server names, or delete what it counts"
_TOO_MANY_REQUESTS_HINT = (
    "Run it when the cluster is less busy, or raise the concurrency of the user's priority level (FlowSchema, "
    "PriorityLevelConfiguration)"
)
_CONVERSION_HINT = "Check the conversion webhook of the CustomResourceDefinition, and the service that it names"
_WEBHOOK_HINT = "Check the service of the webhook, or the webhook configuration that calls it"
_SERVER_ERROR_HINT = "Check the health of the API server, and run it again"
_NO_API_HINT = "Check that the address is that of the cluster's API, and that no proxy or login page answers instead"
_CA_HINT = "Set the CA that signed it (ca_cert, or certificate-authority in the kubeconfig)"
_CERTIFICATE_HINTS = {
    10: "Renew it, or correct the clock of this machine: it is expired",
    18: _CA_HINT,
    19: _CA_HINT,
    20: _CA_HINT,
    21: _CA_HINT,
}
"""Hints for untrusted certificates, by OpenSSL's codes (x509_vfy.h)."""

_LONGEST = 2000


class StatusCause(NamedTuple):
    """One entry of ``details.causes`` in a ``Status`` (metav1.StatusCause)."""

    reason: str
    field: str
    message: str

    @property
    def is_forbidden(self) -> bool:
        """Whether the field is set and must not be."""
        return self.reason == _FIELD_FORBIDDEN

    @property
    def is_required(self) -> bool:
        """Whether the field is not set and must be."""
        return self.reason == _FIELD_REQUIRED


class FieldConflict(NamedTuple):
    """A field that another field manager owns. ``manager`` is the server's text if that names no manager."""

    manager: str
    field: str


class MistypedField(NamedTuple):
    """A field whose value does not have the ``expected`` type, as the server names it (``string``, ``list``)."""

    path: str
    expected: str


class UnsupportedValue(NamedTuple):
    """A value that the enumeration of a field does not list."""

    field: str
    value: str


class ApiError(ClusterError):
    """An unsuccessful answer of an API server.

    ``code`` is the HTTP status. ``message`` is the server's text, unchanged. ``verb`` and ``shown`` (the object)
    describe the request. ``reason``, ``causes`` and ``object_name`` (empty if there is none) are from the ``Status``.
    ``repeated``: the request was sent more than once, so an earlier attempt may have succeeded.
    """

    def __init__(
        self,
        code: int,
        message: str,
        verb: str,
        shown: str,
        *,
        reason: str = "",
        object_name: str = "",
        repeated: bool = False,
        causes: Iterable[StatusCause] = (),
    ) -> None:
        self.code, self.message, self.causes = code, message, tuple(causes)
        self.object_name, self.repeated = object_name, repeated
        self._request = f"cannot {verb} {shown}: {code}"
        text = _shorten(_field_messages(self) if self.is_invalid else message).rstrip(".")
        shown_reason = f" {reason}" if reason else ""
        hint = _hint(self, shown)
        super().__init__([Problem("error", _problem_code(self), "", f"{self._request}{shown_reason}: {text}", hint)])

    @property
    def is_unauthorized(self) -> bool:
        """Whether the server does not accept the credentials."""
        return self.code == 401 and not self._is_denied_by_name

    @property
    def is_forbidden(self) -> bool:
        """Whether a permission is missing, or an admission plugin denies the request."""
        return self.code == 403

    @property
    def is_denied(self) -> bool:
        """Whether an admission webhook, policy or plugin denies the request, so no permission is missing.

        Webhooks and policies choose the code. Source: kubernetes/apiserver:pkg/admission/plugin/webhook/errors/
        statuserror.go.
        """
        if self._is_denied_by_name:
            return True
        is_permission = _MISSING_PERMISSION.search(self.message) or _ESCALATION in self.message
        return (
            self.is_forbidden and _BECAUSE in self.message and not is_permission and not self.is_namespace_terminating
        )

    @property
    def _is_denied_by_name(self) -> bool:
        """Whether the message names the webhook or the policy that denies the request, so the code has no meaning."""
        return bool(_DENIED.search(self.message))

    @property
    def is_not_found(self) -> bool:
        """Whether the object, its namespace or its kind does not exist."""
        return self.code == 404 and not self._is_denied_by_name

    @property
    def is_denial(self) -> bool:
        """Whether the user may not send the request, or the server does not know the object, the kind or the verb."""
        return self.code in (401, 403, 404, 405)

    @property
    def is_kind_not_served(self) -> bool:
        """Whether the server does not serve the kind: it names no object that is missing."""
        return self.is_not_found and not self.object_name

    @property
    def is_conflict(self) -> bool:
        """Whether the object already exists, has changed since it was read, or another manager owns a field."""
        return self.code == 409 and not self._is_denied_by_name

    @property
    def is_concurrent_write(self) -> bool:
        """Whether another client wrote the object at the same time, so the same request can succeed now."""
        is_other = self.causes or self.is_uid_mismatch or _ALREADY_EXISTS in self.message
        return self.is_conflict and not is_other

    @property
    def is_uid_mismatch(self) -> bool:
        """Whether the object does not exist, or is not the one with the uid in the request.

        Source: kubernetes/apiserver:pkg/endpoints/handlers/patch.go applyPatch;
        kubernetes/apimachinery:pkg/api/validation/objectmeta.go ValidateObjectMetaAccessorUpdate.
        """
        if self.is_invalid:
            return any(cause.field == _UID for cause in self.causes)
        return self.is_conflict and _UID_MISMATCH in self.message

    @property
    def field_conflicts(self) -> tuple[FieldConflict, ...]:
        """The fields that other field managers own."""
        conflicts = []
        for cause in self.causes:
            if cause.reason == _FIELD_CONFLICT:
                match = _CONFLICT_WITH.search(cause.message)
                conflicts.append(FieldConflict(match[1] if match else cause.message, cause.field))
        return tuple(conflicts)

    @property
    def is_field_conflict(self) -> bool:
        """Whether other field managers own fields, and nothing else is wrong."""
        return bool(self.causes) and len(self.field_conflicts) == len(self.causes)

    @property
    def is_invalid(self) -> bool:
        """Whether the object is invalid, or a policy with the reason ``Invalid`` denies the request."""
        return self.code == 422

    @property
    def is_unfit(self) -> bool:
        """Whether the object does not fit the schema of its kind, or a rule in it."""
        return self.is_invalid and not (self.is_denied or self.is_uid_mismatch)

    @property
    def is_immutable_field(self) -> bool:
        """Whether the request changes a field that cannot change after the object is created.

        So does an apply if the object no longer fits the schema, because the type of one of its fields changed.
        """
        is_unfit = self.is_permanent and _LIVE_OBJECT in self.message and not self.has_duplicate_entry
        return is_unfit or (self.is_invalid and bool(_IMMUTABLE.search(self.message)))

    @property
    def has_duplicate_entry(self) -> bool:
        """Whether two entries of a list, in the manifest or in the object, have the same value, such as their name."""
        if self.is_invalid:
            return any(cause.reason == _FIELD_DUPLICATE for cause in self.causes)
        return self.is_permanent and _DUPLICATE_ENTRIES in self.message

    @property
    def is_stored_version(self) -> bool:
        """Whether a CustomResourceDefinition drops a version in which objects may be stored.

        Source: kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go
        ValidateCustomResourceDefinitionStoredVersions.
        """
        return self.is_invalid and any(cause.field.startswith(_STORED_VERSIONS) for cause in self.causes)

    @property
    def unsupported_values(self) -> tuple[UnsupportedValue, ...]:
        """The values that the enumeration of their field does not list."""
        if not self.is_invalid:
            return ()
        return tuple(UnsupportedValue(*match) for match in _UNSUPPORTED_VALUE.findall(_field_messages(self)))

    def is_denied_by_policy(self, name: str) -> bool:
        """Whether the ValidatingAdmissionPolicy ``name`` with the reason ``Invalid`` denies the request."""
        return self.is_invalid and name in self.message

    def is_namespace_missing(self, namespace: str) -> bool:
        """Whether ``namespace``, in which the object is to be created, does not exist."""
        return self.is_not_found and self.object_name == namespace and self.message.startswith(_MISSING_NAMESPACE)

    @property
    def is_namespace_terminating(self) -> bool:
        """Whether the namespace is being deleted."""
        return self.is_forbidden and any(cause.reason == _NAMESPACE_TERMINATING for cause in self.causes)

    @property
    def undeclared_fields(self) -> tuple[str, ...]:
        """The paths of fields that the schema does not declare, such as ``.spec.containers[name="a"].x``.

        Source: kubernetes-sigs/structured-merge-diff:typed/validate.go, fieldpath/path.go String.
        """
        return tuple(dict.fromkeys(_UNDECLARED_FIELD.findall(self.message)))

    @property
    def mistyped_fields(self) -> tuple[MistypedField, ...]:
        """The fields whose values do not have the type of the schema. Their paths are as in ``undeclared_fields``."""
        if _LIVE_OBJECT in self.message:
            return ()
        return tuple(dict.fromkeys(MistypedField(*match) for match in _MISTYPED_FIELD.findall(self.message)))

    @property
    def is_service_unavailable(self) -> bool:
        """Whether the server, or the aggregated API server behind it, is not available."""
        return self.code == 503

    @property
    def is_server_error(self) -> bool:
        """Whether the server could not answer."""
        return self.code in RETRIED_CODES

    @property
    def is_rejected_as_too_many(self) -> bool:
        """Whether the server rejects the request because too many run at once, in its priority level or at all.

        Source: kubernetes/apiserver:pkg/server/filters/priority-and-fairness.go, maxinflight.go tooManyRequests.
        """
        return self.code == 429 and self.message.lower().startswith(_TOO_MANY_REQUESTS)

    @property
    def is_storage_initializing(self) -> bool:
        """Whether the server has just begun to watch a kind, as after its definition or a restart.

        It is ready after a few hundredths of a second, although its ``Retry-After`` is a second. Source:
        kubernetes/apiserver:pkg/storage/cacher/ready.go, delegator.go.
        """
        return self.code == 429 and _STORAGE_INITIALIZING in self.message

    @property
    def is_permanent(self) -> bool:
        """Whether the server reports a server error (500) because the object does not fit the schema."""
        return self.code == 500 and any(words in self.message for words in _PERMANENT_FAILURES)

    @property
    def is_retryable(self) -> bool:
        """Whether the same request can succeed later."""
        return self.is_server_error and not self.is_permanent

    def redacted(self) -> Problem:
        """Build the problem without the server's message, which quotes values of the object. It names the fields."""
        fields = ", ".join(dict.fromkeys(cause.field for cause in self.causes))
        about = f" about {fields}" if fields else ""
        message = f"{self._request}{about} (message omitted, because it can contain secret values)"
        return self.problems[0]._replace(message=message)


class NoAnswerError(ClusterError):
    """A request without an answer. ``since``: when the server stopped answering (``time.monotonic``)."""

    def __init__(self, problem: Problem, since: float) -> None:
        super().__init__([problem])
        self.since = since


def api_error(code: int, data: bytes, verb: str, shown: str, *, repeated: bool = False) -> ApiError:
    """Build the error for an answer with the HTTP status ``code``.

    ``data`` is a ``Status`` if the API server sent it; proxies send other bodies. The other arguments are as in
    ``ApiError``.
    """
    status = _status(data)
    details = status.get("details")
    details = details if isinstance(details, Mapping) else {}
    return ApiError(
        code,
        str(status.get("message") or data[:_LONGEST].decode(errors="replace").strip() or "no message"),
        verb,
        shown,
        reason=str(status.get("reason") or ""),
        object_name=str(details.get("name") or ""),
        repeated=repeated,
        causes=_causes(details),
    )


def connection_error(error: BaseException, verb: str, shown: str, host: str, since: float) -> NoAnswerError:
    """Build the error for a request without an answer. It quotes the innermost cause of ``error``.

    ``since`` is as in ``NoAnswerError``.
    """
    cause = _innermost(error)
    text = one_line(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        code = "untrusted-certificate"
        message = f"cannot {verb} {shown}: the certificate of {host} is not trusted ({cause.verify_message})"
        hint = _CERTIFICATE_HINTS.get(cause.verify_code, "Use the host name for which the certificate was issued")
    elif isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        code = "failed-tls"
        message = f"cannot {verb} {shown}: the TLS handshake with {host} fails ({text})"
        hint = "Check the address, the port and the client certificate"
    elif isinstance(cause, UnicodeEncodeError) or (isinstance(cause, ValueError) and "header" in text.lower()):
        # Its text repeats the header, which can be a token.
        code = "invalid-header"
        message = f"cannot {verb} {shown}: a header for {host} contains an invalid character, such as a line break"
        hint = "Check api_key, the token in the kubeconfig, and impersonate_user"
    else:
        code = "unreachable-server"
        message = f"cannot {verb} {shown}: {host} does not answer ({text})"
        hint = "Check the address, the network and the proxy, and that the API server runs"
        if not host.startswith("https://"):
            hint = f"Write https:// before the address, unless the server uses plain HTTP. {hint}"
    return NoAnswerError(Problem("error", code, "", message, hint), since)


def one_line(error: BaseException) -> str:
    """The text of an error, or its class name if it has none, on one line of limited length."""
    return _shorten(" ".join(str(error).split()) or type(error).__name__)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _field_messages(error: ApiError) -> str:
    return "; ".join(f"{cause.field}: {cause.message}" for cause in error.causes) or error.message


def _problem_code(error: ApiError) -> str:
    if error.is_denied:
        return "denied-request"
    if error.is_not_found:
        return "missing-object" if error.object_name else "unserved-kind"
    if error.is_conflict and error.field_conflicts:
        return "conflicting-managers"
    return _CODES.get(error.code, "failed-server" if error.code >= 500 else "unexpected-answer")


def _hint(error: ApiError, shown: str) -> str:
    if error.is_conflict and error.field_conflicts:
        return _FIELD_CONFLICT_HINT
    if error.is_stored_version:
        return _STORED_VERSION_HINT
    if error.is_rejected_as_too_many:
        return _TOO_MANY_REQUESTS_HINT
    if error.has_duplicate_entry:
        return _DUPLICATE_HINT
    if error.is_denied:
        return _QUOTA_HINT if _QUOTA.search(error.message) else _DENIED_HINT
    if error.is_server_error and _CONVERSION_FAILED in error.message:
        return _CONVERSION_HINT
    if error.is_server_error and _WEBHOOK_FAILED in error.message:
        return _WEBHOOK_HINT
    if error.is_forbidden:
        return _forbidden_hint(error.message, shown)
    return _HINTS.get(error.code, _SERVER_ERROR_HINT if error.code >= 500 else _NO_API_HINT)


def _forbidden_hint(message: str, shown: str) -> str:
    """The hint for a 403, which does not always mean that a role is missing."""
    if _ANONYMOUS in message:
        return "Check the user in the kubeconfig and the program that creates its token: the request had no credentials"
    missing = _MISSING_PERMISSION.search(message)
    if missing and missing[1] == "impersonate":
        return "Grant the user a role that allows impersonate, or omit impersonate_user and impersonate_groups"
    if missing:
        return f"Grant the user a role that allows {missing[1]} on {shown.partition(' ')[0]}"
    if _ESCALATION in message:
        return "Grant the user the permissions that the server lists: a user can grant only what the user has"
    return _DENIED_HINT if _BECAUSE in message else _NO_API_HINT  # the page of a proxy, for instance


def _status(data: bytes) -> Mapping[str, Any]:
    try:
        status = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return status if isinstance(status, dict) and status.get("kind") == "Status" else {}


def _causes(details: Mapping[str, Any]) -> Iterator[StatusCause]:
    for item in mappings_in(details.get("causes")):
        if item.get("message") and item.get("field"):
            yield StatusCause(str(item.get("reason") or ""), str(item["field"]), str(item["message"]))


def _innermost(error: BaseException) -> BaseException:
    """The cause inside urllib3's exceptions, whose texts contain memory addresses and whole URLs."""
    reason = getattr(error, "reason", None)
    # urllib3 1.26 suppresses the context if that is an unrelated error that it recovered from.
    context = None if error.__suppress_context__ else error.__context__
    inner = reason if isinstance(reason, BaseException) else error.__cause__ or context
    if inner is None:
        inner = next((arg for arg in error.args if isinstance(arg, BaseException)), None)
    return error if inner is None or inner is error else _innermost(inner)
