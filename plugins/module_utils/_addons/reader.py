# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads add-ons: directories and files with bundles, catalogs, output of Helm and other objects, and images of bundles.

A bundle is a directory with a ClusterServiceVersion. Its properties are in the directory ``metadata`` next to it
(operator-framework/enhancements:enhancements/properties.md). The form of catalogs:
operator-framework/operator-registry:alpha/declcfg, alpha/property.
"""

from __future__ import annotations

import base64
import glob
import io
import os
import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

from .._files.checkout import KUSTOMIZATIONS, Checkout
from .._files.files import absolute, cannot
from .._problems import InvalidOptionError, Location, Problems, plural
from .._registry.access_options import AccessOptions
from .._resources import as_text, mappings_in, nested
from .objects import CSV, Addon, AddonObject, GroupKindName, Installer, read_object
from .rules import finding
from .stream import objects_of, read_objects, read_stream

_Files = Iterator[tuple[str, IO[bytes]]]
_SUFFIXES = (".yaml", ".yml", ".json")
_IMAGE_DIRECTORIES = ("manifests", "metadata", "configs")
_OPM_TEMPLATES = ("olm.template.basic", "olm.template.substitutes", "olm.semver")
"""Source: operator-framework/operator-registry:alpha/template."""
_OPTIONAL = "olm.manifests.optional"
_BUNDLE_OBJECT, _METADATA, _REQUIRED = "olm.bundle.object", "olm.csv.metadata", "olm.gvk.required"
_DEPENDENCY = "olm.gvk"
"""The type of a required API among dependencies. opm makes an ``olm.gvk.required`` of it, and keeps other types.

Source: operator-framework/operator-registry:pkg/registry/registry_to_model.go ObjectsAndPropertiesFromBundle.
"""


class ReadOptions(NamedTuple):
    """How add-ons are read. ``installer`` is ``None`` if the form of an add-on decides.

    ``packages``: which ones of catalogs are checked, all of them if it is empty. ``access`` and ``architecture``
    are for images.
    """

    installer: Installer | None
    packages: Collection[str]
    access: AccessOptions
    architecture: str


def common_directory(names: Iterable[str]) -> str:
    """The directory that the paths of findings are relative to: the nearest one that contains all add-ons."""
    paths = [path for path in map(_real_path, names) if os.path.isfile(path) or os.path.isdir(path)]
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    return os.path.commonpath(folders) if folders else os.getcwd()


def read_addons(
    name: str, where: str, base: str, options: ReadOptions, repeated: Counter[str], findings: Problems
) -> Iterator[Addon]:
    """Yield the add-ons in a file, a directory or an image. ``where`` is the option for messages.

    Bundles of packages that are not wanted have no objects. ``repeated``: the files that were read, and how often they
    were left out afterwards.

    Raises ``CapabilityError`` if there is none, or an image cannot be read.
    """
    path = _real_path(name)
    if not os.path.exists(path):
        files = _files_of_image(name, where, options, findings)
        return _AddonReader(options, findings, is_single=False).addons(files, name)
    if not os.path.exists(os.path.realpath(path)):
        return _AddonReader(options, findings, is_single=True).addons(_opened(path, name), name)
    is_single = not os.path.isdir(path)
    folder, start = (os.path.dirname(path), os.path.basename(path)) if is_single else (path, ".")
    files = _files_below(folder, start, os.path.relpath(folder, base), repeated, findings)
    return _AddonReader(options, findings, is_single=is_single).addons(files, os.path.relpath(path, base))


def _real_path(name: str) -> str:
    """Where the file or directory ``name`` is written. A pipe of a shell, such as ``/dev/fd/63``, is nowhere."""
    path = absolute(name)
    real = os.path.realpath(path)
    return real if os.path.exists(real) else path


def _opened(path: str, name: str) -> _Files:
    with open(path, "rb") as file:
        yield name, file


def _files_below(folder: str, start: str, prefix: str, repeated: Counter[str], problems: Problems) -> _Files:
    own = Problems()
    for found in Checkout(folder).files([glob.escape(start)], own):
        path = os.path.normpath(os.path.join(prefix, found.path))
        if found.real_path in repeated:
            repeated[found.real_path] += 1
            continue
        repeated[found.real_path] = 0
        if posixpath.basename(path) in KUSTOMIZATIONS:
            message = "is a Kustomization, so its result is not checked"
            problems.append(finding("template", Location(path), message, "Run kustomize build, and check the result"))
            continue
        try:
            with open(found.real_path, "rb") as file:
                yield path, file
        except OSError as error:
            own.append(cannot("read", found.path, error)._replace(where=Location(found.path)))
    for problem in own:
        where = problem.where._replace(source=os.path.normpath(os.path.join(prefix, problem.where.source)))
        rule = "template" if problem.code == "template" else "unread-file"
        problems.append(finding(rule, where, problem.message, problem.hint))


def _files_of_image(name: str, where: str, options: ReadOptions, problems: Problems) -> _Files:
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
            yield f"{name}/{path}", io.BytesIO(data)


class _AddonReader:
    """Reads the files of one add-on option. ``is_single``: it is a file, which kubectl applies in its order."""

    def __init__(self, options: ReadOptions, problems: Problems, *, is_single: bool) -> None:
        self.options, self.problems = options, problems
        self.usual: Installer = "kubectl" if is_single else "gitops"
        self._objects: dict[str, list[AddonObject]] = {}
        self._properties: dict[str, list[Mapping[str, Any]]] = {}
        self._dependencies: dict[str, list[Mapping[str, Any]]] = {}
        self._charts: dict[str, set[str]] = {}

    def addons(self, files: Iterable[tuple[str, IO[bytes]]], name: str) -> Iterator[Addon]:
        """Yield the bundles of catalogs while they are read, and then everything else."""
        for path, file in files:
            yield from self._read(path, file)
        own = [(path, objects) for path, objects in self._objects.items() if path not in self._charts]
        bundles: dict[str, list[AddonObject]] = {
            posixpath.dirname(path): []
            for path, objects in own
            if any(item.resource_id.group_kind == CSV for item in objects)
        }
        rest: list[AddonObject] = []
        for path, objects in own:
            bundles.get(posixpath.dirname(path), rest).extend(objects)
        self._report_subdirectories(bundles, rest)
        for folder, objects in bundles.items():
            properties, dependencies = (
                found.get(posixpath.dirname(folder), []) for found in (self._properties, self._dependencies)
            )
            required = (*_values_of(properties, _REQUIRED), *_values_of(dependencies, _DEPENDENCY, _REQUIRED))
            more = {"optional": _optional_objects(properties), "required": required}
            yield self._addon(folder, "olm", self._read_by_olm(objects), **more)
        charts: dict[tuple[str, str], list[str]] = {}
        for path, sources in sorted(self._charts.items()):
            charts.setdefault(_chart_of(path, sources), []).append(path)
        for paths in charts.values():
            chart = posixpath.commonpath(paths)
            yield self._addon(chart, "helm", [item for path in paths for item in self._objects[path]])
        if rest:
            yield self._addon(name, self.usual, rest)

    def _addon(self, path: str, installer: Installer, objects: Iterable[AddonObject], **more: Any) -> Addon:
        return Addon(path, self.options.installer or installer, tuple(objects), **more)

    def _read(self, path: str, file: IO[bytes]) -> Iterator[Addon]:
        without_objects: list[int] = []
        for document in read_stream(file, path, self.problems):
            value, line = document.value, document.line
            if not isinstance(value, Mapping):
                continue
            if as_text(value.get("schema")).startswith("olm."):
                if value["schema"] == "olm.bundle":
                    yield self._bundle(value, path, line, without_objects)
                elif value["schema"] in _OPM_TEMPLATES:
                    message = "is a template of opm, so it is not checked"
                    self.problems.append(finding("template", Location(path, line=line), message))
            elif value.keys() & {"dependencies", "properties"} and not value.keys() & {"apiVersion", "kind"}:
                if document.is_first:
                    self._read_metadata(value, posixpath.dirname(posixpath.dirname(path)))
            else:
                self._objects.setdefault(path, []).extend(objects_of(document, path, self.problems))
                if document.source:
                    self._charts.setdefault(path, set()).add(document.source)
        if without_objects:
            number = plural(len(without_objects), "bundle")
            message = f"contains only metadata of {number}, so their objects are not checked"
            self.problems.append(finding("unchecked-bundle", Location(path, line=without_objects[0]), message))

    def _read_metadata(self, value: Mapping[str, Any], folder: str) -> None:
        """Read a file in the metadata of the bundle in ``folder``. Of several files, the first one with a list counts.

        Source: operator-framework/operator-registry:pkg/registry/parse.go addMetadata, decode.go decodeFileFS.
        """
        for found, key in ((self._properties, "properties"), (self._dependencies, "dependencies")):
            if entries := mappings_in(value.get(key)):
                found.setdefault(folder, entries)

    def _bundle(self, value: Mapping[str, Any], path: str, line: int, without_objects: list[int]) -> Addon:
        """A bundle of a catalog. Without objects, its ClusterServiceVersion has only what it requires.

        One of a package that is not wanted has no objects.
        """
        package, name = as_text(value.get("package")), as_text(value.get("name")) or "a bundle"
        if self.options.packages and package not in self.options.packages:
            return self._addon(path, "olm", (), name=name, package=package)
        properties = mappings_in(value.get("properties"))
        objects: list[AddonObject] = []
        for item in properties:
            if item.get("type") == _BUNDLE_OBJECT:
                objects += self._read_by_olm(self._embedded(nested(item, "value", "data"), path, line), name)
        if not objects:
            without_objects.append(line)
            objects = read_object(_described_csv(name, properties), path, line, self.problems)
        more = {"optional": _optional_objects(properties), "required": _values_of(properties, _REQUIRED)}
        return self._addon(path, "olm", objects, name=name, package=package, **more)

    def _read_by_olm(self, objects: list[AddonObject], name: str = "") -> list[AddonObject]:
        """What OLM and opm read of the bundle ``name``: the first document of each file. A comment before --- is one.

        Source: operator-framework/operator-registry:pkg/registry/decode.go DecodeUnstructured.
        """
        if self.options.installer not in (None, "olm"):
            return objects
        reported: set[str] = set()
        for item in objects:
            if not item.is_first and item.manifest.file not in reported:
                reported.add(item.manifest.file)
                message = "is not in the first document of its file, and OLM reads no other"
                where = Addon(item.manifest.file, "olm", (), name=name).location(item)
                self.problems.append(finding("invalid-manifest", where, message, "Write one object into each file"))
        return [item for item in objects if item.is_first]

    def _report_subdirectories(self, bundles: Iterable[str], rest: Iterable[AddonObject]) -> None:
        """Report the first object in each subdirectory of ``manifests`` of a bundle, which OLM fails to unpack.

        Source: operator-framework/operator-registry:pkg/configmap/configmap_writer.go Populate.
        """
        above = [f"{folder}/" for folder in bundles if posixpath.basename(folder) == "manifests"]
        first: dict[str, AddonObject] = {}
        for item in rest if self.options.installer in (None, "olm") else ():
            first.setdefault(posixpath.dirname(item.manifest.file), item)
        for folder, item in first.items():
            if folder.startswith(tuple(above)):
                where = Addon(item.manifest.file, "olm", ()).location(item)
                message = "is in a subdirectory of a bundle, which OLM cannot unpack"
                self.problems.append(finding("invalid-manifest", where, message, "Move it to the directory manifests"))

    def _embedded(self, data: object, path: str, line: int) -> list[AddonObject]:
        try:  # line breaks are ignored, as Go does
            text = base64.b64decode(as_text(data).replace("\n", "").replace("\r", ""), validate=True)
        except ValueError:
            message = f"has a property {_BUNDLE_OBJECT} that is not valid base64"
            self.problems.append(finding("invalid-manifest", Location(path, line=line), message))
            return []
        return read_objects(text, path, self.problems, line, is_block=False)


def _values_of(entries: object, *types: str) -> tuple[Mapping[str, Any], ...]:
    values = [item.get("value") for item in mappings_in(entries) if item.get("type") in types]
    return tuple(mappings_in(values))


def _chart_of(path: str, sources: set[str]) -> tuple[str, str]:
    """What the files of one chart have in common: ``helm template --output-dir`` writes one for each template."""
    source, *others = sources
    if others:
        return path, ""
    return path.removesuffix(source) if path.endswith(source) else posixpath.dirname(path), source.partition("/")[0]


def _described_csv(name: str, properties: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    metadata = next(iter(_values_of(properties, _METADATA)), {})
    return {
        "apiVersion": f"{CSV[0]}/v1alpha1",
        "kind": CSV[1],
        "metadata": {"name": name},
        "spec": {
            "customresourcedefinitions": nested(metadata, "crdDescriptions"),
            "apiservicedefinitions": nested(metadata, "apiServiceDefinitions"),
            "nativeAPIs": nested(metadata, "nativeAPIs"),
        },
    }


def _optional_objects(properties: Iterable[Mapping[str, Any]]) -> frozenset[GroupKindName]:
    values = [item.get("value") for item in properties if item.get("type") == _OPTIONAL]
    entries = [entry for value in values for entry in mappings_in(nested(value, "manifests"))]
    return frozenset(
        (as_text(item.get("group")).partition("/")[0], as_text(item.get("kind")), as_text(item.get("name")))
        for item in entries
    )
