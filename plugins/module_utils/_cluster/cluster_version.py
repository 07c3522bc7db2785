# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ClusterVersion object: requested and enabled capabilities, and the condition that compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._capability.selection import Selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS
from .._problems import ClusterError, Location, Problem, Problems, Severity, did_you_mean, type_name
from .._resources import CLUSTER_VERSIONS, Object, Target, nested

CLUSTER_VERSION = Target(CLUSTER_VERSIONS, "version")
"""The object that each cluster has. Its text is the location of problems in what a cluster returned."""

IMPLICITLY_ENABLED = "ImplicitlyEnabledCapabilities"
"""Type of the condition that names the capabilities that are enabled without a request."""


_GROUP = "config.openshift.io"
_NOT_DISABLED = "The following capabilities could not be disabled: "
_WHOLE_OBJECT = "Set the whole object"


class ReportedCapabilities(NamedTuple):
    """The capabilities that a cluster reports as enabled and as known; ``None`` if it does not report the latter."""

    enabled: frozenset[str]
    known: frozenset[str] | None


class ClusterVersion(NamedTuple):
    """A parsed ClusterVersion. ``status`` is ``None`` if it reports no capabilities.

    ``version``: of the release that the cluster runs or updates to. ``overrides``: of its spec, unchecked.
    """

    version: str | None
    selection: Selection
    status: ReportedCapabilities | None
    overrides: tuple[Any, ...]

    @property
    def enabled(self) -> frozenset[str]:
        """Enabled names, none if the status reports no capabilities."""
        return self.status.enabled if self.status else frozenset()

    @property
    def known(self) -> frozenset[str]:
        """Names that the status reports as known, none if it does not report them."""
        return (self.status.known if self.status else None) or frozenset()


class Condition(NamedTuple):
    """A condition of ClusterVersion."""

    type: str
    status: str
    reason: str
    message: str


def is_behind(cluster_version: object) -> bool:
    """Whether the status of a ClusterVersion reports an earlier generation of its spec.

    If a change, such as one of the channel, does not change what the CVO applies, it takes effect at once, and the
    status has its generation only after the next sync, up to four minutes later.
    Source: openshift/cluster-version-operator:pkg/cvo/sync_worker.go Update, calculateNextFrom.
    """
    generation = nested(cluster_version, "metadata", "generation")
    observed = nested(cluster_version, "status", "observedGeneration")
    return isinstance(generation, int) and isinstance(observed, int) and observed < generation


def capability_condition(status: CapabilityStatus) -> Condition:
    """Return the condition that the CVO reports for a capability status, with its texts.

    Source: openshift/cluster-version-operator:pkg/cvo/status.go setImplicitlyEnabledCapabilitiesCondition.
    """
    if status.implicitly_enabled:
        message = _NOT_DISABLED + ", ".join(sorted(status.implicitly_enabled))
        return Condition(IMPLICITLY_ENABLED, "True", "CapabilitiesImplicitlyEnabled", message)
    return Condition(IMPLICITLY_ENABLED, "False", "AsExpected", "Capabilities match configured spec")


def parse_live_cluster_version(obj: Object, problems: Problems) -> ClusterVersion:
    """Parse the ClusterVersion that a cluster returned. ``problems`` gets the warnings. Raises ``ClusterError``."""
    own = Problems()
    cluster = parse_cluster_version(obj, Location(str(CLUSTER_VERSION)), own, strict=False)
    if cluster is None:
        raise ClusterError(own)
    problems += own
    return cluster


def parse_cluster_version(
    value: object, where: Location, problems: Problems, *, strict: bool = True
) -> ClusterVersion | None:
    """Parse a ClusterVersion object, or a List with exactly one. ``None`` if an error is reported.

    Names in its lists are not checked, because after a rollback they can belong to a later version. ``strict``: an
    unknown field of ``spec.capabilities`` is an error, because no API server stores it.
    """
    obj = _only_item(value, where, problems)
    if obj is None:
        return None
    kind, api_version = obj.get("kind"), obj.get("apiVersion")
    if kind != "ClusterVersion" or str(api_version).partition("/")[0] != _GROUP:
        found = f"has kind {kind or 'null'} and apiVersion {api_version or 'null'}"
        message = f"{found}, expected kind ClusterVersion and apiVersion {_GROUP}/v1"
        problems.error("wrong-kind", where, message, "Set it to the output of `oc get clusterversion version -o yaml`")
        return None
    own = Problems()
    spec = _map(obj, "spec", where, own)
    selection = _selection(
        _map(spec, "capabilities", where.child("spec"), own), where.child("spec.capabilities"), own, strict=strict
    )
    overrides = _list(spec, "overrides", where.child("spec"), own)
    status = _map(obj, "status", where, own)
    reported = _reported(
        _map(status, "capabilities", where.child("status"), own), where.child("status.capabilities"), own
    )
    if not own.has_errors:
        if reported is None:
            message = "has no capabilities, so the enabled capabilities are derived from the spec"
            hint = "Plan with the status that the cluster-version operator writes"
            own.warning("missing-status", where.child("status.capabilities"), message, hint)
        _check_history(status, where, own)
        version = _map(status, "desired", where.child("status"), own).get("version")
        problems += own
        return ClusterVersion(version if isinstance(version, str) else None, selection, reported, tuple(overrides))
    problems += own
    return None


def _only_item(value: object, where: Location, problems: Problems) -> Mapping[str, Any] | None:
    if not isinstance(value, Mapping):
        message = f"is {type_name(value)}, expected a ClusterVersion object"
        problems.error("not-a-map", where, message, "Set the path of a file, or the object itself")
        return None
    items = value.get("items")
    if str(value.get("kind")).endswith("List") and isinstance(items, list):
        if len(items) != 1 or not isinstance(items[0], Mapping):
            message = f"is a list of {len(items)} objects, expected one ClusterVersion"
            problems.error("several-objects", where, message, "Set the ClusterVersion of one cluster")
            return None
        return items[0]
    return value


def _selection(capabilities: Mapping[str, Any], where: Location, problems: Problems, *, strict: bool) -> Selection:
    """The two fields of the API. Additional names without a baseline set are added to vCurrent."""
    for field in capabilities:
        if field not in API_FIELDS:
            severity: Severity = "error" if strict else "info"
            hint = did_you_mean(field, API_FIELDS)
            message = "is not a field of ClusterVersion"
            problems.append(Problem(severity, "unknown-field", where.child(field), message, hint))
    baseline = capabilities.get(API_BASELINE)
    if baseline is not None and not isinstance(baseline, str):
        message = f"is {type_name(baseline)}, expected the name of a set"
        problems.error("not-a-string", where.child(API_BASELINE), message, _WHOLE_OBJECT)
        baseline = None
    additional = _names(capabilities, API_ADDITIONAL, where, problems)
    names = tuple(additional or ())
    return Selection(baseline or None, names, None, where, additional_field=API_ADDITIONAL, baseline_field=API_BASELINE)


def _reported(capabilities: Mapping[str, Any], where: Location, problems: Problems) -> ReportedCapabilities | None:
    enabled = _names(capabilities, "enabledCapabilities", where, problems)
    known = _names(capabilities, "knownCapabilities", where, problems)
    if enabled is None and known is None:
        return None
    return ReportedCapabilities(frozenset(enabled or ()), None if known is None else frozenset(known))


def _check_history(status: Mapping[str, Any], where: Location, problems: Problems) -> None:
    history = status.get("history")
    latest = history[0] if isinstance(history, list) and history and isinstance(history[0], Mapping) else {}
    if latest.get("state") == "Partial":
        message = f"an update to {latest.get('version')} is not finished; the plan assumes that it is"
        hint = "Wait until it is finished, and plan again"
        problems.warning("unfinished-update", where.child("status.history"), message, hint)


def _map(parent: Mapping[str, Any], field: str, where: Location, problems: Problems) -> Mapping[str, Any]:
    value = parent.get(field)
    if value is None or isinstance(value, Mapping):
        return value or {}
    problems.error("not-a-map", where.child(field), f"is {type_name(value)}, expected a map", _WHOLE_OBJECT)
    return {}


def _list(parent: Mapping[str, Any], field: str, where: Location, problems: Problems) -> list[Any]:
    value = parent.get(field)
    if value is None or isinstance(value, list):
        return value or []
    problems.error("not-a-list", where.child(field), f"is {type_name(value)}, expected a list", _WHOLE_OBJECT)
    return []


def _names(parent: Mapping[str, Any], field: str, where: Location, problems: Problems) -> list[str] | None:
    if parent.get(field) is None:
        return None
    names = _list(parent, field, where, problems)
    for index, name in enumerate(names):
        if not isinstance(name, str):
            message = f"is {type_name(name)}, expected a name"
            problems.error("not-a-string", where.child(f"{field}[{index}]"), message, _WHOLE_OBJECT)
    return [name for name in names if isinstance(name, str)]
