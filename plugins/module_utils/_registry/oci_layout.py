# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Images in an OCI image layout, a directory or an archive (opencontainers/image-spec:image-layout.md)."""

from __future__ import annotations

import json
from typing import Any

from .._problems import Problem, RegistryError
from .blob import BlobSink, StoredManifest, checked_manifest
from .image_manifest import LARGEST_MANIFEST
from .pull_spec import is_digest
from .stored_files import StoredFiles, chunks, read_small

REF_NAME = "org.opencontainers.image.ref.name"
"""The annotation with the name of an image (opencontainers/image-spec:annotations.md)."""
_MOST_SHOWN = 10


class OciLayout:
    """An image store. ``reference`` is the name of an image, empty for the only one."""

    def __init__(self, files: StoredFiles) -> None:
        self._files = files

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a name or a digest. Raises ``RegistryError``."""
        digest = reference if is_digest(reference) else self._find(reference)
        data = read_small(self._files, _path(digest), LARGEST_MANIFEST)
        if data is None:
            raise self._error("image-not-found", f"does not contain the manifest {digest}", "Copy the image again")
        return checked_manifest(data, digest, self._files.location)

    def copy_blob(self, sink: BlobSink) -> None:
        """Write the blob of a sink's descriptor to it. Raises ``RegistryError``."""
        parts = chunks(self._files, _path(sink.descriptor.digest))
        if parts is None:
            message = f"does not contain the blob {sink.descriptor.digest}"
            raise self._error("blob-not-found", message, "Copy the image with all of its layers")
        sink.restart(self._files.location)
        for data in parts:
            sink.write(data)
        sink.check()

    def _find(self, name: str) -> str:
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
        raise self._error("image-not-found", message, "Add :NAME of one of the images")

    def _entries(self) -> list[dict[str, Any]]:
        data = read_small(self._files, "index.json", LARGEST_MANIFEST)
        if data is None:
            hint = "Name the directory or archive that skopeo copy wrote"
            raise self._error("not-an-image", "has no index.json, so it is not an OCI image layout", hint)
        try:
            entries = json.loads(data).get("manifests")
        except (ValueError, AttributeError, RecursionError):
            entries = None
        if not isinstance(entries, list):
            message = "has an index.json that is not an image index"
            raise self._error("invalid-manifest", message, "Copy the image again")
        return [entry for entry in entries if isinstance(entry, dict)]

    def _error(self, code: str, message: str, hint: str) -> RegistryError:
        return RegistryError([Problem("error", code, self._files.location, message, hint)])


def _path(digest: str) -> str:
    return f"blobs/sha256/{digest.partition(':')[2]}"
