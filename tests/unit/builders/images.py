# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images for tests: layers, manifests and lists, as a registry or an OCI layout stores them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_LAYER = "application/vnd.oci.image.layer.v1.tar"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
_DIRECTORIES = ("release-manifests", "manifests")


class Blob(NamedTuple):
    """Bytes with their media type."""

    data: bytes
    media_type: str

    @property
    def digest(self) -> str:
        return digest_of(self.data)

    def descriptor(self, **more: Any) -> dict[str, Any]:
        return {"mediaType": self.media_type, "size": len(self.data), "digest": self.digest, **more}


class Image(NamedTuple):
    """A manifest, or a list of images, with all blobs that it names."""

    manifest: Blob
    blobs: tuple[Blob, ...]
    images: tuple[Image, ...] = ()

    @property
    def digest(self) -> str:
        return self.manifest.digest


def digest_of(data: bytes) -> str:
    """Return the digest of bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def tar(entries: Iterable[tuple[str, bytes | None] | tarfile.TarInfo]) -> bytes:
    """Return an archive: a name with bytes is a file, one with None a directory; all else is a TarInfo."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry, io.BytesIO(b"\0" * entry.size) if entry.isreg() else None)
                continue
            name, data = entry
            info = tarfile.TarInfo(name)
            info.mode = 0o444
            if data is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    """Return an entry that links to ``target``."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def layer(entries: Mapping[str, bytes | None] | Sequence[Any], media_type: str = DOCKER_LAYER) -> Blob:
    """Return a layer with the entries of ``tar``, compressed with gzip unless its media type names no compression."""
    data = tar(list(entries.items()) if isinstance(entries, Mapping) else entries)
    return Blob(gzip.compress(data, 6, mtime=0) if media_type.endswith("gzip") else data, media_type)


def image(layers: Sequence[Blob], architecture: str = "amd64", *, oci: bool = False) -> Image:
    """Return an image with these layers, the lowest first."""
    config_data = json.dumps({"architecture": architecture, "os": "linux", "config": {}, "rootfs": {"type": "layers"}})
    config = Blob(config_data.encode(), OCI_CONFIG if oci else DOCKER_CONFIG)
    manifest: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST if oci else DOCKER_MANIFEST,
        "config": config.descriptor(),
        "layers": [layer.descriptor() for layer in layers],
    }
    return Image(Blob(json.dumps(manifest).encode(), manifest["mediaType"]), (config, *layers))


def image_list(images: Mapping[str, Image], *, oci: bool = False) -> Image:
    """Return a manifest list of images for Linux by their architecture."""
    return platform_list([({"architecture": name, "os": "linux"}, found) for name, found in images.items()], oci=oci)


def platform_list(images: Sequence[tuple[Mapping[str, str] | None, Image]], *, oci: bool = False) -> Image:
    """Return a manifest list of images with their platforms; ``None`` is no platform."""
    entries = [
        found.manifest.descriptor(**({} if platform is None else {"platform": platform})) for platform, found in images
    ]
    media_type = OCI_INDEX if oci else DOCKER_LIST
    manifest = {"schemaVersion": 2, "mediaType": media_type, "manifests": entries}
    listed = tuple(dict.fromkeys(found for _platform, found in images))
    return Image(Blob(json.dumps(manifest).encode(), media_type), (), listed)


def release_entries(release: Path, directories: Sequence[str] = _DIRECTORIES) -> dict[str, bytes | None]:
    """Return the directories of an extracted release as the entries of a layer."""
    entries: dict[str, bytes | None] = {}
    for directory in directories:
        entries[f"{directory}/"] = None
        entries.update(
            {f"{directory}/{path.name}": path.read_bytes() for path in sorted((release / directory).iterdir())}
        )
    return entries


def release_image(release: Path, noise: int = 0) -> Image:
    """Return a release image as ``oc adm release new`` lays it out, above ``noise`` bytes that cannot be compressed."""
    import random

    base = layer({"usr/": None, "usr/bin/cluster-version-operator": random.Random(1).randbytes(noise)})
    return image(
        [base, layer(release_entries(release, ["manifests"])), layer(release_entries(release, ["release-manifests"]))]
    )


def write_oci_archive(path: Path, images: Mapping[str, Image]) -> Path:
    """Write images by their name as an archive of an OCI image layout; an empty name gives none."""
    files = {
        f"blobs/sha256/{blob.digest.partition(':')[2]}": blob.data
        for found in images.values()
        for blob in _all_blobs(found)
    }
    entries = []
    for name, found in images.items():
        annotations = {"annotations": {"org.opencontainers.image.ref.name": name}} if name else {}
        entries.append(found.manifest.descriptor(**annotations))
    files["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": entries}).encode()
    return write_archive(path, files)


def write_archive(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write an archive."""
    path.write_bytes(tar(list(files.items())))
    return path


def _all_blobs(found: Image) -> Iterable[Blob]:
    yield from (found.manifest, *found.blobs)
    for other in found.images:
        yield from _all_blobs(other)
