# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the sites of a checkout: where the selection of each is, and what decides its version and platform.

Sources: stolostron/siteconfig:api/v1alpha1/clusterinstance_types.go; openshift-kni/cnf-features-deploy:
ztp/siteconfig-generator/siteConfig; openshift/assisted-service:api/hiveextension/v1beta1/agentclusterinstall_types.go
and docs/user-guide/install-customization.md; openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from .._data.install_rules import HOSTED
from .._data.platforms import PLATFORMS
from .._yaml.nodes import Node, Pair
from .document import SourceDocument
from .objects import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_INSTANCE,
    CLUSTER_VERSION,
    HOSTED_CLUSTER,
    INSTALL_CONFIG,
    SITE_CONFIG,
    SiteObject,
)

OVERRIDES = "installConfigOverrides"
ANNOTATION = "agent-install.openshift.io/install-config-overrides"

Form = Literal["overrides", "block", "hosted", "cluster-version"]
"""``overrides``: a string with JSON. ``block``: an install-config. The others are the spec of the API object."""


class FileFilter(NamedTuple):
    """``only`` the files ``names`` count, or all others."""

    names: frozenset[str] = frozenset()
    only: bool = False


class Site(NamedTuple):
    """A site, and where its selection is.

    ``parent`` is the map that contains ``field``; ``None`` if it does not exist. ``pair`` is ``None`` if the site has
    no selection. ``path`` is the path of ``field`` in the object. ``platform`` is ``None`` if it is not known.
    ``image_set`` is the name of a ClusterImageSet, ``release_image`` a pull spec, ``version`` a version in the object.
    ``extra_config_maps`` are names of ConfigMaps with extra manifests, ``extra_folders`` directories with them, from
    the directory of the file, and ``extra_filter`` which of their files count.
    """

    origin: SiteObject
    name: str
    form: Form
    path: str
    field: str
    parent: Node | None
    pair: Pair | None
    platform: str | None = None
    image_set: str = ""
    release_image: str = ""
    version: str = ""
    extra_config_maps: tuple[str, ...] = ()
    extra_folders: tuple[str, ...] = ()
    extra_filter: FileFilter = FileFilter()

    @property
    def document(self) -> SourceDocument:
        """The document that contains the site."""
        return self.origin.document

    @property
    def line(self) -> int:
        """The line of the selection, or of the map that it can be written to."""
        return self.document.line_of(self.pair.key if self.pair is not None else self.parent or self.origin.node)

    @property
    def resource(self) -> str:
        """Kind and name, for messages."""
        named = self.name and self.name != self.origin.name
        return f"{self.origin.resource}, cluster {self.name}" if named else self.origin.resource


def read_sites(origin: SiteObject) -> Iterator[Site]:
    """Yield the sites of an object; none if the object only belongs to a site."""
    reader = _READERS.get(origin.kind)
    if reader is not None:
        yield from reader(origin)


def _cluster_instance(origin: SiteObject) -> Iterator[Site]:
    spec = origin.document.get(origin.node, "spec")
    yield _overridden(origin, spec, "spec", spec)


def _site_config(origin: SiteObject) -> Iterator[Site]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    clusters = document.get(spec, "clusters")
    for number, item in enumerate(clusters.items if clusters is not None else ()):
        yield _overridden(origin, document.target(item), f"spec.clusters[{number}]", spec)


def _overridden(origin: SiteObject, cluster: Node | None, path: str, spec: Node | None) -> Site:
    """The site of the map ``cluster``, which is at ``path``. ``spec`` has what all clusters of the object share."""
    document = origin.document
    files = document.get(cluster, "extraManifests", "filter")
    only = document.text_of(files, "inclusionDefault").lower() == "exclude"
    names = document.texts_of(document.get(files, "include" if only else "exclude"))
    single = document.text_of(cluster, "clusterType").lower() == "sno" or _control_planes(
        document, document.get(cluster, "nodes")
    )
    return Site(
        origin,
        document.text_of(cluster, "clusterName") or origin.name,
        "overrides",
        f"{path}.{OVERRIDES}",
        OVERRIDES,
        cluster,
        document.pair(cluster, OVERRIDES),
        _platform(document.text_of(cluster, "platformType"), single=single),
        document.text_of(cluster, "clusterImageSetNameRef") or document.text_of(spec, "clusterImageSetNameRef"),
        extra_config_maps=document.texts_of(document.get(cluster, "extraManifestsRefs"), "name"),
        extra_folders=(
            *document.texts_of(document.get(cluster, "extraManifests", "searchPaths")),
            document.text_of(cluster, "extraManifestPath"),
        ),
        extra_filter=FileFilter(frozenset(names), only),
    )


def _agent_cluster_install(origin: SiteObject) -> Iterator[Site]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    annotations = document.get(origin.node, "metadata", "annotations")
    agents = document.text_of(spec, "provisionRequirements", "controlPlaneAgents")
    yield Site(
        origin,
        document.text_of(spec, "clusterDeploymentRef", "name") or origin.name,
        "overrides",
        f"metadata.annotations[{ANNOTATION}]",
        ANNOTATION,
        annotations,
        document.pair(annotations, ANNOTATION),
        _platform(document.text_of(spec, "platformType"), single=agents == "1"),
        document.text_of(spec, "imageSetRef", "name"),
        extra_config_maps=(
            document.text_of(spec, "manifestsConfigMapRef", "name"),
            *document.texts_of(document.get(spec, "manifestsConfigMapRefs"), "name"),
        ),
    )


def _hosted_cluster(origin: SiteObject) -> Iterator[Site]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    yield Site(
        origin,
        origin.name,
        "hosted",
        "spec.capabilities",
        "capabilities",
        spec,
        document.pair(spec, "capabilities"),
        document.text_of(spec, "platform", "type").lower() or None,
        release_image=document.text_of(spec, "release", "image"),
    )


def _cluster_version(origin: SiteObject) -> Iterator[Site]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    pair = document.pair(spec, "capabilities")
    yield Site(
        origin,
        "",
        "cluster-version",
        "spec.capabilities",
        "capabilities",
        spec,
        pair,
        release_image=document.text_of(spec, "desiredUpdate", "image"),
        version=document.text_of(spec, "desiredUpdate", "version"),
    )


def _install_config(origin: SiteObject) -> Iterator[Site]:
    document, root = origin.document, origin.node
    platform = document.get(root, "platform")
    names = [pair.key.value for pair in platform.pairs] if platform is not None else []
    yield Site(
        origin,
        origin.name,
        "block",
        "capabilities",
        "capabilities",
        root,
        document.pair(root, "capabilities"),
        names[0] if len(names) == 1 and names[0] in PLATFORMS else None,
        extra_folders=("openshift",),
    )


_READERS: dict[str, Callable[[SiteObject], Iterator[Site]]] = {
    CLUSTER_INSTANCE: _cluster_instance,
    SITE_CONFIG: _site_config,
    AGENT_CLUSTER_INSTALL: _agent_cluster_install,
    HOSTED_CLUSTER: _hosted_cluster,
    CLUSTER_VERSION: _cluster_version,
    INSTALL_CONFIG: _install_config,
}


METHODS: dict[Form, str] = {"overrides": "assisted", "hosted": HOSTED}
"""The install methods of sites. The content of an install-config decides."""


def _platform(given: str, *, single: bool) -> str | None:
    """The platform of an assisted installation. Without one, a single node has none, others are on bare metal."""
    if given:
        return given.lower() if given.lower() in PLATFORMS else None
    return "none" if single else "baremetal"


def _control_planes(document: SourceDocument, nodes: Node | None) -> bool:
    """Whether a list of nodes has exactly one for the control plane. ``master`` is the default role."""
    items = nodes.items if nodes is not None else ()
    return sum(document.text_of(document.target(item), "role") in ("", "master") for item in items) == 1
