# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an API server, or the way to it, said instead of yes: in words for people, with what to do about it."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import ApiError, ClusterError, Problem, StatusCause
from .._unstructured import mappings_in

FIELD_CONFLICT = "FieldManagerConflict"
"""Reason of a cause: a field belongs to another field manager (apimachinery:pkg/apis/meta/v1/types.go)."""

_HINTS = {
    400: "Look whether the address is that of the cluster's API, and whether it begins with https://",
    401: "The token or certificate is wrong or expired: log in again, and give the new kubeconfig or api_key",
    404: "Look whether the object and its CustomResourceDefinition are there",
    409: "Somebody else changed it meanwhile: run it again",
    422: "Change what the server names",
    429: "The server has too much to do: try again later",
}
_OTHERS_FIELDS = "Ask whoever it is, leave these fields to them, or overwrite them with force_conflicts=true"
_OVERLOADED = "The server could not answer: look at its health, and run it again"
_NO_API = "Look whether the address is that of the cluster's API, and no proxy or login page is in between"
_CA = "Give the CA that signed it (ca_cert, or certificate-authority in the kubeconfig)"
_TRUST = {
    10: "It is expired: have a new one made, or look at the clock of this machine",
    18: _CA,
    19: _CA,
    20: _CA,
    21: _CA,
}
"""What to do about an untrusted certificate, by OpenSSL's codes (x509_vfy.h)."""

_LONGEST = 2000


def api_error(code: int, data: bytes, verb: str, shown: str, *, repeated: bool = False) -> ApiError:
    """Return the error for an answer of HTTP ``code``; ``data`` is a ``Status`` if it is the API server's.

    ``repeated``: the request was sent more than once.
    """
    status = _status(data)
    said = str(status.get("message") or data[:_LONGEST].decode(errors="replace").strip() or "no message")
    details = status.get("details")
    details = details if isinstance(details, Mapping) else {}
    hint = _HINTS.get(code, _OVERLOADED if code >= 500 else _NO_API)
    causes = tuple(_causes(details))
    text = said
    if code == 422:
        said = "; ".join(f"{cause.field}: {cause.message}" for cause in causes) or said
    elif code == 409 and any(cause.reason == FIELD_CONFLICT for cause in causes):
        hint = _OTHERS_FIELDS
    elif code == 403:
        hint = _forbidden_hint(said, verb, shown)
    reason = f" {status['reason']}" if status.get("reason") else ""
    message = f"cannot {verb} {shown}: {code}{reason}: {_shortened(said).rstrip('.')}"
    problem = Problem("error", "todo", "", message, hint)
    return ApiError(code, str(details.get("name") or ""), repeated, problem, causes, text)


def connection_error(error: BaseException, verb: str, shown: str, host: str) -> ClusterError:
    """Return the error for a request that got no answer, in the words of the innermost cause."""
    cause = _innermost(error)
    text = one_line(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        message = f"cannot {verb} {shown}: the certificate of {host} is not trusted ({cause.verify_message})"
        hint = _TRUST.get(cause.verify_code, "Give the address for which the certificate was made")
    elif isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        message = f"cannot {verb} {shown}: no TLS with {host} ({text})"
        hint = "Look at address and port, and at the client certificate"
    elif isinstance(cause, ValueError) and "header" in text.lower():
        # Its text repeats the header, which can be a token.
        message = f"cannot {verb} {shown}: a header for {host} holds what no header can hold, such as a line break"
        hint = "Look at api_key, the token in the kubeconfig, and impersonate_user"
    else:
        message = f"cannot {verb} {shown}: {host} does not answer ({text})"
        hint = "Look at the address, the network and the proxy, and whether the API server runs"
        if not host.startswith("https://"):
            hint = f"Write https:// before the address, if it is not meant to be plain HTTP. {hint}"
    return ClusterError([Problem("error", "todo", "", message, hint)])


def one_line(error: BaseException) -> str:
    """Return what an error says, or its name where it says nothing, on one line and not endless."""
    return _shortened(" ".join(str(error).split()) or type(error).__name__)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _forbidden_hint(said: str, verb: str, shown: str) -> str:
    """Return what to do about an answer of 403, which can have another cause than a role that is missing."""
    if "system:anonymous" in said:
        return "No credentials were sent: look at the user in the kubeconfig, and at the program that makes its token"
    refused = re.search(r'User "[^"]*" cannot (\w+) (resource|path) ', said)
    if refused and refused[1] == "impersonate":
        return "Give the user a role that allows impersonate, or leave impersonate_user and impersonate_groups out"
    if refused:
        return f"Give the user a role that allows {verb} on {shown.partition(' ')[0]}"
    return "It is not a right that is missing, but an admission policy of the cluster that refuses this"


def _status(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and found.get("kind") == "Status" else {}


def _causes(details: Mapping[str, Any]) -> Iterator[StatusCause]:
    for item in mappings_in(details.get("causes")):
        if item.get("message") and item.get("field"):
            yield StatusCause(str(item.get("reason") or ""), str(item["field"]), str(item["message"]))


def _innermost(error: BaseException) -> BaseException:
    """Return what is behind the wrappers of urllib3, which repeat addresses of objects and whole URLs."""
    reason = getattr(error, "reason", None)
    # urllib3 1.26 suppresses the context of an error, because that is another one that it got over.
    context = None if error.__suppress_context__ else error.__context__
    behind = reason if isinstance(reason, BaseException) else error.__cause__ or context
    if behind is None:
        behind = next((arg for arg in error.args if isinstance(arg, BaseException)), None)
    return error if behind is None or behind is error else _innermost(behind)
