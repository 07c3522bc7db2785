# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The options for releases in images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .._registry.access_options import AccessOptions

DEFAULT_ARCHITECTURE = "amd64"


class SignatureOptions(NamedTuple):
    """``mode`` is the option ``signature``. ``stores`` are URLs, paths and ConfigMaps."""

    mode: Literal["required", "warn", "ignore"] = "ignore"
    keys: Sequence[str] = ()
    stores: Sequence[object] = ()


class ReleaseSource(NamedTuple):
    """The options of the documentation fragments ``_release_image`` and ``_registry``. ``cache``: its directory."""

    access: AccessOptions = AccessOptions()
    cache: str | None = None
    architecture: str = DEFAULT_ARCHITECTURE
    signature: SignatureOptions = SignatureOptions()
