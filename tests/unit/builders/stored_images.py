# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two images, archives of folders that have them, and what is read from them."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.blob import ImageStore, checked_blob
from ansible_collections.capability.openshift.plugins.module_utils._registry.image_manifest import Descriptor
from ansible_collections.capability.openshift.tests.unit.builders.images import image, layer

ONE, TWO = image([layer({"file": b"one"})]), image([layer({"file": b"two"})], oci=True)
BLOB = Descriptor(ONE.blobs[1].digest, len(ONE.blobs[1].data))
"""The layer of ``ONE``."""

NONE = "sha256:" + "0" * 64


def archive(folder: Path, path: Path, *, compressed: bool = False, start: str = "") -> str:
    """Write the archive ``path`` of a folder, whose files are below ``start`` in it, and return its path."""
    with tarfile.open(path, "w:gz" if compressed else "w") as tar:
        tar.add(folder, arcname=start)
    return str(path)


def blob(store: ImageStore) -> bytes:
    """Read ``BLOB``."""
    with checked_blob(store, BLOB) as file:
        return file.read()


def problem(call: Callable[..., Any], *arguments: Any) -> Problem:
    """Return the only problem with which a call fails."""
    with pytest.raises(RegistryError) as raised:
        call(*arguments)
    (found,) = raised.value.problems
    return found
