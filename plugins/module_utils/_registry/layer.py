# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Layers of an image: tar archives, compressed or not, of which only some directories are kept.

Nothing is extracted to the file system. The format: opencontainers/image-spec:layer.md.
"""

from __future__ import annotations

import gzip
import struct
import tarfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, NamedTuple

from .._problems import Problem, RegistryError, shown

if TYPE_CHECKING:
    from typing import Self

LARGEST_FILE = 16 << 20
LARGEST_TOTAL = 256 << 20
MOST_FILES = 20_000
"""Limits of what is kept of an image. A release has about 1,000 files of 16 MB together."""
_LARGEST_HEADER = 1 << 20
_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
"""Types of entries that say something about the next one."""
_LARGEST_LAYER = 16 << 30
_MOST_ENTRIES = 1_000_000
_CHUNK = 1 << 18
_LONGEST_NAME = 255
_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

UNREADABLE_ARCHIVE = (
    *(tarfile.TarError, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, LookupError, OverflowError, RecursionError),
)
"""What tarfile and the decompression raise for malicious bytes, such as a long chain of long names."""


class Layer(NamedTuple):
    """The entries of a layer below the requested directories, by their path without a leading slash.

    A file is its bytes, a directory ``None``, and anything else its name, such as ``a symbolic link``. ``deleted`` are
    the paths that the layer removes from those below it, ``opaque`` the directories that it replaces.
    """

    entries: Mapping[str, bytes | str | None]
    deleted: frozenset[str]
    opaque: frozenset[str]


def read_layer(blob: IO[bytes], directories: tuple[str, ...], where: str) -> Layer:
    """Read a layer, of which the digest was checked. Raises ``RegistryError``.

    ``directories`` are names of directories in the root of the image, which are kept with all files in them.
    """
    try:
        reader = _LimitedReader(_decompress(blob, where))
        with tarfile.open(fileobj=reader, mode="r|", bufsize=_CHUNK, tarinfo=_LimitedTarInfo) as archive:  # type: ignore[call-overload]
            return _read_entries(archive, directories, where)
    except UNREADABLE_ARCHIVE as error:
        raise _error("invalid-layer", where, f"cannot be read: {error}") from None


def _read_entries(archive: tarfile.TarFile, directories: tuple[str, ...], where: str) -> Layer:
    entries: dict[str, bytes | str | None] = {}
    deleted: set[str] = set()
    opaque: set[str] = set()
    size = count = 0
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # it would keep all of them
        count += 1
        if count > _MOST_ENTRIES:
            raise _error("layer-too-large", where, f"has more than {_MOST_ENTRIES} entries")
        path = _path(member.name)
        if path is None:
            continue
        parent, _slash, name = path.rpartition("/")
        if name == _OPAQUE:
            opaque.add(parent)
            continue
        hidden = name.startswith(_WHITEOUT)
        path = f"{parent}/{name[len(_WHITEOUT) :]}".lstrip("/") if hidden else path
        if path.partition("/")[0] not in directories:
            continue
        if hidden:
            deleted.add(path)
        else:
            _check_name(path, where)
            entries[path] = entry = _entry(archive, member, entries, where)
            size += len(entry) if isinstance(entry, bytes) else 0
            if size > LARGEST_TOTAL or len(entries) > MOST_FILES:
                message = f"has more than {MOST_FILES} files or {LARGEST_TOTAL} bytes in {' and '.join(directories)}"
                raise _error("layer-too-large", where, message)
    return Layer(entries, frozenset(deleted), frozenset(opaque))


def _entry(
    archive: tarfile.TarFile, member: tarfile.TarInfo, entries: Mapping[str, bytes | str | None], where: str
) -> bytes | str | None:
    if member.isdir():
        return None
    if member.islnk():
        # Within the archive. If its target is not kept, it stays a link, and is refused unless a higher layer hides it.
        target = entries.get(_path(member.linkname) or "")
        return target if isinstance(target, bytes) else "a hard link"
    if not member.isreg() or member.issparse():
        return "a symbolic link" if member.issym() else "not a regular file"
    if member.size > LARGEST_FILE:
        message = f"has the file {member.name!r} of {member.size} bytes, expected at most {LARGEST_FILE}"
        raise _error("layer-too-large", where, message)
    file = archive.extractfile(member)
    data = file.read() if file is not None else b""
    if len(data) != member.size:
        raise _error("invalid-layer", where, f"ends within the file {member.name!r}")
    return data


def _path(name: str) -> str | None:
    """Return a name without ``./``, ``//`` and a leading slash; ``None`` for the root, and for what leads out of it."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts) if parts and ".." not in parts else None


def _check_name(path: str, where: str) -> None:
    if not path.isprintable() or any(len(part.encode()) > _LONGEST_NAME for part in path.split("/")):
        raise _error("invalid-layer", where, f"has a file with the name {shown(path)}, which cannot be written")


def _decompress(blob: IO[bytes], where: str) -> IO[bytes]:
    """Return the archive in a blob. Its first bytes decide, because media types of layers are not reliable."""
    magic = blob.read(4)
    blob.seek(0)
    if magic.startswith(_GZIP):
        return gzip.GzipFile(fileobj=blob, mode="rb")  # type: ignore[return-value]  # reads all members
    if magic == _ZSTD:
        return _zstd(blob, where)
    return blob


def _zstd(blob: IO[bytes], where: str) -> IO[bytes]:
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name).ZstdFile(blob)  # type: ignore[no-any-return]
    with suppress(ImportError):
        return import_module("zstandard").ZstdDecompressor().stream_reader(blob, read_across_frames=True)  # type: ignore[no-any-return]
    message = "is compressed with zstd, which needs Python 3.14 or the library zstandard or backports.zstd"
    hint = "Install zstandard for the Python that runs the module"
    raise RegistryError([Problem("error", "zstd-not-supported", where, message, hint)])


class _LimitedReader:
    """Reads a layer until it has more bytes than any layer of a release."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = _LARGEST_LAYER

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes. Raises ``ValueError`` behind the limit, and for what cannot be decompressed."""
        try:
            data = self._file.read(size)
        except Exception as error:
            # Each library has its own class, and they have no base in common.
            if type(error).__name__ != "ZstdError":
                raise
            raise ValueError(str(error)) from None
        self._left -= len(data)
        if self._left < 0:
            raise ValueError(f"it has more than {_LARGEST_LAYER} bytes")
        return data


class _LimitedTarInfo(tarfile.TarInfo):
    """The header of an entry. The headers of long names and attributes, which are read at once, have a limit."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        info = super().frombuf(buf, encoding, errors)
        if info.type in _HEADERS and info.size > _LARGEST_HEADER:
            # No HeaderError: tarfile takes one in the middle of an archive for its end.
            raise tarfile.ReadError(f"a header specifies {info.size} bytes, expected at most {_LARGEST_HEADER}")
        return info


def _error(code: str, where: str, message: str) -> RegistryError:
    return RegistryError([Problem("error", code, where, f"the layer {message}", "Use the image of a release")])
