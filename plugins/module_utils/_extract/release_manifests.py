# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ``release_manifests`` does. Its module and its action plugin both run it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._capability.inclusion import Inclusion, decide_all, loaded_manifests
from .._capability.resolved_release import resolve_cluster
from .._contents.images import list_images
from .._contents.unmet_references import check_references
from .._data.platforms import PLATFORM_DATA
from .._module.argspec import (
    ReleaseOptions,
    Spec,
    chdir_spec,
    cluster_options_spec,
    release_spec,
)
from .._problems import DestinationError, Problem, Problems, ReleaseError
from .._release.credentials_requests import credentials_request, is_credentials_request, is_for_platform
from .._release.directory import RELEASE_MANIFESTS
from .._release.loader import MISSING_IMAGE
from .._release.manifest import Manifest
from .._release.release import CVO_MANIFESTS, Release
from .._release_image.open_release import open_release
from .destination import write_destination
from .result import credentials_request_dict, decision_dict, destination_diff, image_lists_dict

Selector = Callable[[Manifest], bool]
NOTHING_INCLUDED = Problem(
    "error",
    "nothing-included",
    "dest",
    "would be left empty: no manifest is included, or all included ones delete their resource",
    "Check the enabled capabilities, cluster_profile, feature_set and exclude_identifier, or omit dest",
)
NO_CREDENTIALS_REQUESTS = Problem(
    "error",
    "nothing-included",
    "dest",
    "would be left empty: none of the requested CredentialsRequests is included",
    "Check platform and the enabled capabilities, or omit dest",
)


def included_files(release: Release, inclusions: Iterable[Inclusion], select: Selector) -> dict[str, bytes]:
    """Extract the included manifests that ``select`` accepts, byte for byte: file name -> content.

    Raises ``ReleaseError`` if both directories of the release have a file of the same name.
    """
    kept: dict[str, set[int]] = {}
    position: dict[str, int] = {}
    for inclusion in inclusions:
        file = inclusion.manifest.file
        at = position[file] = position.get(file, -1) + 1
        if inclusion.included and select(inclusion.manifest):
            kept.setdefault(file, set()).add(at)
    files: dict[str, bytes] = {}
    problems = Problems()
    for file, positions in kept.items():
        name = os.path.basename(file)
        if name in files:
            message = f"{CVO_MANIFESTS}/ and {RELEASE_MANIFESTS}/ both have a file of this name, expected one"
            problems.error("duplicate-file", file, message, "Rename one of the two files")
        files[name] = release.files[file].excerpt(release.read_file(file), frozenset(positions))
    problems.raise_errors(ReleaseError)
    return files


def selector(release: Release, *, only_credentials_requests: bool = False, platform: str | None = None) -> Selector:
    """A function that decides whether an included manifest goes to the directory.

    Manifests that delete their resource do not: clients do not read the annotation, and would create the resource
    (openshift/cluster-version-operator:lib/resourcedelete). ``platform`` leaves out CredentialsRequests of others.
    """

    def select(manifest: Manifest) -> bool:
        if manifest.deletes:
            return False
        if not is_credentials_request(manifest):
            return not only_credentials_requests
        return platform is None or is_for_platform(release.read_body(manifest), platform)

    return select


def secret_files(inclusions: Iterable[Inclusion]) -> frozenset[str]:
    """Return the names of the files that contain an included Secret."""
    secrets = (item.manifest for item in inclusions if item.included and item.manifest.resource_id.kind == "Secret")
    return frozenset(os.path.basename(manifest.file) for manifest in secrets)


def release_manifests_spec() -> Spec:
    """The options."""
    return {
        **release_spec(),
        **chdir_spec(),
        **cluster_options_spec(),
        "dest": {"type": "path"},
        "credentials_requests": {"type": "bool", "default": False},
        "platform": {"type": "str", "choices": list(PLATFORM_DATA)},
        "images": {"type": "bool", "default": False},
        "decisions": {"type": "bool", "default": False},
    }


class ReleaseManifestsOptions(NamedTuple):
    """The options, with the names that they have in the module."""

    release: ReleaseOptions
    cluster: ClusterOptions
    dest: str | None
    credentials_requests: bool
    platform: str | None
    images: bool
    decisions: bool

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ReleaseManifestsOptions:
        """The options of the module."""
        release, cluster = ReleaseOptions.from_params(params), ClusterOptions.from_params(params)
        return cls(release, cluster, **{name: params[name] for name in cls._fields[2:]})


def run_release_manifests(
    options: ReleaseManifestsOptions, problems: Problems, *, check_mode: bool, diff_mode: bool
) -> dict[str, Any]:
    """Decide, and write the manifests if ``dest`` is set. Raises ``CapabilityError``."""
    release = options.release.load(open_release(options.release.release, options.release.source, problems), problems)
    reported = Problems()
    context, status = resolve_cluster(options.cluster, release, reported)
    check_references(release, loaded_manifests(release.manifests, context), status, "warning", reported)
    problems += reported
    inclusions = decide_all(release.manifests, context)
    included = sum(1 for inclusion in inclusions if inclusion.included)
    result: dict[str, Any] = {
        "changed": False,
        "version": release.version,
        "enabled_capabilities": sorted(status.enabled),
        "known_capabilities": sorted(status.known),
        "included": included,
        "deletions": sum(1 for inclusion in inclusions if inclusion.included and inclusion.manifest.deletes),
        "excluded": len(inclusions) - included,
    }
    if options.decisions:
        result["decisions"] = [decision_dict(inclusion) for inclusion in inclusions]
    if options.images:
        result["images"] = image_lists_dict(list_images(release, inclusions, hosted=options.cluster.hosted))
    only_requests = options.credentials_requests
    select = selector(release, only_credentials_requests=only_requests, platform=options.platform)
    if only_requests:
        written = (inclusion.manifest for inclusion in inclusions if inclusion.included and select(inclusion.manifest))
        result["credentials_requests"] = [
            credentials_request_dict(credentials_request(manifest, release.read_body(manifest))) for manifest in written
        ]
    if options.dest is not None:
        files = included_files(release, inclusions, select)
        if not files:
            raise DestinationError([*reported, NO_CREDENTIALS_REQUESTS if only_requests else NOTHING_INCLUDED])
        secrets = secret_files(inclusions)
        plan = write_destination(options.dest, files, release.directories, secrets, check_mode=check_mode)
        result["changed"] = plan.changed
        if diff_mode:
            result["diff"] = destination_diff(plan)
        problems += plan.problems
        problems[:] = (
            item._replace(severity="warning")
            if item.code == MISSING_IMAGE and os.path.basename(item.where.source) in files
            else item
            for item in problems
        )
    return result
