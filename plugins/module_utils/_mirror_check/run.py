# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check as a whole: from releases and options to the result of the module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._cluster.admin_acks import AdminGate, gates_in, gates_of_minor, has_cvo_manifests
from .._data.signatures import SIGSTORE_GATE, SIGSTORE_GATE_SOURCE, SIGSTORE_GATE_TEXT, SIGSTORE_GATE_UPDATES
from .._problems import InvalidOptionError, Problem, Problems
from .._progress import Progress
from .._registry.access_options import AccessOptions
from .._registry.configured_access import configure_access
from .._release.release import Release
from .._release_image.http_store import http_get
from .check import check_images
from .inputs import MirrorOptions, mirror_request
from .reader import MirrorReader
from .row import RELEASE, ImageRow

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
        mirrored = bool(configured.mirror_registries)
        result["update_check"] = check_update(previous, read, release, problems, mirrored=mirrored)
    return result


def check_update(
    previous: Release, target: Release | None, release: ImageRow, problems: Problems, *, mirrored: bool
) -> dict[str, Any]:
    """Return whether the CVO accepts the update without ``force``, and which gates have to be acknowledged before.

    ``release`` is the row of the target's image, ``mirrored``: whether mirrors are configured. The gates for a target
    that cannot be read are not known, nor those of a release without the manifests of its CVO.
    """
    gates = None
    if target is not None and target.minor != previous.minor and not has_cvo_manifests(previous):
        message = "lacks the CVO's own manifests, so the gates to acknowledge before the update are not known"
        problems.warning("admin-gates", "previous_release", message, "Extract the whole image, or name it")
    elif target is not None:
        gates = _gates(previous, target, mirrored=mirrored)
    return {
        "from_version": previous.shown_version,
        "to_version": None if target is None else target.shown_version,
        "accepted": None if release.openpgp == "unknown" else release.openpgp == "verified",
        "acknowledge": None
        if gates is None
        else [
            {"gate": gate.name, "text": gate.text, "source": gate.source, "command": gate.command}
            for gate in {gate.name: gate for gate in gates}.values()
        ],
    }


def _gates(previous: Release, target: Release, *, mirrored: bool) -> Iterator[AdminGate]:
    """Updates within a minor have none (openshift/cluster-version-operator:pkg/cvo/upgradeable.go)."""
    if previous.minor is None or target.minor is None or target.minor <= previous.minor:
        return
    yield from gates_of_minor(gates_in(previous, previous.manifests), previous.minor)
    if mirrored and (previous.minor, target.minor) == SIGSTORE_GATE_UPDATES:
        yield AdminGate(SIGSTORE_GATE, SIGSTORE_GATE_TEXT, SIGSTORE_GATE_SOURCE)
