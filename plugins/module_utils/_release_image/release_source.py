# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options for releases in images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .._progress import Progress, silent
from .._registry.access_options import AccessOptions

DEFAULT_ARCHITECTURE = "amd64"


class PreviousRelease(NamedTuple):
    """The release that a cluster runs before the update. Its key rings and stores verify the next one, as in its CVO.

    ``name`` is for messages.
    """

    name: str
    directory: str


class SignatureOptions(NamedTuple):
    """``mode`` is the option ``signature``. ``stores`` are URLs, paths and ConfigMaps. ``previous`` is trusted."""

    mode: Literal["required", "warn", "ignore"] = "ignore"
    keys: Sequence[str] = ()
    stores: Sequence[object] = ()
    previous: PreviousRelease | None = None


_GO_NAMES = {"aarch64": "arm64", "x86_64": "amd64"}
"""Architectures that OpenShift also names as the kernel does, in tags of releases."""


class ReleaseSource(NamedTuple):
    """The options of the documentation fragments ``_release_image`` and ``_registry``. ``cache``: its directory.

    ``progress`` shows what is read from an image.
    """

    access: AccessOptions = AccessOptions()
    cache: str | None = None
    architecture: str = DEFAULT_ARCHITECTURE
    signature: SignatureOptions = SignatureOptions()
    progress: Progress = silent

    @property
    def go_architecture(self) -> str:
        """The architecture in Go's spelling, as lists of images have it."""
        return _GO_NAMES.get(self.architecture, self.architecture)
