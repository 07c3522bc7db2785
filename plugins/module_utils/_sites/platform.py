# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The platform of an assisted installation, and what assisted-service rejects because of it."""

from __future__ import annotations

from .._data.platforms import PLATFORMS
from .._problems import Problems, did_you_mean, shown
from .._yaml.nodes import Node
from .document import SiteObject, SourceDocument, is_template

_NOT_USER_MANAGED = ("baremetal", "nutanix")
_NOT_SINGLE = (*_NOT_USER_MANAGED, "vsphere")
_PLATFORM_TYPES = ("BareMetal", "External", "None", "Nutanix", "VSphere")
"""Source: openshift/assisted-service:api/hiveextension/v1beta1/agentclusterinstall_types.go PlatformType."""


def assisted_platform(
    origin: SiteObject,
    node: Node | None,
    problems: Problems,
    *,
    is_single: bool | None,
    is_user_managed: bool = False,
) -> str | None:
    """The platform of an assisted installation. A single node and a user-managed network have ``none`` by default.

    ``is_single`` is ``None`` if the object has no nodes: it may be a patch for an object that has them.
    Source: openshift/assisted-service:internal/provider/platform.go GetActualCreateClusterPlatformParams and
    isUMNAllowedForPlatform, internal/featuresupport/features_misc.go.
    """
    value = origin.document.text_of(node)
    given = value.lower()
    check_choice(origin, node, "platformType", _PLATFORM_TYPES, problems, "unknown-platform")
    rejected = (*(_NOT_SINGLE if is_single else ()), *(_NOT_USER_MANAGED if is_user_managed else ()))
    if node is not None and given in rejected:
        message = f"{value} needs several control planes"
        message += " and no user-managed network" if given in _NOT_USER_MANAGED else ""
        message += ", so assisted-service rejects it"
        problems.error("unknown-platform", origin.location(node), message, "Remove platformType")
        return "none"
    if given:
        return given if given in PLATFORMS else None
    if is_user_managed or is_single:
        return "none"
    return None if is_single is None else "baremetal"


def has_single_control_plane(document: SourceDocument, cluster: Node | None) -> bool | None:
    """Whether a cluster has a single control plane, ``None`` if it says nothing. ``master`` is the default role.

    The nodes decide: the generator of a SiteConfig does not read the type, and siteconfig accepts no other type.
    """
    kind, nodes = document.text_of(cluster, "clusterType"), document.get(cluster, "nodes")
    if nodes is not None and nodes.items:
        roles = [document.text_of(item, "role") for item in nodes.items]
        return None if any(map(is_template, roles)) else sum(role in ("", "master") for role in roles) == 1
    return kind.lower() == "sno" if kind and not is_template(kind) else None


def check_choice(
    origin: SiteObject,
    node: Node | None,
    field: str,
    choices: tuple[str, ...],
    problems: Problems,
    code: str = "invalid-choice",
) -> None:
    """Report a value that the enumeration of the API does not have. Not set, empty and null are valid."""
    value = origin.document.text_of(node)
    if node is not None and value and value not in choices and not is_template(value):
        message = f"{field} is {shown(value)}, which the API server rejects"
        problems.error(code, origin.location(node), message, did_you_mean(value, choices))


def report_workers(origin: SiteObject, hint: str, problems: Problems) -> None:
    """Report a single control plane with workers, whose network is managed by the cluster unless the user does it.

    Source: openshift/assisted-service:pkg/webhooks/hiveextension/v1beta1 patchUserManagedNetworking and isSNO,
    internal/controller/controllers/clusterdeployments_controller.go isUserManagedNetwork.
    """
    message = "a single control plane with workers needs a user-managed network, so assisted-service rejects it"
    problems.error("conflicting-fields", origin.location(origin.node), message, hint)


def report_external(origin: SiteObject, spec: Node | None, why: str, hint: str, problems: Problems) -> None:
    """Report the platform External if the AgentClusterInstall has no field ``external``."""
    where = origin.location(origin.document.get(spec, "platformType") or origin.node)
    problems.error("unknown-platform", where, f"External needs the field external, {why}", hint)
