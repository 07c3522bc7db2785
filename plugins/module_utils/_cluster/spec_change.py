# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a wish makes of the capabilities in the spec of a ClusterVersion: names come, and none ever goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._capability.rules import InstallContext, violations
from .._capability.selection import Selection, check_selection, parse_selection, requested, translate
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, NONE, V_CURRENT, MinorData, gates_of, since_of
from .._data.install_rules import STANDALONE
from .._problems import Problem
from .cluster_version import ClusterVersion

_BASELINES = ("baseline_capability_set", API_BASELINE)
_DRAFT_FIELD = "include"
_DRAFT_DEFAULTS = ("inclusion_default", "inclusionDefault")


class CapabilityRequest(NamedTuple):
    """What is asked for. ``selection``: ``None`` for nothing beside what the spec requests.

    ``append``: the names of ``selection`` come to those that the spec requests. ``adopt_implicit``: so do the names
    that are on without being requested.
    """

    selection: Selection | None
    append: bool = False
    adopt_implicit: bool = False


class SpecChange(NamedTuple):
    """The capabilities of a spec before and after, each as a baseline set and a sorted list.

    ``removed`` are names that the one requests and the other does not; a change with any must not be sent.
    ``adopted`` are names that were on implicitly and are requested now.
    """

    before: Selection
    after: Selection
    requested_before: frozenset[str]
    requested_after: frozenset[str]
    adopted: tuple[str, ...]

    @property
    def removed(self) -> tuple[str, ...]:
        """Names that would be taken back, sorted."""
        return tuple(sorted(self.requested_before - self.requested_after))

    @property
    def added(self) -> frozenset[str]:
        """Names that come."""
        return self.requested_after - self.requested_before

    @property
    def changed(self) -> bool:
        """Whether the spec has to be written: order and repetitions in a list, and an unsaid default, say the same."""
        return _content(self.before) != _content(self.after)

    @property
    def body(self) -> dict[str, Any]:
        """The block ``spec.capabilities`` to send: the set always goes with the list, the CRD's rules need both."""
        return capabilities_block(self.after)


def capabilities_block(selection: Selection) -> dict[str, Any]:
    """Return the block ``spec.capabilities`` that says ``selection``."""
    return {API_BASELINE: _set_of(selection), API_ADDITIONAL: list(selection.additional)}


def parse_request(
    options: object, append: bool, adopt_implicit: bool, where: str = "capabilities"
) -> tuple[CapabilityRequest, tuple[Problem, ...]]:
    """Read what a user wrote. With ``append`` a list of names is enough, because the set is that of the spec."""
    if options is None:
        problems = []
        if append or not adopt_implicit:
            hint = "Say which names to add" if append else "Say which capabilities are asked for"
            problems.append(Problem("error", "todo", where, "is missing", hint))
        return CapabilityRequest(None, append, adopt_implicit), tuple(problems)
    if append and isinstance(options, Mapping):
        options = _with_nothing_else(options)
    selection, found = parse_selection(options, where)
    if append and selection.excluded is not None:
        message = "is given beside append, which only adds"
        problem = Problem("error", "todo", f"{where}.{selection.excluded_field}", message, "List the names to add")
        found = (*(item for item in found if item.severity == "error"), problem)
    return CapabilityRequest(selection, append, adopt_implicit), found


def spec_change(
    cluster: ClusterVersion, wish: CapabilityRequest, facts: MinorData
) -> tuple[SpecChange | None, tuple[Problem, ...]]:
    """Return what ``wish`` makes of the spec of ``cluster``, which knows ``facts``; ``None`` where it cannot be told.

    A removal is an error among the problems: a name that the effective spec requests now (sets are expanded) and the
    wish lacks. Names that are on only implicitly are none of it.
    Source: openshift/enhancements:enhancements/installer/component-selection.md, "Capabilities Continue to be Enabled".
    """
    facts = _data_as_reported(cluster, facts)
    hidden, unknown = _hidden_names(cluster, facts), _unknown_names(cluster, facts)
    current = cluster.selection
    asked = wish.selection or current
    problems = [] if wish.selection is None else list(_wrong_names(asked, current, facts, unknown))
    target = current if wish.selection is None else translate(asked, facts, hidden | unknown)
    known_set = current.baseline is None or current.baseline in facts.sets
    if not known_set and not wish.append and target.baseline != current.baseline:
        message = f"is {current.baseline}, and what that holds in {facts.minor} is not known here"
        hint = "Keep it and add names to the list, or update the collection"
        problems.append(Problem("error", "todo", f"{current.where}.{API_BASELINE}", message, hint))
    if problems:
        return None, tuple(problems)
    before = _names(current, facts, hidden)
    after = _united(current, _names(target, facts, hidden) - before) if wish.append else _united(target, ())
    adopted: tuple[str, ...] = ()
    if wish.adopt_implicit:
        # All that is on, not what the spec lacks: what was adopted before is requested, and not in the wish.
        adopted, left = _adoptable(cluster, _names(after, facts, hidden), facts, unknown)
        after = _united(after, adopted)
        problems += left
    newly = tuple(name for name in adopted if name not in before)
    change = SpecChange(current, after, before, _names(after, facts, hidden), newly)
    problems += _removal(change, wish, facts, unknown)
    problems += _unintended_vcurrent(change, wish)
    if change.changed:
        problems += _broken_rules(change, asked, cluster, facts, hidden)
    problems += _exclusions(asked, change, cluster, facts)
    problems += _no_longer_current(change, asked)
    return change, tuple(problems)


def requested_names(cluster: ClusterVersion, facts: MinorData) -> frozenset[str]:
    """Names that the spec of ``cluster`` requests, its set expanded; those of its list whatever the cluster knows."""
    facts = _data_as_reported(cluster, facts)
    return _names(cluster.selection, facts, _hidden_names(cluster, facts))


def merged_status(told: ClusterVersion | None, facts: MinorData, also: frozenset[str]) -> CapabilityStatus:
    """Return what a cluster has by its ClusterVersion and by what else remembers it; what is on is known as well."""
    enabled = also | (told.enabled if told else frozenset())
    known = ((told.known if told else None) or facts.capabilities) | also
    return CapabilityStatus(known, enabled, enabled - (requested_names(told, facts) if told else enabled))


def implicitly_enabled(cluster: ClusterVersion, requested_by_spec: frozenset[str]) -> frozenset[str]:
    """Names that are on without being requested."""
    return cluster.enabled - requested_by_spec


def _hidden_names(cluster: ClusterVersion, facts: MinorData) -> frozenset[str]:
    """Names of the minor whose feature gates are off in the cluster: no set asks for them there.

    A name that an update is about to bring is none of these: a set asks for it already.
    """
    return frozenset(name for name in facts.capabilities - cluster.known if gates_of(name))


def _data_as_reported(cluster: ClusterVersion, facts: MinorData) -> MinorData:
    """Return ``facts`` with the names that the cluster says to know beyond them: ``vCurrent`` asks for these, too."""
    # What a later version has is left from that version, and no name of this one.
    told = frozenset(name for name in cluster.known if since_of(name) is None)
    if told <= facts.capabilities:
        return facts
    sets = {**facts.sets, V_CURRENT: facts.sets[V_CURRENT] | told}
    return facts._replace(capabilities=facts.capabilities | told, sets=sets)


def _unknown_names(cluster: ClusterVersion, facts: MinorData) -> frozenset[str]:
    """Names of the minor that the cluster does not say to know: hidden ones, and those that an update brings."""
    return facts.capabilities - cluster.known - cluster.enabled if cluster.known else frozenset()


def _names(selection: Selection, facts: MinorData, hidden: frozenset[str]) -> frozenset[str]:
    return requested(selection, facts) - hidden | frozenset(selection.additional)


def _set_of(selection: Selection) -> str:
    return selection.baseline or V_CURRENT


def _content(selection: Selection) -> tuple[str, frozenset[str]]:
    return _set_of(selection), frozenset(selection.additional)


def _united(selection: Selection, names: Iterable[str]) -> Selection:
    additional = tuple(sorted({*selection.additional, *names}))
    return selection._replace(baseline=_set_of(selection), additional=additional)


def _with_nothing_else(options: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return what was written to be added; where it does not say more, it is the list of names alone."""
    said = {field: value for field, value in options.items() if value not in (None, "")}
    if any(field in said for field in (*_BASELINES, *_DRAFT_DEFAULTS)):
        return said
    if _DRAFT_FIELD in said:
        return {_DRAFT_DEFAULTS[0]: "Exclude", **said}
    return {_BASELINES[0]: NONE, **said}


def _wrong_names(asked: Selection, current: Selection, facts: MinorData, unknown: frozenset[str]) -> Iterator[Problem]:
    """Yield what is wrong with the names that are asked for, but for those that the spec has already."""
    listed = frozenset(current.additional)
    there = {f"{asked.where}.{asked.additional_field}[{index}]" for index in _locations(asked, listed)}
    if asked.baseline == current.baseline:
        there.add(f"{asked.where}.{asked.baseline_field}")
    yield from (problem for problem in check_selection(asked, facts) if problem.where not in there)
    for index in _locations(asked, unknown - listed):
        name = asked.additional[index]
        gates = " or ".join(gates_of(name))
        hint = f"It needs the feature gate {gates}" if gates else "Wait until the cluster's update is finished"
        message = f"{name} is not among the capabilities that the cluster says to know"
        yield Problem("error", "todo", f"{asked.where}.{asked.additional_field}[{index}]", message, hint)


def _locations(asked: Selection, names: frozenset[str]) -> list[int]:
    return [index for index, name in enumerate(asked.additional) if name in names]


def _adoptable(
    cluster: ClusterVersion, asked_for: frozenset[str], facts: MinorData, unknown: frozenset[str]
) -> tuple[tuple[str, ...], list[Problem]]:
    """Return what is on beside ``asked_for``, and a warning for names of another version: the API would refuse them."""
    implicit = implicitly_enabled(cluster, asked_for)
    strange = sorted(implicit - (facts.capabilities - unknown))
    problems = [
        Problem(
            "warning",
            "todo",
            "adopt_implicit",
            f"{name} is on and not a capability of {facts.minor}, so it cannot be requested",
            "It stays on",
        )
        for name in strange
    ]
    return tuple(sorted(implicit.difference(strange))), problems


def _removal(
    change: SpecChange, wish: CapabilityRequest, facts: MinorData, unknown: frozenset[str]
) -> Iterator[Problem]:
    asked = wish.selection
    if change.removed and asked is not None:
        content = facts.sets.get(_set_of(change.before), frozenset())
        names = ", ".join(
            f"{name} ({'from ' + _set_of(change.before) if name in content else 'listed'})" for name in change.removed
        )
        message = f"lacks what the cluster's spec requests: {names}. What is on can never be turned off"
        hint = "Ask for these as well, or add to what is requested with append of cluster_capabilities"
        where = asked.where
        excluded = [name for name in change.removed if name in (asked.excluded or ())]
        if excluded:
            where = f"{asked.where}.{asked.excluded_field}"
            hint = f"Take {', '.join(excluded)} out of {asked.excluded_field}"
        if unknown.issuperset(change.removed):
            hint = "The cluster does not know these yet: wait until its update is finished"
        yield Problem("error", "todo", where, message, hint)
    follows = _set_of(change.before) == V_CURRENT
    is_draft_exclude = asked is not None and asked.additional_field == _DRAFT_FIELD and asked.baseline == NONE
    if asked is not None and is_draft_exclude and follows and not wish.append:
        message = "goes from Include to Exclude, which takes back what later releases add"
        yield Problem("error", "todo", f"{asked.where}.inclusion_default", message, "Write Include without exclude")


def _unintended_vcurrent(change: SpecChange, wish: CapabilityRequest) -> Iterator[Problem]:
    """Yield an error where nothing but an unsaid set asks for more, as an empty list from a template does."""
    asked = wish.selection
    if asked is None or wish.append or asked.baseline is not None or asked.excluded:
        return
    added = change.added.difference(change.adopted)
    if added:
        message = f"is not said, which stands for {V_CURRENT} and would add {', '.join(sorted(added))}"
        hint = f"Write {NONE} for the listed names alone, or {V_CURRENT} if all are meant; they stay on for good"
        yield Problem("error", "todo", f"{asked.where}.{asked.baseline_field}", message, hint)


def _broken_rules(
    change: SpecChange, asked: Selection, cluster: ClusterVersion, facts: MinorData, hidden: frozenset[str]
) -> Iterator[Problem]:
    """Yield the rules of the API that the new spec breaks; a capability that is on already satisfies them, too."""
    # A cluster that knows a capability behind gates has the rules behind these gates, too.
    gates = frozenset(gate for name in facts.capabilities - hidden for gate in gates_of(name))
    install = InstallContext(facts, STANDALONE[0], gates=gates, hidden=hidden)
    for item in violations(change.after, install, asked):
        if item.rule.layer == "ClusterVersion" and item.capability not in cluster.enabled:
            yield item.problem


def _exclusions(asked: Selection, change: SpecChange, cluster: ClusterVersion, facts: MinorData) -> Iterator[Problem]:
    where = f"{asked.where}.{asked.excluded_field}"
    for name in sorted(cluster.enabled.intersection(asked.excluded or ())):
        message = f"{name} is excluded, and on already, so it stays on"
        yield Problem("warning", "todo", where, message, "Leave it out of the exclusions")
    if asked.excluded is not None and change.added:
        names = ", ".join(sorted(change.added))
        message = f"stands for everything else that {facts.minor} knows, and so adds {names}"
        yield Problem("warning", "todo", where, message, "List the names that are wanted, so that they stay the same")


def _no_longer_current(change: SpecChange, asked: Selection) -> Iterator[Problem]:
    if _set_of(change.before) == V_CURRENT and change.after.baseline != V_CURRENT:
        message = f"asks no longer for what later releases add, as {V_CURRENT} does"
        yield Problem("warning", "todo", asked.where, message, f"Keep {V_CURRENT} to follow every release")
