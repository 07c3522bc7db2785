# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decides whether a manifest is included, with every reason against it.

Source of the filters, their order and their messages: openshift/library-go:pkg/manifest/manifest.go
IncludeAllowUnknownCapabilities. Older CVOs read fewer annotations: ``_data/inclusion_rules.py`` has the rules of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .._data.feature_sets import DEFAULT_FEATURE_SET
from .._data.inclusion_rules import (
    EXCLUDE_ANNOTATION,
    FEATURE_GATE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    MAJOR_VERSION_ANNOTATION,
    NEWEST_RULES,
    PROFILE_ANNOTATION,
    InclusionRules,
)
from .._release.manifest import Manifest
from .._resources import ResourceId

_GO_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What Go's strings.TrimSpace trims. Python's str.strip trims other characters."""

_MAX_UINT64 = 2**64 - 1
_MAX_DIGITS = len(str(_MAX_UINT64))
_MAJOR_VERSION_KINDS = {
    ("config.openshift.io", "FeatureGate"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
}
_NO_ANNOTATIONS: Mapping[str, str] = {}
_TECH_PREVIEW = "TechPreviewNoUpgrade"


class CapabilityStatus(NamedTuple):
    """Capabilities that a cluster knows and has enabled. ``implicitly_enabled`` is a subset of ``enabled``."""

    known: frozenset[str]
    enabled: frozenset[str]
    implicitly_enabled: frozenset[str] = frozenset()


class Override(NamedTuple):
    """An entry of ``ClusterVersion.spec.overrides``."""

    kind: str
    group: str
    namespace: str
    name: str
    unmanaged: bool


class InclusionContext(NamedTuple):
    """What a decision depends on besides the manifest. ``None`` disables a filter, an empty value does not.

    ``feature_set``: ``""`` is the default one. ``feature_gates``: the enabled ones. ``major_version``: of the
    release. ``deleted_files``: those that HyperShift deletes before the CVO reads the release.
    ``rules``: of the CVO that decides. A filter that its CVO does not have is disabled, whatever the value is.
    """

    cluster_profile: str | None = None
    feature_set: str | None = None
    feature_gates: frozenset[str] | None = None
    exclude_identifier: str | None = None
    major_version: int | None = None
    capability_status: CapabilityStatus | None = None
    overrides: tuple[Override, ...] = ()
    deleted_files: frozenset[str] = frozenset()
    rules: InclusionRules = NEWEST_RULES


class Reason(NamedTuple):
    """Why a manifest is excluded: the filter (``rule``) and its message."""

    rule: str
    message: str


class Inclusion(NamedTuple):
    """The decision on one manifest. It is included if there is no reason against it."""

    manifest: Manifest
    reasons: tuple[Reason, ...]

    @property
    def included(self) -> bool:
        """Whether the CVO applies the manifest."""
        return not self.reasons


def decide(manifest: Manifest, context: InclusionContext) -> Inclusion:
    """Decide on one manifest. Reasons are in the order of the filters, so the first one is the CVO's."""
    return Inclusion(manifest, tuple(_reasons(manifest, context)))


def decide_all(manifests: Iterable[Manifest], context: InclusionContext) -> tuple[Inclusion, ...]:
    """Decide on each of ``manifests``, in their order."""
    return tuple(decide(manifest, context) for manifest in manifests)


def included_manifests(manifests: Iterable[Manifest], context: InclusionContext) -> tuple[Manifest, ...]:
    """The included ones of ``manifests``, in their order."""
    # Not with ``decide``: a rollout calls this several times, and one reason is enough.
    return tuple(manifest for manifest in manifests if next(_reasons(manifest, context), None) is None)


def loaded_manifests(manifests: Iterable[Manifest], context: InclusionContext) -> tuple[Manifest, ...]:
    """The ``manifests`` that the CVO of ``context`` loads, whatever the capabilities of the cluster.

    Source: openshift/cluster-version-operator:pkg/payload/payload.go LoadUpdate
    """
    return included_manifests(manifests, context._replace(capability_status=None))


def depends_on_feature_set(manifest: Manifest, rules: InclusionRules) -> bool:
    """Whether a CVO with ``rules`` needs the feature set of the cluster to decide on ``manifest``."""
    annotations = manifest.annotations or _NO_ANNOTATIONS
    if rules.feature_gate == "tech_preview" and FEATURE_GATE_ANNOTATION in annotations:
        return True
    return bool(rules.feature_sets) and FEATURE_SET_ANNOTATION in annotations


def _reasons(manifest: Manifest, context: InclusionContext) -> Iterator[Reason]:
    if manifest.file in context.deleted_files:
        yield Reason("hosted_control_plane", "HyperShift deletes this file before the CVO reads the release")
    annotations = manifest.annotations
    if annotations is None:
        yield Reason("annotations", "no annotations")
        annotations = _NO_ANNOTATIONS
    if context.exclude_identifier is not None:
        yield from _exclude_identifier(annotations, context.exclude_identifier)
    if context.feature_set is not None:
        yield from _feature_set_reasons(annotations, context.feature_set, context)
    if context.rules.reads_gates and FEATURE_GATE_ANNOTATION in annotations and context.feature_gates is not None:
        yield from _feature_gates(annotations[FEATURE_GATE_ANNOTATION], context.feature_gates)
    if context.rules.major_version and MAJOR_VERSION_ANNOTATION in annotations and context.major_version is not None:
        yield from _major_version(manifest.resource_id, annotations[MAJOR_VERSION_ANNOTATION], context.major_version)
    if context.cluster_profile is not None:
        yield from _cluster_profile(annotations, context.cluster_profile)
    if context.capability_status is not None:
        yield from _capabilities(manifest.capabilities, context.capability_status)
    if context.overrides and is_overridden(manifest.resource_id, context.overrides):
        yield Reason("override", "overridden")


def _exclude_identifier(annotations: Mapping[str, str], identifier: str) -> Iterator[Reason]:
    annotation = f"{EXCLUDE_ANNOTATION}{identifier}"
    if annotations.get(annotation) == "true":
        yield Reason("exclude_identifier", f"{annotation}=true")


def _feature_set_reasons(
    annotations: Mapping[str, str], feature_set: str, context: InclusionContext
) -> Iterator[Reason]:
    rules = context.rules
    gate = annotations.get(FEATURE_GATE_ANNOTATION)
    if rules.feature_gate == "tech_preview" and gate is not None:
        yield from _tech_preview(gate, feature_set)
    value = annotations.get(FEATURE_SET_ANNOTATION)
    if value is None or not rules.feature_sets:
        return
    if rules.reads_gates and gate is not None and context.feature_gates is not None:
        message = (
            "both feature set and feature gate annotations are present: "
            "manifests may specify either a feature set or a feature gate, but not both"
        )
        yield Reason("feature_set_and_gate", message)
    yield from _feature_set(value, feature_set, rules.feature_sets)


def _tech_preview(value: str, feature_set: str) -> Iterator[Reason]:
    """The filter of the 4.11 CVO, which knows no other value than the name of this feature set."""
    if value != _TECH_PREVIEW:
        yield Reason("feature_gate", f"unrecognized value {FEATURE_GATE_ANNOTATION}={value}")
    elif feature_set != _TECH_PREVIEW:
        yield Reason("feature_gate", f"tech-preview excluded, and {FEATURE_GATE_ANNOTATION}={value}")


def _feature_set(value: str, feature_set: str, known: tuple[str, ...]) -> Iterator[Reason]:
    required = feature_set or DEFAULT_FEATURE_SET
    listed = value.split(",")
    for item in listed:
        if item not in known:
            message = (
                f"unrecognized value {go_quote(item)} in {FEATURE_SET_ANNOTATION}={value}; "
                f"known values are: {','.join(known)}"
            )
            yield Reason("feature_set", message)
    if required not in listed:
        given = ",".join(sorted(set(listed)))
        yield Reason("feature_set", f"{go_quote(required)} is required, and {FEATURE_SET_ANNOTATION}={given}")


def _feature_gates(value: str, enabled: frozenset[str]) -> Iterator[Reason]:
    for gate, must_be_enabled in gate_requirements(value):
        if must_be_enabled and gate not in enabled:
            yield Reason("feature_gate", f"feature gate {gate} is required but not enabled")
        elif gate in enabled and not must_be_enabled:
            yield Reason("feature_gate", f"feature gate {gate} is enabled but manifest requires it to be disabled")


def gate_requirements(value: str) -> tuple[tuple[str, bool], ...]:
    """Each feature gate that the annotation ``value`` names, and whether it must be enabled."""
    gates = (requirement.strip(_GO_SPACE) for requirement in value.split(","))
    return tuple((gate.removeprefix("-"), not gate.startswith("-")) for gate in gates if gate)


def _major_version(resource_id: ResourceId, value: str, major: int) -> Iterator[Reason]:
    if resource_id.group_kind not in _MAJOR_VERSION_KINDS:
        message = "major version filtering is only supported for feature gates and custom resources"
        yield Reason("major_version", message)
        return
    included: set[int] = set()
    excluded: set[int] = set()
    invalid = False
    for requirement in value.split(","):
        text = requirement.strip(_GO_SPACE)
        if not text:
            continue
        side, target, digits = (
            ("excluded", excluded, text[1:]) if text.startswith("-") else ("included", included, text)
        )
        fault = _uint64_fault(digits)
        if fault:
            invalid = True
            cause = f"strconv.ParseUint: parsing {go_quote(digits)}: {fault}"
            yield Reason("major_version", f"invalid {side} major version {go_quote(digits)} in annotation: {cause}")
        else:
            target.add(int(digits.lstrip("0") or "0"))
    if invalid:
        return
    overlap = sorted(included & excluded)
    if overlap:
        listed = " ".join(map(str, overlap))
        yield Reason("major_version", f"inclusion and exclusion requirements overlap: [{listed}]")
    elif major in excluded:
        yield Reason("major_version", f"major version {major} matches excluded version {major}")
    elif included and major not in included:
        yield Reason("major_version", f"major version {major} does not match any required versions")


def _cluster_profile(annotations: Mapping[str, str], profile: str) -> Iterator[Reason]:
    annotation = f"{PROFILE_ANNOTATION}{profile}"
    value = annotations.get(annotation)
    if value is None:
        yield Reason("cluster_profile", f"{annotation} unset")
    elif value != "true":
        yield Reason("cluster_profile", f"unrecognized value {annotation}={value}")


def _capabilities(names: tuple[str, ...], status: CapabilityStatus) -> Iterator[Reason]:
    unknown = [name for name in names if name not in status.known]
    if unknown:
        yield Reason("unknown_capability", f"unrecognized capability names: {', '.join(unknown)}")
    disabled = [name for name in names if name not in status.enabled and name in status.known]
    if disabled:
        yield Reason("disabled_capability", f"disabled capabilities: {', '.join(disabled)}")


def is_overridden(resource_id: ResourceId, overrides: tuple[Override, ...]) -> bool:
    """Whether ``overrides`` make a resource unmanaged. The first one that names it decides."""
    for override in overrides:
        # An override of a cluster-scoped resource may have a namespace, which has no meaning.
        namespace = override.namespace if resource_id.namespace else ""
        if resource_id == ResourceId(override.group, override.kind, namespace, override.name):
            return override.unmanaged
    return False


def _uint64_fault(digits: str) -> str:
    if not digits.isascii() or not digits.isdigit():
        return "invalid syntax"
    significant = digits.lstrip("0")
    in_range = len(significant) <= _MAX_DIGITS and int(significant or "0") <= _MAX_UINT64
    return "" if in_range else "value out of range"


def go_quote(text: str) -> str:
    """Quote ``text`` as Go's ``%q`` does so that messages equal the CVO's."""
    escapes = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
    escapes |= {"\\": "\\\\", '"': '\\"'}
    return '"' + "".join(escapes.get(char) or (char if char.isprintable() else _go_escape(char)) for char in text) + '"'


def _go_escape(char: str) -> str:
    point = ord(char)
    if point < 0x80:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
