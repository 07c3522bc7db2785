# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes to ``spec.capabilities`` of a ClusterVersion, which only add names and never remove one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._capability.rules import InstallContext, rule_violations
from .._capability.selection import Selection, check_selection, parse_selection
from .._data.capabilities import API_BASELINE, NONE, V_CURRENT, MinorData, gates_of_capability, since_of
from .._data.install_rules import STANDALONE
from .._problems import Location, Problems
from .cluster_version import ClusterVersion

_LOCATION = Location(field="capabilities")
_DRAFT_FIELD = "include"


class CapabilityRequest(NamedTuple):
    """Requested capabilities. ``selection``: ``None`` requests nothing beyond the spec.

    ``append``: the names of ``selection`` are added to those that the spec requests. ``keep_implicit``: the names that
    are enabled without a request are added, too. ``new_names``: names that the status of the cluster does not know yet
    and may be requested, because the release that introduces them is being applied.
    """

    selection: Selection | None
    append: bool = False
    keep_implicit: bool = False
    new_names: frozenset[str] = frozenset()


class SpecChange(NamedTuple):
    """The capabilities of a spec before and after, each as a baseline set and a sorted list.

    ``requested_before`` and ``requested_after``: the names that they request, sets expanded. ``kept``: names that
    were enabled implicitly and are requested now.
    """

    before: Selection
    after: Selection
    requested_before: frozenset[str]
    requested_after: frozenset[str]
    kept: tuple[str, ...]

    @property
    def removed(self) -> tuple[str, ...]:
        """Names that are no longer requested, sorted. A change with such names must not be applied."""
        return tuple(sorted(self.requested_before - self.requested_after))

    @property
    def added(self) -> frozenset[str]:
        """Names that were not requested before."""
        return self.requested_after - self.requested_before

    @property
    def changed(self) -> bool:
        """Whether the spec must be written. Order, repetitions and an omitted default do not count."""
        return _content(self.before) != _content(self.after)

    @property
    def body(self) -> dict[str, Any]:
        """The block ``spec.capabilities`` to apply. It always has both fields: the rules of the CRD need both."""
        return self.after.to_api(keep_empty=True)


def parse_request(
    options: object, enable: Iterable[str] | None, problems: Problems, *, keep_implicit: bool
) -> CapabilityRequest:
    """Parse the option ``capabilities``. ``enable``: names to add to the spec instead."""
    if enable is not None:
        selection = Selection(NONE, tuple(dict.fromkeys(enable)), where=Location(), additional_field="enable")
        return CapabilityRequest(selection, append=True, keep_implicit=keep_implicit)
    if options is None:
        if not keep_implicit:
            problems.error("missing-option", "enable", "is missing", "Set the names to add, or set capabilities")
        return CapabilityRequest(None, keep_implicit=keep_implicit)
    return CapabilityRequest(parse_selection(options, _LOCATION, problems), keep_implicit=keep_implicit)


def spec_change(
    cluster: ClusterVersion, request: CapabilityRequest, data: MinorData, problems: Problems
) -> SpecChange | None:
    """Return the change that ``request`` makes to the spec of ``cluster``, which has the names and sets of ``data``.

    ``None`` if the request is not valid. A removal is reported as an error: a name that the spec requests, with its set
    expanded, and that the request omits. Names that are enabled implicitly may be omitted.
    Source: openshift/enhancements:enhancements/installer/component-selection.md, "Capabilities Continue to be Enabled".
    """
    data = _data_as_reported(cluster, data)
    gated, unknown = _gated_names(cluster, data), _unknown_names(cluster, data) - request.new_names
    current, given = cluster.selection, request.selection or cluster.selection
    target, own = current, Problems()
    if request.selection is not None:
        _check_names(given, current, data, unknown, own)
        target = given.pinned(data, gated | unknown)
    known_set = current.baseline is None or current.baseline in data.sets
    if not known_set and not request.append and target.baseline != current.baseline:
        message = f"is {current.baseline}, whose names in {data.minor} are not known to the collection"
        hint = "Keep it and add names to the list, or update the collection"
        own.error("unknown-capability-set", current.where.child(API_BASELINE), message, hint)
    problems += own
    if own:
        return None
    before = _names(current, data, gated)
    after = _united(current, _names(target, data, gated) - before) if request.append else _united(target, ())
    kept: tuple[str, ...] = ()
    if request.keep_implicit:
        # Everything that is enabled, even if the spec requests it: kept names of an earlier run are in the spec.
        kept = _implicit_names(cluster, _names(after, data, gated), data, unknown, problems)
        after = _united(after, kept)
    newly = tuple(name for name in kept if name not in before)
    change = SpecChange(current, after, before, _names(after, data, gated), newly)
    _check_removal(change, request, data, unknown, problems)
    if request.selection is not None and not request.append:
        check_unintended_vcurrent(request.selection, change.added.difference(change.kept), problems)
    if change.changed:
        _check_rules(change, given, cluster, data, gated, problems)
    _check_exclusions(given, change, cluster, data, problems)
    _check_no_longer_current(change, given, problems)
    return change


def requested_names(cluster: ClusterVersion, data: MinorData) -> frozenset[str]:
    """Names that the spec of ``cluster`` requests, its set expanded. Listed names count even if they are unknown."""
    data = _data_as_reported(cluster, data)
    return _names(cluster.selection, data, _gated_names(cluster, data))


def merged_status(cluster: ClusterVersion | None, data: MinorData, recorded: frozenset[str]) -> CapabilityStatus:
    """Return the capability status of a cluster from its ClusterVersion and the enabled names ``recorded``."""
    enabled = recorded | (cluster.enabled if cluster else frozenset())
    known = ((cluster.known if cluster else None) or data.capabilities) | recorded
    return CapabilityStatus(known, enabled, enabled - (requested_names(cluster, data) if cluster else enabled))


def status_dict(status: CapabilityStatus) -> dict[str, list[str]]:
    """Convert a capability status to the form that modules return."""
    return {
        "enabled_capabilities": sorted(status.enabled),
        "known_capabilities": sorted(status.known),
        "implicitly_enabled_capabilities": sorted(status.implicitly_enabled),
    }


def _gated_names(cluster: ClusterVersion, data: MinorData) -> frozenset[str]:
    """Names of the minor whose feature gates are disabled in the cluster: no set requests them there.

    A name that a pending update adds is not among them: a set requests it already.
    """
    return frozenset(name for name in data.capabilities - cluster.known if gates_of_capability(name))


def _data_as_reported(cluster: ClusterVersion, data: MinorData) -> MinorData:
    """``data`` with the additional names that the cluster reports as known: ``vCurrent`` requests these, too."""
    # A name of a later version remains from that version, and does not belong to this one.
    more = frozenset(name for name in cluster.known if since_of(name) is None)
    if more <= data.capabilities:
        return data
    sets = {**data.sets, V_CURRENT: data.sets[V_CURRENT] | more}
    return data._replace(capabilities=data.capabilities | more, sets=sets)


def _unknown_names(cluster: ClusterVersion, data: MinorData) -> frozenset[str]:
    """Names of the minor that the cluster does not know: gated ones, and those that a pending update adds."""
    return data.capabilities - cluster.known - cluster.enabled if cluster.known else frozenset()


def _names(selection: Selection, data: MinorData, gated: frozenset[str]) -> frozenset[str]:
    return selection.requested(data) - gated | frozenset(selection.additional)


def _content(selection: Selection) -> tuple[str, frozenset[str]]:
    return selection.capability_set, frozenset(selection.additional)


def _united(selection: Selection, names: Iterable[str]) -> Selection:
    return selection.with_names(names)._replace(baseline=selection.capability_set)


def _check_names(
    given: Selection, current: Selection, data: MinorData, unknown: frozenset[str], problems: Problems
) -> None:
    """Check the requested names, except those that the spec already has."""
    listed = frozenset(current.additional)
    existing = {_location(given, index) for index in _indexes(given, listed)}
    if given.baseline == current.baseline:
        existing.add(given.where.child(given.baseline_field))
    own = Problems()
    check_selection(given, data, frozenset(), own)
    problems += [problem for problem in own if problem.where not in existing]
    for index in _indexes(given, unknown - listed):
        name = given.additional[index]
        gates = " or ".join(gates_of_capability(name))
        hint = f"Enable the feature gate {gates} first" if gates else "Wait until the cluster's update is finished"
        message = f"{name} is not known to the cluster"
        problems.error("unknown-capability", _location(given, index), message, hint)


def _indexes(given: Selection, names: frozenset[str]) -> list[int]:
    return [index for index, name in enumerate(given.additional) if name in names]


def _location(given: Selection, index: int) -> Location:
    return given.where.child(f"{given.additional_field}[{index}]")


def _implicit_names(
    cluster: ClusterVersion, requested: frozenset[str], data: MinorData, unknown: frozenset[str], problems: Problems
) -> tuple[str, ...]:
    """The implicitly enabled names. Warns about names of another version, because the API would reject them."""
    implicit = cluster.enabled - requested
    foreign = sorted(implicit - (data.capabilities - unknown))
    for name in foreign:
        message = f"{name} is enabled and not a capability of {data.minor}, so it cannot be requested"
        problems.warning("unknown-capability", "keep_implicit", message, "Do nothing: it stays enabled")
    return tuple(sorted(implicit.difference(foreign)))


def _check_removal(
    change: SpecChange, request: CapabilityRequest, data: MinorData, unknown: frozenset[str], problems: Problems
) -> None:
    given = request.selection
    if given is None:
        return
    capability_set = change.before.capability_set
    if change.removed:
        content = data.sets.get(capability_set, frozenset())
        origins = {name: f"from {capability_set}" if name in content else "listed" for name in change.removed}
        names = ", ".join(f"{name} ({origin})" for name, origin in origins.items())
        message = f"omits names that the cluster's spec requests: {names}. An enabled capability can never be disabled"
        hint = f"Add these names, or {'omit capabilities' if request.new_names else 'set enable to the names to add'}"
        where = given.where
        excluded = [name for name in change.removed if name in (given.excluded or ())]
        if excluded:
            where = given.where.child(given.excluded_field)
            hint = f"Remove {', '.join(excluded)} from {given.excluded_field}"
        if unknown.issuperset(change.removed):
            hint = "Wait until the cluster's update is finished: the cluster does not know these names yet"
        problems.error("removed-capability", where, message, hint)
    is_draft_exclude = given.additional_field == _DRAFT_FIELD and given.baseline == NONE
    if is_draft_exclude and capability_set == V_CURRENT:
        message = "changes Include to Exclude, which no longer requests what later releases add"
        where = given.where.child(given.baseline_field)
        problems.error("removed-default", where, message, "Write Include without exclude")


def check_unintended_vcurrent(given: Selection, added: Collection[str], problems: Problems) -> None:
    """Report that only an omitted set adds names, as with an empty list from a template. ``added``: the names."""
    if given.baseline is None and not given.excluded and added:
        message = f"is missing, which means {V_CURRENT} and would add {', '.join(sorted(added))}"
        hint = (
            f"Write {NONE} to request only the listed names, or {V_CURRENT} to request all; they stay enabled forever"
        )
        problems.error("missing-baseline", given.where.child(given.baseline_field), message, hint)


def _check_rules(
    change: SpecChange,
    given: Selection,
    cluster: ClusterVersion,
    data: MinorData,
    gated: frozenset[str],
    problems: Problems,
) -> None:
    """Report the rules of the API that the new spec violates. An enabled capability satisfies them, too."""
    # A cluster that knows a gated capability also has the rules behind its gates.
    gates = frozenset(gate for name in data.capabilities - gated for gate in gates_of_capability(name))
    install = InstallContext(data, STANDALONE[0], gates=gates, gated=gated)
    problems += [
        item.problem
        for item in rule_violations(change.after, install, given)
        if item.rule.layer == "ClusterVersion" and item.capability not in cluster.enabled
    ]


def _check_exclusions(
    given: Selection, change: SpecChange, cluster: ClusterVersion, data: MinorData, problems: Problems
) -> None:
    where = given.where.child(given.excluded_field)
    for name in sorted(cluster.enabled.intersection(given.excluded or ())):
        message = f"{name} is excluded but already enabled, so it stays enabled"
        problems.warning("ineffective-exclusion", where, message, "Remove it from the exclusions")
    if given.excluded is not None and change.added:
        names = ", ".join(sorted(change.added))
        message = f"requests everything else that {data.minor} knows, and so adds {names}"
        hint = "List the names that you need instead, so the selection stays the same"
        problems.warning("broad-exclusion", where, message, hint)


def _check_no_longer_current(change: SpecChange, given: Selection, problems: Problems) -> None:
    if change.before.capability_set == V_CURRENT and change.after.baseline != V_CURRENT:
        message = f"no longer requests what later releases add, as {V_CURRENT} does"
        problems.warning("pinned-selection", given.where, message, f"Keep {V_CURRENT} to follow every release")
