# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keeps the index of a release: its manifests, where they are in their files, and their bodies as JSON.

Parsing the YAML of 1,100 manifests takes 0.8 s, reading the index 20 ms. An index is valid as long as the name, size,
inode and both timestamps of every file are the same. The kernel sets the change time (ctime) of a file, so no program
can change the content and keep it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from time import time
from typing import Any, NamedTuple

from .._data.version import COLLECTION_VERSION
from .._files.files import is_part, write_cache_file
from .._problems import Location, Problem
from .._resources import ResourceId
from .manifest import Manifest
from .manifest_file import ManifestFile, Span
from .template import TemplateValues

INDEX_SUFFIX = ".index"
_FORMAT = 3
"""Raise it if an index of the same release has other values, and the version of the collection stays the same."""

_ROOT = 0
_MOST_INDEXES = 32
"""Of about 12 MB each. The ones that were not used for the longest time are removed."""
_UNSTABLE_SECONDS = 2.0
"""Files that changed this recently can change again without a new timestamp, whose clock ticks in milliseconds."""


class ReleaseIndex(NamedTuple):
    """The index of a release. ``files`` are in the order of the CVO; ``problems`` are the warnings of parsing them.

    ``partial``: a file was left out.
    """

    files: Mapping[str, ManifestFile]
    problems: tuple[Problem, ...]
    partial: bool


class IndexCache:
    """The index of the release in ``path``, kept in ``directory``.

    ``names`` are its manifest files, relative to ``path``; ``values`` are rendered into some of them. Any number of
    processes may use one directory. A cache that cannot be read or written is as good as an empty one.
    """

    def __init__(self, directory: str, path: str, names: Iterable[str], values: TemplateValues) -> None:
        where = hashlib.sha256(f"{os.path.realpath(path)}\n{values[:2]}".encode(errors="surrogateescape")).hexdigest()
        self._directory = directory
        self._file = os.path.join(directory, where[:40] + INDEX_SUFFIX)
        self._is_stable = False
        self._fingerprint = self._identify(path, names, values)

    def read(self) -> ReleaseIndex | None:
        """The index, or ``None`` if there is none, a file of the release changed since, or others can write it."""
        if self._fingerprint is None:
            return None
        try:
            with open(self._file, "rb") as handle:
                # Any user can compute the fingerprint, and an index decides which manifests are included.
                if not _is_safe_from_others(os.fstat(handle.fileno())):
                    return None
                first, data = handle.readline(), handle.read()
        except OSError:
            return None
        if first.decode(errors="replace").split() != [self._fingerprint, _digest(data)]:
            return None
        with contextlib.suppress(OSError):
            os.utime(self._file)
        return _decode(data)

    def write(self, index: ReleaseIndex) -> None:
        """Keep ``index``, unless a file of the release changed just now."""
        if self._fingerprint is None or not self._is_stable:
            return
        parts: list[bytes | memoryview] = [_encode(index), *(file.bodies for file in index.files.values())]
        first = f"{self._fingerprint} {_digest(*parts)}\n".encode()
        with contextlib.suppress(OSError):
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            write_cache_file(self._file, b"".join([first, *parts]))
            self._remove_oldest()

    def _identify(self, path: str, names: Iterable[str], values: TemplateValues) -> str | None:
        parts: list[Any] = [COLLECTION_VERSION, _FORMAT, values.release_image, values.cluster_profile]
        parts.append(sorted(values.images.items()))
        newest = 0.0
        try:
            for name in names:
                status = os.stat(os.path.join(path, name))
                newest = max(newest, status.st_ctime, status.st_mtime)
                parts.append((name, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))
        except OSError:
            return None
        self._is_stable = time() - newest > _UNSTABLE_SECONDS
        return _digest(repr(parts).encode(errors="surrogateescape"))

    def _remove_oldest(self) -> None:
        with os.scandir(self._directory) as entries:
            found = sorted(
                (entry.stat().st_mtime, entry.path)
                for entry in entries
                if entry.name.endswith(INDEX_SUFFIX) or is_part(entry.name)
            )
        for _used, file in found[:-_MOST_INDEXES]:
            with contextlib.suppress(OSError):
                os.unlink(file)


def _is_safe_from_others(status: os.stat_result) -> bool:
    return status.st_uid in (os.geteuid(), _ROOT) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _digest(*parts: bytes | memoryview) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()


def _encode(index: ReleaseIndex) -> bytes:
    """One line of JSON with everything but the bodies, which follow it."""
    files = [
        [file.file, file.size, len(file.bodies), [_row(*pair) for pair in zip(file.manifests, file.spans, strict=True)]]
        for file in index.files.values()
    ]
    return json.dumps([index.partial, index.problems, files], separators=(",", ":")).encode() + b"\n"


def _row(manifest: Manifest, span: Span) -> list[Any]:
    resource, version, annotations, _file, document, cluster_scoped = manifest
    return [*resource, version, annotations, document, cluster_scoped, *span]


def _decode(data: bytes) -> ReleaseIndex:
    end = data.index(b"\n")
    partial, problems, rows_by_file = json.loads(data[:end])
    bodies, start = memoryview(data), end + 1
    files: dict[str, ManifestFile] = {}
    for name, size, length, rows in rows_by_file:
        manifests = tuple(
            Manifest(ResourceId(*resource), version, annotations, name, document, cluster_scoped)
            for *resource, version, annotations, document, cluster_scoped in (row[: -len(Span._fields)] for row in rows)
        )
        spans = tuple(Span(*row[-len(Span._fields) :]) for row in rows)
        files[name] = ManifestFile(name, size, manifests, spans, bodies[start : start + length])
        start += length
    reported = (Problem(severity, code, Location(*where), *texts) for severity, code, where, *texts in problems)
    return ReleaseIndex(files, tuple(reported), partial)
