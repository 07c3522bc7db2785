# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in the storage of a registry, as archives of oc-mirror v2 have them.

The paths: distribution:registry/storage/paths.go. The archives: oc-mirror:v2/internal/pkg/archive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .._problems import RegistryError
from .pull_spec import is_digest
from .stored_files import StoredImages

_ROOT = "docker/registry/v2"
_TAG = re.compile(rf"(?:.*/)?{_ROOT}/repositories/(?:.*/)?release-images/_manifests/tags/([^/]+)/current/link")
"""oc-mirror:v2/internal/pkg/release/const.go: release images are in a repository of this name."""
_LARGEST_LINK = 128
_MOST_SHOWN = 10


class RegistryStorage(StoredImages):
    """An image store. ``reference`` is a digest, or empty for the only release."""

    complete_hint = "Name the directory with all archives of the mirror: an archive of a later run has only what is new"

    def path(self, digest: str) -> str:
        """Return the path of a blob or manifest."""
        name = digest.partition(":")[2]
        return f"{_ROOT}/blobs/sha256/{name[:2]}/{name}/data"

    def missing(self, digest: str) -> RegistryError:
        """Return the error for an image that is not there."""
        message = f"does not contain the image {digest}; it has {_describe(self._releases())}"
        return self.error("image-not-found", message, "Correct the digest, or name the archive that has it")

    def find(self, _name: str) -> str:
        """Return the digest of the only release: an archive has no names. Raises ``RegistryError``."""
        releases = self._releases()
        digests = set(releases.values())
        if len(digests) == 1:
            return digests.pop()
        message = f"has {len(digests)} releases, expected one, or a digest; it has {_describe(releases)}"
        hint = "Add @ and the digest of one of the releases" if digests else "Name an archive with a release"
        raise self.error("image-not-found", message, hint)

    def _releases(self) -> Mapping[str, str]:
        """Return the digests of all releases by their tag.

        An archive has the tags of the whole cache, and the manifests of one run
        (oc-mirror:v2/internal/pkg/archive/archive.go BuildArchive).
        """
        names = set(self.files.names())
        found = {}
        for name in names:
            if match := _TAG.fullmatch(name):
                digest = (self.read_small(name, _LARGEST_LINK) or b"").decode("ascii", "replace").strip()
                if is_digest(digest) and self.path(digest) in names:
                    found[match[1]] = digest
        return found


def _describe(releases: Mapping[str, str]) -> str:
    return ", ".join(f"{tag} ({releases[tag]})" for tag in sorted(releases)[:_MOST_SHOWN]) or "no releases"
