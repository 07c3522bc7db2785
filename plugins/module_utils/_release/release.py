# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A release: its version, and its manifests in the order in which the CVO reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._version import Minor
from .manifest import Manifest


class Release(NamedTuple):
    """A release without the bodies of its manifests.

    ``version`` is that of release-metadata, or the given one for a directory without release-metadata; ``None`` if
    neither is available. ``images`` maps the tags of image-references to pull specs. ``read_body`` returns a new copy
    of the body of a manifest, as the values of JSON.
    """

    path: str
    version: str | None
    minor: Minor | None
    manifests: tuple[Manifest, ...]
    images: Mapping[str, str]
    read_body: Callable[[Manifest], Any]

    @property
    def shown_version(self) -> str:
        """The version for messages, or the minor if the version is not known."""
        return self.version or str(self.minor)


def release_of_version(minor: Minor | None) -> Release:
    """A release without files, for callers that know only the minor."""
    return Release("", None, minor, (), {}, _no_body)


def _no_body(manifest: Manifest) -> Any:
    raise LookupError(str(manifest.resource_id))
