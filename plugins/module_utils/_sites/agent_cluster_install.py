# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an AgentClusterInstall.

Sources: openshift/assisted-service:api/hiveextension/v1beta1/agentclusterinstall_types.go and
docs/user-guide/install-customization.md.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from .._data.install_rules import AGENT_ORACLE_CLOUD
from .._data.platforms import PROVISIONED_BY_USER
from .._problems import Problems
from .._yaml.nodes import Node
from .._yaml.values import resolve_plain
from .document import ANNOTATION, SiteObject, is_template
from .platform import assisted_platform, check_choice, report_external, report_workers
from .site import EXTRA_FOLDER, SiteNode, make_site

_AGENT_INPUT = "cluster-manifests"
"""The directory of the AgentClusterInstall for the agent-based installer, beside the one of extra manifests.

Source: openshift/installer:pkg/asset/agent/manifests.
"""

_EXTERNAL_MANAGER = "External"


def read_agent_cluster_install(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    """Yield the site of an AgentClusterInstall, and report what assisted-service rejects because of its platform."""
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    annotations = document.get(origin.node, "metadata", "annotations")
    agents = document.text_of(spec, "provisionRequirements", "controlPlaneAgents")
    network = document.text_of(spec, "networking", "userManagedNetworking")
    is_user_managed = resolve_plain(network) is True
    is_single = None if not agents or is_template(agents + ("" if is_user_managed else network)) else agents == "1"
    # Of the two fields, the list counts, even if it is empty (openshift/assisted-service:
    # internal/controller/controllers/clusterdeployments_controller.go getManifestConfigMapNames).
    refs, ref = document.get(spec, "manifestsConfigMapRefs"), document.text_of(spec, "manifestsConfigMapRef", "name")
    has_list = refs is not None and refs.kind == "list"
    platform = assisted_platform(
        origin, document.get(spec, "platformType"), problems, is_single=is_single, is_user_managed=is_user_managed
    )
    _check_network(origin, spec, platform, problems, is_single=is_single)
    # A patch of Kustomize has no agents, and its base can have the other fields.
    _check_external(origin, spec, platform, problems, is_complete=bool(agents))
    has_oracle = platform == "external" and document.text_of(spec, "external", "platformName") == "oci"
    manager = document.text_of(spec, "external", "cloudControllerManager")
    yield make_site(
        origin,
        problems,
        "overrides",
        (f"metadata.annotations[{ANNOTATION}]", ANNOTATION, annotations),
        name=document.text_of(spec, "clusterDeploymentRef", "name"),
        platform=platform,
        # The selection has to be right after the correction, too.
        external_cloud_controller_manager=has_oracle
        or (platform == "external" and manager.lower() == _EXTERNAL_MANAGER.lower()),
        has_platform_type=document.text_of(spec, "platformType") != "",
        image_set=document.text_of(spec, "imageSetRef", "name"),
        config_maps=document.texts_of(refs, "name") if has_list else (ref,),
        folders=(f"../{EXTRA_FOLDER}",) if posixpath.basename(posixpath.dirname(document.path)) == _AGENT_INPUT else (),
    )


def _check_network(
    origin: SiteObject, spec: Node | None, platform: str | None, problems: Problems, *, is_single: bool | None
) -> None:
    document = origin.document
    network = document.text_of(spec, "networking", "userManagedNetworking")
    if resolve_plain(network) is False and platform in PROVISIONED_BY_USER:
        where = origin.location(document.get(spec, "networking", "userManagedNetworking") or origin.node)
        message = "networking.userManagedNetworking is false, which assisted-service rejects"
        message += " for a single control plane, and for the platforms None and External"
        problems.error("conflicting-fields", where, message, "Write true")
    workers = document.text_of(spec, "provisionRequirements", "workerAgents")
    has_workers = workers not in ("", "0") and not is_template(workers)
    if is_single and has_workers and not network and not document.text_of(spec, "platformType"):
        report_workers(origin, "Write networking.userManagedNetworking: true", problems)


def _check_external(
    origin: SiteObject, spec: Node | None, platform: str | None, problems: Problems, *, is_complete: bool
) -> None:
    """Check ``external`` of an object that has all of its fields if it ``is_complete``."""
    document, external = origin.document, origin.document.get(spec, "external")
    has_external = external is not None and (external.kind == "map" or document.text_of(external) != "")
    where = origin.location(external or origin.node)
    if platform == "external" and is_complete and not has_external:
        why = "without which assisted-service rejects the platform"
        report_external(origin, spec, why, "Add external.platformName", problems)
    if platform not in (None, "external") and is_complete and has_external:
        message = "external needs platformType: External, so assisted-service rejects it"
        problems.error("conflicting-fields", where, message, "Write platformType: External, or remove external")
    # assisted-service writes it into the install-config (internal/provider/external/base.go), for External alone
    # (internal/controller/controllers/clusterdeployments_controller.go getPlatform).
    manager = document.get(spec, "external", "cloudControllerManager")
    has_oracle = platform == "external" and document.text_of(spec, "external", "platformName") == "oci"
    if has_oracle and is_complete and not document.text_of(manager):
        rule = AGENT_ORACLE_CLOUD
        problems.error(rule.name, where, rule.message, f"Write cloudControllerManager: {_EXTERNAL_MANAGER}")
    check_choice(origin, manager, "external.cloudControllerManager", (_EXTERNAL_MANAGER,), problems)
