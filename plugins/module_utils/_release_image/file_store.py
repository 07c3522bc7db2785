# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signatures in files: a signature store on disk, the folder of oc-mirror, and manifests of ConfigMaps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .._problems import Problems
from .._resources import Object, mappings_in, nested
from .._yaml.libyaml import load_documents
from .._yaml.values import YamlError
from .gpgv import LARGEST_MESSAGE
from .signature_stores import LAST_SIGNATURE, ConfigMapStore, Found, FoundSignature, key_prefix

_LARGEST_FILE = 4 * 1024 * 1024
_MANIFESTS = (".json", ".yaml", ".yml")
_EXPECTED = "expected a signature, or a ConfigMap with signatures"


class FileStore(NamedTuple):
    """A file or directory at ``path``.

    A file is a signature, or has manifests of ConfigMaps (``oc adm release mirror`` and oc-mirror write one) or of
    lists of them. In a directory, these are read in this order: ``sha256=HEX/signature-N``, files with the digest in
    their name (``working-dir/signatures`` of oc-mirror), manifests.
    """

    path: str

    @property
    def name(self) -> str:
        """The path."""
        return self.path

    def signatures(self, digest: str, problems: Problems) -> Found:
        """Yield the signatures of the file, or those in the directory for ``digest``."""
        path = Path(self.path)
        if not path.is_dir():
            yield from _in_file(path, digest, problems)
            return
        yield from _numbered(path / key_prefix(digest, "="), problems)
        value = digest.partition(":")[2]
        try:
            entries = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
        except OSError as error:
            problems.error("unreadable-signature", self.path, f"{error.strerror}, {_EXPECTED}")
            return
        manifests = [name for name in entries if name.endswith(_MANIFESTS)]
        for name in [*(name for name in entries if value in name and name not in manifests), *manifests]:
            yield from _in_file(path / name, digest, problems)


def _numbered(folder: Path, problems: Problems) -> Found:
    for number in range(1, LAST_SIGNATURE + 1):
        path = folder / f"signature-{number}"
        if not os.path.lexists(path):
            return
        data = _read(path, LARGEST_MESSAGE, problems)
        if data is not None:
            yield FoundSignature(data, str(path))


def _in_file(path: Path, digest: str, problems: Problems) -> Found:
    data = _read(path, _LARGEST_FILE, problems)
    if data is None:
        return
    if not path.name.endswith(_MANIFESTS):
        yield FoundSignature(data, str(path))
        return
    try:
        found = [item for document in load_documents(data) for item in config_maps(document)]
    except YamlError as error:
        problems.error("unreadable-signature", str(path), f"{error.message}, {_EXPECTED}")
        return
    yield from ConfigMapStore(str(path), tuple(found)).signatures(digest, problems)


def config_maps(document: object) -> Iterator[Object]:
    """Yield the ConfigMaps in an object, which is one itself or a list."""
    items = mappings_in(nested(document, "items"))
    for item in items or mappings_in([document]):
        if nested(item, "kind") == "ConfigMap":
            yield item


def _read(path: Path, largest: int, problems: Problems) -> bytes | None:
    """Read at most one byte more than ``largest`` so that the reader can report the size; ``None`` after a problem."""
    try:
        with path.open("rb") as file:
            return file.read(largest + 1)
    except OSError as error:
        problems.error("unreadable-signature", str(path), f"{error.strerror}, {_EXPECTED}", "Check the path")
        return None
