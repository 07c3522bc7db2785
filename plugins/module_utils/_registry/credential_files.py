# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds and reads the files with credentials for registries.

Search order: containers/image:pkg/docker/config/config.go getAuthFilePaths, containers/common:pkg/auth/auth.go
GetDefaultAuthFile.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from .._problems import Problems
from .credentials import AuthConfig, Credentials, parse_auth_config

_AUTH_FILE_VARIABLE = "REGISTRY_AUTH_FILE"


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
