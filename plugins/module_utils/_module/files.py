# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Paths of a user, and the problems of files and directories."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from .._problems import DestinationError, InvalidOptionError, Problem, Problems


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
