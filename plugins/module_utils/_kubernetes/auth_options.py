# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Options that say how to reach a cluster, and which of their values are secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

_SHORTEST_SECRET = 5


def auth_spec() -> dict[str, dict[str, Any]]:
    """How to reach a cluster: the options of kubernetes.core (its fragment ``k8s_auth_options``).

    Where that collection is not installed the few that most people use, so that ``connect`` can say what is missing.
    """
    try:
        from ansible_collections.kubernetes.core.plugins.module_utils.args_common import AUTH_ARG_SPEC
    except ImportError:
        return {"kubeconfig": {"type": "raw", "no_log": True}, "context": {}, "host": {}, "api_key": {"no_log": True}}
    return {name: dict(option) for name, option in AUTH_ARG_SPEC.items()}


def show_kubeconfig(module: Any) -> None:
    """Let results hold what the kubeconfig of a cluster says and is known to be no secret.

    kubernetes.core declares the option ``no_log``, so Ansible would mask each text of it wherever a result has it: a
    kubeconfig given as a dict says ``v1`` and ``Config``, and a ConfigMap of the result would be a ``********Map``.
    """
    given = module.params.get("kubeconfig")
    shown = _paths(given) if isinstance(given, str) else {*_open_texts(given), *_short_texts(given)}
    others = (module.params.get(option) for option in ("api_key", "password", "proxy_headers"))
    module.no_log_values -= shown - {text for value in others for text in _texts(value)}


def looks_like_path(text: str) -> bool:
    """Tell whether ``text`` is made of what paths are made of; it could be a kubeconfig itself, with its secrets."""
    return re.fullmatch(r"[\w./~+@%,= -]{1,255}", text) is not None


def _paths(given: str) -> set[str]:
    """Return the paths in a text, and the text itself if it is nothing else."""
    parts = given.split(os.pathsep)
    paths = {part for part in parts if os.path.isfile(part) or looks_like_path(part)}
    return {*paths, given} if paths.issuperset(parts) else paths


def _open_texts(kubeconfig: Any) -> Iterator[str]:
    if not isinstance(kubeconfig, Mapping):
        return
    yield from (text for field in ("apiVersion", "kind", "current-context") for text in _texts(kubeconfig.get(field)))
    fields = {
        "contexts": ("context", ("cluster", "namespace", "user")),
        "clusters": ("cluster", ("certificate-authority", "certificate-authority-data", "server")),
        "users": ("user", ("client-certificate", "client-certificate-data", "username")),
    }
    for section, (item, known) in fields.items():
        entries = kubeconfig.get(section)
        for entry in entries if isinstance(entries, list) else ():
            said = entry.get(item) if isinstance(entry, Mapping) else None
            if isinstance(said, Mapping):
                yield from (text for field in known for text in _texts(said.get(field)) if "@" not in text)
                yield from _texts(entry.get("name"))


def _short_texts(kubeconfig: Any) -> Iterator[str]:
    """Yield what is too short to keep a secret, and would be found in every word."""
    yield from (text for text in _texts(kubeconfig) if len(text) < _SHORTEST_SECRET)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
