# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inclusion filter against the CVO's documented wording, row by row."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import go_quote
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    MAJOR,
)
from ansible_collections.capability.openshift.tests.unit.oracles.inclusion import (
    BOTH,
    CRD,
    FACTS,
    FEATURE_GATES,
    KNOWN_SETS,
    OVERRIDDEN,
    annotated,
    expected_message,
    manifest,
    messages,
)

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
