# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what a release says about itself: release-metadata and image-references."""

from __future__ import annotations

import json
import os
from typing import Any

from .._data.version import find_minor, is_semantic_version
from .._problems import Location, Problems
from .._resources import as_text, nested
from .._yaml.libyaml import load_body
from .._yaml.values import YamlError
from .directory import IMAGE_REFERENCES, METADATA, find_directories, read_file
from .release import ImageStream, parse_image_stream

_METADATA_KIND = "cincinnati-metadata-v0"
_ARCHITECTURE = "release.openshift.io/architecture"
_EXTRACT_AGAIN = "Extract the release again"


def read_version(path: str, openshift_version: str | None) -> str | None:
    """The version of the release in the directory ``path``, which ``load_release`` would load.

    ``None`` if it has none, or if it cannot be read; then ``load_release`` reports why.
    """
    problems = Problems()
    path = os.path.abspath(path)
    directories = find_directories(path, problems)
    return None if problems.has_errors else read_metadata(path, directories[-1], openshift_version, "", problems)[0]


def read_metadata(
    path: str, directory: str, given: str | None, option: str, problems: Problems
) -> tuple[str | None, str]:
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


def read_image_stream(path: str, directory: str, version: str | None, problems: Problems) -> ImageStream:
    """The content of image-references, without tags if there is none. ``version`` is the one in release-metadata."""
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
    data = read_file(path, name, problems)
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
