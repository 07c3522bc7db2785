# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials for registries, as in a pull secret, ``auth.json`` and Docker's ``config.json``.

Which entry counts: containers/image:pkg/docker/config/config.go findCredentialsInFile. In which files: getAuthFilePaths
there, containers/common:pkg/auth/auth.go GetDefaultAuthFile. Protocol of helpers:
docker/docker-credential-helpers:client/client.go. Neither the text of a secret nor a part of it is ever in a problem or
in the representation of an object.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._problems import Problem, Problems, RegistryError, type_name
from .pull_spec import registry_of

_AUTH_FILE_VARIABLE = "REGISTRY_AUTH_FILE"
_HELPER_SECONDS = 60
_HELPER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HELPER_FOUND_NOTHING = "credentials not found in native keychain"
_IDENTITY_TOKEN_USER = "<token>"
_KNOWN_FIELDS = ("auths", "credHelpers", "credsStore")
_DOCKER_HUB = ("docker.io", "registry-1.docker.io")
_DOCKER_HUB_KEY = "index.docker.io"


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
    registry, and ``store`` is the helper for all others.
    """

    where: str
    entries: Mapping[str, Credential | None]
    helpers: Mapping[str, str]
    store: str = ""


class Credentials(NamedTuple):
    """Where to look for credentials, in this order."""

    configs: tuple[AuthConfig, ...]

    def find(self, name: str) -> Credential | None:
        """The credential for the repository ``name``, such as ``quay.io/openshift-release-dev/ocp-release``.

        ``None`` if there is none, so the registry is read anonymously. Raises ``RegistryError`` for an entry that is
        not valid, and for a helper that fails.
        """
        found = (_find_in(config, name) for config in self.configs)
        return next(filter(None, found), None)


def parse_auth_config(text: str | bytes, where: str, problems: Problems) -> AuthConfig | None:
    """Parse a pull secret, ``auth.json`` or ``config.json``.

    An entry that is not valid is an error of ``Credentials.find``, because most files have more entries than a task
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
    known = {field.lower(): field for field in _KNOWN_FIELDS}
    content = {known.get(field.lower(), field): value for field, value in content.items()}
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
    entries = {key: _decode(entry) for key, entry in (content.get("auths") or {}).items()}
    return AuthConfig(where, entries, helpers, content.get("credsStore") or "")


def _decode(entry: Any) -> Credential | None:
    """The credential of one entry. It is empty if the entry is, as a helper leaves it; ``None`` if it is not valid."""
    if entry is None:
        return Credential()
    if not isinstance(entry, Mapping):
        return None
    entry = {field.lower(): value for field, value in entry.items()}  # as Go reads JSON
    fields = [entry.get(field) or "" for field in ("auth", "username", "password", "identitytoken")]
    if not all(isinstance(field, str) for field in fields):
        return None
    auth, username, password, identity_token = fields
    if auth:
        try:
            text = base64.b64decode(re.sub(r"[\r\n]", "", auth), validate=True).decode(errors="surrogateescape")
            username, colon, password = text.partition(":")
        except (binascii.Error, ValueError):
            return None
        if not colon:
            return None
        password = password.strip("\0")
    return Credential(username, password, identity_token)


def _find_in(config: AuthConfig, name: str) -> Credential | None:
    registry = registry_of(name)
    if registry in config.helpers:
        return call_helper(config.helpers[registry], registry)
    key = next(_matching_keys(config, name), None)
    if key is not None:
        found = config.entries[key]
        if found is None:
            message = "is not valid: expected auth with the base64 text of USER:PASSWORD"
            hint = "Log in again, or copy the pull secret again"
            where = f"{config.where}, entry {key}"
            raise RegistryError([Problem("error", "invalid-credentials", where, message, hint)])
        if any(found):
            return found
    return call_helper(config.store, registry) if config.store else None


def _matching_keys(config: AuthConfig, name: str) -> Iterator[str]:
    """Yield the keys that hold for ``name``, the best one first.

    Docker wrote URLs with the path of the API as keys, and calls its own registry index.docker.io there.
    """
    parent = name
    while parent:
        if parent in config.entries:
            yield parent
        parent = parent.rpartition("/")[0]
    registry = _key_of(registry_of(name))
    for key in config.entries:
        location = key.removeprefix("http://").removeprefix("https://")
        if _key_of(key if location == key else registry_of(location)) == registry:
            yield key


def _key_of(registry: str) -> str:
    return _DOCKER_HUB_KEY if registry in _DOCKER_HUB else registry


def call_helper(helper: str, server: str) -> Credential | None:
    """Ask the program ``docker-credential-HELPER`` for the credential of ``server``; ``None`` if it has none.

    Nothing that the program prints is shown, because it can contain the secret. Raises ``RegistryError`` if it fails.
    """
    program = f"docker-credential-{helper}"
    if not _HELPER_NAME.fullmatch(helper):
        message, hint = f"is named {helper!r}, expected letters, digits and . _ -", "Correct credHelpers or credsStore"
        raise RegistryError([Problem("error", "invalid-credential-helper", "credential helper", message, hint)])
    try:
        # No module is at hand whose run_command could be called.
        ended = subprocess.run(  # pylint: disable=ansible-bad-function
            [program, "get"], input=server.encode(), capture_output=True, timeout=_HELPER_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _failed(program, server, f"did not end within {_HELPER_SECONDS} s") from None
    except OSError as error:
        raise _failed(program, server, f"cannot be run: {error.strerror or error}") from None
    if ended.returncode:
        if ended.stdout.decode(errors="replace").strip() == _HELPER_FOUND_NOTHING:
            return None
        raise _failed(program, server, f"ended with exit code {ended.returncode}")
    try:
        answer = json.loads(ended.stdout)
        username, secret = answer["Username"], answer["Secret"]
    except (ValueError, KeyError, TypeError):
        username = secret = None
    if not isinstance(username, str) or not isinstance(secret, str):
        raise _failed(program, server, "did not print JSON with Username and Secret")
    return Credential(identity_token=secret) if username == _IDENTITY_TOKEN_USER else Credential(username, secret)


def _failed(program: str, server: str, fault: str) -> RegistryError:
    hint = f"Install {program} on the host where the module runs, or log in with another method"
    return RegistryError([Problem("error", "credential-helper-failed", program, f"{fault}, for {server}", hint)])


def read_credentials(
    pull_secret: str | None, auth_file: str | None, environ: Mapping[str, str], problems: Problems
) -> Credentials:
    """Read what the options ``pull_secret`` and ``auth_file`` name, else what podman and skopeo would read.

    The content of ``pull_secret`` precedes ``auth_file``. A file that an option or ``REGISTRY_AUTH_FILE`` names must
    exist. Other files are optional, and one that cannot be read is only a warning. ``environ`` are environment
    variables.
    """
    configs: list[AuthConfig | None] = []
    if pull_secret:
        configs.append(parse_auth_config(pull_secret, "pull_secret", problems))
    if auth_file:
        configs.append(_read_file(auth_file, f"auth_file ({auth_file})", problems))
    elif not pull_secret and environ.get(_AUTH_FILE_VARIABLE):
        path = environ[_AUTH_FILE_VARIABLE]
        configs.append(_read_file(path, f"{_AUTH_FILE_VARIABLE} ({path})", problems))
    elif not pull_secret:
        for path in _default_paths(environ):
            if os.path.exists(path):
                reported = Problems()
                configs.append(_read_file(path, path, reported))
                problems.extend(item._replace(severity="warning") for item in reported)
    return Credentials(tuple(config for config in configs if config))


def _default_paths(environ: Mapping[str, str]) -> tuple[str, ...]:
    home = environ.get("HOME") or os.path.expanduser("~")
    runtime = environ.get("XDG_RUNTIME_DIR")
    primary = os.path.join(runtime, "containers") if runtime else f"/run/containers/{os.getuid()}"
    settings = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return (
        os.path.join(primary, "auth.json"),
        os.path.join(settings, "containers", "auth.json"),
        os.path.join(environ.get("DOCKER_CONFIG") or os.path.join(home, ".docker"), "config.json"),
    )


def _read_file(path: str, where: str, problems: Problems) -> AuthConfig | None:
    hint = "Set the path of an auth.json, a config.json of Docker, or a pull secret"
    try:
        with open(path, "rb") as handle:
            data = handle.read()
    except ValueError:
        problems.error("invalid-path", where, "is not a valid file name", hint)
        return None
    except OSError as error:
        problems.error("unreadable-file", where, f"cannot be read: {error.strerror or error}", hint)
        return None
    return parse_auth_config(data, where, problems)
