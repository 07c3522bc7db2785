# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads a kubeconfig that contains everything: an https server, and certificates or a token.

Installers and ``oc login`` write such files. The library ``kubernetes`` interprets all others, for instance those with
a program that creates tokens. It also reports what is wrong with a file. Importing it takes 0.3 s, which is most of the
time before the first request of a task.
Source of the rules: kubernetes-client/python:kubernetes/base/config/kube_config.py KubeConfigLoader,
ansible-collections/kubernetes.core:plugins/module_utils/k8s/client.py _create_auth_spec, _create_configuration.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from .._unstructured import mappings_in, nested
from .._yaml.values import YamlError
from .auth_options import auth_spec

_READ_OPTIONS = frozenset({"kubeconfig", "context"})
_VARIABLE = "K8S_AUTH_"
"""Prefix of the environment variables that set options."""

_PROXY_VARIABLE = "_proxy"
_POD_VARIABLE = "KUBERNETES_SERVICE_HOST"
"""In a pod, the library uses its service account if no kubeconfig is given."""

_CLUSTER_FIELDS = frozenset(
    {"server", "certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify", "extensions"}
)
_USER_FIELDS = frozenset(
    {"client-certificate", "client-certificate-data", "client-key", "client-key-data", "token", "extensions"}
)
Pem: TypeAlias = "str | bytes"
"""The path of a PEM file, or its content."""


class ExplicitConfig(NamedTuple):
    """How to connect to the API server ``server``.

    ``authority``, ``certificate`` and ``key`` are ``None`` if the kubeconfig has none. A certificate has its key.
    ``token`` is empty if there is none.
    """

    server: str
    is_verified: bool
    authority: Pem | None
    certificate: Pem | None
    key: Pem | None
    token: str


class _NotExplicitError(Exception):
    """The library has to interpret the kubeconfig."""


def read_explicit_config(params: Mapping[str, Any], environment: Mapping[str, str]) -> ExplicitConfig | None:
    """Read the kubeconfig that the options ``params`` of a module select.

    ``None`` if the library must interpret the options, the kubeconfig, or the variables of the ``environment``.
    """
    try:
        path = _path(params, environment)
        config = _load(path)
        context = _entry(config, "context", params.get("context") or config.get("current-context"))
        cluster = _entry(config, "cluster", context.get("cluster"))
        return _explicit(cluster, _entry(config, "user", context.get("user")), os.path.dirname(os.path.abspath(path)))
    except (_NotExplicitError, OSError, ValueError, YamlError):
        return None


def _path(params: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    others = (name for name in auth_spec() if name not in _READ_OPTIONS)
    is_set = any(params.get(name) is not None for name in others) or any(
        name.startswith(_VARIABLE) or (value and name.lower().endswith(_PROXY_VARIABLE))
        for name, value in environment.items()
    )
    given = params.get("kubeconfig")
    if given is None and not params.get("context") and _POD_VARIABLE in environment:
        is_set = True
    path = environment.get("KUBECONFIG", "~/.kube/config") if given is None else given
    if is_set or not isinstance(path, str) or os.pathsep in path:
        raise _NotExplicitError
    return os.path.expanduser(path)


def _load(path: str) -> Mapping[str, Any]:
    from .._yaml.libyaml import load_documents

    with open(path, "rb") as file:
        documents = load_documents(file.read())
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise _NotExplicitError
    return documents[0]


def _entry(config: Mapping[str, Any], item: str, name: object) -> Mapping[str, Any]:
    """The only ``item`` with a name, such as a context."""
    found = [entry.get(item) for entry in mappings_in(nested(config, f"{item}s")) if entry.get("name") == name]
    if len(found) != 1 or not isinstance(found[0], dict) or not isinstance(name, str):
        raise _NotExplicitError
    return found[0]


def _explicit(cluster: Mapping[str, Any], user: Mapping[str, Any], directory: str) -> ExplicitConfig:
    server, token = cluster.get("server"), user.get("token", "")
    is_unverified = cluster.get("insecure-skip-tls-verify", False)
    certificate, key = _pem(user, "client-certificate", directory), _pem(user, "client-key", directory)
    if (
        not cluster.keys() <= _CLUSTER_FIELDS
        or not user.keys() <= _USER_FIELDS
        or not isinstance(server, str)
        or not server.startswith("https://")
        or not isinstance(token, str)
        or not isinstance(is_unverified, bool)
        or (certificate is None) != (key is None)
        or not (certificate or token)
    ):
        raise _NotExplicitError
    authority = _pem(cluster, "certificate-authority", directory)
    return ExplicitConfig(server.rstrip("/"), not is_unverified, authority, certificate, key, token.strip())


def _pem(section: Mapping[str, Any], field: str, directory: str) -> Pem | None:
    data, path = section.get(f"{field}-data"), section.get(field)
    if data is None and path is None:
        return None
    value = path if data is None else data
    if not isinstance(value, str) or (data is not None and path is not None):
        raise _NotExplicitError
    pem = os.path.join(directory, value) if data is None else base64.b64decode(value)
    if not value or not pem:
        raise _NotExplicitError
    return pem
