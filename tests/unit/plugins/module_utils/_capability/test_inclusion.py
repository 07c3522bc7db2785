# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inclusion filter against the CVO's documented wording, row by row."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import go_quote
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import inclusion_rules
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.tests.unit.builders.inclusion import (
    BOTH,
    CONTEXT,
    CRD,
    FEATURE_GATES,
    KNOWN_SETS,
    OVERRIDDEN,
    annotated,
    manifest,
    messages,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    MAJOR,
)

OF_4_11, OF_4_13, OF_4_21 = (CONTEXT._replace(rules=inclusion_rules(Minor(4, minor))) for minor in (11, 13, 21))

# openshift/library-go:pkg/manifest/manifest.go, filter by filter: manifest, context, message.
TABLE = [
    ("no annotations at all", manifest(None), CONTEXT, "no annotations"),
    ("an empty map is annotations", manifest({}), CONTEXT, f"{INCLUDE} unset"),
    ("nothing against it", annotated(), CONTEXT, ""),
    (
        "exclude identifier",
        annotated(("exclude.release.openshift.io/here", "true")),
        CONTEXT,
        "exclude.release.openshift.io/here=true",
    ),
    ("exclude identifier, not exactly true", annotated(("exclude.release.openshift.io/here", "True")), CONTEXT, ""),
    ("exclude identifier of others", annotated(("exclude.release.openshift.io/there", "true")), CONTEXT, ""),
    (
        "the empty exclude identifier",
        annotated(("exclude.release.openshift.io/", "true")),
        CONTEXT._replace(exclude_identifier=""),
        "exclude.release.openshift.io/=true",
    ),
    (
        "no exclude identifier passed",
        annotated(("exclude.release.openshift.io/", "true")),
        CONTEXT._replace(exclude_identifier=None),
        "",
    ),
    ("set and gate", annotated((FEATURE_SET, "Default"), (FEATURE_GATE, "On")), CONTEXT, BOTH),
    (
        "set and gate, gates not passed",
        annotated((FEATURE_SET, "Default"), (FEATURE_GATE, "Off")),
        CONTEXT._replace(feature_gates=None),
        "",
    ),
    (
        "set and gate, set not passed",
        annotated((FEATURE_SET, "OKD"), (FEATURE_GATE, "On")),
        CONTEXT._replace(feature_set=None),
        "",
    ),
    (
        "unknown feature set",
        annotated((FEATURE_SET, "Default,Beta")),
        CONTEXT,
        f'unrecognized value "Beta" in {FEATURE_SET}=Default,Beta; known values are: {KNOWN_SETS}',
    ),
    (
        "feature sets are not trimmed",
        annotated((FEATURE_SET, "OKD, Default")),
        CONTEXT,
        f'unrecognized value " Default" in {FEATURE_SET}=OKD, Default; known values are: {KNOWN_SETS}',
    ),
    (
        "an empty feature set is unknown",
        annotated((FEATURE_SET, "")),
        CONTEXT,
        f'unrecognized value "" in {FEATURE_SET}=; known values are: {KNOWN_SETS}',
    ),
    (
        "feature set not listed",
        annotated((FEATURE_SET, "TechPreviewNoUpgrade,CustomNoUpgrade")),
        CONTEXT,
        f'"Default" is required, and {FEATURE_SET}=CustomNoUpgrade,TechPreviewNoUpgrade',
    ),
    (
        "another feature set",
        annotated((FEATURE_SET, "Default")),
        CONTEXT._replace(feature_set="TechPreviewNoUpgrade"),
        f'"TechPreviewNoUpgrade" is required, and {FEATURE_SET}=Default',
    ),
    ("feature set listed", annotated((FEATURE_SET, "OKD,Default")), CONTEXT, ""),
    ("gate required", annotated((FEATURE_GATE, "On,Off")), CONTEXT, "feature gate Off is required but not enabled"),
    (
        "gate unwanted",
        annotated((FEATURE_GATE, "-Off,-On")),
        CONTEXT,
        "feature gate On is enabled but manifest requires it to be disabled",
    ),
    ("gates are trimmed, empties ignored", annotated((FEATURE_GATE, " On ,, -Off,")), CONTEXT, ""),
    (
        "an empty set of gates still filters",
        annotated((FEATURE_GATE, "On")),
        CONTEXT._replace(feature_gates=frozenset()),
        "feature gate On is required but not enabled",
    ),
    ("no set of gates does not", annotated((FEATURE_GATE, "Off")), CONTEXT._replace(feature_gates=None), ""),
    (
        "major version on another kind",
        annotated((MAJOR, "4")),
        CONTEXT,
        "major version filtering is only supported for feature gates and custom resources",
    ),
    ("major version listed", annotated((MAJOR, "4, 5 ,6"), resource=CRD), CONTEXT, ""),
    ("major version of a FeatureGate", annotated((MAJOR, "4"), resource=FEATURE_GATES), CONTEXT, ""),
    (
        "major version of a FeatureGate of another group",
        annotated((MAJOR, "4"), resource=FEATURE_GATES._replace(group="example.org")),
        CONTEXT,
        "major version filtering is only supported for feature gates and custom resources",
    ),
    (
        "major versions overlap",
        annotated((MAJOR, "5,4,-5,-4"), resource=CRD),
        CONTEXT,
        "inclusion and exclusion requirements overlap: [4 5]",
    ),
    (
        "major version not listed",
        annotated((MAJOR, "5,6"), resource=CRD),
        CONTEXT,
        "major version 4 does not match any required versions",
    ),
    (
        "major version excluded",
        annotated((MAJOR, "5,-4"), resource=CRD),
        CONTEXT,
        "major version 4 matches excluded version 4",
    ),
    ("another major version excluded", annotated((MAJOR, "-5"), resource=CRD), CONTEXT, ""),
    (
        "major version that is no number",
        annotated((MAJOR, "four"), resource=CRD),
        CONTEXT,
        'invalid included major version "four" in annotation: strconv.ParseUint: parsing "four": invalid syntax',
    ),
    (
        "excluded major version that is no number",
        annotated((MAJOR, "-x"), resource=CRD),
        CONTEXT,
        'invalid excluded major version "x" in annotation: strconv.ParseUint: parsing "x": invalid syntax',
    ),
    (
        "major version that no uint64 holds",
        annotated((MAJOR, "18446744073709551616"), resource=CRD),
        CONTEXT,
        'invalid included major version "18446744073709551616" in annotation: '
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ),
    ("no major version passed", annotated((MAJOR, "x"), resource=CRD), CONTEXT._replace(major_version=None), ""),
    ("profile unset", manifest({CAPABILITY: ""}), CONTEXT, f"{INCLUDE} unset"),
    (
        "profile of the config operator",
        manifest({INCLUDE: "false-except-for-the-config-operator"}),
        CONTEXT,
        f"unrecognized value {INCLUDE}=false-except-for-the-config-operator",
    ),
    ("no profile passed", manifest({}), CONTEXT._replace(cluster_profile=None), ""),
    ("the empty profile", manifest({}), CONTEXT._replace(cluster_profile=""), "include.release.openshift.io/ unset"),
    ("unknown capability", annotated((CAPABILITY, "Nope")), CONTEXT, "unrecognized capability names: Nope"),
    (
        "unknown hides disabled",
        annotated((CAPABILITY, "Storage+Nope+Build+Nada")),
        CONTEXT,
        "unrecognized capability names: Nope, Nada",
    ),
    (
        "disabled, in the order of the annotation",
        annotated((CAPABILITY, "Storage+Console+Build")),
        CONTEXT,
        "disabled capabilities: Storage, Build",
    ),
    ("all capabilities enabled", annotated((CAPABILITY, "Console")), CONTEXT, ""),
    ("case counts", annotated((CAPABILITY, "console")), CONTEXT, "unrecognized capability names: console"),
    ("no capability status passed", annotated((CAPABILITY, "Nope")), CONTEXT._replace(capability_status=None), ""),
    ("overridden", annotated(), CONTEXT._replace(overrides=(OVERRIDDEN,)), "overridden"),
    # Names as they are split and compared.
    ("an empty annotation is no requirement", annotated((CAPABILITY, "")), CONTEXT, ""),
    (
        "blanks around plus",
        annotated((CAPABILITY, "Console + Storage")),
        CONTEXT,
        "unrecognized capability names: Console ,  Storage",
    ),
    ("an empty element", annotated((CAPABILITY, "Console++Console")), CONTEXT, "unrecognized capability names: "),
    ("a leading plus", annotated((CAPABILITY, "+Console")), CONTEXT, "unrecognized capability names: "),
    ("names twice", annotated((CAPABILITY, "Build+Build")), CONTEXT, "disabled capabilities: Build, Build"),
    # What older CVOs read.
    (
        "4.11, tech preview off",
        annotated((FEATURE_GATE, "TechPreviewNoUpgrade")),
        OF_4_11,
        f"tech-preview excluded, and {FEATURE_GATE}=TechPreviewNoUpgrade",
    ),
    (
        "4.11, tech preview on",
        annotated((FEATURE_GATE, "TechPreviewNoUpgrade")),
        OF_4_11._replace(feature_set="TechPreviewNoUpgrade"),
        "",
    ),
    ("4.11, a gate", annotated((FEATURE_GATE, "On")), OF_4_11, f"unrecognized value {FEATURE_GATE}=On"),
    ("4.11, gate without feature set", annotated((FEATURE_GATE, "On")), OF_4_11._replace(feature_set=None), ""),
    ("4.11, a feature set", annotated((FEATURE_SET, "Beta")), OF_4_11, ""),
    ("4.13, a gate that is off", annotated((FEATURE_GATE, "Off")), OF_4_13, ""),
    ("4.13, set and gate", annotated((FEATURE_SET, "Default"), (FEATURE_GATE, "Off")), OF_4_13, ""),
    ("4.13, latency", annotated((FEATURE_SET, "Default,LatencySensitive")), OF_4_13, ""),
    (
        "4.13, a later feature set",
        annotated((FEATURE_SET, "Default,DevPreviewNoUpgrade")),
        OF_4_13,
        f'unrecognized value "DevPreviewNoUpgrade" in {FEATURE_SET}=Default,DevPreviewNoUpgrade; '
        "known values are: CustomNoUpgrade,Default,LatencySensitive,TechPreviewNoUpgrade",
    ),
    ("4.13, overridden when it is applied", annotated(), OF_4_13._replace(overrides=(OVERRIDDEN,)), "overridden"),
    (
        "4.21, latency",
        annotated((FEATURE_SET, "Default,LatencySensitive")),
        OF_4_21,
        f'unrecognized value "LatencySensitive" in {FEATURE_SET}=Default,LatencySensitive; '
        "known values are: CustomNoUpgrade,Default,DevPreviewNoUpgrade,TechPreviewNoUpgrade",
    ),
    ("4.21, a gate that is off", annotated((FEATURE_GATE, "Off")), OF_4_21, ""),
    ("4.21, another major version", annotated((MAJOR, "5"), resource=CRD), OF_4_21, ""),
]


@pytest.mark.parametrize(("item", "context", "message"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_first_message_is_the_cvo_s(item, context, message):
    assert messages(item, context)[:1] == ([message] if message else [])


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
