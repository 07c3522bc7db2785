# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads and replaces the install-config on disk. It contains secrets, so its mode is 0600."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import NamedTuple

from .._module.files import absolute, cannot, check_access, make_directory, write_file
from .._problems import DestinationError, Problem, Problems

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
OWNER_ALONE = 0o600
"""Mode of every file that this module writes."""


class InstallConfigFile(NamedTuple):
    """The file to write. ``data`` is ``None`` if it does not exist; then ``mode`` has no meaning."""

    path: str
    data: bytes | None
    mode: int = OWNER_ALONE

    @property
    def is_open_to_others(self) -> bool:
        """Whether users other than its owner can read or write it."""
        return self.data is not None and bool(self.mode & _OTHERS)


def read_target(path: str) -> InstallConfigFile:
    """Read the file at ``path``. Raises ``DestinationError`` if it can be neither read nor created."""
    if path.endswith(os.sep):
        hint = "Name the file, such as install-config.yaml"
        raise _not_a_file(path, "is a directory, expected an install-config", hint)
    path = absolute(path)
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        _check_directory(path)
        return InstallConfigFile(path, None)
    except ValueError:
        raise DestinationError(
            [Problem("error", "invalid-path", path, "is not a valid file name", "Set another path")]
        ) from None
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None
    if stat.S_ISLNK(mode):
        target = os.path.realpath(path)
        message = f"is a symbolic link to {target}, expected a file; writing would replace the link"
        raise _not_a_file(path, message, f"Name {target}")
    if not stat.S_ISREG(mode):
        kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
        raise _not_a_file(path, f"is {kind}, expected an install-config", "Name the file, such as install-config.yaml")
    try:
        with open(path, "rb", opener=_open_no_link) as handle:
            return InstallConfigFile(path, handle.read(), stat.S_IMODE(os.fstat(handle.fileno()).st_mode))
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None


def _check_directory(path: str) -> None:
    problems = Problems()
    check_access(os.path.dirname(path), "path", problems)
    problems.raise_errors(DestinationError)


def _not_a_file(path: str, message: str, hint: str) -> DestinationError:
    return DestinationError([Problem("error", "not-a-file", path, message, hint)])


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def write_target(target: InstallConfigFile, data: bytes, *, backup: bool, check_mode: bool) -> str:
    """Replace ``target`` by ``data``. Returns the path of the backup, ``""`` if there is none.

    Only the owner can read either file. If writing fails, the existing file stays unchanged. Check mode reports the
    same errors and writes nothing. Raises ``DestinationError``.
    """
    _check_directory(target.path)
    saved = ""
    if check_mode:
        return saved
    if target.data != read_target(target.path).data:
        message = "has changed since it was read"
        hint = "Run the module again, one run at a time"
        raise DestinationError([Problem("error", "concurrent-change", target.path, message, hint)])
    try:
        make_directory(os.path.dirname(target.path))
        if backup and target.data is not None:
            saved = _backup_name(target.path)
            write_file(saved, target.data, secret=True)
        write_file(target.path, data, secret=True)
    except OSError as error:
        if saved:
            with contextlib.suppress(OSError):
                os.unlink(saved)  # it contains the secrets of a file that still exists
        raise DestinationError([cannot("write", target.path, error)]) from None
    return saved


def _backup_name(path: str) -> str:
    """The name of a backup, as ``AnsibleModule.backup_local`` builds it."""
    return f"{path}.{os.getpid()}.{time.strftime('%Y-%m-%d@%H:%M:%S', time.localtime())}~"
