# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads and replaces the install-config on disk. It contains secrets, so its mode is 0600."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from .._data.install_rules import AGENT_CONFIG
from .._files.files import (
    absolute,
    cannot,
    check_access,
    make_directory,
    remove_staged,
    replace_file,
    stage_file,
    write_file,
)
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

    @property
    def has_agent_config(self) -> bool:
        """Whether the agent-based installer reads it, because the directory also has an agent-config.yaml."""
        return os.path.isfile(os.path.join(os.path.dirname(self.path), AGENT_CONFIG))

    @property
    def real_path(self) -> str:
        """The path without symbolic links: two paths with the same one are the same file."""
        return os.path.realpath(self.path)


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
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW)) as handle:
            return InstallConfigFile(path, handle.read(), stat.S_IMODE(os.fstat(handle.fileno()).st_mode))
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None


def _check_directory(path: str) -> None:
    problems = Problems()
    check_access(os.path.dirname(path), "path", problems)
    problems.raise_errors(DestinationError)


def _not_a_file(path: str, message: str, hint: str) -> DestinationError:
    return DestinationError([Problem("error", "not-a-file", path, message, hint)])


class FileWrite(NamedTuple):
    """A file to replace by ``data``."""

    target: InstallConfigFile
    data: bytes


def write_targets(writes: Sequence[FileWrite], *, check_mode: bool) -> None:
    """Replace all files or none. Only the owner can read them.

    All new texts are written before the first file is replaced, so
    a full disk leaves every file unchanged. If replacing one fails, the files that were replaced before get their old
    content back. Check mode reports the same errors and writes nothing. Raises ``DestinationError`` with all problems.
    """
    problems = Problems()
    for write in writes:
        check_access(os.path.dirname(write.target.path), "path", problems)
    problems.raise_errors(DestinationError)
    if check_mode:
        return
    for write in writes:
        _check_unchanged(write.target, problems)
    problems.raise_errors(DestinationError)
    staged: list[str] = []
    replaced: list[InstallConfigFile] = []
    path = ""
    try:
        for target, data in writes:
            path = target.path
            make_directory(os.path.dirname(path))
            staged.append(stage_file(path, data, secret=True))
        for write, temporary in zip(writes, staged, strict=True):
            path = write.target.path
            replace_file(temporary, path)
            replaced.append(write.target)
    except BaseException as error:
        _undo(replaced, staged)
        if isinstance(error, OSError):
            raise DestinationError([cannot("write", path, error)]) from None
        raise


def _check_unchanged(target: InstallConfigFile, problems: Problems) -> None:
    if target.data != read_target(target.path).data:
        hint = "Try again, one run at a time"
        problems.error("concurrent-change", target.path, "has changed since it was read", hint)


def _undo(replaced: Sequence[InstallConfigFile], staged: Sequence[str]) -> None:
    """Restore the files that were replaced, and remove the others, because they contain secrets."""
    for target in replaced:
        with contextlib.suppress(OSError):
            if target.data is None:
                os.unlink(target.path)
            else:
                write_file(target.path, target.data, secret=True)
    for name in staged:
        remove_staged(name)
