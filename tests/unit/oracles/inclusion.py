# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inclusion filter in the plainest form there is, and manifests to ask it about.

``expected_message`` is an independent oracle: one straight line, in the order of the filters of library-go
pkg/manifest Manifest.Include, that returns at the first failure as the Go code does. The first minor of the rules of a
context says which CVO is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
    decide,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    MAJOR,
    PROFILE,
)

KNOWN_SETS = "CustomNoUpgrade,Default,DevPreviewNoUpgrade,OKD,TechPreviewNoUpgrade"
OLDER_KNOWN_SETS = {
    (4, 12): "CustomNoUpgrade,Default,LatencySensitive,TechPreviewNoUpgrade",
    (4, 14): "CustomNoUpgrade,Default,LatencySensitive,TechPreviewNoUpgrade",
    (4, 16): "CustomNoUpgrade,Default,DevPreviewNoUpgrade,TechPreviewNoUpgrade",
}
CONFIG_MAP = ResourceId("", "ConfigMap", "openshift-one", "one")
CRD = ResourceId("apiextensions.k8s.io", "CustomResourceDefinition", "", "ones.example.org")
FEATURE_GATES = ResourceId("config.openshift.io", "FeatureGate", "", "cluster")
STATUS = CapabilityStatus(frozenset({"Console", "Storage", "Build"}), frozenset({"Console"}))
CONTEXT = InclusionContext(
    cluster_profile=PROFILE,
    feature_set="",
    feature_gates=frozenset({"On"}),
    exclude_identifier="here",
    major_version=4,
    capability_status=STATUS,
)
BOTH = (
    "both feature set and feature gate annotations are present: "
    "manifests may specify either a feature set or a feature gate, but not both"
)


def manifest(annotations: Mapping[str, str] | None, resource: ResourceId = CONFIG_MAP) -> Manifest:
    return Manifest(resource, "v1", annotations, "0000_50_one_01.yaml")


def annotated(*pairs: tuple[str, str], resource: ResourceId = CONFIG_MAP) -> Manifest:
    return manifest({INCLUDE: "true", **dict(pairs)}, resource)


def messages(item: Manifest, context: InclusionContext = CONTEXT) -> list[str]:
    return [reason.message for reason in decide(item, context).reasons]


def rules(item: Manifest, context: InclusionContext = CONTEXT) -> list[str]:
    return [reason.rule for reason in decide(item, context).reasons]


def expected_message(item: Manifest, context: InclusionContext) -> str:
    """The first message of the CVO, "" where the manifest is in."""
    annotations = item.annotations
    if annotations is None:
        return "no annotations"

    if context.exclude_identifier is not None:
        key = "exclude.release.openshift.io/" + context.exclude_identifier
        if annotations.get(key) == "true":
            return key + "=true"

    cvo = context.rules.since.major, context.rules.since.minor
    has_set, has_gate = FEATURE_SET in annotations, FEATURE_GATE in annotations
    if cvo == (4, 11):
        if context.feature_set is not None and has_gate:
            raw = annotations[FEATURE_GATE]
            if raw == "TechPreviewNoUpgrade" and context.feature_set != "TechPreviewNoUpgrade":
                return f"tech-preview excluded, and {FEATURE_GATE}={raw}"
            if raw != "TechPreviewNoUpgrade":
                return f"unrecognized value {FEATURE_GATE}={raw}"
        has_set = False
    if cvo < (4, 22):
        has_gate = False

    if context.feature_set is not None and context.feature_gates is not None and has_set and has_gate:
        return BOTH

    if context.feature_set is not None and has_set:
        raw = annotations[FEATURE_SET]
        known_sets = OLDER_KNOWN_SETS.get(cvo, KNOWN_SETS)
        for value in raw.split(","):
            if value not in known_sets.split(","):
                return f'unrecognized value "{value}" in {FEATURE_SET}={raw}; known values are: {known_sets}'
        wanted = "Default" if context.feature_set == "" else context.feature_set
        if wanted not in raw.split(","):
            return f'"{wanted}" is required, and {FEATURE_SET}={",".join(sorted(set(raw.split(","))))}'

    if context.feature_gates is not None and has_gate:
        for part in annotations[FEATURE_GATE].split(","):
            gate = part.strip()
            if gate == "":
                continue
            if gate[0] == "-":
                if gate[1:] in context.feature_gates:
                    return f"feature gate {gate[1:]} is enabled but manifest requires it to be disabled"
            elif gate not in context.feature_gates:
                return f"feature gate {gate} is required but not enabled"

    if cvo >= (4, 22) and context.major_version is not None and MAJOR in annotations:
        kind = (item.resource_id.group, item.resource_id.kind)
        if kind not in [("config.openshift.io", "FeatureGate"), ("apiextensions.k8s.io", "CustomResourceDefinition")]:
            return "major version filtering is only supported for feature gates and custom resources"
        wanted_majors: set[int] = set()
        unwanted: set[int] = set()
        for part in annotations[MAJOR].split(","):
            number = part.strip()
            if number == "":
                continue
            side = "excluded" if number[0] == "-" else "included"
            digits = number[1:] if number[0] == "-" else number
            if not digits or any(char not in "0123456789" for char in digits):
                cause = f'strconv.ParseUint: parsing "{digits}": invalid syntax'
                return f'invalid {side} major version "{digits}" in annotation: {cause}'
            if int(digits) > 2**64 - 1:
                cause = f'strconv.ParseUint: parsing "{digits}": value out of range'
                return f'invalid {side} major version "{digits}" in annotation: {cause}'
            (unwanted if side == "excluded" else wanted_majors).add(int(digits))
        if wanted_majors & unwanted:
            return (
                "inclusion and exclusion requirements overlap: "
                f"[{' '.join(str(number) for number in sorted(wanted_majors & unwanted))}]"
            )
        # The real code says "matches excluded" of 4,-5 under 5, so exclusion is asked first.
        if context.major_version in unwanted:
            return f"major version {context.major_version} matches excluded version {context.major_version}"
        if wanted_majors and context.major_version not in wanted_majors:
            return f"major version {context.major_version} does not match any required versions"

    if context.cluster_profile is not None:
        key = "include.release.openshift.io/" + context.cluster_profile
        if key not in annotations:
            return key + " unset"
        if annotations[key] != "true":
            return f"unrecognized value {key}={annotations[key]}"

    if context.capability_status is not None and annotations.get(CAPABILITY, "") != "":
        names = annotations[CAPABILITY].split("+")
        unknown = [name for name in names if name not in context.capability_status.known]
        if unknown and not context.allow_unknown:
            return "unrecognized capability names: " + ", ".join(unknown)
        disabled = [name for name in names if name not in context.capability_status.enabled]
        if disabled:
            return "disabled capabilities: " + ", ".join(disabled)

    for override in context.overrides:
        same = (override.group, override.kind, override.name) == (
            item.resource_id.group,
            item.resource_id.kind,
            item.resource_id.name,
        )
        if same and (item.resource_id.namespace in ("", override.namespace)):
            return "overridden" if override.unmanaged else ""
    return ""


OVERRIDDEN = Override("ConfigMap", "", "openshift-one", "one", True)


@dataclass(frozen=True)
class Failing:
    """What makes one filter fail, and nothing else."""

    rule: str
    message: str
    annotations: Mapping[str, str | None] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)


# In the order of the filters.
FAILING = [
    Failing(
        "exclude_identifier",
        "exclude.release.openshift.io/here=true",
        {"exclude.release.openshift.io/here": "true"},
    ),
    Failing("feature_set_and_gate", BOTH, {FEATURE_SET: "Default", FEATURE_GATE: "On"}),
    Failing("feature_set", f'"Default" is required, and {FEATURE_SET}=OKD', {FEATURE_SET: "OKD"}),
    Failing("feature_gate", "feature gate Off is required but not enabled", {FEATURE_GATE: "Off"}),
    Failing(
        "major_version",
        "major version filtering is only supported for feature gates and custom resources",
        {MAJOR: "4"},
    ),
    Failing("cluster_profile", f"{INCLUDE} unset", {INCLUDE: None}),
    Failing("unknown_capability", "unrecognized capability names: Nope", {CAPABILITY: "Nope"}),
    Failing("disabled_capability", "disabled capabilities: Build", {CAPABILITY: "Build"}),
    Failing("override", "overridden", {}, {"overrides": (OVERRIDDEN,)}),
]
