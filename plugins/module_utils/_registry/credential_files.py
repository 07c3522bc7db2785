# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds and reads the files with credentials for registries, and runs credential helpers.

Search order: containers/image:pkg/docker/config/config.go getAuthFilePaths, containers/common:pkg/auth/auth.go
GetDefaultAuthFile. Protocol of helpers: docker/docker-credential-helpers:client/client.go.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping

from .._problems import Problem, Problems, RegistryError
from .credentials import AuthConfig, Credential, Credentials, parse_auth_config

_AUTH_FILE_VARIABLE = "REGISTRY_AUTH_FILE"
_HELPER_SECONDS = 60
_HELPER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HELPER_FOUND_NOTHING = "credentials not found in native keychain"
_IDENTITY_TOKEN_USER = "<token>"


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
    return Credentials(tuple(config for config in configs if config), call_helper)


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
