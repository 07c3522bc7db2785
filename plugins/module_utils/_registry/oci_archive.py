# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in a tar archive of an OCI image layout (opencontainers/image-spec:image-layout.md)."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterator
from typing import Any

from .._problems import Problem, RegistryError
from .blob import BlobSink, StoredManifest, checked_manifest
from .image_manifest import LARGEST_MANIFEST
from .layer import UNREADABLE_ARCHIVE
from .pull_spec import is_digest

REF_NAME = "org.opencontainers.image.ref.name"
"""The annotation with the name of an image (opencontainers/image-spec:annotations.md)."""
_CHUNK = 1 << 18
_MOST_SHOWN = 10


class OciArchive:
    """An image store. ``reference`` is the name of an image, empty for the only one.

    Only the names of the files are kept in memory. The constructor raises ``RegistryError``.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._archive = tarfile.open(path)  # noqa: SIM115  # blobs are read from it later
            members = [member for member in self._archive if member.isreg()]
            if _is_cut_off(self._archive):
                raise tarfile.ReadError("it ends within a file")
        except UNREADABLE_ARCHIVE as error:
            raise _unreadable(path, error) from None
        self._members = {member.name.removeprefix("./"): member for member in members}

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a name or a digest. Raises ``RegistryError``."""
        digest = reference if is_digest(reference) else self._find(reference)
        data = self._read_small(_blob_path(digest))
        if data is None:
            raise self._error("image-not-found", f"does not contain the manifest {digest}", "Copy the image again")
        return checked_manifest(data, digest, self._path)

    def copy_blob(self, sink: BlobSink) -> None:
        """Write the blob of a sink's descriptor to it. Raises ``RegistryError``."""
        sink.where = self._path
        sink.begin()
        name = _blob_path(sink.descriptor.digest)
        if name not in self._members:
            message = f"does not contain the blob {sink.descriptor.digest}"
            raise self._error("blob-not-found", message, "Copy the image with all of its layers")
        for data in self._chunks(name):
            sink.write(data)
        sink.check()

    def _find(self, name: str) -> str:
        """Return the digest of the image with a name, empty for the only image. Raises ``RegistryError``."""
        entries = self._entries()
        named = {
            str(annotations[REF_NAME]): entry
            for entry in entries
            if isinstance(annotations := entry.get("annotations"), dict) and REF_NAME in annotations
        }
        entry = named.get(name) if name else entries[0] if len(entries) == 1 else None
        if entry is not None and is_digest(entry.get("digest")):
            return str(entry["digest"])
        listed = ", ".join(sorted(named)[:_MOST_SHOWN]) or "no names"
        if name:
            message = f"has no image with the name {name!r}; it has {listed}"
        else:
            message = f"has {len(entries)} images, and no name is given; it has {listed}"
        raise self._error("image-not-found", message, "Add :NAME of one of the images")

    def _entries(self) -> list[dict[str, Any]]:
        data = self._read_small("index.json")
        if data is None:
            hint = "Name the archive that skopeo copy wrote"
            raise self._error("not-an-image", "has no index.json, so it is not an OCI image layout", hint)
        try:
            entries = json.loads(data).get("manifests")
        except (ValueError, AttributeError, RecursionError):
            entries = None
        if not isinstance(entries, list):
            message = "has an index.json that is not an image index"
            raise self._error("invalid-manifest", message, "Copy the image again")
        return [entry for entry in entries if isinstance(entry, dict)]

    def _read_small(self, name: str) -> bytes | None:
        """Return a manifest or the index; ``None`` if there is none. Raises ``RegistryError``."""
        if name not in self._members:
            return None
        if self._members[name].size > LARGEST_MANIFEST:
            message = f"has the file {name} of more than {LARGEST_MANIFEST} bytes"
            raise self._error("file-too-large", message, "Name an image of a release")
        return b"".join(self._chunks(name))

    def _chunks(self, name: str) -> Iterator[bytes]:
        try:
            if file := self._archive.extractfile(self._members[name]):
                while data := file.read(_CHUNK):
                    yield data
        except UNREADABLE_ARCHIVE as error:
            raise _unreadable(os.path.join(self._path, name), error) from None

    def _error(self, code: str, message: str, hint: str) -> RegistryError:
        return RegistryError([Problem("error", code, self._path, message, hint)])


def _blob_path(digest: str) -> str:
    return f"blobs/sha256/{digest.partition(':')[2]}"


def _is_cut_off(archive: tarfile.TarFile) -> bool:
    """Whether an archive that was read to its end has less than it should, which ``tarfile`` does not report.

    A compressed file that is cut off cannot be read at all.
    """
    if not archive.offset or not isinstance(archive.fileobj, io.BufferedReader):
        return False
    archive.fileobj.seek(archive.offset - 1)
    last, next_header = archive.fileobj.read(1), archive.fileobj.read(tarfile.BLOCKSIZE)
    return not last or 0 < len(next_header) < tarfile.BLOCKSIZE


def _unreadable(where: str, error: Exception) -> RegistryError:
    # For a file that is no archive, further lines name the kinds of archives that were tried.
    text = str(error).partition("\n")[0].rstrip(":")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else text
    message, hint = f"cannot be read: {reason}", "Correct the path, or copy the image again"
    return RegistryError([Problem("error", "unreadable-image", where, message, hint)])
