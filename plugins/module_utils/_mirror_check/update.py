# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the CVO of a release asks for before it updates to another one: a valid signature, and acknowledged gates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._cluster.admin_acks import AdminGate, gates_in, gates_of
from .._data.admin_gates import SIGSTORE_GATE, SIGSTORE_GATE_SOURCE, SIGSTORE_GATE_TEXT, SIGSTORE_GATE_UPDATES
from .._release.release import Release
from .row import ImageRow


def check_update(current: Release, target: Release, release: ImageRow, *, mirrored: bool) -> dict[str, Any]:
    """Return whether the CVO accepts the update without ``force``, and which gates have to be acknowledged before.

    ``release`` is the row of the target's image, ``mirrored``: whether mirrors are configured. Updates within a minor
    version need no acknowledgment (openshift/cluster-version-operator:pkg/cvo/upgradeable.go).
    """
    gates: dict[str, AdminGate] = {}
    if current.minor is not None and target.minor is not None and target.minor > current.minor:
        gates = {gate.name: gate for gate in _gates(current, target, mirrored=mirrored)}
    return {
        "from_version": current.shown_version,
        "to_version": target.shown_version,
        "accepted": release.openpgp == "verified",
        "acknowledge": [
            {"gate": gate.name, "text": gate.text, "source": gate.source, "command": gate.command}
            for gate in gates.values()
        ],
    }


def _gates(current: Release, target: Release, *, mirrored: bool) -> Iterator[AdminGate]:
    if current.minor is None:
        raise AssertionError("only a later minor has gates")
    yield from gates_of(gates_in(current, current.manifests), current.minor)
    if mirrored and (current.minor, target.minor) == SIGSTORE_GATE_UPDATES:
        yield AdminGate(SIGSTORE_GATE, SIGSTORE_GATE_TEXT, SIGSTORE_GATE_SOURCE)
