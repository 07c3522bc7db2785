# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Writes the files of a release that was read from its image to a directory with the layout of the image."""

from __future__ import annotations

import os

from .._files import cannot
from .._problems import DestinationError, Problems
from .._release.loader import CVO_MANIFESTS, RELEASE_MANIFESTS
from .destination import DestinationPlan, plan_destination, write_destination


def write_release(release: str, dest: str, *, check_mode: bool) -> tuple[DestinationPlan, ...]:
    """Write both directories of the release in the directory ``release`` to ``dest``. Raises ``DestinationError``.

    All obstacles are reported before the first file is written. Returns a plan for each directory.
    """
    problems = Problems()
    if not dest:
        problems.error("missing-directory", "dest", "is empty, expected a directory", "Set dest to a directory")
    problems.raise_errors(DestinationError)
    contents = {name: _read(os.path.join(release, name)) for name in (CVO_MANIFESTS, RELEASE_MANIFESTS)}
    for name, files in contents.items():
        with problems.collect(DestinationError):
            plan_destination(os.path.join(dest, name), files, (release,))
    problems.raise_errors(DestinationError)
    return tuple(
        write_destination(os.path.join(dest, name), files, (release,), frozenset(), check_mode=check_mode)
        for name, files in contents.items()
    )


def _read(directory: str) -> dict[str, bytes]:
    files = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_file():
                    with open(entry.path, "rb") as file:
                        files[entry.name] = file.read()
    except FileNotFoundError:
        return {}  # an old image without the manifests of the CVO
    except OSError as error:
        raise DestinationError([cannot("read", directory, error)]) from None
    return files
