# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the extra manifests that installers apply to sites, and checks them as add-ons.

They are in a ConfigMap of the checkout, in files of which kustomize generates it, or in directories next to a
SiteConfig or an install-config. What they create, the release need not contain. The bootstrap applies them again until
all exist, and the installation fails if one never does. Sources: stolostron/siteconfig:
api/v1alpha1/clusterinstance_types.go ExtraManifestsRefs, openshift/assisted-service:
api/hiveextension/v1beta1/agentclusterinstall_types.go ManifestsConfigMapRefs, openshift-kni/cnf-features-deploy:
ztp/siteconfig-generator/siteConfig/siteConfigBuilder.go getExtraManifest, openshift/installer:
pkg/asset/agent/manifests/extramanifests.go, openshift/library-go:pkg/assets/create/creater.go EnsureManifestsCreated.
"""

from __future__ import annotations

import glob
import io
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from .._addons.check import ProvidedObjects, check_addon
from .._addons.cluster import SelectedCluster, selected_cluster
from .._addons.objects import Addon, AddonObject
from .._addons.stream import StreamDocument, read_objects, read_stream
from .._capability.inclusion import InclusionContext
from .._data.install_rules import AGENT_CONFIG
from .._files.checkout import KUSTOMIZATIONS, Checkout, CheckoutFile
from .._problems import Location, Problem, Problems
from .._release.release import Release
from .._resources import CONFIG_MAPS, ResourceId, as_list, as_text, mappings_in, nested
from .._yaml.nodes import Node
from .document import SITE_CONFIG, SourceDocument, is_template, read_documents
from .kustomization import OVERLAYS, load_kustomization, path_beside
from .site import Site, folders_above
from .site_file import SiteFile

_SUFFIXES, _PATCH = (".yaml", ".yml", ".json"), ".patch"
Source = tuple[str, str, str]
"""The path of a file, and the namespace and the name of a ConfigMap in it. An unknown namespace is empty."""

_COMMENTS = rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*"
_EMPTY_DOCUMENT = re.compile(_COMMENTS + rb"---[ \t\r]*(?:#[^\n]*)?\n" + _COMMENTS + rb"---\s")
_DIRECTIVE = re.compile(rb"\A%(?=YAML[ \t]+1\.1\s)")
_ANY = "*"
_CONFIG_MAP = re.compile(r"\bConfigMap\b")
_KEEP_NAME = "disableNameSuffixHash"
"""Without it, kustomize changes the name, and the references that it knows (kubernetes-sigs/kustomize:
api/internal/konfig/builtinpluginconsts/namereference.go)."""


class ExtraManifests:
    """The extra manifests of the sites in ``files``, the files of ``checkout`` that were read for sites.

    Of these, the ones that can contain extra manifests are read again if a site refers to any. All other files of the
    checkout are read then, too. ``problems`` are the problems of the files, with the rules of add-ons.
    """

    def __init__(self, checkout: Checkout, files: Mapping[str, SiteFile]) -> None:
        sites = [site for file in files.values() for site in file.sites]
        self.problems = Problems()
        self._names = {name for site in sites for name in site.extra_config_maps}
        folders = (folder for site in sites for folders in site.extra_folders for folder in folders)
        self._folders = {folder: checkout.listed(folder) for folder in dict.fromkeys(folders)}
        listed = dict.fromkeys(path for files in self._folders.values() for path in files.values())
        self._listed = frozenset(listed)
        self._of_generator = frozenset(
            path
            for site in sites
            if site.kind == SITE_CONFIG
            for folders in site.extra_folders
            for folder in folders
            for name, path in self._folders[folder].items()
            if site.extra_filter.keeps(name)
        )
        self._objects: dict[Source, list[AddonObject]] = {}
        # The ConfigMaps of a namespace, or of _ANY, and a name, by each directory that they are below.
        self._config_maps: dict[Source, list[Source]] = {}
        self._incomplete: set[Source] = set()
        self._merging: set[Source] = set()
        self._keys: dict[Source, set[str]] = {}
        self._clusters: dict[tuple[str, InclusionContext], SelectedCluster] = {}
        self._findings: dict[tuple[tuple[Source, ...], SelectedCluster], tuple[Problem, ...]] = {}
        self.provided = cache(self._provided)
        for path, read in files.items():
            if (self._names and read.may_have_config_maps) or path in self._listed:
                self._read(CheckoutFile(path, read.real_path, checkout.read(path)), checkout)
        others = ["."] if self._names else list(map(glob.escape, listed))
        for file in checkout.read_files(others, Problems()):
            self._read(file, checkout)

    def read_again(self, file: CheckoutFile, checkout: Checkout) -> None:
        """Read a file whose lines have changed."""
        changed = {source for source in self._objects if source[0] == file.path}
        for source in changed:
            self._objects[source].clear()
        if changed:
            self._findings = {key: found for key, found in self._findings.items() if changed.isdisjoint(key[0])}
        self.problems = Problems(item for item in self.problems if item.where.source != file.path)
        self._read(file, checkout)

    @property
    def paths(self) -> frozenset[str]:
        """The files with extra manifests, or with Kustomizations that generate ConfigMaps of them."""
        return frozenset(path for path, _namespace, _name in self._objects)

    def sources(self, site: Site) -> tuple[Source, ...]:
        """Where the extra manifests of ``site`` are, as far as the checkout contains them."""
        # In a later directory, a file replaces one of the same name.
        files = {name: path for folders in site.extra_folders for name, path in self._files_of(folders).items()}
        kept = [(path, "", "") for name, path in files.items() if site.extra_filter.keeps(name)]
        config_maps = (source for name in site.extra_config_maps for source in self._nearest(site, name))
        return tuple(dict.fromkeys((*kept, *config_maps)))

    def _files_of(self, folders: Iterable[str]) -> dict[str, str]:
        """The files by name in the first of ``folders`` that has any."""
        every = (self._folders[folder].items() for folder in folders)
        read = ({name: path for name, path in items if (path, "", "") in self._objects} for items in every)
        return next(filter(None, read), {})

    def _nearest(self, site: Site, name: str) -> list[Source]:
        """The ConfigMaps of a name that are nearest to the file of ``site``: other sites can have the same name."""
        folders = tuple(folders_above(site.path))
        # Without a namespace, kustomize or Argo CD sets one.
        namespaces = (site.namespace, "") if site.namespace else (_ANY,)
        merging: list[Source] = []
        for found in (self._config_maps.get((folder, each, name), []) for each in namespaces for folder in folders):
            others = [source for source in found if source not in self._merging]
            if others:
                return [*merging, *others] if merging else found
            merging = merging or found
        return merging

    def missing(self, site: Site) -> tuple[str, ...]:
        """The ConfigMaps and directories of ``site`` that the checkout does not contain completely."""
        incomplete = self._incomplete | self._merging
        found = {source[2] for source in self.sources(site) if source not in incomplete}
        # The directory openshift of the agent-based installer need not exist.
        folders = site.extra_folders if site.kind == SITE_CONFIG else ()
        empty = (each[0] for each in folders if not self._files_of(each))
        elsewhere = filter(None, [site.extra_elsewhere])
        return (*(name for name in site.extra_config_maps if name not in found), *empty, *elsewhere)

    def findings(self, sources: tuple[Source, ...], release: Release, context: InclusionContext) -> tuple[Problem, ...]:
        """What a cluster of ``release`` with the selection of ``context`` rejects. Raises ``ReleaseError``."""
        cluster = self._clusters.get((release.path, context))
        if cluster is None:
            cluster = self._clusters[release.path, context] = selected_cluster(release, context)
        found = self._findings.get((sources, cluster))
        if found is None:
            addon = Addon("", "gitops", tuple(item for source in sources for item in self._objects[source]))
            found = self._findings[sources, cluster] = check_addon(addon, cluster, ProvidedObjects())[0].findings
        return found

    def _provided(self, sources: tuple[Source, ...]) -> frozenset[ResourceId]:
        """The resources that extra manifests create."""
        return frozenset(item.resource_id for source in sources for item in self._objects[source])

    def _read(self, file: CheckoutFile, checkout: Checkout) -> None:
        if file.path in self._listed:
            objects = self._objects_in(file.data, file.path)
            beside = posixpath.join(posixpath.dirname(posixpath.dirname(file.path)), AGENT_CONFIG)
            if file.path in self._of_generator:
                objects = self._generated(file.path, objects)
            elif file.path.endswith(".json") and checkout.read(beside):
                message = "has the suffix .json, and the agent-based installer reads only .yaml and .yml"
                self.problems.warning("unread-extra-manifests", Location(file.path), message, "Rename it to .yaml")
                objects = []
            self._objects[file.path, "", ""] = objects
        if posixpath.basename(file.path) in KUSTOMIZATIONS:
            self._read_generators(file, checkout)
            return
        for document in read_documents(file, Problems(), _CONFIG_MAP):
            items = document.get(document.root, "items") if document.text_of(document.root, "kind") == "List" else None
            for node in (document.root,) if items is None else items.items:
                self._read_config_map(document, node)

    def _objects_in(self, text: bytes, path: str, line: int = 1, *, is_block: bool = True) -> list[AddonObject]:
        """The objects in a manifest. The bootstrap of the installation applies nothing if it cannot read one.

        Sources: openshift/library-go:pkg/assets/create/creater.go load, openshift/cluster-bootstrap:pkg/start/start.go
        Run, openshift/assisted-service:internal/ignition/installmanifests.go expandMultiDocYaml.
        """
        # kubectl divides a file before it reads it as YAML, so only there a directive is an error. Go reads YAML 1.1.
        text = _DIRECTIVE.sub(b"#", text)
        objects, unread = read_objects(text, path, self.problems, line, is_block=is_block), Problems()
        documents = list(read_stream(io.BytesIO(text), path, unread))
        # A missing file has no text.
        fault = _fault(text, documents) if text and not unread else None
        if fault is None:
            return objects
        where = Location(path, line=line + fault.line - 1 if is_block else line)
        message = f"{fault.message}, expected an object in each document: with anything else, the bootstrap fails"
        self.problems.error("unread-extra-manifests", where, message, fault.hint)
        return []

    def _read_config_map(self, document: SourceDocument, node: Node) -> None:
        """Read the extra manifests in ``node`` if it is a ConfigMap of a site."""
        path, metadata = document.path, document.get(node, "metadata")
        name, namespace = document.text_of(metadata, "name"), document.text_of(metadata, "namespace")
        if document.text_of(node, "kind") != CONFIG_MAPS.kind or name not in self._names:
            return
        objects = self._config_map(path, namespace, name)
        data = document.get(node, "data")
        for pair in data.pairs if data is not None else ():
            where = Location(path, line=document.line_of(pair.key), field=f"ConfigMap {name}")
            text = document.text_of(pair.value).encode(errors="replace")
            if not self._is_manifest((path, namespace, name), pair.key.value, text, where):
                continue
            # Each line of a literal block is one of the manifest.
            is_block = pair.value.style == "|"
            line = document.line_of(pair.key) + is_block
            objects += self._objects_in(text, path, line, is_block=is_block)

    def _generated(self, path: str, objects: list[AddonObject]) -> list[AddonObject]:
        """Those of the ``objects`` in a file that the generator of a SiteConfig puts into a ConfigMap.

        It decodes one document of each file, and encodes it as YAML under the name of the file. Source:
        openshift-kni/cnf-features-deploy:ztp/siteconfig-generator/siteConfig/siteConfigHelper.go
        addZTPAnnotationToManifest.
        """
        if path.endswith(".json"):
            message = "is encoded as YAML by the generator of a SiteConfig, so assisted-service rejects its suffix"
            self.problems.warning("unread-extra-manifests", Location(path), message, "Rename it to .yaml")
            return []
        kept = [item for item in objects if item.line == objects[0].line]
        if len(kept) < len(objects):
            where = Location(path, line=objects[len(kept)].line)
            message = "is not the first document of the file, so the generator of a SiteConfig drops it"
            self.problems.warning("unread-extra-manifests", where, message, "Write each document in its own file")
        return kept

    def _is_manifest(self, source: Source, key: str, text: bytes, where: Location) -> bool:
        """Whether assisted-service creates the objects of ``key``. It rejects other suffixes, and JSON with mistakes.

        Source: openshift/assisted-service:internal/manifests/manifests.go validateUserSuppliedManifest.
        """
        self._keys.setdefault(source, set()).add(key)
        suffix = posixpath.splitext(key)[1]
        if suffix not in _SUFFIXES and not suffix.startswith(_PATCH):
            message = f"has the key {key}, expected a suffix .yaml, .yml, .json or .patch: assisted-service rejects it"
            self.problems.warning("unread-extra-manifests", where, message, "Rename the key")
        is_wrong = suffix == ".json" and not _is_json(text.decode(errors="replace"))
        if is_wrong:
            message = f"has the key {key}, but its text is not JSON: assisted-service rejects it"
            self.problems.warning("unread-extra-manifests", where, message, "Rename the key to .yaml, or write JSON")
        return suffix in _SUFFIXES and not is_wrong

    def repeated_keys(self, site: Site) -> tuple[str, ...]:
        """The keys that two ConfigMaps of ``site`` have, which assisted-service rejects.

        Source: openshift/assisted-service:internal/controller/controllers/clusterdeployments_controller.go
        getClusterDeploymentManifest.
        """
        maps = {source[2]: self._keys.get(source, set()) for source in self.sources(site) if source[2]}
        counts = Counter(key for keys in maps.values() for key in keys)
        return tuple(sorted(key for key, number in counts.items() if number > 1))

    def _config_map(self, path: str, namespace: str, name: str, behavior: object = None) -> list[AddonObject]:
        """The list for the objects in a ConfigMap of the file ``path``.

        A generator with the ``behavior`` merge or replace changes the ConfigMap of another Kustomization only for what
        is beside it: other sites have the ConfigMap as it is.
        """
        source = (path, namespace, name)
        if source not in self._objects:
            folders = tuple(folders_above(path))
            for folder in folders[:1] if behavior in OVERLAYS else folders:
                for each in (namespace, _ANY):
                    self._config_maps.setdefault((folder, each, name), []).append(source)
        return self._objects.setdefault(source, [])

    def _read_generators(self, file: CheckoutFile, checkout: Checkout) -> None:
        """Read the ConfigMaps that a Kustomization generates of files in the checkout."""
        for document in load_kustomization(file):
            for generator in mappings_in(document.get("configMapGenerator")):
                # Not in references: kustomize does not know the fields that name extra manifests.
                prefix, suffix = as_text(document.get("namePrefix")), as_text(document.get("nameSuffix"))
                name = f"{prefix}{as_text(generator.get('name'))}{suffix}"
                flags = nested(document, "generatorOptions", _KEEP_NAME), nested(generator, "options", _KEEP_NAME)
                if name in self._names and True not in flags and "configurations" not in document:
                    message = f"kustomize adds a hash to the name of ConfigMap {name}, but not to references to it"
                    hint = f"Set {_KEEP_NAME} to true in generatorOptions"
                    self.problems.warning("unread-extra-manifests", Location(file.path), message, hint)
                elif name in self._names:
                    namespace = as_text(document.get("namespace") or generator.get("namespace"))
                    behavior = generator.get("behavior")
                    objects = self._config_map(file.path, namespace, name, behavior)
                    if behavior == "merge":
                        self._merging.add((file.path, namespace, name))
                    for entry in as_list(generator.get("files")):
                        key, _is, path = as_text(entry).rpartition("=")
                        where = Location(file.path, field=f"ConfigMap {name}")
                        key, path = key or posixpath.basename(path), path_beside(file, path)
                        data = checkout.read(path)
                        # A missing file is no wrong one.
                        if not self._is_manifest((file.path, namespace, name), key, data or b"{}", where):
                            continue
                        objects += self._objects_in(data, path)
                        if not data:
                            self._incomplete.add((file.path, namespace, name))


class _BrokenManifest(NamedTuple):
    """What the bootstrap cannot read. ``line`` is the one in the manifest."""

    line: int
    message: str
    hint: str


def _fault(text: bytes, documents: Sequence[StreamDocument]) -> _BrokenManifest | None:
    """Why the bootstrap cannot read a manifest with ``documents`` that are not empty, ``None`` if it can.

    It reads the first document of a file. assisted-service divides a file only if several are not empty.
    """
    for value, line, *_others in documents:
        if isinstance(value, Mapping) and "items" in value:
            return _BrokenManifest(line, "is a List", "Write each object as its own document")
        is_object = isinstance(value, Mapping) and value.get("kind")
        if not is_object and not is_template(text.decode(errors="replace")):
            return _BrokenManifest(line, "is not an object", "Write an object, or remove the document")
    if not documents:
        return _BrokenManifest(1, "is empty", "Remove it")
    if len(documents) == 1 and _EMPTY_DOCUMENT.match(text):
        return _BrokenManifest(documents[0].line, "follows an empty document", "Remove the first line with ---")
    return None


def _is_json(text: str) -> bool:
    """Whether ``text`` is JSON, or can be it when its template is rendered."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return is_template(text)
    return True
