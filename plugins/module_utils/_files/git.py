# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs git in a checkout, and asks it which files are no part of the repository."""

from __future__ import annotations

import os
import subprocess

_LIST = ("-c", "safe.directory=*", "ls-files", "-z")
"""In a container, the checkout often belongs to another user. Listing files runs no program of its settings."""

_IGNORED = ("--others", "--ignored", "--exclude-standard", "--directory")
_SUBMODULE = "160000 "
"""The mode of a submodule in the index of git."""

_OF_HOOKS = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE")
"""What git sets for hooks in a linked work tree. They would make each directory the root of a repository."""

_EVERYTHING = "./"
"""What git lists if the directory itself is ignored."""


class GitError(Exception):
    """Why git did not do what it should, as one line."""


class NoGitError(GitError):
    """The program git cannot be run."""


def git(path: str, *arguments: str) -> bytes:
    """The output of git in the directory ``path``. Raises ``GitError``, which is a ``NoGitError`` without git."""
    # A setting of the repository could name a program to run.
    command = ["git", "-c", "core.fsmonitor=false", "-C", path, *arguments]
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    env = {**inherited, "LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1"}
    try:
        # No module is at hand whose run_command could be called.
        done = subprocess.run(command, capture_output=True, env=env, check=False)  # pylint: disable=ansible-bad-function
    except OSError as error:
        raise NoGitError(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines() or [""]
        raise GitError(f"git {arguments[0]}: {lines[0].removeprefix('fatal: ')}")
    return done.stdout


def ignored_paths(path: str) -> frozenset[str]:
    """The files and directories below ``path`` that git ignores, relative to it, without what is in such a directory.

    None if ``path`` is not in a work tree, or is itself ignored. Each submodule says what it ignores. Raises
    ``NoGitError`` if ``path`` is in a work tree.
    """
    try:
        names = os.fsdecode(git(path, *_LIST, *_IGNORED)).split("\0")
        entries = os.fsdecode(git(path, *_LIST, "--stage")).split("\0")
    except NoGitError:
        if _is_in_work_tree(path):
            raise
        return frozenset()
    except GitError:
        return frozenset()
    if _EVERYTHING in names:
        return frozenset()
    found = {name.rstrip("/") for name in names if name}
    for entry in entries:
        module = entry.partition("\t")[2]
        if entry.startswith(_SUBMODULE) and os.path.lexists(os.path.join(path, module, ".git")):
            found.update(os.path.join(module, name) for name in ignored_paths(os.path.join(path, module)))
    return frozenset(found)


def _is_in_work_tree(path: str) -> bool:
    above = os.path.dirname(path)
    return os.path.lexists(os.path.join(path, ".git")) or (above != path and _is_in_work_tree(above))
