# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status that the CVO of a release would write to a ClusterVersion, for clusters without a CVO.

Source: openshift/cluster-version-operator:pkg/cvo/status.go syncStatus, lib/resourcemerge/os.go.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from .._capability.cluster_options import InclusionCriteria
from .._capability.resolved_release import ResolvedRelease, check_always_enabled, resolve_release
from .._capability.selection import Selection, capability_status, check_selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, MinorData, gates_of_capability
from .._data.version import find_minor, is_semantic_version
from .._problems import InvalidOptionError, Location, Problems
from .._release.release import Release
from .._resources import as_list, nested
from .cluster_version import IMPLICITLY_ENABLED, Condition, capability_condition, parse_live_cluster_version

_INVALID = "Invalid"
_OLD_TYPE = "ImplicitlyEnabled"
"""Type of the condition in a few builds of 4.19 and 4.20; later ones remove it (OCPBUGS-56114)."""

_SPEC = "spec.capabilities"
_ENABLED = "status.capabilities.enabledCapabilities"


class StatusInputs(NamedTuple):
    """What a status depends on besides the ClusterVersion: the release, resolved for the cluster.

    ``image`` is its pull spec, empty if it is not known. ``gated``: names whose feature gates are disabled.
    ``always_enabled``: names that are enabled for every selection.
    """

    version: str
    image: str
    minor_data: MinorData
    gated: frozenset[str] = frozenset()
    always_enabled: frozenset[str] = frozenset()


class StatusChange(NamedTuple):
    """The current status of a ClusterVersion, and the one that it should have."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def changed(self) -> bool:
        """Whether the status must be written."""
        return self.before != self.after

    @property
    def body(self) -> dict[str, Any]:
        """The part of the status to send as a merge patch. ``None`` removes a field."""
        return _merge_patch(self.before, self.after)


def status_inputs(
    criteria: InclusionCriteria, release: Release, image: str, problems: Problems
) -> tuple[StatusInputs, ResolvedRelease]:
    """Resolve ``release`` as its CVO does, and return what the status depends on. Raises ``InvalidOptionError``."""
    resolved = resolve_release(criteria, release, problems, for_cvo=True)
    if resolved is not None and resolved.minor_data is not None:
        check_always_enabled(criteria, (resolved.minor_data,), problems)
    if resolved is None or resolved.minor_data is None or problems.has_errors:
        raise InvalidOptionError(problems)
    inputs = StatusInputs(release.shown_version, image, resolved.minor_data, resolved.gated, resolved.always)
    return inputs, resolved


def next_status(
    cluster_version: Mapping[str, Any], inputs: StatusInputs, now: datetime, problems: Problems
) -> StatusChange:
    """Return the status that ``cluster_version`` should have.

    Enabled names stay enabled, even unknown and gated ones. If the spec is
    invalid, the capabilities stay the same, and a condition and warnings report it. Raises ``ClusterError`` if the
    object cannot be read, so no enabled capability is lost.
    """
    cluster = parse_live_cluster_version(cluster_version, Problems())
    previous, before = cluster.enabled, nested(cluster_version, "status") or {}
    gated = inputs.gated - previous
    selection = cluster.selection._replace(
        where=Location(field=_SPEC), baseline_field=API_BASELINE, additional_field=API_ADDITIONAL
    )
    _check_spec(selection, inputs.minor_data, gated, problems)
    _check_previous(previous, inputs, problems)
    after = {
        **before,
        "desired": _desired(nested(before, "desired") or {}, inputs),
        "observedGeneration": nested(cluster_version, "metadata", "generation") or 0,
        "versionHash": before.get("versionHash", ""),
        # The CVO writes null until it has requested updates, but a merge patch cannot set null.
        "availableUpdates": before.get("availableUpdates", []),
    }
    errors = list(_field_errors(selection, inputs.minor_data, gated))
    if errors:
        conditions = [_invalid(errors)]
    else:
        status = capability_status(selection, inputs.minor_data, gated, previous | inputs.always_enabled)
        after["capabilities"] = {
            "enabledCapabilities": sorted(status.enabled),
            "knownCapabilities": sorted(status.known),
        }
        conditions = [capability_condition(status)]
    removed = {_OLD_TYPE} if errors else {_OLD_TYPE, _INVALID}
    after["conditions"] = _conditions(before.get("conditions"), conditions, removed, now.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return StatusChange(before, after)


def find_capability_condition(status: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the condition ``ImplicitlyEnabledCapabilities`` of a status, ``None`` if there is none."""
    return next((dict(item) for item in as_list(status.get("conditions")) if _type(item) == IMPLICITLY_ENABLED), None)


def _check_spec(selection: Selection, data: MinorData, gated: frozenset[str], problems: Problems) -> None:
    faults = Problems()
    check_selection(selection, data, gated, faults)
    for item in faults:
        problems.warning(item.code, item.where, f"{item.message}; the status keeps its capabilities", item.hint)


def _field_errors(selection: Selection, data: MinorData, gated: frozenset[str]) -> Iterator[str]:
    """Errors of an API server for values that an enum does not list (k8s.io/apimachinery field.NotSupported)."""
    if selection.baseline is not None and selection.baseline not in data.sets:
        yield _unsupported(f"{_SPEC}.{API_BASELINE}", selection.baseline, data.sets)
    names = data.capabilities - gated
    for index, name in enumerate(selection.additional):
        if name not in names:
            yield _unsupported(f"{_SPEC}.{API_ADDITIONAL}[{index}]", name, sorted(names))


def _unsupported(field: str, value: str, supported: Iterable[str]) -> str:
    quoted = [json.dumps(item, ensure_ascii=False) for item in (value, *supported)]
    return f"{field}: Unsupported value: {quoted[0]}: supported values: {', '.join(quoted[1:])}"


def _invalid(errors: list[str]) -> Condition:
    start = "The cluster version is invalid:"
    message = f"{start} {errors[0]}" if len(errors) == 1 else f"{start}\n" + "".join(f"* {item}\n" for item in errors)
    return Condition(_INVALID, "True", "InvalidClusterVersion", message)


def _conditions(value: object, changes: Iterable[Condition], removed: Container[object], now: str) -> list[Any]:
    """Conditions after ``changes``. A condition keeps its index, and its time unless its status changes."""
    conditions = [item for item in as_list(value) if _type(item) not in removed]
    for change in changes:
        at = next((index for index, item in enumerate(conditions) if _type(item) == change.type), None)
        current = {} if at is None else conditions[at]
        same = current.get("status") == change.status and current.get("lastTransitionTime")
        updated = {**current, **change._asdict(), "lastTransitionTime": same or now}
        if at is None:
            conditions.append(updated)
        else:
            conditions[at] = updated
    return conditions


def _desired(current: Mapping[str, Any], inputs: StatusInputs) -> dict[str, Any]:
    """The field ``desired``. Image, URL and channels are kept only for the same version."""
    if current.get("version") == inputs.version or _is_less_precise(inputs, current.get("version")):
        return {**current, "image": inputs.image or current.get("image", "")}
    return {"version": inputs.version, "image": inputs.image}


def _is_less_precise(inputs: StatusInputs, current: object) -> bool:
    """Whether only the minor of the release is known, and the status has a version of the same minor."""
    return not is_semantic_version(inputs.version) and find_minor(current) == inputs.minor_data.minor


def _check_previous(previous: frozenset[str], inputs: StatusInputs, problems: Problems) -> None:
    for name in sorted(previous - inputs.minor_data.capabilities):
        message = f"{name} is enabled and not a capability of {inputs.minor_data.minor}, perhaps one of a later version"
        problems.info("unknown-capability", _ENABLED, message, "Do nothing: it stays enabled")
    for name in sorted(previous & inputs.gated):
        gates = " or ".join(gates_of_capability(name))
        message = f"{name} is enabled, although its feature gate {gates} is disabled; it stays enabled"
        hint = "Set feature_set or feature_gates as on the cluster"
        problems.warning("gated-capability", _ENABLED, message, hint)


def _merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {field: None for field in before if field not in after}
    for field, value in after.items():
        current = before.get(field)
        if isinstance(current, Mapping) and isinstance(value, Mapping):
            inner = _merge_patch(current, value)
            if inner:
                patch[field] = inner
        elif field not in before or current != value:
            patch[field] = value
    return patch


def _type(condition: object) -> object:
    return condition.get("type") if isinstance(condition, Mapping) else None
