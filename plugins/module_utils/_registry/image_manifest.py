# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Image manifests and lists of them, of Docker (schema 2) and of OCI.

The formats: opencontainers/image-spec:manifest.md and image-index.md, distribution:docs/spec/manifest-v2-2.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._problems import Problem, RegistryError, shown
from .pull_spec import is_digest

ACCEPT = (
    "application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.oci.image.index.v1+json"
)
MULTI = "multi"
"""The architecture of a release for clusters whose nodes have several: the whole list."""
_USUAL, _LINUX = "amd64", "linux"
_VARIANTS = {"arm64": ("v8", "")}
"""Of the architectures of nodes, only this one has variants. An image without a variant is the next best."""

_DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"

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


class ImagePlatform(NamedTuple):
    """What an image runs on, in Go's spelling."""

    os: str
    architecture: str
    variant: str = ""


class ManifestList(NamedTuple):
    """The images of a list in its order. Those without a platform run on any."""

    images: tuple[tuple[ImagePlatform | None, Descriptor], ...]

    @property
    def architectures(self) -> tuple[str, ...]:
        """The architectures of the images for Linux, the usual one first."""
        found = {platform.architecture: 0 for platform, _image in self.images if platform and platform.os == _LINUX}
        return tuple(sorted(found, key=lambda name: name != _USUAL))


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
        return _list(document["manifests"], where, is_docker=document.get("mediaType") == _DOCKER_LIST)
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


def pulled_images(found: ManifestList, architecture: str, where: str) -> tuple[Descriptor, ...]:
    """Return the images that nodes of an architecture pull: one, or for ``multi`` one for each in the list.

    Raises ``RegistryError`` if the list has none.
    """
    if architecture != MULTI or not found.architectures:
        return (_choose(found, architecture, where),)
    return tuple(dict.fromkeys(_choose(found, name, where) for name in found.architectures))


def _choose(found: ManifestList, architecture: str, where: str) -> Descriptor:
    """Source: containers/image:internal/manifest/oci_index.go chooseInstance, docker_schema2_list.go ChooseInstance."""
    for variant in _VARIANTS.get(architecture, ("",)):
        for platform, descriptor in found.images:
            if platform == (_LINUX, architecture, variant):
                return descriptor
    for platform, descriptor in found.images:
        if platform is None:
            return descriptor
    message = f"is not for the architecture {shown(architecture)}; it is for {', '.join(found.architectures) or 'none'}"
    hint = "Set architecture to one of them, or name the release of the architecture"
    raise RegistryError([Problem("error", "missing-architecture", where, message, hint)])


def _list(entries: Sequence[Any], where: str, *, is_docker: bool) -> ManifestList:
    images: list[tuple[ImagePlatform | None, Descriptor]] = []
    for entry in entries[:_MOST_LAYERS]:
        platform = entry.get("platform") if isinstance(entry, dict) else None
        if platform is None and not is_docker:
            images.append((None, _descriptor(entry, where, LARGEST_MANIFEST)))
        elif isinstance(platform, dict):
            fields = [platform.get(field) or "" for field in ("os", "architecture", "variant")]
            # Attestations have the unknown architecture.
            if all(isinstance(field, str) for field in fields) and _ARCHITECTURE.fullmatch(fields[1]):
                images.append((ImagePlatform(*fields), _descriptor(entry, where, LARGEST_MANIFEST)))
    return ManifestList(tuple(images))


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
