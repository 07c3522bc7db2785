# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The options for releases in images."""

from __future__ import annotations

from collections.abc import Sequence
<<<<<<< HEAD
from typing import Literal, NamedTuple
=======
from typing import Literal, NamedTuple, get_args
>>>>>>> 9834ae4 (Verify the signature of a release that is read from its image)

from .._registry.access_options import AccessOptions

DEFAULT_ARCHITECTURE = "amd64"


<<<<<<< HEAD
class SignatureOptions(NamedTuple):
    """``mode`` is the option ``signature``. ``stores`` are URLs, paths and ConfigMaps."""

    mode: Literal["required", "warn", "ignore"] = "ignore"
=======
SignatureMode = Literal["required", "warn", "ignore"]
SIGNATURE_MODES: tuple[SignatureMode, ...] = get_args(SignatureMode)


class SignaturePolicy(NamedTuple):
    """The options of the documentation fragment ``_release_signature``.

    ``keys`` are files with key rings, empty for those of the release itself. ``stores`` are URLs, paths and ConfigMaps,
    empty for those of the release.
    """

    mode: SignatureMode = "warn"
>>>>>>> 9834ae4 (Verify the signature of a release that is read from its image)
    keys: Sequence[str] = ()
    stores: Sequence[object] = ()


class ReleaseSource(NamedTuple):
    """The options of the documentation fragments ``_release_image``, ``_release_signature`` and ``_registry``.

    ``cache``: its directory.
    """

    access: AccessOptions = AccessOptions()
    cache: str | None = None
    architecture: str = DEFAULT_ARCHITECTURE
<<<<<<< HEAD
    signature: SignatureOptions = SignatureOptions()
=======
    signature: SignaturePolicy = SignaturePolicy()
>>>>>>> 9834ae4 (Verify the signature of a release that is read from its image)
