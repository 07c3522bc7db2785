# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""How a registry wants requests to be authorized: its challenge, and the request for a token.

Sources: RFC 7235 section 4.1; distribution/distribution:docs/content/spec/auth/token.md and oauth.md;
containers/image:docker/docker_client.go getBearerToken, getBearerTokenOAuth2.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from .._problems import Problems, shown
from .credentials import Credential

_CLIENT_ID = "capability.openshift"
_PARAMETER = re.compile(r'\s*([!#$%&\'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)')
_SCHEME = re.compile(r"[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=\s|,|$)(?!\s*=)")
_SHORTEST_SECONDS = 60


class Challenge(NamedTuple):
    """One way to be authorized. ``scheme`` is in lower case, and so are the names of the parameters."""

    scheme: str
    parameters: Mapping[str, str]


class TokenRequest(NamedTuple):
    """A request for a token. A ``body`` is the form of a POST request, else the method is GET."""

    url: str
    headers: Mapping[str, str]
    body: str | None = None

    def __repr__(self) -> str:
        return "TokenRequest(***)"


class Token(NamedTuple):
    """A token, and the seconds that it is valid."""

    value: str
    seconds: int

    def __repr__(self) -> str:
        return "Token(***)"


def parse_challenges(headers: Iterable[str]) -> tuple[Challenge, ...]:
    """Parse the headers ``WWW-Authenticate`` of a response. A header can have several challenges.

    Ignores the rest of a header from where it cannot be parsed.
    """
    challenges: list[Challenge] = []
    for header in headers:
        at = 0
        while scheme := _SCHEME.match(header, at):
            at = scheme.end()
            parameters: dict[str, str] = {}
            while parameter := _PARAMETER.match(header, at):
                at = parameter.end()
                name, quoted, plain = parameter.groups()
                parameters[name.lower()] = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            challenges.append(Challenge(scheme[1].lower(), parameters))
    return tuple(challenges)


def basic_header(credential: Credential) -> str:
    """The header ``Authorization`` for a user name and a password."""
    text = f"{credential.username}:{credential.password}".encode()
    return f"Basic {base64.b64encode(text).decode()}"


def token_request(
    challenge: Challenge, repository: str, credential: Credential | None, where: str, problems: Problems
) -> TokenRequest | None:
    """The request that answers the bearer ``challenge`` of a registry for read access to ``repository``.

    ``repository`` is the path without the registry. The token is for nothing else, whatever scope the challenge names.
    The caller must check the returned URL with ``is_allowed_realm``. ``where`` is the registry.
    """
    realm = challenge.parameters.get("realm", "")
    if not _is_token_url(realm):
        message = f"names the token server {shown(realm)}, expected a URL"
        problems.error("invalid-token-server", where, message, "Report this to the administrator of the registry")
        return None
    fields = {"scope": f"repository:{repository}:pull"}
    if challenge.parameters.get("service"):
        fields["service"] = challenge.parameters["service"]
    if credential and credential.identity_token:
        form = {
            **fields,
            "grant_type": "refresh_token",
            "client_id": _CLIENT_ID,
            "refresh_token": credential.identity_token,
        }
        return TokenRequest(realm, {"Content-Type": "application/x-www-form-urlencoded"}, urlencode(form))
    headers = {"Authorization": basic_header(credential)} if credential else {}
    if credential and credential.username:
        fields["account"] = credential.username
    return TokenRequest(f"{realm}{'&' if '?' in realm else '?'}{urlencode(fields)}", headers)


def is_allowed_realm(url: str, where: str, problems: Problems, *, insecure: bool) -> bool:
    """Whether credentials may be sent to the token server at ``url``, and report why not.

    ``insecure``: the user named the host of ``url`` as insecure. Only then may it be plain HTTP.
    """
    scheme, host = urlsplit(url).scheme, urlsplit(url).netloc
    if scheme == "https" or insecure:
        return True
    message = f"names the token server {scheme}://{host}, expected https"
    problems.error(
        "insecure-token-server", where, message, f"Add {host} to insecure_registries if you trust the network"
    )
    return False


def parse_token(body: bytes, where: str, problems: Problems) -> Token | None:
    """Read the answer of the token server ``where``. Its text is never shown."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    answer = answer if isinstance(answer, dict) else {}
    value = answer.get("token") or answer.get("access_token")
    seconds = answer.get("expires_in")
    if not isinstance(value, str) or not value.isascii() or not value.isprintable():
        message = "answered without a token, expected JSON with token or access_token"
        problems.error("invalid-token", where, message, "Check the credentials for this registry")
        return None
    valid = seconds if isinstance(seconds, int) and not isinstance(seconds, bool) else 0
    return Token(value, max(valid, _SHORTEST_SECONDS))


def _is_token_url(realm: str) -> bool:
    """Whether a token can be requested from ``realm``."""
    try:
        parts = urlsplit(realm)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return known and "@" not in parts.netloc and not parts.fragment and realm.isprintable() and " " not in realm
