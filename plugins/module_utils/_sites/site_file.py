# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the sites of a file, and what else in it decides about sites."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._files.checkout import KUSTOMIZATIONS, CheckoutFile
from .._problems import Problem, Problems
from .._resources import CONFIG_MAPS, as_list, as_text, mappings_in
from .._yaml.libyaml import load_documents
from .._yaml.values import YamlError
from .document import find_objects, read_documents
from .site import Site, read_sites
from .site_keys import check_keys
from .version import VersionSource, version_source


class SiteFile(NamedTuple):
    """What a file contains, and what was found while it was read.

    ``may_have_config_maps``: it contains a ConfigMap, or is a Kustomization, which can generate one. ``patches``: the
    paths of the patches of a Kustomization.
    """

    real_path: str
    may_have_config_maps: bool
    sites: tuple[Site, ...]
    sources: tuple[VersionSource, ...]
    findings: tuple[Problem, ...]
    patches: tuple[str, ...] = ()


def read_site_file(file: CheckoutFile) -> SiteFile:
    """Read all sites of a file. Raises nothing."""
    sites: list[Site] = []
    sources: list[VersionSource] = []
    problems = Problems()
    for document in read_documents(file, problems):
        for origin in find_objects(document, problems):
            source, own = version_source(origin), tuple(read_sites(origin, problems))
            sources += [] if source is None else [source]
            check_keys(origin, own, problems)
            sites += (node.site for node in own)
    is_kustomization = posixpath.basename(file.path) in KUSTOMIZATIONS
    may_have_config_maps = CONFIG_MAPS.kind.encode() in file.data or is_kustomization
    patches = tuple(_patches(file)) if is_kustomization else ()
    return SiteFile(file.real_path, may_have_config_maps, tuple(sites), tuple(sources), tuple(problems), patches)


def read_kustomization(file: CheckoutFile) -> list[Mapping[str, Any]]:
    """Read the documents of a Kustomization: none if it is not valid, which is no mistake of a site."""
    try:
        return list(mappings_in(load_documents(file.data)))
    except YamlError:
        return []


def path_beside(file: CheckoutFile, path: str) -> str:
    """A path that ``file`` names, relative to the checkout."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file.path), path))


def _patches(file: CheckoutFile) -> Iterator[str]:
    """Yield the paths of the patches of a Kustomization, relative to the checkout."""
    for document in read_kustomization(file):
        paths = [
            entry.get("path") for name in ("patches", "patchesJson6902") for entry in mappings_in(document.get(name))
        ]
        for path in (*paths, *as_list(document.get("patchesStrategicMerge"))):
            yield path_beside(file, as_text(path))
