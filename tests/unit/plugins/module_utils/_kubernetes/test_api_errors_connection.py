# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Failed connections: real errors of sockets and TLS on loopback, and no secret in any of them."""

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
"""With them urllib3 raises the error itself, or an error that wraps it."""


class Certificate(NamedTuple):
    path: Path
    key: ec.EllipticCurvePrivateKey


def certificate(folder: Path, name: str, *, address: str = "127.0.0.1", days: int = 1) -> Certificate:
    """Write a self-signed certificate and its key to one file."""
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
    """Serve the connections to a port on loopback, one after the other."""
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
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # rejects clients during the handshake
    context.load_cert_chain(chain)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as wrapped:
            wrapped.recv(1000)

    return serve


def problem_of(host: str, retries: Any, seconds: float = 30.0, **pool: Any) -> Problem:
    """Return the problem of a request without an answer within ``seconds``."""
    with urllib3.PoolManager(**pool) as manager:
        try:
            manager.request(
                "GET", f"{host}/x", headers={"Authorization": f"Bearer {SECRET}"}, retries=retries, timeout=seconds
            )
        except Exception as error:
            return checked_problem(connection_error(error, "get", SHOWN, host, 0.0), host)
    raise AssertionError("there was an answer")


def checked_problem(error: ClusterError, host: str) -> Problem:
    (problem,) = error.problems
    assert (problem.severity, str(problem.where)) == ("error", "")
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
        problem = problem_of(f"https://127.0.0.1:{port}", retries, ca_certs=str(other))

    assert f"the certificate of https://127.0.0.1:{port} is not trusted (self" in problem.message
    assert problem.code == "untrusted-certificate"
    assert problem.hint == "Set the CA that signed it (ca_cert, or certificate-authority in the kubeconfig)"


@pytest.mark.parametrize("retries", WAYS)
@pytest.mark.parametrize(
    ("name", "properties", "text"),
    [
        ("elsewhere", {"address": "192.0.2.1"}, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
        ("expired", {"days": -1}, "certificate has expired"),
    ],
)
def test_an_invalid_certificate_is_not_trusted(folder, name, properties, text, retries):
    path = certificate(folder, name, **properties).path
    with server(tls(path)) as port:
        problem = problem_of(f"https://127.0.0.1:{port}", retries, ca_certs=str(path))

    assert f"is not trusted ({text}" in problem.message


@pytest.mark.parametrize("retries", WAYS)
def test_a_port_without_tls_is_reported(retries):
    with server(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        problem = problem_of(f"https://127.0.0.1:{port}", retries)

    assert f"the TLS handshake with https://127.0.0.1:{port} fails (" in problem.message
    assert (problem.code, problem.hint) == ("failed-tls", "Check the address, the port and the client certificate")


@pytest.mark.parametrize("retries", WAYS)
def test_a_server_that_requires_a_client_certificate_is_reported(good, retries):
    with server(tls(good, clients=good)) as port:
        problem = problem_of(f"https://127.0.0.1:{port}", retries, ca_certs=str(good))

    assert f"the TLS handshake with https://127.0.0.1:{port} fails (" in problem.message


@pytest.mark.parametrize("retries", WAYS)
def test_a_refused_connection_is_reported(retries):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = f"http://127.0.0.1:{listening.getsockname()[1]}"

    problem = problem_of(host, retries)

    assert problem.message.startswith(f"cannot get {SHOWN}: {host} does not answer ([Errno ")
    assert problem.code == "unreachable-server"
    assert problem.message.endswith("] Connection refused)")
    assert problem.hint == f"Write https:// before the address, unless the server uses plain HTTP. {NO_ANSWER}"


@pytest.mark.parametrize("retries", WAYS)
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"", "Remote end closed connection without response"),
        (b"not HTTP at all\r\n\r\n", "not HTTP at all"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "IncompleteRead(4 bytes read, 5 more expected)"),
    ],
)
def test_a_broken_answer_is_reported(answer, text, retries):
    def serve(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(answer)

    with server(serve) as port:
        problem = problem_of(f"http://127.0.0.1:{port}", retries)

    assert f"does not answer ({text}" in problem.message
    assert problem.hint == f"Write https:// before the address, unless the server uses plain HTTP. {NO_ANSWER}"


@pytest.mark.parametrize("retries", WAYS)
def test_a_silent_server_is_reported(retries):
    def wait(connection: socket.socket) -> None:
        while connection.recv(1000):
            pass

    with server(wait) as port:
        problem = problem_of(f"http://127.0.0.1:{port}", retries, 0.3)

    assert "does not answer (timed out)" in problem.message


@pytest.mark.parametrize("retries", WAYS)
@pytest.mark.parametrize(
    ("error", "text"),
    [(TimeoutError("timed out"), "timed out"), (OSError(113, "No route to host"), "[Errno 113] No route to host")],
)
def test_a_failed_connection_attempt_is_reported(monkeypatch, error, text, retries):
    def connect(*_arguments: Any, **_options: Any) -> None:
        raise error

    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)

    assert problem_of("http://192.0.2.1:6443", retries).message.endswith(
        f"http://192.0.2.1:6443 does not answer ({text})"
    )


@pytest.mark.parametrize("retries", WAYS)
def test_an_unknown_host_name_is_reported(monkeypatch, retries):
    def resolve(*_arguments: Any, **_options: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", resolve)

    problem = problem_of("https://api.nowhere.invalid:6443", retries)
    assert problem.message.endswith("does not answer ([Errno -2] Name or service not known)")


@pytest.mark.parametrize(
    "token",
    [f"Bearer {SECRET}\n", f"Bearer {SECRET}\r\nX-Other: yes", f"Bearer {SECRET}\n{SECRET}", f"Bearer {SECRET}\u2026"],
    ids=["ends with a line break", "another header", "two lines", "not Latin-1"],
)
def test_a_token_that_is_not_valid_in_a_header_is_not_shown(token):
    """A file can end with a line break. http.client quotes the value, and Ansible masks equal strings only."""
    with urllib3.PoolManager() as manager, pytest.raises(ClusterError) as raised:
        Client("http://127.0.0.1:9", manager, [], lambda: token).get(Target(CLUSTER_VERSIONS, "version"))

    assert [problem.code for problem in raised.value.problems] == ["invalid-header"]
    assert SECRET not in str(raised.value)


def test_an_error_without_a_cause_is_reported():
    problem = checked_problem(connection_error(ValueError(), "get", SHOWN, "https://a", 0.0), "https://a")

    assert problem.message == f"cannot get {SHOWN}: https://a does not answer (ValueError)"
