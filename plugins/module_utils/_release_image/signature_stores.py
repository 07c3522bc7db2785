# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where signatures are looked for: ConfigMaps, and stores that are asked at the same time."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from .._problems import Problems
from .._resources import Object, nested

LAST_SIGNATURE = 9
"""Signatures are numbered from 1 to 9 (openshift/library-go:pkg/verify/verify.go maxSignatureSearch, exclusive)."""

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


Found = Iterator[FoundSignature]


class Store(Protocol):
    """A place with signatures. ``name`` is for messages."""

    @property
    def name(self) -> str:
        """The URL, path, or kind of the store."""

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield the signatures for ``digest`` in their order. Report what cannot be read."""


class ConfigMapStore(NamedTuple):
    """The ``binaryData`` of ConfigMaps with ``SIGNATURE_LABEL`` in ``SIGNATURE_NAMESPACE``. The CVO reads no others.

    Source: openshift/library-go:pkg/verify/store/configmap/configmap.go.
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
                if not _is_read(config_map):
                    message = "is in a ConfigMap that no CVO reads, expected the label "
                    message += f"{SIGNATURE_LABEL}, and the namespace {SIGNATURE_NAMESPACE}"
                    problems.error("signature-not-labeled", where, message, "Set both")
                    continue
                try:
                    yield FoundSignature(base64.b64decode(str(entries[key]), validate=True), where)
                except binascii.Error:
                    problems.error("signature-not-base64", where, "is not base64", "Create the ConfigMap again")


def _is_read(config_map: Object) -> bool:
    """Whether the CVO reads it. A file can have no namespace, which is set when it is applied."""
    labels, namespace = nested(config_map, "metadata", "labels"), nested(config_map, "metadata", "namespace")
    return isinstance(labels, dict) and SIGNATURE_LABEL in labels and namespace in (None, SIGNATURE_NAMESPACE)
