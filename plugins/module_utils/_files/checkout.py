# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds and reads the YAML and JSON files of a directory, such as a Git checkout.

Only YAML and JSON files are read. A file that cannot be read is a problem, and the others are read all the same.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import itertools
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._problems import InvalidOptionError, Location, Problems
from .files import cannot
from .git import NoGitError, ignored_paths

MAX_SIZE = 10 * 2**20
"""Bytes. etcd accepts objects of 1.5 MiB, so a larger file that is not read is not a list of sites."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""Source: kubernetes-sigs/kustomize:api/konfig/general.go RecognizedKustomizationFileNames."""

_SUFFIXES = (".yaml", ".yml", ".json")
_REPOSITORY = ".git"
_ANY_DEPTH = "**"
_ESCAPED = re.compile(r"\[([*?[])\]")
"""What ``glob.escape`` makes of a character."""

_CHART, _CHART_TEMPLATES = "Chart.yaml", "templates"
_REFERENCE, _PARTS = "metadata.yaml", re.compile(rb"^parts:", re.MULTILINE)


class FoundFile(NamedTuple):
    """A regular file. ``path`` is relative to the checkout, ``real_path`` is where it is written."""

    path: str
    real_path: str
    size: int


class CheckoutFile(NamedTuple):
    """A file that was read. ``real_path`` contains no link, ``path`` is the same, relative to the checkout."""

    path: str
    real_path: str
    data: bytes


class Checkout:
    """The files below the absolute path ``path``. Each is found once, however often ``files`` is called.

    Git decides what belongs to it: what it ignores is left out unless it is named. ``outputs`` are files that the
    check itself writes, which are never found.
    """

    def __init__(self, path: str, outputs: Iterable[str] = ()) -> None:
        self.root = os.path.realpath(path)
        self._seen = set(map(os.path.realpath, outputs))
        """The real paths of what was visited, so that links cannot cause a loop."""
        self._ignored: frozenset[str] | None = None
        self.fault = ""
        """Why it is not known what git ignores, which is found then, too."""

    def read_files(self, paths: Iterable[str], problems: Problems) -> Iterator[CheckoutFile]:
        """Yield the files that ``files`` finds and that are not too large, with their content.

        Git names a file by the path without links, and kustomize resolves relative paths from there.
        """
        for found in self.files(paths, problems):
            if found.size > MAX_SIZE:
                message = f"is larger than {MAX_SIZE // 2**20} MiB, so it is not read"
                problems.warning("too-large", Location(found.path), message, "Split it, or leave it out of paths")
                continue
            data = read_again(found.path, found.real_path, problems)
            if data is not None:
                yield CheckoutFile(self._shown(found.real_path), found.real_path, data)

    def files(self, paths: Iterable[str], problems: Problems) -> Iterator[FoundFile]:
        """Yield the files below ``paths`` that were not found before, in a stable order.

        ``paths`` are directories, files or globs, relative to the checkout. Problems name files relative to it. Raises
        ``InvalidOptionError`` if one of ``paths`` does not exist or is outside.
        """
        for start in self._starting_points(paths):
            yield from self._below(start, problems)

    def listed(self, folder: str) -> dict[str, str]:
        """The files in a directory, but not below it, by name, each as ``read_files`` names it."""
        paths = sorted(glob.glob(os.path.join(glob.escape(self.root), glob.escape(folder), "*")))
        paths = [path for path in paths if not self._is_ignored(path, self.root)]
        found = {os.path.basename(path): os.path.realpath(path) for path in paths}
        files = {name: path for name, path in found.items() if path.endswith(_SUFFIXES) and os.path.isfile(path)}
        return {name: self._shown(path) for name, path in files.items() if self._contains(path)}

    def read(self, path: str) -> bytes:
        """The content of a file; empty if there is none that can be read."""
        real_path = os.path.realpath(os.path.join(self.root, path))
        if not self._contains(real_path) or not os.path.isfile(real_path) or os.path.getsize(real_path) > MAX_SIZE:
            return b""
        return read_again(path, real_path, Problems()) or b""

    def _starting_points(self, paths: Iterable[str]) -> list[str]:
        problems = Problems()
        found: list[str] = []
        if not os.path.isdir(self.root):
            message, hint = "is not a directory", "Set checkout to the directory of a checkout"
            problems.error("missing-directory", self.root, message, hint)
        else:
            for pattern in paths:
                matches = self._matches(pattern)
                if not matches:
                    hint = f"Name a directory, a file or a glob relative to {self.root}"
                    problems.error("missing-path", pattern, "matches no file or directory", hint)
                for match in matches:
                    path = os.path.realpath(match)
                    if not self._contains(path):
                        message = f"is outside of the checkout {self.root}"
                        problems.error("outside-path", pattern, message, "Name paths below the checkout")
                    elif path == os.sep:
                        message = "is the root of the file system, which is not searched"
                        problems.error("root-directory", os.sep, message, "Name the directory that contains the files")
                found += matches
        problems.raise_errors(InvalidOptionError)
        return found

    def _matches(self, pattern: str) -> list[str]:
        """What ``pattern`` matches, without what git ignores below the part of it that is no glob."""
        parts = os.path.normpath(pattern).split(os.sep)
        plain = list(itertools.takewhile(lambda part: not glob.has_magic(_ESCAPED.sub("", part)), parts))
        named = os.path.normpath(os.path.join(self.root, *(_ESCAPED.sub(r"\1", part) for part in plain)))
        if _ANY_DEPTH in parts:
            rest = parts[len(plain) :]
            below = self._walk(named, frozenset(), hidden=any(part.startswith(".") for part in rest))
            found = [named] * (_fits((), rest) and os.path.isdir(named))
            found += (path for path in below if _fits(path.removeprefix(named).split(os.sep)[1:], rest))
        else:
            found = sorted(glob.glob(os.path.join(glob.escape(self.root), pattern)))
        return [path for path in map(os.path.normpath, found) if not self._is_ignored(path, named)]

    def _walk(self, directory: str, above: frozenset[str], *, hidden: bool) -> Iterator[str]:
        """Yield all that is below ``directory``, but not below links to directories ``above``, which never end.

        ``hidden``: also what begins with a dot.
        """
        real_path = os.path.realpath(directory)
        if real_path in above or not self._contains(real_path):
            return
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if hidden or not entry.name.startswith("."):
                    yield entry.path
                    if entry.is_dir():
                        yield from self._walk(entry.path, above | {real_path}, hidden=hidden)

    def _is_ignored(self, path: str, below: str) -> bool:
        """Whether git ignores ``path``, or a directory between it and ``below``."""
        while len(path) > len(below):
            if path in self._ignored_paths:
                return True
            path = os.path.dirname(path)
        return False

    @property
    def _ignored_paths(self) -> frozenset[str]:
        if self._ignored is None:
            try:
                self._ignored = frozenset(os.path.join(self.root, path) for path in ignored_paths(self.root))
            except NoGitError as error:
                self._ignored, self.fault = frozenset(), str(error)
        return self._ignored

    def _below(self, path: str, problems: Problems) -> Iterator[FoundFile]:
        """Yield ``path``, or the files below it."""
        try:
            real_path = os.path.realpath(path)
        except OSError as error:  # A link of another process in /proc cannot be read.
            self._cannot_read(path, error, problems)
            return
        if os.path.islink(path) and not self._accepts_link(path, real_path, problems):
            return
        if real_path in self._seen:
            return
        self._seen.add(real_path)
        if os.path.isdir(path):
            yield from self._entries(path, problems)
        else:
            file = self._file(path, real_path, problems)
            if file is not None:
                yield file

    def _entries(self, directory: str, problems: Problems) -> Iterator[FoundFile]:
        try:
            with os.scandir(directory) as entries:
                names = sorted((entry.name, entry.is_symlink(), os.path.isdir(entry.path)) for entry in entries)
        except OSError as error:
            self._cannot_read(directory, error, problems)
            return
        is_chart = any(name == _CHART for name, _is_link, _is_directory in names)
        for name, is_link, is_directory in names:
            path = os.path.join(directory, name)
            is_file = name.endswith(_SUFFIXES) or name in KUSTOMIZATIONS
            is_read = name != _REPOSITORY and (is_directory or is_link or is_file)
            if not is_read or path in self._ignored_paths:
                continue
            if is_chart and name == _CHART_TEMPLATES:
                message = "contains templates of a Helm chart, which are not checked"
                problems.info(
                    "template", Location(self._shown(path)), message, "Run helm template, and check the result"
                )
            elif is_directory and self._is_reference(path):
                message = "contains a reference of kube-compare, whose templates are not checked"
                problems.info("template", Location(self._shown(path)), message, "Check the manifests it is made of")
            else:
                yield from self._below(path, problems)

    def _is_reference(self, directory: str) -> bool:
        """Whether a directory is a reference that kube-compare compares clusters with.

        Source: openshift/kube-compare:docs/reference-config-guide.md.
        """
        metadata = os.path.join(directory, _REFERENCE)
        return os.path.isfile(metadata) and _PARTS.search(self.read(self._shown(metadata))) is not None

    def _accepts_link(self, path: str, real_path: str, problems: Problems) -> bool:
        if os.path.isfile(real_path) and not path.endswith(_SUFFIXES) and not real_path.endswith(_SUFFIXES):
            return False  # such as a link to a program
        where = self._shown(path)
        if not self._contains(real_path):
            message = f"is a symbolic link to {real_path}, outside of {self.root}, so it is not read"
            problems.warning("outside-link", Location(where), message, "Copy what it points to")
        elif not os.path.exists(real_path):
            message = f"is a symbolic link to {real_path}, which does not exist"
            problems.warning("dangling-link", Location(where), message, "Remove or correct the link")
        else:
            return os.path.isdir(real_path) or real_path.endswith(_SUFFIXES)
        return False

    def _file(self, path: str, real_path: str, problems: Problems) -> FoundFile | None:
        try:
            status = os.stat(path)
        except OSError as error:
            self._cannot_read(path, error, problems)
            return None
        where = self._shown(path)
        if not stat.S_ISREG(status.st_mode):
            message = "is not a regular file, so it is not read"
            problems.warning("not-a-file", Location(where), message, "Remove it")
            return None
        return FoundFile(where, real_path, status.st_size)

    def _cannot_read(self, path: str, error: OSError, problems: Problems) -> None:
        problems.append(cannot("read", path, error)._replace(where=Location(self._shown(path))))

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self.root)

    def _contains(self, path: str) -> bool:
        return path == self.root or path.startswith(self.root.rstrip(os.sep) + os.sep)


def read_again(path: str, real_path: str, problems: Problems) -> bytes | None:
    """Read a file again, ``None`` with a problem if that fails."""
    try:
        with open(real_path, "rb") as handle:
            return handle.read()
    except OSError as error:
        problems.append(cannot("read", path, error)._replace(where=Location(path)))
        return None


def _fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path fit those of a pattern, as ``glob`` decides with ``recursive``."""
    if not pattern:
        return not names
    if pattern[0] == _ANY_DEPTH and _fits(names, pattern[1:]):
        return True
    if not names or (names[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    if pattern[0] == _ANY_DEPTH:
        return _fits(names[1:], pattern)
    return fnmatch.fnmatchcase(names[0], pattern[0]) and _fits(names[1:], pattern[1:])
