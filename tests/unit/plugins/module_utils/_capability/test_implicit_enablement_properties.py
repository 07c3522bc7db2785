# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds of every update, on small releases in which manifests meet in every way that there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import InclusionContext
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of, gated_capabilities
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import inclusion_rules
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import HopPlan, Plan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    FEATURE_GATE,
    FEATURE_SET,
    INCLUDE,
    MAJOR,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import (
    by_manifests,
    cluster_version,
    plan_of,
    plan_request,
    release,
)

DELETE = "release.openshift.io/delete"
TECH_PREVIEW = "TechPreviewNoUpgrade"

PATHS = (
    ("4.12.1", "4.13.1", "4.14.1"),
    ("4.13.1", "4.14.1", "4.16.1"),
    ("4.20.1", "4.20.2", "4.21.1"),
    ("4.21.1", "4.22.1", "4.23.1"),
    ("4.22.1", "4.23.1", "5.0.1"),
)
REQUESTED = ("baremetal", "Console", "Storage")  # every minor above knows them
NAMES = (*REQUESTED, "Build", "Ingress", "MachineAPI", "ClusterAPI", "Later")
KINDS = (("", "ConfigMap"), ("apiextensions.k8s.io", "CustomResourceDefinition"))


def needs(names: Sequence[str]) -> dict[str, str]:
    return {CAPABILITY: "+".join(names)} if names else {}


# None, one, two in any order or the same twice, three: drawn as one, because drawing is what these tests spend time on.
capabilities = st.sampled_from(
    [
        *[needs(())] * 60,
        *[needs((name,)) for name in NAMES] * 8,
        *[needs(names) for names in product(NAMES, repeat=2)],
        *[needs(names) for names in combinations(NAMES, 3)],
    ]
)
profiles = st.sampled_from([{INCLUDE: "true"}] * 8 + [{}, {INCLUDE: "false"}])
feature_sets = st.sampled_from([{}, *({FEATURE_SET: value} for value in ("Default", TECH_PREVIEW, "OKD"))])
feature_gates = st.sampled_from([{}, *({FEATURE_GATE: value} for value in ("On", "-On", "Off", "-Off"))])
majors = st.sampled_from([{}, *({MAJOR: value} for value in ("4", "5", "-5"))])
deletes = st.sampled_from([{}] * 4 + [{DELETE: "true"}])
nothing: dict[str, str] = {}
rarely = st.one_of(st.just(nothing), st.just(nothing), feature_sets, feature_gates, majors)


def merged(parts: Iterable[dict[str, str]]) -> dict[str, str]:
    return {key: value for part in parts for key, value in part.items()}


annotation_maps = st.one_of(
    st.tuples(profiles, capabilities).map(merged), st.tuples(profiles, capabilities, rarely, deletes).map(merged)
)
# No resource twice in one file: the CVO refuses such a release.
PLACES = [
    (file, ResourceId(group, kind, "" if group else "openshift-one", name))
    for file in ("a.yaml", "b.yaml", "c.yaml")
    for group, kind in KINDS
    for name in ("one", "two")
]

# A release of which nothing is for the profile is an error.
OF_PROFILE = Manifest(ResourceId("", "Namespace", "", "openshift-one"), "v1", {INCLUDE: "true"}, "a.yaml")


@st.composite
def manifests(draw: st.DrawFn) -> list[Manifest]:
    places = draw(st.lists(st.sampled_from(PLACES), min_size=3, max_size=9, unique=True))
    return [OF_PROFILE, *(Manifest(resource, "v1", draw(annotation_maps), file) for file, resource in places)]


contents = manifests()
selections = st.one_of(
    st.sampled_from([None, {"baselineCapabilitySet": "None"}, {"baselineCapabilitySet": "None"}]),
    st.builds(
        lambda baseline, additional: {
            "baselineCapabilitySet": baseline,
            "additionalEnabledCapabilities": sorted(additional),
        },
        st.sampled_from(["None", "None", "v4.11", "vCurrent"]),
        st.sets(st.sampled_from(REQUESTED)),
    ),
    st.builds(lambda names: {"excludedCapabilities": sorted(names)}, st.sets(st.sampled_from(REQUESTED))),
)
cluster_states = st.fixed_dictionaries(
    {},
    optional={
        "feature_gates": st.sampled_from([[], ["On"], ["On", "ClusterAPIMachineManagement"]]),
        "feature_set": st.sampled_from(["", TECH_PREVIEW]),
        "always_enabled_capabilities": st.sampled_from([[], ["Console"]]),
        "overrides": st.just(
            [{"kind": "ConfigMap", "group": "", "namespace": "openshift-one", "name": "one", "unmanaged": True}]
        ),
    },
)


class Case(NamedTuple):
    """A cluster that was never updated, and the releases that it goes through under the same gates all the time."""

    path: tuple[Release, ...]
    selection: dict[str, Any] | None
    criteria: dict[str, Any]

    def plan(self, path: Sequence[Release] | None = None, **options: Any) -> Plan:
        start = {} if "cluster_version" in options else {"capabilities": self.selection}
        return plan_of(path or self.path, **{**start, **self.criteria, **options}).plan

    @property
    def gates(self) -> frozenset[str] | None:
        return frozenset(self.criteria["feature_gates"]) if "feature_gates" in self.criteria else None

    def gated(self, index: int) -> frozenset[str]:
        """Names that a release of the path knows and cannot show."""
        minor = self.path[index].minor
        assert minor is not None
        data = data_of(minor)
        assert data is not None
        preview = self.criteria.get("feature_set") == TECH_PREVIEW
        on = frozenset({"ClusterAPIMachineManagement"} if preview else ()) if self.gates is None else self.gates
        return gated_capabilities(on) & data.capabilities

    def loaded(self, index: int) -> list[Manifest]:
        which = self.path[index]
        assert which.minor is not None
        context = InclusionContext(
            cluster_profile="self-managed-high-availability",
            feature_set=self.criteria.get("feature_set", ""),
            feature_gates=self.gates,
            exclude_identifier="",
            major_version=which.minor.major,
            rules=inclusion_rules(which.minor),
        )
        return reference.load(which.manifests, context)

    def loops(self, index: int, enabled: frozenset[str]) -> dict[str, list[reference.Pair]]:
        start, end = self.path[index : index + 2]
        feature_set = self.criteria.get("feature_set", "")
        return reference.expected(start, end, enabled, gates=self.gates, feature_set=feature_set)


def releases(versions: Sequence[str], *manifests: Sequence[Manifest]) -> tuple[Release, ...]:
    """Return releases in which a manifest's document is its position, so no two are equal."""
    return tuple(
        release(version, (item._replace(document=number) for number, item in enumerate(items, 1)))
        for version, items in zip(versions, manifests, strict=True)
    )


cases = st.builds(
    Case, st.builds(releases, st.sampled_from(PATHS), contents, contents, contents), selections, cluster_states
)
statuses = st.sets(st.sampled_from(NAMES)).map(frozenset)


def causes(hop: HopPlan) -> dict[str, list[str]]:
    """Return the causes of a name, whatever its position in the releases."""
    return {
        name: sorted(
            f"{cause.target.resource_id} {cause.current and cause.current.capabilities} {cause.target.capabilities}"
            for cause in item.causes
        )
        for name, item in by_manifests(hop).items()
    }


@given(cases)
def test_what_is_on_stays_on(case):
    plan = case.plan()

    for index, hop in enumerate(plan.hops, 1):
        assert hop.before.enabled - case.gated(index) <= hop.after.enabled
    for hop, following in pairwise(plan.hops):
        assert following.before == hop.after
    assert plan.status == plan.hops[-1].after


@given(cases)
def test_nothing_enabled_is_enabled_again(case):
    plan = case.plan()

    seen: set[str] = set()
    for index, hop in enumerate(plan.hops, 1):
        gated = case.gated(index)
        names = [item.name for item in hop.implicitly_enabled]
        assert names == sorted(set(names))
        assert hop.before.enabled.isdisjoint(names)
        assert seen.isdisjoint(names)
        assert hop.after.enabled.issuperset(set(names) - gated)
        assert hop.after.enabled.isdisjoint(gated)
        assert hop.newly_enabled == (hop.after.enabled - hop.before.enabled).union(names)
        # Nothing comes out of nowhere either.
        assert hop.newly_enabled <= hop.newly_requested | set(names) | hop.before.enabled
        assert hop.newly_requested == hop.requested - hop.before.enabled
        # A later release knows whatever the one before knew.
        assert hop.no_longer_optional == frozenset()
        # A gated name is enabled during each update, and disabled again.
        seen = (seen | set(names)) - gated


@given(cases)
def test_the_loops_say_the_same(case):
    for index, hop in enumerate(case.plan().hops):
        expected = case.loops(index, hop.before.enabled)
        found = by_manifests(hop)
        assert list(found) == sorted(expected)
        for name, pairs in expected.items():
            assert sorted(map(repr, map(tuple, found[name].causes))) == sorted(map(repr, pairs))
            assert [cause.target for cause in found[name].causes] == [new for _old, new in pairs]


@given(cases, statuses)
def test_the_loops_say_the_same_of_a_cluster_that_reports_its_status(case, enabled):
    """What the spec asks for and the status does not show yet is on before anything is compared."""
    untold = case.plan()
    running = (enabled | untold.hops[0].before.enabled) - case.gated(0)

    first, *others = case.plan(cluster_version=cluster_version(api(untold), enabled)).hops

    assert enabled <= first.before.enabled <= enabled | running  # with what the CVO always enables
    assert causes(first) == loop_causes(case.loops(0, running))
    assert [causes(hop) for hop in others] == [
        loop_causes(case.loops(index, hop.before.enabled)) for index, hop in enumerate(others, 1)
    ]
    assert first.after.enabled >= running - case.gated(1)
    assert first.after.enabled.isdisjoint(case.gated(1))


def loop_causes(expected: dict[str, list[reference.Pair]]) -> dict[str, list[str]]:
    return {
        name: sorted(f"{new.resource_id} {old.capabilities} {new.capabilities}" for old, new in expected[name])
        for name in sorted(expected)
    }


def api(plan: Plan) -> dict[str, Any]:
    """Return the selection in a ClusterVersion."""
    baseline = {} if plan.selection.baseline is None else {"baselineCapabilitySet": plan.selection.baseline}
    return {**baseline, "additionalEnabledCapabilities": list(plan.selection.additional)}


@given(cases)
def test_a_path_is_its_hops_one_by_one(case):
    whole = case.plan()

    first = case.plan(case.path[:2])
    reported = cluster_version(api(first), first.status.enabled, first.status.known)
    second = case.plan(case.path[1:], cluster_version=reported)

    assert first.hops == whole.hops[:1]
    assert second.hops == whole.hops[1:]
    assert (second.status, second.condition) == (whole.status, whole.condition)
    assert api(second) == api(first)


@given(cases)
def test_both_algorithms_agree_where_the_cluster_has_what_its_release_says(case):
    by_release = case.plan(case.path[:2]).hops[0]
    enabled = by_release.before.enabled
    current = case.loaded(0)
    live = [
        item.resource_id._asdict() for item in current if enabled.issuperset(item.capabilities) and not item.deletes
    ]

    assert case.plan(case.path[:2], live_resources=live).hops[0] == by_release
    by_presence = case.plan(case.path[:2], live_resources=live, rule="presence").hops[0]

    assert (by_presence.before, by_presence.after) == (by_release.before, by_release.after)
    found, expected = by_manifests(by_presence), by_manifests(by_release)
    assert list(found) == list(expected)
    for name, item in expected.items():
        targets = list(dict.fromkeys(id(cause.target) for cause in item.causes))
        assert [id(cause.target) for cause in found[name].causes] == targets


@given(cases, st.data())
def test_the_order_does_not_matter(case, data):
    """Neither that of manifests in a release nor that of its files."""
    moved = [data.draw(st.permutations(item.manifests)) for item in case.path]
    renamed = data.draw(st.permutations(["a.yaml", "b.yaml", "c.yaml"]))
    files = dict(zip(["a.yaml", "b.yaml", "c.yaml"], renamed, strict=True))
    path = tuple(
        item._replace(manifests=tuple(one._replace(file=files[one.file]) for one in manifests))
        for item, manifests in zip(case.path, moved, strict=True)
    )

    plan, other = case.plan(), case.plan(path)

    assert (other.status, other.condition, other.selection) == (plan.status, plan.condition, plan.selection)
    assert [causes(hop) for hop in other.hops] == [causes(hop) for hop in plan.hops]
    assert [counts(hop) for hop in other.hops] == [counts(hop) for hop in plan.hops]


def counts(hop: HopPlan) -> list[list[ResourceId]]:
    return [sorted(manifest.resource_id for manifest in side) for side in hop.changes]


@given(cases, annotation_maps, st.integers(0, 3), st.integers(0, 9))
def test_an_unrelated_resource_changes_nothing(case, extra, where, position):
    """One that only one release has, or that all have alike."""
    stranger = Manifest(ResourceId("", "ConfigMap", "openshift-one", "stranger"), "v1", extra, "a.yaml", 99)
    path = tuple(
        item._replace(manifests=(*item.manifests[:position], stranger, *item.manifests[position:]))
        if where in (index, 3)
        else item
        for index, item in enumerate(case.path)
    )

    plan, other = case.plan(), case.plan(path)

    assert (other.status, other.condition) == (plan.status, plan.condition)
    assert [by_manifests(hop) for hop in other.hops] == [by_manifests(hop) for hop in plan.hops]


@given(cases)
def test_the_same_release_again_enables_nothing(case):
    """Where each resource is in it once; two manifests of one resource are compared with each other."""
    start = case.path[0]
    start = start._replace(manifests=tuple({item.resource_id: item for item in start.manifests}.values()))
    later = start._replace(version=f"{start.minor}.9")

    (hop,) = case.plan((start, later)).hops

    assert hop.implicitly_enabled == ()
    assert hop.after == hop.before
    assert [list(side) for side in hop.changes] == [[], [], []]


@given(cases)
def test_the_condition_is_the_status_in_words(case):
    plan = case.plan()

    assert plan.condition is not None
    kind, status, reason, message = plan.condition
    start, colon, names = message.partition(": ")
    assert kind == "ImplicitlyEnabledCapabilities"
    if plan.status.implicitly_enabled:
        assert (status, reason) == ("True", "CapabilitiesImplicitlyEnabled")
        assert (start, colon) == ("The following capabilities could not be disabled", ": ")
        assert names.split(", ") == sorted(plan.status.implicitly_enabled)
    else:
        assert (status, reason, message) == ("False", "AsExpected", "Capabilities match configured spec")
    assert plan.status.implicitly_enabled <= plan.status.enabled
    surprises = {item.name for item in plan.hops[-1].implicitly_enabled} - plan.hops[-1].requested
    assert plan.status.implicitly_enabled >= surprises - case.gated(len(plan.hops))


@given(
    cases,
    st.lists(st.tuples(selections, cluster_states, st.sampled_from([(0, 1), (0, 2), (1, 2), (0, 1, 2)])), max_size=6),
)
def test_clusters_of_a_fleet_get_the_plans_that_they_get_alone(case, others):
    """Equal questions get one object, and nothing of one cluster gets into the answer of another."""
    fleet = Planner(case.path)
    for selection, criteria, positions in (*others, (case.selection, case.criteria, (0, 1, 2)), *others):
        first, again = (plan_request(case.path, positions, capabilities=selection, **criteria) for _time in range(2))
        assert first is not again
        answer = reference.shared_plan(fleet, first)
        assert reference.shared_plan(fleet, again) is answer
        alone = reference.shared_plan(Planner(case.path), again)
        assert alone is not answer
        assert alone == answer
