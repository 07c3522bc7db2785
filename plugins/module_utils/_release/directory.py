# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the files of a release in its directory: an extracted release image, or a flat directory of manifests."""

from __future__ import annotations

import os

from .._problems import Location, Problem, Problems
from .release import CVO_MANIFESTS

RELEASE_MANIFESTS = "release-manifests"
METADATA = "release-metadata"
IMAGE_REFERENCES = "image-references"
SUFFIXES = (".yaml", ".yml", ".json")
SET_RELEASE = "Name an extracted release"
EXTRACT = (
    "Extract both directories of the release image: mkdir -p DIR/manifests DIR/release-manifests && "
    "oc image extract IMAGE --path /manifests/:DIR/manifests --path /release-manifests/:DIR/release-manifests"
)
_BOTH = f"{RELEASE_MANIFESTS}/ and {CVO_MANIFESTS}/"
_MOST_SHOWN = 3
_ARCHIVES = "oci-archive: or oc-mirror:"

UNPRINTABLE_NAME = "invalid-file-name"
"""Code of the problem with the name of a file, whose location has the name with escapes."""


def find_directories(path: str, problems: Problems) -> tuple[str, ...]:
    """The directories to read, relative to ``path``. The last one contains the metadata."""
    if not os.path.isdir(path):
        code, fault, hint = "missing-directory", "does not exist", SET_RELEASE
        if os.path.exists(path):
            code, fault, hint = (
                "not-a-directory",
                "is a file",
                f"{SET_RELEASE}, or write {_ARCHIVES} before an archive",
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
        problems.warning("missing-directory", Location(path), message, EXTRACT)
        return (RELEASE_MANIFESTS,)
    if has_cvo and not any(name.endswith(SUFFIXES) for name in os.listdir(path)):
        message = f"contains {CVO_MANIFESTS}/ but no {RELEASE_MANIFESTS}/"
        manifests = os.path.join(path, CVO_MANIFESTS)
        hint = f"{EXTRACT}. If this is the repository of an operator, name {manifests}"
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


def file_names(path: str, directory: str, problems: Problems) -> list[str]:
    """The manifest files of a directory, relative to the release, in the CVO's order."""
    names: list[str] = []
    try:
        with os.scandir(os.path.join(path, directory)) as scanned:
            entries = sorted((entry.name, *_kind_of(entry)) for entry in scanned)
    except OSError as error:
        problems.append(_unreadable(os.path.join(path, directory), error))
        return names
    for name, is_directory, is_file in entries:
        if is_directory or not name.endswith(SUFFIXES):
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


def read_file(path: str, name: str, problems: Problems) -> bytes | None:
    """The content of a file of the release; reports a file that cannot be read."""
    try:
        with open(os.path.join(path, name), "rb", buffering=0) as handle:
            return handle.read()
    except OSError as error:
        problems.append(_unreadable(name, error))
        return None


def _unreadable(where: str, error: OSError) -> Problem:
    message = f"cannot be read: {error.strerror or error}"
    return Problem("error", "unreadable-file", Location(where), message, "Check the file and its permissions")
