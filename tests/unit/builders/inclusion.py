# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests for the filters of the CVO, and what makes each filter fail."""

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
        "exclude_identifier", "exclude.release.openshift.io/here=true", {"exclude.release.openshift.io/here": "true"}
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
