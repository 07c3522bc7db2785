# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Loads a release from a directory: an extracted release image, or a flat directory of manifests.

How the CVO loads a payload: openshift/cluster-version-operator:pkg/payload/payload.go LoadUpdate, ValidateDirectory.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._data.version import find_minor, is_semantic_version
from .._problems import Location, Problem, Problems, ReleaseError, has_errors, raise_errors
from .._resources import CLUSTER_VERSION_CRD, as_text, nested
from .._yaml.libyaml import load_body
from .._yaml.values import YamlError
from .index import IndexCache, ReleaseIndex
from .manifest import Manifest
from .manifest_file import ManifestFile, with_scopes
from .release import CVO_MANIFESTS, ImageStream, Release, parse_image_stream, read_minor
from .template import UNSET_RELEASE_IMAGE, TemplateError, TemplateValues, render

RELEASE_MANIFESTS = "release-manifests"
METADATA = "release-metadata"
IMAGE_REFERENCES = "image-references"
_SUFFIXES = (".yaml", ".yml", ".json")
_METADATA_KIND = "cincinnati-metadata-v0"
_ARCHITECTURE = "release.openshift.io/architecture"
_BOTH = f"{RELEASE_MANIFESTS}/ and {CVO_MANIFESTS}/"
_MOST_SHOWN = 3
_EXTRACT_AGAIN = "Extract the release again"
_SET_RELEASE = "Name an extracted release"
_ARCHIVES = "oci-archive: or oc-mirror:"
_EXTRACT = (
    "Extract both directories of the release image: mkdir -p DIR/manifests DIR/release-manifests && "
    "oc image extract IMAGE --path /manifests/:DIR/manifests --path /release-manifests/:DIR/release-manifests"
)

MISSING_IMAGE = "missing-release-image"
"""Code of the problem that a template names a release image that is not known. It matters where files are written."""

UNPRINTABLE_NAME = "invalid-file-name"
"""Code of the problem with the name of a file, whose location has the name with escapes."""

PLACEHOLDER_IMAGE = "unset"
"""Release image for callers whose results do not show it. It avoids the note that the image is not set."""


def load_release(
    path: str,
    problems: Problems,
    *,
    openshift_version: str | None = None,
    version_option: str = "openshift_version",
    cluster_profile: str = DEFAULT_CLUSTER_PROFILE,
    release_image: str | None = None,
    index_directory: str = "",
    keep_going: bool = False,
    skip: Collection[str] = (),
    folders: tuple[str, ...] | None = None,
) -> Release:
    """Load the release in the directory ``path``. Raises ``ReleaseError`` with all of its errors.

    ``openshift_version`` is the version of a flat directory without release-metadata, and ``version_option`` the option
    that has it. ``cluster_profile`` and ``release_image`` are rendered into the templates among the CVO's own
    manifests. The index of the release is kept in ``index_directory``, and read instead of the manifests as long as no
    file changes; empty: it is not kept. With ``keep_going``, ``problems`` gets the errors of single files, and the
    other files are loaded. Files in ``skip`` are not read. ``folders`` are the directories of a repository that contain
    manifests: they are read instead of the directories of a release, and need not contain any.
    """
    found = Problems()
    if release_image is not None and (not release_image.isprintable() or " " in release_image):
        hint = "Set the pull spec of the release image, or remove the option"
        found.error("invalid-pull-spec", "release_image", f"{release_image!r} is not a pull spec", hint)
    if not path:
        found.error("invalid-path", "release", "is empty, expected a directory", _SET_RELEASE)
        found.raise_errors(ReleaseError)
    path = os.path.abspath(path)
    directories = _directories(path, found) if folders is None else folders
    found.raise_errors(ReleaseError)
    file_problems = Problems()
    version, architecture, image_stream = openshift_version, "", ImageStream()
    if folders is None:
        version, architecture = _version(path, directories[-1], openshift_version, version_option, found)
        image_stream = _image_stream(path, directories[-1], version, found)
    images = {tag.name: tag.pull_spec for tag in image_stream.tags}
    values = TemplateValues(release_image or UNSET_RELEASE_IMAGE, cluster_profile, images)
    renderings = {
        name: values if directory == CVO_MANIFESTS and folders is None else None
        for directory in directories
        for name in _file_names(path, directory, file_problems)
        if name not in skip
    }
    index = _index(path, renderings, values, index_directory)
    file_problems += index.problems
    if not keep_going:
        found += file_problems
    manifests = tuple(manifest for file in index.files.values() for manifest in file.manifests)
    if not (manifests or folders is not None or found.has_errors or file_problems.has_errors):
        expected = f"expected {RELEASE_MANIFESTS}/ (and {CVO_MANIFESTS}/), or files that end in {', '.join(_SUFFIXES)}"
        found.error("empty-release", Location(path), f"contains no manifests, {expected}", _SET_RELEASE)
    found.raise_errors(ReleaseError)
    lacks_cvo = directories == ("",) and _lacks_cvo_manifests(path, manifests, found)
    minor = None if version is None else read_minor(version, version_option, found)
    found.raise_errors(ReleaseError)
    problems += found
    if keep_going:
        problems += file_problems
    return Release(
        path,
        version,
        minor,
        manifests,
        image_stream,
        functools.partial(_read_body, index.files),
        index.files,
        functools.partial(_reread, path, renderings, index.files),
        (path, *(os.path.join(path, directory) for directory in directories)),
        partial=index.partial or lacks_cvo or directories == (RELEASE_MANIFESTS,),
        architecture=architecture,
    )


def problems_for_users(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """``problems`` of loading a release, with mistakes in manifests as remarks: only its authors can correct them."""
    return tuple(item._replace(severity="info") if item.where.document else item for item in problems)


def _index(
    path: str, renderings: Mapping[str, TemplateValues | None], values: TemplateValues, directory: str
) -> ReleaseIndex:
    """The index of the files in ``renderings``: the one kept in ``directory``, or what they contain."""
    cache = IndexCache(directory, path, renderings, values) if directory else None
    index = cache.read() if cache else None
    if index is None:
        index = _parse(path, renderings)
        if cache and not has_errors(index.problems):
            cache.write(index)
    return index


def _parse(path: str, renderings: Mapping[str, TemplateValues | None]) -> ReleaseIndex:
    """Read all files. The problems may contain errors."""
    from .documents import read_manifest_file  # An index is read without PyYAML.

    problems, partial = Problems(), False
    files: dict[str, ManifestFile] = {}
    for name, rendering in renderings.items():
        data = _content(path, name, rendering, problems)
        partial = partial or data is None
        if data is not None:
            files[name] = read_manifest_file(name, data, problems)
    return ReleaseIndex(with_scopes(files), tuple(problems), partial)


def read_version(path: str, openshift_version: str | None) -> str | None:
    """The version of the release in the directory ``path``, which ``load_release`` would load.

    ``None`` if it has none, or if it cannot be read; then ``load_release`` reports why.
    """
    problems = Problems()
    path = os.path.abspath(path)
    directories = _directories(path, problems)
    return None if problems.has_errors else _version(path, directories[-1], openshift_version, "", problems)[0]


def _lacks_cvo_manifests(path: str, manifests: Iterable[Manifest], problems: Problems) -> bool:
    """Whether a flat directory is what ``oc adm release extract`` writes: the files of release-manifests/ alone."""
    if not os.path.exists(os.path.join(path, METADATA)) or any(
        manifest.resource_id.name == CLUSTER_VERSION_CRD.name for manifest in manifests
    ):
        return False
    message = f"contains {METADATA} but no {CVO_MANIFESTS}/, so the CVO's own manifests are missing"
    problems.warning("missing-directory", Location(path), message, _EXTRACT)
    return True


def _read_body(files: Mapping[str, ManifestFile], manifest: Manifest) -> Any:
    return json.loads(files[manifest.file].read_json(manifest))


def _directories(path: str, problems: Problems) -> tuple[str, ...]:
    """The directories to read, relative to ``path``. The last one contains the metadata."""
    if not os.path.isdir(path):
        code, fault, hint = "missing-directory", "does not exist", _SET_RELEASE
        if os.path.exists(path):
            code, fault, hint = (
                "not-a-directory",
                "is a file",
                f"{_SET_RELEASE}, or write {_ARCHIVES} before an archive",
            )
        problems.error(code, Location(path), f"{fault}, expected a directory", hint)
        return ()
    for directory in (path, *(os.path.join(path, name) for name in (CVO_MANIFESTS, RELEASE_MANIFESTS))):
        if os.path.isdir(directory) and not os.access(directory, os.R_OK | os.X_OK):
            message = "cannot be read: no permission"
            problems.error("unreadable-directory", Location(directory), message, "Check the permissions")
    if not problems:
        _check_level(path, problems)
    if problems:
        return ()
    has_release, has_cvo = (os.path.isdir(os.path.join(path, name)) for name in (RELEASE_MANIFESTS, CVO_MANIFESTS))
    if has_release and has_cvo:
        return (CVO_MANIFESTS, RELEASE_MANIFESTS)
    if has_release:
        message = f"contains {RELEASE_MANIFESTS}/ but no {CVO_MANIFESTS}/, so the CVO's own manifests are missing"
        problems.warning("missing-directory", Location(path), message, _EXTRACT)
        return (RELEASE_MANIFESTS,)
    if has_cvo and not any(name.endswith(_SUFFIXES) for name in os.listdir(path)):
        message = f"contains {CVO_MANIFESTS}/ but no {RELEASE_MANIFESTS}/"
        manifests = os.path.join(path, CVO_MANIFESTS)
        hint = f"{_EXTRACT}. If this is the repository of an operator, name {manifests}"
        problems.error("missing-directory", Location(path), message, hint)
    return ("",)


def _check_level(path: str, problems: Problems) -> None:
    """Report a directory of a release image, or a directory of releases, that is given instead of a release."""
    parent, name = os.path.split(path)
    parts = (RELEASE_MANIFESTS, CVO_MANIFESTS)
    if name in parts and all(os.path.isdir(os.path.join(parent, part)) for part in parts):
        message = f"is one of the two directories of a release, expected the directory that contains both {_BOTH}"
        problems.error("wrong-directory", Location(path), message, f"Name {parent} instead")
        return
    if any(os.path.lexists(os.path.join(path, name)) for name in (*parts, METADATA, IMAGE_REFERENCES)):
        return
    with os.scandir(path) as entries:
        names = sorted(entry.name for entry in entries if os.path.isdir(os.path.join(entry.path, RELEASE_MANIFESTS)))
    if names:
        counted = f"{len(names)} releases" if len(names) > 1 else "a release"
        message = f"contains {counted}, expected the directory of one release, which contains {_BOTH}"
        shown = [os.path.join(path, name) for name in names[:_MOST_SHOWN]]
        hint = f"Name {' or '.join(shown)}{', or another one of them' * (len(names) > _MOST_SHOWN)}"
        problems.error("wrong-directory", Location(path), message, hint)


def _file_names(path: str, directory: str, problems: Problems) -> list[str]:
    """The manifest files of a directory, relative to the release, in the CVO's order."""
    names: list[str] = []
    try:
        with os.scandir(os.path.join(path, directory)) as scanned:
            entries = sorted((entry.name, *_kind_of(entry)) for entry in scanned)
    except OSError as error:
        problems.append(_unreadable(os.path.join(path, directory), error))
        return names
    for name, is_directory, is_file in entries:
        if is_directory or not name.endswith(_SUFFIXES):
            continue
        relative = f"{directory}/{name}" if directory else name
        if not name.isprintable():
            escaped = relative.encode("ascii", "backslashreplace").decode()
            message = "has a name that is not printable UTF-8"
            problems.error(UNPRINTABLE_NAME, Location(escaped), message, "Rename the file")
        elif is_file:
            names.append(relative)
        else:
            problems.error("not-a-file", Location(relative), "is not a readable file", "Remove it, or repair the link")
    return names


def _kind_of(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    """Whether an entry is a directory, and whether it is a file. A link to itself is neither."""
    try:
        return entry.is_dir(), entry.is_file()
    except OSError:
        return False, False


def _content(path: str, name: str, values: TemplateValues | None, problems: Problems) -> bytes | None:
    """The bytes of a file as the CVO reads them: rendered if ``values`` are given, because it is a template."""
    data = _read(path, name, problems)
    return data if data is None or values is None else _rendered(name, data, values, problems)


def _reread(
    path: str, renderings: Mapping[str, TemplateValues | None], files: Mapping[str, ManifestFile], name: str
) -> bytes:
    problems = Problems()
    data = _content(path, name, renderings[name], problems)
    raise_errors(problems, ReleaseError)
    if data is None or len(data) != files[name].size:
        message = "changed while the release was being read"
        raise ReleaseError([Problem("error", "concurrent-change", Location(name), message, "Try again")])
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
        return data  # read_manifest_file reports it
    try:
        text = render(template, values)
    except TemplateError as error:
        message = f"cannot be rendered: {error.message}; the file is skipped, as by the CVO from 4.22 on"
        problems.warning("unsupported-template", Location(name, line=error.line), message, "Render the file first")
        return None
    if values.release_image == UNSET_RELEASE_IMAGE and UNSET_RELEASE_IMAGE in text:
        message = f"release_image is not set, so {UNSET_RELEASE_IMAGE} is rendered instead"
        problems.info(MISSING_IMAGE, Location(name), message, "Set release_image to the pull spec of the release")
    return text.encode()


def _version(path: str, directory: str, given: str | None, option: str, problems: Problems) -> tuple[str | None, str]:
    """The version and the architecture in release-metadata. Without it, ``option`` has the ``given`` version."""
    name = f"{directory}/{METADATA}" if directory else METADATA
    if not os.path.lexists(os.path.join(path, name)):
        if directory:
            problems.error("missing-file", Location(name), "does not exist", "Extract the release with its metadata")
        return given, ""
    metadata = _json_object(path, name, problems)
    if metadata is None:
        return given, ""
    kind, version = metadata.get("kind"), metadata.get("version")
    if kind != _METADATA_KIND:
        message = f"is {kind!r}, expected {_METADATA_KIND}"
        problems.error("wrong-kind", Location(name, field="kind"), message, _EXTRACT_AGAIN)
    if not isinstance(version, str) or not is_semantic_version(version):
        fault = "is missing" if version in (None, "") else f"is {version!r}"
        message = f"{fault}, expected a semantic version such as 4.20.3, as a string"
        problems.error("invalid-version", Location(name, field="version"), message, _EXTRACT_AGAIN)
        return given, ""
    if find_minor(given) not in (None, find_minor(version)):
        message = f"is {version}, but {option} is {given}"
        hint = f"Remove {option}: the release contains its version"
        problems.error("conflicting-version", Location(name, field="version"), message, hint)
    return version, as_text(nested(metadata, "metadata", _ARCHITECTURE))


def _image_stream(path: str, directory: str, version: str | None, problems: Problems) -> ImageStream:
    name = f"{directory}/{IMAGE_REFERENCES}" if directory else IMAGE_REFERENCES
    if not os.path.lexists(os.path.join(path, name)):
        if directory:
            problems.error(
                "missing-file", Location(name), "does not exist", "Extract the release with its image references"
            )
        return ImageStream()
    stream = _json_object(path, name, problems)
    if stream is None:
        return ImageStream()
    if stream.get("kind") != "ImageStream":
        message = f"is {stream.get('kind')!r}, expected ImageStream"
        problems.error("wrong-kind", Location(name, field="kind"), message, _EXTRACT_AGAIN)
    named = nested(stream, "metadata", "name")
    has_metadata = os.path.lexists(os.path.join(path, directory, METADATA))
    if has_metadata and version is not None and named != version:
        message = f"is {named!r}, but the version in {METADATA} is {version}"
        hint = "Extract both files from the same release"
        problems.error("conflicting-version", Location(name, field="metadata.name"), message, hint)
    return parse_image_stream(stream)


def _json_object(path: str, name: str, problems: Problems) -> dict[str, Any] | None:
    data = _read(path, name, problems)
    if data is None:
        return None
    try:
        # In the repository of an operator it is YAML (openshift/oc:pkg/cli/admin/release/new.go, which reads both).
        value = load_body(data) if name == IMAGE_REFERENCES else json.loads(data)
    except YamlError as error:
        problems.error(
            "invalid-yaml", Location(name, line=error.line), f"is not YAML: {error.message}", "Correct the syntax"
        )
        return None
    except (ValueError, RecursionError) as error:
        problems.error("invalid-json", Location(name), f"is not valid JSON: {error}", _EXTRACT_AGAIN)
        return None
    if not isinstance(value, dict):
        problems.error("invalid-json", Location(name), "is not a JSON object", _EXTRACT_AGAIN)
        return None
    return value


def _unreadable(where: str, error: OSError) -> Problem:
    message = f"cannot be read: {error.strerror or error}"
    return Problem("error", "unreadable-file", Location(where), message, "Check the file and its permissions")
