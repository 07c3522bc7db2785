# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gives every task the directory of the release that the option ``release`` names, whatever kind of name that is."""

from __future__ import annotations

import os

from .._problems import Problem, Problems, RegistryError, ReleaseError
from .cache import ReleaseCache, default_directory
from .opened_release import OpenedRelease
from .release_name import ReleaseName, parse_release_name
from .release_source import PreviousRelease, ReleaseSource
from .signature_check import check_signature


def open_release(text: str, source: ReleaseSource, problems: Problems, where: str = "release") -> OpenedRelease:
    """Return the directory of a release. The release of an image is read into the cache, unless it is there.

    ``where`` is the option for messages. Raises ``CapabilityError``, also if a signature is required and not there. A
    directory is returned as it is, and not checked.
    """
    return with_signers(open_unverified(text, source, problems, where), text, source, problems)


def open_unverified(text: str, source: ReleaseSource, problems: Problems, where: str) -> OpenedRelease:
    """Return the directory of a release as ``open_release`` does, but do not verify the signature of its image."""
    found = Problems()
    if not text:
        message = "is empty, expected a directory or a pull spec"
        found.error("invalid-path", where, message, "Name an extracted release or an image")
    name = parse_release_name(text, where, found)
    found.raise_errors(ReleaseError)
    if name is None:
        raise AssertionError("a name that cannot be read is an error")
    cache = ReleaseCache(source.cache or default_directory(os.environ))
    if name.kind == "directory":
        return OpenedRelease(name.path, index_directory=cache.index_directory)
    try:
        opened = _find(name, source.go_architecture, cache) or _read(name, source, cache, found)
    except RegistryError as error:
        # A file with credentials that cannot be read is a warning, and can be why a registry refuses.
        raise RegistryError(Problems([*found, *error.problems]).unique()) from None
    problems += found
    return opened._replace(pull_spec=str(name.spec.with_digest(opened.digest)) if name.spec else "")


def with_signers(opened: OpenedRelease, name: str, source: ReleaseSource, problems: Problems) -> OpenedRelease:
    """Return ``opened`` with the signers of its image. A directory has none. ``name`` is for messages.

    A missing signature is a warning, or raises ``ReleaseError`` if ``source`` requires one.
    """
    if opened.image is None:
        return opened
    source.progress(f"{name}: verifying its signature")
    signed_by = check_signature(name, opened, source.signature, source.access.ca_path, problems)
    source.progress("")
    return opened._replace(signed_by=signed_by)


def is_stored(text: str, source: ReleaseSource) -> bool:
    """Whether ``open_release`` reads no image: ``text`` names a directory, or a digest that is in the cache."""
    name = parse_release_name(text, "release", Problems())
    if name is None or name.kind == "directory":
        return name is not None
    cache = ReleaseCache(source.cache or default_directory(os.environ))
    return _find(name, source.go_architecture, cache) is not None


def source_after(previous: OpenedRelease, name: str, source: ReleaseSource) -> ReleaseSource:
    """Return the options for the release that follows ``previous``, whose key rings and stores verify it.

    ``name`` is the name of ``previous``. An image without a valid signature verifies nothing. A directory is trusted.
    """
    if (previous.image and not previous.signed_by) or not os.path.isdir(previous.directory):
        return source
    verified_by = PreviousRelease(name, os.path.abspath(previous.directory))
    return source._replace(signature=source.signature._replace(previous=verified_by))


def problems_of_keys(previous: OpenedRelease, name: str) -> tuple[Problem, ...]:
    """Why ``previous`` has no keys or stores, so that its CVO accepts no other release. Empty if it has both."""
    # Imported here: a release whose signature is valid needs nothing that verifies others.
    from .signature_verification import config_of_release

    problems = Problems()
    if not os.path.isdir(previous.directory) or config_of_release(name, previous.directory, problems) is not None:
        return ()
    return tuple(problems)


def _find(name: ReleaseName, architecture: str, cache: ReleaseCache) -> OpenedRelease | None:
    return cache.find(name.digest, architecture) if name.digest else None


def _read(name: ReleaseName, source: ReleaseSource, cache: ReleaseCache, problems: Problems) -> OpenedRelease:
    # Imported here: a directory, and a release in the cache, need no client of registries.
    from .image_reader import open_image

    architecture, progress = source.go_architecture, source.progress
    progress(f"{name.text}: reading its manifest")
    reader = open_image(name, source.access, problems)
    resolved = reader.resolve(architecture)
    # The digest of a tag is known only now. A cache that cannot be written has no lock.
    found = cache.find(resolved.digest, architecture)
    if found is not None:
        return found
    progress(f"{name.text}: waiting for another task that reads it")
    with cache.lock(resolved.digest):
        # Another task may have read it meanwhile.
        return cache.find(resolved.digest, architecture) or reader.read(resolved, architecture, cache, progress)
