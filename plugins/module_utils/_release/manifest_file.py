# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""One file of a release: its manifests, where they are in it, and their bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .._resources import CUSTOM_RESOURCE_DEFINITIONS, as_text, nested
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

    ``size``: of the file, rendered if it is a template. ``bodies`` has the bodies as JSON, one after another.
    """

    file: str
    size: int
    manifests: tuple[Manifest, ...]
    spans: tuple[Span, ...]
    bodies: memoryview

    def read_json(self, manifest: Manifest) -> bytes:
        """The body of ``manifest`` as JSON, whatever is known of the scope of its kind."""
        wanted = manifest.document, manifest.resource_id
        own = ((item.document, item.resource_id) for item in self.manifests)
        return self._json(next(span for span, found in zip(self.spans, own, strict=True) if found == wanted))

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


def with_scopes(files: Mapping[str, ManifestFile]) -> dict[str, ManifestFile]:
    """Return ``files`` with ``cluster_scoped`` for manifests of the kinds that they define so."""
    defined = frozenset(_cluster_scoped_kinds(files.values()))
    return {name: _with_scopes(file, defined) for name, file in files.items()}


def _cluster_scoped_kinds(files: Iterable[ManifestFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        for manifest, body in file.read_all_json():
            if manifest.resource_id.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind:
                spec = nested(json.loads(body), "spec")
                if nested(spec, "scope") == "Cluster":
                    yield as_text(nested(spec, "group")), as_text(nested(spec, "names", "kind"))


def _with_scopes(file: ManifestFile, defined: frozenset[tuple[str, str]]) -> ManifestFile:
    if not any(manifest.resource_id.group_kind in defined for manifest in file.manifests):
        return file
    manifests = (
        manifest._replace(cluster_scoped=True) if manifest.resource_id.group_kind in defined else manifest
        for manifest in file.manifests
    )
    return file._replace(manifests=tuple(manifests))
