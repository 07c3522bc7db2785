# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The exposure of a cluster: what accounts can do in all of it, and what can be attacked. Compares two of them.

It follows from manifests alone. What operators create at run time, and what people add, is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._data.cluster_access import BUILT_IN_ROLES
from .access import Capabilities, least, who_can
from .parts import Part, Parts
from .text import RESOURCES, exposure_lines

Needed = Mapping[str, Capabilities]
"""Names, with the capabilities that each needs. A name that several manifests add needs as few as one of them."""


class Exposure(NamedTuple):
    """``accounts``: those that have each of ``PERMISSIONS``. ``resources``: names of each of ``RESOURCES``.

    ``unknown_roles``: ClusterRoles that are bound, and that neither a manifest nor Kubernetes creates.
    """

    accounts: Mapping[str, Needed]
    resources: Mapping[str, Needed]
    unknown_roles: frozenset[str]


def exposure(parts: Parts) -> Exposure:
    """The exposure of a cluster with ``parts``."""
    roles = {resource.name: part.role for resource, part in parts.items() if part.role is not None}
    bindings = [part.binding for part in parts.values() if part.binding is not None]
    named = (account for part in parts.values() for account in part.accounts)
    accounts = {
        permission: {account.shown: needed for account, needed in holders.items()}
        for permission, holders in who_can(roles, bindings, named).items()
    }
    unknown = {binding.role for binding in bindings} - roles.keys() - BUILT_IN_ROLES.keys()
    return Exposure(accounts, _resources(parts.values()), frozenset(unknown))


def _resources(parts: Iterable[Part]) -> dict[str, dict[str, Capabilities]]:
    found: dict[str, dict[str, Capabilities]] = {kind: {} for kind in RESOURCES}
    for part in parts:
        for kind, name in part.names:
            found[kind][name] = least(found[kind].get(name), part.capabilities)
    return found


def exposure_dict(before: Exposure, after: Exposure) -> dict[str, Any]:
    """Convert two exposures to the result ``exposure`` of a module: numbers and names, by capabilities."""
    accounts = {kind: _compared(names, after.accounts[kind]) for kind, names in before.accounts.items()}
    resources = {kind: _compared(names, after.resources[kind]) for kind, names in before.resources.items()}
    for group in (group for compared in resources.values() for group in compared["by_capabilities"]):
        del group["unchanged"]  # these names are in the release, but accounts are nowhere else
    unknown = sorted(before.unknown_roles | after.unknown_roles)
    compared = {"accounts": accounts, "resources": resources, "unknown_roles": unknown}
    return {"summary": exposure_lines(compared), **compared}


def _compared(before: Needed, after: Needed) -> dict[str, Any]:
    groups = [
        {
            "capabilities": list(needed),
            "before": sum(1 for item in before.values() if item == needed),
            "after": sum(1 for item in after.values() if item == needed),
            "removed": sorted(name for name, item in before.items() if item == needed and name not in after),
            "added": sorted(name for name, item in after.items() if item == needed and name not in before),
            "unchanged": sorted(name for name, item in after.items() if item == needed and name in before),
        }
        for needed in sorted({*before.values(), *after.values()})
    ]
    return {"before": len(before), "after": len(after), "by_capabilities": groups}
