# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gates that an administrator has to acknowledge before a cluster leaves its minor version.

Each release has a ConfigMap ``admin-gates``, which the CVO merges into the ConfigMap of the cluster. An administrator
acknowledges a gate in the ConfigMap ``admin-acks``.
Source: openshift/cluster-version-operator:pkg/cvo/upgradeable.go checkAdminGate, pkg/risk/adminack/adminack.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .._capability.release_properties import defines_cluster_version
from .._data.version import Minor
from .._release.manifest import Manifest
from .._release.release import CVO_MANIFESTS, Release
from .._resources import ResourceId, nested

ADMIN_GATES = ResourceId("", "ConfigMap", "openshift-config-managed", "admin-gates")
ADMIN_ACKS = ResourceId("", "ConfigMap", "openshift-config", "admin-acks")

_GATE = re.compile(r"ack-([4-5])\.([0-9]+)-[^-]")
_ACKNOWLEDGED = "true"


class AdminGate(NamedTuple):
    """A gate: its name, what the administrator has to consider, and the object or manifest that contains it."""

    name: str
    text: str
    source: str

    @property
    def minor(self) -> Minor | None:
        """The minor version whose CVO considers the gate, ``None`` if no gate has the name."""
        return gate_minor(self.name)

    @property
    def command(self) -> str:
        """The command that acknowledges the gate."""
        patch = f'{{"data":{{"{self.name}":"{_ACKNOWLEDGED}"}}}}'
        return f"oc patch configmap {ADMIN_ACKS.name} --namespace {ADMIN_ACKS.namespace} --type merge --patch '{patch}'"


def gate_minor(name: str) -> Minor | None:
    """Return the minor version whose CVO considers a gate with ``name``, ``None`` if no gate has it."""
    match = _GATE.match(name)
    return Minor(int(match.group(1)), int(match.group(2))) if match else None


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


def has_cvo_manifests(release: Release) -> bool:
    """Whether ``release`` has the manifests of its CVO, among them ``admin-gates``. Extracted ones can lack them."""
    return any(
        item.file.startswith(f"{CVO_MANIFESTS}/") or item.resource_id == ADMIN_GATES or defines_cluster_version(item)
        for item in release.manifests
    )


def acknowledged(data: object) -> frozenset[str]:
    """Return the gates that the data of ``admin-acks`` acknowledges: only the string ``true`` does."""
    if not isinstance(data, Mapping):
        return frozenset()
    return frozenset(str(name) for name, value in data.items() if value == _ACKNOWLEDGED)


def gates_of_minor(gates: Iterable[AdminGate], minor: Minor) -> tuple[AdminGate, ...]:
    """Return the gates that the CVO of ``minor`` considers: its own, and those whose names are invalid."""
    return tuple(gate for gate in gates if gate.minor in (minor, None))
