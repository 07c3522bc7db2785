# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the properties of a cluster that decide what its CVO applies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._capability.cluster_options import ClusterOptions, check_options, inclusion_context
from .._capability.inclusion import InclusionContext
from .._kubernetes.client import Client
from .._problems import Problems
from .._release.release import Release
from .._resources import Object, Target, nested
from .._version import find_minor
from .cluster_properties import (
    CVO_DEPLOYMENT,
    FEATURE_GATE,
    INFRASTRUCTURE,
    ClusterProperty,
    cluster_profile,
    feature_gate_properties,
    gates_of_version,
    infrastructure_properties,
    is_control_plane_outside,
)

_OF_INFRASTRUCTURE = frozenset({"platform", "control_plane_topology", "infrastructure_topology"})
_CRITERIA = ("cluster_profile", "feature_set", "feature_gates")


def read_properties(
    client: Client, names: Collection[str], problems: Problems, *, settable: bool = True
) -> dict[str, ClusterProperty]:
    """Read the properties ``names`` of a cluster, and those that are in the same objects. Raises ``ClusterError``.

    Names are ``feature_set``, ``feature_gates`` (a dict of versions with the names of enabled gates),
    ``cluster_profile``, ``platform`` (in lower case), ``control_plane_topology`` and ``infrastructure_topology``.
    A property of an object that does not exist, or whose kind the cluster does not serve, is not in the result. An
    object that the user may not read is a warning. ``settable``: whether the user can set the properties instead.
    """
    found: list[ClusterProperty] = []
    if not {"feature_set", "feature_gates"}.isdisjoint(names):
        found += feature_gate_properties(find_or_warn(client, FEATURE_GATE, "feature_set", problems, settable=settable))
    deployment = infrastructure = None
    if "cluster_profile" in names:
        deployment = find_or_warn(client, CVO_DEPLOYMENT, "cluster_profile", problems, settable=settable)
    if not _OF_INFRASTRUCTURE.isdisjoint(names) or ("cluster_profile" in names and deployment is None):
        option = "platform" if "platform" in names else "cluster_profile"
        infrastructure = find_or_warn(client, INFRASTRUCTURE, option, problems, settable=settable)
        found += infrastructure_properties(infrastructure)
    profile = cluster_profile(deployment, infrastructure) if "cluster_profile" in names else None
    found += [profile] if profile else []
    return {item.name: item for item in found}


def find_or_warn(
    client: Client, target: Target, option: str, problems: Problems, *, settable: bool = True
) -> Object | None:
    """Return an object, ``None`` if it or its kind does not exist. One that the user may not read is a warning.

    ``option`` is the property that it contains, and the option that replaces it if it is ``settable``. Raises
    ``ClusterError``.
    """
    found, denied = client.find_permitted(target)
    if denied:
        hint = f"{denied.hint}, or set {option}" if settable else denied.hint
        problems.warning(denied.code, option, f"{denied.message}, so the default is used", hint)
    return found


def check_hosted(client: Client, effect: str, hint: str, problems: Problems) -> None:
    """Report a cluster whose ClusterVersion HyperShift writes; a warning if that is not known. Raises ``ClusterError``.

    ``effect``: what follows, as a whole sentence.
    Source: openshift/hypershift:control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go
    reconcileClusterVersion.
    """
    infrastructure, denied = client.find_permitted(INFRASTRUCTURE)
    if denied:
        message = f"{denied.message}, so it is not known whether {effect}"
        problems.warning(denied.code, str(INFRASTRUCTURE), message, denied.hint)
    if is_control_plane_outside(infrastructure):
        message = f"reports an external control plane, so {effect}"
        problems.error("hosted-control-plane", str(INFRASTRUCTURE), message, hint)


def read_inclusion_criteria(
    client: Client, cluster_version: Mapping[str, Any], version: str, problems: Problems
) -> dict[str, Any]:
    """Read what decides, besides capabilities, which manifests the CVO of a cluster includes. Raises ``ClusterError``.

    ``cluster_version`` is the ClusterVersion, and ``version`` the version in its status. A value is ``None`` if the
    cluster does not report it, so its default applies. An object that the user may not read is a warning.
    """
    return _options(read_properties(client, _CRITERIA, problems, settable=False), cluster_version, version)


def read_inclusion_context(
    client: Client, cluster_version: Mapping[str, Any], version: str, release: Release, problems: Problems
) -> InclusionContext:
    """Read how the CVO of a cluster decides about the manifests of ``release``, whatever the capabilities are.

    ``problems`` gets what could not be read, but not what is unknown of the release: the caller decides about some of
    its manifests only. The other arguments are those of ``read_inclusion_criteria``. Raises ``ClusterError``.
    """
    found = read_properties(client, (*_CRITERIA, "platform"), problems, settable=False)
    release_problems = Problems()
    options = ClusterOptions.from_params(_options(found, cluster_version, version))
    criteria = check_options(options, release.minor, release_problems)._replace(platform=_value(found, "platform"))
    return inclusion_context(criteria, release, release_problems)


def _options(found: Mapping[str, ClusterProperty], cluster_version: Mapping[str, Any], version: str) -> dict[str, Any]:
    return {
        "cluster_profile": _value(found, "cluster_profile"),
        "feature_set": _value(found, "feature_set"),
        "feature_gates": gates_of_version(_value(found, "feature_gates"), find_minor(version), version),
        "overrides": nested(cluster_version, "spec", "overrides") or [],
    }


def _value(found: Mapping[str, ClusterProperty], name: str) -> Any:
    return found[name].value if name in found else None
