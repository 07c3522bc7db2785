# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that describe a cluster: the table of them, and their checked form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._data.hosted_clusters import HOSTED_PROFILE
from .._data.inclusion_rules import inclusion_rules
from .._data.version import Minor
from .._problems import Problems, did_you_mean
from .._release.release import Release
from .._resources import ResourceId
from .hosted_cluster import deleted_files
from .inclusion import CapabilityStatus, InclusionContext, Override
from .release_properties import check_profile, read_release_gates, resolve_feature_set

Fragment = Literal["cluster_type", "hosting", "status", "inclusion", "overrides"]


class InclusionOption(NamedTuple):
    """An option that decides, besides the selection, which manifests are included.

    ``items``: type of the items of a list, empty if the option is a ``type`` instead.
    ``api_name``: accepted spelling of the API.
    ``default``: documented value of an absent option. ``fragment``: the part of the documentation that describes it.
    ``affects_names``: it affects which capabilities exist or are enabled. ``affects_loading``: it affects which
    manifests the CVO loads, whatever the capabilities are.
    """

    name: str
    fragment: Fragment
    items: Literal["", "str", "dict"] = ""
    api_name: str = ""
    default: str | None = None
    affects_names: bool = False
    affects_loading: bool = False
    type: Literal["str", "bool"] = "str"


INCLUSION_OPTIONS: tuple[InclusionOption, ...] = (
    InclusionOption(
        "cluster_profile", "cluster_type", "", "", DEFAULT_CLUSTER_PROFILE, affects_names=True, affects_loading=True
    ),
    InclusionOption("feature_set", "cluster_type", "", "featureSet", "", affects_names=True, affects_loading=True),
    InclusionOption("enabled_capabilities", "status", "str", "enabledCapabilities"),
    InclusionOption("known_capabilities", "status", "str", "knownCapabilities"),
    InclusionOption("feature_gates", "inclusion", "str", "featureGates", affects_names=True, affects_loading=True),
    InclusionOption("hosted_control_plane", "hosting", affects_names=True, affects_loading=True, type="bool"),
    InclusionOption("exclude_identifier", "inclusion", "", "", "", affects_loading=True),
    InclusionOption("always_enabled_capabilities", "inclusion", "str", affects_names=True),
    InclusionOption("overrides", "overrides", "dict"),
)
"""Modules, filters and the entries of a fleet take these options. Each is a field of ``ClusterOptions``."""

API_SPELLINGS = {
    **{option.api_name: option.name for option in INCLUSION_OPTIONS if option.api_name},
    "clusterVersion": "cluster_version",
}
"""The API's spelling of an option, mapped to the option."""

_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("0", "f", "F", "false", "False", "FALSE"), False),
}
"""Source: golang/go:src/strconv/atob.go ParseBool."""


class ClusterOptions(NamedTuple):
    """Options that describe a cluster, as given by the user. ``None`` means that an option is absent.

    ``capabilities`` is a selection as written. ``solution``, the name of one, or ``enabled_capabilities`` and
    ``known_capabilities``, the status of a cluster, replace it. A solution depends on the ``platform``, if it is known.
    """

    capabilities: object = None
    solution: str | None = None
    platform: str | None = None
    enabled_capabilities: Sequence[str] | None = None
    known_capabilities: Sequence[str] | None = None
    cluster_profile: str | None = None
    feature_set: str | None = None
    feature_gates: Sequence[str] | None = None
    exclude_identifier: str | None = None
    overrides: Sequence[Any] | None = None
    always_enabled_capabilities: Sequence[str] | None = None
    hosted_control_plane: bool | None = None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ClusterOptions:
        """The options of a module or filter. Absent ones may be missing from ``params``."""
        return cls(**{name: params[name] for name in cls._fields if name in params})

    @property
    def profile(self) -> str:
        """The cluster profile, the default one included."""
        return self.cluster_profile or DEFAULT_CLUSTER_PROFILE

    @property
    def hosted(self) -> bool:
        """Whether HyperShift hosts the control plane. By default, the profile decides, which only HyperShift uses."""
        return self.profile == HOSTED_PROFILE if self.hosted_control_plane is None else self.hosted_control_plane

    @property
    def gives_status(self) -> bool:
        """Whether a capability status is given, complete or not."""
        return self.enabled_capabilities is not None or self.known_capabilities is not None


class InclusionCriteria(NamedTuple):
    """The checked options apart from the selection. Hashable, because clusters with equal criteria share a plan.

    ``filters``: the context of decisions, without what each release adds to it: its feature gates if they are ``None``
    here, its major version, the files that HyperShift deletes from it, and the rules of its CVO. ``always_enabled`` is
    ``None`` if the minor decides. ``hosted``: HyperShift prepares the release for the CVO, and writes the
    ClusterVersion. ``reported_gates``: the enabled gates that the cluster reports, as pairs of a version and their
    names. A release of this version enables these gates instead of the ones in its manifest. ``platform``: of a hosted
    cluster, in lower case, if known.
    """

    filters: InclusionContext
    always_enabled: tuple[str, ...] | None = None
    hosted: bool = False
    reported_gates: tuple[tuple[str, frozenset[str]], ...] = ()
    platform: str | None = None

    def without_overrides(self) -> InclusionCriteria:
        """The same criteria for a cluster that has no overrides."""
        return self._replace(filters=self.filters._replace(overrides=()))


def check_options(
    options: ClusterOptions, minor: Minor | None, problems: Problems, *, overrides_at: str = "overrides"
) -> InclusionCriteria:
    """Check ``options`` apart from the selection, for ``minor`` if it is given.

    ``overrides_at`` is the location of the overrides.
    """
    if options.hosted and options.profile != HOSTED_PROFILE:
        message = f"is true, but the cluster profile is {options.profile}"
        hint = f"Set cluster_profile to {HOSTED_PROFILE}, or remove hosted_control_plane"
        problems.error("conflicting-options", "hosted_control_plane", message, hint)
    gates, always = options.feature_gates, options.always_enabled_capabilities
    filters = InclusionContext(
        cluster_profile=options.profile,
        feature_set=resolve_feature_set(options.feature_set or "", minor, problems),
        feature_gates=None if gates is None else _parse_gates(gates, problems),
        exclude_identifier=options.exclude_identifier or "",
        overrides=tuple(_parse_overrides(options.overrides or (), overrides_at, problems)),
    )
    always_enabled = None if always is None else tuple(always)
    return InclusionCriteria(filters, always_enabled, options.hosted, platform=options.platform)


def inclusion_context(criteria: InclusionCriteria, release: Release, problems: Problems) -> InclusionContext:
    """The context of decisions on ``release`` by the rules of its CVO, without a capability status.

    The newest rules decide about a release whose minor is not known. Feature gates that the user did not set are the
    ones that the cluster reports for the version of ``release``, or else the ones that ``release`` itself enables.
    """
    context = criteria.filters._replace(rules=inclusion_rules(release.minor))
    gates = context.feature_gates
    if gates is None and release.minor is not None and context.rules.reads_gates:
        gates = dict(criteria.reported_gates).get(release.shown_version)
    if gates is None:
        gates = read_release_gates(release, context, problems)
    if release.manifests:
        check_profile(context.cluster_profile or "", release, problems)
    return context._replace(
        feature_gates=gates,
        major_version=release.minor.major if release.minor else None,
        deleted_files=deleted_files(release, criteria.platform, problems) if criteria.hosted else frozenset(),
    )


def read_capability_status(options: ClusterOptions, problems: Problems) -> CapabilityStatus:
    """The capability status in ``options``. If one of its lists is missing, reports that, and returns an empty one."""
    enabled, known = options.enabled_capabilities, options.known_capabilities
    for option in ("capabilities", "solution"):
        if getattr(options, option) is not None:
            message = "cannot be combined with enabled_capabilities and known_capabilities"
            problems.error("conflicting-options", option, message, "Set either the selection or the status")
    if enabled is None or known is None:
        missing = "enabled_capabilities" if enabled is None else "known_capabilities"
        message = "is missing, expected both enabled_capabilities and known_capabilities"
        hint = "Set both, as in ClusterVersion.status.capabilities"
        problems.error("missing-option", missing, message, hint)
        return CapabilityStatus(frozenset(), frozenset())
    for name in sorted(set(enabled) - set(known)):
        message = f"{name} is enabled but not known, so manifests that need it are excluded"
        problems.warning("unknown-capability", "enabled_capabilities", message, "Take both lists from the same cluster")
    return CapabilityStatus(frozenset(known), frozenset(enabled))


def parse_gate(entry: str) -> tuple[str, bool | None]:
    """The name in ``NAME`` or ``NAME=bool``, and whether the gate is enabled; ``None`` if that is not valid."""
    name, equals, value = entry.partition("=")
    return name, (_BOOLEANS.get(value) if equals else True) if name else None


def _parse_gates(given: Sequence[str], problems: Problems) -> frozenset[str]:
    states: dict[str, bool] = {}
    for index, entry in enumerate(given):
        name, enabled = parse_gate(entry)
        where = f"feature_gates[{index}]"
        if enabled is None:
            message = f"is {entry!r}, expected NAME or NAME=bool"
            problems.error("invalid-feature-gate", where, message, "Write NAME=true or NAME=false")
        elif states.setdefault(name, enabled) != enabled:
            message = f"{name} is both enabled and disabled"
            problems.error("conflicting-feature-gate", where, message, "Keep one of the two")
    return frozenset(name for name, enabled in states.items() if enabled)


def _parse_overrides(given: Sequence[Any], location: str, problems: Problems) -> Iterator[Override]:
    for index, entry in enumerate(given):
        where = f"{location}[{index}]"
        if not isinstance(entry, Mapping):
            message = f"is {entry!r}, expected a dict"
            problems.error("not-a-map", where, message, "Write it as in ClusterVersion.spec.overrides")
            continue
        wrong = Problems()
        override = _parse_override(entry, where, wrong)
        problems += wrong
        if not wrong:
            yield override


def _parse_override(entry: Mapping[Any, Any], where: str, problems: Problems) -> Override:
    resource = read_id(entry, where, "an override", problems, "unmanaged")
    unmanaged = entry.get("unmanaged")
    if not isinstance(unmanaged, bool):
        message = f"is {unmanaged!r}, expected true or false"
        problems.error("not-a-boolean", f"{where}.unmanaged", message, "Set it to true or false")
    return Override(resource.kind, resource.group, resource.namespace, resource.name, unmanaged is True)


def read_id(entry: Mapping[Any, Any], where: str, noun: str, problems: Problems, *others: str) -> ResourceId:
    """The resource that ``entry``, which is ``noun``, names. It can also have the fields ``others``."""
    resource = ResourceId(*(entry.get(field) or "" for field in ResourceId._fields))
    for field, value in resource._asdict().items():
        if not isinstance(value, str) or (field in ("kind", "name") and not value):
            message = f"is {value!r}, expected a string"
            problems.error("not-a-string", f"{where}.{field}", message, "Name the resource")
    known = (*ResourceId._fields, *others)
    for field in sorted(set(map(str, entry)).difference(known)):
        problems.error("unknown-field", f"{where}.{field}", f"is not a field of {noun}", did_you_mean(field, known))
    return resource
