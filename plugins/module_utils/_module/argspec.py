# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Options that several modules share. Each function has a documentation fragment of the same name in ``_cluster``."""

from __future__ import annotations

from typing import Any

from .._capability.cluster_options import ClusterOptions
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._problems import Problem


def release_spec() -> dict[str, dict[str, Any]]:
    """Options that name a release (fragment ``release``)."""
    return {
        "release": {"type": "path", "required": True},
        "openshift_version": {"type": "str"},
        "release_image": {"type": "str"},
    }


def cluster_type_spec() -> dict[str, dict[str, Any]]:
    """What decides how a release is read, and which flavour of its manifests counts (fragment ``facts``)."""
    return {
        "cluster_profile": {"type": "str", "default": DEFAULT_CLUSTER_PROFILE},
        "feature_set": {"type": "str", "default": "", "aliases": ["featureSet"]},
    }


def release_arguments(params: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``load_release`` that the options of ``release_spec`` and ``cluster_type_spec`` are."""
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


def rollout_spec() -> dict[str, dict[str, Any]]:
    """Facts that the cluster itself is asked for where nobody says them (fragment ``rollout``)."""
    return {
        "cluster_profile": {"type": "str"},
        "feature_set": {"type": "str", "aliases": ["featureSet"]},
        **inclusion_spec(),
        "overrides": {"type": "list", "elements": "dict"},
    }


def cluster_options(params: dict[str, Any]) -> ClusterOptions:
    """Return what the options of ``cluster_type_spec``, ``selection_spec`` and ``inclusion_spec`` say of the
    cluster.
    """
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


def wait_problems(wait_timeout: int) -> tuple[Problem, ...]:
    """Return what is wrong with the option ``wait_timeout``."""
    if wait_timeout >= 0:
        return ()
    return (Problem("error", "todo", "wait_timeout", f"is {wait_timeout}, expected seconds", "Give 0 or more"),)
