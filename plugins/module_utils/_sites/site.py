# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the sites of an object: the selection of each as it is written, and what decides its version and platform.

A selection is a string with JSON, or a map. assisted-service merges the JSON into the install-config that it generates,
and stolostron/siteconfig checks only that it is JSON.
Sources: stolostron/siteconfig:api/v1alpha1/clusterinstance_types.go; openshift-kni/cnf-features-deploy:
ztp/siteconfig-generator/siteConfig; openshift/assisted-service:api/hiveextension/v1beta1/agentclusterinstall_types.go
and docs/user-guide/install-customization.md; openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .._data.install_rules import AGENT_ORACLE_CLOUD, HOSTED
from .._data.platforms import PLATFORMS, PROVISIONED_BY_USER
from .._problems import Location, Problem, Problems, did_you_mean, shown, type_name
from .._yaml.nodes import Node, Pair
from .._yaml.values import YamlError, resolve_plain
from .document import (
    AGENT_CLUSTER_INSTALL,
    ANNOTATION,
    CLUSTER_INSTANCE,
    CLUSTER_VERSION,
    HOSTED_CLUSTER,
    INSTALL_CONFIG,
    SITE_CONFIG,
    SiteObject,
    SourceDocument,
    is_template,
)

BLOCK = "capabilities"
OVERRIDES = "installConfigOverrides"

_EXTRA_FOLDER, _AGENT_INPUT = "openshift", "cluster-manifests"
"""Directories of the agent-based installer (openshift/installer:pkg/asset/agent/manifests).

They are beside each other. It reads extra manifests from the first, whether it reads an install-config or the second.
"""

_TRAILING_COMMA = re.compile(r",\s*[}\]]")

_HOSTED_TEMPLATES = "hcp-cluster-templates-v1"
_WITHOUT_OVERRIDES = {
    _HOSTED_TEMPLATES: "Remove it, and write it as spec.capabilities of the HostedCluster in your template",
    "ibi-cluster-templates-v1": "Remove it, and install the seed cluster with it",
}
"""Templates of a ClusterInstance that do not read its overrides, with what to do instead.

Source: stolostron/siteconfig:internal/templates/hosted-cluster/template.go and image-based-installer/template.go.
"""

_ASSISTED_TEMPLATES = "ai-cluster-templates-v1"

_OF_GENERATOR = "the directory extra-manifest of the generator"
"""It is in the image ztp-site-generate of the hub, whatever version a site has, and creates Namespaces, too.

Source: openshift-kni/cnf-features-deploy:ztp/siteconfig-generator/siteConfig/siteConfigBuilder.go getExtraManifest.
"""

_PRUNED = "extensions.hive.openshift.io/v1beta1", AGENT_CLUSTER_INSTALL
_SUPPRESSED = "Remove it, and write it in your own AgentClusterInstall, or let that be rendered"

_EXTERNAL_MANAGER = "External"
_NOT_USER_MANAGED = ("baremetal", "nutanix")
_NOT_SINGLE = (*_NOT_USER_MANAGED, "vsphere")
_PLATFORM_TYPES = ("BareMetal", "External", "None", "Nutanix", "VSphere")
"""Source: PlatformType in the files of both APIs above."""

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

_CLUSTER_TYPES = ("HighlyAvailable", "HighlyAvailableArbiter", "HostedControlPlane", "SNO")
"""Source: stolostron/siteconfig:api/v1alpha1/clusterinstance_types.go."""

Form = Literal["overrides", "block", "hosted", "cluster-version"]
"""``overrides``: a string with JSON. ``block``: an install-config. The others are the spec of the API object."""


_Place = tuple[str, str, "Node | None"]
"""The path of a selection, its key, and the map with the key."""


class FileFilter(NamedTuple):
    """``only`` the files ``names`` count, or all others."""

    names: frozenset[str] = frozenset()
    only: bool = False

    def keeps(self, name: str) -> bool:
        """Whether the file ``name`` counts."""
        return (name in self.names) is self.only


class Overrides(NamedTuple):
    """What a site overrides, as plain values: the fields of an install-config, of which ``capabilities`` is one.

    ``text`` is the JSON, ``""`` if the selection is a map or missing.
    """

    values: Mapping[str, Any]
    text: str = ""


class Site(NamedTuple):
    """A site without its nodes, because ten thousand of them are in memory.

    ``resource`` is the kind and the name, for messages. ``field`` is the path of the selection in the object.
    ``overrides`` is ``None`` if the selection cannot be read or has no effect, ``platform`` if it is not known.
    ``has_platform_type``: it is not the default one.
    ``external_cloud_controller_manager`` is as in an ``InstallContext``. ``pins_cpus``: the generator adds
    ``cpuPartitioningMode: AllNodes`` to the overrides. ``image_set`` names a ClusterImageSet,
    ``release_image`` is a pull spec, ``version`` a version in the object. ``extra_config_maps`` are names of
    ConfigMaps with extra manifests, ``extra_folders`` where each directory of them can be, and ``extra_filter``
    which of their files count. ``extra_elsewhere``: where further ones are, which no checkout contains. ``enabled`` is
    as in a ``SiteCheckRequest``. ``lines`` has the line of each field of an install-config, by its name in lower case,
    as the installer reads it. What is wrong with a field in ``templates`` is not known.
    """

    path: str
    line: int
    kind: str
    name: str
    namespace: str
    resource: str
    form: Form
    field: str
    has_selection: bool
    overrides: Overrides | None
    platform: str | None = None
    has_platform_type: bool = False
    external_cloud_controller_manager: bool = False
    pins_cpus: bool = False
    image_set: str = ""
    release_image: str = ""
    version: str = ""
    extra_config_maps: tuple[str, ...] = ()
    extra_folders: tuple[tuple[str, ...], ...] = ()
    extra_filter: FileFilter = FileFilter()
    extra_elsewhere: str = ""
    enabled: frozenset[str] | None = None
    lines: Mapping[str, int] = {}
    templates: frozenset[str] = frozenset()

    def finding(self, problem: Problem) -> Problem:
        """The finding of a ``problem`` that is located at a field of the site."""
        message = f"{problem.where}: {problem.message}" if any(problem.where) else problem.message
        line = self.lines.get(_top_field(problem).lower(), self.line)
        return problem._replace(where=Location(self.path, line=line, field=self.resource), message=message)

    def is_about_template(self, problem: Problem) -> bool:
        """Whether a ``problem`` is located at a field that contains a template."""
        return _top_field(problem) in self.templates


class SiteNode(NamedTuple):
    """A site in its document, where its selection is, or where it can be written.

    ``parent`` is the map that contains the field ``key``; ``None`` if it does not exist. ``pair`` is ``None`` if the
    site has no selection.
    """

    site: Site
    origin: SiteObject
    key: str
    parent: Node | None
    pair: Pair | None

    @property
    def document(self) -> SourceDocument:
        """The document that contains the site."""
        return self.origin.document


def _top_field(problem: Problem) -> str:
    return problem.where.field.partition(".")[0].partition("[")[0]


def read_sites(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    """Yield the sites of an object; none if the object only belongs to a site.

    Problems are those of selections that cannot be read. A template is reported with the code ``template``.
    """
    reader = _READERS.get(origin.kind)
    if reader is not None:
        yield from reader(origin, problems)


def _site(
    origin: SiteObject,
    problems: Problems,
    form: Form,
    place: _Place,
    *,
    name: str = "",
    folders: Iterable[str] = (),
    config_maps: Iterable[str] = (),
    **facts: Any,
) -> SiteNode:
    """A site of ``origin``.

    ``folders`` are the directories with extra manifests, from the one of the file or of the Kustomization above it.
    """
    path, key, parent = place
    document, pair = origin.document, origin.document.pair(parent, key)
    resource = f"{origin.resource}, cluster {name}" if name and name != origin.name else origin.resource
    own, bases = Problems(), tuple(folders_above(document.path))[: None if origin.kind == SITE_CONFIG else 1]
    site = Site(
        document.path,
        document.line_of(pair.key if pair is not None else parent or origin.node),
        origin.kind,
        name or origin.name,
        origin.namespace,
        resource,
        form,
        path,
        pair is not None,
        _read_overrides(origin, form, path, pair, own),
        extra_config_maps=tuple(filter(None, config_maps)),
        extra_folders=tuple(
            tuple(posixpath.normpath(posixpath.join(base, folder)) for base in bases) for folder in folders if folder
        ),
        **facts,
    )
    problems += map(site.finding, own)
    return SiteNode(site, origin, key, parent, pair)


def _cluster_instance(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    node = _overridden(origin, problems, spec, (f"spec.{OVERRIDES}", OVERRIDES, spec), spec)
    _check_choice(origin, document.get(spec, "clusterType"), "clusterType", _CLUSTER_TYPES, problems)
    templates = document.texts_of(document.get(spec, "templateRefs"), "name")
    hint = next((hint for name, hint in _WITHOUT_OVERRIDES.items() if name in templates), "")
    if document.text_of(spec, "clusterType") == "HostedControlPlane":
        hint = _WITHOUT_OVERRIDES[_HOSTED_TEMPLATES]
    _report_unrendered(node, problems, is_quoted=not hint)
    # Then no bootstrap applies them (openshift-kni/lifecycle-agent:lca-cli/postpivot/postpivot.go applyManifests).
    node = node._replace(site=node.site._replace(extra_config_maps=())) if hint else node
    # Source: stolostron/siteconfig:internal/controller/clusterinstance/helper.go pruneManifest, suppressManifest.
    pruned = document.get(spec, "pruneManifests")
    versions = zip(document.texts_of(pruned, "apiVersion"), document.texts_of(pruned, "kind"), strict=True)
    suppressed = document.texts_of(document.get(spec, "suppressedManifests"))
    if _PRUNED in versions or AGENT_CLUSTER_INSTALL in suppressed:
        hint = _SUPPRESSED
    # The template has no field external (stolostron/siteconfig:internal/templates/assisted-installer/template.go).
    elif node.site.platform == "external" and _ASSISTED_TEMPLATES in templates:
        why = f"which the AgentClusterInstall of {_ASSISTED_TEMPLATES} lacks"
        _report_external(origin, spec, why, "Use your own template with external.platformName", problems)
    # For the type SNO, the operator renders no workers (stolostron/siteconfig:internal/controller/clusterinstance/
    # helper.go buildClusterData).
    has_workers = "worker" in document.texts_of(document.get(spec, "nodes"), "role")
    kinds = ("", "HighlyAvailable", "HighlyAvailableArbiter")
    is_rendered = has_workers and document.text_of(spec, "clusterType") in kinds
    # The network of another template can be user-managed, unless the object has the VIPs.
    has_own_network = bool(templates) and _ASSISTED_TEMPLATES not in templates and document.get(spec, "apiVIPs") is None
    if has_own_network and node.site.platform == "baremetal" and not node.site.has_platform_type:
        node = node._replace(site=node.site._replace(platform=None))
    is_checked = is_rendered and not hint and _ASSISTED_TEMPLATES in templates
    if is_checked and not node.site.has_platform_type and _is_single(document, spec):
        _report_workers(origin, "Write clusterType: SNO, and add the workers later, or platformType: None", problems)
    yield _without_overrides(node, hint, problems) if hint else node


def _without_overrides(node: SiteNode, hint: str, problems: Problems) -> SiteNode:
    """``node``, whose manifests do not contain its overrides. ``hint``: what to do about a selection in them."""
    if any(key.lower() == BLOCK for key in (node.site.overrides or Overrides({})).values):
        message = f"contains a selection, but the manifests of this {node.site.kind} do not contain it"
        found = Problem("error", "misplaced-selection", Location(field=node.site.field), message, hint)
        problems.append(node.site.finding(found))
    return node._replace(site=node.site._replace(overrides=None, platform=None))


def _report_unrendered(node: SiteNode, problems: Problems, *, is_quoted: bool) -> None:
    """Report overrides with which no AgentClusterInstall can be rendered, and so nothing of the site.

    ``is_quoted``: whether a template has them in a string with apostrophes.

    Source: stolostron/siteconfig:internal/controller/clusterinstance/helper.go getInstallConfigOverrides, whose error
    buildClusterData returns, and internal/templates/assisted-installer/template.go; openshift-kni/cnf-features-deploy:
    ztp/siteconfig-generator/siteConfig/siteConfigHelper.go agentClusterInstallAnnotation.
    """
    overrides = node.site.overrides
    if overrides is None or not overrides.text:
        return
    values, hint = overrides.values, "Correct it"
    # Then the overrides are encoded again.
    is_encoded = "networking" in values or node.site.pins_cpus
    has_operator = node.origin.kind == CLUSTER_INSTANCE
    renderer = "the siteconfig operator" if has_operator else "the generator of a SiteConfig"
    if not values and not (is_encoded and "{" in overrides.text):
        fault, hint = f"has no fields, which {renderer} rejects", "Remove it"
    elif "networking" in values and not isinstance(values["networking"], Mapping):
        fault = f"has a field networking that is not an object, which {renderer} rejects"
    elif not is_encoded and not overrides.text.startswith("{"):
        fault = f"begins with white space, which {renderer} rejects"
    elif is_quoted and "'" in (json.dumps(values) if is_encoded else overrides.text).replace("''", ""):
        fault = "contains an apostrophe, which ends the string in the template of the siteconfig operator"
    else:
        return
    where = Location(field=node.site.field)
    problems.append(node.site.finding(Problem("error", "invalid-json", where, fault, hint)))


def _site_config(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    clusters = document.get(spec, "clusters")
    for number, item in enumerate(clusters.items if clusters is not None else ()):
        cluster = document.target(item)
        place = (f"spec.clusters[{number}].{OVERRIDES}", OVERRIDES, cluster)
        node = _overridden(origin, problems, cluster, place, spec)
        _report_unrendered(node, problems, is_quoted=False)
        # Source: openshift-kni/cnf-features-deploy:ztp/siteconfig-generator/siteConfig/siteConfig.go CrSuppression,
        # CrTemplateSearch.
        suppressed = document.texts_of(document.get(cluster, "crSuppression"))
        own, common = (document.get(each, "crTemplates", AGENT_CLUSTER_INSTALL) for each in (cluster, spec))
        if (template := own or common) is not None and AGENT_CLUSTER_INSTALL not in suppressed:
            message = "replaces the AgentClusterInstall, which decides about the platform and the overrides"
            problems.info("template", origin.location(template), message, "Render it, and check the result")
            node = node._replace(site=node.site._replace(platform=None))
        yield _without_overrides(node, _SUPPRESSED, problems) if AGENT_CLUSTER_INSTALL in suppressed else node


def _overridden(
    origin: SiteObject, problems: Problems, cluster: Node | None, place: _Place, spec: Node | None
) -> SiteNode:
    """The site of the map ``cluster``. ``spec`` has what all clusters of the object share."""
    document = origin.document
    files = document.get(cluster, "extraManifests", "filter")
    only = document.text_of(files, "inclusionDefault").lower() == "exclude"
    names = document.texts_of(document.get(files, "include" if only else "exclude"))
    # The generator reads the path only if there is no list (openshift-kni/cnf-features-deploy:
    # ztp/siteconfig-generator/siteConfig/siteConfigBuilder.go getExtraManifest).
    search = document.get(cluster, "extraManifests", "searchPaths")
    has_list = search is not None and search.kind == "list"
    folders = document.texts_of(search) if has_list else (document.text_of(cluster, "extraManifestPath"),)
    # The generator of a SiteConfig does not read a platform.
    platform = document.get(cluster, "platformType") if origin.kind == CLUSTER_INSTANCE else None
    return _site(
        origin,
        problems,
        "overrides",
        place,
        name=document.text_of(cluster, "clusterName"),
        platform=_platform(origin, platform, problems, is_single=_is_single(document, cluster)),
        has_platform_type=document.text_of(platform) != "",
        pins_cpus=document.text_of(cluster, "cpuPartitioningMode") == "AllNodes",
        image_set=document.text_of(cluster, "clusterImageSetNameRef")
        or document.text_of(spec, "clusterImageSetNameRef"),
        config_maps=document.texts_of(document.get(cluster, "extraManifestsRefs"), "name"),
        folders=folders,
        extra_filter=FileFilter(frozenset(names), only),
        extra_elsewhere="" if has_list or origin.kind != SITE_CONFIG else _OF_GENERATOR,
    )


def _agent_cluster_install(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    annotations = document.get(origin.node, "metadata", "annotations")
    agents = document.text_of(spec, "provisionRequirements", "controlPlaneAgents")
    workers = document.text_of(spec, "provisionRequirements", "workerAgents")
    network = document.text_of(spec, "networking", "userManagedNetworking")
    is_user_managed = resolve_plain(network) is True
    is_single = None if not agents or is_template(agents + ("" if is_user_managed else network)) else agents == "1"
    # Of the two fields, the list counts, even if it is empty (openshift/assisted-service:
    # internal/controller/controllers/clusterdeployments_controller.go getManifestConfigMapNames).
    refs, ref = document.get(spec, "manifestsConfigMapRefs"), document.text_of(spec, "manifestsConfigMapRef", "name")
    has_list = refs is not None and refs.kind == "list"
    platform = _platform(
        origin, document.get(spec, "platformType"), problems, is_single=is_single, is_user_managed=is_user_managed
    )
    has_platform_type = document.text_of(spec, "platformType") != ""
    if resolve_plain(network) is False and platform in PROVISIONED_BY_USER:
        where = origin.location(document.get(spec, "networking", "userManagedNetworking") or origin.node)
        message = "networking.userManagedNetworking is false, which assisted-service rejects"
        message += " for a single control plane, and for the platforms None and External"
        problems.error("conflicting-fields", where, message, "Write true")
    if is_single and not has_platform_type and not network and not is_template(workers) and workers not in ("", "0"):
        _report_workers(origin, "Write networking.userManagedNetworking: true", problems)
    external = document.get(spec, "external")
    has_external = external is not None and (external.kind == "map" or document.text_of(external) != "")
    is_agent_input = posixpath.basename(posixpath.dirname(document.path)) == _AGENT_INPUT
    # A patch of Kustomize has no agents, and its base can have the other fields.
    if platform == "external" and agents and not has_external:
        why = "without which assisted-service rejects the platform"
        _report_external(origin, spec, why, "Add external.platformName", problems)
    if platform not in (None, "external") and agents and has_external:
        where = origin.location(external or origin.node)
        message = "external needs platformType: External, so assisted-service rejects it"
        problems.error("conflicting-fields", where, message, "Write platformType: External, or remove external")
    # assisted-service writes it into the install-config (internal/provider/external/base.go), for External alone
    # (internal/controller/controllers/clusterdeployments_controller.go getPlatform).
    node = document.get(spec, "external", "cloudControllerManager")
    manager = document.text_of(node)
    is_oracle = platform == "external" and document.text_of(spec, "external", "platformName") == "oci"
    if is_oracle and agents and not manager:
        where = origin.location(document.get(spec, "external") or origin.node)
        rule = AGENT_ORACLE_CLOUD
        problems.error(rule.name, where, rule.message, f"Write cloudControllerManager: {_EXTERNAL_MANAGER}")
    _check_choice(origin, node, "external.cloudControllerManager", (_EXTERNAL_MANAGER,), problems)
    yield _site(
        origin,
        problems,
        "overrides",
        (f"metadata.annotations[{ANNOTATION}]", ANNOTATION, annotations),
        name=document.text_of(spec, "clusterDeploymentRef", "name"),
        platform=platform,
        # The selection has to be right after the correction, too.
        external_cloud_controller_manager=is_oracle
        or (platform == "external" and manager.lower() == _EXTERNAL_MANAGER.lower()),
        has_platform_type=has_platform_type,
        image_set=document.text_of(spec, "imageSetRef", "name"),
        config_maps=document.texts_of(refs, "name") if has_list else (ref,),
        folders=(f"../{_EXTRA_FOLDER}",) if is_agent_input else (),
    )


def _hosted_cluster(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    node = document.get(spec, "platform", "type")
    _check_choice(origin, node, "platform.type", _HOSTED_TYPES, problems, "unknown-platform")
    yield _site(
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
    yield _site(
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
    node = _site(
        origin,
        problems,
        "block",
        (BLOCK, BLOCK, origin.node),
        platform=names[0] if len(names) == 1 and names[0] in PLATFORMS else None,
        folders=(_EXTRA_FOLDER,),
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
    CLUSTER_INSTANCE: _cluster_instance,
    SITE_CONFIG: _site_config,
    AGENT_CLUSTER_INSTALL: _agent_cluster_install,
    HOSTED_CLUSTER: _hosted_cluster,
    CLUSTER_VERSION: _cluster_version,
    INSTALL_CONFIG: _install_config,
}


def folders_above(path: str) -> Iterator[str]:
    """Yield the directories that contain ``path``, the nearest first; the checkout is empty."""
    while path:
        path = posixpath.dirname(path)
        yield path


METHODS: dict[Form, str] = {"overrides": "assisted", "hosted": HOSTED}
"""The install methods of sites. The content of an install-config decides."""


def _platform(
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
    _check_choice(origin, node, "platformType", _PLATFORM_TYPES, problems, "unknown-platform")
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


def _check_choice(
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


def _report_workers(origin: SiteObject, hint: str, problems: Problems) -> None:
    """Report a single control plane with workers, whose network is managed by the cluster unless the user does it.

    Source: openshift/assisted-service:pkg/webhooks/hiveextension/v1beta1 patchUserManagedNetworking and isSNO,
    internal/controller/controllers/clusterdeployments_controller.go isUserManagedNetwork.
    """
    message = "a single control plane with workers needs a user-managed network, so assisted-service rejects it"
    problems.error("conflicting-fields", origin.location(origin.node), message, hint)


def _report_external(origin: SiteObject, spec: Node | None, why: str, hint: str, problems: Problems) -> None:
    """Report the platform External if the AgentClusterInstall has no field ``external``."""
    where = origin.location(origin.document.get(spec, "platformType") or origin.node)
    problems.error("unknown-platform", where, f"External needs the field external, {why}", hint)


def _is_single(document: SourceDocument, cluster: Node | None) -> bool | None:
    """Whether a cluster has a single control plane, ``None`` if it says nothing. ``master`` is the default role.

    The nodes decide: the generator of a SiteConfig does not read the type, and siteconfig accepts no other type.
    """
    kind, nodes = document.text_of(cluster, "clusterType"), document.get(cluster, "nodes")
    if nodes is not None and nodes.items:
        roles = [document.text_of(item, "role") for item in nodes.items]
        return None if any(map(is_template, roles)) else sum(role in ("", "master") for role in roles) == 1
    return kind.lower() == "sno" if kind and not is_template(kind) else None


def _read_overrides(
    origin: SiteObject, form: Form, path: str, pair: Pair | None, problems: Problems
) -> Overrides | None:
    """Read a selection; no values if there is none. ``None`` with problems, at ``path``, if it cannot be read."""
    if pair is None and form != "block":
        return Overrides({})
    document, whole = origin.document, form == "block"
    node = document.target(pair.value) if pair is not None else None
    if node is not None and is_template(document.text[node.start : node.end]):
        problems.info("template", path, "is a template, so it is not checked", "Render it, and check the result")
        return None
    try:
        value = document.value_of(origin.node if whole or pair is None else pair.value)
    except YamlError as error:
        problems.error("invalid-yaml", path, error.message, "Write the value without an alias")
        return None
    if form == "overrides":
        return _read_text(value, path, problems)
    return Overrides(value if whole else {BLOCK: value})


def _read_text(value: object, where: str, problems: Problems) -> Overrides | None:
    if value is None or value == "":
        return Overrides({})
    if not isinstance(value, str):
        message = f"is {type_name(value)}, expected a string with JSON"
        problems.error("not-a-string", where, message, "Quote it, and write it as JSON")
        return None
    repeated: list[str] = []
    parsed = _parse(value, repeated, where, problems)
    for name in repeated:
        message = f"the JSON contains the key {name} more than once, and the last one counts"
        problems.error("duplicate-key", where, message, "Keep one of them")
    if problems:
        return None
    if parsed is None:
        return Overrides({}, value)
    if not isinstance(parsed, dict):
        hint = "Write an object that begins with {"
        if isinstance(parsed, str):
            hint = "Remove one of the two layers of quotes"
        problems.error("not-a-map", where, f"contains {type_name(parsed)} in JSON, expected an object", hint)
        return None
    return Overrides(parsed, value)


def _parse(text: str, repeated: list[str], where: str, problems: Problems) -> object:
    """The value of JSON. ``repeated`` collects keys that an object contains more than once."""

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _value in pairs]
        repeated.extend(name for name in dict.fromkeys(names) if names.count(name) > 1)
        return dict(pairs)

    # Python reads NaN and Infinity, Go does not.
    constants: list[str] = []
    try:
        parsed = json.loads(text, object_pairs_hook=collect, parse_constant=constants.append)
        if not constants:
            return parsed
        problems.error("invalid-json", where, f"is not JSON: {constants[0]} is not a value", "Write a number")
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        problems.error("invalid-json", where, f"is not JSON: {error.msg} ({at} of the string)", _json_hint(text))
    except (ValueError, RecursionError):
        problems.error("invalid-json", where, "is not JSON: it is nested too deeply", "Write it without nesting")
    return None


def _json_hint(text: str) -> str:
    """What to do about a text that is not JSON."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return "Write JSON, which begins with {, and not YAML"
    if "'" in text and '"' not in text:
        return "Write double quotes in the JSON, and single quotes around it"
    missing = [close for start, close in ("{}", "[]") if text.count(start) > text.count(close)]
    if missing:
        return f"Add the missing {missing[0]}"
    if _TRAILING_COMMA.search(text):
        return "Remove the comma before the closing bracket"
    return "Correct the syntax"
