# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A release: its version and its manifests, in the order in which the CVO reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .manifest import Manifest
from .registry import Minor


class Release(NamedTuple):
    """A release without the bodies of its manifests.

    ``version`` is what release-metadata says, or what the user said of a directory that has none; ``None`` if
    nobody did. ``images`` maps the tags of image-references to pull specs.
    """

    path: str
    version: str | None
    minor: Minor | None
    manifests: tuple[Manifest, ...]
    images: Mapping[str, str]
