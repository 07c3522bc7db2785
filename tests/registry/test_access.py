# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way to real registries: TLS, credentials, tokens and proxies, without the client that reads images."""

from __future__ import annotations

import base64
import gzip
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpClient
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import checked_blob
from ansible_collections.capability.openshift.plugins.module_utils._registry.client import RegistryClient
from ansible_collections.capability.openshift.plugins.module_utils._registry.configured_access import configure_access
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import (
    ImageManifest,
    parse_manifest,
)
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec
from ansible_collections.capability.openshift.tests.control_plane.server import Server
from ansible_collections.capability.openshift.tests.registry.harness.proxy import Proxy
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER, Registry
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer

SMALL = image([layer({"file": b"text"})])
NOWHERE = {"HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"}


def pull_secret(*names, user=USER, password=PASSWORD):
    auth = base64.b64encode(f"{user}:{password}".encode()).decode()
    return json.dumps({"auths": {name: {"auth": auth} for name in names}})


@pytest.fixture
def access(registry_site):
    """Configure an access that trusts the registries of these tests."""

    def configure(environ=None, **options):
        problems = Problems()
        made = AccessOptions(**{"ca_path": str(registry_site.ca), **options})
        configured = configure_access(made, {**NOWHERE, **(environ or {})}, problems)
        problems.raise_errors(RegistryError)
        assert problems == []
        return configured

    return configure


def get(access, host, repository="private/image"):
    """Read a manifest as a module does, and return the first problem, or nothing."""
    try:
        RegistryClient(access, PullSpec(host, repository, None, SMALL.digest)).manifest(SMALL.digest)
    except RegistryError as error:
        return (error.problems[0].code, str(error.problems[0].where))
    return None


def denied(host):
    return "registry-unauthorized", f"{host}/private/image@{SMALL.digest}"


def unreachable(host):
    return "registry-unreachable", f"{host}/private/image@{SMALL.digest}"


def faults(error):
    return [(problem.code, str(problem.where)) for problem in error.value.problems]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(HttpClient, "pause", staticmethod(lambda seconds: None))


@pytest.fixture(scope="module", autouse=True)
def images(registry):
    registry.push("private/image", SMALL)
    registry.push("public/image", SMALL)


def test_a_password(access, basic_registry):
    host = basic_registry.host
    assert get(access(pull_secret=pull_secret(host)), host) is None
    assert get(access(pull_secret=pull_secret(f"{host}/private")), host) is None
    assert get(access(pull_secret=pull_secret(host, password="wrong")), host) == denied(host)
    wrong = json.loads(pull_secret(host, password="wrong"))
    right = json.loads(pull_secret(f"{host}/private/image"))
    assert get(access(pull_secret=json.dumps({"auths": {**wrong["auths"], **right["auths"]}})), host) is None


@pytest.mark.parametrize("secret", ['{"auths": {}}', pull_secret("127.0.0.1"), pull_secret("else.example")])
def test_no_credentials_for_this_registry(access, basic_registry, secret):
    assert get(access(pull_secret=secret), basic_registry.host) == denied(basic_registry.host)


def test_a_token(access, token_registry, tokens):
    host = token_registry.host
    allowed = access(pull_secret=pull_secret(host))
    tokens.requests.clear()

    assert get(allowed, host) is None
    assert get(allowed, host) is None

    assert [(query["scope"], known) for query, known in tokens.requests] == [(["repository:private/image:pull"], True)]
    assert get(access(), host, "public/image") is None
    assert get(access(), host) == denied(host)


def test_an_unknown_authority(access, registry, tmp_path):
    assert get(access(ca_path=None), registry.host) == unreachable(registry.host)
    assert get(access(ca_path=None, insecure_registries=[registry.host]), registry.host) is None
    assert get(access(ca_path=None, insecure_registries=["127.0.0.1"]), registry.host) == unreachable(registry.host)


def test_a_registry_without_tls(access, registry_site):
    plain = Registry(registry_site, tls=False)
    assert get(access(), plain.host) == unreachable(plain.host)
    assert get(access(insecure_registries=[plain.host]), plain.host) is None


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"ca_path": "/no/such/file"}, ("unreadable-file", "ca_path (/no/such/file)")),
        ({"ca_path": "/etc/passwd"}, ("invalid-certificate", "ca_path (/etc/passwd)")),
        ({"insecure_registries": ["a", "https://b"]}, ("invalid-registry", "insecure_registries[1]")),
        ({"auth_file": "/no/such/file"}, ("unreadable-file", "auth_file (/no/such/file)")),
        ({"mirrors": [1]}, ("not-a-map", "mirrors[0]")),
    ],
)
def test_options_that_are_not_valid(access, options, fault):
    with pytest.raises(RegistryError) as error:
        access(**options)
    assert faults(error) == [fault]


def test_an_image_with_a_tag_and_a_digest_is_read_by_its_digest(access):
    mirrors = {"imageDigestSources": [{"source": "quay.io/ocp", "mirrors": ["one.example:5000/x"]}]}
    found = access(mirrors=[mirrors]).sources(PullSpec("quay.io", "ocp/release", "4.20", SMALL.digest))
    assert [str(spec) for spec in found] == [
        f"one.example:5000/x/release:4.20@{SMALL.digest}",
        f"quay.io/ocp/release:4.20@{SMALL.digest}",
    ]


class Forwarder(Server):
    """A forward proxy: CONNECT to any name leads to one registry. ``asked`` has the names and credentials.

    ``status`` is answered instead, if it is set.
    """

    status = 0

    def __init__(self, registry):
        self.target = registry.host.split(":")
        self.asked: list[tuple[str, str]] = []
        super().__init__(_Connect, None)


class _Connect(BaseHTTPRequestHandler):
    server: Forwarder

    def do_CONNECT(self):
        self.server.asked.append((self.path, self.headers.get("Proxy-Authorization", "")))
        if self.server.status:
            self.send_error(self.server.status)
            return
        upstream = socket.create_connection((self.server.target[0], int(self.server.target[1])))
        self.send_response(200)
        self.end_headers()
        back = threading.Thread(target=pump, args=(upstream, self.connection), daemon=True)
        back.start()
        pump(self.connection, upstream)

    def log_message(self, *_):
        pass


def pump(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture
def forwarder(registry):
    server = Forwarder(registry)
    yield server
    server.close()


def test_a_proxy(access, forwarder):
    """The registry has a name that only the proxy knows, so its certificate does not fit."""
    proxied = {"HTTPS_PROXY": f"http://user:secret@{forwarder.host}"}
    direct = {**proxied, "NO_PROXY": ".invalid"}

    assert get(access(proxied, insecure_registries=["registry.invalid"]), "registry.invalid") is None
    assert forwarder.asked[0] == ("registry.invalid:443", "Basic dXNlcjpzZWNyZXQ=")
    assert get(access(proxied), "registry.invalid") == unreachable("registry.invalid")
    forwarder.asked.clear()
    assert get(access(direct), "registry.invalid") == unreachable("registry.invalid")
    assert forwarder.asked == []


def test_docker_hub_has_another_host_than_its_name(access, forwarder):
    get(access({"HTTPS_PROXY": f"http://{forwarder.host}"}), "docker.io")
    assert {host for host, _credentials in forwarder.asked} == {"registry-1.docker.io:443"}


def test_a_token_follows_no_redirect_to_another_host(access, registry, tokens, registry_site):
    """Both servers record what they received: the one that redirects, and the one that has the blobs."""
    front = Proxy(Registry(registry_site, tokens=tokens), registry_site.server_tls())
    store = Proxy(registry, registry_site.server_tls())
    front.redirect = store.url
    try:
        spec = PullSpec(front.host, "private/image", None, SMALL.digest)
        client = RegistryClient(access(pull_secret=pull_secret(front.host)), spec)
        manifest = parse_manifest(client.manifest(SMALL.digest).data, "image")
        assert isinstance(manifest, ImageManifest)
        with checked_blob(client, manifest.layers[0]) as file:
            assert file.read()
    finally:
        front.close()
        store.close()

    assert [seen.authorization[:7] for seen in front.seen] == ["", "Bearer ", "Bearer "]
    assert [(seen.status, seen.authorization) for seen in store.seen] == [(200, "")]


def test_credentials_of_the_source_do_not_go_to_its_mirror(access, basic_registry, registry_site, proxy):
    """Nor do those of the mirror go to the source."""
    front = Proxy(basic_registry, registry_site.server_tls())
    mirrors = {"imageDigestSources": [{"source": "quay.invalid/ocp", "mirrors": [f"{front.host}/private"]}]}
    spec = PullSpec("quay.invalid", "ocp/image", None, SMALL.digest)
    both = json.loads(pull_secret("quay.invalid", password="of the source"))["auths"]
    try:
        with pytest.raises(RegistryError) as error:
            RegistryClient(access(mirrors=[mirrors], pull_secret=json.dumps({"auths": both})), spec).manifest(
                SMALL.digest
            )
        assert {seen.authorization for seen in front.seen} == {""}
        assert "of the source" not in str(error.value)
        front.seen.clear()
        both |= json.loads(pull_secret(f"{front.host}/private"))["auths"]
        client = RegistryClient(access(mirrors=[mirrors], pull_secret=json.dumps({"auths": both})), spec)
        assert client.manifest(SMALL.digest).digest == SMALL.digest
        assert client.source.name == f"{front.host}/private/image"
    finally:
        front.close()


class Refuser(Server):
    """A token server that answers with whatever it is given."""

    def __init__(self, tls):
        self.answer: tuple[int, dict[str, str], bytes] = (200, {}, b"")
        super().__init__(_Answer, tls)


class _Answer(BaseHTTPRequestHandler):
    server: Refuser

    def do_GET(self):
        status, headers, body = self.server.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def refuser(registry_site):
    server = Refuser(registry_site.server_tls())
    yield server
    server.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((401, {}, b"the password open sesame is wrong"), "registry-unauthorized"),
        ((500, {}, b""), "registry-error"),
        ((307, {"Location": "https://127.0.0.1:1/"}, b""), "registry-unreachable"),
        ((200, {}, b"open sesame"), "invalid-token"),
        ((200, {}, b'{"token": "' + b"x" * (1 << 21) + b'"}'), "invalid-token"),
        (
            (200, {"Content-Encoding": "gzip"}, gzip.compress(b'{"token": "' + b" " * (1 << 27) + b'"}')),
            "invalid-token",
        ),
    ],
    ids=["refused", "error", "redirect", "text", "too long", "compressed"],
)
def test_a_token_server_that_misbehaves(access, refuser, answer, code):
    """Its text is not shown, and a compressed answer is not unpacked."""
    refuser.answer = answer
    spec = PullSpec("reg.example", "private/image", None, SMALL.digest)
    configured = access(pull_secret=pull_secret("reg.example"))
    with pytest.raises(RegistryError) as error:
        configured.authorization(spec, [f'Bearer realm="{refuser.url}/token"'])
    assert [problem.code for problem in error.value.problems] == [code]
    assert str(error.value.problems[0].where) == f"token server {refuser.host}"
    assert PASSWORD not in str(error.value)


def test_a_proxy_that_demands_credentials_is_asked_once(access, forwarder):
    forwarder.status = 407
    environ = {"HTTPS_PROXY": f"http://{forwarder.host}"}
    client = RegistryClient(access(environ), PullSpec("registry.invalid", "private/image", None, SMALL.digest))
    with pytest.raises(RegistryError) as error:
        client.manifest(SMALL.digest)
    assert len(forwarder.asked) == 1
    assert "the proxy answers: " in str(error.value)
    assert "407" in str(error.value)


def test_nothing_shows_a_secret(access):
    configured = access(pull_secret=pull_secret("reg.example"))
    spec = PullSpec("reg.example", "private/image", None, SMALL.digest)
    header = configured.authorization(spec, ["Basic"])
    shown = f"{configured} {vars(configured)} {AccessOptions(pull_secret=PASSWORD)}"
    assert header == "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    assert header.partition(" ")[2] not in shown
    assert PASSWORD not in shown
