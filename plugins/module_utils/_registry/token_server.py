# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a registry wants requests to be authorized: its challenge, and the request for a token.

Sources: RFC 7235 section 4.1; distribution/distribution:docs/content/spec/auth/token.md and oauth.md;
containers/image:docker/docker_client.go getBearerToken, getBearerTokenOAuth2.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from .._problems import Problem, RegistryError, shown
from .credentials import Credential
from .pull_spec import PullSpec

_CLIENT_ID = "capability.openshift"
_PARAMETER = re.compile(r'\s*([!#$%&\'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)')
_SCHEME = re.compile(r"[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=\s|,|$)(?!\s*=)")
_SHORTEST_SECONDS = 60


class TokenRequest(NamedTuple):
    """A request for a token. ``authorization`` is its header; a ``form`` makes it a POST request."""

    url: str
    authorization: str = ""
    form: str = ""

    def __repr__(self) -> str:
        return "TokenRequest(***)"


class Token(NamedTuple):
    """A token, and the seconds that it is valid."""

    value: str
    seconds: int

    def __repr__(self) -> str:
        return "Token(***)"


def parse_challenges(headers: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """Parse the headers ``WWW-Authenticate`` of a response: the parameters of the first challenge of each scheme.

    Schemes and names of parameters are in lower case. Ignores the rest of a header from where it cannot be parsed.
    """
    challenges: dict[str, Mapping[str, str]] = {}
    for header in headers:
        at = 0
        while scheme := _SCHEME.match(header, at):
            at = scheme.end()
            parameters: dict[str, str] = {}
            while parameter := _PARAMETER.match(header, at):
                at = parameter.end()
                name, quoted, plain = parameter.groups()
                parameters[name.lower()] = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            challenges.setdefault(scheme[1].lower(), parameters)
    return challenges


def basic_header(credential: Credential) -> str:
    """The header ``Authorization`` for a user name and a password."""
    text = f"{credential.username}:{credential.password}".encode(errors="surrogateescape")
    return f"Basic {base64.b64encode(text).decode()}"


def token_request(
    challenge: Mapping[str, str], spec: PullSpec, credential: Credential | None, is_insecure: Callable[[str], bool]
) -> TokenRequest:
    """The request that answers the bearer ``challenge`` of a registry for read access to the repository of ``spec``.

    ``challenge`` are its parameters. The token is for nothing else, whatever scope they name. Raises ``RegistryError``
    for a token server that must not get credentials: only one that the user named as insecure, for which
    ``is_insecure`` is true, may be plain HTTP.
    """
    realm = challenge.get("realm", "")
    if not _is_token_url(realm):
        message = f"names the token server {shown(realm)}, expected a URL"
        hint = "Report this to the administrator of the registry"
        raise RegistryError([Problem("error", "invalid-token-server", spec.registry, message, hint)])
    scheme, host = urlsplit(realm).scheme, urlsplit(realm).netloc
    if scheme != "https" and not is_insecure(host):
        message = f"names the token server {scheme}://{host}, expected https"
        hint = f"Add {host} to insecure_registries if you trust the network"
        raise RegistryError([Problem("error", "insecure-token-server", spec.registry, message, hint)])
    fields = {"scope": f"repository:{spec.repository}:pull"}
    if challenge.get("service"):
        fields["service"] = challenge["service"]
    if credential and credential.identity_token:
        form = {
            **fields,
            "grant_type": "refresh_token",
            "client_id": _CLIENT_ID,
            "refresh_token": credential.identity_token,
        }
        return TokenRequest(realm, form=urlencode(form))
    if credential and credential.username:
        fields["account"] = credential.username
    query = urlencode(fields, errors="surrogateescape")
    url = f"{realm}{'&' if '?' in realm else '?'}{query}"
    return TokenRequest(url, basic_header(credential) if credential else "")


def parse_token(body: bytes, where: str) -> Token:
    """Read the answer of the token server ``where``. Its text is never shown. Raises ``RegistryError``."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    answer = answer if isinstance(answer, dict) else {}
    value = answer.get("token") or answer.get("access_token")
    seconds = answer.get("expires_in")
    if not isinstance(value, str) or not value.isascii() or not value.isprintable():
        message = "answered without a token, expected JSON with token or access_token"
        hint = "Check the credentials for this registry"
        raise RegistryError([Problem("error", "invalid-token", where, message, hint)])
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
