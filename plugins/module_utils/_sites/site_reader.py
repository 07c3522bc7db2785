# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the sites of an object of any kind.

Source for HostedClusters: openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .._data.platforms import PLATFORMS
from .._problems import Problems
from .._yaml.nodes import Node
from .agent_cluster_install import read_agent_cluster_install
from .cluster_instance import read_cluster_instance, read_site_config
from .document import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_INSTANCE,
    CLUSTER_VERSION,
    HOSTED_CLUSTER,
    INSTALL_CONFIG,
    SITE_CONFIG,
    SiteObject,
    is_template,
)
from .overrides import BLOCK
from .platform import check_choice
from .site import EXTRA_FOLDER, SiteNode, make_site

_HOSTED_TYPES = ("AWS", "Agent", "Azure", "GCP", "IBMCloud", "KubeVirt", "None", "OpenStack", "PowerVS")
"""Source: openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go PlatformTypes."""

_READ_BELOW: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "apiVersion": (),
    "compute": (("replicas",),),
    "controlPlane": (("architecture",), ("replicas",)),
    "cpuPartitioningMode": (),
    "featureGates": (),
    "featureSet": (),
    "platform": (("external", "platformName"), ("external", "cloudControllerManager")),
}
"""The fields of an install-config that its check depends on, apart from the selection, with the paths below them."""


def read_sites(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    """Yield the sites of an object; none if the object only belongs to a site.

    Problems are those of selections that cannot be read. A template is reported with the code ``template``.
    """
    reader = _READERS.get(origin.kind)
    if reader is not None:
        yield from reader(origin, problems)


def _hosted_cluster(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    node = document.get(spec, "platform", "type")
    check_choice(origin, node, "platform.type", _HOSTED_TYPES, problems, "unknown-platform")
    yield make_site(
        origin,
        problems,
        "hosted",
        (f"spec.{BLOCK}", BLOCK, spec),
        platform=document.text_of(node).lower() or None,
        release_image=document.text_of(spec, "release", "image"),
    )


def _cluster_version(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    reported = document.get(origin.node, "status", "capabilities", "enabledCapabilities")
    yield make_site(
        origin,
        problems,
        "cluster-version",
        (f"spec.{BLOCK}", BLOCK, spec),
        release_image=document.text_of(spec, "desiredUpdate", "image"),
        version=document.text_of(spec, "desiredUpdate", "version"),
        enabled=None if reported is None else frozenset(document.texts_of(reported)),
    )


def _install_config(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    platform = origin.document.get(origin.node, "platform")
    names = [pair.key.value for pair in platform.pairs] if platform is not None else []
    node = make_site(
        origin,
        problems,
        "block",
        (BLOCK, BLOCK, origin.node),
        platform=names[0] if len(names) == 1 and names[0] in PLATFORMS else None,
        folders=(EXTRA_FOLDER,),
        lines={pair.key.value.lower(): origin.document.line_of(pair.key) for pair in origin.node.pairs},
    )
    templates = [(field, item) for field, item in _fields_read(origin) if _contains_template(item)]
    for _field, item in templates:
        if item.kind == "scalar":  # a map is reported as a key
            message = "contains a template, which is not checked"
            problems.info("template", origin.location(item), message, "Render it, and check the result")
    yield node._replace(site=node.site._replace(templates=frozenset(field for field, _item in templates)))


def _fields_read(origin: SiteObject) -> Iterator[tuple[str, Node]]:
    """Yield what the check of an install-config depends on, apart from the selection, each with its field."""
    document, root = origin.document, origin.node
    for field, names in _READ_BELOW.items():
        node = document.get(root, field)
        if node is not None:
            yield field, node
            yield from ((field, pair.key) for pair in node.pairs)
            for item in (node, *map(document.target, node.items)):
                values = (item, *(document.get(item, *path) for path in names))
                yield from ((field, value) for value in values if value is not None)


def _contains_template(node: Node) -> bool:
    """Whether a scalar contains a template, or a map is one: {{ x }} is a map with a map as its key."""
    return is_template(node.value) if node.kind == "scalar" else any(pair.key.kind == "map" for pair in node.pairs)


_READERS: dict[str, Callable[[SiteObject, Problems], Iterator[SiteNode]]] = {
    CLUSTER_INSTANCE: read_cluster_instance,
    SITE_CONFIG: read_site_config,
    AGENT_CLUSTER_INSTALL: read_agent_cluster_install,
    HOSTED_CLUSTER: _hosted_cluster,
    CLUSTER_VERSION: _cluster_version,
    INSTALL_CONFIG: _install_config,
}
