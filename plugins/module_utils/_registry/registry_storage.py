# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Images in the storage of a registry, as in the archives and in the cache of oc-mirror v2.

The paths: distribution:registry/storage/paths.go. The archives: oc-mirror:v2/internal/pkg/archive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .._problems import Problem, RegistryError
from .blob import BlobSink, StoredManifest, checked_manifest
from .image_manifest import LARGEST_MANIFEST
from .pull_spec import is_digest
from .stored_files import StoredFiles, chunks, read_small

_ROOT = "docker/registry/v2"
_TAG = re.compile(rf"(?:.*/)?{_ROOT}/repositories/(?:.*/)?release-images/_manifests/tags/([^/]+)/current/link")
"""oc-mirror:v2/internal/pkg/release/const.go: release images are in a repository of this name."""
_LARGEST_LINK = 128
_MOST_SHOWN = 10


class RegistryStorage:
    """An image store. ``reference`` is a digest, or empty for the only release."""

    def __init__(self, files: StoredFiles) -> None:
        self._files = files

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a digest. Raises ``RegistryError``."""
        digest = reference or self._only_release()
        data = read_small(self._files, _path(digest), LARGEST_MANIFEST)
        if data is None:
            listed = _describe(self._releases())
            message = f"does not contain the image {digest}; it has {listed}"
            raise self._error("image-not-found", message, "Correct the digest, or name the archive that has it")
        return checked_manifest(data, digest, self._files.location)

    def copy_blob(self, sink: BlobSink) -> None:
        """Write the blob of a sink's descriptor to it. Raises ``RegistryError``."""
        parts = chunks(self._files, _path(sink.descriptor.digest))
        if parts is None:
            message = f"does not contain the blob {sink.descriptor.digest}"
            hint = "Name the directory with all archives of the mirror: an archive of a later run has only what is new"
            raise self._error("blob-not-found", message, hint)
        sink.restart(self._files.location)
        for data in parts:
            sink.write(data)
        sink.check()

    def _only_release(self) -> str:
        releases = self._releases()
        digests = set(releases.values())
        if len(digests) == 1:
            return digests.pop()
        message = f"has {len(digests)} releases, expected one, or a digest; it has {_describe(releases)}"
        hint = "Add @ and the digest of one of the releases" if digests else "Name an archive with a release"
        raise self._error("image-not-found", message, hint)

    def _releases(self) -> Mapping[str, str]:
        """Return the digests of all releases by their tag."""
        found = {}
        for name in self._files.names():
            if match := _TAG.fullmatch(name):
                digest = (read_small(self._files, name, _LARGEST_LINK) or b"").decode("ascii", "replace").strip()
                if is_digest(digest):
                    found[match[1]] = digest
        return found

    def _error(self, code: str, message: str, hint: str) -> RegistryError:
        return RegistryError([Problem("error", code, self._files.location, message, hint)])


def _describe(releases: Mapping[str, str]) -> str:
    return ", ".join(f"{tag} ({releases[tag]})" for tag in sorted(releases)[:_MOST_SHOWN]) or "no releases"


def _path(digest: str) -> str:
    name = digest.partition(":")[2]
    return f"{_ROOT}/blobs/sha256/{name[:2]}/{name}/data"
