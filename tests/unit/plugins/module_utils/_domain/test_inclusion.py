# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inclusion filter against the CVO's documented order and wording.

``expected_message`` is an independent oracle: one straight line, in the order of the filters of library-go
pkg/manifest Manifest.Include, that returns at the first failure as the Go code does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._domain.inclusion import (
    InclusionFacts,
    Override,
    decide,
    decide_all,
    go_quote,
)
from ansible_collections.capability.openshift.plugins.module_utils._domain.manifest import Manifest, ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._domain.selection import CapabilityStatus
from ansible_collections.capability.openshift.tests.unit.releases import (
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
FACTS = InclusionFacts(
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


def messages(item: Manifest, facts: InclusionFacts = FACTS) -> list[str]:
    return [reason.message for reason in decide(item, facts).reasons]


def rules(item: Manifest, facts: InclusionFacts = FACTS) -> list[str]:
    return [reason.rule for reason in decide(item, facts).reasons]


def expected_message(item: Manifest, facts: InclusionFacts) -> str:
    """The first message of the CVO, "" where the manifest is in."""
    annotations = item.annotations
    if annotations is None:
        return "no annotations"

    if facts.exclude_identifier is not None:
        key = "exclude.release.openshift.io/" + facts.exclude_identifier
        if annotations.get(key) == "true":
            return key + "=true"

    has_set, has_gate = FEATURE_SET in annotations, FEATURE_GATE in annotations
    if facts.feature_set is not None and facts.feature_gates is not None and has_set and has_gate:
        return BOTH

    if facts.feature_set is not None and has_set:
        raw = annotations[FEATURE_SET]
        for value in raw.split(","):
            if value not in KNOWN_SETS.split(","):
                return f'unrecognized value "{value}" in {FEATURE_SET}={raw}; known values are: {KNOWN_SETS}'
        wanted = "Default" if facts.feature_set == "" else facts.feature_set
        if wanted not in raw.split(","):
            return f'"{wanted}" is required, and {FEATURE_SET}={",".join(sorted(set(raw.split(","))))}'

    if facts.feature_gates is not None and has_gate:
        for part in annotations[FEATURE_GATE].split(","):
            gate = part.strip()
            if gate == "":
                continue
            if gate[0] == "-":
                if gate[1:] in facts.feature_gates:
                    return f"feature gate {gate[1:]} is enabled but manifest requires it to be disabled"
            elif gate not in facts.feature_gates:
                return f"feature gate {gate} is required but not enabled"

    if facts.major_version is not None and MAJOR in annotations:
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
        if facts.major_version in unwanted:
            return f"major version {facts.major_version} matches excluded version {facts.major_version}"
        if wanted_majors and facts.major_version not in wanted_majors:
            return f"major version {facts.major_version} does not match any required versions"

    if facts.cluster_profile is not None:
        key = "include.release.openshift.io/" + facts.cluster_profile
        if key not in annotations:
            return key + " unset"
        if annotations[key] != "true":
            return f"unrecognized value {key}={annotations[key]}"

    if facts.capability_status is not None and annotations.get(CAPABILITY, "") != "":
        names = annotations[CAPABILITY].split("+")
        unknown = [name for name in names if name not in facts.capability_status.known]
        if unknown and not facts.allow_unknown:
            return "unrecognized capability names: " + ", ".join(unknown)
        disabled = [name for name in names if name not in facts.capability_status.enabled]
        if disabled:
            return "disabled capabilities: " + ", ".join(disabled)

    for override in facts.overrides:
        same = (override.group, override.kind, override.name) == (
            item.resource_id.group,
            item.resource_id.kind,
            item.resource_id.name,
        )
        if same and (item.resource_id.namespace in ("", override.namespace)):
            return "overridden" if override.unmanaged else ""
    return ""


OVERRIDDEN = Override("ConfigMap", "", "openshift-one", "one", True)


# cvo-behaviour §2, row by row: manifest, facts, message.
TABLE = [
    ("no annotations at all", manifest(None), FACTS, "no annotations"),
    ("an empty map is annotations", manifest({}), FACTS, f"{INCLUDE} unset"),
    ("nothing against it", annotated(), FACTS, ""),
    (
        "exclude identifier",
        annotated(("exclude.release.openshift.io/here", "true")),
        FACTS,
        "exclude.release.openshift.io/here=true",
    ),
    ("exclude identifier, not exactly true", annotated(("exclude.release.openshift.io/here", "True")), FACTS, ""),
    ("exclude identifier of others", annotated(("exclude.release.openshift.io/there", "true")), FACTS, ""),
    (
        "the empty exclude identifier",
        annotated(("exclude.release.openshift.io/", "true")),
        FACTS._replace(exclude_identifier=""),
        "exclude.release.openshift.io/=true",
    ),
    (
        "no exclude identifier passed",
        annotated(("exclude.release.openshift.io/", "true")),
        FACTS._replace(exclude_identifier=None),
        "",
    ),
    ("set and gate", annotated((FEATURE_SET, "Default"), (FEATURE_GATE, "On")), FACTS, BOTH),
    (
        "set and gate, gates not passed",
        annotated((FEATURE_SET, "Default"), (FEATURE_GATE, "Off")),
        FACTS._replace(feature_gates=None),
        "",
    ),
    (
        "set and gate, set not passed",
        annotated((FEATURE_SET, "OKD"), (FEATURE_GATE, "On")),
        FACTS._replace(feature_set=None),
        "",
    ),
    (
        "unknown feature set",
        annotated((FEATURE_SET, "Default,Beta")),
        FACTS,
        f'unrecognized value "Beta" in {FEATURE_SET}=Default,Beta; known values are: {KNOWN_SETS}',
    ),
    (
        "feature sets are not trimmed",
        annotated((FEATURE_SET, "OKD, Default")),
        FACTS,
        f'unrecognized value " Default" in {FEATURE_SET}=OKD, Default; known values are: {KNOWN_SETS}',
    ),
    (
        "an empty feature set is unknown",
        annotated((FEATURE_SET, "")),
        FACTS,
        f'unrecognized value "" in {FEATURE_SET}=; known values are: {KNOWN_SETS}',
    ),
    (
        "feature set not listed",
        annotated((FEATURE_SET, "TechPreviewNoUpgrade,CustomNoUpgrade")),
        FACTS,
        f'"Default" is required, and {FEATURE_SET}=CustomNoUpgrade,TechPreviewNoUpgrade',
    ),
    (
        "another feature set",
        annotated((FEATURE_SET, "Default")),
        FACTS._replace(feature_set="TechPreviewNoUpgrade"),
        f'"TechPreviewNoUpgrade" is required, and {FEATURE_SET}=Default',
    ),
    ("feature set listed", annotated((FEATURE_SET, "OKD,Default")), FACTS, ""),
    (
        "gate required",
        annotated((FEATURE_GATE, "On,Off")),
        FACTS,
        "feature gate Off is required but not enabled",
    ),
    (
        "gate unwanted",
        annotated((FEATURE_GATE, "-Off,-On")),
        FACTS,
        "feature gate On is enabled but manifest requires it to be disabled",
    ),
    ("gates are trimmed, empties ignored", annotated((FEATURE_GATE, " On ,, -Off,")), FACTS, ""),
    (
        "an empty set of gates still filters",
        annotated((FEATURE_GATE, "On")),
        FACTS._replace(feature_gates=frozenset()),
        "feature gate On is required but not enabled",
    ),
    ("no set of gates does not", annotated((FEATURE_GATE, "Off")), FACTS._replace(feature_gates=None), ""),
    (
        "major version on another kind",
        annotated((MAJOR, "4")),
        FACTS,
        "major version filtering is only supported for feature gates and custom resources",
    ),
    ("major version listed", annotated((MAJOR, "4, 5 ,6"), resource=CRD), FACTS, ""),
    ("major version of a FeatureGate", annotated((MAJOR, "4"), resource=FEATURE_GATES), FACTS, ""),
    (
        "major version of a FeatureGate of another group",
        annotated((MAJOR, "4"), resource=FEATURE_GATES._replace(group="example.org")),
        FACTS,
        "major version filtering is only supported for feature gates and custom resources",
    ),
    (
        "major versions overlap",
        annotated((MAJOR, "5,4,-5,-4"), resource=CRD),
        FACTS,
        "inclusion and exclusion requirements overlap: [4 5]",
    ),
    (
        "major version not listed",
        annotated((MAJOR, "5,6"), resource=CRD),
        FACTS,
        "major version 4 does not match any required versions",
    ),
    (
        "major version excluded",
        annotated((MAJOR, "5,-4"), resource=CRD),
        FACTS,
        "major version 4 matches excluded version 4",
    ),
    ("another major version excluded", annotated((MAJOR, "-5"), resource=CRD), FACTS, ""),
    (
        "major version that is no number",
        annotated((MAJOR, "four"), resource=CRD),
        FACTS,
        'invalid included major version "four" in annotation: strconv.ParseUint: parsing "four": invalid syntax',
    ),
    (
        "excluded major version that is no number",
        annotated((MAJOR, "-x"), resource=CRD),
        FACTS,
        'invalid excluded major version "x" in annotation: strconv.ParseUint: parsing "x": invalid syntax',
    ),
    (
        "major version that no uint64 holds",
        annotated((MAJOR, "18446744073709551616"), resource=CRD),
        FACTS,
        'invalid included major version "18446744073709551616" in annotation: '
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ),
    ("no major version passed", annotated((MAJOR, "x"), resource=CRD), FACTS._replace(major_version=None), ""),
    ("profile unset", manifest({CAPABILITY: ""}), FACTS, f"{INCLUDE} unset"),
    (
        "profile of the config operator",
        manifest({INCLUDE: "false-except-for-the-config-operator"}),
        FACTS,
        f"unrecognized value {INCLUDE}=false-except-for-the-config-operator",
    ),
    ("no profile passed", manifest({}), FACTS._replace(cluster_profile=None), ""),
    (
        "the empty profile",
        manifest({}),
        FACTS._replace(cluster_profile=""),
        "include.release.openshift.io/ unset",
    ),
    ("unknown capability", annotated((CAPABILITY, "Nope")), FACTS, "unrecognized capability names: Nope"),
    (
        "unknown hides disabled",
        annotated((CAPABILITY, "Storage+Nope+Build+Nada")),
        FACTS,
        "unrecognized capability names: Nope, Nada",
    ),
    (
        "disabled, in the order of the annotation",
        annotated((CAPABILITY, "Storage+Console+Build")),
        FACTS,
        "disabled capabilities: Storage, Build",
    ),
    ("all capabilities enabled", annotated((CAPABILITY, "Console")), FACTS, ""),
    (
        "unknown allowed counts as disabled",
        annotated((CAPABILITY, "Nope+Console+Build")),
        FACTS._replace(allow_unknown=True),
        "disabled capabilities: Nope, Build",
    ),
    (
        "case counts",
        annotated((CAPABILITY, "console")),
        FACTS,
        "unrecognized capability names: console",
    ),
    ("no capability status passed", annotated((CAPABILITY, "Nope")), FACTS._replace(capability_status=None), ""),
    ("overridden", annotated(), FACTS._replace(overrides=(OVERRIDDEN,)), "overridden"),
    # §9
    ("an empty annotation is no requirement", annotated((CAPABILITY, "")), FACTS, ""),
    (
        "blanks around plus",
        annotated((CAPABILITY, "Console + Storage")),
        FACTS,
        "unrecognized capability names: Console ,  Storage",
    ),
    ("an empty element", annotated((CAPABILITY, "Console++Console")), FACTS, "unrecognized capability names: "),
    ("a leading plus", annotated((CAPABILITY, "+Console")), FACTS, "unrecognized capability names: "),
    ("names twice", annotated((CAPABILITY, "Build+Build")), FACTS, "disabled capabilities: Build, Build"),
]


@pytest.mark.parametrize(("item", "facts", "message"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_first_message_is_the_cvo_s(item, facts, message):
    assert messages(item, facts)[:1] == ([message] if message else [])


@pytest.mark.parametrize(("item", "facts", "message"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_oracle_agrees_with_the_table(item, facts, message):
    assert expected_message(item, facts) == message


@dataclass(frozen=True)
class Failing:
    """What makes one filter fail, and nothing else."""

    rule: str
    message: str
    annotations: Mapping[str, str | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


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


def failing(*parts: Failing) -> tuple[Manifest, InclusionFacts]:
    annotations: dict[str, str] = {INCLUDE: "true"}
    facts = FACTS
    for part in parts:
        for key, value in part.annotations.items():
            if value is None:
                del annotations[key]
            elif key == CAPABILITY and key in annotations:
                annotations[key] += "+" + value
            elif key not in (FEATURE_SET, FEATURE_GATE) or part.rule != "feature_set_and_gate":
                annotations[key] = value
            else:
                annotations.setdefault(key, value)
        facts = facts._replace(**dict(part.facts))
    return manifest(annotations), facts


@pytest.mark.parametrize("part", FAILING, ids=lambda part: part.rule)
def test_each_failing_filter_fails_alone(part):
    item, facts = failing(part)

    assert [(reason.rule, reason.message) for reason in decide(item, facts).reasons] == [(part.rule, part.message)]


@pytest.mark.parametrize(
    ("first", "second"),
    list(combinations(FAILING, 2)),
    ids=lambda part: part.rule if isinstance(part, Failing) else None,
)
def test_of_two_failing_filters_the_earlier_speaks_and_both_are_reasons(first, second):
    item, facts = failing(first, second)
    expected = [first, second]
    if [first.rule, second.rule] == ["feature_set", "feature_gate"]:
        expected.insert(0, FAILING[1])  # both annotations on one manifest are the third filter's business

    assert rules(item, facts) == [part.rule for part in expected]
    assert messages(item, facts) == [part.message for part in expected]
    assert messages(item, facts)[0] == expected_message(item, facts)


@pytest.mark.parametrize("second", [FAILING[5], FAILING[8]], ids=lambda part: part.rule)
def test_a_manifest_without_annotations_fails_for_that_first_and_for_what_else_can_be_said(second):
    facts = FACTS._replace(**dict(second.facts))

    assert rules(manifest(None), facts)[0] == "annotations"
    assert second.rule in rules(manifest(None), facts)


def test_all_filters_at_once_are_all_reasons_in_order():
    item, facts = failing(*FAILING)

    assert rules(item, facts) == [part.rule for part in FAILING]


def test_reasons_name_unknown_and_disabled_capabilities_of_one_manifest():
    assert messages(annotated((CAPABILITY, "Build+Nope"))) == [
        "unrecognized capability names: Nope",
        "disabled capabilities: Build",
    ]


def test_every_gate_that_fails_is_a_reason():
    assert messages(annotated((FEATURE_GATE, "Off,-On,Other"))) == [
        "feature gate Off is required but not enabled",
        "feature gate On is enabled but manifest requires it to be disabled",
        "feature gate Other is required but not enabled",
    ]


@pytest.mark.parametrize(
    ("overrides", "resource", "out"),
    [
        ([OVERRIDDEN], CONFIG_MAP, True),
        ([OVERRIDDEN._replace(unmanaged=False)], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(unmanaged=False), OVERRIDDEN], CONFIG_MAP, False),
        ([OVERRIDDEN, OVERRIDDEN._replace(unmanaged=False)], CONFIG_MAP, True),
        ([OVERRIDDEN._replace(name="two"), OVERRIDDEN], CONFIG_MAP, True),
        ([OVERRIDDEN._replace(group="example.org")], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(kind="Secret")], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(namespace="")], CONFIG_MAP, False),
        ([OVERRIDDEN._replace(namespace="openshift-two")], CONFIG_MAP, False),
        ([Override("FeatureGate", "config.openshift.io", "", "cluster", True)], FEATURE_GATES, True),
        ([Override("FeatureGate", "config.openshift.io", "ignored", "cluster", True)], FEATURE_GATES, True),
    ],
)
def test_the_first_override_that_matches_decides_and_cluster_scoped_resources_ignore_its_namespace(
    overrides, resource, out
):
    facts = FACTS._replace(overrides=tuple(overrides))

    assert messages(annotated(resource=resource), facts) == (["overridden"] if out else [])


def test_decisions_keep_the_order_of_the_manifests():
    items = [annotated((CAPABILITY, name)) for name in ("Console", "Build", "Nope")]

    assert [inclusion.manifest for inclusion in decide_all(items, FACTS)] == items
    assert [inclusion.included for inclusion in decide_all(items, FACTS)] == [True, False, False]


# Go's strconv.Quote: its own escapes, \x below 0x80, \u and \U above for what is not printable.
@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Beta", '"Beta"'),
        ('a"b\\', '"a\\"b\\\\"'),
        ("a\tb\n", '"a\\tb\\n"'),
        ("\x00\x7f", '"\\x00\\x7f"'),
        ("é€", '"é€"'),
        ("\u200b\u00a0", '"\\u200b\\u00a0"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_values_are_quoted_as_go_quotes(text, quoted):
    assert go_quote(text) == quoted


NAMES = ["Console", "Storage", "Build", "Nope", "", " Console"]
GATES = ["On", "Off", "Other"]


def separated(*values):
    return st.lists(st.sampled_from(values), min_size=1, max_size=4)


ANNOTATIONS = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "exclude.release.openshift.io/here": st.sampled_from(["true", "false", ""]),
        "exclude.release.openshift.io/": st.sampled_from(["true", "no"]),
        FEATURE_SET: separated("Default", "TechPreviewNoUpgrade", "OKD", "Beta", "").map(",".join),
        FEATURE_GATE: separated("On", "-On", "Off", "-Off", " Other ", "").map(",".join),
        MAJOR: separated("4", "-4", "5", "-5", " 6", "", "x").map(",".join),
        INCLUDE: st.sampled_from(["true", "true", "true", "false", ""]),
        "include.release.openshift.io/hypershift": st.just("true"),
        CAPABILITY: st.lists(st.sampled_from(NAMES), max_size=4).map("+".join),
    },
)
RESOURCES = st.sampled_from([CONFIG_MAP, CRD, FEATURE_GATES])
MANIFESTS = st.builds(manifest, ANNOTATIONS, RESOURCES)
CAPABILITY_SETS = st.frozensets(st.sampled_from(NAMES[:4]))
STATUSES = st.builds(CapabilityStatus, CAPABILITY_SETS, CAPABILITY_SETS)
OVERRIDES = st.lists(
    st.builds(
        Override,
        st.sampled_from(["ConfigMap", "FeatureGate"]),
        st.sampled_from(["", "config.openshift.io"]),
        st.sampled_from(["", "openshift-one", "else"]),
        st.sampled_from(["one", "cluster"]),
        st.booleans(),
    ),
    max_size=3,
).map(tuple)
ALL_FACTS = st.builds(
    InclusionFacts,
    cluster_profile=st.sampled_from([PROFILE, PROFILE, "hypershift", "", None]),
    feature_set=st.sampled_from(["", "Default", "TechPreviewNoUpgrade", None]),
    feature_gates=st.none() | st.frozensets(st.sampled_from(GATES)),
    exclude_identifier=st.sampled_from(["here", "", None]),
    major_version=st.sampled_from([4, 5, None]),
    capability_status=st.none() | STATUSES,
    allow_unknown=st.booleans(),
    overrides=OVERRIDES,
)


@given(MANIFESTS, ALL_FACTS)
def test_the_first_message_is_the_oracle_s(item, facts):
    assert (messages(item, facts) or [""])[0] == expected_message(item, facts)


@given(MANIFESTS, ALL_FACTS)
def test_a_manifest_is_in_if_and_only_if_there_is_no_reason(item, facts):
    inclusion = decide(item, facts)

    assert inclusion.included == (not inclusion.reasons) == (expected_message(item, facts) == "")


@given(MANIFESTS, ALL_FACTS)
def test_reasons_stand_in_the_order_of_the_filters(item, facts):
    order = ["annotations", *(part.rule for part in FAILING)]
    positions = [order.index(rule) for rule in rules(item, facts)]

    assert positions == sorted(positions)


@given(st.lists(MANIFESTS, max_size=5), ALL_FACTS, st.data())
def test_enabling_more_capabilities_never_removes_a_manifest(items, facts, data):
    assume(facts.capability_status is not None)
    status = facts.capability_status
    more = status._replace(enabled=status.enabled | data.draw(CAPABILITY_SETS))
    wider = facts._replace(capability_status=more)

    before = [inclusion.included for inclusion in decide_all(items, facts)]
    after = [inclusion.included for inclusion in decide_all(items, wider)]
    assert all(now for now, then in zip(after, before, strict=True) if then)


@given(st.lists(MANIFESTS, max_size=5), ALL_FACTS)
def test_a_decision_depends_on_nothing_but_its_manifest_and_facts(items, facts):
    alone = [decide(item, facts) for item in items]

    assert list(decide_all(items, facts)) == alone
    assert list(decide_all(reversed(items), facts)) == alone[::-1]


@given(MANIFESTS, ALL_FACTS)
def test_the_order_of_annotations_does_not_matter(item, facts):
    assume(item.annotations is not None)
    turned = item._replace(annotations=dict(reversed((item.annotations or {}).items())))

    assert decide(turned, facts).reasons == decide(item, facts).reasons


@example("4" * 5000)
@given(st.text(st.characters(codec="utf-8")))
def test_no_annotation_value_ends_in_an_exception(value):
    for key in (FEATURE_SET, FEATURE_GATE, MAJOR, CAPABILITY, INCLUDE):
        assert decide(annotated((key, value), resource=CRD), FACTS) is not None
