# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A token server as registries use it (distribution: docs/spec/auth/token.md, jwt.md), with accounts for each test."""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate

from ansible_collections.capability.openshift.tests.control_plane.certificates import Certificate
from ansible_collections.capability.openshift.tests.control_plane.server import Server

SERVICE = "registry.tests"
_LIFE = 300


class Account(NamedTuple):
    """A password, and the repositories that the user may pull; none means all."""

    password: str
    repositories: tuple[str, ...] = ()


class TokenServer(Server):
    """Gives tokens for what an account may pull. ``anonymous`` repositories need no account.

    ``requests`` has the query of each request, and whether it had credentials.
    """

    issuer = "token server of the tests"

    def __init__(
        self,
        serving: Certificate,
        tls: ssl.SSLContext | None,
        accounts: Mapping[str, Account],
        anonymous: tuple[str, ...] = (),
    ) -> None:
        self.accounts, self.anonymous = dict(accounts), anonymous
        self.requests: list[tuple[dict[str, list[str]], bool]] = []
        key = load_pem_private_key(serving.key, None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self._key = key
        certificate = load_pem_x509_certificate(serving.certificate).public_bytes(Encoding.DER)
        self._header = {"x5c": [base64.b64encode(certificate).decode()]}
        super().__init__(_Handler, tls)

    def answer(self, query: dict[str, list[str]], authorization: str) -> tuple[int, dict[str, object]]:
        """Return the status and the body for a request."""
        self.requests.append((query, bool(authorization)))
        account = None
        user = ""
        if authorization:
            credentials = base64.b64decode(authorization.partition(" ")[2]).decode()
            user, _colon, password = credentials.partition(":")
            account = self.accounts.get(user)
            if account is None or account.password != password:
                return 401, {"errors": [{"code": "UNAUTHORIZED"}]}
        access: list[dict[str, object]] = []
        for scope in query.get("scope", []):
            kind, name, _actions = scope.split(":", 2) if scope.count(":") == 2 else ("", "", "")
            allowed = account is not None and (not account.repositories or name in account.repositories)
            if kind == "repository" and (allowed or name in self.anonymous):
                access.append({"type": kind, "name": name, "actions": ["pull"]})
        return 200, {"token": self._token(user, access), "expires_in": _LIFE}

    def _token(self, user: str, access: list[dict[str, object]]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": user,
            "aud": SERVICE,
            "jti": str(time.monotonic_ns()),
            "iat": now,
            "nbf": now - 60,
            "exp": now + _LIFE,
            "access": access,
        }
        return jwt.encode(claims, self._key, algorithm="ES256", headers=self._header)


class _Handler(BaseHTTPRequestHandler):
    server: TokenServer

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        status, body = self.server.answer(query, self.headers.get("Authorization", ""))
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass
