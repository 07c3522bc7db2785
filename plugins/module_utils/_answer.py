# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What an API server, or the way to it, said instead of yes: in words for people, with what to do about it."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

from ._domain.errors import ApiError, ClusterError, Problem

_MENDS = {
    400: "This is a fault of the collection, or the server is no Kubernetes API of these years",
    401: "The token or certificate is wrong or expired: log in again, and give the new kubeconfig or api_key",
    404: "Look whether the object and its CustomResourceDefinition are there",
    409: "Somebody else changed it meanwhile: run it again",
    429: "The server has too much to do: try again later",
}
_LONGEST = 2000


def api_error(code: int, data: bytes, verb: str, shown: str, *, repeated: bool = False) -> ApiError:
    """Return the error for an answer of HTTP ``code``; ``data`` is a ``Status`` if it is the API server's.

    ``repeated``: the request was sent more than once.
    """
    status = _status(data)
    said = str(status.get("message") or data[:_LONGEST].decode(errors="replace").strip() or "no message")
    details = status.get("details")
    details = details if isinstance(details, Mapping) else {}
    mend = _MENDS.get(code, "The server could not answer: look at its health, and run it again" if code >= 500 else "")
    if code == 422:
        causes = [f"{item['field']}: {item['message']}" for item in _causes(details)]
        if causes:
            said = "; ".join(causes)
    elif code == 403:
        mend = f"Give the user a role that allows {verb} on {shown.partition(' ')[0]}"
    reason = f" {status['reason']}" if status.get("reason") else ""
    problem = Problem("error", "", f"cannot {verb} {shown}: {code}{reason}: {said.rstrip('.')}", mend)
    return ApiError(code, str(details.get("name") or ""), repeated, problem)


def connection_error(error: BaseException, verb: str, shown: str, host: str) -> ClusterError:
    """Return the error for a request that got no answer, in the words of the innermost cause."""
    cause = _innermost(error)
    text = one_line(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        message = f"cannot {verb} {shown}: the certificate of {host} is not trusted ({cause.verify_message})"
        mend = "Give the CA that signed it (ca_cert, or certificate-authority in the kubeconfig)"
    elif isinstance(cause, ssl.SSLError):
        message = f"cannot {verb} {shown}: no TLS with {host} ({text})"
        mend = "Look at address and port, and at the client certificate"
    else:
        message = f"cannot {verb} {shown}: {host} does not answer ({text})"
        mend = "Look at the address, the network and the proxy, and whether the API server runs"
    return ClusterError([Problem("error", "", message, mend)])


def one_line(error: BaseException) -> str:
    """Return what an error says, or its name where it says nothing, on one line and not endless."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _status(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("kind") == "Status" else {}


def _causes(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for item in details.get("causes") or ():
        if isinstance(item, Mapping) and item.get("message") and item.get("field"):
            yield item


def _innermost(error: BaseException) -> BaseException:
    """Return what is behind the wrappers of urllib3, which repeat addresses of objects and whole URLs."""
    reason = getattr(error, "reason", None)
    behind = reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
    if behind is None:
        behind = next((arg for arg in error.args if isinstance(arg, BaseException)), None)
    return error if behind is None or behind is error else _innermost(behind)
