# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One file of a release: its manifests, where they are in it, and their bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .manifest import Manifest


class Span(NamedTuple):
    """The position of a document in its file, in bytes, and that of its body in ``ManifestFile.bodies``.

    ``start`` includes the comments before ``content``.
    """

    start: int
    content: int
    end: int
    body: int
    body_end: int


class ManifestFile(NamedTuple):
    """What a release needs of a file. ``spans`` has one entry for each of ``manifests``.

    ``size`` is that of the file, rendered if it is a template. ``bodies`` has the bodies as JSON, one after another.
    """

    file: str
    size: int
    manifests: tuple[Manifest, ...]
    spans: tuple[Span, ...]
    bodies: memoryview

    def read_json(self, manifest: Manifest) -> bytes:
        """The body of ``manifest`` as JSON."""
        return self._json(self.spans[self.manifests.index(manifest)])

    def read_all_json(self) -> Iterator[tuple[Manifest, bytes]]:
        """Yield each manifest with its body as JSON."""
        return zip(self.manifests, map(self._json, self.spans), strict=True)

    def _json(self, span: Span) -> bytes:
        return bytes(self.bodies[span.body : span.body_end])

    def excerpt(self, data: bytes, keep: frozenset[int]) -> bytes:
        """The file, whose content is ``data``, with only the documents of the manifests at the indexes ``keep``."""
        if len(keep) == len(self.manifests):
            return data
        return b"".join(data[span.start : span.end] for at, span in enumerate(self.spans) if at in keep)
