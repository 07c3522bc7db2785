# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Debian's docker-registry on loopback: TLS by its own authority, and anonymous, basic or token credentials."""

from __future__ import annotations

import json
import shutil
import ssl
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import urllib3

from ansible_collections.capability.openshift.tests.control_plane.certificates import Authority, Certificate
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.control_plane.processes import Processes
from ansible_collections.capability.openshift.tests.registry.harness.tokens import SERVICE, TokenServer
from ansible_collections.capability.openshift.tests.unit.builders.images import Blob, Image

USER, PASSWORD = "puller", "open sesame"
_BCRYPT = "$2b$05$W6./W5KzrDayCVBGhlLL1u861DJIilO402bdQiiZyALEnECEAmHx."
"""Of the password: the registry accepts no other format."""
_SECONDS = 600.0


def mirror_sets(mirrors: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return mirror sets with which each source is read, also by tag, from its mirror."""
    entries = [{"source": source, "mirrors": [mirror]} for source, mirror in mirrors.items()]
    kinds = {"ImageDigestMirrorSet": "imageDigestMirrors", "ImageTagMirrorSet": "imageTagMirrors"}
    return [
        {"apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": {"name": "site"}, "spec": {field: entries}}
        for kind, field in kinds.items()
    ]


class Site:
    """A folder with an authority, its certificates and a storage, which all registries of a test run share."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("docker-registry")
        if program is None:
            pytest.fail("docker-registry is missing; install it (Debian: apt-get install docker-registry)")
        self.folder, self.program = folder, program
        self.authority = Authority("registry-tests")
        self.ca = folder / "ca.crt"
        self.ca.write_bytes(self.authority.certificate)
        self.serving: Certificate = self.authority.serving()
        self.certificate, self.key = folder / "tls.crt", folder / "tls.key"
        self.certificate.write_bytes(self.serving.certificate)
        self.key.write_bytes(self.serving.key)
        self.processes = Processes()

    def server_tls(self) -> ssl.SSLContext:
        """Return what a server in this process needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def client_tls(self) -> ssl.SSLContext:
        """Return what a client needs to trust the servers."""
        return ssl.create_default_context(cafile=str(self.ca))

    def close(self) -> None:
        """End all registries and remove the folder."""
        self.processes.close(self.folder)


class Registry:
    """A docker-registry. ``host`` is its name in pull specs."""

    def __init__(self, site: Site, *, auth: str = "", tokens: TokenServer | None = None, tls: bool = True) -> None:
        self.site = site
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"{'https' if tls else 'http'}://{self.host}"
        self._pool = urllib3.PoolManager(ssl_context=site.client_tls(), retries=False)
        self._start(auth, tokens, tls)

    def push(self, repository: str, image: Image, tag: str = "") -> str:
        """Store an image, with a tag if one is given, and return its digest. Only without credentials."""
        for other in image.images:
            self.push(repository, other)
        for blob in image.blobs:
            self.push_blob(repository, blob.data)
        return self.push_manifest(repository, image.manifest, tag)

    def push_blob(self, repository: str, data: bytes) -> str:
        """Store a blob, and return its digest."""
        blob = Blob(data, "")
        started = self._send("POST", f"/v2/{repository}/blobs/uploads/")
        location = started.headers["Location"]
        url = f"{location}{'&' if '?' in location else '?'}digest={blob.digest}"
        self._send("PUT", url.removeprefix(self.url), data, "application/octet-stream")
        return blob.digest

    def push_manifest(self, repository: str, manifest: Blob, tag: str = "") -> str:
        """Store a manifest whose blobs are there, and return its digest."""
        self._send("PUT", f"/v2/{repository}/manifests/{tag or manifest.digest}", manifest.data, manifest.media_type)
        return manifest.digest

    def _send(self, method: str, path: str, body: bytes = b"", media_type: str = "") -> urllib3.BaseHTTPResponse:
        headers = {"Content-Type": media_type} if media_type else {}
        response = self._pool.request(method, f"{self.url}{path}", body=body, headers=headers)
        assert response.status < 300, (method, path, response.status, response.data)
        return response

    def _start(self, auth: str, tokens: TokenServer | None, tls: bool) -> None:
        folder = self.site.folder / str(self.port)
        folder.mkdir()
        config: dict[str, Any] = {
            "version": "0.1",
            "log": {"level": "warn", "accesslog": {"disabled": True}},
            "storage": {
                "filesystem": {"rootdirectory": str(self.site.folder / "storage")},
                "delete": {"enabled": True},
            },
            "http": {"addr": self.host, "secret": "not one"},
        }
        if tls:
            config["http"]["tls"] = {"certificate": str(self.site.certificate), "key": str(self.site.key)}
        if auth == "basic":
            passwords = folder / "htpasswd"
            passwords.write_text(f"{USER}:{_BCRYPT}\n", "utf-8")
            config["auth"] = {"htpasswd": {"realm": "tests", "path": str(passwords)}}
        if tokens is not None:
            config["auth"] = {
                "token": {
                    "realm": f"{tokens.url}/token",
                    "service": SERVICE,
                    "issuer": tokens.issuer,
                    "rootcertbundle": str(self.site.certificate),
                }
            }
        # JSON is YAML.
        path = folder / "config.yml"
        path.write_text(json.dumps(config), "utf-8")
        log = folder / "log"
        self.site.processes.start(self.host, [self.site.program, "serve", str(path)], log)
        self._wait(log)

    def _wait(self, log: Path) -> None:
        deadline = time.monotonic() + _SECONDS
        while time.monotonic() < deadline:
            try:
                self._pool.request("GET", f"{self.url}/v2/", timeout=2.0)
            except urllib3.exceptions.HTTPError:
                if self.site.processes.ended(self.host) is not None:
                    break
                time.sleep(0.02)
            else:
                return
        pytest.fail(f"docker-registry does not answer: {log.read_text('utf-8')}")
