# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The ClusterVersion object: what a cluster was asked for, what it has, and the condition that tells both apart."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._capability.selection import Selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS
from .._problems import Problem, Problems, Severity, did_you_mean, has_errors, type_name
from .._unstructured import conditions_of, mappings_in, nested

IMPLICITLY_ENABLED = "ImplicitlyEnabledCapabilities"
"""Type of the condition that names what is on without being requested."""

CVO = "openshift-cluster-version", "cluster-version-operator"
"""Namespace and name of the CVO's Deployment; the name is its field manager, too."""

_GROUP = "config.openshift.io"
_NOT_DISABLED = "The following capabilities could not be disabled: "
_ALIVE = timedelta(minutes=5)


class ReportedCapabilities(NamedTuple):
    """The capabilities that a cluster says to have enabled, and to know; ``None`` where it does not say the latter."""

    enabled: frozenset[str]
    known: frozenset[str] | None


class ClusterVersion(NamedTuple):
    """What a ClusterVersion says. ``status`` is ``None`` where it does not tell capabilities.

    ``version``: of the release that the cluster runs or is going to; ``overrides``: those of its spec, unchecked.
    """

    version: str | None
    selection: Selection
    status: ReportedCapabilities | None
    overrides: tuple[Any, ...]

    @property
    def enabled(self) -> frozenset[str]:
        """Names that are on, none where status does not tell capabilities."""
        return self.status.enabled if self.status else frozenset()

    @property
    def known(self) -> frozenset[str]:
        """Names that status tells to be known, none where it does not."""
        return (self.status.known if self.status else None) or frozenset()


class Condition(NamedTuple):
    """A condition of ClusterVersion."""

    type: str
    status: str
    reason: str
    message: str


def capability_condition(status: CapabilityStatus) -> Condition:
    """Return the condition that the CVO shows for a capability status, in its words.

    Source: openshift/cluster-version-operator:pkg/cvo/status.go setImplicitlyEnabledCapabilitiesCondition.
    """
    if status.implicitly_enabled:
        message = _NOT_DISABLED + ", ".join(sorted(status.implicitly_enabled))
        return Condition(IMPLICITLY_ENABLED, "True", "CapabilitiesImplicitlyEnabled", message)
    return Condition(IMPLICITLY_ENABLED, "False", "AsExpected", "Capabilities match configured spec")


def implicit_names(message: str) -> tuple[str, ...]:
    """Return the names in the message of the condition that ``capability_condition`` makes, sorted."""
    names = message.removeprefix(_NOT_DISABLED)
    return () if names == message else tuple(sorted(names.split(", ")))


def evidence_of_cvo(cluster_version: Mapping[str, Any], deployment: Mapping[str, Any] | None, now: datetime) -> str:
    """Return what shows that a CVO looks after a ClusterVersion, empty where nothing does.

    It is its Deployment (``None`` where there is none) that is Available and not scaled to 0, for then it is Available
    too; or that it wrote the status less than five minutes before ``now``. A time that ``now`` has not reached yet
    counts as well, because clocks differ.
    """
    namespace, name = CVO
    if _available(deployment):
        return f"its Deployment {namespace}/{name} is available"
    for entry in mappings_in(nested(cluster_version, "metadata", "managedFields")):
        if (entry.get("manager"), entry.get("subresource")) == (name, "status"):
            at = _time(entry.get("time"))
            if at is not None and now - at < _ALIVE:
                return f"{name} wrote the status at {entry['time']}"
    return ""


def _available(deployment: Mapping[str, Any] | None) -> bool:
    if nested(deployment, "spec", "replicas") == 0:
        return False
    return bool(conditions_of(deployment).get("Available", {}).get("status") == "True")


def _time(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def parse_cluster_version(
    value: object, where: str = "cluster_version", *, strict: bool = True
) -> tuple[ClusterVersion | None, tuple[Problem, ...]]:
    """Read a ClusterVersion object, or a List that holds exactly one. ``None`` where a problem is an error.

    Names in its lists are not checked: after a rollback they may be of a later version. ``strict``: a field of
    ``spec.capabilities`` that is not known is an error, because somebody wrote it and no API server let it pass.
    """
    found = _only_item(value, where)
    if isinstance(found, Problem):
        return None, (found,)
    kind, api_version = found.get("kind"), found.get("apiVersion")
    if kind != "ClusterVersion" or str(api_version).partition("/")[0] != _GROUP:
        message = f"is {kind or 'no kind'} of {api_version or 'no API'}, expected ClusterVersion of {_GROUP}/v1"
        return None, (
            Problem("error", "todo", where, message, "Give what `oc get clusterversion version -o yaml` prints"),
        )
    problems = Problems()
    spec = _map(found, "spec", where, problems)
    selection = _selection(
        _map(spec, "capabilities", f"{where}.spec", problems), f"{where}.spec.capabilities", problems, strict
    )
    overrides = _list(spec, "overrides", f"{where}.spec", problems)
    status = _map(found, "status", where, problems)
    capabilities = _map(status, "capabilities", f"{where}.status", problems)
    enabled = _names(capabilities, "enabledCapabilities", f"{where}.status.capabilities", problems)
    known = _names(capabilities, "knownCapabilities", f"{where}.status.capabilities", problems)
    if has_errors(problems):
        return None, tuple(problems)
    told = enabled is not None or known is not None
    if not told:
        message = "tells no capabilities, so what is on is taken from the spec alone"
        hint = "Give the object as the cluster has it, with its status"
        problems.append(Problem("warning", "todo", f"{where}.status.capabilities", message, hint))
    problems += _unfinished(status, where)
    version = _map(status, "desired", f"{where}.status", problems).get("version")
    return (
        ClusterVersion(
            version if isinstance(version, str) else None,
            selection,
            ReportedCapabilities(frozenset(enabled or ()), None if known is None else frozenset(known))
            if told
            else None,
            tuple(overrides),
        ),
        tuple(problems),
    )


def _only_item(value: object, where: str) -> Mapping[str, Any] | Problem:
    if not isinstance(value, Mapping):
        return Problem(
            "error",
            "todo",
            where,
            f"is {type_name(value)}, expected a ClusterVersion object",
            "Give the object, or its file",
        )
    items = value.get("items")
    if str(value.get("kind")).endswith("List") and isinstance(items, list):
        if len(items) != 1 or not isinstance(items[0], Mapping):
            message = f"is a list of {len(items)} objects, expected one ClusterVersion"
            return Problem("error", "todo", where, message, "Give each cluster's ClusterVersion by itself")
        return items[0]
    return value


def _selection(capabilities: Mapping[str, Any], where: str, problems: Problems, strict: bool) -> Selection:
    """Read the two fields that the API has; additional names without a baseline set stand beside vCurrent."""
    for field in capabilities:
        if field not in API_FIELDS:
            hint = did_you_mean(field, API_FIELDS)
            severity: Severity = "error" if strict else "info"
            problems.append(Problem(severity, "todo", f"{where}.{field}", "is not a field of ClusterVersion", hint))
    baseline = capabilities.get(API_BASELINE)
    if baseline is not None and not isinstance(baseline, str):
        message = f"is {type_name(baseline)}, expected the name of a set"
        problems.append(Problem("error", "todo", f"{where}.{API_BASELINE}", message, "Give the whole object"))
        baseline = None
    additional = _names(capabilities, API_ADDITIONAL, where, problems)
    return Selection(baseline or None, tuple(additional or ()), None, where)


def _unfinished(status: Mapping[str, Any], where: str) -> list[Problem]:
    history = status.get("history")
    latest = history[0] if isinstance(history, list) and history and isinstance(history[0], Mapping) else {}
    if latest.get("state") != "Partial":
        return []
    message = f"an update to {latest.get('version')} is not finished; the plan takes it for done"
    return [Problem("warning", "todo", f"{where}.status.history", message, "Wait for it, and plan again")]


def _map(parent: Mapping[str, Any], field: str, where: str, problems: Problems) -> Mapping[str, Any]:
    value = parent.get(field)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        problems.append(
            Problem(
                "error", "todo", f"{where}.{field}", f"is {type_name(value)}, expected a map", "Give the whole object"
            )
        )
        return {}
    return value


def _list(parent: Mapping[str, Any], field: str, where: str, problems: Problems) -> list[Any]:
    value = parent.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        problems.append(
            Problem(
                "error", "todo", f"{where}.{field}", f"is {type_name(value)}, expected a list", "Give the whole object"
            )
        )
        return []
    return value


def _names(parent: Mapping[str, Any], field: str, where: str, problems: Problems) -> list[str] | None:
    if parent.get(field) is None:
        return None
    names = _list(parent, field, where, problems)
    problems += [
        Problem(
            "error",
            "todo",
            f"{where}.{field}[{index}]",
            f"is {type_name(name)}, expected a name",
            "Give the whole object",
        )
        for index, name in enumerate(names)
        if not isinstance(name, str)
    ]
    return [name for name in names if isinstance(name, str)]
