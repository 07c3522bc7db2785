# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Files of a release, as a release image has them or as a flat directory, to a ``Release``.

How the CVO loads a payload: openshift/cluster-version-operator:pkg/payload/payload.go LoadUpdate, ValidateDirectory.
"""

from __future__ import annotations

import functools
import gc
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._problems import Problem, Problems, ReleaseError, has_errors, raise_errors
from .._version import find_minor, is_semantic_version, read_minor
from .._yaml.head import Head, YamlError, parse_json_object
from .manifest import Manifest
from .manifest_file import HeadReader, ManifestFile, read_manifest_file
from .release import Release
from .template import UNSET_RELEASE_IMAGE, TemplateError, TemplateValues, render, uses_release_image

CVO_MANIFESTS = "manifests"
RELEASE_MANIFESTS = "release-manifests"
METADATA = "release-metadata"
IMAGE_REFERENCES = "image-references"
_SUFFIXES = (".yaml", ".yml", ".json")
_METADATA_KIND = "cincinnati-metadata-v0"

PLACEHOLDER_IMAGE = "unset"
"""Stands for the release image where no answer shows it, so that nobody is told to name it."""


class LoadedRelease(NamedTuple):
    """A release together with its files; ``problems`` are those that did not keep it from loading.

    ``directories`` are those that the files were read from. ``partial``: it is known that some of it is missing.
    """

    release: Release
    directories: tuple[str, ...]
    files: Mapping[str, ManifestFile]
    problems: tuple[Problem, ...]
    partial: bool = False


def load_release(
    path: str,
    *,
    openshift_version: str | None = None,
    cluster_profile: str = DEFAULT_CLUSTER_PROFILE,
    release_image: str | None = None,
) -> LoadedRelease:
    """Load the release in the directory ``path``. Raises ``ReleaseError`` with everything that is wrong with it.

    ``openshift_version`` is for a flat directory without release-metadata; ``cluster_profile`` and
    ``release_image`` are rendered into the templates among the CVO's own manifests.
    """
    problems = Problems()
    if release_image is not None and (not release_image.isprintable() or " " in release_image):
        hint = "Give the pull spec of the release image, or leave it out"
        problems.append(Problem("error", "todo", "release_image", f"{release_image!r} is not a pull spec", hint))
    if not path:
        problems.append(
            Problem("error", "todo", "release", "is empty, expected a directory", "Name an extracted release")
        )
        raise_errors(problems, ReleaseError)
    path = os.path.abspath(path)
    directories = _directories(path, problems)
    raise_errors(problems, ReleaseError)
    with gc_paused():
        metadata_directory = directories[-1]
        version = _version(path, metadata_directory, openshift_version, problems)
        images = _images(path, metadata_directory, version, problems)
        values = TemplateValues(release_image or UNSET_RELEASE_IMAGE, cluster_profile, images)
        files: dict[str, ManifestFile] = {}
        partial = directories == (RELEASE_MANIFESTS,)
        read_head = _head_reader()
        for directory in directories:
            for name in _file_names(path, directory, problems):
                rendering = values if directory == CVO_MANIFESTS else None
                data = _content(path, name, rendering, problems)
                partial = partial or data is None
                if data is not None:
                    again = functools.partial(_reread, path, name, rendering, len(data))
                    files[name], found = read_manifest_file(name, data, read_head, again)
                    problems += found
    manifests = tuple(manifest for file in files.values() for manifest in file.manifests)
    if not manifests and not has_errors(problems):
        problems.append(_no_manifests(path))
    raise_errors(problems, ReleaseError)
    minor = None if version is None else read_minor(version, "openshift_version", problems)
    raise_errors(problems, ReleaseError)
    places = (path, *(os.path.join(path, directory) for directory in directories))
    release = Release(path, version, minor, manifests, images, functools.partial(_body, files))
    return LoadedRelease(release, places, files, tuple(problems), partial)


def _body(files: Mapping[str, ManifestFile], manifest: Manifest) -> Any:
    text = files[manifest.file].text(manifest)
    found = parse_json_object(text)
    if found is not None:
        return found
    from .._yaml.libyaml import load_body

    try:
        return load_body(text)
    except YamlError as error:
        where = f"{manifest.file}, document {manifest.document}"
        raise ReleaseError([Problem("error", "todo", where, error.message, "Mend the document")]) from None


def _directories(path: str, problems: Problems) -> tuple[str, ...]:
    """Return the directories to read, relative to ``path``, the one with the metadata last."""
    if not os.path.isdir(path):
        code, fault = "missing-directory", "does not exist"
        if os.path.exists(path):
            code, fault = "not-a-directory", "is a file"
        hint = "Name a directory into which a release was extracted"
        problems.error(code, path, f"{fault}, expected a directory", hint)
        return ()
    problems += [
        Problem("error", "todo", directory, "cannot be read: no permission", "Check the permissions")
        for directory in (path, *(os.path.join(path, name) for name in (CVO_MANIFESTS, RELEASE_MANIFESTS)))
        if os.path.isdir(directory) and not os.access(directory, os.R_OK | os.X_OK)
    ]
    if problems:
        return ()
    has_release, has_cvo = (os.path.isdir(os.path.join(path, name)) for name in (RELEASE_MANIFESTS, CVO_MANIFESTS))
    if has_release and has_cvo:
        return (CVO_MANIFESTS, RELEASE_MANIFESTS)
    if has_release:
        message = f"there is no {CVO_MANIFESTS}/ beside {RELEASE_MANIFESTS}/, so what the CVO brings itself is missing"
        problems.append(Problem("warning", "todo", path, message, "Extract both directories of the release image"))
        return (RELEASE_MANIFESTS,)
    if has_cvo and not _has_manifest_files(path):
        message = f"there is {CVO_MANIFESTS}/ and no {RELEASE_MANIFESTS}/"
        problems.append(Problem("error", "todo", path, message, "Extract both directories of the release image"))
    return ("",)


def _has_manifest_files(path: str) -> bool:
    return any(name.endswith(_SUFFIXES) for name in os.listdir(path))


def _file_names(path: str, directory: str, problems: Problems) -> list[str]:
    """Return the manifest files of a directory, relative to the release, in the CVO's order."""
    names = []
    try:
        with os.scandir(os.path.join(path, directory)) as entries:
            found = sorted((entry.name, entry.is_dir(), entry.is_file()) for entry in entries)
    except OSError as error:
        problems.append(_unreadable(os.path.join(path, directory), error))
        return []
    for name, is_directory, is_file in found:
        if is_directory or not name.endswith(_SUFFIXES):
            continue
        relative = f"{directory}/{name}" if directory else name
        if not name.isprintable():
            shown = relative.encode("ascii", "backslashreplace").decode()
            problems.append(
                Problem("error", "todo", shown, "has a name that is not UTF-8 or cannot be shown", "Rename the file")
            )
        elif is_file:
            names.append(relative)
        else:
            problems.append(
                Problem("error", "todo", relative, "is not a file that can be read", "Remove it or mend the link")
            )
    return names


def _content(path: str, name: str, values: TemplateValues | None, problems: Problems) -> bytes | None:
    """Return what the CVO reads of a file: its bytes, rendered where ``values`` say that it is a template."""
    data = _read(path, name, problems)
    return data if data is None or values is None else _rendered(name, data, values, problems)


def _reread(path: str, name: str, values: TemplateValues | None, size: int) -> bytes:
    problems = Problems()
    data = _content(path, name, values, problems)
    raise_errors(problems, ReleaseError)
    if data is None or len(data) != size:
        problem = Problem("error", "todo", name, "changed while the release was being read", "Run it again")
        raise ReleaseError([problem])
    return data


def _read(path: str, name: str, problems: Problems) -> bytes | None:
    try:
        with open(os.path.join(path, name), "rb", buffering=0) as handle:
            return handle.read()
    except OSError as error:
        problems.append(_unreadable(name, error))
        return None


def _rendered(name: str, data: bytes, values: TemplateValues, problems: Problems) -> bytes | None:
    if b"{{" not in data:
        return data
    try:
        template = data.decode()
    except UnicodeDecodeError:
        return data  # the reader says where
    try:
        text = render(template, values)
    except TemplateError as error:
        message = f"cannot be rendered: {error.message}; the file is left out, as the CVO leaves it out from 4.22 on"
        problems.append(Problem("warning", "todo", f"{name} (line {error.line})", message, "Render the file before"))
        return None
    if values.release_image == UNSET_RELEASE_IMAGE and uses_release_image(template):
        message = f"release_image is not set, {UNSET_RELEASE_IMAGE} stands in its place"
        problems.append(Problem("warning", "todo", name, message, "Set release_image to the pull spec of the release"))
    return text.encode()


def _version(path: str, directory: str, given: str | None, problems: Problems) -> str | None:
    name = f"{directory}/{METADATA}" if directory else METADATA
    if not os.path.lexists(os.path.join(path, name)):
        if directory:
            problems.append(Problem("error", "todo", name, "does not exist", "Extract the release with its metadata"))
        return given
    metadata = _json_object(path, name, problems)
    if metadata is None:
        return given
    kind, version = metadata.get("kind"), metadata.get("version")
    if kind != _METADATA_KIND:
        problems.append(
            Problem("error", "todo", f"{name}, kind", f"is {kind!r}, expected {_METADATA_KIND}", "Extract it again")
        )
    if not isinstance(version, str) or not is_semantic_version(version):
        found = "is missing" if version in (None, "") else f"is {version!r}"
        message = f"{found}, expected a semantic version such as 4.20.3, as a string"
        problems.append(Problem("error", "todo", f"{name}, version", message, "Extract it again"))
        return given
    if find_minor(given) not in (None, find_minor(version)):
        message = f"is {version}, and openshift_version says {given}"
        problems.append(
            Problem("error", "todo", f"{name}, version", message, "Leave openshift_version out, the release tells it")
        )
    return version


def _images(path: str, directory: str, version: str | None, problems: Problems) -> dict[str, str]:
    name = f"{directory}/{IMAGE_REFERENCES}" if directory else IMAGE_REFERENCES
    if not os.path.lexists(os.path.join(path, name)):
        if directory:
            problems.append(
                Problem("error", "todo", name, "does not exist", "Extract the release with its image references")
            )
        return {}
    stream = _json_object(path, name, problems)
    if stream is None:
        return {}
    if stream.get("kind") != "ImageStream":
        problems.append(
            Problem(
                "error", "todo", f"{name}, kind", f"is {stream.get('kind')!r}, expected ImageStream", "Extract it again"
            )
        )
    named = _mapping(stream.get("metadata")).get("name")
    has_metadata = os.path.lexists(os.path.join(path, directory, METADATA))
    if has_metadata and version is not None and named != version:
        message = f"is {named!r}, and {METADATA} says {version}"
        problems.append(
            Problem("error", "todo", f"{name}, metadata.name", message, "Extract both from the same release")
        )
    tags = _mapping(stream.get("spec")).get("tags")
    images: dict[str, str] = {}
    for tag in map(_mapping, tags if isinstance(tags, list) else ()):
        pull_spec = _mapping(tag.get("from")).get("name")
        if isinstance(tag.get("name"), str) and isinstance(pull_spec, str):
            images[tag["name"]] = pull_spec
    return images


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _json_object(path: str, name: str, problems: Problems) -> dict[str, Any] | None:
    data = _read(path, name, problems)
    if data is None:
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        problems.append(Problem("error", "todo", name, f"is not valid JSON: {error}", "Extract it again"))
        return None
    if not isinstance(value, dict):
        problems.append(Problem("error", "todo", name, "is not a JSON object", "Extract it again"))
        return None
    return value


def _unreadable(where: str, error: OSError) -> Problem:
    return Problem(
        "error", "todo", where, f"cannot be read: {error.strerror or error}", "Check the file and its permissions"
    )


def _no_manifests(path: str) -> Problem:
    expected = f"expected {RELEASE_MANIFESTS}/ (and {CVO_MANIFESTS}/), or files ending in {', '.join(_SUFFIXES)}"
    return Problem(
        "error", "todo", path, f"holds no manifests, {expected}", "Name the directory of an extracted release"
    )


def _head_reader() -> HeadReader:
    """Return the reader of heads: through rapidyaml where it is installed, with libyaml for what it doubts."""
    from .._yaml import rapidyaml as _rapidyaml

    if not _rapidyaml.HAS_RAPIDYAML:
        from .._yaml.libyaml import read_head

        return read_head

    def read(data: bytes) -> Head:
        try:
            return _rapidyaml.read_head(data)
        except _rapidyaml.UnsupportedSyntax:
            from .._yaml.libyaml import read_head as read_surely

            return read_surely(data)

    return read


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keep the collector from walking thousands of new objects again and again: none of them is garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()
            gc.enable()
