# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the way to an API server can say: real errors of sockets and TLS on loopback, and no secret in any of them."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import urllib3
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import connection_error
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem
from ansible_collections.capability.openshift.plugins.module_utils._resources import CLUSTER_VERSIONS, Target

SHOWN = "clusterversions.config.openshift.io version"
NO_ANSWER = "Check the address, the network and the proxy, and that the API server runs"
SECRET = "sha256~c2VjcmV0"
WAYS = [False, urllib3.Retry(0)]
"""urllib3 says what went wrong as it is, or wrapped in that it has tried often enough."""


class Certificate(NamedTuple):
    path: Path
    key: ec.EllipticCurvePrivateKey


def certificate(folder: Path, name: str, *, address: str = "127.0.0.1", days: int = 1) -> Certificate:
    """Write a certificate that signs itself, and its key, into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    end = datetime.now(UTC) + timedelta(days=days)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))])
    built = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    built = built.not_valid_before(end - timedelta(days=9)).not_valid_after(end)
    signed = built.add_extension(names, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / f"{name}.pem"
    path.write_bytes(private + signed.public_bytes(Encoding.PEM))
    return Certificate(path, key)


@contextmanager
def server(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """Serve the connections to a port of loopback, one after the other."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(10)

        def run() -> None:
            with suppress(OSError):
                while True:
                    connection, _address = listening.accept()
                    with connection, suppress(OSError):
                        connection.settimeout(10)
                        serve(connection)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


def tls(chain: Path, *, clients: Path | None = None) -> Callable[[socket.socket], None]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # refuses clients in the handshake already
    context.load_cert_chain(chain)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as wrapped:
            wrapped.recv(1000)

    return serve


def asked(host: str, retries: Any, seconds: float = 30.0, **pool: Any) -> Problem:
    """Return what is said of a request that gets no answer within ``seconds``."""
    with urllib3.PoolManager(**pool) as manager:
        try:
            manager.request(
                "GET", f"{host}/x", headers={"Authorization": f"Bearer {SECRET}"}, retries=retries, timeout=seconds
            )
        except Exception as error:
            return the_problem(connection_error(error, "get", SHOWN, host), host)
    raise AssertionError("there was an answer")


def the_problem(error: ClusterError, host: str) -> Problem:
    (problem,) = error.problems
    assert (problem.severity, problem.where) == ("error", "")
    assert problem.message.startswith(f"cannot get {SHOWN}: ")
    assert host in problem.message
    assert "\n" not in problem.message
    assert problem.hint
    assert SECRET not in str(error)
    return problem


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def good(folder: Path) -> Path:
    return certificate(folder, "good").path


@pytest.mark.parametrize("retries", WAYS)
def test_a_certificate_of_another_authority_is_not_trusted(folder, good, retries):
    other = certificate(folder, "other").path
    with server(tls(good)) as port:
        problem = asked(f"https://127.0.0.1:{port}", retries, ca_certs=str(other))

    assert f"the certificate of https://127.0.0.1:{port} is not trusted (self" in problem.message
    assert problem.hint == "Give the CA that signed it (ca_cert, or certificate-authority in the kubeconfig)"


@pytest.mark.parametrize("retries", WAYS)
@pytest.mark.parametrize(
    ("name", "facts", "said"),
    [
        ("elsewhere", {"address": "192.0.2.1"}, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
        ("expired", {"days": -1}, "certificate has expired"),
    ],
)
def test_a_certificate_that_is_not_valid_is_not_trusted(folder, name, facts, said, retries):
    path = certificate(folder, name, **facts).path
    with server(tls(path)) as port:
        problem = asked(f"https://127.0.0.1:{port}", retries, ca_certs=str(path))

    assert f"is not trusted ({said}" in problem.message


@pytest.mark.parametrize("retries", WAYS)
def test_a_port_without_tls_is_told(retries):
    with server(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        problem = asked(f"https://127.0.0.1:{port}", retries)

    assert f"no TLS with https://127.0.0.1:{port} (" in problem.message
    assert problem.hint == "Check address and port, and the client certificate"


@pytest.mark.parametrize("retries", WAYS)
def test_a_server_that_wants_a_client_certificate_is_told(good, retries):
    with server(tls(good, clients=good)) as port:
        problem = asked(f"https://127.0.0.1:{port}", retries, ca_certs=str(good))

    assert f"no TLS with https://127.0.0.1:{port} (" in problem.message


@pytest.mark.parametrize("retries", WAYS)
def test_a_refused_connection_is_told(retries):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = f"http://127.0.0.1:{listening.getsockname()[1]}"

    problem = asked(host, retries)

    assert problem.message.startswith(f"cannot get {SHOWN}: {host} does not answer ([Errno ")
    assert problem.message.endswith("] Connection refused)")
    assert problem.hint == f"Write https:// before the address, unless the server uses plain HTTP. {NO_ANSWER}"


@pytest.mark.parametrize("retries", WAYS)
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "Remote end closed connection without response"),
        (b"not HTTP at all\r\n\r\n", "not HTTP at all"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "IncompleteRead(4 bytes read, 5 more expected)"),
    ],
)
def test_a_broken_answer_is_told(answer, said, retries):
    def serve(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(answer)

    with server(serve) as port:
        problem = asked(f"http://127.0.0.1:{port}", retries)

    assert f"does not answer ({said}" in problem.message
    assert problem.hint == f"Write https:// before the address, unless the server uses plain HTTP. {NO_ANSWER}"


@pytest.mark.parametrize("retries", WAYS)
def test_a_server_that_says_nothing_is_told(retries):
    def wait(connection: socket.socket) -> None:
        while connection.recv(1000):
            pass

    with server(wait) as port:
        problem = asked(f"http://127.0.0.1:{port}", retries, 0.3)

    assert "does not answer (timed out)" in problem.message


@pytest.mark.parametrize("retries", WAYS)
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError("timed out"), "timed out"),
        (OSError(113, "No route to host"), "[Errno 113] No route to host"),
    ],
)
def test_a_connection_that_cannot_be_made_is_told(monkeypatch, error, said, retries):
    def connect(*_arguments: Any, **_options: Any) -> None:
        raise error

    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)

    assert asked("http://192.0.2.1:6443", retries).message.endswith(f"http://192.0.2.1:6443 does not answer ({said})")


@pytest.mark.parametrize("retries", WAYS)
def test_a_name_that_nobody_knows_is_told(monkeypatch, retries):
    def resolve(*_arguments: Any, **_options: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", resolve)

    problem = asked("https://api.nowhere.invalid:6443", retries)
    assert problem.message.endswith("does not answer ([Errno -2] Name or service not known)")


@pytest.mark.parametrize(
    "token",
    [f"Bearer {SECRET}\n", f"Bearer {SECRET}\r\nX-Other: yes", f"Bearer {SECRET}\n{SECRET}", f"Bearer {SECRET}\u2026"],
    ids=["ends with a line break", "another header", "two lines", "not Latin-1"],
)
def test_a_token_that_no_header_can_carry_is_not_shown(token):
    """As a file gives it that was read whole: http.client repeats the value, and Ansible masks only what is equal."""
    with urllib3.PoolManager() as manager, pytest.raises(ClusterError) as raised:
        Client("http://127.0.0.1:9", manager, [], lambda: token).get(Target(CLUSTER_VERSIONS, "version"))

    assert SECRET not in str(raised.value)


def test_an_error_without_a_cause_speaks_for_itself():
    problem = the_problem(connection_error(ValueError(), "get", SHOWN, "https://a"), "https://a")

    assert problem.message == f"cannot get {SHOWN}: https://a does not answer (ValueError)"
