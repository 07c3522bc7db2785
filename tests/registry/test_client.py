# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of registries against a real one: what it asks, what breaks on the way, and what it refuses."""

from __future__ import annotations

import base64
import json
import random
import time
from http.server import BaseHTTPRequestHandler

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http import client as http_client
from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpClient
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import checked_blob
from ansible_collections.capability.openshift.plugins.module_utils._registry.client import RegistryClient
from ansible_collections.capability.openshift.plugins.module_utils._registry.configured_access import configure_access
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import Descriptor
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.control_plane.server import Server
from ansible_collections.capability.openshift.tests.registry.harness.proxy import Proxy
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER
from ansible_collections.capability.openshift.tests.unit.builders.images import Blob, image, image_list

REPOSITORY = "ocp/client"
DATA = random.Random(7).randbytes(1_000_000)
LAYER = Blob(DATA, "application/vnd.oci.image.layer.v1.tar")
IMAGE = image([LAYER])
BLOB = Descriptor(LAYER.digest, len(DATA))


def access_to(site, *, mirrors=(), source="", **options):
    """Configure an access that trusts the registries of these tests."""
    problems = Problems()
    sets = list(mirrors)
    if source:
        sets = [{"imageDigestSources": [{"source": source, "mirrors": sets}]}]
    made = AccessOptions(**{"ca_path": str(site.ca), "mirrors": sets, **options})
    configured = configure_access(made, {"HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"}, problems)
    assert problems == []
    return configured


def password_of(host, password=PASSWORD):
    auth = base64.b64encode(f"{USER}:{password}".encode()).decode()
    return json.dumps({"auths": {host: {"auth": auth}}})


@pytest.fixture(autouse=True, scope="module")
def pushed(registry):
    registry.push(REPOSITORY, IMAGE, "4.20.3")


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    found: list[float] = []
    monkeypatch.setattr(HttpClient, "pause", staticmethod(found.append))
    return found


@pytest.fixture
def client(registry_site, proxy):
    return RegistryClient(access_to(registry_site), PullSpec(proxy.host, REPOSITORY, None, IMAGE.digest))


def blob(client) -> bytes:
    with checked_blob(client, BLOB) as file:
        return file.read()


def error(call, *args) -> tuple[str, str]:
    with pytest.raises(RegistryError) as raised:
        call(*args)
    return raised.value.problems[0].code, str(raised.value.problems[0].where)


def test_a_manifest_by_tag_and_by_digest_and_a_list(registry, client):
    both = image_list({"amd64": IMAGE})
    registry.push(REPOSITORY, both, "multi")
    assert client.manifest("4.20.3") == (IMAGE.manifest.data, IMAGE.digest)
    assert client.manifest(IMAGE.digest).data == IMAGE.manifest.data
    assert client.manifest("multi") == (both.manifest.data, both.digest)


def test_a_blob_moves_once(client, proxy):
    assert blob(client) == DATA
    assert [(seen.status, seen.sent) for seen in proxy.seen] == [(200, len(DATA))]


def test_a_blob_whose_connection_breaks_is_read_again(client, proxy):
    proxy.cut, proxy.cuts = 300_000, 3

    assert blob(client) == DATA
    assert [seen.sent for seen in proxy.seen] == [300_000] * 3 + [len(DATA)]


TAMPERINGS = {
    "one byte": lambda body: body[:-1] + bytes([body[-1] ^ 1]),
    "shorter": lambda body: body[:-1],
    "longer": lambda body: body + b"x",
    "another": lambda body: bytes(len(body)),
    "empty": lambda body: b"",
}


def test_credentials_are_sent_after_a_challenge_and_to_no_other_host(registry_site, basic_registry, proxy):
    front = Proxy(basic_registry, registry_site.server_tls())
    try:
        front.redirect = proxy.url
        access = access_to(registry_site, pull_secret=password_of(front.host))
        client = RegistryClient(access, PullSpec(front.host, REPOSITORY, "4.20.3"))

        assert client.manifest("4.20.3").digest == IMAGE.digest
        assert blob(client) == DATA
    finally:
        front.close()
    assert [seen.authorization[:6] for seen in front.seen] == ["", "Basic ", "Basic "]
    assert [seen.authorization for seen in proxy.seen] == [""]


def test_a_realm_that_another_host_names_gets_no_credentials(registry_site, basic_registry, proxy, token_registry):
    """The registry redirects to a host that demands a token, which it takes from a server of another address."""
    front, other = (Proxy(target, registry_site.server_tls()) for target in (basic_registry, token_registry))
    try:
        front.redirect = other.url
        access = access_to(registry_site, pull_secret=password_of(front.host))
        client = RegistryClient(access, PullSpec(front.host, REPOSITORY, "4.20.3"))
        client.manifest("4.20.3")

        assert error(blob, client)[0] == "registry-unauthorized"
    finally:
        front.close()
        other.close()
    assert [seen.authorization for seen in other.seen] == [""]


def test_a_redirect_away_from_tls_is_refused(client, proxy):
    proxy.redirect = "http://127.0.0.1:1"

    assert error(blob, client)[0] == "insecure-redirect"


def test_a_blob_is_looked_for_and_not_read(client, proxy):
    client.require_blob(BLOB)
    none = f"sha256:{'0' * 64}"
    with pytest.raises(RegistryError, match=none) as raised:
        client.require_blob(BLOB._replace(digest=none))
    assert [problem.code for problem in raised.value.problems] == ["image-not-found"]
    # To the storage, which can answer to GET alone: the URL is signed for it.
    proxy.redirect = "https://127.0.0.1:1"
    client.require_blob(BLOB)
    assert [(seen.method, seen.status, seen.sent) for seen in proxy.seen] == [
        ("HEAD", 200, 0),
        ("HEAD", 404, 0),
        ("HEAD", 307, 0),
    ]


def test_mirrors_come_first_and_a_dead_one_costs_one_try(registry_site, registry, proxy, pauses):
    dead = f"127.0.0.1:{free_port()}"
    access = access_to(registry_site, source=registry.host, mirrors=[dead, proxy.host])
    client = RegistryClient(access, PullSpec(registry.host, REPOSITORY, None, IMAGE.digest))

    assert client.manifest(IMAGE.digest).digest == IMAGE.digest
    assert blob(client) == DATA
    assert (len(proxy.seen), pauses) == (2, [])
    assert client.source.registry == proxy.host


@pytest.mark.parametrize("what", ["manifests", "blobs"])
@pytest.mark.parametrize("change", TAMPERINGS.values(), ids=TAMPERINGS)
def test_after_wrong_bytes_the_next_mirror_is_asked(registry_site, registry, proxy, change, what):
    proxy.tamper = lambda path, body: change(body) if f"/{what}/" in path else body
    access = access_to(registry_site, source="quay.example", mirrors=[proxy.host, registry.host])
    client = RegistryClient(access, PullSpec("quay.example", REPOSITORY, None, IMAGE.digest))

    assert client.manifest(IMAGE.digest).data == IMAGE.manifest.data
    assert blob(client) == DATA
    assert client.source.registry == registry.host


class Drip(Server):
    """A registry that sends an endless answer, a few bytes at a time."""

    def __init__(self, tls):
        super().__init__(_Drip, tls)


class _Drip(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(DATA)))
        self.end_headers()
        for _number in range(200):
            self.wfile.write(b"x" * 10)
            time.sleep(0.01)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("part", ["manifest", "blob"])
def test_a_transfer_that_is_too_slow_ends(registry_site, registry, monkeypatch, part):
    monkeypatch.setattr(http_client, "_SHORTEST_LIMIT", 0.1)
    monkeypatch.setattr(http_client, "_SLOWEST", 1 << 40)
    slow = Drip(registry_site.server_tls())
    try:
        alone = RegistryClient(access_to(registry_site), PullSpec(slow.host, REPOSITORY, "x"))
        call = (alone.manifest, "x") if part == "manifest" else (blob, alone)
        assert error(*call)[0] == "transfer-too-slow"
        access = access_to(registry_site, source="quay.example", mirrors=[slow.host, registry.host])
        client = RegistryClient(access, PullSpec("quay.example", REPOSITORY, None, IMAGE.digest))
        assert client.manifest(IMAGE.digest).data == IMAGE.manifest.data
    finally:
        slow.close()


def test_the_sentences(registry_site, client, proxy):
    with pytest.raises(RegistryError) as raised:
        client.manifest("4.20.4")
    where = f"{proxy.host}/{REPOSITORY}@{IMAGE.digest}"
    hint = "Correct the pull spec, or copy the image"
    assert str(raised.value) == f"{where}: the registry does not have this manifest. {hint}"
    dead = f"127.0.0.1:{free_port()}"
    refused = RegistryClient(access_to(registry_site), PullSpec(dead, "a", "b"))
    with pytest.raises(RegistryError) as raised:
        refused.manifest("b")
    message = str(raised.value)
    assert message.startswith(f"{dead}/a:b: cannot be reached: ")
    assert "Connection refused" in message
    assert "insecure_registries" in message  # a registry without TLS is one of the reasons
    assert "0x" not in message


def test_a_registry_of_an_unknown_authority(registry, pauses):
    client = RegistryClient(access_to(registry.site, ca_path=None), PullSpec(registry.host, REPOSITORY, "4.20.3"))

    assert error(client.manifest, "4.20.3")[0] == "registry-unreachable"
    assert pauses == []
