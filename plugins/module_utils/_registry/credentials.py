# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Credentials for registries, as in a pull secret, ``auth.json`` and Docker's ``config.json``.

Which entry counts: containers/image:pkg/docker/config/config.go findCredentialsInFile. Neither the text of a secret nor
a part of it is ever in a problem or in the representation of an object.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .._problems import Problems, type_name
from .pull_spec import registry_of

FILES_HELPER = "containers-auth.json"
"""The name of the files among the ``credential-helpers`` of registries.conf."""

_DOCKER_HUB = ("docker.io", "registry-1.docker.io")
_DOCKER_HUB_API = "index.docker.io"
_DOCKER_HUB_KEY = "https://index.docker.io/v1/"
_KNOWN_FIELDS = ("auths", "credHelpers", "credsStore")


class Credential(NamedTuple):
    """What a registry or its token server accepts: a user name with a password, or an identity token (OAuth2)."""

    username: str = ""
    password: str = ""
    identity_token: str = ""

    def __repr__(self) -> str:
        return "Credential(***)"


class AuthConfig(NamedTuple):
    """The content of one file or option. ``where`` is its name in messages.

    ``entries`` are by key; ``None`` is an entry that is not valid. ``helpers`` are the names of credential helpers by
    registry, and ``store`` is the helper for all others. ``legacy``: keys have no paths, as in ``.dockercfg``.
    """

    where: str
    entries: Mapping[str, Credential | None]
    helpers: Mapping[str, str]
    store: str = ""
    legacy: bool = False


HelperCall = Callable[[str, str, Problems], "Credential | None"]
"""Asks the credential helper of a name for a server, and returns what it has."""


class Credentials(NamedTuple):
    """Where to look for credentials, in this order. ``helpers`` are the ``credential-helpers`` of registries.conf."""

    configs: tuple[AuthConfig, ...]
    call_helper: HelperCall
    helpers: tuple[str, ...] = (FILES_HELPER,)

    def find(self, name: str, problems: Problems) -> Credential | None:
        """The credential for the repository ``name``, such as ``quay.io/openshift-release-dev/ocp-release``.

        ``None`` if there is none, so the registry is read anonymously. Reports an entry that is not valid.
        """
        reported = Problems()
        found = None
        for lookup in self._lookups(name, reported):
            found = lookup
            if found or reported:
                break
        problems.extend(reported)
        return found

    def _lookups(self, name: str, problems: Problems) -> Iterator[Credential | None]:
        for helper in self.helpers:
            if helper == FILES_HELPER:
                yield from (_find_in(config, name, self.call_helper, problems) for config in self.configs)
            else:
                yield self.call_helper(helper, registry_of(name), problems)


def parse_auth_config(text: str | bytes, where: str, problems: Problems, *, legacy: bool = False) -> AuthConfig | None:
    """Parse a pull secret, ``auth.json`` or ``config.json``; with ``legacy``, a ``.dockercfg``.

    An entry that is not valid is reported by ``Credentials.find``, because most files have more entries than a task
    needs.
    """
    hint = "Set it to a pull secret: JSON with the field auths"
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = f": {error.msg} on line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        problems.error("invalid-json", where, f"is not JSON{at}", hint)
        return None
    if not isinstance(content, dict):
        problems.error("not-a-map", where, f"is {type_name(content)}, expected a JSON object", hint)
        return None
    if legacy:
        return AuthConfig(where, _entries(content), {}, legacy=True)
    if content and not any(field in content for field in _KNOWN_FIELDS):
        problems.error("invalid-auth-file", where, f"has none of the fields {', '.join(_KNOWN_FIELDS)}", hint)
        return None
    for field, expected in (("auths", dict), ("credHelpers", dict), ("credsStore", str)):
        value = content.get(field)
        if value is not None and not isinstance(value, expected):
            wanted = "a map" if expected is dict else "a string"
            problems.error("invalid-auth-file", f"{where}, {field}", f"is {type_name(value)}, expected {wanted}", hint)
            return None
    helpers = {str(key): str(value) for key, value in (content.get("credHelpers") or {}).items()}
    return AuthConfig(where, _entries(content.get("auths") or {}), helpers, content.get("credsStore") or "")


def _entries(auths: Mapping[str, Any]) -> dict[str, Credential | None]:
    return {key: _decode(entry) for key, entry in auths.items()}


def _decode(entry: Any) -> Credential | None:
    """The credential of one entry. It is empty if the entry is, as a helper leaves it; ``None`` if it is not valid."""
    if not isinstance(entry, Mapping):
        return None
    fields = [entry.get(field) or "" for field in ("auth", "username", "password", "identitytoken")]
    if not all(isinstance(field, str) for field in fields):
        return None
    auth, username, password, identity_token = fields
    if auth:
        try:
            username, colon, password = base64.b64decode(auth, validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return None
        if not colon:
            return None
        password = password.strip("\0")
    return Credential(username, password, identity_token)


def _find_in(config: AuthConfig, name: str, call_helper: HelperCall, problems: Problems) -> Credential | None:
    registry = registry_of(name)
    if registry in config.helpers:
        return call_helper(config.helpers[registry], registry, problems)
    for key in _matching_keys(config, name):
        found = config.entries[key]
        if found is None:
            message = "is not valid: expected auth with the base64 text of USER:PASSWORD"
            hint = "Log in again, or copy the pull secret again"
            problems.error("invalid-credentials", f"{config.where}, entry {key}", message, hint)
            return None
        if any(found):
            return found
        break
    if config.store:
        return call_helper(config.store, _DOCKER_HUB_KEY if registry in _DOCKER_HUB else registry, problems)
    return None


def _matching_keys(config: AuthConfig, name: str) -> Iterator[str]:
    """Yield the keys that hold for ``name``, the best one first."""
    registry = registry_of(name)
    yield from (key for key in ((registry,) if config.legacy else _parents(name)) if key in config.entries)
    host = _normalized_host(registry)
    yield from (key for key in config.entries if _normalized_key(key, legacy=config.legacy) == host)


def _parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition("/")[0]


def _normalized_key(key: str, *, legacy: bool) -> str:
    """The host of a key. Docker wrote URLs with the path of the API as keys."""
    stripped = key.removeprefix("http://").removeprefix("https://")
    return _normalized_host(registry_of(stripped) if legacy or stripped != key else stripped)


def _normalized_host(registry: str) -> str:
    return _DOCKER_HUB_API if registry in _DOCKER_HUB else registry
