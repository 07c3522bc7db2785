# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Files written whole or not at all, and what to say where that is not possible."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile

from .._problems import DestinationError, Problem

_PART_PREFIX, _PART_SUFFIX = ".capability-openshift-", ".part"


def absolute(path: str, directory: str = "") -> str:
    """Return ``path`` with ``~`` and variables replaced, absolute; a relative one starts from ``directory`` or here."""
    return os.path.abspath(os.path.join(directory, os.path.expanduser(os.path.expandvars(path))))


def write_file(path: str, data: bytes, *, secret: bool = False) -> None:
    """Write ``data`` to ``path`` in one step; its directory must be there. Raises ``OSError`` that names ``path``.

    A file that is ``secret`` is readable for its owner alone. Others keep their mode, new ones get what the umask
    leaves. Whoever may give files away leaves one to the owner that it had.
    """
    temporary = ""
    try:
        folder = os.path.dirname(path) or os.curdir
        descriptor, temporary = tempfile.mkstemp(prefix=_PART_PREFIX, suffix=_PART_SUFFIX, dir=folder)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            os.fchmod(handle.fileno(), 0o600 if secret else _mode(path))
            _keep_owner(handle.fileno(), path)
        os.replace(temporary, path)
    except BaseException as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, path) from None  # the temporary name helps nobody
        raise


def is_part(name: str) -> bool:
    """Tell whether a file is what a run that was killed left of one that it was writing."""
    return name.startswith(_PART_PREFIX) and name.endswith(_PART_SUFFIX)


def make_directory(path: str) -> None:
    """Make ``path`` and its parents unless they are there. Raises ``DestinationError``."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise DestinationError([cannot("write", path, error)]) from None


def access_problems(directory: str, option: str) -> list[Problem]:
    """Return why no file can be written to ``directory``, which need not be there; ``option`` is where it came from."""
    nearest = _nearest(directory)
    if not os.path.isdir(nearest):
        kind = "a link to nothing" if os.path.islink(nearest) else "a file"
        return [Problem("error", "todo", directory, f"cannot be made: {nearest} is {kind}", f"Choose another {option}")]
    if not os.access(nearest, os.W_OK | os.X_OK):
        return [
            Problem(
                "error", "todo", directory, f"cannot be written: no permission on {nearest}", "Check the permissions"
            )
        ]
    return []


def cannot(verb: str, path: str, error: OSError) -> Problem:
    """Return the problem that the operating system had; ``path`` is where, if ``error`` does not say."""
    hint = "Check the permissions" if isinstance(error, PermissionError) else "See that the file system can take it"
    return Problem("error", "todo", error.filename or path, f"cannot {verb}: {error.strerror or error}", hint)


def _nearest(path: str) -> str:
    """Return ``path``, or the nearest directory above it that exists."""
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return 0o666 & ~_umask()


def _keep_owner(descriptor: int, path: str) -> None:
    try:
        there = os.stat(path)
    except OSError:
        return
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, there.st_uid, there.st_gid)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
