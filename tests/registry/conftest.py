# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Registries on loopback, one of each kind for all tests, on one storage: push without credentials, pull with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.registry.harness.proxy import Proxy
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER, Registry, Site
from ansible_collections.capability.openshift.tests.registry.harness.tokens import Account, TokenServer


@pytest.fixture(scope="session")
def registry_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(Path(tmp_path_factory.mktemp("registries")))
    yield site
    site.close()


@pytest.fixture(scope="session")
def registry(registry_site: Site) -> Registry:
    """Return a registry that needs no credentials, and takes images."""
    return Registry(registry_site)


@pytest.fixture(scope="session")
def basic_registry(registry_site: Site) -> Registry:
    """Return a registry that needs USER and PASSWORD, with the images of ``registry``."""
    return Registry(registry_site, auth="basic")


@pytest.fixture(scope="session")
def tokens(registry_site: Site) -> Iterator[TokenServer]:
    """Return the token server of ``token_registry``, where USER may pull everything."""
    server = TokenServer(
        registry_site.serving, registry_site.server_tls(), {USER: Account(PASSWORD)}, ("public/image",)
    )
    yield server
    server.close()


@pytest.fixture(scope="session")
def token_registry(registry_site: Site, tokens: TokenServer) -> Registry:
    """Return a registry that needs a token, with the images of ``registry``."""
    return Registry(registry_site, tokens=tokens)


@pytest.fixture(scope="session")
def proxy_server(registry: Registry) -> Iterator[Proxy]:
    proxy = Proxy(registry, registry.site.server_tls())
    yield proxy
    proxy.close()


@pytest.fixture
def proxy(proxy_server: Proxy) -> Proxy:
    """Return a proxy to ``registry`` without faults."""
    proxy_server.reset()
    return proxy_server
