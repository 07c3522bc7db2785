# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the CVO of a release asks for before it updates to another one: a valid signature, and acknowledged gates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._cluster.admin_acks import AdminGate, gates_in, gates_of_minor
from .._data.admin_gates import SIGSTORE_GATE, SIGSTORE_GATE_SOURCE, SIGSTORE_GATE_TEXT, SIGSTORE_GATE_UPDATES
from .._release.release import Release
from .row import ImageRow


def check_update(previous: Release, target: Release | None, release: ImageRow, *, mirrored: bool) -> dict[str, Any]:
    """Return whether the CVO accepts the update without ``force``, and which gates have to be acknowledged before.

    ``release`` is the row of the target's image, ``mirrored``: whether mirrors are configured. The gates of a target
    that cannot be read are not known.
    """
    gates = None if target is None else _gates(previous, target, mirrored=mirrored)
    return {
        "from_version": previous.shown_version,
        "to_version": None if target is None else target.shown_version,
        "accepted": release.openpgp == "verified",
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
