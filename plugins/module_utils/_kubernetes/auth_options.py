# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connection options of modules, and which of their values are secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._problems import Problems, empty_option

_SHORTEST_SECRET = 5


def auth_spec() -> dict[str, dict[str, Any]]:
    """Return the argument spec of the connection options (fragment ``_auth``).

    Their names are those of kubernetes.core (``plugins/module_utils/args_common.py AUTH_ARG_SPEC``).
    """
    return {
        "kubeconfig": {"type": "raw", "no_log": True},
        "context": {"type": "str"},
        "host": {"type": "str"},
        "api_key": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool", "aliases": ["verify_ssl"]},
        "ca_cert": {"type": "path", "aliases": ["ssl_ca_cert"]},
        "client_cert": {"type": "path", "aliases": ["cert_file"]},
        "client_key": {"type": "path", "aliases": ["key_file"]},
        "proxy": {"type": "str"},
        "no_proxy": {"type": "str"},
        "impersonate_user": {"type": "str"},
        "impersonate_groups": {"type": "list", "elements": "str"},
    }


def connection_options(params: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of all connection options: from ``params``, or else from the ``environment``.

    The variables are ``K8S_AUTH_`` and the name or the alias of an option. A value is ``None`` if neither has it.
    """
    return {
        name: _from_environment([name, *option.get("aliases", ())], option["type"], environment)
        if params.get(name) is None
        else params[name]
        for name, option in auth_spec().items()
    }


def has_credentials(options: Mapping[str, Any]) -> bool:
    """Whether ``options`` replace the user of a kubeconfig."""
    return bool(options.get("api_key") or options.get("client_cert"))


def check_connection_options(params: Mapping[str, Any], problems: Problems) -> None:
    """Report an option that is set but empty, because a kubeconfig would select the cluster or the user instead.

    Paths are checked together with those of other options.
    """
    for option, spec in auth_spec().items():
        value = params.get(option)
        if spec["type"] not in ("raw", "str") or value is None:
            continue
        if not (value.replace(os.pathsep, "").strip() if isinstance(value, str) else value):
            problems.append(empty_option(option))


def show_kubeconfig(module: Any) -> None:
    """Unmask the values of the option ``kubeconfig`` that are known not to be secret.

    kubernetes.core declares the option ``no_log``, so Ansible masks each of its strings wherever a result contains it:
    a kubeconfig given as a dict contains ``v1`` and ``Config``, and a ConfigMap would become a ``********Map``.
    """
    kubeconfig = module.params.get("kubeconfig")
    # Strings that are too short for a secret occur in many words.
    short = (text for text in _texts(kubeconfig) if len(text) < _SHORTEST_SECRET)
    shown = _paths(kubeconfig) if isinstance(kubeconfig, str) else {*_open_texts(kubeconfig), *short}
    module.no_log_values -= shown - set(_texts(module.params.get("api_key")))


def looks_like_path(text: str) -> bool:
    """Whether ``text`` has only characters of paths. Otherwise it can be the content of a kubeconfig, with secrets."""
    return re.fullmatch(r"[\w./~+@%,= -]{1,255}", text) is not None


def _from_environment(names: Iterable[str], kind: str, environment: Mapping[str, str]) -> Any:
    text = next(filter(None, (environment.get(f"K8S_AUTH_{name.upper()}") for name in names)), None)
    if text is None:
        return None
    if kind == "bool":
        return text.lower() not in ("0", "false", "no")
    return [item for item in text.split(",") if item] if kind == "list" else text


def _paths(kubeconfig: str) -> set[str]:
    """The paths in a list of paths, and the list itself if it has nothing else."""
    parts = kubeconfig.split(os.pathsep)
    paths = {part for part in parts if os.path.isfile(part) or looks_like_path(part)}
    return {*paths, kubeconfig} if paths.issuperset(parts) else paths


def _open_texts(kubeconfig: Any) -> Iterator[str]:
    if not isinstance(kubeconfig, Mapping):
        return
    yield from (text for field in ("apiVersion", "kind", "current-context") for text in _texts(kubeconfig.get(field)))
    fields = {
        "contexts": ("context", ("cluster", "namespace", "user")),
        "clusters": ("cluster", ("certificate-authority", "certificate-authority-data", "server")),
        "users": ("user", ("as", "client-certificate", "client-certificate-data", "username")),
    }
    for section, (item, known) in fields.items():
        entries = kubeconfig.get(section)
        for entry in entries if isinstance(entries, list) else ():
            content = entry.get(item) if isinstance(entry, Mapping) else None
            if isinstance(content, Mapping):
                yield from (text for field in known for text in _texts(content.get(field)) if "@" not in text)
                yield from _texts(entry.get("name"))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
