# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Image manifests and lists of them, of Docker (schema 2) and of OCI.

The formats: opencontainers/image-spec:manifest.md and image-index.md, distribution:docs/spec/manifest-v2-2.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._problems import Problem, RegistryError, shown
from .pull_spec import is_digest

ACCEPT = (
    "application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.oci.image.index.v1+json"
)
MULTI = "multi"
"""The architecture of a release for clusters whose nodes have several: the whole list."""
_USUAL = "amd64"

LARGEST_MANIFEST = 4 << 20
"""Bytes, the limit of containers/image:internal/iolimits/iolimits.go."""
_MOST_LAYERS = 512
_ARCHITECTURE = re.compile(r"[a-z0-9]{1,32}")
_LARGEST_LAYER = 4 << 30


class Descriptor(NamedTuple):
    """What names a blob: its digest and its size in bytes."""

    digest: str
    size: int


class ImageManifest(NamedTuple):
    """The layers of an image, the lowest first, and its configuration; ``None`` if the manifest names none."""

    layers: tuple[Descriptor, ...]
    config: Descriptor | None = None


class ManifestList(NamedTuple):
    """The manifests of a list by architecture, in its order. Attestations have no architecture, and are left out."""

    manifests: Mapping[str, Descriptor]


def parse_manifest(data: bytes, where: str) -> ImageManifest | ManifestList:
    """Parse a manifest or a list of manifests. Raises ``RegistryError``. ``where`` names the image in messages."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _invalid(where, "is not JSON") from None
    if not isinstance(document, dict):
        raise _invalid(where, "is not a JSON object")
    if "manifests" in document and "layers" in document:
        # Clients would read different images under the same digest (CVE-2021-41190).
        raise _invalid(where, "has both layers and manifests, expected one of them")
    if isinstance(document.get("manifests"), list):
        return _list(document["manifests"], where)
    layers = document.get("layers")
    if not isinstance(layers, list):
        version = shown(document.get("mediaType") or document.get("schemaVersion"))
        raise _invalid(where, f"is of type {version}, which has no layers")
    if len(layers) > _MOST_LAYERS:
        raise _invalid(where, f"has {len(layers)} layers, expected at most {_MOST_LAYERS}")
    config = document.get("config")
    return ImageManifest(
        tuple(_descriptor(layer, where, _LARGEST_LAYER) for layer in layers),
        None if config is None else _descriptor(config, where, LARGEST_MANIFEST),
    )


def parse_listed(data: bytes, where: str) -> ImageManifest:
    """Parse the manifest of an image that is in a list. Raises ``RegistryError``, also if it is a list itself."""
    found = parse_manifest(data, where)
    if isinstance(found, ManifestList):
        message = "is a list of lists, expected a list of images"
        raise RegistryError([Problem("error", "invalid-manifest", where, message, "Name an image of the list")])
    return found


def choose(found: ManifestList, architecture: str, where: str) -> Descriptor:
    """Return the manifest for an architecture in Go's spelling. Raises ``RegistryError`` if the list has none.

    For ``multi``, that is the one for amd64, or else the first one: a release has the same manifests for all
    architectures (openshift/oc:pkg/cli/admin/release/new.go).
    """
    name = architecture
    if architecture == MULTI:
        name = _USUAL if _USUAL in found.manifests else next(iter(found.manifests), "")
    descriptor = found.manifests.get(name)
    if descriptor is None:
        message = f"is not for the architecture {shown(architecture)}; it is for {', '.join(found.manifests) or 'none'}"
        hint = "Set architecture to one of them, or name the release of the architecture"
        raise RegistryError([Problem("error", "missing-architecture", where, message, hint)])
    return descriptor


def _list(entries: Sequence[Any], where: str) -> ManifestList:
    manifests: dict[str, Descriptor] = {}
    for entry in entries[:_MOST_LAYERS]:
        platform = entry.get("platform") if isinstance(entry, dict) else None
        architecture = platform.get("architecture") if isinstance(platform, dict) else None
        if isinstance(architecture, str) and _ARCHITECTURE.fullmatch(architecture) and architecture != "unknown":
            manifests.setdefault(architecture, _descriptor(entry, where, LARGEST_MANIFEST))
    return ManifestList(manifests)


def _descriptor(value: Any, where: str, largest: int) -> Descriptor:
    digest, size = (value.get("digest"), value.get("size")) if isinstance(value, dict) else (None, None)
    if not isinstance(digest, str) or not is_digest(digest):
        raise _invalid(where, f"has the digest {shown(digest)}, expected sha256: and 64 hexadecimal digits")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= largest:
        raise _invalid(where, f"has a blob of size {shown(size)}, expected 0 to {largest} bytes")
    return Descriptor(digest, size)


def _invalid(where: str, message: str) -> RegistryError:
    hint = "Name an image with layers: a Docker schema 2 or an OCI image"
    return RegistryError([Problem("error", "invalid-manifest", where, f"the manifest {message}", hint)])
