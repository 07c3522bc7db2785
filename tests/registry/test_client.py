# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of registries against a real one: what it asks, what breaks on the way, and what it refuses."""

from __future__ import annotations

import base64
import random

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._registry import client as client_file
from ansible_collections.capability.openshift.plugins.module_utils._registry.access import RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import checked_blob, read_manifest
from ansible_collections.capability.openshift.plugins.module_utils._registry.client import RegistryClient
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import Descriptor
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.registry.harness.access import PlainAccess
from ansible_collections.capability.openshift.tests.registry.harness.proxy import Proxy
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER
from ansible_collections.capability.openshift.tests.unit.builders.images import Blob, image, image_list

REPOSITORY = "ocp/client"
DATA = random.Random(7).randbytes(1_000_000)
LAYER = Blob(DATA, "application/vnd.oci.image.layer.v1.tar")
IMAGE = image([LAYER])
BLOB = Descriptor(LAYER.digest, len(DATA))
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@pytest.fixture(autouse=True, scope="module")
def pushed(registry):
    registry.push(REPOSITORY, IMAGE, "4.20.3")


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def client(registry_site, proxy, pauses):
    spec = PullSpec(proxy.host, REPOSITORY, None, IMAGE.digest)
    return RegistryClient(PlainAccess(registry_site), spec, pauses.append)


def blob(client) -> bytes:
    with checked_blob(client, BLOB, "blob") as file:
        return file.read()


def error(call, *args) -> tuple[str, str]:
    with pytest.raises(RegistryError) as raised:
        call(*args)
    return raised.value.problems[0].code, str(raised.value.problems[0].where)


def test_a_manifest_by_tag_and_by_digest(client):
    assert client.manifest("4.20.3") == (IMAGE.manifest.data, IMAGE.digest)
    assert read_manifest(client, IMAGE.digest, "image").data == IMAGE.manifest.data


def test_a_list(registry, client):
    both = image_list({"amd64": IMAGE})
    registry.push(REPOSITORY, both, "multi")

    assert client.manifest("multi") == (both.manifest.data, both.digest)


def test_a_blob_moves_once(client, proxy):
    assert blob(client) == DATA
    assert [(seen.status, seen.sent) for seen in proxy.seen] == [(200, len(DATA))]
    assert client.bytes_received == len(DATA)


def test_a_broken_connection_is_continued_where_it_broke(client, proxy):
    proxy.cut, proxy.cuts = 300_000, 3

    assert blob(client) == DATA
    assert [seen.range for seen in proxy.seen] == ["", "bytes=300000-", "bytes=600000-", "bytes=900000-"]
    assert client.bytes_received == len(DATA)


def test_a_connection_that_breaks_at_once_is_given_up(client, proxy, pauses):
    proxy.cut, proxy.cuts = 0, 100

    assert error(blob, client)[0] == "registry-unreachable"
    assert len(proxy.seen) == 4
    assert pauses == [0.5, 1.0, 2.0]


def test_a_connection_that_breaks_again_and_again_is_given_up(client, proxy, monkeypatch):
    monkeypatch.setattr(client_file, "_MOST_BREAKS", 5)
    proxy.cut, proxy.cuts = 1, 100

    assert error(blob, client)[0] == "registry-unreachable"
    assert len(proxy.blobs) == 5


def test_an_answer_that_ignores_the_range_begins_again(client, proxy, monkeypatch):
    proxy.cut, proxy.cuts = 300_000, 1
    proxy.drop_ranges = True

    assert blob(client) == DATA
    assert client.bytes_received == len(DATA) + 300_000


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_registry_is_asked_again(client, proxy, status):
    proxy.statuses = [status, status]

    assert client.manifest("4.20.3").digest == IMAGE.digest
    proxy.statuses = [status] * 9
    assert error(client.manifest, "4.20.3")[0] == "registry-error"
    assert len(proxy.statuses) == 5


@pytest.mark.parametrize(
    ("status", "code"), [(401, "registry-unauthorized"), (403, "registry-unauthorized"), (418, "registry-error")]
)
def test_an_answer_that_is_final(client, proxy, status, code):
    proxy.statuses = [status] * 9

    assert error(client.manifest, "4.20.3") == (code, f"{proxy.host}/{REPOSITORY}@{IMAGE.digest}")
    assert len(proxy.statuses) == 8


def test_what_the_registry_does_not_have(client):
    assert error(client.manifest, "4.20.4")[0] == "image-not-found"
    assert error(client.manifest, "sha256:" + "0" * 64)[0] == "image-not-found"


TAMPERINGS = {
    "one byte": lambda body: body[:-1] + bytes([body[-1] ^ 1]),
    "shorter": lambda body: body[:-1],
    "longer": lambda body: body + b"x",
    "another": lambda body: bytes(len(body)),
    "empty": lambda body: b"",
}


@pytest.mark.parametrize("change", TAMPERINGS.values(), ids=TAMPERINGS)
def test_a_blob_that_is_changed_on_the_way(client, proxy, change):
    proxy.tamper = lambda path, body: change(body)

    assert error(blob, client)[0] == "wrong-digest"


@pytest.mark.parametrize("change", TAMPERINGS.values(), ids=TAMPERINGS)
def test_a_manifest_that_is_changed_on_the_way(client, proxy, change):
    proxy.tamper = lambda path, body: change(body)

    assert error(read_manifest, client, IMAGE.digest, "image")[0] == "wrong-digest"


def test_credentials_are_sent_after_a_challenge_and_to_no_other_host(registry_site, basic_registry, proxy):
    front = Proxy(basic_registry, registry_site.server_tls())
    try:
        front.redirect = proxy.url
        access = PlainAccess(registry_site, {front.host: BASIC})
        client = RegistryClient(access, PullSpec(front.host, REPOSITORY, "4.20.3"))

        assert client.manifest("4.20.3").digest == IMAGE.digest
        assert blob(client) == DATA
    finally:
        front.close()
    assert [seen.authorization for seen in front.seen] == ["", BASIC, BASIC]
    assert [seen.authorization for seen in proxy.seen] == [""]
    assert access.challenges[1] == ['Basic realm="tests"']


def test_wrong_credentials_are_sent_once(registry_site, basic_registry):
    access = PlainAccess(registry_site, {basic_registry.host: "Basic eDp5"})
    client = RegistryClient(access, PullSpec(basic_registry.host, REPOSITORY, "4.20.3"))

    assert error(client.manifest, "4.20.3")[0] == "registry-unauthorized"
    assert len(access.challenges) == 2


def test_a_redirect_away_from_tls_is_refused(client, proxy):
    proxy.redirect = "http://127.0.0.1:1"

    assert error(blob, client)[0] == "insecure-redirect"


@pytest.mark.parametrize("location", ["https://[bad", "https://127.0.0.1:x/", "https://127.0.0.1:99999/"])
def test_a_redirect_to_nowhere_is_refused(client, proxy, location):
    proxy.redirect = location

    with pytest.raises(RegistryError) as raised:
        blob(client)
    assert raised.value.problems[0].code == "invalid-redirect"
    assert location not in str(raised.value)


def test_endless_redirects(client, proxy):
    proxy.redirect = proxy.url

    assert error(blob, client)[0] == "too-many-redirects"


def test_mirrors_come_first_and_a_dead_one_costs_one_try(registry_site, registry, proxy, pauses):
    dead = f"127.0.0.1:{free_port()}"
    access = PlainAccess(registry_site, mirrors=[dead, proxy.host])
    client = RegistryClient(access, PullSpec(registry.host, REPOSITORY, "4.20.3"), pauses.append)

    assert client.manifest("4.20.3").digest == IMAGE.digest
    assert blob(client) == DATA
    assert (len(proxy.seen), pauses) == (2, [])
    assert client.source.registry == proxy.host


def test_the_answers_of_all_sources_are_reported(registry_site, proxy):
    dead = f"127.0.0.1:{free_port()}"
    client = RegistryClient(PlainAccess(registry_site, mirrors=[dead]), PullSpec(proxy.host, REPOSITORY, "no"))

    with pytest.raises(RegistryError) as raised:
        client.manifest("no")
    found = [(problem.code, str(problem.where).partition("/")[0]) for problem in raised.value.problems]
    assert found == [("registry-unreachable", dead), ("image-not-found", proxy.host)]


def test_the_sentences(registry_site, client, proxy):
    with pytest.raises(RegistryError) as raised:
        client.manifest("4.20.4")
    where = f"{proxy.host}/{REPOSITORY}@{IMAGE.digest}"
    assert str(raised.value) == f"{where}: the registry does not have this manifest. Correct the pull spec"
    dead = f"127.0.0.1:{free_port()}"
    refused = RegistryClient(PlainAccess(registry_site), PullSpec(dead, "a", "b"), lambda _: None)
    with pytest.raises(RegistryError) as raised:
        refused.manifest("b")
    message = str(raised.value)
    assert message.startswith(f"{dead}/a:b: cannot be reached: ")
    assert "Connection refused" in message
    assert "0x" not in message


def test_a_registry_of_an_unknown_authority(registry):
    import urllib3

    access = PlainAccess(registry.site)
    access._pool = urllib3.PoolManager()
    client = RegistryClient(
        access, PullSpec(registry.host, REPOSITORY, "4.20.3"), lambda _: pytest.fail("it tried again")
    )

    assert error(client.manifest, "4.20.3")[0] == "registry-unreachable"
