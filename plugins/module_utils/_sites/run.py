# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks all sites of a checkout, and corrects their selections."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_properties import hint_to_quote
from .._capability.selection import check_selection
from .._data.capabilities import BRANCHES, data_of, has_capabilities, newest_minor, shown_minors
from .._data.dependencies import NAMESPACE_RULES, required_namespaces
from .._data.install_rules import AGENT_CONFIG
from .._data.version import Minor, find_minor
from .._files.checkout import Checkout, CheckoutFile
from .._install_config.selection_source import SelectionOptions, SelectionRequest, read_request
from .._problems import InvalidOptionError, Location, Problem, Problems, plural, shown_names
from .._progress import Progress, silent, with_progress
from .._release.release import Release, read_minor, release_of_version
from .._resources import NAMESPACES, ResourceId
from .check import SiteCheckRequest, SiteCheckResult, check_site
from .document import SITE_CONFIG, report_patches
from .extra_manifests import ExtraManifests, Source
from .fix import FixedFile, fix_file
from .kustomization import DecidingFiles, changing_kustomizations
from .rules import REFERENCE_RULES
from .site import METHODS, Site
from .site_file import SiteFile, read_site_file
from .version import SiteVersion, SiteVersions

_OF_RELEASES = ("different-capabilities",)
"""Codes of problems about a release. They are the same for all of its sites."""

_VERSION = Location(field="openshift_version")


class SitesOptions(NamedTuple):
    """The options of the module, as given. ``checkout`` is an absolute path. ``fix``: correct the selections.

    ``is_dry_run``: nothing will be written, so the findings are those of the files as they are. ``with_patch``: the
    corrections are shown as a diff. ``install_method``: of install-configs. ``outputs``: files that are no sites,
    because an earlier run wrote its findings to them.
    """

    checkout: str
    paths: tuple[str, ...]
    openshift_version: str | None = None
    openshift_versions: Mapping[str, object] = {}
    install_method: str | None = None
    fix: bool = False
    is_dry_run: bool = False
    with_patch: bool = False
    outputs: tuple[str, ...] = ()

    @property
    def versions(self) -> dict[str, object]:
        """The given versions, by option."""
        default = {} if self.openshift_version is None else {"openshift_version": self.openshift_version}
        return default | {f"openshift_versions[{name}]": version for name, version in self.openshift_versions.items()}


class CheckedSite(NamedTuple):
    """A site, its version, and the result of its check, which is empty if nothing could be checked.

    ``extra`` is what the findings of its extra manifests depend on. ``fixed``: its selection was corrected.
    ``without_release``: releases are given, and none of its minor. ``lacks_extra``: one is given, but not all of its
    extra manifests.
    """

    site: Site
    version: SiteVersion
    result: SiteCheckResult = SiteCheckResult(())
    findings: tuple[Problem, ...] = ()
    extra: tuple[tuple[Source, ...], Release, InclusionContext] | None = None
    fixed: bool = False
    without_release: bool = False
    lacks_extra: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The site as the module returns it."""
        return {
            "name": self.site.name,
            "kind": self.site.kind,
            "path": self.site.path,
            "line": self.site.line,
            "openshift_version": self.version.version,
            "version_source": self.version.source,
            "platform": self.site.platform,
            "capabilities": self.result.block if isinstance(self.result.block, dict) else {},
            "enabled_capabilities": None if self.result.enabled is None else sorted(self.result.enabled),
            "fixed": self.fixed,
        }


class SitesResult(NamedTuple):
    """All sites, all findings, the number of files that were read, the files to write, and problems of options.

    ``unchecked`` is what was not checked, as clauses.
    """

    sites: tuple[CheckedSite, ...]
    findings: tuple[Problem, ...]
    files: int
    fixed: tuple[FixedFile, ...]
    problems: Problems
    unchecked: tuple[str, ...]


def read_selection(
    options: SitesOptions, selection: SelectionOptions | None, *, has_releases: bool = False
) -> SelectionRequest | None:
    """The selection that the user requests of each site, ``None`` if there is none.

    ``has_releases``: releases are given, which can have names that this collection does not know. Raises
    ``InvalidOptionError`` with all problems of the options, because a wrong option is no mistake of the sites.
    """
    problems = Problems()
    for option, version in options.versions.items():
        read_minor(version, option, problems)
    if not options.paths:
        problems.error("empty-list", "paths", "is empty", "Name files or directories, or remove the option")
    request = None if selection is None else read_request(selection, {}, "", problems)
    newest = data_of(newest_minor())
    if request is not None and request.selection is not None and newest is not None and not has_releases:
        # It knows the names of all versions: those of another version are no mistake of the call.
        check_selection(request.selection, newest, frozenset(), problems)
    problems.raise_errors(InvalidOptionError)
    return request


def check_sites(
    options: SitesOptions,
    desired: SelectionRequest | None = None,
    releases: tuple[Release, ...] = (),
    progress: Progress = silent,
) -> SitesResult:
    """Check all sites, and compute what to write. Writes nothing.

    ``desired`` is the selection that each site must have. Raises ``InvalidOptionError`` with all problems of the
    options.
    """
    _refuse_unknown_versions(options, releases)
    checkout, findings = Checkout(options.checkout, options.outputs), Problems()
    files: dict[str, SiteFile] = {}
    for file in checkout.read_files(options.paths, findings):
        files[file.path] = read_site_file(file)
        progress(f"{len(files)} files of the checkout are read")
    files = dict(sorted(files.items()))
    sources = [source for file in files.values() for source in file.sources]
    versions = SiteVersions(sources, options.openshift_versions, options.openshift_version)
    extra = ExtraManifests(checkout, files)
    kustomizations = {path: item.kustomization for path, item in files.items() if item.kustomization is not None}
    deciding = DecidingFiles(
        frozenset(path for path, item in files.items() if item.sites),
        extra.paths,
        frozenset(path for path, item in files.items() if item.sources),
    )
    for path in changing_kustomizations(kustomizations, deciding):
        # A Kustomization without a word that sites contain has no finding yet.
        if all(finding.code != "kustomization" for finding in files[path].findings):
            report_patches(Location(path, line=1), findings)
    patches = frozenset(path for item in kustomizations.values() for path in item.patches)
    checker = _Checker(options, desired, releases, versions, checkout, extra, patches)
    counted_files = with_progress(list(files.items()), "files are checked", progress)
    checked = {path: checker.check(file) for path, file in counted_files}
    fixed: list[FixedFile] = []
    if options.fix:
        for path, sites in checked.items():
            blocks = {at: site.result.replacement for at, site in enumerate(sites) if site.result.replacement}
            if blocks:
                result = fix_file(path, files[path].real_path, blocks, with_patch=options.with_patch)
                if result.after != result.before:
                    fixed.append(result)
                    if not options.is_dry_run:
                        file = CheckoutFile(path, result.real_path, result.after)
                        files[path] = read_site_file(file)
                        extra.read_again(file, checkout)
                        sites = checker.check(files[path])
                    checked[path] = [site._replace(fixed=number in result.written) for number, site in enumerate(sites)]
                # They are where their sites are now.
                findings += (sites[number].site.finding(problem) for number, problem in result.left.items())
    all_sites = tuple(site for items in checked.values() for site in items)
    findings += (item for file in files.values() for item in file.findings)
    findings += (item for site in all_sites for item in site.findings)
    findings += (*(extra.problems if releases else ()), *_extra_manifest_findings(all_sites, extra))
    if not all_sites and not findings:
        message = f"no file below {', '.join(options.paths)} contains a site"
        problem = Problem("error", "no-sites", options.checkout, message, "Set paths to where the sites are")
        raise InvalidOptionError([problem])
    unchecked = tuple(_unchecked(all_sites, desired))
    if fixed and options.is_dry_run:
        unchecked += (f"{plural(len(fixed), 'file')} would be corrected",)
    problems = Problems(checker.of_releases)
    if checkout.fault:
        message = f"is in a Git repository, but {checkout.fault}, so files that it ignores are also checked"
        problems.warning("no-git", options.checkout, message, "Install git")
    for pattern in versions.unmatched if all_sites else ():
        hint = "Name a site, its file, its ClusterImageSet or its release image"
        problems.warning("missing-path", f"openshift_versions[{pattern}]", "matches no site", hint)
    return SitesResult(all_sites, tuple(findings), len(files), tuple(fixed), problems, unchecked)


def _refuse_unknown_versions(options: SitesOptions, releases: Iterable[Release]) -> None:
    """Raise ``InvalidOptionError`` if neither this collection nor one of ``releases`` knows a given version.

    Also if YAML may have read it as a number.
    """
    given, problems = {release.minor for release in releases}, Problems()
    for option, version in options.versions.items():
        minor = find_minor(str(version))
        if minor is not None and has_capabilities(minor) and data_of(minor) is None and minor not in given:
            message = f"is {version}, which is not known to this collection; it knows {shown_minors()}"
            problems.error("unknown-version", option, message, f"Set releases to a release of {minor}")
        elif minor is not None and str(version) == str(minor) and (hint := hint_to_quote(minor)):
            problems.error("unsupported-version", option, f"is {version}, which has no capabilities", hint)
    problems.raise_errors(InvalidOptionError)


def _unchecked(sites: Sequence[CheckedSite], desired: SelectionRequest | None) -> Iterator[str]:
    """Yield how many sites were not checked, and not compared with the requested selection."""
    # Without a selection, there is nothing to read.
    unread = sum(site.site.overrides is None for site in sites if site.site.has_selection or site.site.form == "block")
    others = [site.site for site in sites if desired is not None and not site.result.compared]
    of_clusters = [site.has_selection for site in others if site.form == "cluster-version"]
    is_solution = desired is not None and desired.solution is not None
    selects_nothing, without_platform = of_clusters.count(False), of_clusters.count(True) if is_solution else 0
    compared = "compared with the requested selection"
    for number, fault in (
        (unread, "checked"),
        (sum(site.without_release for site in sites), "checked with a release of the same minor version"),
        (sum(site.lacks_extra for site in sites), "checked with all extra manifests"),
        (len(others) - without_platform - selects_nothing, compared),
        (selects_nothing, f"{compared}: a ClusterVersion without capabilities selects nothing"),
        (without_platform, f"{compared}: a ClusterVersion has no platform, on which a solution depends"),
    ):
        if number:
            yield f"{number} of {plural(len(sites), 'site')} {'was' if number == 1 else 'were'} not {fault}"


def _extra_manifest_findings(sites: Iterable[CheckedSite], extra: ExtraManifests) -> Iterator[Problem]:
    """Yield each finding of extra manifests once, with the sites that have it."""
    names: dict[Problem, set[str]] = {}
    for site in sites:
        for item in extra.findings(*site.extra) if site.extra else ():
            if not (site.lacks_extra and _is_about_namespace(item)):
                names.setdefault(item, set()).add(site.site.name)
    for item, own in names.items():
        # A baseline knows a finding by its resource, so another site is another finding.
        field = f"{item.where.field}: extra manifest of {shown_names(sorted(own))}"
        yield item._replace(where=item.where._replace(field=field))


def _is_about_namespace(item: Problem) -> bool:
    """Whether a finding about an extra manifest is wrong if another one creates a Namespace."""
    return item.code == "absent-namespace"


class _Checker:
    """Checks sites. Sites with equal requests are checked once."""

    def __init__(
        self,
        options: SitesOptions,
        desired: SelectionRequest | None,
        releases: tuple[Release, ...],
        versions: SiteVersions,
        checkout: Checkout,
        extra: ExtraManifests,
        patches: frozenset[str],
    ) -> None:
        self.options, self.desired, self.releases = options, desired, releases
        self.versions, self.checkout, self.extra, self.patches = versions, checkout, extra, patches
        self.results: dict[tuple[object, ...], SiteCheckResult] = {}
        self.of_releases: dict[Problem, None] = {}

    def check(self, file: SiteFile) -> list[CheckedSite]:
        """Check the sites of a file."""
        return [self._check(site) for site in file.sites]

    def _check(self, site: Site) -> CheckedSite:
        version = self.versions.of(site)
        of_architecture = Problems()
        if site.form == "overrides" and version.without_platform and site.platform not in (None, "none", "external"):
            # The default one, too: without it, the network would have to be user-managed.
            if site.kind != SITE_CONFIG:
                message = f"assisted-service rejects the platform {site.platform} for ppc64le and s390x"
                message += "" if site.has_platform_type else ", which is the default of several control planes"
                of_architecture.error("unknown-platform", "", message, "Write platformType: None")
            site = site._replace(platform="none")
        if site.overrides is None:
            return CheckedSite(site, version)
        # Without a selection, a patch and a ClusterVersion, as in a policy for updates, leave another one as it is.
        is_part = site.form == "cluster-version" or site.path in self.patches
        if not site.has_selection and (is_part or (site.form != "block" and self.desired is None)):
            return CheckedSite(site, version)
        minor = find_minor(version.version)
        release = self._release(version.version, minor)
        method = METHODS.get(site.form) or self.options.install_method or self._default_method(site)
        text = site.overrides.text or json.dumps(site.overrides.values, default=repr, sort_keys=True)
        sources = self.extra.sources(site)
        provided = self.extra.provided(sources)
        facts = site.platform, site.external_cloud_controller_manager, site.pins_cpus
        limit = minor if version.is_requested else None
        older = max((item for item in BRANCHES if limit and item < limit), default=None)
        before = None if older is None else self._release(str(older), older)
        key = (site.form, text, method, facts, release.path, release.minor, older, provided, site.enabled)
        result = self.results.get(key)
        if result is None:
            values = site.overrides.values
            request = SiteCheckRequest(site.form, values, method, *facts, self.desired, provided, site.enabled)
            result = self.results[key] = check_site(request, release, before)
        self.of_releases |= dict.fromkeys(item for item in result.problems if item.code in _OF_RELEASES)
        problems = Problems(
            item._replace(where=Location(field=version.source)) if item.where == _VERSION else item
            for item in result.problems
            if item.code not in (*_OF_RELEASES, "missing-version") and not site.is_about_template(item)
        )
        extra = None
        if release.manifests and result.context is not None and sources:
            extra = sources, release, result.context
        missing = ", ".join(self.extra.missing(site))
        found = self.extra.findings(*extra) if missing and extra is not None else ()
        if missing and (
            any(map(_is_about_namespace, found)) or self._depends_on_extra_manifests(result, problems, minor, provided)
        ):
            message = f"refers to {missing}, whose manifests the checkout does not contain, or not all of them"
            hint = "Check whether they create what is missing"
            problems.info("unread-extra-manifests", "", message, hint)
        if repeated := ", ".join(self.extra.repeated_keys(site)):
            message = f"refers to several ConfigMaps with the same key, which assisted-service rejects: {repeated}"
            problems.warning("unread-extra-manifests", "", message, "Rename the key in one of them")
        if minor is None:
            message = "the version of the site is not known, so nothing that depends on it is checked"
            problems.warning("unknown-site-version", "", message, "Set openshift_version or openshift_versions")
        own = tuple(map(site.finding, (*of_architecture, *problems)))
        without_release = bool(self.releases) and release not in self.releases
        lacks_extra = bool(missing and release.manifests)
        return CheckedSite(site, version, result, own, extra, without_release=without_release, lacks_extra=lacks_extra)

    def _depends_on_extra_manifests(
        self, result: SiteCheckResult, problems: Iterable[Problem], minor: Minor | None, provided: Iterable[ResourceId]
    ) -> bool:
        """Whether what other extra manifests than those with ``provided`` create can change the result."""
        if self.desired is not None and self.desired.solution is not None:
            created = {item.name for item in provided if item.group_kind == NAMESPACES.group_kind}
            if required_namespaces(result.enabled or (), minor) - created:
                return True
        codes = {item.code for item in problems if item.severity == "error" or item.code in NAMESPACE_RULES}
        return not codes.isdisjoint((*REFERENCE_RULES, *NAMESPACE_RULES))

    def _default_method(self, site: Site) -> str | None:
        """``agent`` for an install-config next to an agent-config, which only that installer reads."""
        agent_config = posixpath.join(posixpath.dirname(site.path), AGENT_CONFIG)
        return "agent" if site.form == "block" and self.checkout.read(agent_config) else None

    def _release(self, version: str | None, minor: Minor | None) -> Release:
        """The given release of this version or else minor, or one that has only the minor."""
        same = [release for release in self.releases if minor is not None and release.minor == minor]
        exact = [release for release in same if release.version == version]
        return next(iter((*exact, *same)), release_of_version(minor))
