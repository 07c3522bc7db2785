# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases that were read from images, each in a directory with the name of its digest.

A directory is complete when it has its name. It is never changed afterwards, so any number of tasks can read it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from .._problems import Problem, ReleaseError
from .opened_release import OpenedRelease, ReleaseImage

MOST_RELEASES = 32
"""Of about 16 MB each. The ones that were not used for the longest time are removed."""
_RECENT_SECONDS = 600.0
"""A release that was used so recently may be in use, and is not removed."""
_AT_ONCE = 16
_ROOT = 0
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_RECORD, _PART, _LOCK = "release-image.json", ".part-", ".lock-"
_INDEXES = "indexes"


def default_directory(environ: Mapping[str, str]) -> str:
    """Return the directory of the cache of this user."""
    home = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "capability-openshift", "releases")


class ReleaseCache:
    """The releases below a directory, which is created when the first one is added.

    ``index_directory`` has the indexes of all releases that this user read, also of those in other directories.
    """

    def __init__(self, directory: str) -> None:
        self.directory = os.path.abspath(directory)
        self.index_directory = self._own(_INDEXES)

    def find(self, digest: str, architecture: str) -> OpenedRelease | None:
        """Return the release of an image or, for an architecture, of a list; ``None`` if it is not in the cache."""
        for name in (_name(digest), _name(digest, architecture)):
            for directory in (self._own(name), os.path.join(self.directory, name)):
                image = _read_record(directory)
                if image is None or image.digest != digest:
                    continue
                with suppress(OSError):
                    os.utime(directory)  # it was used now
                return OpenedRelease(directory, image, self.index_directory)
        return None

    def add(self, image: ReleaseImage, files: Mapping[str, bytes]) -> OpenedRelease:
        """Add a release, or replace one that is not valid. The task has its lock. Raises ``ReleaseError``."""
        directory = self._own(_name(image.digest, image.architecture if image.digest != image.manifest_digest else ""))
        try:
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            part = self._new_part(image.digest)
            try:
                _write(part, image, files)
                if os.path.isdir(directory):
                    self._remove(directory, image.digest)
                os.rename(part, directory)
                _flush(self.directory)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise
            self._remove_oldest(image.digest)
        except OSError as error:
            raise _unwritable(self.directory, error) from None
        return OpenedRelease(directory, image, self.index_directory)

    @contextmanager
    def lock(self, digest: str) -> Iterator[None]:
        """Let only one task of this user at a time read a release from its image, and then add it.

        Removes what tasks wrote that were killed. Raises ``ReleaseError``.
        """
        try:
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            descriptor = self._open_lock(_lock_of(digest))
        except OSError as error:
            raise _unwritable(self.directory, error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._remove_parts(_lock_of(digest))
            yield
        finally:
            os.close(descriptor)

    def _open_lock(self, name: str) -> int:
        return os.open(self._own(_LOCK + name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _new_part(self, digest: str) -> str:
        """Create a directory for a task that holds the lock of ``digest``."""
        return tempfile.mkdtemp(prefix=f"{_PART}{_lock_of(digest)}-", dir=self.directory)

    def _remove_parts(self, held: str) -> None:
        """Remove the parts of this user whose lock no other task holds. ``held`` is the lock of this task."""
        with suppress(OSError), os.scandir(self.directory) as entries:
            for entry in entries:
                if not entry.name.startswith(_PART) or entry.stat().st_uid != os.geteuid():
                    continue
                name = entry.name[len(_PART)]
                descriptor = self._open_lock(name)
                try:
                    if name != held:
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(entry.path, ignore_errors=True)
                except BlockingIOError:
                    continue
                finally:
                    os.close(descriptor)

    def _own(self, name: str) -> str:
        """The path that this user writes to. All users use what root wrote, and none what another one wrote."""
        user = os.geteuid()
        return os.path.join(self.directory, name if user == _ROOT else f"{name}-{user}")

    def _remove_oldest(self, digest: str) -> None:
        now = time.time()
        found = []
        with os.scandir(self.directory) as entries:
            for entry in entries:
                with suppress(OSError):
                    age = now - entry.stat().st_mtime
                    if entry.name.startswith("sha256-"):
                        found.append((age, entry.path))
        for age, path in sorted(found)[MOST_RELEASES:]:
            if age > _RECENT_SECONDS:
                self._remove(path, digest)

    def _remove(self, directory: str, digest: str) -> None:
        """Remove a release in one step for those who look for it."""
        aside = self._new_part(digest)
        with suppress(OSError):
            os.rename(directory, os.path.join(aside, "release"))
        shutil.rmtree(aside, ignore_errors=True)


def _lock_of(digest: str) -> str:
    """The name of a lock. A few are for all releases: one for each would have to be removed, and could be in use."""
    return digest[-1:]


def _name(digest: str, architecture: str = "") -> str:
    name = digest.replace(":", "-")
    return f"{name}-{architecture}" if architecture else name


def _write(directory: str, image: ReleaseImage, files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        target = os.path.join(directory, *path.split("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.write(data)
            os.fchmod(file.fileno(), 0o644)
    with open(os.path.join(directory, _RECORD), "x", encoding="utf-8") as file:
        json.dump(image._asdict(), file)
        os.fchmod(file.fileno(), 0o644)
    written = []
    for folder, _folders, names in os.walk(directory):
        os.chmod(folder, 0o755)
        written += [*(os.path.join(folder, name) for name in names), folder]
    # The name says that a release is complete, also after the power failed. One after the other, the 1,000 files of a
    # release take 2 s, and together 0.2 s.
    # Imported here, because only a new release needs it, and it would slow down the start of every module.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(_flush, written))


def _flush(path: str) -> None:
    """Wait until a file or directory is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_record(directory: str) -> ReleaseImage | None:
    """The record of a release, ``None`` if there is none, or if another user may have written the release.

    The digest is checked when a release is added, and not again. So its directory must be safe from others.
    """
    try:
        status = os.stat(directory)
        if status.st_uid not in (os.geteuid(), _ROOT) or stat.S_IMODE(status.st_mode) & _WRITABLE_BY_OTHERS:
            return None
        with open(os.path.join(directory, _RECORD), encoding="utf-8") as file:
            record: dict[str, Any] = json.load(file)
        return ReleaseImage(**record)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _unwritable(directory: str, error: OSError) -> ReleaseError:
    message = f"cannot be written: {error.strerror or error}"
    hint = "Set release_cache to a directory that this user can write to"
    return ReleaseError([Problem("error", "unwritable-cache", error.filename or directory, message, hint)])
