# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads which files a Kustomization of kustomize can change, and whether Flux or Argo CD change what they apply."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._files.checkout import KUSTOMIZATIONS, CheckoutFile
from .._resources import CONFIG_MAPS, as_list, as_text, mappings_in, nested
from .._yaml.libyaml import load_documents
from .._yaml.values import YamlError
from .document import ANNOTATION, APPLICATIONS, SITE_KINDS

_RESOURCES = ("resources", "bases", "components", "generators")
_WITH_TARGET = ("patches", "patchesJson6902")
_OF_ANY_KIND = ("replacements", "transformers", "vars")
_ANNOTATIONS = (("commonAnnotations",), ("commonMetadata", "annotations"))
_AFFIXES = ("namePrefix", "nameSuffix")
OVERLAYS = ("merge", "replace")
"""How a generator changes a ConfigMap that another Kustomization generates."""

_OTHER_TOOLS = re.compile(rb"\b(?:Kustomization|Application(?:Set)?)\b")
_OTHER_FIELDS = re.compile(rb"\b(?:patches\w*|commonAnnotations|commonMetadata|namePrefix|nameSuffix)\b")
"""What Flux and Argo CD change. Most of their objects have none of these fields, so they need not be parsed."""
_PATCHED_KINDS = (*SITE_KINDS, CONFIG_MAPS.kind)
"""Sites, and the objects with their extra manifests."""


class Kustomization(NamedTuple):
    """What a Kustomization names: files relative to the checkout, ``resources`` and ``components`` also directories.

    ``has_open_target``: a change of it can concern an object of any kind, or of a kind of sites. ``is_remote``: it
    applies what is anywhere, because Flux or Argo CD reads it from a repository. ``renames``: it sets a prefix or a
    suffix of names. ``overlays``: its generators change ConfigMaps of others.
    """

    patches: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    has_open_target: bool = False
    is_remote: bool = False
    renames: bool = False
    overlays: bool = False


def load_kustomization(file: CheckoutFile) -> list[Mapping[str, Any]]:
    """Load the documents of a Kustomization: none if it is not valid, which is no mistake of a site."""
    try:
        return list(mappings_in(load_documents(file.data)))
    except YamlError:
        return []


def read_kustomization(file: CheckoutFile) -> Kustomization | None:
    """Read a Kustomization, or an object of Flux or Argo CD that has fields of one. ``None`` if ``file`` is neither."""
    is_remote = posixpath.basename(file.path) not in KUSTOMIZATIONS
    if is_remote and not (_OTHER_TOOLS.search(file.data) and _OTHER_FIELDS.search(file.data)):
        return None
    documents = load_kustomization(file)
    if is_remote:
        documents = [spec for item in documents for spec in _remote_specs(item)]
    entries = [entry for item in documents for name in _WITH_TARGET for entry in mappings_in(item.get(name))]
    paths = [entry.get("path") for entry in entries]
    # Each of these is a path, or the patch itself.
    merged = [text for item in documents for text in as_list(item.get("patchesStrategicMerge"))]
    paths += merged
    entries += [{"patch": text} for text in merged]
    generators = [entry for item in documents for entry in mappings_in(item.get("configMapGenerator"))]
    annotations = [nested(item, *names) for item in documents for names in _ANNOTATIONS]
    is_open = any(item.get(name) for item in documents for name in _OF_ANY_KIND) or any(map(_is_open, entries))
    return Kustomization(
        tuple(path_beside(file, as_text(path)) for path in paths),
        tuple(path_beside(file, path) for path in _paths(documents, *_RESOURCES)),
        tuple(path_beside(file, path) for path in _paths(documents, "components")),
        is_open or any(ANNOTATION in item for item in mappings_in(annotations)),
        is_remote,
        any(item.get(name) for item in documents for name in _AFFIXES),
        any(as_text(item.get("behavior")) in OVERLAYS for item in generators),
    )


def _paths(documents: list[Mapping[str, Any]], *fields: str) -> Iterator[str]:
    return (as_text(path) for item in documents for name in fields for path in as_list(item.get(name)))


def _remote_specs(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of an object of Flux or Argo CD that have the fields of a Kustomization."""
    kind = as_text(document.get("kind"))
    if kind == "Kustomization":
        yield from mappings_in([document.get("spec")])
    elif kind in APPLICATIONS:
        spec = nested(document, *APPLICATIONS[kind])
        sources = [nested(spec, "source"), *as_list(nested(spec, "sources"))]
        yield from mappings_in([nested(source, "kustomize") for source in sources])


def path_beside(file: CheckoutFile, path: str) -> str:
    """A path that ``file`` names, relative to the checkout."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file.path), path))


class DecidingFiles(NamedTuple):
    """The files of a checkout with sites, with ConfigMaps of their extra manifests, and with what else decides."""

    sites: frozenset[str]
    config_maps: frozenset[str]
    others: frozenset[str]


def changing_kustomizations(kustomizations: Mapping[str, Kustomization], deciding: DecidingFiles) -> Iterator[str]:
    """Yield the path of each Kustomization that can change a site, or what decides about one.

    It changes its patches, and with an open target its resources, and theirs. A Component changes what the
    Kustomizations that name it have. What a generator changes, other sites than those below it do not have.
    """
    users: dict[str, list[str]] = defaultdict(list)
    for path, item in kustomizations.items():
        for each in item.components:
            for name in _files_at(each):
                users[name].append(path)
    every = deciding.sites | deciding.config_maps | deciding.others
    for path, item in kustomizations.items():
        is_wide = item.has_open_target or item.renames or item.overlays
        below = _below(path, kustomizations, users) if is_wide else set()
        changed = set(item.patches)
        if item.has_open_target:
            changed |= every if item.is_remote else below
        if item.renames:
            changed |= deciding.config_maps if item.is_remote else deciding.config_maps & (below - {path})
        if item.overlays:
            changed |= deciding.sites & below.difference(item.resources)
        if not every.isdisjoint(changed):
            yield path


def _below(path: str, kustomizations: Mapping[str, Kustomization], users: Mapping[str, list[str]]) -> set[str]:
    paths, seen = [path], set[str]()
    while paths:
        path = paths.pop()
        if path in seen:
            continue
        seen.add(path)
        paths += users.get(path, ())
        found = kustomizations.get(path)
        for each in found.resources if found is not None else ():
            paths += _files_at(each)
    return seen


def _files_at(path: str) -> list[str]:
    """The files that a resource can be: itself, or the Kustomization in a directory."""
    return [path, *(posixpath.normpath(posixpath.join(path, name)) for name in KUSTOMIZATIONS)]


def _is_open(entry: Mapping[str, Any]) -> bool:
    """Whether a patch can concern a site. Its target has regular expressions. Without a target, its text says."""
    target = entry.get("target")
    if not isinstance(target, Mapping):
        text = as_text(entry.get("patch"))
        return any(kind in text for kind in _PATCHED_KINDS)
    kind = as_text(target.get("kind"))
    try:
        return not kind or any(re.fullmatch(kind, each) for each in _PATCHED_KINDS)
    except re.error:
        return True
