# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the CVO of a release would write into the status of a ClusterVersion, for clusters where none runs.

Source: openshift/cluster-version-operator:pkg/cvo/status.go syncStatus, lib/resourcemerge/os.go.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import (
    ClusterOptions,
    always_enabled,
    check_always_enabled,
    check_options,
    inclusion_context,
)
from .._capability.release_properties import gated_off, minor_data
from .._capability.selection import Selection, capability_status, check_selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, MinorData, gates_of
from .._problems import InvalidOptionError, Problem, Problems, has_errors, raise_errors
from .._release.release import Release
from .._version import find_minor, is_semantic_version, precedence
from .cluster_version import IMPLICITLY_ENABLED, Condition, capability_condition, parse_cluster_version

_INVALID = "Invalid"
_STRAY = "ImplicitlyEnabled"
"""Type that a few builds of 4.19 and 4.20 gave the condition; later ones remove it (OCPBUGS-56114)."""

_SPEC = "spec.capabilities"
_ENABLED = "status.capabilities.enabledCapabilities"


class StatusInputs(NamedTuple):
    """What a status depends on beside the ClusterVersion: the release, and what it knows in a cluster like this.

    ``image`` is its pull spec, empty where nobody told it; ``hidden`` are capabilities whose feature gates are off;
    ``always_enabled`` those that are on whatever is asked; ``compared``: what an update to the release turns on
    because of its resources is among these.
    """

    version: str
    image: str
    known: MinorData
    hidden: frozenset[str] = frozenset()
    always_enabled: frozenset[str] = frozenset()
    compared: bool = False


class StatusChange(NamedTuple):
    """The status of a ClusterVersion as it is, and as it should be."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def changed(self) -> bool:
        """Whether the status has to be written."""
        return self.before != self.after

    @property
    def body(self) -> dict[str, Any]:
        """The part of the status to send as a merge patch, in which ``None`` takes a field away."""
        return _merge_patch(self.before, self.after)


def status_inputs(options: ClusterOptions, release: Release, image: str) -> tuple[StatusInputs, tuple[Problem, ...]]:
    """Return what ``release`` makes of a cluster of which ``options`` are said. Raises ``InvalidOptionError``."""
    problems = Problems()
    cluster = check_options(options, release.minor, problems)
    gates = inclusion_context(cluster, release, problems).feature_gates
    known = None
    if release.minor is None:
        message = "is needed: which capabilities there are depends on the version"
        problems.append(Problem("error", "todo", "openshift_version", message, "Set it, nothing else tells it here"))
    else:
        known = minor_data(release, release.minor, cluster.feature_set, cluster.cluster_profile, problems)
    if known is not None:
        check_always_enabled(cluster, (known,), problems)
    raise_errors(problems, InvalidOptionError)
    if known is None:
        raise AssertionError("facts that cannot be told are an error")
    hidden = gated_off(gates, cluster.feature_set)
    facts = StatusInputs(release.shown_version, image, known, hidden, always_enabled(cluster, known))
    return facts, tuple(problems)


def next_status(
    cluster_version: Mapping[str, Any], facts: StatusInputs, now: str
) -> tuple[StatusChange | None, tuple[Problem, ...]]:
    """Return the status that ``cluster_version`` should have; ``None`` where it cannot be told what it has enabled.

    ``now`` is the time as the API writes it. What is on stays on: unknown names, and those whose gates are off, too.
    An invalid spec leaves the capabilities as they are, and is told by a condition, and by warnings.
    """
    spec, before = _child(cluster_version, "spec"), _child(cluster_version, "status")
    previous, problems = _previous(before)
    if has_errors(problems):
        return None, tuple(problems)
    hidden = facts.hidden - previous
    selection, errors, found = _read_spec(spec, facts.known, hidden)
    problems += found
    problems += _strange_names(previous, facts)
    problems += _other_version(_child(before, "desired").get("version"), facts)
    after = {
        **before,
        "desired": _desired(_child(before, "desired"), facts),
        "observedGeneration": _child(cluster_version, "metadata").get("generation", 0),
        "versionHash": before.get("versionHash", ""),
        # A merge patch cannot say null, which is what the CVO writes until it has asked for updates.
        "availableUpdates": before.get("availableUpdates", []),
    }
    if errors:
        conditions = [_invalid(errors)]
    else:
        status = capability_status(selection, facts.known, hidden, previous | facts.always_enabled)
        after["capabilities"] = {
            "enabledCapabilities": sorted(status.enabled),
            "knownCapabilities": sorted(status.known),
        }
        conditions = [capability_condition(status)]
    removed = {_STRAY} if errors else {_STRAY, _INVALID}
    after["conditions"] = _conditions(before.get("conditions"), conditions, removed, now)
    return StatusChange(before, after), tuple(problems)


def find_capability_condition(status: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the condition of implicit enablement in a status, ``None`` where there is none."""
    return next((dict(item) for item in _list(status.get("conditions")) if _type(item) == IMPLICITLY_ENABLED), None)


def _previous(status: Mapping[str, Any]) -> tuple[frozenset[str], list[Problem]]:
    """Return what is on. Where that cannot be read nothing must be written, or it would be lost."""
    cluster, found = parse_cluster_version(_excerpt({}, status), "")
    enabled = cluster.enabled if cluster else frozenset[str]()
    return enabled, _corrected(found, "Mend it: what is on has to be known before it can be kept")


def _read_spec(
    spec: Mapping[str, Any], known: MinorData, hidden: frozenset[str]
) -> tuple[Selection, list[str], list[Problem]]:
    """Return the selection, what is wrong with it in the words of the API machinery, and the same for users."""
    cluster, found = parse_cluster_version(_excerpt(spec, {}), "")
    if cluster is None:
        wrong = _corrected(found, "Mend the spec")
        return Selection(), [f"{item.where}: Invalid value: {item.message}" for item in wrong], _warnings(wrong)
    selection = cluster.selection._replace(where=_SPEC, baseline_field=API_BASELINE, additional_field=API_ADDITIONAL)
    problems = _warnings(check_selection(selection, known, hidden))
    return selection, list(_field_errors(selection, known, hidden)), problems


def _corrected(found: Iterable[Problem], hint: str) -> list[Problem]:
    """Return the errors of an excerpt, under the paths that users know."""
    return [item._replace(where=item.where[1:], hint=hint) for item in found if item.severity == "error"]


def _excerpt(spec: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ClusterVersion that has nothing but its capabilities, as its other fields are none of our business."""
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "spec": {"capabilities": spec.get("capabilities")},
        "status": {"capabilities": status.get("capabilities")},
    }


def _warnings(wrong: Iterable[Problem]) -> list[Problem]:
    return [item._replace(severity="warning", message=f"{item.message}; status keeps what it has") for item in wrong]


def _field_errors(selection: Selection, known: MinorData, hidden: frozenset[str]) -> Iterator[str]:
    """Yield what an API server says of values that an enum does not hold (k8s.io/apimachinery field.NotSupported)."""
    if selection.baseline is not None and selection.baseline not in known.sets:
        yield _unsupported(f"{_SPEC}.{API_BASELINE}", selection.baseline, known.sets)
    names = known.capabilities - hidden
    for index, name in enumerate(selection.additional):
        if name not in names:
            yield _unsupported(f"{_SPEC}.{API_ADDITIONAL}[{index}]", name, sorted(names))


def _unsupported(field: str, value: str, supported: Iterable[str]) -> str:
    quoted = [json.dumps(item, ensure_ascii=False) for item in (value, *supported)]
    return f"{field}: Unsupported value: {quoted[0]}: supported values: {', '.join(quoted[1:])}"


def _invalid(errors: list[str]) -> Condition:
    begin = "The cluster version is invalid:"
    message = f"{begin} {errors[0]}" if len(errors) == 1 else f"{begin}\n" + "".join(f"* {item}\n" for item in errors)
    return Condition(_INVALID, "True", "InvalidClusterVersion", message)


def _conditions(value: object, changes: Iterable[Condition], removed: Container[object], now: str) -> list[Any]:
    """Return conditions after ``changes``: a condition keeps its place, and its time while its status is the same."""
    conditions = [item for item in _list(value) if _type(item) not in removed]
    for change in changes:
        at = next((index for index, item in enumerate(conditions) if _type(item) == change.type), None)
        there = {} if at is None else conditions[at]
        same = there.get("status") == change.status and there.get("lastTransitionTime")
        updated = {**there, **change._asdict(), "lastTransitionTime": same or now}
        if at is None:
            conditions.append(updated)
        else:
            conditions[at] = updated
    return conditions


def _desired(there: Mapping[str, Any], facts: StatusInputs) -> dict[str, Any]:
    """Return the release that the status tells: an image, a URL and channels belong to one version only."""
    if there.get("version") == facts.version or _is_vaguer(facts, there.get("version")):
        return {**there, "image": facts.image or there.get("image", "")}
    return {"version": facts.version, "image": facts.image}


def _is_vaguer(facts: StatusInputs, there: object) -> bool:
    """Tell whether the release is known by its minor alone, and the status says more of the same."""
    return not is_semantic_version(facts.version) and find_minor(there) == facts.known.minor


def _other_version(there: object, facts: StatusInputs) -> Iterator[Problem]:
    minor = find_minor(there)
    if minor is None or there == facts.version or _is_vaguer(facts, there):
        return
    if precedence(facts.version) < precedence(str(there)):
        message = f"is {facts.version}, which is older than {there}, that the cluster had until now"
        yield Problem("warning", "todo", "release", message, "Give the release that the cluster has")
    elif minor != facts.known.minor and not facts.compared:
        message = (
            f"is {facts.version}, and the cluster had {there} until now; what an update turns on because resources "
            "moved into capabilities is not computed here"
        )
        hint = "Ask update_plan for it, and request these capabilities if what they bring is to stay"
        yield Problem("warning", "todo", "release", message, hint)


def _strange_names(previous: frozenset[str], facts: StatusInputs) -> Iterator[Problem]:
    for name in sorted(previous - facts.known.capabilities):
        message = f"{name} is on and not a capability of {facts.known.minor}, perhaps left from a later version"
        yield Problem("info", "todo", _ENABLED, message, "It stays on")
    for name in sorted(previous & facts.hidden):
        gates = " or ".join(gates_of(name))
        message = f"{name} is on, and the feature gate {gates}, which it needs, is off; it stays on"
        yield Problem("warning", "todo", _ENABLED, message, "Give the feature_set or the feature_gates of the cluster")


def _merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {field: None for field in before if field not in after}
    for field, value in after.items():
        there = before.get(field)
        if isinstance(there, Mapping) and isinstance(value, Mapping):
            inner = _merge_patch(there, value)
            if inner:
                patch[field] = inner
        elif field not in before or there != value:
            patch[field] = value
    return patch


def _type(condition: object) -> object:
    return condition.get("type") if isinstance(condition, Mapping) else None


def _child(parent: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = parent.get(field)
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
