# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the decision depends on beside the release: from what the user said of a cluster to ``InclusionFacts``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import registry
from .errors import FactsError, Problem, raise_errors
from .inclusion import InclusionFacts, Override
from .names import did_you_mean
from .registry import MinorFacts
from .release import Release
from .release_facts import hidden_capabilities, minor_facts, profile_problems, release_gates, resolve_feature_set
from .selection import CapabilityStatus, capability_status, check_selection, parse_selection

_NOTHING = CapabilityStatus(frozenset(), frozenset())
_OVERRIDE_FIELDS = ("kind", "group", "namespace", "name")


class ClusterOptions(NamedTuple):
    """What the user says of a cluster, unchecked. ``None`` means that nothing was said; an empty list says nothing is.

    ``capabilities`` is a selection as it was written; ``enabled_capabilities`` and ``known_capabilities`` are a
    cluster's status and stand in its place.
    """

    capabilities: object = None
    enabled_capabilities: Sequence[str] | None = None
    known_capabilities: Sequence[str] | None = None
    cluster_profile: str = registry.DEFAULT_CLUSTER_PROFILE
    feature_set: str = ""
    feature_gates: Sequence[str] | None = None
    exclude_identifier: str = ""
    overrides: Sequence[Any] = ()
    always_enabled_capabilities: Sequence[str] | None = None


def resolve_cluster(
    options: ClusterOptions, release: Release
) -> tuple[InclusionFacts, CapabilityStatus, tuple[Problem, ...]]:
    """Check ``options`` and turn them into the facts of the decision, with the capability status they lead to.

    Gates, and the names of a minor that the registry does not know, are those of ``release`` itself.
    Raises ``FactsError`` with everything that is wrong.
    """
    problems: list[Problem] = []
    minor = release.minor
    feature_set = resolve_feature_set(options.feature_set, minor, problems)
    if options.feature_gates is not None:
        gates: frozenset[str] | None = _given_gates(options.feature_gates, problems)
    else:
        gates, found = release_gates(release, feature_set, options.cluster_profile)
        problems += found
    overrides = tuple(_overrides(options.overrides, problems))
    if release.manifests:
        problems += profile_problems(options.cluster_profile, release)
    status = _status(options, feature_set, gates, release, problems)
    raise_errors(problems, FactsError)
    facts = InclusionFacts(
        cluster_profile=options.cluster_profile,
        feature_set=feature_set,
        feature_gates=gates,
        exclude_identifier=options.exclude_identifier,
        major_version=minor.major if minor else None,
        capability_status=status,
        overrides=overrides,
    )
    return facts, status, tuple(problems)


def _status(
    options: ClusterOptions,
    feature_set: str,
    gates: frozenset[str] | None,
    release: Release,
    problems: list[Problem],
) -> CapabilityStatus:
    """Return the capability status that was given, or what the selection comes to; nothing where that is an error."""
    selection, found = parse_selection(options.capabilities)
    problems += found
    if options.enabled_capabilities is not None or options.known_capabilities is not None:
        return _given_status(options, problems)
    minor = release.minor
    if minor is None:
        message = "is needed: which capabilities a selection turns on depends on the version"
        problems.append(Problem("error", "openshift_version", message, "Set it, nothing else tells it here"))
        return _NOTHING
    facts = minor_facts(release, minor, feature_set, options.cluster_profile, problems)
    if facts is None:
        return _NOTHING
    hidden = hidden_capabilities(gates, feature_set)
    wrong = check_selection(selection, facts, hidden)
    problems += wrong
    ensure = _ensured(options, facts, problems)
    if any(problem.severity == "error" for problem in (*found, *wrong)):
        return _NOTHING
    for name in sorted(set(selection.excluded or ()) & set(ensure)):
        message = f"{name} is excluded, and a cluster like this has it on whatever is asked"
        mend = "Leave it out of the exclusions, or set always_enabled_capabilities for a cluster that can do without"
        problems.append(Problem("warning", f"{selection.where}.{selection.excluded_field}", message, mend))
    return capability_status(selection, facts, hidden, ensure)


def _given_status(options: ClusterOptions, problems: list[Problem]) -> CapabilityStatus:
    enabled, known = options.enabled_capabilities, options.known_capabilities
    if options.capabilities is not None:
        message = "is given beside a capability status (enabled_capabilities, known_capabilities)"
        problems.append(Problem("error", "capabilities", message, "Give the selection or the status"))
    if enabled is None or known is None:
        missing = "enabled_capabilities" if enabled is None else "known_capabilities"
        message = "is missing: a capability status is both lists, enabled_capabilities and known_capabilities"
        problems.append(Problem("error", missing, message, "Give both, as ClusterVersion.status.capabilities has them"))
        return _NOTHING
    for name in sorted(set(enabled) - set(known)):
        message = f"{name} is enabled and not known, so manifests that need it are left out"
        problems.append(Problem("warning", "enabled_capabilities", message, "Take both lists from one cluster"))
    return CapabilityStatus(frozenset(known), frozenset(enabled))


def _ensured(options: ClusterOptions, facts: MinorFacts, problems: list[Problem]) -> tuple[str, ...]:
    """Return the names that are on whatever is asked: those that were said, else those that the minor implies."""
    if options.always_enabled_capabilities is None:
        usual = registry.always_enabled(facts.minor, options.cluster_profile)
        return tuple(name for name in usual if name in facts.capabilities)
    for name in options.always_enabled_capabilities:
        if name not in facts.capabilities:
            message = f"{name!r} is not a capability of {facts.minor}; the CVO would not start"
            mend = did_you_mean(name, facts.capabilities)
            problems.append(Problem("error", "always_enabled_capabilities", message, mend))
    return tuple(options.always_enabled_capabilities)


def _given_gates(given: Sequence[str], problems: list[Problem]) -> frozenset[str]:
    said: dict[str, bool] = {}
    for index, entry in enumerate(given):
        name, equals, value = entry.partition("=")
        on = {"": True, "true": True, "false": False}.get(value.lower() if equals else "")
        where = f"feature_gates[{index}]"
        if on is None or not name or (equals and not value):
            problems.append(
                Problem("error", where, f"is {entry!r}, expected NAME or NAME=bool", "Write NAME=true or NAME=false")
            )
        elif said.setdefault(name, on) != on:
            problems.append(Problem("error", where, f"{name} is said to be on and off", "Keep one of the two"))
    return frozenset(name for name, on in said.items() if on)


def _overrides(given: Sequence[Any], problems: list[Problem]) -> Iterator[Override]:
    for index, entry in enumerate(given):
        where = f"overrides[{index}]"
        if not isinstance(entry, Mapping):
            problems.append(
                Problem("error", where, f"is {entry!r}, expected a dict", "Write it as ClusterVersion has it")
            )
            continue
        fields = {field: entry.get(field) or "" for field in _OVERRIDE_FIELDS}
        problems += [
            Problem("error", f"{where}.{field}", f"is {fields[field]!r}, expected a string", "Name the resource")
            for field in _OVERRIDE_FIELDS
            if not isinstance(fields[field], str) or (field in ("kind", "name") and not fields[field])
        ]
        unknown = sorted(set(map(str, entry)) - {*_OVERRIDE_FIELDS, "unmanaged"})
        for field in unknown:
            mend = did_you_mean(field, (*_OVERRIDE_FIELDS, "unmanaged"))
            problems.append(Problem("error", f"{where}.{field}", "is not a field of an override", mend))
        unmanaged = entry.get("unmanaged")
        if not isinstance(unmanaged, bool):
            problems.append(
                Problem("error", f"{where}.unmanaged", f"is {unmanaged!r}, expected true or false", "Say which")
            )
        yield Override(fields["kind"], fields["group"], fields["namespace"], fields["name"], unmanaged is True)
