# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a ClusterInstance, and a SiteConfig, its predecessor, from which an AgentClusterInstall is rendered.

Sources: stolostron/siteconfig:api/v1alpha1/clusterinstance_types.go; openshift-kni/cnf-features-deploy:
ztp/siteconfig-generator/siteConfig.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from .._problems import Location, Problem, Problems
from .._yaml.nodes import Node
from .document import AGENT_CLUSTER_INSTALL, CLUSTER_INSTANCE, SITE_CONFIG, SiteObject
from .overrides import BLOCK, OVERRIDES, Overrides
from .platform import assisted_platform, check_choice, has_single_control_plane, report_external, report_workers
from .site import FileFilter, Place, SiteNode, make_site

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

_CLUSTER_TYPES = ("HighlyAvailable", "HighlyAvailableArbiter", "HostedControlPlane", "SNO")
"""Source: stolostron/siteconfig:api/v1alpha1/clusterinstance_types.go."""


def read_cluster_instance(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    """Yield the site of a ClusterInstance, and report with what nothing of it is rendered."""
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    node = _overridden(origin, problems, spec, (f"spec.{OVERRIDES}", OVERRIDES, spec), spec)
    check_choice(origin, document.get(spec, "clusterType"), "clusterType", _CLUSTER_TYPES, problems)
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
        report_external(origin, spec, why, "Use your own template with external.platformName", problems)
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
    if is_checked and not node.site.has_platform_type and has_single_control_plane(document, spec):
        report_workers(origin, "Write clusterType: SNO, and add the workers later, or platformType: None", problems)
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


def read_site_config(origin: SiteObject, problems: Problems) -> Iterator[SiteNode]:
    """Yield each cluster of a SiteConfig."""
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
    origin: SiteObject, problems: Problems, cluster: Node | None, place: Place, spec: Node | None
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
    return make_site(
        origin,
        problems,
        "overrides",
        place,
        name=document.text_of(cluster, "clusterName"),
        platform=assisted_platform(origin, platform, problems, is_single=has_single_control_plane(document, cluster)),
        has_platform_type=document.text_of(platform) != "",
        pins_cpus=document.text_of(cluster, "cpuPartitioningMode") == "AllNodes",
        image_set=document.text_of(cluster, "clusterImageSetNameRef")
        or document.text_of(spec, "clusterImageSetNameRef"),
        config_maps=document.texts_of(document.get(cluster, "extraManifestsRefs"), "name"),
        folders=folders,
        extra_filter=FileFilter(frozenset(names), only),
        extra_elsewhere="" if has_list or origin.kind != SITE_CONFIG else _OF_GENERATOR,
    )
