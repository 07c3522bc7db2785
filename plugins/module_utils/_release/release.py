# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A release: its version and its manifests, in the order in which the CVO reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._version import Minor
from .manifest import Manifest


class Release(NamedTuple):
    """A release; the bodies of its manifests are read when they are asked for.

    ``version`` is what release-metadata says, or what the user said of a directory that has none; ``None`` if
    nobody did. ``images`` maps the tags of image-references to pull specs. ``body`` returns a manifest as plain
    values, and raises ``ReleaseError``.
    """

    path: str
    version: str | None
    minor: Minor | None
    manifests: tuple[Manifest, ...]
    images: Mapping[str, str]
    body: Callable[[Manifest], Any]

    @property
    def shown_version(self) -> str:
        """The version, as far as it is known."""
        return self.version or str(self.minor)


def release_of_version(minor: Minor | None) -> Release:
    """Return a release of which nothing is known but its minor, for questions that are asked without files."""
    return Release("", None, minor, (), {}, _no_body)


def _no_body(manifest: Manifest) -> Any:
    raise LookupError(str(manifest.resource_id))
