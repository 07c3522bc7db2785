# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where signatures are looked for: ConfigMaps, and stores that are asked at the same time."""

from __future__ import annotations

import base64
import binascii
import queue
import threading
import time
from collections.abc import Generator
from typing import NamedTuple, Protocol

from .._problems import Problem, Problems
from .._resources import Object, nested

LAST_SIGNATURE = 9
"""Signatures are numbered from 1 to 9 (openshift/library-go:pkg/verify/verify.go maxSignatureSearch, exclusive)."""

STORE_SECONDS = 60.0
"""Seconds after which stores that are asked at the same time are given up."""

SIGNATURE_LABEL = "release.openshift.io/verification-signatures"
SIGNATURE_NAMESPACE = "openshift-config-managed"


def key_prefix(digest: str, separator: str) -> str:
    """Write ``sha256:HEX`` as stores do: ``sha256=HEX`` in URLs and folders, ``sha256-HEX`` in ConfigMaps and tags."""
    algorithm, _colon, value = digest.partition(":")
    return f"{algorithm}{separator}{value}"


class FoundSignature(NamedTuple):
    """A signature that is not verified yet, and where it is from: a URL, a file, or the entry of a ConfigMap."""

    data: bytes
    source: str


Found = Generator[FoundSignature, None, None]


class Store(Protocol):
    """A place with signatures. ``name`` is for messages."""

    @property
    def name(self) -> str:
        """The URL, path, or kind of the store."""

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield the signatures for ``digest`` in their order. Report what cannot be read."""


class ConfigMapStore(NamedTuple):
    """The ``binaryData`` of ConfigMaps (openshift/library-go:pkg/verify/store/configmap/configmap.go).

    In a cluster, they have the label ``SIGNATURE_LABEL`` in ``SIGNATURE_NAMESPACE``.
    """

    name: str
    config_maps: tuple[Object, ...]

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield the entries whose keys begin with the digest."""
        for config_map in self.config_maps:
            entries = nested(config_map, "binaryData")
            for key in sorted(entries) if isinstance(entries, dict) else ():
                if not key.startswith(key_prefix(digest, "-")):
                    continue
                where = f"{self.name}: {nested(config_map, 'metadata', 'name')}.binaryData.{key}"
                try:
                    yield FoundSignature(base64.b64decode(str(entries[key]), validate=True), where)
                except binascii.Error:
                    problems.error("signature-not-base64", where, "is not base64", "Create the ConfigMap again")


class ParallelStores(NamedTuple):
    """Stores that are asked at the same time (openshift/library-go:pkg/verify/store/parallel/parallel.go)."""

    stores: tuple[Store, ...]
    seconds: float = STORE_SECONDS

    @property
    def name(self) -> str:
        """The names of all stores."""
        return ", ".join(store.name for store in self.stores)

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield the signatures of all stores as they arrive. Closing the generator stops all stores."""
        answers: queue.Queue[FoundSignature | Problem | None] = queue.Queue()
        stop = threading.Event()
        for store in self.stores:
            # A daemon, because a store that does not answer must not delay the end of the process.
            threading.Thread(target=_ask, args=(store, digest, answers, stop), daemon=True).start()
        try:
            yield from self._answers(answers, problems)
        finally:
            stop.set()

    def _answers(self, answers: queue.Queue[FoundSignature | Problem | None], problems: Problems) -> Found:
        deadline, missing = time.monotonic() + self.seconds, len(self.stores)
        while missing:
            try:
                answer = answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                problems.error("store-timeout", self.name, f"has not answered after {self.seconds:.0f} seconds")
                return
            if answer is None:
                missing -= 1
            elif isinstance(answer, Problem):
                problems.append(answer)
            else:
                yield answer


def _ask(
    store: Store, digest: str, answers: queue.Queue[FoundSignature | Problem | None], stop: threading.Event
) -> None:
    problems = Problems()
    try:
        for found in store.signatures(digest, problems):
            answers.put(found)
            if stop.is_set():
                break
    finally:
        for problem in problems.unique():
            answers.put(problem)
        answers.put(None)
