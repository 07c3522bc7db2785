# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Options that several modules share. Each function has a documentation fragment of the same name in ``_cluster``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._domain.cluster_facts import ClusterOptions
from ._domain.registry import DEFAULT_CLUSTER_PROFILE


def release_spec() -> dict[str, dict[str, Any]]:
    """Options that name a release (fragment ``release``)."""
    return {
        "release": {"type": "path", "required": True},
        "openshift_version": {"type": "str"},
        "release_image": {"type": "str"},
    }


def facts_spec() -> dict[str, dict[str, Any]]:
    """What decides how a release is read, and which flavour of its manifests counts (fragment ``facts``)."""
    return {
        "cluster_profile": {"type": "str", "default": DEFAULT_CLUSTER_PROFILE},
        "feature_set": {"type": "str", "default": "", "aliases": ["featureSet"]},
    }


def release_arguments(params: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``load_release`` that the options of ``release_spec`` and ``facts_spec`` are."""
    return {
        "path": params["release"],
        "openshift_version": params["openshift_version"],
        "cluster_profile": params["cluster_profile"],
        "release_image": params["release_image"],
    }


def selection_spec() -> dict[str, dict[str, Any]]:
    """A selection, or a capability status in its place (fragment ``selection``)."""
    return {
        "capabilities": {"type": "dict"},
        "enabled_capabilities": {"type": "list", "elements": "str", "aliases": ["enabledCapabilities"]},
        "known_capabilities": {"type": "list", "elements": "str", "aliases": ["knownCapabilities"]},
    }


def inclusion_spec() -> dict[str, dict[str, Any]]:
    """Facts about the cluster beside its selection (fragment ``inclusion``)."""
    return {
        "feature_gates": {"type": "list", "elements": "str", "aliases": ["featureGates"]},
        "exclude_identifier": {"type": "str", "default": ""},
        "always_enabled_capabilities": {"type": "list", "elements": "str"},
    }


def overrides_spec() -> dict[str, dict[str, Any]]:
    """Resources that the CVO leaves alone (fragment ``overrides``)."""
    return {"overrides": {"type": "list", "elements": "dict", "default": []}}


def cluster_options(params: dict[str, Any]) -> ClusterOptions:
    """Return what the options of ``facts_spec``, ``selection_spec`` and ``inclusion_spec`` say of the cluster."""
    return ClusterOptions(
        capabilities=params["capabilities"],
        enabled_capabilities=params["enabled_capabilities"],
        known_capabilities=params["known_capabilities"],
        cluster_profile=params["cluster_profile"],
        feature_set=params["feature_set"],
        feature_gates=params["feature_gates"],
        exclude_identifier=params["exclude_identifier"],
        overrides=params["overrides"],
        always_enabled_capabilities=params["always_enabled_capabilities"],
    )


def auth_spec() -> dict[str, dict[str, Any]]:
    """How to reach a cluster: the options of kubernetes.core (its fragment ``k8s_auth_options``).

    Empty where that collection is not installed; what connects says so (see ``connect``).
    """
    try:
        from ansible_collections.kubernetes.core.plugins.module_utils.args_common import AUTH_ARG_SPEC
    except ImportError:
        return {}
    return {name: dict(option) for name, option in AUTH_ARG_SPEC.items()}


def show_kubeconfig(module: Any) -> None:
    """Let results hold what the kubeconfig of a cluster says and is no secret.

    kubernetes.core declares the option ``no_log``, so Ansible would mask each text of it wherever a result has it: a
    kubeconfig given as a dict says ``v1`` and ``Config``, and a ConfigMap of the result would be a ``********Map``.
    """
    given = module.params.get("kubeconfig")
    if isinstance(given, str) and "\n" in given:
        return  # no path, so nobody knows what it holds
    others = (module.params.get(option) for option in ("api_key", "password", "proxy_headers"))
    secrets = {text for value in (*others, *_secrets(given)) for text in _texts(value)}
    module.no_log_values -= set(_texts(given)) - secrets


def _secrets(kubeconfig: Any) -> Iterator[Any]:
    users = kubeconfig.get("users") if isinstance(kubeconfig, Mapping) else None
    for entry in users if isinstance(users, list) else ():
        user = entry.get("user") if isinstance(entry, Mapping) else None
        if isinstance(user, Mapping):
            yield from (user.get(field) for field in ("token", "password", "client-key-data", "auth-provider"))
            program = user.get("exec")
            variables = program.get("env") if isinstance(program, Mapping) else None
            yield from (variable.get("value") for variable in variables or () if isinstance(variable, Mapping))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
