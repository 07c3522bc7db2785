# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the files of a release from its image, wherever that is."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._problems import Problem, Problems, RegistryError, ReleaseError
from .._progress import Progress, silent
from .._registry.access_options import AccessOptions
from .._registry.blob import ImageStore, checked_blob
from .._registry.client import RegistryClient
from .._registry.configured_access import configure_access
from .._registry.image import ResolvedImage, read_files, resolve_image
from .._registry.image_manifest import Descriptor
from .._registry.stored_images import ArchiveFiles, OciLayout, RegistryStorage, unreadable
from .._release.directory import IMAGE_REFERENCES, METADATA, RELEASE_MANIFESTS
from .._release.release import CVO_MANIFESTS
from .._resources import CLUSTER_VERSION_CRD, as_text
from .cache import ReleaseCache
from .opened_release import OpenedRelease, ReleaseImage
from .release_name import ReleaseName

_DIRECTORIES = (CVO_MANIFESTS, RELEASE_MANIFESTS)
_METADATA_FILE = f"{RELEASE_MANIFESTS}/{METADATA}"
_REFERENCES_FILE = f"{RELEASE_MANIFESTS}/{IMAGE_REFERENCES}"
_OWN = {
    CLUSTER_VERSION_CRD.kind: CLUSTER_VERSION_CRD.name,
    "Deployment": "cluster-version-operator",
    "Namespace": "openshift-cluster-version",
}
"""Manifests of the CVO itself, one of each of the directories that its image copies them from, each to a layer
(openshift/cluster-version-operator:Dockerfile)."""


class ImageReader(NamedTuple):
    """The image of a release. ``store`` has it under ``reference``."""

    name: ReleaseName
    store: ImageStore
    reference: str

    def resolve(self, architecture: str) -> ResolvedImage:
        """Return the image for an architecture. Raises ``RegistryError``."""
        return resolve_image(self.store, self.reference, architecture, self.name.text)

    def read(
        self, resolved: ResolvedImage, architecture: str, cache: ReleaseCache, progress: Progress = silent
    ) -> OpenedRelease:
        """Read the release of an image into the cache. Raises ``RegistryError`` and ``ReleaseError``."""
        found = read_files(self.store, resolved.manifest, _DIRECTORIES, is_complete, self.name.text, progress)
        if _METADATA_FILE not in found.files:
            message = f"has no {_METADATA_FILE} in any of its {found.layers_read} layers, so it is not a release image"
            raise ReleaseError(
                [Problem("error", "not-a-release", self.name.text, message, "Name the image of a release")]
            )
        config = self._config(resolved.manifest.config)
        image = ReleaseImage(
            digest=resolved.digest,
            manifest_digest=resolved.manifest_digest,
            architecture=architecture,
            source=_source(self.store, self.name),
            built_for=as_text(config.get("architecture")),
        )
        return cache.add(image, found.files)

    def _config(self, descriptor: Descriptor | None) -> dict[str, Any]:
        """The configuration of the image (opencontainers/image-spec:config.md), empty if there is none."""
        if descriptor is None:
            return {}
        with checked_blob(self.store, descriptor) as blob:
            try:
                document = json.load(blob)
            except (ValueError, RecursionError):
                return {}
        return document if isinstance(document, dict) else {}


def open_image(name: ReleaseName, access: AccessOptions, problems: Problems) -> ImageReader:
    """Return the reader of an image. Raises ``RegistryError``; adds warnings about the access to registries."""
    if name.spec is not None:
        configured = configure_access(access, os.environ, problems)
        problems.raise_errors(RegistryError)
        client = RegistryClient(configured, name.spec)
        return ImageReader(name, client, name.spec.reference)
    if name.kind == "oc-mirror":
        return ImageReader(name, RegistryStorage(_mirror_files(name.path)), name.reference)
    return ImageReader(name, OciLayout(ArchiveFiles([name.path])), name.reference)


def _mirror_files(path: str) -> ArchiveFiles:
    if not os.path.isdir(path):
        return ArchiveFiles([path])
    archives = sorted(glob.glob(os.path.join(glob.escape(path), "mirror_*.tar")))
    if not archives:
        raise unreadable(path, FileNotFoundError(0, "it has no mirror_*.tar"))
    return ArchiveFiles(archives)


def _source(store: ImageStore, name: ReleaseName) -> str:
    return str(store.source) if isinstance(store, RegistryClient) else name.text


def is_complete(files: Mapping[str, bytes]) -> bool:
    """Whether the files of the highest layers of a release image are all that it has in its two directories."""
    if _METADATA_FILE not in files or _REFERENCES_FILE not in files:
        return False
    own = [data for path, data in files.items() if path.startswith(f"{CVO_MANIFESTS}/")]
    return all(any(_defines(data, kind, name) for data in own) for kind, name in _OWN.items())


def _defines(data: bytes, kind: str, name: str) -> bool:
    # Templates are not YAML before they are rendered, so the text is searched.
    return name.encode() in data and all(
        re.search(rb'^\s*"?%s"?\s*:\s*"?%s"?\s*,?\s*$' % (key, re.escape(value.encode())), data, re.MULTILINE)
        for key, value in ((b"kind", kind), (b"name", name))
    )
