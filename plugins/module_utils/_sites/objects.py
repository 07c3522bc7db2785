# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds the Kubernetes objects in documents that describe sites, also inside Policies, Lists and ManifestWorks."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from .._problems import Location, Problems
from .._yaml.nodes import Node
from .document import SourceDocument, is_template, report_template

CLUSTER_INSTANCE, SITE_CONFIG = "ClusterInstance", "SiteConfig"
AGENT_CLUSTER_INSTALL, INFRA_ENV = "AgentClusterInstall", "InfraEnv"
CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET = "ClusterDeployment", "ClusterImageSet"
HOSTED_CLUSTER, CLUSTER_VERSION = "HostedCluster", "ClusterVersion"
INSTALL_CONFIG = "install-config"

_GROUPS = {
    CLUSTER_INSTANCE: "siteconfig.open-cluster-management.io",
    SITE_CONFIG: "ran.openshift.io",
    AGENT_CLUSTER_INSTALL: "extensions.hive.openshift.io",
    INFRA_ENV: "agent-install.openshift.io",
    CLUSTER_DEPLOYMENT: "hive.openshift.io",
    CLUSTER_IMAGE_SET: "hive.openshift.io",
    HOSTED_CLUSTER: "hypershift.openshift.io",
    CLUSTER_VERSION: "config.openshift.io",
}
_INSTALL_CONFIG_FIELDS = ("baseDomain", "platform", "controlPlane", "metadata")
_FEWEST_FIELDS = 2
_POLICY_GENERATORS = ("PolicyGenerator", "PolicyGenTemplate")
_RAW_TEMPLATES = "object-templates-raw"
_NOT_WANTED = "mustnothave"


class SiteObject(NamedTuple):
    """An object of one of the kinds that describe a site. ``node`` is its map in ``document``."""

    document: SourceDocument
    kind: str
    node: Node

    @property
    def name(self) -> str:
        """The name in its metadata."""
        return self.document.text_of(self.node, "metadata", "name")

    @property
    def namespace(self) -> str:
        """The namespace in its metadata."""
        return self.document.text_of(self.node, "metadata", "namespace")

    @property
    def resource(self) -> str:
        """Kind and name, for messages."""
        return f"{self.kind} {self.name}".strip()

    def location(self, node: Node) -> Location:
        """The location of ``node`` in the object."""
        return Location(self.document.path, line=self.document.line_of(node), field=self.resource)


def find_objects(document: SourceDocument, problems: Problems) -> Iterator[SiteObject]:
    """Yield the objects in ``document``. Problems name what is not checked: templates, Kustomizations, generators."""
    root = document.root
    kind, version = document.text_of(root, "kind"), document.text_of(root, "apiVersion")
    if kind == "Kustomization" or posixpath.basename(document.path).lower().startswith("kustomization."):
        message = "is a Kustomization, whose patches are not checked"
        hint = "Run kustomize build, and check the result"
        problems.info("kustomization", Location(document.path, line=document.line), message, hint)
    elif _is_object(kind, version):
        yield SiteObject(document, kind, root)
    elif kind in ("", "InstallConfig") and _is_install_config(document, version):
        yield SiteObject(document, INSTALL_CONFIG, root)
    elif kind or root.kind == "list":
        if kind in _POLICY_GENERATORS:
            name = document.text_of(root, "metadata", "name")
            message = "generates policies, which are not checked for the selections of the sites that they are bound to"
            hint = "Run kustomize build with the generator, and check the manifests in the policies with addon_check"
            where = Location(document.path, line=document.line, field=f"{kind} {name}")
            problems.info("policy-generator", where, message, hint)
        yield from _nested_objects(document, root, None, problems)


def _is_object(kind: str, version: str) -> bool:
    group = _GROUPS.get(kind)
    return group is not None and version.partition("/")[0] == group


def _is_install_config(document: SourceDocument, version: str) -> bool:
    if "/" in version or document.pair(document.root, "baseDomain") is None:
        return False
    return sum(document.pair(document.root, name) is not None for name in _INSTALL_CONFIG_FIELDS) > _FEWEST_FIELDS


def _nested_objects(
    document: SourceDocument, node: Node, parent: Node | None, problems: Problems
) -> Iterator[SiteObject]:
    """Yield the objects below ``node``. Aliases are not followed: what they repeat is found at its anchor."""
    if node.kind == "map":
        kind = document.text_of(node, "kind")
        if kind and _is_object(kind, document.text_of(node, "apiVersion")):
            if document.text_of(parent, "complianceType").lower() != _NOT_WANTED:
                yield SiteObject(document, kind, node)
            return
        for pair in node.pairs:
            if pair.key.value == _RAW_TEMPLATES and is_template(pair.value.value):
                report_template(document.path, document.line_of(pair.value), problems)
            yield from _nested_objects(document, pair.value, node, problems)
    for item in node.items:
        yield from _nested_objects(document, item, node, problems)
