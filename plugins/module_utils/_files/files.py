# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Paths of a user, the problems of files, and files that are replaced atomically.

A reader sees the previous content or the new one, and a failure leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from typing import Any, Literal

from .._problems import DestinationError, InvalidOptionError, Problem, Problems

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


def enter_directory(params: Mapping[str, Any]) -> None:
    """Change to the directory of the option ``chdir``, if it is set and not empty. Raises ``InvalidOptionError``."""
    directory = params["chdir"]
    if directory:
        try:
            os.chdir(directory)
        except OSError as error:
            message = f"is {directory}, which cannot be entered: {error.strerror or error}"
            problem = Problem("error", "unreadable-directory", "chdir", message, "Choose a directory that exists")
            raise InvalidOptionError([problem]) from None


def absolute(path: str) -> str:
    """Expand ``~`` and variables in ``path``, and make it absolute."""
    return os.path.abspath(os.path.expanduser(os.path.expandvars(path)))


def is_special(path: str) -> bool:
    """Whether ``path`` is something else than a file or a link to one, such as a pipe, whose end may never come."""
    return os.path.exists(path) and not os.path.isfile(path)


def make_directory(path: str) -> None:
    """Create ``path`` and its parents if they do not exist. Raises ``DestinationError``."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise DestinationError([cannot("write", path, error)]) from None


def check_access(directory: str, option: str, problems: Problems) -> None:
    """Check that a file can be written to ``directory``, which need not exist. ``option`` is the option that set it."""
    nearest = _nearest(directory)
    if not os.path.isdir(nearest):
        kind = "a dangling link" if os.path.islink(nearest) else "a file"
        message = f"cannot be created: {nearest} is {kind}"
        problems.error("not-a-directory", directory, message, f"Choose another {option}")
    elif not os.access(nearest, os.W_OK | os.X_OK):
        message = f"cannot be written: no permission for {nearest}"
        problems.error("unwritable-directory", directory, message, "Check the permissions")


def cannot(verb: Literal["read", "write"], path: str, error: OSError) -> Problem:
    """The problem of a failed system call; ``path`` is the location unless ``error`` has one."""
    hint = "Check the permissions" if isinstance(error, PermissionError) else "Check the file system"
    code, participle = ("unreadable-file", "read") if verb == "read" else ("unwritable-file", "written")
    return Problem("error", code, error.filename or path, f"cannot be {participle}: {error.strerror or error}", hint)


def _nearest(path: str) -> str:
    """``path``, or its nearest parent directory that exists."""
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path
