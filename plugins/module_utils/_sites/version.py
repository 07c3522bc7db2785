# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the version that a site installs: from a map of the user, the release image, or the ClusterImageSet."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._data.capabilities import BRANCHES, has_capabilities
from .._data.version import Minor, find_minor
from .document import CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, SiteObject
from .site import Site

_ARCHITECTURES = "x86_64|amd64|aarch64|arm64|ppc64le|s390x|multi"
_TAG = re.compile(rf":v?([0-9]+\.[0-9]+\.[0-9][^@/]*?)(?:-(?:{_ARCHITECTURES}))*(?:@.*)?$")
_WITHOUT_PLATFORM = re.compile("(?<![a-z0-9])(?:ppc64le|s390x)(?![a-z0-9])")
"""Architectures for which assisted-service rejects bare metal (internal/provider/platform.go)."""
_IN_NAME = re.compile(r"(?:^|[^0-9.])([0-9]\.[0-9]{1,2}(?:\.[0-9]{1,3})?)(?![0-9.])")
_FIRST = Minor(4, 0)


class SiteVersion(NamedTuple):
    """The version of a site and where it comes from. ``version`` is ``None`` if it is not known.

    ``is_requested``: its ClusterVersion requests an update to it.
    ``without_platform``: the architecture that the release image or its ClusterImageSet names has no other platform
    than none and external.
    """

    version: str | None
    source: str
    without_platform: bool = False
    is_requested: bool = False


class VersionSource(NamedTuple):
    """A ClusterImageSet or ClusterDeployment: the release image, and the name of the ClusterImageSet it refers to."""

    kind: str
    namespace: str
    name: str
    image_set: str
    release_image: str


def version_source(origin: SiteObject) -> VersionSource | None:
    """What ``origin`` says about the version of a site, ``None`` if it is of another kind."""
    document, spec, image_set = origin.document, origin.document.get(origin.node, "spec"), ""
    if origin.kind not in (CLUSTER_IMAGE_SET, CLUSTER_DEPLOYMENT):
        return None
    if origin.kind == CLUSTER_DEPLOYMENT:
        spec = document.get(spec, "provisioning")
        image_set = document.text_of(spec, "imageSetRef", "name")
    image = document.text_of(spec, "releaseImage")
    return VersionSource(origin.kind, origin.namespace, origin.name, image_set, image)


class SiteVersions:
    """Finds versions with ``by_pattern``, which maps globs to versions, with ``sources``, or else with the default.

    ``unmatched`` has the globs that have matched no site so far.
    """

    def __init__(self, sources: Iterable[VersionSource], by_pattern: Mapping[str, object], default: str | None) -> None:
        self._by_pattern, self._default = by_pattern, default
        self.unmatched = dict.fromkeys(by_pattern)
        self._image_sets: dict[str, str] = {}
        self._deployments: dict[tuple[str, str], tuple[str, str]] = {}
        for item in sources:
            own = item.image_set, item.release_image
            if not any(own):  # a patch of something else
                continue
            if item.kind == CLUSTER_IMAGE_SET:
                other = self._image_sets.setdefault(item.name, item.release_image)
                if find_minor(_tag_of(other)) != find_minor(_tag_of(item.release_image)):  # of another hub
                    self._image_sets[item.name] = ""
            elif self._deployments.setdefault((item.namespace, item.name), own) != own:
                self._deployments[item.namespace, item.name] = ("", "")

    def of(self, site: Site) -> SiteVersion:
        """The version of ``site``. The map of the user comes first, the default version last.

        A checkout can have the objects of several hubs. Two of one name with different minor versions do not count.
        """
        image_set, release_image = site.image_set, site.release_image
        if not image_set and not release_image:
            image_set, release_image = self._deployments.get((site.namespace, site.name), ("", ""))
        release_image = release_image or self._image_sets.get(image_set, "")
        without_platform = any(map(_WITHOUT_PLATFORM.search, (release_image, image_set)))
        return self._of(site, image_set, release_image)._replace(without_platform=without_platform)

    def _of(self, site: Site, image_set: str, release_image: str) -> SiteVersion:
        names = [name for name in (site.name, site.path, image_set, release_image) if name]
        matches = [item for item in self._by_pattern if any(fnmatch.fnmatchcase(name, item) for name in names)]
        for pattern in matches:
            self.unmatched.pop(pattern, None)
        if matches:
            return SiteVersion(str(self._by_pattern[matches[0]]), f"openshift_versions[{matches[0]}]")
        if find_minor(site.version):
            return SiteVersion(site.version, "spec.desiredUpdate.version", is_requested=True)
        if tag := _tag_of(release_image):
            source = f"release image of ClusterImageSet {image_set}" if image_set else "release image"
            return SiteVersion(tag, source, is_requested=site.form == "cluster-version")
        if named := _version_in(image_set):
            return SiteVersion(named, f"name of ClusterImageSet {image_set}")
        return SiteVersion(self._default, "openshift_version" if self._default else "")


def _tag_of(release_image: str) -> str:
    """The version in the tag of ``release_image``, or ``""``."""
    tag = _TAG.search(release_image)
    return tag[1] if tag else ""


def _version_in(name: str) -> str | None:
    """The first version of OpenShift in ``name``, if possible a known one, or with capabilities: ``rhel9.4-4.16.3``."""
    found = ((version, find_minor(version)) for version in _IN_NAME.findall(name))
    minors = {version: minor for version, minor in found if minor is not None and minor >= _FIRST}

    def plausibility(version: str) -> tuple[bool, bool]:
        return minors[version] in BRANCHES, has_capabilities(minors[version])

    return max(minors, key=plausibility, default=None)
