# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests and blobs that are checked against their digests, wherever they are from."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple, Protocol

from .._problems import Problem, RegistryError
from .image_manifest import Descriptor
from .pull_spec import is_digest

_IN_MEMORY = 8 << 20
"""Bytes of a blob that are kept in memory while its digest is unknown. The rest is in a temporary file."""


class StoredManifest(NamedTuple):
    """A manifest as it is stored, and its digest."""

    data: bytes
    digest: str


class BlobSink:
    """Takes the bytes of one blob, wherever they come from. ``where`` names their source in messages.

    ``taken`` gets their number after each write.
    """

    def __init__(self, descriptor: Descriptor, file: IO[bytes], taken: Callable[[int], None] | None = None) -> None:
        self.descriptor = descriptor
        self.where = ""
        self._file, self._taken = file, taken
        self.begin()

    def begin(self) -> None:
        """Forget all bytes."""
        self._size, self._hash = 0, hashlib.sha256()
        self._file.seek(0)
        self._file.truncate()

    def write(self, data: bytes) -> None:
        """Add bytes. Raises ``RegistryError`` as soon as there are more than the manifest announces."""
        self._size += len(data)
        if self._size > self.descriptor.size:
            raise self._wrong(f"is longer than the {self.descriptor.size} bytes that its manifest specifies")
        self._hash.update(data)
        self._file.write(data)
        if self._taken is not None:
            self._taken(self._size)

    def check(self) -> None:
        """Raise ``RegistryError`` if the bytes do not match the digest."""
        if self._size != self.descriptor.size:
            raise self._wrong(f"has {self._size} bytes, expected {self.descriptor.size}")
        found = f"sha256:{self._hash.hexdigest()}"
        if found != self.descriptor.digest:
            raise self._wrong(f"has the digest {found}")

    def _wrong(self, message: str) -> RegistryError:
        hint = "Read the image again, or from another source: it was changed or damaged during the transfer"
        text = f"the blob {self.descriptor.digest} {message}"
        return RegistryError([Problem("error", "wrong-digest", self.where, text, hint)])


class ImageStore(Protocol):
    """Something that has images: a registry, a layout, an archive. All methods raise ``RegistryError``."""

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a tag or a digest, checked against the digest."""

    def copy_blob(self, sink: BlobSink) -> None:
        """Write the blob of a sink's descriptor to it, and check it."""


def checked_manifest(data: bytes, reference: str, where: str) -> StoredManifest:
    """Return a manifest that was read by its tag or digest. Raises ``RegistryError`` if the digest is another one."""
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    if is_digest(reference) and digest != reference:
        message = f"the manifest has the digest {digest}, expected {reference}"
        hint = "Do not use this image: it was changed after it was named"
        raise RegistryError([Problem("error", "wrong-digest", where, message, hint)])
    return StoredManifest(data, digest)


@contextmanager
def checked_blob(
    store: ImageStore, descriptor: Descriptor, taken: Callable[[int], None] | None = None
) -> Iterator[IO[bytes]]:
    """Open a blob for reading, all of it checked against its digest. ``taken``: as for ``BlobSink``.

    Raises ``RegistryError``.
    """
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        store.copy_blob(BlobSink(descriptor, file, taken))
        file.seek(0)
        yield file
