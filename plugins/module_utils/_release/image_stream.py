# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tags of image-references: each image of a release, and the source that it was built from.

Source: openshift/oc:pkg/cli/admin/release/annotations.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._resources import as_text, mappings_in, nested

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
    """Convert the content of image-references."""
    tags = (_tag(tag) for tag in mappings_in(nested(stream, "spec", "tags")))
    return ImageStream(
        as_text(nested(stream, "metadata", "creationTimestamp")),
        tuple(sorted(tag for tag in tags if tag.name and tag.pull_spec)),
    )


def _tag(tag: Any) -> ImageStreamTag:
    paths = (("name",), ("from", "name"), ("annotations", _COMMIT), ("annotations", _SOURCE))
    return ImageStreamTag(*(as_text(nested(tag, *path)) for path in paths))
