# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads add-ons: directories and files with bundles, output of Helm and other objects, and images of bundles.

A bundle is a directory with a ClusterServiceVersion.
"""

from __future__ import annotations

import glob
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .._files.checkout import KUSTOMIZATIONS, Checkout
from .._files.files import absolute, cannot
from .._problems import InvalidOptionError, Location, Problems
from .._registry.access_options import AccessOptions
from .._resources import as_text
from .objects import CSV, Addon, AddonObject, Installer, read_object
from .rules import finding
from .stream import read_stream

_SUFFIXES = (".yaml", ".yml", ".json")
_IMAGE_DIRECTORIES = ("manifests", "configs")


class ReadOptions(NamedTuple):
    """How add-ons are read. ``installer`` is ``None`` if the form of an add-on decides.

    ``access`` and ``architecture`` are for images.
    """

    installer: Installer | None
    access: AccessOptions
    architecture: str


def common_directory(names: Iterable[str]) -> str:
    """The directory that the paths of findings are relative to: the nearest one that contains all add-ons."""
    paths = [path for path in map(_real_path, names) if os.path.exists(path)]
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    return os.path.commonpath(folders) if folders else os.getcwd()


def read_addons(name: str, where: str, base: str, options: ReadOptions, findings: Problems) -> Iterator[Addon]:
    """Yield the add-ons in a file, a directory or an image. ``where`` is the option for messages.

    Raises ``CapabilityError`` if there is none, or an image cannot be read.
    """
    path = _real_path(name)
    if not os.path.exists(path):
        files = _files_of_image(name, where, options, findings)
        return _AddonReader(options, findings, is_single=False).addons(files, name)
    is_single = not os.path.isdir(path)
    folder, start = (os.path.dirname(path), os.path.basename(path)) if is_single else (path, ".")
    files = _files_below(folder, start, os.path.relpath(folder, base), findings)
    return _AddonReader(options, findings, is_single=is_single).addons(files, os.path.relpath(path, base))


def _real_path(name: str) -> str:
    return os.path.realpath(absolute(name))


def _files_below(folder: str, start: str, prefix: str, problems: Problems) -> Iterator[tuple[str, bytes]]:
    own = Problems()
    for found in Checkout(folder).files([glob.escape(start)], own):
        path = os.path.normpath(os.path.join(prefix, found.path))
        if posixpath.basename(path) in KUSTOMIZATIONS:
            message = "is a Kustomization, whose files are checked as they are"
            problems.append(finding("template", Location(path), message, "Run kustomize build, and check the result"))
            continue
        try:
            with open(found.real_path, "rb") as file:
                data = file.read()
        except OSError as error:
            own.append(cannot("read", found.path, error)._replace(where=Location(found.path)))
        else:
            yield path, data
    for problem in own:
        where = problem.where._replace(source=os.path.normpath(os.path.join(prefix, problem.where.source)))
        rule = "template" if problem.code == "template" else "unread-file"
        problems.append(finding(rule, where, problem.message, problem.hint))


def _files_of_image(name: str, where: str, options: ReadOptions, problems: Problems) -> Iterator[tuple[str, bytes]]:
    # Imported here: most add-ons are files, which need no client of registries.
    from .._registry.image import read_files
    from .._release_image.image_reader import open_image
    from .._release_image.release_name import parse_release_name

    own = Problems()
    parsed = parse_release_name(name, where, own)
    if parsed is None or parsed.kind == "directory":
        if parsed is not None:
            own.error("missing-path", where, f"is {name}, which does not exist", "Name a file, a directory or an image")
        raise InvalidOptionError(own)
    reader = open_image(parsed, options.access, problems)
    manifest = reader.resolve(options.architecture).manifest
    found = read_files(reader.store, manifest, _IMAGE_DIRECTORIES, lambda _files: False, name)
    for path, data in sorted(found.files.items()):
        if path.endswith(_SUFFIXES):
            yield f"{name}/{path}", data


class _AddonReader:
    """Reads the files of one add-on option. ``is_single``: it is a file, which kubectl applies in its order."""

    def __init__(self, options: ReadOptions, problems: Problems, *, is_single: bool) -> None:
        self.options, self.problems = options, problems
        self.usual: Installer = "kubectl" if is_single else "gitops"
        self._objects: dict[str, list[AddonObject]] = {}
        self._charts: set[str] = set()

    def addons(self, files: Iterable[tuple[str, bytes]], name: str) -> Iterator[Addon]:
        """Yield the bundles, the charts, and then everything else."""
        for path, data in files:
            self._read(path, data)
        rest: list[AddonObject] = []
        by_folder: dict[str, list[AddonObject]] = {}
        for path, objects in self._objects.items():
            by_folder.setdefault(posixpath.dirname(path), []).extend(() if path in self._charts else objects)
        for folder, objects in by_folder.items():
            if all(item.resource_id.group_kind != CSV for item in objects):
                rest += objects
                continue
            yield self._addon(folder, "olm", objects)
        for path in sorted(self._charts):
            yield self._addon(path, "helm", self._objects[path])
        if rest:
            yield self._addon(name, self.usual, rest)

    def _addon(self, path: str, installer: Installer, objects: Iterable[AddonObject]) -> Addon:
        return Addon(path, self.options.installer or installer, tuple(objects))

    def _read(self, path: str, data: bytes) -> None:
        is_catalog = False
        for value, line, source in read_stream(data, path, self.problems):
            if not isinstance(value, Mapping):
                continue
            if as_text(value.get("schema")).startswith("olm."):
                if not is_catalog:
                    message = "is a catalog, whose bundles are not checked"
                    self.problems.append(finding("unchecked-bundle", Location(path, line=line), message))
                is_catalog = True
                continue
            self._objects.setdefault(path, []).extend(read_object(value, path, line, self.problems, source))
            if source:
                self._charts.add(path)
