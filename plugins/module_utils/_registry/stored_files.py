# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Files in a directory or in tar archives, which images are stored in."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator, Sequence
from typing import IO, Protocol

from .._problems import Problem, RegistryError
from .layer import UNREADABLE_ARCHIVE

_CHUNK = 1 << 18


class StoredFiles(Protocol):
    """Files by their path, with ``/`` between its parts. ``location`` is their place for messages."""

    location: str

    def names(self) -> Iterator[str]:
        """Yield the paths of all files."""

    def open(self, name: str) -> IO[bytes] | None:
        """Open a file; ``None`` if there is none. Raises ``RegistryError``."""


class DirectoryFiles:
    """The files below a directory."""

    def __init__(self, directory: str) -> None:
        self.location = directory

    def names(self) -> Iterator[str]:
        """Yield the paths of all files."""
        for folder, _folders, files in os.walk(self.location):
            relative = os.path.relpath(folder, self.location)
            yield from (name if relative == "." else f"{relative}/{name}" for name in sorted(files))

    def open(self, name: str) -> IO[bytes] | None:
        """Open a file; ``None`` if there is none. Raises ``RegistryError``."""
        path = os.path.join(self.location, name)
        try:
            return open(path, "rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise unreadable(path, error) from None


class ArchiveFiles:
    """The files in tar archives, which together are one tree. Only their names are kept in memory."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.location = paths[0] if len(paths) == 1 else os.path.dirname(paths[0])
        self._members: dict[str, tuple[tarfile.TarFile, tarfile.TarInfo]] = {}
        for path in paths:
            try:
                archive = tarfile.open(path)  # noqa: SIM115  # blobs are read from it later
                for member in archive:
                    if member.isreg():
                        self._members[member.name.removeprefix("./")] = (archive, member)
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


def read_small(files: StoredFiles, name: str, largest: int) -> bytes | None:
    """Return a file of at most ``largest`` bytes; ``None`` if there is none. Raises ``RegistryError``."""
    file = files.open(name)
    if file is None:
        return None
    place = os.path.join(files.location, name)
    with file:
        try:
            data = file.read(largest + 1)
        except UNREADABLE_ARCHIVE as error:
            raise unreadable(place, error) from None
    if len(data) > largest:
        message = f"has more than {largest} bytes"
        raise RegistryError([Problem("error", "file-too-large", place, message, "Name an image of a release")])
    return data


def chunks(files: StoredFiles, name: str) -> Iterator[bytes] | None:
    """Return the content of a file in pieces; ``None`` if there is none. Raises ``RegistryError``."""
    file = files.open(name)
    if file is None:
        return None

    def read() -> Iterator[bytes]:
        with file:
            try:
                while data := file.read(_CHUNK):
                    yield data
            except UNREADABLE_ARCHIVE as error:
                raise unreadable(os.path.join(files.location, name), error) from None

    return read()


def unreadable(path: str, error: Exception) -> RegistryError:
    """Return the error for a file that cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    message, hint = f"cannot be read: {reason}", "Correct the path, or copy the image again"
    return RegistryError([Problem("error", "unreadable-image", path, message, hint)])
