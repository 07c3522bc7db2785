# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the status of a ClusterVersion reports about updates: conditions, history, and the updates that it lists.

The status comes from a CVO, so fields of another type are ignored instead of reported.
Source of the fields: openshift/api:config/v1/types_cluster_version.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._cluster.cluster_version import Condition
from .._unstructured import conditions_of, mappings_in, nested

_APPLIES = "Applies"
_RECOMMENDED = "Recommended"


class UpdateHistory(NamedTuple):
    """An entry of ``status.history``. ``state``: ``Completed`` or ``Partial``."""

    state: str
    version: str
    image: str


class ConditionalRisk(NamedTuple):
    """A risk of a conditional update.

    ``promql``: the expressions that decide whether it applies, in the order in which the CVO evaluates them.
    ``applies``: the result of the CVO, ``None`` if it reports none for this risk alone.
    """

    name: str
    message: str
    url: str
    promql: tuple[str, ...]
    applies: bool | None


class ConditionalUpdate(NamedTuple):
    """An update to ``version``, recommended only if none of ``risks`` applies. ``recommended``: what the CVO found."""

    version: str
    recommended: Condition | None
    risks: tuple[ConditionalRisk, ...]


class UpdateStatus(NamedTuple):
    """What a ClusterVersion reports.

    ``version`` and ``image``: those that the cluster runs or updates to. ``history``: newest first. ``available``:
    recommended versions. ``requested``: the version in ``spec.desiredUpdate``, or empty. ``accepted_risks``: names in
    ``spec.desiredUpdate.acceptRisks``.
    """

    version: str
    image: str
    channel: str
    conditions: tuple[Condition, ...]
    history: tuple[UpdateHistory, ...]
    available: frozenset[str]
    conditional: tuple[ConditionalUpdate, ...]
    requested: str
    accepted_risks: frozenset[str]

    def condition(self, name: str, *statuses: str) -> Condition | None:
        """The condition of this type if it has one of ``statuses``, or any; else ``None``."""
        found = next((item for item in self.conditions if item.type == name), None)
        return found if found is not None and (not statuses or found.status in statuses) else None

    def conditional_update(self, version: str) -> ConditionalUpdate | None:
        """The conditional update to ``version``, ``None`` if there is none."""
        return next((item for item in self.conditional if item.version == version), None)


def read_update_fields(cluster_version: object) -> tuple[UpdateStatus | None, tuple[str, ...]]:
    """Read the status of a ClusterVersion, ``None`` if it has none, and the URLs in ``spec.signatureStores``.

    ``cluster_version`` is the object, or a List of it alone. The stores replace the stores of the release.
    """
    items = mappings_in(nested(cluster_version, "items"))
    obj = items[0] if items else cluster_version
    stores = tuple(_text(store, "url") for store in mappings_in(nested(obj, "spec", "signatureStores")))
    return _status(obj), stores


def _status(obj: Any) -> UpdateStatus | None:
    status = nested(obj, "status")
    if not isinstance(status, Mapping) or not status:
        return None
    desired = nested(obj, "spec", "desiredUpdate")
    known_risks = {_text(item, "name"): item for item in mappings_in(status.get("conditionalUpdateRisks"))}
    return UpdateStatus(
        version=_text(status.get("desired"), "version"),
        image=_text(status.get("desired"), "image"),
        channel=_text(obj.get("spec"), "channel"),
        conditions=tuple(map(_condition, conditions_of(obj).values())),
        history=tuple(
            UpdateHistory(_text(entry, "state"), _text(entry, "version"), _text(entry, "image"))
            for entry in mappings_in(status.get("history"))
        ),
        available=frozenset(_text(entry, "version") for entry in mappings_in(status.get("availableUpdates"))),
        conditional=tuple(
            _conditional_update(entry, known_risks) for entry in mappings_in(status.get("conditionalUpdates"))
        ),
        requested=_text(desired, "version"),
        accepted_risks=frozenset(_text(risk, "name") for risk in mappings_in(nested(desired, "acceptRisks"))),
    )


def _conditional_update(entry: Mapping[str, Any], known_risks: Mapping[str, Mapping[str, Any]]) -> ConditionalUpdate:
    conditions = {_text(item, "type"): _condition(item) for item in mappings_in(entry.get("conditions"))}
    recommended = conditions.get(_RECOMMENDED)
    listed = mappings_in(entry.get("risks"))
    if not listed:  # from 4.21 on, an update can refer to the risks of the whole cluster by name
        names = entry.get("riskNames")
        listed = [known_risks[name] for name in names if name in known_risks] if isinstance(names, list) else []
    risks = tuple(_risk(item, recommended, known_risks) for item in listed)
    return ConditionalUpdate(_text(entry.get("release"), "version"), recommended, risks)


def _risk(
    risk: Mapping[str, Any], recommended: Condition | None, known_risks: Mapping[str, Mapping[str, Any]]
) -> ConditionalRisk:
    name = _text(risk, "name")
    rules = mappings_in(risk.get("matchingRules"))
    promql = tuple(" ".join(_text(rule.get("promql"), "promql").split()) for rule in rules if "promql" in rule)
    applies: bool | None = None
    for item in mappings_in(nested(known_risks.get(name), "conditions")):
        if item.get("type") == _APPLIES:
            applies = {"True": True, "False": False}.get(_text(item, "status"))
    if applies is None and recommended is not None:
        # The reason is the name of the risk if it is the only one that applies.
        if recommended.status == "True":
            applies = False
        elif recommended.status == "False" and recommended.reason == name:
            applies = True
    if applies is None and any(rule.get("type") == "Always" for rule in rules) and not promql:
        applies = True
    return ConditionalRisk(name, _text(risk, "message"), _text(risk, "url"), promql, applies)


def _condition(item: Mapping[str, Any]) -> Condition:
    return Condition(*(_text(item, field) for field in Condition._fields))


def _text(parent: object, field: str) -> str:
    value = nested(parent, field)
    return value if isinstance(value, str) else ""
