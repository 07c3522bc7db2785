# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubeconfigs, and a small client of the API, independent of the product's own, so that tests see for themselves."""

from __future__ import annotations

import json
import ssl
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import urllib3
import yaml

from ansible_collections.capability.openshift.tests.control_plane.certificates import Certificate, write_secret

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
FIELD_MANAGER = "control-plane-tests"
_NAME = "control-plane"
_ATTEMPTS = 100
_PAUSE = 0.05


class ApiError(Exception):
    """The API refused; ``status`` is the HTTP status, the message is the server's text."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(f"{status} {reason}: {message}")


class Api:
    """The API as the user of a kubeconfig sees it. Threads may share it.

    Only an answer of 429 to a read or a deletion is retried: a reset leaves the watch caches of the API server empty
    for some milliseconds, and it answers "storage is (re)initializing" until they are filled. Raises ``ApiError`` for
    every other answer of 400 and above, and urllib3's own errors where there is no answer.
    """

    def __init__(self, kubeconfig: Path, user_agent: str = FIELD_MANAGER, timeout: float = 30.0) -> None:
        document = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
        (cluster,) = [item["cluster"] for item in document["clusters"]]
        (user,) = [item["user"] for item in document["users"]]
        self._headers = {"User-Agent": user_agent, "Accept": "application/json"}
        if "token" in user:
            self._headers["Authorization"] = f"Bearer {user['token']}"
        self._timeout = timeout
        address = urlsplit(cluster["server"])
        self._pool = urllib3.HTTPSConnectionPool(
            address.hostname or "", address.port, maxsize=16, retries=False, ssl_context=_context(cluster, user)
        )

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """Return an object."""
        return self._ask("GET", path, query)

    def list(self, path: str, **query: str) -> list[dict[str, Any]]:
        """Return the objects of a collection."""
        items: list[dict[str, Any]] = self._ask("GET", path, query)["items"]
        return items

    def post(self, path: str, body: Mapping[str, Any], **query: str) -> dict[str, Any]:
        """Create an object."""
        return self._ask("POST", path, query, body)

    def put(self, path: str, body: Mapping[str, Any], **query: str) -> dict[str, Any]:
        """Replace an object."""
        return self._ask("PUT", path, query, body)

    def patch(self, path: str, body: Any, content_type: str = MERGE, **query: str) -> dict[str, Any]:
        """Change an object, by a merge patch unless ``content_type`` says otherwise."""
        return self._ask("PATCH", path, query, body, content_type)

    def apply(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Make an object as ``body`` has it, whether it exists or not, and take over its fields (server-side apply)."""
        return self.patch(path, body, APPLY, fieldManager=FIELD_MANAGER, force="true")

    def delete(self, path: str, body: Mapping[str, Any] | None = None, **query: str) -> dict[str, Any]:
        """Delete an object, or a whole collection."""
        return self._ask("DELETE", path, query, body)

    def exists(self, path: str) -> bool:
        """Return whether there is such an object."""
        try:
            self.get(path)
        except ApiError as error:
            if error.status != 404:
                raise
            return False
        return True

    def text(self, path: str, timeout: float | None = None) -> str:
        """Return an answer that is no JSON, as that of /readyz."""
        return self._send("GET", path, timeout=timeout).decode()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _ask(
        self, method: str, path: str, query: Mapping[str, str], body: Any = None, kind: str = "application/json"
    ) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        address = f"{path}?{urlencode(query)}" if query else path
        answer: dict[str, Any] = json.loads(self._send(method, address, data, kind))
        return answer

    def _send(
        self, method: str, path: str, body: bytes | None = None, kind: str = "", timeout: float | None = None
    ) -> bytes:
        headers = {**self._headers, **({"Content-Type": kind} if kind else {})}
        for _attempt in range(_ATTEMPTS):
            answer = self._pool.request(method, path, body=body, headers=headers, timeout=timeout or self._timeout)
            if answer.status != 429 or method not in ("GET", "DELETE"):
                break
            time.sleep(_PAUSE)
        if answer.status >= 400:
            try:
                status = json.loads(answer.data)
                reason, message = status.get("reason", ""), status["message"]
            except (ValueError, KeyError, TypeError, AttributeError):
                reason, message = answer.reason or "", answer.data.decode(errors="replace")
            raise ApiError(answer.status, reason, message)
        return answer.data


def _context(cluster: Mapping[str, str], user: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
    if "client-certificate-data" in user:
        # Python loads them from files only.
        with tempfile.TemporaryDirectory(prefix="capability-") as folder:
            pem = b64decode(user["client-certificate-data"]) + b64decode(user["client-key-data"])
            context.load_cert_chain(write_secret(Path(folder) / "client.pem", pem))
    return context


def write_kubeconfig(path: Path, url: str, authority: bytes, credentials: Certificate | str) -> Path:
    """Write a kubeconfig for a client certificate or a token, and return its path."""
    user: dict[str, Any]
    if isinstance(credentials, str):
        user = {"token": credentials}
    else:
        certificate, key = map(_text, credentials)
        user = {"client-certificate-data": certificate, "client-key-data": key}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": {"server": url, "certificate-authority-data": _text(authority)}}],
        "users": [{"name": _NAME, "user": user}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
        "current-context": _NAME,
    }
    return write_secret(path, yaml.safe_dump(document, sort_keys=False).encode())


def _text(data: bytes) -> str:
    return b64encode(data).decode()
