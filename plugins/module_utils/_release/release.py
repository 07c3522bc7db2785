# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A release: its version, and its manifests in the order in which the CVO reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._data.version import Minor, find_minor
from .._problems import Problems
from .._resources import as_text, mappings_in, nested
from .manifest import Manifest
from .manifest_file import ManifestFile

CVO_MANIFESTS = "manifests"
"""The directory of a release with the own manifests of its CVO."""

_COMMIT = "io.openshift.build.commit.id"
_SOURCE = "io.openshift.build.source-location"


class ImageStreamTag(NamedTuple):
    """An image. ``commit`` and ``source``, a URL, are empty if the tag does not have them."""

    name: str
    pull_spec: str
    commit: str = ""
    source: str = ""


class ImageStream(NamedTuple):
    """image-references. ``created`` is a timestamp as in the API, empty if it is not set. Tags are sorted by name."""

    created: str = ""
    tags: tuple[ImageStreamTag, ...] = ()


def parse_image_stream(stream: Mapping[str, Any]) -> ImageStream:
    """Convert the content of image-references (openshift/oc:pkg/cli/admin/release/annotations.go)."""
    tags = (_tag(tag) for tag in mappings_in(nested(stream, "spec", "tags")))
    return ImageStream(
        as_text(nested(stream, "metadata", "creationTimestamp")),
        tuple(sorted(tag for tag in tags if tag.name and tag.pull_spec)),
    )


def _tag(tag: Any) -> ImageStreamTag:
    paths = (("name",), ("from", "name"), ("annotations", _COMMIT), ("annotations", _SOURCE))
    return ImageStreamTag(*(as_text(nested(tag, *path)) for path in paths))


def _no_body(manifest: Manifest) -> Any:
    raise LookupError(str(manifest.resource_id))


def _no_file(file: str) -> bytes:
    raise LookupError(file)


class Release(NamedTuple):
    """A release without the bodies of its manifests.

    ``version`` is the one in release-metadata, or the given one for a directory without release-metadata; ``None`` if
    neither is available. ``image_stream`` has no tags if there is no image-references. ``read_body`` returns a new copy
    of the body of a manifest, as the values of JSON. ``read_file`` reads one of ``files`` again, rendered if it is a
    template, and raises ``ReleaseError``. ``directories`` are the ones that were read. ``partial``: parts of the
    release are missing. ``architecture``: ``multi``, or empty if release-metadata names none.
    """

    path: str
    version: str | None
    minor: Minor | None
    manifests: tuple[Manifest, ...]
    image_stream: ImageStream = ImageStream()
    read_body: Callable[[Manifest], Any] = _no_body
    files: Mapping[str, ManifestFile] = {}
    read_file: Callable[[str], bytes] = _no_file
    directories: tuple[str, ...] = ()
    partial: bool = False
    architecture: str = ""

    @property
    def shown_version(self) -> str:
        """The version for messages, or the minor if the version is not known."""
        return self.version or str(self.minor)

    @property
    def images(self) -> dict[str, str]:
        """The pull specs of the images in image-references, by their tags."""
        return {tag.name: tag.pull_spec for tag in self.image_stream.tags}


def release_of_version(minor: Minor | None) -> Release:
    """A release without files, for callers that know only the minor."""
    return Release("", None, minor, ())


def read_minor(version: object, where: str, problems: Problems) -> Minor | None:
    """The minor of ``version``; reports a value at ``where`` that is not a version."""
    minor = find_minor(version)
    if minor is None:
        message, hint = f"{version!r} is not a version of OpenShift", "Write it as 4.20 or 4.20.3"
        if isinstance(version, (int, float)) and not isinstance(version, bool):
            message = f"{version!r} is a number, expected a version in quotes"
            hint = "Quote it, because YAML reads 4.20 without quotes as the number 4.2"
        problems.error("invalid-version", where, message, hint)
    return minor
