# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds of every decision, on manifests and context of every kind."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
    decide,
    decide_all,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    INCLUSION_RULES,
    NEWEST_RULES,
)
from ansible_collections.capability.openshift.tests.unit.builders.inclusion import (
    CONFIG_MAP,
    CONTEXT,
    CRD,
    FAILING,
    FEATURE_GATES,
    annotated,
    manifest,
    rules,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    MAJOR,
    PROFILE,
)

NAMES = ["Console", "Storage", "Build", "Nope", "", " Console"]
GATES = ["On", "Off", "Other"]


def separated(*values):
    return st.lists(st.sampled_from(values), min_size=1, max_size=4)


ANNOTATIONS = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "exclude.release.openshift.io/here": st.sampled_from(["true", "false", ""]),
        "exclude.release.openshift.io/": st.sampled_from(["true", "no"]),
        FEATURE_SET: separated("Default", "TechPreviewNoUpgrade", "OKD", "LatencySensitive", "Beta", "").map(",".join),
        FEATURE_GATE: separated("On", "-On", "Off", "-Off", " Other ", "").map(",".join)
        | st.just("TechPreviewNoUpgrade"),
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
CONTEXTS = st.builds(
    InclusionContext,
    cluster_profile=st.sampled_from([PROFILE, PROFILE, "hypershift", "", None]),
    feature_set=st.sampled_from(["", "Default", "TechPreviewNoUpgrade", None]),
    feature_gates=st.none() | st.frozensets(st.sampled_from(GATES)),
    exclude_identifier=st.sampled_from(["here", "", None]),
    major_version=st.sampled_from([4, 5, None]),
    capability_status=st.none() | STATUSES,
    overrides=OVERRIDES,
    rules=st.sampled_from([NEWEST_RULES, NEWEST_RULES, *INCLUSION_RULES]),
)


@given(MANIFESTS, CONTEXTS)
def test_reasons_stand_in_the_order_of_the_filters(item, context):
    order = ["annotations", *(part.rule for part in FAILING)]
    positions = [order.index(rule) for rule in rules(item, context)]

    assert positions == sorted(positions)


@given(st.lists(MANIFESTS, max_size=5), CONTEXTS, st.data())
def test_enabling_more_capabilities_never_removes_a_manifest(items, context, data):
    assume(context.capability_status is not None)
    status = context.capability_status
    more = status._replace(enabled=status.enabled | data.draw(CAPABILITY_SETS))
    wider = context._replace(capability_status=more)

    before = [inclusion.included for inclusion in decide_all(items, context)]
    after = [inclusion.included for inclusion in decide_all(items, wider)]
    assert all(now for now, then in zip(after, before, strict=True) if then)


@given(st.lists(MANIFESTS, max_size=5), CONTEXTS)
def test_a_decision_depends_only_on_manifest_and_context(items, context):
    alone = [decide(item, context) for item in items]

    assert list(decide_all(items, context)) == alone
    assert list(decide_all(reversed(items), context)) == alone[::-1]


@given(MANIFESTS, CONTEXTS)
def test_the_order_of_annotations_does_not_matter(item, context):
    assume(item.annotations is not None)
    reordered = item._replace(annotations=dict(reversed((item.annotations or {}).items())))

    assert decide(reordered, context).reasons == decide(item, context).reasons


@example("4" * 5000)
@given(st.text(st.characters(codec="utf-8")))
def test_no_annotation_value_ends_in_an_exception(value):
    for key in (FEATURE_SET, FEATURE_GATE, MAJOR, CAPABILITY, INCLUDE):
        assert decide(annotated((key, value), resource=CRD), CONTEXT) is not None
