# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the status of a ClusterVersion reports about updates: conditions, history, and the updates that it lists.

The status comes from a CVO, so fields of another type are ignored instead of reported.
Source of the fields: openshift/api:config/v1/types_cluster_version.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._cluster.cluster_version import Condition, is_behind
from .._resources import as_list, as_text, conditions_of, mappings_in, nested

_APPLIES = "Applies"
_CAPABILITY = re.compile(r'(1 - )?max\(cluster_version_capability\{name="([A-Za-z0-9-]+)"\}\)')
"""Whether a capability is disabled (``1 -``) or enabled, with single blanks as in ``ConditionalRisk``."""

_REJECTED = re.compile(r'version="([^"]+)" image="([^"]+)"')
"""Version and image of a release that the CVO loaded and does not accept."""

_RECOMMENDED = "Recommended"
_ALL_ACCEPTED = "AllExposedRisksAccepted"
"""Reason of an update that is recommended although risks apply, because ``spec.desiredUpdate`` accepts all of these."""


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

    def result(self, capabilities: CapabilityStatus) -> bool | None:
        """The result of an expression that only asks whether one capability is enabled, ``None`` for all others.

        The metric has no series for a capability that is neither enabled nor known. Source of the two expressions:
        openshift/cincinnati-graph-data:blocked-edges/4.14.0-ConsoleImplicitlyEnabled.yaml,
        4.18.12-ConsoleEnabledTargetDownAlert.yaml.
        """
        asked = [_CAPABILITY.fullmatch(expression) for expression in self.promql]
        if len(asked) != 1 or asked[0] is None:
            return None
        disabled, name = asked[0].groups()
        if name not in capabilities.enabled | capabilities.known:
            return None
        return (name in capabilities.enabled) != bool(disabled)


class ConditionalUpdate(NamedTuple):
    """An update to ``version``, recommended only if none of ``risks`` applies. ``recommended``: what the CVO found."""

    version: str
    recommended: Condition | None
    risks: tuple[ConditionalRisk, ...]


class UpdateStatus(NamedTuple):
    """What a ClusterVersion reports and requests about updates.

    ``version`` and ``image``: what the cluster runs or updates to. ``history``: newest first. ``available``: versions
    that are recommended. ``requested``: the version in ``spec.desiredUpdate`` or of a rejected image there, or empty.
    ``accepted_risks``: names in ``spec.desiredUpdate.acceptRisks``. ``signature_stores``: the URLs in
    ``spec.signatureStores``, which replace the stores of the release. ``is_outdated``: the CVO has not reported
    the last change of the spec. ``requests_other_image``: of a version that the status lists with another image.
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
    signature_stores: tuple[str, ...]
    is_outdated: bool
    requests_other_image: bool

    @property
    def completed(self) -> str:
        """The newest version that is completely applied, or else the oldest: the CVO considers its gates.

        Source: openshift/cluster-version-operator:pkg/cvo/status_history.go getCurrentVersion.
        """
        oldest = self.history[-1].version if self.history else ""
        return next((entry.version for entry in self.history if entry.state == "Completed"), oldest)

    @property
    def is_installing(self) -> bool:
        """Whether no release is completely applied yet."""
        return {entry.state for entry in self.history} == {"Partial"}

    def condition(self, name: str, *statuses: str) -> Condition | None:
        """The condition of this type if it has one of ``statuses``, or any; else ``None``."""
        found = next((item for item in self.conditions if item.type == name), None)
        return found if found is not None and (not statuses or found.status in statuses) else None

    def conditional_update(self, version: str) -> ConditionalUpdate | None:
        """The conditional update to ``version``, ``None`` if there is none."""
        return next((item for item in self.conditional if item.version == version), None)


def read_update_status(cluster_version: object) -> UpdateStatus:
    """Read the fields of a ClusterVersion object. The ones that it does not have are empty."""
    is_outdated = is_behind(cluster_version)
    status, desired = nested(cluster_version, "status"), nested(cluster_version, "spec", "desiredUpdate")
    stores = mappings_in(nested(cluster_version, "spec", "signatureStores"))
    known_risks = {
        as_text(nested(item, "name")): item for item in mappings_in(nested(status, "conditionalUpdateRisks"))
    }
    return UpdateStatus(
        version=as_text(nested(status, "desired", "version")),
        image=as_text(nested(status, "desired", "image")),
        channel=as_text(nested(cluster_version, "spec", "channel")),
        conditions=tuple(map(_condition, conditions_of(cluster_version).values())),
        history=tuple(
            UpdateHistory(*(as_text(nested(entry, field)) for field in UpdateHistory._fields))
            for entry in mappings_in(nested(status, "history"))
        ),
        available=frozenset(
            as_text(nested(entry, "version")) for entry in mappings_in(nested(status, "availableUpdates"))
        ),
        conditional=tuple(
            _conditional_update(entry, known_risks) for entry in mappings_in(nested(status, "conditionalUpdates"))
        ),
        requested=as_text(nested(desired, "version")) or _rejected_version(cluster_version),
        accepted_risks=frozenset(as_text(nested(risk, "name")) for risk in mappings_in(nested(desired, "acceptRisks"))),
        signature_stores=tuple(as_text(nested(store, "url")) for store in stores),
        is_outdated=is_outdated,
        requests_other_image=_requests_other_image(cluster_version),
    )


def _requests_other_image(cluster_version: object) -> bool:
    """Whether the spec requests an image of a version that the status lists with other images only.

    Source: openshift/cluster-version-operator:lib/validation/validation.go countPayloadsForVersion.
    """
    status, desired = nested(cluster_version, "status"), nested(cluster_version, "spec", "desiredUpdate")
    conditional = (nested(item, "release") for item in mappings_in(nested(status, "conditionalUpdates")))
    listed = [*mappings_in(nested(status, "availableUpdates")), *conditional]
    named = [as_text(nested(item, "image")) for item in listed if nested(item, "version") == nested(desired, "version")]
    # A mirror can have another name, so the digests are compared.
    digests = {image.rpartition("@")[2] for image in named if image}
    requested = as_text(nested(desired, "image"))
    return bool(requested and digests) and requested.rpartition("@")[2] not in digests


def _rejected_version(cluster_version: object) -> str:
    """The version of the requested image if the CVO does not accept it, empty if it could not load it.

    Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go syncPayload. The client requests only the image of
    a release that is not listed, see openshift/oc:pkg/cli/admin/upgrade/upgrade.go.
    """
    image = as_text(nested(cluster_version, "spec", "desiredUpdate", "image"))
    found = _REJECTED.search(as_text(nested(conditions_of(cluster_version).get("ReleaseAccepted"), "message")))
    return found[1] if found is not None and found[2] == image else ""


def _conditional_update(entry: Mapping[str, Any], known_risks: Mapping[str, Mapping[str, Any]]) -> ConditionalUpdate:
    conditions = {as_text(nested(item, "type")): _condition(item) for item in mappings_in(entry.get("conditions"))}
    recommended = conditions.get(_RECOMMENDED)
    listed = mappings_in(entry.get("risks"))
    if not listed:  # from 4.21 on, an update can refer to the risks of the whole cluster by name
        names = entry.get("riskNames")
        listed = [known_risks[name] for name in map(as_text, as_list(names)) if name in known_risks]
    names = {as_text(nested(item, "name")) for item in listed}
    risks = tuple(_risk(item, names, recommended, known_risks) for item in listed)
    return ConditionalUpdate(as_text(nested(entry, "release", "version")), recommended, risks)


def _risk(
    risk: Mapping[str, Any],
    names: set[str],
    recommended: Condition | None,
    known_risks: Mapping[str, Mapping[str, Any]],
) -> ConditionalRisk:
    """Read a risk of an update whose risks have ``names``."""
    name = as_text(nested(risk, "name"))
    rules = mappings_in(risk.get("matchingRules"))
    promql = tuple(" ".join(as_text(nested(rule, "promql", "promql")).split()) for rule in rules if "promql" in rule)
    applies: bool | None = None
    for item in mappings_in(nested(known_risks.get(name), "conditions")):
        if item.get("type") == _APPLIES:
            applies = {"True": True, "False": False}.get(as_text(nested(item, "status")))
    if applies is None and recommended is not None:
        # The reason is the name of a risk if it is the only one that applies, and all others do not.
        if is_free_of_risks(recommended):
            applies = False
        elif recommended.status == "False" and recommended.reason in names:
            applies = recommended.reason == name
    if applies is None and any(rule.get("type") == "Always" for rule in rules) and not promql:
        applies = True
    return ConditionalRisk(name, as_text(nested(risk, "message")), as_text(nested(risk, "url")), promql, applies)


def is_free_of_risks(recommended: Condition | None) -> bool:
    """Whether the CVO found that no risk of a conditional update applies. ``recommended``: its condition."""
    return recommended is not None and recommended.status == "True" and recommended.reason != _ALL_ACCEPTED


def _condition(item: Mapping[str, Any]) -> Condition:
    return Condition(*(as_text(nested(item, field)) for field in Condition._fields))
