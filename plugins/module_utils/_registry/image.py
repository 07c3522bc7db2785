# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of some directories of an image, from the highest layer down to where they are complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from .._problems import Problem, Problems, RegistryError
from .._progress import Progress, silent
from .blob import ImageStore, checked_blob
from .image_manifest import Descriptor, ImageManifest, parse_listed, parse_manifest, pulled_images
from .layer import Layer, read_layer

_MEGABYTE = 1_000_000


class ResolvedImage(NamedTuple):
    """An image. ``digest``: of what was named, which may be a list. ``manifest_digest``: of its manifest."""

    digest: str
    manifest_digest: str
    manifest: ImageManifest


class ImageFiles(NamedTuple):
    """Files of an image by their path, and how many layers were read."""

    files: Mapping[str, bytes]
    layers_read: int


def resolve_image(store: ImageStore, reference: str, architecture: str, where: str) -> ResolvedImage:
    """Return the image of a tag or digest, and of a list that for ``architecture``. Raises ``RegistryError``.

    For ``multi``, it is the first image of the list that ``store`` has: a release has the same manifests for all
    architectures (openshift/oc:pkg/cli/admin/release/new.go).
    """
    named = store.manifest(reference)
    parsed = parse_manifest(named.data, where)
    if isinstance(parsed, ImageManifest):
        return ResolvedImage(named.digest, named.digest, parsed)
    problems = Problems()
    for image in pulled_images(parsed, architecture, where):
        with problems.collect(RegistryError):
            manifest = parse_listed(store.manifest(image.digest).data, where)
            return ResolvedImage(named.digest, image.digest, manifest)
    raise RegistryError(problems.unique())


def read_files(
    store: ImageStore,
    manifest: ImageManifest,
    directories: tuple[str, ...],
    complete: Callable[[Mapping[str, bytes]], bool],
    where: str,
    progress: Progress = silent,
) -> ImageFiles:
    """Return the files of ``directories``, which are in the root of the image. Raises ``RegistryError``.

    Layers are read from the highest one, until ``complete`` returns ``True`` for what was found.
    """
    view = _View()
    layers_read = 0
    for descriptor in reversed(manifest.layers):
        layer_location = f"{where}, layer {descriptor.digest}"
        with checked_blob(store, descriptor, partial(_show_layer, descriptor, where, progress)) as blob:
            view.add_below(read_layer(blob, directories, layer_location))
        layers_read += 1
        if complete(view.files):
            break
    if view.others:
        path, kind = min(view.others.items())
        message, hint = f"{path} is {kind}, expected a file", "Use an image that contains the file itself"
        raise RegistryError([Problem("error", "link-in-image", where, message, hint)])
    return ImageFiles(view.files, layers_read)


def _show_layer(descriptor: Descriptor, where: str, progress: Progress, size: int) -> None:
    progress(f"{where}: {size / _MEGABYTE:.0f} of {descriptor.size / _MEGABYTE:.0f} MB of a layer")


class _View:
    """What is visible of the layers that were added, each below the ones before.

    ``others`` are visible entries that are neither files nor directories.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.others: dict[str, str] = {}
        self._directories: set[str] = set()
        self._deleted: set[str] = set()
        self._opaque: set[str] = set()

    def add_below(self, layer: Layer) -> None:
        """Add the entries of a layer that no higher layer hides."""
        visible = {
            path: entry for path, entry in layer.entries.items() if not self._hides(path, is_directory=entry is None)
        }
        for path, entry in visible.items():
            if isinstance(entry, bytes):
                self.files[path] = entry
            elif entry is None:
                self._directories.add(path)
            else:
                self.others[path] = entry
            # Not every archive has an entry for each directory.
            self._directories.update(_parents(path))
        self._deleted |= layer.deleted
        self._opaque |= layer.opaque

    def _hides(self, path: str, *, is_directory: bool) -> bool:
        if path in self.files or path in self.others or path in self._deleted:
            return True
        if path in self._directories and not is_directory:
            return True
        return "" in self._opaque or any(
            parent in self._deleted or parent in self._opaque or parent in self.files or parent in self.others
            for parent in _parents(path)
        )


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
