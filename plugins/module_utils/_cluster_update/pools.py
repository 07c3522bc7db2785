# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pools of machines, whose nodes an update changes.

Source: openshift/api:machineconfiguration/v1/types.go MachineConfigPoolStatus.
"""

from __future__ import annotations

from .._resources import ApiResource, Object, conditions_of, nested

MACHINE_CONFIG_POOLS = ApiResource("machineconfiguration.openshift.io", "v1", "machineconfigpools", "MachineConfigPool")


def is_paused(pool: Object) -> bool:
    """Whether the nodes of ``pool`` stay as they are."""
    return nested(pool, "spec", "paused") is True


def is_updating(pool: Object) -> bool:
    """Whether not all nodes of ``pool`` have its configuration yet."""
    return conditions_of(pool).get("Updated", {}).get("status") == "False"


def is_degraded(pool: Object) -> bool:
    """Whether a node of ``pool`` cannot get its configuration."""
    return conditions_of(pool).get("Degraded", {}).get("status") == "True"


def pool_text(name: str, pool: Object) -> str:
    """How many nodes of ``pool`` are done."""
    done, machines = (nested(pool, "status", field) or 0 for field in ("updatedMachineCount", "machineCount"))
    return f"{name} {done} of {machines}{' (degraded)' if is_degraded(pool) else ''}"
