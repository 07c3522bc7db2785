# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reduces the documents of a file to what the checks need, so the nodes of ten thousand sites are not in memory."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from .._checkout.walk import KUSTOMIZATIONS, CheckoutFile
from .._problems import Location, Problem, Problems
from .._resources import CONFIG_MAPS
from .document import read_documents
from .form import check_keys
from .objects import CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, SiteObject, find_objects
from .overrides import Overrides, read_overrides
from .site import FileFilter, Form, Site, read_sites


class SiteSummary(NamedTuple):
    """A site without its nodes. ``overrides`` is ``None`` if its selection cannot be read.

    ``field`` is the path of the selection. ``number`` counts the sites of the file, from 0. ``extra_folders`` are
    relative to the checkout.
    """

    path: str
    line: int
    number: int
    kind: str
    name: str
    namespace: str
    resource: str
    form: Form
    field: str
    overrides: Overrides | None
    platform: str | None
    image_set: str
    release_image: str
    version: str
    extra_config_maps: tuple[str, ...]
    extra_folders: tuple[str, ...]
    extra_filter: FileFilter
    has_selection: bool

    def finding(self, problem: Problem) -> Problem:
        """The finding of a ``problem`` that is located at a field of the site."""
        message = f"{problem.where}: {problem.message}" if any(problem.where) else problem.message
        return problem._replace(where=Location(self.path, line=self.line, field=self.resource), message=message)


class VersionSource(NamedTuple):
    """A ClusterImageSet or ClusterDeployment: the release image, and the name of the ClusterImageSet it refers to."""

    kind: str
    namespace: str
    name: str
    image_set: str
    release_image: str


class FileSummary(NamedTuple):
    """What a file contains, and what was found while it was read.

    ``may_have_config_maps``: it contains a ConfigMap, or is a Kustomization, which can generate one.
    """

    real_path: str
    may_have_config_maps: bool
    sites: tuple[SiteSummary, ...]
    sources: tuple[VersionSource, ...]
    findings: tuple[Problem, ...]


def summarize_file(file: CheckoutFile) -> FileSummary:
    """Read all sites of a file. Raises nothing."""
    sites: list[SiteSummary] = []
    sources: list[VersionSource] = []
    problems = Problems()
    for document in read_documents(file, problems):
        for origin in find_objects(document, problems):
            if origin.kind in (CLUSTER_IMAGE_SET, CLUSTER_DEPLOYMENT):
                sources.append(_version_source(origin))
            own = tuple(read_sites(origin))
            check_keys(origin, own, problems)
            for site in own:
                site_problems = Problems()
                summary = _summary(site, read_overrides(site, site_problems), len(sites))
                problems += map(summary.finding, site_problems)
                sites.append(summary)
    may_have_config_maps = CONFIG_MAPS.kind.encode() in file.data or posixpath.basename(file.path) in KUSTOMIZATIONS
    return FileSummary(file.real_path, may_have_config_maps, tuple(sites), tuple(sources), tuple(problems))


def _version_source(origin: SiteObject) -> VersionSource:
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    image_set = ""
    if origin.kind == CLUSTER_DEPLOYMENT:
        spec = document.get(spec, "provisioning")
        image_set = document.text_of(spec, "imageSetRef", "name")
    image = document.text_of(spec, "releaseImage")
    return VersionSource(origin.kind, origin.namespace, origin.name, image_set, image)


def _summary(site: Site, overrides: Overrides | None, number: int) -> SiteSummary:
    folder = posixpath.dirname(site.document.path)
    return SiteSummary(
        path=site.document.path,
        line=site.line,
        number=number,
        kind=site.origin.kind,
        name=site.name or site.origin.name,
        namespace=site.origin.namespace,
        resource=site.resource,
        form=site.form,
        field=site.path,
        overrides=overrides,
        platform=site.platform,
        image_set=site.image_set,
        release_image=site.release_image,
        version=site.version,
        extra_config_maps=tuple(filter(None, site.extra_config_maps)),
        extra_folders=tuple(posixpath.normpath(posixpath.join(folder, name)) for name in site.extra_folders if name),
        extra_filter=site.extra_filter,
        has_selection=site.pair is not None,
    )
