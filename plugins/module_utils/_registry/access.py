# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a client of registries has to know before it can send a request, and the error of a request that fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from .._problems import CapabilityError
from .pull_spec import PullSpec

if TYPE_CHECKING:
    import urllib3


class RegistryError(CapabilityError):
    """An image cannot be read from a registry or an archive."""


class Access(Protocol):
    """The way to registries: mirrors, TLS, proxies and credentials.

    All methods raise ``RegistryError``. Threads may share an access.
    """

    def sources(self, spec: PullSpec) -> Sequence[PullSpec]:
        """Return where to look for an image, in this order: its mirrors, and itself unless that is not allowed."""

    def base_url(self, registry: str) -> str:
        """Return the URL of a registry without a path, such as ``https://quay.io``."""

    def pool(self, url: str) -> urllib3.PoolManager:
        """Return the pool for a request to ``url``, which is that of a registry or the target of a redirect."""

    def authorization(self, spec: PullSpec, challenges: Sequence[str]) -> str:
        """Return the header ``Authorization`` for the repository of ``spec``, empty for an anonymous request.

        ``challenges`` are the headers ``WWW-Authenticate`` of an answer 401, empty before the first request.
        """
