# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Gives every task the directory of the release that the option ``release`` names, whatever kind of name that is."""

from __future__ import annotations

import os
from typing import NamedTuple

from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._problems import Problem, Problems, ReleaseError
from .._release.loader import PLACEHOLDER_IMAGE, LoadedRelease, load_release
from .._signature.signer import Signer
from .cache import CachedRelease, ReleaseCache, ReleaseImage, default_directory
from .release_name import ReleaseName, parse_release_name
from .release_source import PreviousRelease, ReleaseSource
from .signature_check import check_signature


class OpenedRelease(NamedTuple):
    """The directory of a release. ``image`` and ``pull_spec`` are those of an image, if it was named by one.

    ``pull_spec`` is by digest, and empty if no registry is known: an archive does not contain the name of its image.
    ``problems`` are warnings. ``index_directory`` is where ``load`` keeps its index. ``signed_by``: whose
    OpenPGP signatures were verified. ``unsigned``: those of ``problems`` that are about the signature.
    """

    directory: str
    image: ReleaseImage | None = None
    pull_spec: str = ""
    problems: tuple[Problem, ...] = ()
    index_directory: str = ""
    signed_by: tuple[Signer, ...] = ()
    unsigned: tuple[Problem, ...] = ()

    def load(
        self,
        *,
        openshift_version: str | None = None,
        cluster_profile: str = DEFAULT_CLUSTER_PROFILE,
        release_image: str | None = PLACEHOLDER_IMAGE,
    ) -> LoadedRelease:
        """Load the release. Set ``release_image`` if the result shows it. Raises ``ReleaseError``."""
        return load_release(
            self.directory,
            openshift_version=openshift_version,
            cluster_profile=cluster_profile,
            release_image=release_image,
            index_directory=self.index_directory,
        )


def open_release(text: str, source: ReleaseSource, where: str = "release") -> OpenedRelease:
    """Return the directory of a release. The release of an image is read into the cache, unless it is there.

    ``where`` is the option for messages. Raises ``CapabilityError``, also if a signature is required and not there. A
    directory is returned as it is, and not checked.
    """
    problems = Problems()
    if not text:
        message = "is empty, expected a directory or a pull spec"
        problems.error("invalid-path", where, message, "Name an extracted release or an image")
    name = parse_release_name(text, where, problems)
    problems.raise_errors(ReleaseError)
    if name is None:
        raise AssertionError("a name that cannot be read is an error")
    cache = ReleaseCache(source.cache or default_directory(os.environ))
    if name.kind == "directory":
        return OpenedRelease(name.path, index_directory=cache.index_directory)
    architecture = source.go_architecture
    found = _find(name, architecture, cache) or _read(name, source, cache, problems)
    spec = name.spec.with_digest(found.image.digest) if name.spec else ""
    unsigned = Problems()
    source.progress(f"{text}: verifying its signature")
    signed_by = check_signature(text, found, source.signature, source.access.ca_path, unsigned)
    source.progress("")
    return OpenedRelease(
        found.directory,
        found.image,
        str(spec),
        (*problems, *unsigned),
        cache.index_directory,
        signed_by,
        tuple(unsigned),
    )


def is_stored(text: str, source: ReleaseSource) -> bool:
    """Whether ``open_release`` reads no image: ``text`` names a directory, or a digest that is in the cache."""
    name = parse_release_name(text, "release", Problems())
    if name is None or name.kind == "directory":
        return name is not None
    cache = ReleaseCache(source.cache or default_directory(os.environ))
    return _find(name, source.go_architecture, cache) is not None


def source_after(previous: OpenedRelease, name: str, source: ReleaseSource) -> ReleaseSource:
    """Return the options for the release that follows ``previous``, whose key rings and stores verify it.

    ``name`` is that of ``previous``. An image without a valid signature verifies nothing. A directory is trusted.
    """
    if (previous.image and not previous.signed_by) or not os.path.isdir(previous.directory):
        return source
    verified_by = PreviousRelease(name, os.path.abspath(previous.directory))
    return source._replace(signature=source.signature._replace(previous=verified_by))


def _find(name: ReleaseName, architecture: str, cache: ReleaseCache) -> CachedRelease | None:
    return cache.find(name.digest, architecture) if name.digest else None


def _read(name: ReleaseName, source: ReleaseSource, cache: ReleaseCache, problems: Problems) -> CachedRelease:
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
