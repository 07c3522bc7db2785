# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reduces the documents of a file to what the checks need, so the nodes of ten thousand sites are not in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._findings.finding import Finding
from .._problems import Problem, Problems, Severity
from .checkout import CheckoutFile
from .document import read_documents
from .form import key_faults
from .objects import CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, SiteObject, find_objects
from .overrides import Overrides, read_overrides
from .site import Form, Site, method_of, read_sites
from .version import VersionSource, version_source


class SiteSummary(NamedTuple):
    """A site without its nodes. ``overrides`` is ``None`` if its selection cannot be read.

    ``field`` is the path of the selection. ``number`` counts the sites of the file, from 0.
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
    method: str | None
    platform: str | None
    image_set: str
    release_image: str
    version: str
    has_selection: bool


class FileSummary(NamedTuple):
    """What a file contains, and what was found while it was read."""

    sites: tuple[SiteSummary, ...]
    sources: tuple[VersionSource, ...]
    findings: tuple[Finding, ...]


def summarize_file(file: CheckoutFile) -> FileSummary:
    """Read all sites of a file. Raises nothing."""
    sites: list[SiteSummary] = []
    sources: list[VersionSource] = []
    findings: list[Finding] = []
    problems = Problems()
    for document in read_documents(file, problems):
        for origin in find_objects(document, problems):
            if origin.kind in (CLUSTER_IMAGE_SET, CLUSTER_DEPLOYMENT):
                sources.append(version_source(origin))
            own = tuple(read_sites(origin))
            findings += _findings_of_object(origin, own)
            for site in own:
                of_site = Problems()
                overrides = read_overrides(site, of_site)
                summary = _summary(site, overrides, len(sites))
                findings += (finding_of(problem, summary) for problem in of_site)
                sites.append(summary)
    findings += map(finding_in_file, problems)
    return FileSummary(tuple(sites), tuple(sources), tuple(findings))


def _summary(site: Site, overrides: Overrides | None, number: int) -> SiteSummary:
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
        method=method_of(site),
        platform=site.platform,
        image_set=site.image_set,
        release_image=site.release_image,
        version=site.version,
        has_selection=site.pair is not None,
    )


def _findings_of_object(origin: SiteObject, sites: tuple[Site, ...]) -> Iterator[Finding]:
    document = origin.document
    for fault in key_faults(origin, sites):
        line = document.line_of(fault.node)
        severity: Severity = "info" if fault.code == "template" else "error"
        yield Finding(fault.code, severity, document.path, line, origin.resource, fault.message, fault.hint)


def finding_of(problem: Problem, site: SiteSummary) -> Finding:
    """The finding of a problem of a site."""
    where = str(problem.where)
    message = f"{where}: {problem.message}" if where else problem.message
    return Finding(problem.code, problem.severity, site.path, site.line, site.resource, message, problem.hint)


def finding_in_file(problem: Problem) -> Finding:
    """The finding of a problem that is located at a file, or at a line of one."""
    where = problem.where
    return Finding(problem.code, problem.severity, where.source, where.line, "", problem.message, problem.hint)
