# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds and reads the YAML and JSON files of a directory, such as a Git checkout.

Only YAML and JSON files are read. A file that cannot be read is a problem, and the others are read all the same.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._files import cannot
from .._problems import InvalidOptionError, Location, Problems

MAX_SIZE = 10 * 2**20
"""Bytes. etcd accepts objects of 1.5 MiB, so a larger file that is not read is not a list of sites."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")
_SUFFIXES = (".yaml", ".yml", ".json")
_REPOSITORY = ".git"
_CHART, _CHART_TEMPLATES = "Chart.yaml", "templates"


class FoundFile(NamedTuple):
    """A regular file. ``path`` is relative to the checkout, ``real_path`` is where it is written."""

    path: str
    real_path: str
    size: int


class CheckoutFile(NamedTuple):
    """A file that was read, with the paths of ``FoundFile``."""

    path: str
    real_path: str
    data: bytes


def read_files(checkout: str, paths: Iterable[str], problems: Problems) -> Iterator[CheckoutFile]:
    """Yield the files that ``find_files`` finds and that are not too large, with their content."""
    for found in find_files(checkout, paths, problems):
        if found.size > MAX_SIZE:
            message = f"has {found.size // 2**20} MiB, more than {MAX_SIZE // 2**20} MiB, so it is not read"
            problems.warning("too-large", Location(found.path), message, "Split it, or leave it out of paths")
            continue
        data = read_again(found.path, found.real_path, problems)
        if data is not None:
            yield CheckoutFile(found.path, found.real_path, data)


def find_files(checkout: str, paths: Iterable[str], problems: Problems) -> Iterator[FoundFile]:
    """Yield the files below ``paths``, in a stable order, each once.

    ``checkout`` is an absolute path. ``paths`` are directories, files or globs, relative to it. Problems name files
    relative to ``checkout``. Raises ``InvalidOptionError`` if one of ``paths`` does not exist or is outside.
    """
    root = os.path.realpath(checkout)
    walk = _Walk(root, problems)
    for start in _starting_points(root, paths):
        yield from walk.below(start)


def _starting_points(root: str, paths: Iterable[str]) -> list[str]:
    problems = Problems()
    found: list[str] = []
    if not os.path.isdir(root):
        problems.error("missing-directory", root, "is not a directory", "Set checkout to the directory of a checkout")
    else:
        for pattern in paths:
            matches = sorted(glob.glob(os.path.join(glob.escape(root), pattern), recursive=True))
            if not matches:
                hint = f"Name a directory, a file or a glob relative to {root}"
                problems.error("missing-path", pattern, "matches no file or directory", hint)
            for match in matches:
                path = os.path.realpath(match)
                if not _is_below(path, root):
                    message = f"is outside of the checkout {root}"
                    problems.error("outside-path", pattern, message, "Name paths below the checkout")
                elif path == os.sep:
                    message = "is the root of the file system, which is not searched"
                    problems.error("root-directory", os.sep, message, "Name the directory that contains the files")
            found += matches
    problems.raise_errors(InvalidOptionError)
    return found


class _Walk:
    """Walks through directories. ``seen`` has the real paths of what was visited, so links cannot cause a loop."""

    def __init__(self, root: str, problems: Problems) -> None:
        self.root, self.problems = root, problems
        self.seen: set[str] = set()

    def below(self, path: str) -> Iterator[FoundFile]:
        """Yield ``path``, or the files below it."""
        try:
            real_path = os.path.realpath(path)
        except OSError as error:  # A link of another process in /proc cannot be read.
            self._cannot_read(path, error)
            return
        if os.path.islink(path) and not self._accepts_link(path, real_path):
            return
        if real_path in self.seen:
            return
        self.seen.add(real_path)
        if os.path.isdir(path):
            yield from self._entries(path)
        else:
            file = self._file(path, real_path)
            if file is not None:
                yield file

    def _entries(self, directory: str) -> Iterator[FoundFile]:
        try:
            with os.scandir(directory) as entries:
                names = sorted((entry.name, entry.is_symlink(), os.path.isdir(entry.path)) for entry in entries)
        except OSError as error:
            self._cannot_read(directory, error)
            return
        is_chart = any(name == _CHART for name, _is_link, _is_directory in names)
        for name, is_link, is_directory in names:
            path = os.path.join(directory, name)
            if is_chart and name == _CHART_TEMPLATES:
                message = "contains templates of a Helm chart, which are not checked"
                self.problems.info(
                    "template", Location(self._shown(path)), message, "Run helm template, and check the result"
                )
            elif name != _REPOSITORY and (is_directory or is_link or name.endswith(_SUFFIXES)):
                yield from self.below(path)

    def _accepts_link(self, path: str, real_path: str) -> bool:
        where = self._shown(path)
        if not _is_below(real_path, self.root):
            message = f"is a symbolic link to {real_path}, outside of the checkout, so it is not read"
            self.problems.warning("outside-link", Location(where), message, "Copy what it points to into the checkout")
        elif not os.path.exists(real_path):
            message = f"is a symbolic link to {real_path}, which does not exist"
            self.problems.warning("dangling-link", Location(where), message, "Remove or correct the link")
        else:
            return os.path.isdir(real_path) or real_path.endswith(_SUFFIXES)
        return False

    def _file(self, path: str, real_path: str) -> FoundFile | None:
        try:
            status = os.stat(path)
        except OSError as error:
            self._cannot_read(path, error)
            return None
        where = self._shown(path)
        if not stat.S_ISREG(status.st_mode):
            message = "is not a regular file, so it is not read"
            self.problems.warning("not-a-file", Location(where), message, "Remove it")
            return None
        return FoundFile(where, real_path, status.st_size)

    def _cannot_read(self, path: str, error: OSError) -> None:
        self.problems.append(cannot("read", path, error)._replace(where=Location(self._shown(path))))

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self.root)


def directories(checkout: str, paths: Iterable[str]) -> list[str]:
    """Those of ``paths`` that are directories below ``checkout``, as globs for ``read_files``."""
    root = os.path.realpath(checkout)
    real_paths = {path: os.path.realpath(os.path.join(root, path)) for path in paths}
    return [glob.escape(path) for path, real in real_paths.items() if _is_below(real, root) and os.path.isdir(real)]


def read_file(checkout: str, path: str) -> bytes:
    """The content of a file below ``checkout``; empty if there is none that can be read."""
    root = os.path.realpath(checkout)
    real_path = os.path.realpath(os.path.join(root, path))
    if not _is_below(real_path, root) or not os.path.isfile(real_path) or os.path.getsize(real_path) > MAX_SIZE:
        return b""
    return read_again(path, real_path, Problems()) or b""


def read_again(path: str, real_path: str, problems: Problems) -> bytes | None:
    """Read a file again, ``None`` with a problem if that fails."""
    try:
        with open(real_path, "rb") as handle:
            return handle.read()
    except OSError as error:
        problems.append(cannot("read", path, error)._replace(where=Location(path)))
        return None


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
