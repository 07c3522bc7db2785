# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The registries of these tests: what they demand, and that the proxy does what it is set to."""

from __future__ import annotations

import base64

import pytest
import urllib3

from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER
from ansible_collections.capability.openshift.tests.unit.builders.images import digest_of, image, layer

SMALL = image([layer({"file": b"text"})])
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@pytest.fixture(scope="module")
def pool(registry_site):
    return urllib3.PoolManager(ssl_context=registry_site.client_tls(), retries=False)


def manifest(pool, host, repository, **headers):
    url = f"https://{host}/v2/{repository}/manifests/{SMALL.digest}"
    return pool.request("GET", url, headers={"Accept": SMALL.manifest.media_type, **headers})


def test_an_image_is_read_as_it_was_pushed(registry, pool):
    assert registry.push("public/image", SMALL, "1.0") == SMALL.digest
    assert manifest(pool, registry.host, "public/image").data == SMALL.manifest.data


def test_a_registry_that_needs_a_password(registry, basic_registry, pool):
    registry.push("public/image", SMALL)

    refused = manifest(pool, basic_registry.host, "public/image")

    assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, 'Basic realm="tests"')
    assert manifest(pool, basic_registry.host, "public/image", Authorization=BASIC).status == 200


def test_a_registry_that_needs_a_token(registry, token_registry, tokens, pool):
    registry.push("public/image", SMALL)
    registry.push("private/image", SMALL)

    def token(repository, **headers):
        url = f"{tokens.url}/token?service=registry.tests&scope=repository:{repository}:pull"
        return {"Authorization": f"Bearer {pool.request('GET', url, headers=headers).json()['token']}"}

    assert manifest(pool, token_registry.host, "public/image").status == 401
    assert manifest(pool, token_registry.host, "public/image", **token("public/image")).status == 200
    assert manifest(pool, token_registry.host, "private/image", **token("private/image")).status == 401
    assert (
        manifest(pool, token_registry.host, "private/image", **token("private/image", Authorization=BASIC)).status
        == 200
    )


def test_the_proxy_records_cuts_and_changes(registry, proxy, pool):
    registry.push("public/image", SMALL)
    blob = SMALL.blobs[1]
    url = f"{proxy.url}/v2/public/image/blobs/{blob.digest}"

    assert pool.request("GET", url).data == blob.data
    assert [(seen.path, seen.sent) for seen in proxy.blobs] == [(url.removeprefix(proxy.url), len(blob.data))]
    proxy.cut, proxy.cuts = 10, 1
    with pytest.raises(urllib3.exceptions.ProtocolError):
        pool.request("GET", url)
    assert pool.request("GET", url, headers={"Range": "bytes=10-"}).data == blob.data[10:]
    proxy.tamper = lambda path, body: body[:-1]
    assert digest_of(pool.request("GET", url).data) != blob.digest
    proxy.redirect = "https://127.0.0.1:1"
    assert pool.request("GET", url, redirect=False).headers["Location"].startswith("https://127.0.0.1:1/v2/public")
