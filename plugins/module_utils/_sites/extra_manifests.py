# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the extra manifests that installers apply to sites. What they create, the release need not contain.

They are in a ConfigMap of the checkout, in files of which kustomize generates it, or in directories next to a
SiteConfig. Sources: stolostron/siteconfig:api/v1alpha1/clusterinstance_types.go ExtraManifestsRefs,
openshift/assisted-service:api/hiveextension/v1beta1/agentclusterinstall_types.go ManifestsConfigMapRefs,
openshift-kni/cnf-features-deploy:ztp/siteconfig-generator/siteConfig ExtraManifests.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator

from .._checkout.walk import CheckoutFile, read_file, read_files
from .._problems import Problems
from .._release.documents import read_manifest_file
from .._release.provided import provided_resources, resources_in_config_map
from .._resources import CONFIG_MAPS, ResourceId
from .._unstructured import as_list, as_text, mappings_in
from .._yaml.libyaml import load_documents
from .._yaml.values import YamlError
from .summary import SiteSummary

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class ExtraManifests:
    """The extra manifests of sites in a checkout. Its files are read again only if ``sites`` refer to any."""

    def __init__(self, checkout: str, sites: Iterable[SiteSummary]) -> None:
        sites = list(sites)
        self._names = {name for site in sites for name in site.extra_config_maps}
        self._folders = {folder for site in sites for folder in site.extra_folders}
        # By namespace, which is empty if it is not known, and name.
        self._config_maps: dict[tuple[str, str], frozenset[ResourceId]] = {}
        self._resources_in_folders: dict[str, set[ResourceId]] = {}
        if self._names or self._folders:
            for file in read_files(checkout, ["."], Problems()):
                self._read(file, checkout)

    def of(self, site: SiteSummary) -> frozenset[ResourceId]:
        """The resources that the extra manifests of ``site`` create."""
        found: set[ResourceId] = set()
        for folder in site.extra_folders:
            found |= self._resources_in_folders.get(folder, set())
        for name in site.extra_config_maps:
            for namespace in ("", site.namespace):
                found |= self._config_maps.get((namespace, name), frozenset())
        return frozenset(found)

    def missing(self, site: SiteSummary) -> tuple[str, ...]:
        """The names of ConfigMaps to which ``site`` refers, and which the checkout does not contain."""
        return tuple(
            name
            for name in site.extra_config_maps
            if not {("", name), (site.namespace, name)}.intersection(self._config_maps)
        )

    def _read(self, file: CheckoutFile, checkout: str) -> None:
        for folder in self._folders.intersection(_parents(file.path)):
            resources = provided_resources(file.path, file.data, Problems())
            self._resources_in_folders.setdefault(folder, set()).update(resources)
        if posixpath.basename(file.path) in _KUSTOMIZATIONS:
            self._read_generators(file, checkout)
            return
        if b"ConfigMap" not in file.data:  # most files; the others are parsed
            return
        for manifest, body in read_manifest_file(file.path, file.data, Problems()).read_all_json():
            resource = manifest.resource_id
            if resource.group_kind == CONFIG_MAPS.group_kind and resource.name in self._names:
                self._config_maps[resource.namespace, resource.name] = resources_in_config_map(json.loads(body))

    def _read_generators(self, file: CheckoutFile, checkout: str) -> None:
        """Read the ConfigMaps that a Kustomization generates of files in the checkout."""
        try:
            documents = mappings_in(load_documents(file.data))
        except YamlError:
            return  # that it cannot be read is no mistake of a site
        for document in documents:
            for generator in mappings_in(document.get("configMapGenerator")):
                if generator.get("name") in self._names:
                    found: set[ResourceId] = set()
                    for entry in as_list(generator.get("files")):
                        path = posixpath.join(posixpath.dirname(file.path), as_text(entry).rpartition("=")[2])
                        found |= provided_resources(path, read_file(checkout, path), Problems())
                    namespace = as_text(document.get("namespace") or generator.get("namespace"))
                    self._config_maps[namespace, generator["name"]] = frozenset(found)


def _parents(path: str) -> Iterator[str]:
    """Yield the directories that contain ``path``."""
    while path := posixpath.dirname(path):
        yield path
