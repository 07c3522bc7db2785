# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The install-config on disk: what is there, and how another one takes its place. It holds secrets, so it is 0600."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import NamedTuple

from .._module.files import absolute, access_problems, cannot, make_directory, write_file
from .._problems import DestinationError, Problem, raise_errors

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
OWNER_ALONE = 0o600
"""Mode of every file that is written here."""


class InstallConfigFile(NamedTuple):
    """The file to write. ``data`` is ``None`` where there is none yet; then ``mode`` means nothing."""

    path: str
    data: bytes | None
    mode: int = OWNER_ALONE

    @property
    def is_open_to_others(self) -> bool:
        """Tell whether somebody beside its owner can read or write it."""
        return self.data is not None and bool(self.mode & _OTHERS)


def read_target(path: str) -> InstallConfigFile:
    """Return what is at ``path``. Raises ``DestinationError`` where nothing can be read or written there."""
    if path.endswith(os.sep):
        hint = "Name the file, such as install-config.yaml"
        raise DestinationError([Problem("error", "todo", path, "is a directory, expected an install-config", hint)])
    path = absolute(path)
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise_errors(access_problems(os.path.dirname(path), "path"), DestinationError)
        return InstallConfigFile(path, None)
    except ValueError:
        raise DestinationError(
            [Problem("error", "todo", path, "is no name that a file can have", "Give another")]
        ) from None
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None
    if stat.S_ISLNK(mode):
        target = os.path.realpath(path)
        message = f"is a symbolic link to {target}, and writing would replace the link by a file"
        raise DestinationError([Problem("error", "todo", path, message, f"Name {target}")])
    if not stat.S_ISREG(mode):
        kind = "a directory" if stat.S_ISDIR(mode) else "no regular file"
        message = f"is {kind}, expected an install-config"
        raise DestinationError([Problem("error", "todo", path, message, "Name the file, such as install-config.yaml")])
    try:
        with open(path, "rb", opener=_open_no_link) as handle:
            return InstallConfigFile(path, handle.read(), stat.S_IMODE(os.fstat(handle.fileno()).st_mode))
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def write_target(target: InstallConfigFile, data: bytes, *, backup: bool, check_mode: bool) -> str:
    """Put ``data`` in the place of ``target``; return where the old content went, ``""`` where nowhere.

    Both files are for their owner alone. What was there stays whole if this fails. In check mode it fails as well, and
    writes nothing. Raises ``DestinationError``.
    """
    raise_errors(access_problems(os.path.dirname(target.path), "path"), DestinationError)
    saved = ""
    if check_mode:
        return saved
    if target.data != read_target(target.path).data:
        message = "has changed since it was read"
        raise DestinationError([Problem("error", "todo", target.path, message, "Run it again, one run at a time")])
    try:
        make_directory(os.path.dirname(target.path))
        if backup and target.data is not None:
            saved = _backup_name(target.path)
            write_file(saved, target.data, secret=True)
        write_file(target.path, data, secret=True)
    except OSError as error:
        if saved:
            with contextlib.suppress(OSError):
                os.unlink(saved)  # it holds the secrets of a file that is still there
        raise DestinationError([cannot("write", target.path, error)]) from None
    return saved


def _backup_name(path: str) -> str:
    """Return the name that Ansible's own modules give to a backup."""
    return f"{path}.{os.getpid()}.{time.strftime('%Y-%m-%d@%H:%M:%S', time.localtime())}~"
