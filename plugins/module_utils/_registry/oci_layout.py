# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images in an archive of an OCI image layout (opencontainers/image-spec:image-layout.md)."""

from __future__ import annotations

import json
from typing import Any

from .image_manifest import LARGEST_MANIFEST
from .pull_spec import is_digest
from .stored_files import StoredImages

REF_NAME = "org.opencontainers.image.ref.name"
"""The annotation with the name of an image (opencontainers/image-spec:annotations.md)."""
_MOST_SHOWN = 10


class OciLayout(StoredImages):
    """An image store. ``reference`` is the name of an image, empty for the only one."""

    complete_hint = "Copy the image with all of its layers"

    def path(self, digest: str) -> str:
        """Return the path of a blob or manifest."""
        return f"blobs/sha256/{digest.partition(':')[2]}"

    def find(self, name: str) -> str:
        """Return the digest of the image with a name, empty for the only image. Raises ``RegistryError``."""
        entries = self._entries()
        named = {
            str(annotations[REF_NAME]): entry
            for entry in entries
            if isinstance(annotations := entry.get("annotations"), dict) and REF_NAME in annotations
        }
        entry = named.get(name) if name else entries[0] if len(entries) == 1 else None
        if entry is not None and is_digest(entry.get("digest")):
            return str(entry["digest"])
        listed = ", ".join(sorted(named)[:_MOST_SHOWN]) or "no names"
        if name:
            message = f"has no image with the name {name!r}; it has {listed}"
        else:
            message = f"has {len(entries)} images, and no name is given; it has {listed}"
        raise self.error("image-not-found", message, "Add :NAME of one of the images")

    def _entries(self) -> list[dict[str, Any]]:
        data = self.read_small("index.json", LARGEST_MANIFEST)
        if data is None:
            hint = "Name the archive that skopeo copy wrote"
            raise self.error("not-an-image", "has no index.json, so it is not an OCI image layout", hint)
        try:
            entries = json.loads(data).get("manifests")
        except (ValueError, AttributeError, RecursionError):
            entries = None
        if not isinstance(entries, list):
            message = "has an index.json that is not an image index"
            raise self.error("invalid-manifest", message, "Copy the image again")
        return [entry for entry in entries if isinstance(entry, dict)]
