# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Replaces files atomically: a reader sees the previous content or the new one, and a failure leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile

_PART_PREFIX, _PART_SUFFIX = ".capability-openshift-", ".part"
_PRIVATE = 0o600


def write_file(path: str, data: bytes, *, secret: bool = False) -> None:
    """Write ``data`` to ``path`` atomically. Its directory must exist. Raises ``OSError`` that names ``path``.

    Only its owner can read a ``secret`` file. Other files keep their mode, and new ones get a mode from the umask.
    The file keeps its owner if the process may change owners.
    """
    replace_file(stage_file(path, data, secret=secret), path)


def write_cache_file(path: str, data: bytes) -> None:
    """Write ``data`` to a file of a cache as ``write_file`` does. It belongs to this user, who alone can read it."""
    replace_file(_stage(path, data, _PRIVATE, None), path)


def stage_file(path: str, data: bytes, *, secret: bool = False) -> str:
    """Write ``data`` next to ``path``, as ``write_file`` does, and return the name of the temporary file."""
    try:
        status = os.stat(path)
    except OSError:
        status = None
    mode = 0o666 & ~_umask() if status is None else stat.S_IMODE(status.st_mode)
    return _stage(path, data, _PRIVATE if secret else mode, status)


def _stage(path: str, data: bytes, mode: int, owner: os.stat_result | None) -> str:
    temporary = ""
    try:
        folder = os.path.dirname(path) or os.curdir
        descriptor, temporary = tempfile.mkstemp(prefix=_PART_PREFIX, suffix=_PART_SUFFIX, dir=folder)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            os.fchmod(handle.fileno(), mode)
            if owner is not None:
                with contextlib.suppress(PermissionError):
                    os.fchown(handle.fileno(), owner.st_uid, owner.st_gid)
    except BaseException as error:
        remove_staged(temporary)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, path) from None  # instead of the temporary name
        raise
    return temporary


def replace_file(temporary: str, path: str) -> None:
    """Move a file of ``stage_file`` to ``path``. Removes it if that fails. Raises ``OSError`` that names ``path``."""
    try:
        os.replace(temporary, path)
    except BaseException as error:
        remove_staged(temporary)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, path) from None
        raise


def remove_staged(temporary: str) -> None:
    """Remove a file of ``stage_file`` if it still exists."""
    if temporary:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def is_part(name: str) -> bool:
    """Whether a file is a temporary file of a run that was killed."""
    return name.startswith(_PART_PREFIX) and name.endswith(_PART_SUFFIX)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
