# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check as a whole: from releases and options to the result of the module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._problems import InvalidOptionError, Problem, Problems
from .._progress import Progress
from .._registry.access_options import AccessOptions
from .._registry.configured_access import configure_access
from .._release.release import Release
from .._release_image.http_store import http_get
from .check import check_images
from .inputs import MirrorOptions, mirror_request
from .reader import MirrorReader
from .row import RELEASE
from .update import check_update

UnreadRelease = tuple[Problem, ...]
"""Why a release cannot be read."""


def check_mirror(
    target: Release | UnreadRelease,
    previous: Release | None,
    options: MirrorOptions,
    access: AccessOptions,
    environ: Mapping[str, str],
    progress: Progress,
    problems: Problems,
) -> dict[str, Any]:
    """Return the result of the module ``mirror_check``: for an update from ``previous``, or for an installation.

    Of a ``target`` that cannot be read, only its image is checked, and is not ready. Raises ``InvalidOptionError`` with
    all problems of options.
    """
    errors = Problems()
    configured = configure_access(access, environ, errors)
    read = target if isinstance(target, Release) else None
    request = mirror_request(read, previous, options, http_get(configured.http), errors)
    errors.raise_errors(InvalidOptionError)
    problems.extend(errors)
    if not isinstance(target, Release):
        request = request._replace(unread=target)
    rows = check_images(request, MirrorReader(configured, options.architecture), progress)
    result: dict[str, Any] = {"ready": all(row.ready for row in rows), "images": [row.as_dict() for row in rows]}
    if previous is not None:
        release = next(row for row in rows if row.name == RELEASE)
        mirrored = any(row.mirror and not row.image.startswith(f"{row.mirror}@") for row in rows)
        result["update_check"] = check_update(previous, read, release, mirrored=mirrored)
    return result
