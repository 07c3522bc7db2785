# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a release says how it verifies other releases, without parsing other manifests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from .._release.directory import RELEASE_MANIFESTS
from .._release.release import CVO_MANIFESTS
from .verification_config import ANNOTATION

_DOCUMENT_END = b"\n---"


def verification_documents(directory: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and text of each document in a file that contains the annotation, in the order of the CVO.

    ``directory``: of a release, or a flat one. What cannot be read is reported when the release is loaded.
    """
    folders = [
        folder for folder in (CVO_MANIFESTS, RELEASE_MANIFESTS) if os.path.isdir(os.path.join(directory, folder))
    ]
    for folder in folders or [""]:
        path = os.path.join(directory, folder)
        for file in _file_names(path):
            for document in _documents(os.path.join(path, file)):
                yield os.path.join(folder, file), document


def _file_names(path: str) -> list[str]:
    with suppress(OSError):
        return sorted(os.listdir(path))
    return []


def _documents(path: str) -> list[bytes]:
    with suppress(OSError):
        if os.path.isfile(path):
            with open(path, "rb") as opened:
                data = opened.read()
            return data.split(_DOCUMENT_END) if ANNOTATION.encode() in data else []
    return []
