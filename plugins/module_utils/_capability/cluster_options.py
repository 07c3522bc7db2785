# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the decision depends on beside the release: from what the user said of a cluster to ``InclusionContext``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._data import capabilities as capability_data
from .._data.capabilities import MinorData
from .._problems import InvalidOptionError, Problem, Problems, did_you_mean, has_errors, raise_errors
from .._release.release import Release
from .._version import Minor
from .inclusion import CapabilityStatus, InclusionContext, Override
from .release_properties import gated_off, minor_data, profile_problems, release_gates, resolve_feature_set
from .selection import Selection, capability_status, check_selection, parse_selection

_NOTHING = CapabilityStatus(frozenset(), frozenset())
API_SPELLINGS = {
    "featureSet": "feature_set",
    "featureGates": "feature_gates",
    "enabledCapabilities": "enabled_capabilities",
    "knownCapabilities": "known_capabilities",
    "clusterVersion": "cluster_version",
}
"""The API's own spelling of options, for those who pass on what they read of a cluster."""

_OVERRIDE_FIELDS = ("kind", "group", "namespace", "name")


class ClusterOptions(NamedTuple):
    """What the user says of a cluster, unchecked. ``None`` means that nothing was said; an empty list says nothing is.

    ``capabilities`` is a selection as it was written; ``enabled_capabilities`` and ``known_capabilities`` are a
    cluster's status and stand in its place.
    """

    capabilities: object = None
    enabled_capabilities: Sequence[str] | None = None
    known_capabilities: Sequence[str] | None = None
    cluster_profile: str = capability_data.DEFAULT_CLUSTER_PROFILE
    feature_set: str = ""
    feature_gates: Sequence[str] | None = None
    exclude_identifier: str = ""
    overrides: Sequence[Any] | None = None
    always_enabled_capabilities: Sequence[str] | None = None


class InclusionCriteria(NamedTuple):
    """What was said of a cluster beside its capabilities, checked; hashable, so that equal clusters can be found.

    ``feature_set``: ``""`` is the default one. ``feature_gates`` and ``always_enabled`` are ``None`` where the release
    and its minor decide.
    """

    cluster_profile: str
    feature_set: str
    feature_gates: frozenset[str] | None
    exclude_identifier: str
    overrides: tuple[Override, ...]
    always_enabled: tuple[str, ...] | None


def check_options(
    options: ClusterOptions, minor: Minor | None, problems: Problems, of_overrides: str = "overrides"
) -> InclusionCriteria:
    """Return what ``options`` say beside capabilities; report what is not possible, in ``minor`` where one is given.

    ``of_overrides`` is where the overrides come from.
    """
    given = options.feature_gates
    always = options.always_enabled_capabilities
    return InclusionCriteria(
        options.cluster_profile,
        resolve_feature_set(options.feature_set, minor, problems),
        None if given is None else _given_gates(given, problems),
        options.exclude_identifier,
        tuple(_overrides(options.overrides or (), of_overrides, problems)),
        None if always is None else tuple(always),
    )


def inclusion_context(cluster: InclusionCriteria, release: Release, problems: Problems) -> InclusionContext:
    """Return the facts of decisions on ``release``, without a capability status; report what is odd about them.

    Gates that were not given are those of ``release`` itself.
    """
    gates = cluster.feature_gates
    if gates is None:
        gates, found = release_gates(release, cluster.feature_set, cluster.cluster_profile)
        problems += found
    if release.manifests:
        problems += profile_problems(cluster.cluster_profile, release)
    return InclusionContext(
        cluster_profile=cluster.cluster_profile,
        feature_set=cluster.feature_set,
        feature_gates=gates,
        exclude_identifier=cluster.exclude_identifier,
        major_version=release.minor.major if release.minor else None,
        overrides=cluster.overrides,
    )


def resolve_cluster(
    options: ClusterOptions, release: Release
) -> tuple[InclusionContext, CapabilityStatus, tuple[Problem, ...]]:
    """Check ``options`` and turn them into the facts of the decision, with the capability status they lead to.

    Gates, and the names of a minor that the registry does not know, are those of ``release`` itself.
    Raises ``InvalidOptionError`` with everything that is wrong.
    """
    problems = Problems()
    cluster = check_options(options, release.minor, problems)
    facts = inclusion_context(cluster, release, problems)
    status = _status(options, cluster, facts.feature_gates, release, problems)
    raise_errors(problems, InvalidOptionError)
    return facts._replace(capability_status=status), status, tuple(problems)


def _status(
    options: ClusterOptions,
    cluster: InclusionCriteria,
    gates: frozenset[str] | None,
    release: Release,
    problems: Problems,
) -> CapabilityStatus:
    """Return the capability status that was given, or what the selection comes to; nothing where that is an error."""
    selection, found = parse_selection(options.capabilities)
    problems += found
    if options.enabled_capabilities is not None or options.known_capabilities is not None:
        return _given_status(options, problems)
    minor = release.minor
    if minor is None:
        message = "is needed: which capabilities a selection turns on depends on the version"
        problems.append(Problem("error", "todo", "openshift_version", message, "Set it, nothing else tells it here"))
        return _NOTHING
    facts = minor_data(release, minor, cluster.feature_set, cluster.cluster_profile, problems)
    if facts is None:
        return _NOTHING
    hidden = gated_off(gates, cluster.feature_set)
    wrong = check_selection(selection, facts, hidden)
    problems += wrong
    check_always_enabled(cluster, (facts,), problems)
    if has_errors((*found, *wrong)):
        return _NOTHING
    ensure = always_enabled(cluster, facts)
    problems += ineffective_exclusions(selection, ensure)
    return capability_status(selection, facts, hidden, ensure)


def ineffective_exclusions(selection: Selection, ensure: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each name that was excluded and is on whatever is asked."""
    for name in sorted(set(selection.excluded or ()) & set(ensure)):
        message = f"{name} is excluded, and a cluster like this has it on whatever is asked"
        hint = "Leave it out of the exclusions, or set always_enabled_capabilities for a cluster that can do without"
        yield Problem("warning", "todo", f"{selection.where}.{selection.excluded_field}", message, hint)


def always_enabled(cluster: InclusionCriteria, facts: MinorData) -> frozenset[str]:
    """Return the names that are on in a minor whatever is asked: those that were said, else those that it implies.

    A name that the minor does not know is not among them.
    """
    said = cluster.always_enabled
    names = capability_data.always_enabled_by_default(facts.minor, cluster.cluster_profile) if said is None else said
    return facts.capabilities.intersection(names)


def check_always_enabled(cluster: InclusionCriteria, minors: Sequence[MinorData], problems: Problems) -> None:
    """Report names that were said to be always on and that none of ``minors`` knows."""
    known = frozenset[str]().union(*(facts.capabilities for facts in minors))
    of = " or ".join(str(facts.minor) for facts in minors)
    for name in cluster.always_enabled or ():
        if name not in known:
            message = f"{name!r} is not a capability of {of}; the CVO would not start"
            problems.append(Problem("error", "todo", "always_enabled_capabilities", message, did_you_mean(name, known)))


def _given_status(options: ClusterOptions, problems: Problems) -> CapabilityStatus:
    enabled, known = options.enabled_capabilities, options.known_capabilities
    if options.capabilities is not None:
        message = "is given beside a capability status (enabled_capabilities, known_capabilities)"
        problems.append(Problem("error", "todo", "capabilities", message, "Give the selection or the status"))
    if enabled is None or known is None:
        missing = "enabled_capabilities" if enabled is None else "known_capabilities"
        message = "is missing: a capability status is both lists, enabled_capabilities and known_capabilities"
        problems.append(
            Problem("error", "todo", missing, message, "Give both, as ClusterVersion.status.capabilities has them")
        )
        return _NOTHING
    for name in sorted(set(enabled) - set(known)):
        message = f"{name} is enabled and not known, so manifests that need it are left out"
        problems.append(Problem("warning", "todo", "enabled_capabilities", message, "Take both lists from one cluster"))
    return CapabilityStatus(frozenset(known), frozenset(enabled))


def _given_gates(given: Sequence[str], problems: Problems) -> frozenset[str]:
    said: dict[str, bool] = {}
    for index, entry in enumerate(given):
        name, equals, value = entry.partition("=")
        on = {"": True, "true": True, "false": False}.get(value.lower() if equals else "")
        where = f"feature_gates[{index}]"
        if on is None or not name or (equals and not value):
            problems.append(
                Problem(
                    "error", "todo", where, f"is {entry!r}, expected NAME or NAME=bool", "Write NAME=true or NAME=false"
                )
            )
        elif said.setdefault(name, on) != on:
            problems.append(Problem("error", "todo", where, f"{name} is said to be on and off", "Keep one of the two"))
    return frozenset(name for name, on in said.items() if on)


def _overrides(given: Sequence[Any], place: str, problems: Problems) -> Iterator[Override]:
    for index, entry in enumerate(given):
        where = f"{place}[{index}]"
        if not isinstance(entry, Mapping):
            problems.append(
                Problem("error", "todo", where, f"is {entry!r}, expected a dict", "Write it as ClusterVersion has it")
            )
            continue
        before = len(problems)
        fields = {field: entry.get(field) or "" for field in _OVERRIDE_FIELDS}
        problems += [
            Problem(
                "error", "todo", f"{where}.{field}", f"is {fields[field]!r}, expected a string", "Name the resource"
            )
            for field in _OVERRIDE_FIELDS
            if not isinstance(fields[field], str) or (field in ("kind", "name") and not fields[field])
        ]
        unknown = sorted(set(map(str, entry)) - {*_OVERRIDE_FIELDS, "unmanaged"})
        for field in unknown:
            hint = did_you_mean(field, (*_OVERRIDE_FIELDS, "unmanaged"))
            problems.append(Problem("error", "todo", f"{where}.{field}", "is not a field of an override", hint))
        unmanaged = entry.get("unmanaged")
        if not isinstance(unmanaged, bool):
            problems.append(
                Problem("error", "todo", f"{where}.unmanaged", f"is {unmanaged!r}, expected true or false", "Say which")
            )
        if len(problems) == before:
            yield Override(fields["kind"], fields["group"], fields["namespace"], fields["name"], unmanaged is True)
