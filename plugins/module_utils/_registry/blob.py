# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Blobs that are checked against their digest before a byte of them is used, and where they are stored."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple, Protocol

from .._problems import Problem
from .access import RegistryError
from .image_manifest import Descriptor
from .pull_spec import is_digest

_IN_MEMORY = 8 << 20
"""Bytes of a blob that are kept in memory while its digest is unknown. The rest is in a temporary file."""


class StoredManifest(NamedTuple):
    """A manifest as it is stored, and its digest."""

    data: bytes
    digest: str


class BlobSink:
    """Takes the bytes of one blob, from wherever they come. ``size``: how many it has."""

    def __init__(self, descriptor: Descriptor, where: str, file: IO[bytes]) -> None:
        self.descriptor, self.where = descriptor, where
        self.size = 0
        self._file = file
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Add bytes. Raises ``RegistryError`` as soon as there are more than the manifest announces."""
        self.size += len(data)
        if self.size > self.descriptor.size:
            message = f"is longer than the {self.descriptor.size} bytes that its manifest specifies"
            raise _wrong(self.where, self.descriptor, message)
        self._hash.update(data)
        self._file.write(data)

    def restart(self) -> None:
        """Forget all bytes."""
        self.size = 0
        self._hash = hashlib.sha256()
        self._file.seek(0)
        self._file.truncate()

    def check(self) -> None:
        """Raise ``RegistryError`` if the bytes are not those of the digest."""
        if self.size != self.descriptor.size:
            message = f"has {self.size} bytes, expected {self.descriptor.size}"
            raise _wrong(self.where, self.descriptor, message)
        found = f"sha256:{self._hash.hexdigest()}"
        if found != self.descriptor.digest:
            raise _wrong(self.where, self.descriptor, f"has the digest {found}")


class ImageStore(Protocol):
    """Something that has images: a registry, a layout, an archive. All methods raise ``RegistryError``."""

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a tag or a digest. The caller checks a digest."""

    def copy_blob(self, sink: BlobSink) -> None:
        """Write the blob of a sink's descriptor to it."""


def read_manifest(store: ImageStore, reference: str, where: str) -> StoredManifest:
    """Return a manifest by its tag or digest, its bytes checked against the digest. Raises ``RegistryError``."""
    found = store.manifest(reference)
    if is_digest(reference) and found.digest != reference:
        message = f"the manifest has the digest {found.digest}, expected {reference}"
        hint = "Do not use this image: it was changed after it was named"
        raise RegistryError([Problem("error", "wrong-digest", where, message, hint)])
    return found


@contextmanager
def checked_blob(store: ImageStore, descriptor: Descriptor, where: str) -> Iterator[IO[bytes]]:
    """Open a blob for reading, all of it checked against its digest. Raises ``RegistryError``."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        sink = BlobSink(descriptor, where, file)
        store.copy_blob(sink)
        sink.check()
        file.seek(0)
        yield file


def digest_of(data: bytes) -> str:
    """Return the digest of bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _wrong(where: str, descriptor: Descriptor, message: str) -> RegistryError:
    hint = "Read the image again, or from another source: it was changed or damaged during the transfer"
    return RegistryError([Problem("error", "wrong-digest", where, f"the blob {descriptor.digest} {message}", hint)])
