# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the sites of a file, and what else in it decides about sites."""

from __future__ import annotations

from typing import NamedTuple

from .._files.checkout import CheckoutFile
from .._problems import Problem, Problems
from .._resources import CONFIG_MAPS
from .document import find_objects, read_documents
from .kustomization import Kustomization, read_kustomization
from .site import Site
from .site_keys import check_keys
from .site_reader import read_sites
from .version import VersionSource, version_source


class SiteFile(NamedTuple):
    """What a file contains, and what was found while it was read.

    ``may_have_config_maps``: it contains a ConfigMap, or is a Kustomization, which can generate one.
    """

    real_path: str
    may_have_config_maps: bool
    sites: tuple[Site, ...]
    sources: tuple[VersionSource, ...]
    findings: tuple[Problem, ...]
    kustomization: Kustomization | None = None


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
    kustomization = read_kustomization(file)
    may_have_config_maps = CONFIG_MAPS.kind.encode() in file.data or kustomization is not None
    return SiteFile(file.real_path, may_have_config_maps, tuple(sites), tuple(sources), tuple(problems), kustomization)
