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
from .._problems import Location, Problem, Problems, ReleaseError, has_errors, raise_errors
from .._resources import CLUSTER_VERSION_CRD
from .directory import (
    EXTRACT,
    METADATA,
    RELEASE_MANIFESTS,
    SET_RELEASE,
    SUFFIXES,
    file_names,
    find_directories,
    read_file,
)
from .index import IndexCache, ReleaseIndex
from .manifest import Manifest
from .manifest_file import ManifestFile, with_scopes
from .metadata import read_image_stream, read_metadata
from .release import CVO_MANIFESTS, ImageStream, Release, read_minor
from .template import UNSET_RELEASE_IMAGE, TemplateError, TemplateValues, render

MISSING_IMAGE = "missing-release-image"
"""Code of the problem that a template names a release image that is not known. It matters where files are written."""

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
        found.error("invalid-path", "release", "is empty, expected a directory", SET_RELEASE)
        found.raise_errors(ReleaseError)
    path = os.path.abspath(path)
    directories = find_directories(path, found) if folders is None else folders
    found.raise_errors(ReleaseError)
    file_problems = Problems()
    version, architecture, image_stream = openshift_version, "", ImageStream()
    if folders is None:
        version, architecture = read_metadata(path, directories[-1], openshift_version, version_option, found)
        image_stream = read_image_stream(path, directories[-1], version, found)
    images = {tag.name: tag.pull_spec for tag in image_stream.tags}
    values = TemplateValues(release_image or UNSET_RELEASE_IMAGE, cluster_profile, images)
    renderings = {
        name: values if directory == CVO_MANIFESTS and folders is None else None
        for directory in directories
        for name in file_names(path, directory, file_problems)
        if name not in skip
    }
    index = _index(path, renderings, values, index_directory)
    file_problems += index.problems
    if not keep_going:
        found += file_problems
    manifests = tuple(manifest for file in index.files.values() for manifest in file.manifests)
    if not (manifests or folders is not None or found.has_errors or file_problems.has_errors):
        expected = f"expected {RELEASE_MANIFESTS}/ (and {CVO_MANIFESTS}/), or files that end in {', '.join(SUFFIXES)}"
        found.error("empty-release", Location(path), f"contains no manifests, {expected}", SET_RELEASE)
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


def _lacks_cvo_manifests(path: str, manifests: Iterable[Manifest], problems: Problems) -> bool:
    """Whether a flat directory is what ``oc adm release extract`` writes: the files of release-manifests/ alone."""
    if not os.path.exists(os.path.join(path, METADATA)) or any(
        manifest.resource_id.name == CLUSTER_VERSION_CRD.name for manifest in manifests
    ):
        return False
    message = f"contains {METADATA} but no {CVO_MANIFESTS}/, so the CVO's own manifests are missing"
    problems.warning("missing-directory", Location(path), message, EXTRACT)
    return True


def _read_body(files: Mapping[str, ManifestFile], manifest: Manifest) -> Any:
    return json.loads(files[manifest.file].read_json(manifest))


def _content(path: str, name: str, values: TemplateValues | None, problems: Problems) -> bytes | None:
    """The bytes of a file as the CVO reads them: rendered if ``values`` are given, because it is a template."""
    data = read_file(path, name, problems)
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
