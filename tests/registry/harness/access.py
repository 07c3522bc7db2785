# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The smallest access to registries: an authority, one header for each registry, and mirrors as a test gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.tests.registry.harness.registry import Site


class PlainAccess:
    """Trusts the authority of a site. ``headers`` are sent from the first challenge on, ``mirrors`` come first."""

    def __init__(self, site: Site, headers: Mapping[str, str] | None = None, mirrors: Sequence[str] = ()) -> None:
        self._pool = urllib3.PoolManager(ssl_context=site.client_tls())
        self._headers = headers or {}
        self._mirrors = mirrors
        self.challenges: list[Sequence[str]] = []
        self._challenged: set[str] = set()

    def sources(self, spec: PullSpec) -> list[PullSpec]:
        return [*(spec._replace(registry=mirror) for mirror in self._mirrors), spec]

    def base_url(self, registry: str) -> str:
        return f"https://{registry}"

    def pool(self, url: str) -> urllib3.PoolManager:
        return self._pool

    def authorization(self, spec: PullSpec, challenges: Sequence[str]) -> str:
        self.challenges.append(challenges)
        if challenges:
            self._challenged.add(spec.registry)
        return self._headers.get(spec.registry, "") if spec.registry in self._challenged else ""
