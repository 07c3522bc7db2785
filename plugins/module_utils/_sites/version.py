# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds the version that a site installs: from a map of the user, the release image, or the ClusterImageSet."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._version import find_minor
from .objects import CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, SiteObject

_ARCHITECTURES = "x86_64|amd64|aarch64|arm64|ppc64le|s390x|multi"
_TAG = re.compile(rf":v?([0-9]+\.[0-9]+\.[0-9][^@/]*?)(?:-(?:{_ARCHITECTURES}))?(?:@.*)?$")
_IN_NAME = re.compile(r"(?:^|[^0-9.])([0-9]\.[0-9]{1,2}(?:\.[0-9]{1,3})?)(?![0-9.])")


class SiteVersion(NamedTuple):
    """The version of a site and where it comes from. ``version`` is ``None`` if it is not known."""

    version: str | None
    source: str


class VersionSource(NamedTuple):
    """A ClusterImageSet or ClusterDeployment: the release image, and the name of the ClusterImageSet it refers to."""

    kind: str
    namespace: str
    name: str
    image_set: str
    release_image: str


class VersionSources(NamedTuple):
    """What versions come from.

    ``by_pattern`` maps a glob to a version. ``image_sets`` maps the name of a ClusterImageSet to its release image.
    ``deployments`` maps namespace and name of a ClusterDeployment to its ClusterImageSet and its release image.
    """

    by_pattern: Mapping[str, str]
    default: str | None
    image_sets: Mapping[str, str]
    deployments: Mapping[tuple[str, str], tuple[str, str]]


class VersionFields(NamedTuple):
    """The fields of a site that decide its version."""

    path: str
    namespace: str
    name: str
    image_set: str
    release_image: str
    version: str


def version_source(origin: SiteObject) -> VersionSource:
    """Read a ClusterImageSet or a ClusterDeployment."""
    document, spec = origin.document, origin.document.get(origin.node, "spec")
    image_set = ""
    if origin.kind == CLUSTER_DEPLOYMENT:
        spec = document.get(spec, "provisioning")
        image_set = document.text_of(spec, "imageSetRef", "name")
    image = document.text_of(spec, "releaseImage")
    return VersionSource(origin.kind, origin.namespace, origin.name, image_set, image)


def version_sources(
    sources: Iterable[VersionSource], by_pattern: Mapping[str, str], default: str | None
) -> VersionSources:
    """Index what versions come from."""
    image_sets: dict[str, str] = {}
    deployments: dict[tuple[str, str], tuple[str, str]] = {}
    for item in sources:
        if item.kind == CLUSTER_IMAGE_SET:
            image_sets[item.name] = item.release_image
        else:
            deployments[item.namespace, item.name] = (item.image_set, item.release_image)
    return VersionSources(by_pattern, default, image_sets, deployments)


def version_of(site: VersionFields, sources: VersionSources) -> SiteVersion:
    """The version of ``site``. The map of the user comes first, the default version last."""
    image_set, release_image = site.image_set, site.release_image
    if not image_set and not release_image:
        image_set, release_image = sources.deployments.get((site.namespace, site.name), ("", ""))
    release_image = release_image or sources.image_sets.get(image_set, "")
    names = [name for name in (site.name, site.path, image_set, release_image) if name]
    for pattern, version in sources.by_pattern.items():
        if any(fnmatch.fnmatchcase(name, pattern) for name in names):
            return SiteVersion(version, f"openshift_versions[{pattern}]")
    if find_minor(site.version):
        return SiteVersion(site.version, "spec.desiredUpdate.version")
    if tag := _TAG.search(release_image):
        return SiteVersion(tag[1], f"release image of ClusterImageSet {image_set}" if image_set else "release image")
    if named := _IN_NAME.search(image_set):
        return SiteVersion(named[1], f"name of ClusterImageSet {image_set}")
    return SiteVersion(sources.default, "openshift_version" if sources.default else "")
