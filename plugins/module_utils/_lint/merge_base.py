# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the merge base of an operator's checkout with the branch that it will be merged into."""

from __future__ import annotations

import contextlib
import io
import posixpath
import re
import tarfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._data.capabilities import BRANCHES
from .._data.version import Minor, find_minor
from .._files.git import GitError, git
from .._release.directory import SUFFIXES

_REMOTES = ("upstream", "origin")
_MAIN = ("main", "master")
_RELEASE_BRANCH = re.compile(r"(?:^|/)release-(\d+\.\d+)$")


class MergeBase(NamedTuple):
    """The merge base with ``branch``: its ``commit``, and the content of its files (``texts``) by their names.

    ``branches`` are those of the checkout, see ``_branches``. Without a merge base, ``fault`` has the reason.
    """

    branches: tuple[str, ...] = ()
    branch: str = ""
    commit: str = ""
    texts: Mapping[str, bytes] = {}
    fault: str = ""


def read_merge_base(path: str, given: str | None, folders: Sequence[str]) -> MergeBase:
    """Read ``folders`` of the merge base with the branch or commit ``given``, or else with the likely branch."""
    branches = list[str]()
    try:
        branches = _branches(path)
        branch, commit = _merge_base(path, given, branches)
        return MergeBase(tuple(branches), branch, commit, _files_at(path, commit, folders))
    except GitError as error:
        return MergeBase(tuple(branches), given or "", fault=str(error))


def minor_of(branch: str) -> Minor | None:
    """The minor of a branch ``release-X.Y``, ``None`` if it is not known, as that of a new one."""
    release = _RELEASE_BRANCH.search(branch)
    minor = find_minor(release[1]) if release else None
    return minor if minor in BRANCHES else None


def _branches(path: str) -> list[str]:
    """The branches ``release-X.Y``, oldest first, and main branches that HEAD belongs to, or else the current branch.

    CI often checks out a commit without its branch, and a topic has another name. So these are the branches that lack
    the fewest commits of HEAD. Empty if none is known.
    """
    current = git(path, "rev-parse", "--abbrev-ref", "HEAD").decode().strip()
    if _RELEASE_BRANCH.match(current):
        return [current]
    found: list[tuple[int, bool, Minor, str]] = []
    folders = ("refs/heads", *(f"refs/remotes/{remote}" for remote in _REMOTES))
    for name in git(path, "for-each-ref", "--format=%(refname)", *folders).decode().split():
        short = name.rpartition("/")[2]
        minor = minor_of(short)
        if minor or short in _MAIN:
            missing = int(git(path, "rev-list", "--count", "HEAD", "--not", name))
            found.append((missing, minor is None, minor or min(BRANCHES), short))
    nearest = [short for missing, *_order, short in sorted(found) if missing == min(found)[0]]
    return list(dict.fromkeys(nearest)) or [current] * (current != "HEAD")  # which git shows without a branch


def _merge_base(path: str, given: str | None, branches: Sequence[str]) -> tuple[str, str]:
    """The merge base with ``given``, or else with the remote ``release-`` or main branch: its name, and the commit."""
    own = [] if set(_MAIN) & set(branches) else [name for name in branches[:1] if _RELEASE_BRANCH.search(name)]
    remote = [f"{remote}/{name}" for name in own for remote in _REMOTES]
    # The main branch of a fork can be old.
    remote += [f"{remote}/{name}" for remote in _REMOTES for name in ("HEAD", *_MAIN)]
    # A CI such as Prow merges into a main branch without a remote, which has the changes then.
    local = [name for name in _MAIN if name != git(path, "rev-parse", "--abbrev-ref", "HEAD").decode().strip()]
    for name in [given, *(f"{remote}/{given}" for remote in _REMOTES)] if given else [*remote, *local]:
        try:
            return name, git(path, "merge-base", "--end-of-options", "HEAD", name).decode().strip()
        except GitError:
            continue
    is_shallow = git(path, "rev-parse", "--is-shallow-repository").strip() == b"true"
    reason = "the clone is shallow, and lacks the" if is_shallow else "there is no"
    raise GitError(f"{reason} merge base with {given or 'a main branch'}")


def _files_at(path: str, commit: str, folders: Sequence[str]) -> dict[str, bytes]:
    names = git(path, "ls-tree", "--name-only", "-z", commit, "--", *folders).decode(errors="replace").split("\0")[:-1]
    if not names:
        return {}
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(git(path, "archive", "--format=tar", commit, "--", *names))) as tar:
        for item in tar:
            if not item.name.endswith(SUFFIXES):
                continue
            if item.issym():
                target = posixpath.normpath(posixpath.join(posixpath.dirname(item.name), item.linkname))
                with contextlib.suppress(GitError):  # a link that leads nowhere
                    texts[item.name] = git(path, "cat-file", "blob", f"{commit}:./{target}")
            elif file := tar.extractfile(item):
                texts[item.name] = file.read()
    return texts
