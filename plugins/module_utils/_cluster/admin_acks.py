# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Gates that an administrator has to acknowledge before a cluster leaves its minor version.

Each release has a ConfigMap ``admin-gates``, which the CVO merges into that of the cluster. An administrator
acknowledges a gate in the ConfigMap ``admin-acks``.
Source: openshift/cluster-version-operator:pkg/cvo/upgradeable.go checkAdminGate, pkg/risk/adminack/adminack.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ResourceId
from .._unstructured import nested
from .._version import Minor
from .update_reasons import ADMIN_ACK_REQUIRED, UpdateReason

ADMIN_GATES = ResourceId("", "ConfigMap", "openshift-config-managed", "admin-gates")
ADMIN_ACKS = ResourceId("", "ConfigMap", "openshift-config", "admin-acks")

_GATE = re.compile(r"ack-([4-5])\.([0-9]+)-[^-]")
_ACKNOWLEDGED = "true"


class AdminGate(NamedTuple):
    """A gate: its name, what the administrator has to consider, and the object or manifest that contains it."""

    name: str
    text: str
    source: str


class AdminAcks(NamedTuple):
    """What both ConfigMaps of a cluster contain. ``None``: not read. A missing ConfigMap contains nothing.

    ``acks``: the gates that are acknowledged.
    """

    gates: tuple[AdminGate, ...] | None = None
    acks: frozenset[str] | None = None


def admin_gates(data: object, source: str) -> tuple[AdminGate, ...]:
    """Return the gates in the data of a ConfigMap, sorted by name."""
    if not isinstance(data, Mapping):
        return ()
    return tuple(AdminGate(str(name), str(text or "").strip(), source) for name, text in sorted(data.items()))


def gates_in(release: Release, manifests: Iterable[Manifest]) -> Iterator[AdminGate]:
    """Yield the gates in the ConfigMap ``admin-gates`` among ``manifests`` of ``release``. Their source is its file."""
    for manifest in manifests:
        if manifest.resource_id == ADMIN_GATES and not manifest.deletes:
            yield from admin_gates(nested(release.read_body(manifest), "data"), manifest.file)


def acknowledged(data: object) -> frozenset[str]:
    """Return the gates that the data of ``admin-acks`` acknowledges: only the string ``true`` does."""
    if not isinstance(data, Mapping):
        return frozenset()
    return frozenset(str(name) for name, value in data.items() if value == _ACKNOWLEDGED)


def gates_of(gates: Iterable[AdminGate], minor: Minor) -> tuple[AdminGate, ...]:
    """Return the gates that the CVO of ``minor`` considers: its own, and those whose names are invalid."""
    return tuple(gate for gate in gates if _minor(gate) in (minor, None))


def gate_reasons(gates: Iterable[AdminGate], acks: frozenset[str] | None) -> Iterator[UpdateReason]:
    """Yield a reason for each of ``gates`` that is not acknowledged. ``acks``: ``None`` if it is not known."""
    for gate in gates:
        if _minor(gate) is None:
            message = f"{gate.name} is not the name of a gate, expected ack-MAJOR.MINOR-NAME"
            hint = "Correct or remove it: the cluster-version operator blocks every update to another minor version"
            yield UpdateReason(
                "blocked", "invalid-admin-gate", "AdminAckConfigMapGateNameError", message, gate.source, hint
            )
        elif not gate.text:
            message = f"gate {gate.name} is empty, expected a text"
            hint = "Set a text, or remove it: the cluster-version operator does not accept an empty gate"
            yield UpdateReason(
                "blocked", "invalid-admin-gate", "AdminAckConfigMapGateValueError", message, gate.source, hint
            )
        elif acks is None or gate.name not in acks:
            message = f"{gate.name}: {' '.join(gate.text.split()).rstrip('.')}"
            yield UpdateReason(
                "acknowledge", "admin-ack-required", ADMIN_ACK_REQUIRED, message, gate.source, _hint(gate)
            )


def _minor(gate: AdminGate) -> Minor | None:
    match = _GATE.match(gate.name)
    return Minor(int(match.group(1)), int(match.group(2))) if match else None


def _hint(gate: AdminGate) -> str:
    patch = f'{{"data":{{"{gate.name}":"{_ACKNOWLEDGED}"}}}}'
    command = f"oc -n {ADMIN_ACKS.namespace} patch configmap {ADMIN_ACKS.name} --type=merge --patch='{patch}'"
    return f"Check what it describes, then acknowledge it: {command}"
