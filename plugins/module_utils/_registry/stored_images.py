# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in tar archives: of an OCI image layout, and of the storage of a registry, as oc-mirror v2 has them.

The formats: opencontainers/image-spec:image-layout.md; distribution:registry/storage/paths.go;
oc-mirror:v2/internal/pkg/archive.
"""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from .._problems import Problem, RegistryError
from .blob import BlobSink, StoredManifest, checked_manifest
from .image_manifest import LARGEST_MANIFEST
from .layer import UNREADABLE_ARCHIVE
from .pull_spec import is_digest

_CHUNK = 1 << 18
_MOST_SHOWN = 10
REF_NAME = "org.opencontainers.image.ref.name"
"""The annotation with the name of an image (opencontainers/image-spec:annotations.md)."""
_ROOT = "docker/registry/v2"
_TAG = re.compile(rf"(?:.*/)?{_ROOT}/repositories/(?:.*/)?release-images/_manifests/tags/([^/]+)/current/link")
"""oc-mirror:v2/internal/pkg/release/const.go: release images are in a repository of this name."""
_LARGEST_LINK = 128


class ArchiveFiles:
    """The files in tar archives, which together are one tree. Only their names are kept in memory.

    ``location`` is their place for messages.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.location = paths[0] if len(paths) == 1 else os.path.dirname(paths[0])
        self._members: dict[str, tuple[tarfile.TarFile, tarfile.TarInfo]] = {}
        for path in paths:
            try:
                archive = tarfile.open(path)  # noqa: SIM115  # blobs are read from it later
                for member in archive:
                    if member.isreg():
                        self._members[member.name.removeprefix("./")] = (archive, member)
                if _is_cut_off(archive):
                    raise tarfile.ReadError("it ends within a file")
            except UNREADABLE_ARCHIVE as error:
                raise unreadable(path, error) from None

    def names(self) -> Iterator[str]:
        """Yield the paths of all files."""
        yield from self._members

    def open(self, name: str) -> IO[bytes] | None:
        """Open a file; ``None`` if there is none. Raises ``RegistryError``."""
        if name not in self._members:
            return None
        archive, member = self._members[name]
        return archive.extractfile(member)


def _is_cut_off(archive: tarfile.TarFile) -> bool:
    """Whether an archive that was read to its end has less than it should, which ``tarfile`` does not report.

    A compressed file that is cut off cannot be read at all.
    """
    if not archive.offset or not isinstance(archive.fileobj, io.BufferedReader):
        return False
    archive.fileobj.seek(archive.offset - 1)
    last, next_header = archive.fileobj.read(1), archive.fileobj.read(tarfile.BLOCKSIZE)
    return not last or 0 < len(next_header) < tarfile.BLOCKSIZE


class StoredImages:
    """Images whose manifests and blobs are files. A subclass knows their paths, and finds an image by its name."""

    complete_hint: str
    """What to do if a blob is missing."""

    def __init__(self, files: ArchiveFiles) -> None:
        self.files = files

    def path(self, digest: str) -> str:
        """Return the path of a blob or manifest."""
        raise NotImplementedError

    def find(self, name: str) -> str:
        """Return the digest of the image with a name, empty for the only image. Raises ``RegistryError``."""
        raise NotImplementedError

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a name or a digest. Raises ``RegistryError``."""
        digest = reference if is_digest(reference) else self.find(reference)
        data = self.read_small(self.path(digest), LARGEST_MANIFEST)
        if data is None:
            raise self.missing(digest)
        return checked_manifest(data, digest, self.files.location)

    def missing(self, digest: str) -> RegistryError:
        """Return the error for an image that is not there."""
        return self.error("image-not-found", f"does not contain the manifest {digest}", "Copy the image again")

    def copy_blob(self, sink: BlobSink) -> None:
        """Write the blob of a sink's descriptor to it. Raises ``RegistryError``."""
        sink.where = self.files.location
        sink.begin()
        parts = self._chunks(self.path(sink.descriptor.digest))
        if parts is None:
            message = f"does not contain the blob {sink.descriptor.digest}"
            raise self.error("blob-not-found", message, self.complete_hint)
        for data in parts:
            sink.write(data)
        sink.check()

    def read_small(self, name: str, largest: int) -> bytes | None:
        """Return a file of at most ``largest`` bytes; ``None`` if there is none. Raises ``RegistryError``."""
        parts = self._chunks(name)
        if parts is None:
            return None
        data = b""
        for part in parts:
            data += part
            if len(data) > largest:
                raise self.error(
                    "file-too-large", f"has the file {name} of more than {largest} bytes", "Name an image of a release"
                )
        return data

    def _chunks(self, name: str) -> Iterator[bytes] | None:
        file = self.files.open(name)
        return None if file is None else _read(file, os.path.join(self.files.location, name))

    def error(self, code: str, message: str, hint: str) -> RegistryError:
        """Return the error for these files."""
        return RegistryError([Problem("error", code, self.files.location, message, hint)])


def _read(file: IO[bytes], place: str) -> Iterator[bytes]:
    with file:
        try:
            while data := file.read(_CHUNK):
                yield data
        except UNREADABLE_ARCHIVE as error:
            raise unreadable(place, error) from None


def unreadable(path: str, error: Exception) -> RegistryError:
    """Return the error for a file that cannot be read."""
    # For a file that is no archive, further lines name the kinds of archives that were tried.
    text = str(error).partition("\n")[0].rstrip(":")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else text
    message, hint = f"cannot be read: {reason}", "Correct the path, or copy the image again"
    return RegistryError([Problem("error", "unreadable-image", path, message, hint)])


class OciLayout(StoredImages):
    """An image store. ``reference`` is the name of an image, empty for the only one."""

    complete_hint = "Copy the image with all of its layers"

    def path(self, digest: str) -> str:
        """Return the path of a blob or manifest."""
        return f"blobs/sha256/{digest.partition(':')[2]}"

    def find(self, name: str) -> str:
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
        raise self.error("image-not-found", message, "Add :NAME of one of the images")

    def _entries(self) -> list[dict[str, Any]]:
        data = self.read_small("index.json", LARGEST_MANIFEST)
        if data is None:
            hint = "Name the archive that skopeo copy wrote"
            raise self.error("not-an-image", "has no index.json, so it is not an OCI image layout", hint)
        try:
            entries = json.loads(data).get("manifests")
        except (ValueError, AttributeError, RecursionError):
            entries = None
        if not isinstance(entries, list):
            message = "has an index.json that is not an image index"
            raise self.error("invalid-manifest", message, "Copy the image again")
        return [entry for entry in entries if isinstance(entry, dict)]


class RegistryStorage(StoredImages):
    """An image store. ``reference`` is a digest, or empty for the only release."""

    complete_hint = "Name the directory with all archives of the mirror: later runs archive only new content"

    def path(self, digest: str) -> str:
        """Return the path of a blob or manifest."""
        name = digest.partition(":")[2]
        return f"{_ROOT}/blobs/sha256/{name[:2]}/{name}/data"

    def missing(self, digest: str) -> RegistryError:
        """Return the error for an image that is not there."""
        message = f"does not contain the image {digest}; it has {_describe(self._releases())}"
        return self.error("image-not-found", message, "Correct the digest, or name the archive that has it")

    def find(self, _name: str) -> str:
        """Return the digest of the only release: an archive has no names. Raises ``RegistryError``."""
        releases = self._releases()
        digests = set(releases.values())
        if len(digests) == 1:
            return digests.pop()
        message = f"has {len(digests)} releases, expected one, or a digest; it has {_describe(releases)}"
        hint = "Add @ and the digest of one of the releases" if digests else "Name an archive with a release"
        raise self.error("image-not-found", message, hint)

    def _releases(self) -> Mapping[str, str]:
        """Return the digests of all releases by their tag.

        An archive has the tags of the whole cache, and the manifests of one run
        (oc-mirror:v2/internal/pkg/archive/archive.go BuildArchive).
        """
        names = set(self.files.names())
        found = {}
        for name in names:
            if match := _TAG.fullmatch(name):
                digest = (self.read_small(name, _LARGEST_LINK) or b"").decode("ascii", "replace").strip()
                if is_digest(digest) and self.path(digest) in names:
                    found[match[1]] = digest
        return found


def _describe(releases: Mapping[str, str]) -> str:
    return ", ".join(f"{tag} ({releases[tag]})" for tag in sorted(releases)[:_MOST_SHOWN]) or "no releases"
