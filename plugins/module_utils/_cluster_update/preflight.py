# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What most often makes an update hang, from objects that the update follows anyway.

The plan of an update has the other reasons: the conditions of the ClusterVersion, another update, the signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._resources import CLUSTER_OPERATORS, Object, as_text, conditions_of, nested
from .._update_plan.update_reasons import UpdateReason, not_retrieved
from .._update_plan.update_status import read_update_status
from .pools import MACHINE_CONFIG_POOLS, is_degraded, is_paused, is_updating
from .target import TargetRelease, image_digest, listed_updates


def image_reasons(target: TargetRelease, cluster_version: Object) -> Iterator[UpdateReason]:
    """Yield the reason that no update of the ClusterVersion has the image of ``target``, or that the CVO finds none.

    The CVO compares versions only. Source: openshift/oc:pkg/cli/admin/upgrade/upgrade.go, with --to-image, and
    openshift/cluster-version-operator:pkg/cvo/availableupdates.go calculateAvailableUpdatesStatus.
    """
    retrieved = read_update_status(cluster_version).condition("RetrievedUpdates", "False")
    if target.replaced and not nested(cluster_version, "spec", "channel"):
        message = "no channel is set, so the CVO cannot look up the image for several architectures"
        source, hint = "ClusterVersion version: spec.channel", "Set the channel: oc adm upgrade channel CHANNEL"
        yield UpdateReason("blocked", "no-channel", "NoChannel", message, source, hint)
    elif target.replaced and retrieved is not None:
        yield not_retrieved(retrieved, "the CVO cannot look up the image for several architectures")
    images = {image_digest(as_text(nested(item, "image"))) for item in listed_updates(cluster_version)}
    if target.image and image_digest(target.image) not in images:
        message = f"the ClusterVersion lists no update with the image {target.image}"
        source, code = "ClusterVersion version: status.availableUpdates", "update-not-listed"
        hint = "Choose an image that oc adm upgrade lists"
        yield UpdateReason("risk", code, "UnknownUpdate", message, source, hint, code)


def operator_reasons(operators: Mapping[str, Object]) -> Iterator[UpdateReason]:
    """Yield the ``operators`` that are not available, and those that are degraded.

    For the CVO, an operator that does not report a condition is both.
    Source: openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go checkOperatorHealth.
    """
    for name, operator in sorted(operators.items()):
        conditions = conditions_of(operator)
        available, degraded = (conditions.get(kind, {"type": kind}) for kind in ("Available", "Degraded"))
        if available.get("status") != "True":
            yield _operator_reason(name, "unavailable-operator", "is not available", available)
        if degraded.get("status") != "False":
            yield _operator_reason(name, "degraded-operator", "is degraded", degraded)


def _operator_reason(name: str, code: str, words: str, condition: Mapping[str, Any]) -> UpdateReason:
    reported = condition.get("message") or condition.get("reason") or f"it does not report {condition['type']}"
    message = f"the ClusterOperator {name} {words}: {reported}"
    source = f"{CLUSTER_OPERATORS.shown(name)}: status.conditions[{condition['type']}]"
    reason = str(condition.get("reason") or condition["type"])
    return UpdateReason("risk", code, reason, message, source, "Repair it first", f"{code}/{name}")


_REQUIRED = "operator.machineconfiguration.openshift.io/required-for-upgrade"
_BLOCKS = ", and the update does not complete before that ends"
"""Source: openshift/machine-config-operator:pkg/operator/sync.go syncRequiredMachineConfigPools."""


def pool_reasons(pools: Mapping[str, Object]) -> Iterator[UpdateReason]:
    """Yield the ``pools`` of machines that are paused, degraded, or still updating."""
    for name, pool in sorted(pools.items()):
        place = MACHINE_CONFIG_POOLS.shown(name)
        if is_paused(pool):
            message = f"the MachineConfigPool {name} is paused, so its nodes stay at their version"
            message += _BLOCKS if nested(pool, "metadata", "labels", _REQUIRED) is not None else ""
            source, code = f"{place}: spec.paused", "paused-pool"
            hint = (
                f'Resume it: oc patch machineconfigpool {name} --type merge --patch \'{{"spec":{{"paused":false}}}}\''
            )
            yield UpdateReason("risk", code, "Paused", message, source, hint, f"{code}/{name}")
        if is_degraded(pool):
            text = conditions_of(pool)["Degraded"].get("message")
            message = f"the MachineConfigPool {name} is degraded{_BLOCKS}: {text or 'oc describe shows why'}"
            source, code = f"{place}: status.conditions[Degraded]", "degraded-pool"
            yield UpdateReason("risk", code, "Degraded", message, source, "Repair its nodes first", f"{code}/{name}")
        elif is_updating(pool) and not is_paused(pool):
            counts = f"{nested(pool, 'status', 'updatedMachineCount')} of {nested(pool, 'status', 'machineCount')}"
            message = f"the MachineConfigPool {name} still updates its nodes: {counts} done"
            source, code = f"{place}: status.conditions[Updated]", "updating-pool"
            yield UpdateReason("risk", code, "Updating", message, source, "Wait until it is done", f"{code}/{name}")


def cvo_reasons(unkept: str) -> Iterator[UpdateReason]:
    """Yield the reason that no CVO may be there to update the cluster. ``unkept``: what ``unkept_status`` returns."""
    if unkept:
        hint = "Start the cluster-version operator, or grant get on its Lease"
        code = "no-running-cvo"
        yield UpdateReason("risk", code, "LeaseNotRenewed", unkept, "the Lease of the CVO", hint, code)
