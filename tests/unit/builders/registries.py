# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A model of registries, which answers the requests of a real ``RegistryClient``. tests/registry has real ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpAnswer
from ansible_collections.capability.openshift.plugins.module_utils._http.error import HttpError
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.configured_access import ConfiguredAccess
from ansible_collections.capability.openshift.plugins.module_utils._registry.credentials import read_credentials
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirror_files import read_mirrors
from ansible_collections.capability.openshift.tests.unit.builders.images import Image

NOWHERE = {"HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"}


class Registries:
    """Registries without credentials. ``down``: hosts that do not answer. ``answers`` are by path of a URL.

    ``insecure``: hosts whose certificates are not verified.
    """

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.down: set[str] = set()
        self.insecure: set[str] = set()
        self.requests: list[str] = []

    def push(self, name: str, image: Image, tag: str = "") -> None:
        """Store an image, and those that it lists, in the repository ``name``."""
        self.store(name, "manifests", image.manifest.digest, image.manifest.data)
        if tag:
            self.store(name, "manifests", tag, image.manifest.data)
        for blob in image.blobs:
            self.store(name, "blobs", blob.digest, blob.data)
        for listed in image.images:
            self.push(name, listed)

    def store(self, name: str, kind: str, reference: str, data: bytes) -> None:
        """Store a manifest or a blob."""
        registry, _slash, repository = name.partition("/")
        self.answers[f"{registry}/v2/{repository}/{kind}/{reference}"] = 200, data

    def access(self, mirrors: Mapping[str, Sequence[str]] | None = None) -> ConfiguredAccess:
        """The access to them, with ``mirrors`` by their source."""
        sets = [{"source": source, "mirrors": list(names)} for source, names in (mirrors or {}).items()]
        problems = Problems()
        rules = read_mirrors([{"imageDigestSources": sets}] if sets else [], problems)
        credentials = read_credentials(None, None, NOWHERE, problems)
        assert problems == []
        client: Any = self
        return ConfiguredAccess(rules, credentials, client)

    def is_insecure(self, host: str) -> bool:
        return host in self.insecure

    def request(
        self, url: str, _headers: Any = None, *, method: str = "GET", writer: Any = None, most: int = 0, **_more: Any
    ) -> HttpAnswer:
        """Answer a request, as ``HttpClient`` does."""
        path = url.removeprefix("https://")
        self.requests.append(f"{method} {path}")
        if path.partition("/")[0] in self.down:
            raise HttpError("unreachable", "cannot be reached", "Check the host")
        status, data = self.answers.get(path, (404, b""))
        sizes = {"Content-Length": str(len(data))}
        if method == "HEAD" or writer is not None:
            if writer is not None and status == 200:
                writer.begin()
                writer.write(data)
            return HttpAnswer(status, b"", sizes)
        return HttpAnswer(status, data[: most + 1], sizes)
