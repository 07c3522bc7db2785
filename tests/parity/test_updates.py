# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What updates enable, on real releases and on synthetic ones, is what the CVO's own code enables."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.filter.implicitly_enabled_capabilities import FilterModule
from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.implicit_enablement import (
    ImplicitEnablement,
    MovedResource,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import InclusionContext, decide
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    CAPABILITIES,
    DEFAULT_CLUSTER_PROFILE,
    FORCED_CAPABILITIES,
    newest_minor,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.feature_sets import feature_set_names
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor, precedence
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import HopPlan, Plan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner, PlanResult
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanOptions
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import PlanSerializer
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_cluster, plan_fleet
from ansible_collections.capability.openshift.tests.parity.make_facts import digest
from ansible_collections.capability.openshift.tests.parity.support import (
    FACT_RELEASES,
    SyntheticUpdate,
    Update,
    fact_release,
    load,
    release_facts,
    release_folders,
    synthetic_updates,
    updates,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import (
    Pair,
    by_manifests,
    plan_request,
)

PATH = ("4.13", "4.14", "4.18", "4.20")
NAMES = sorted(capability.name for capability in CAPABILITIES)
folders = pytest.mark.parametrize("folder", release_folders())

# What the path 4.13, 4.14, 4.18, 4.20 enables by manifests, hop by hop, whatever of 4.13 is on.
NEWLY_ENABLED = (
    ("Build", "ImageRegistry", "MachineAPI"),
    ("CloudControllerManager", "CloudCredential", "Ingress", "OperatorLifecycleManager"),
    (),
)
CONDITIONS = [
    (
        "None",
        "True",
        "CapabilitiesImplicitlyEnabled",
        "The following capabilities could not be disabled: Build, CloudControllerManager, CloudCredential, "
        "DeploymentConfig, ImageRegistry, Ingress, MachineAPI, OperatorLifecycleManager",
    ),
    (
        # MachineAPI was put into it afterwards, so it is requested from 4.14 on.
        "v4.11",
        "True",
        "CapabilitiesImplicitlyEnabled",
        "The following capabilities could not be disabled: Build, CloudControllerManager, CloudCredential, "
        "DeploymentConfig, ImageRegistry, Ingress, OperatorLifecycleManager",
    ),
    ("vCurrent", "False", "AsExpected", "Capabilities match configured spec"),
]
CAN_BE_EXPRESSED = 39
SYNTHETIC = [pytest.param(case, id=str(number)) for number, case in enumerate(synthetic_updates())]


@cache
def fleet() -> Planner:
    return Planner([fact_release(release) for release in PATH])


@cache
def resources(release: str) -> Mapping[ResourceId, Sequence[Manifest]]:
    found: dict[ResourceId, list[Manifest]] = {}
    for manifest in release_facts(release).manifests:
        found.setdefault(manifest.resource_id, []).append(manifest)
    return found


def planned(path: Sequence[str], **options: Any) -> PlanResult:
    releases = [fact_release(release) for release in PATH]
    positions = tuple(PATH.index(release) for release in path)
    return reference.shared_plan(fleet(), plan_request(releases, positions, **options))


def from_baseline(baseline: str, **more: Any) -> dict[str, Any]:
    return {"capabilities": {"baselineCapabilitySet": baseline}, **more}


def names(hop: HopPlan) -> tuple[str, ...]:
    return tuple(by_manifests(hop))


def test_the_data_is_all_there() -> None:
    assert FACT_RELEASES == PATH
    assert len(updates()) == 24
    assert len({update.path for update in updates()}) == 2
    assert len(synthetic_updates()) == 60
    # Few of them enable anything, so the plans are also compared with the loops of tests/unit/oracles.
    assert sum(set(case.implicit) > set(case.config["implicit"]) for case in synthetic_updates()) == 3
    assert sum(map(can_be_expressed, synthetic_updates())) == CAN_BE_EXPRESSED


@pytest.mark.parametrize("update", updates(), ids=str)
def test_golden_update(update: Update) -> None:
    inputs = update.inputs
    options = {
        "capabilities": {
            "baselineCapabilitySet": inputs["baseline"],
            "additionalEnabledCapabilities": inputs["additional"],
        },
        "cluster_profile": inputs["profile"],
        "feature_set": inputs["featureSet"],
        "always_enabled_capabilities": [],
    }
    (hop,) = planned(update.path, **options).plan.hops

    assert (sorted(hop.before.enabled), sorted(hop.before.known)) == (inputs["enabled"], inputs["known"])
    assert hop.before.implicitly_enabled == frozenset()
    assert list(names(hop)) == inputs["implicit"]
    assert hop.after.enabled >= hop.before.enabled | set(inputs["implicit"])
    start, end = map(resources, update.path)
    facts = InclusionContext(
        cluster_profile=inputs["profile"],
        feature_set=inputs["featureSet"],
        exclude_identifier="",
        major_version=4,
        capability_status=hop.before,
    )
    for name, item in by_manifests(hop).items():
        assert item.causes
        for current, target in item.causes:
            assert current is not None
            assert current in start[target.resource_id]
            assert target in end[target.resource_id]
            assert decide(current, facts).included
            assert {reason.rule for reason in decide(target, facts).reasons} <= {
                "disabled_capability",
                "unknown_capability",
            }
            assert name in target.capabilities
            assert name not in current.capabilities
    old, new = map(fact_release, update.path)
    assert_causes(by_manifests(hop), reference.expected(old, new, hop.before.enabled))


@pytest.mark.parametrize("case", SYNTHETIC)
def test_synthetic_update(case: SyntheticUpdate) -> None:
    current, target = (loaded(case, side) for side in (case.current, case.update))
    implicit = frozenset(case.config["implicit"])

    newly_enabled = ImplicitEnablement(current, target).implicitly_enabled(case.enabled)

    assert sorted(implicit.union(newly_enabled)) == list(case.implicit)
    gates, major = case.facts.feature_gates, case.facts.major_version
    slow = reference.implicitly_enabled(
        current, target, case.enabled, implicit=implicit, gates=gates, majors=(major, major)
    )
    assert sorted(implicit.union(slow)) == list(case.implicit)


def can_be_expressed(case: SyntheticUpdate) -> bool:
    """Return whether the options of the filter can: it always has a profile, and a feature set that there is."""
    return case.config["profile"] is not None and case.config["featureSet"] in ("", *feature_set_names(newest_minor()))


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=str(number)) for number, case in enumerate(synthetic_updates()) if can_be_expressed(case)],
)
def test_synthetic_update_through_the_filter(case: SyntheticUpdate) -> None:
    config = case.config
    values = {
        "openshift_version": {4: "4.23", 5: "5.2"}.get(config["major"]),
        "cluster_profile": config["profile"],
        "feature_set": config["featureSet"],
        "feature_gates": config["gates"],
        "exclude_identifier": "unused" if config["exclude"] is None else config["exclude"],
        "hosted_control_plane": False,  # The facts are those of the CVO alone.
    }
    options = {name: value for name, value in values.items() if value is not None}
    ask_filter = FilterModule().filters()["implicitly_enabled_capabilities"]

    newly_enabled = ask_filter(list(case.current), list(case.update), config["enabled"], **options)

    assert newly_enabled == sorted(newly_enabled)
    assert sorted({*config["implicit"], *newly_enabled}) == list(case.implicit)


def loaded(case: SyntheticUpdate, side: tuple[dict[str, Any], ...]) -> list[Manifest]:
    facts = case.facts._replace(capability_status=None, overrides=())
    return [manifest for manifest in case.manifests(side) if decide(manifest, facts).included]


@pytest.mark.parametrize("baseline", ["None", "v4.11", "v4.13", "vCurrent"])
def test_path_from_a_baseline(baseline: str) -> None:
    assert_path(planned(PATH, **from_baseline(baseline)).plan, baseline)


def test_path_from_none_names_what_is_new_and_what_stays_off() -> None:
    first, second, third = planned(PATH, **from_baseline("None")).plan.hops

    assert (first.newly_requested, second.newly_requested, third.newly_requested) == (frozenset(),) * 3
    assert (first.newly_known, third.newly_known) == (frozenset(), frozenset())
    assert second.newly_known == {"OperatorLifecycleManagerV1"}
    assert third.before.enabled == third.after.enabled == {*NEWLY_ENABLED[0], *NEWLY_ENABLED[1], "DeploymentConfig"}


@pytest.mark.parametrize("baseline", ["None", "v4.11", "vCurrent"])
@pytest.mark.parametrize("present", [[], [{"kind": "Namespace", "name": "openshift-marketplace"}]])
def test_resources_on_the_cluster_do_not_change_what_an_update_enables(
    present: list[dict[str, str]], baseline: str
) -> None:
    """With a list that lacks its resources, Build was missed; with one made by hand, marketplace was enabled."""
    plan = planned(PATH, **from_baseline(baseline, live_resources=present)).plan
    assert_path(plan, baseline)


@pytest.mark.parametrize(("baseline", "status", "reason", "message"), CONDITIONS)
def test_condition_at_the_end(baseline: str, status: str, reason: str, message: str) -> None:
    condition = planned(PATH, **from_baseline(baseline)).plan.condition
    assert condition == ("ImplicitlyEnabledCapabilities", status, reason, message)


@pytest.mark.parametrize(
    ("end", "implicit"),
    [
        ("4.14", "Build, DeploymentConfig, ImageRegistry, MachineAPI"),
        ("4.18", "Build, CloudControllerManager, CloudCredential, Ingress, OperatorLifecycleManager, "),
    ],
)
def test_the_current_set_asks_for_all_of_it_in_the_end(end: str, implicit: str) -> None:
    """A surprise for the outgoing CVO, and what the selection asks for in the incoming one."""
    (hop,) = planned(("4.13", end), **from_baseline("vCurrent")).plan.hops

    assert hop.implicitly_enabled
    assert {item.name for item in hop.implicitly_enabled} <= hop.requested
    assert {item.name for item in hop.implicitly_enabled} <= hop.newly_requested
    assert hop.after.implicitly_enabled == frozenset()
    assert hop.after.enabled == hop.after.known


def test_hosted_clusters_differ() -> None:
    """No Ingress by force there, and a Deployment of theirs alone was annotated late."""
    cvo_alone = {"hosted_control_plane": False}
    hosted, standalone = (
        planned(("4.18", "4.20"), **from_baseline("None", cluster_profile=profile, **cvo_alone)).plan.hops[0]
        for profile in ("ibm-cloud-managed", DEFAULT_CLUSTER_PROFILE)
    )
    assert [sorted(status.enabled) for status in (hosted.before, hosted.after)] == [[], ["Console"]]
    (cause,) = by_manifests(hosted)["Console"].causes
    assert str(cause.target.resource_id) == "Deployment.apps openshift-console-operator/console-operator"
    assert [sorted(status.enabled) for status in (standalone.before, standalone.after)] == [["Ingress"], ["Ingress"]]


@pytest.mark.parametrize(("start", "end"), list(permutations(PATH, 2)))
@pytest.mark.parametrize("profile", [DEFAULT_CLUSTER_PROFILE, "ibm-cloud-managed"])
def test_real_releases_against_the_loops(start: str, end: str, profile: str) -> None:
    releases = fact_release(start), fact_release(end)
    facts = InclusionContext(cluster_profile=profile, feature_set="", exclude_identifier="", major_version=4)
    current, target = (reference.load(release.manifests, facts) for release in releases)
    hop = ImplicitEnablement(current, target)
    for enabled in enabled_sets(f"{start} {end} {profile}"):
        newly_enabled = hop.implicitly_enabled(enabled)
        assert_causes(newly_enabled, reference.implicitly_enabled(current, target, enabled))
        present = frozenset(item.resource_id for item in current if enabled.issuperset(item.capabilities))
        assert list(hop.enabled_by_presence(enabled, present)) == list(newly_enabled)


def test_random_manifests_against_the_loops() -> None:
    chance = random.Random("loops")
    answers = set()
    for _round in range(400):
        sides = [[made_up(chance, f"{number}.yaml") for number in range(chance.randrange(25))] for _side in range(2)]
        gates = chance.choice([None, frozenset(), frozenset({"On"})])
        majors = chance.choice([(4, 4), (4, 5), (5, 5)])
        enabled = frozenset(chance.sample(NAMES[:6], chance.randrange(5)))
        facts = InclusionContext(cluster_profile="p", feature_set="", feature_gates=gates, exclude_identifier="x")
        current, target = (
            reference.load(side, facts._replace(major_version=major)) for side, major in zip(sides, majors, strict=True)
        )
        newly_enabled = ImplicitEnablement(current, target).implicitly_enabled(enabled)
        slow = reference.implicitly_enabled(current, target, enabled, gates=gates, majors=majors)
        assert_causes(newly_enabled, slow)
        answers.add(frozenset(newly_enabled))
    assert len(answers) > 50, "the made-up releases hardly turn anything on"


def made_up(chance: random.Random, file: str) -> Manifest:
    annotations = {}
    if chance.random() < 0.95:
        annotations["include.release.openshift.io/p"] = "true"
    if chance.random() < 0.6:
        annotations["capability.openshift.io/name"] = "+".join(chance.choices(NAMES[:6], k=chance.randrange(4)))
    if chance.random() < 0.1:
        annotations["exclude.release.openshift.io/x"] = "true"
    if chance.random() < 0.1:
        annotations["release.openshift.io/delete"] = "true"
    if chance.random() < 0.2:
        annotations["release.openshift.io/feature-gate"] = chance.choice(["On", "-On", "Off", "-Off"])
    elif chance.random() < 0.2:
        annotations["release.openshift.io/feature-set"] = chance.choice(["Default", "TechPreviewNoUpgrade", "OKD"])
    group, kind = chance.choice([("apiextensions.k8s.io", "CustomResourceDefinition"), ("", "ConfigMap")])
    if kind != "ConfigMap" and chance.random() < 0.3:
        annotations["release.openshift.io/major-version"] = chance.choice(["4", "5", "-4", "-5"])
    resource = ResourceId(group, kind, chance.choice(["", "a"]), chance.choice("abc"))
    return Manifest(resource, "v1", annotations, file)


def enabled_sets(seed: str) -> list[frozenset[str]]:
    """Return nothing, everything, everything but one, and some of it."""
    chance = random.Random(seed)
    sizes = (0, len(NAMES), *[len(NAMES) - 1] * 3, *[chance.randrange(len(NAMES)) for _number in range(7)])
    return [frozenset(chance.sample(NAMES, size)) for size in sizes]


# The rest reads the releases themselves.


@folders
def test_next_release_against_the_loops(folder: Path) -> None:
    """Any releases, those that no golden data are of included."""
    following = next_folder(folder)
    if following is None:
        pytest.skip("there is no later release in the folder")
    start, end = path = [load(item) for item in (folder, following)]
    gates = outgoing_gates(start)
    for baseline in ("None", "v4.11", "vCurrent"):
        (hop,) = reference.plan_of(path, **from_baseline(baseline)).plan.hops
        assert_causes(by_manifests(hop), reference.expected(start, end, hop.before.enabled, gates=gates))
        present = [
            item.resource_id._asdict() for item in start.manifests if hop.before.enabled.issuperset(item.capabilities)
        ]
        (by_presence,) = reference.plan_of(
            path, **from_baseline(baseline, live_resources=present, rule="presence")
        ).plan.hops
        # Resources that the old release excludes for another reason exist on this cluster, so more can be enabled.
        assert set(names(by_presence)) >= set(names(hop))


@folders
@pytest.mark.parametrize("baseline", ["None", "v4.11", "vCurrent"])
def test_path_of_real_releases(folder: Path, baseline: str) -> None:
    """The whole way of the module, from the directories on."""
    path = golden_folders(folder)
    options = PlanOptions(ClusterOptions(capabilities={"baselineCapabilitySet": baseline}))
    (result,) = plan_cluster(options._replace(releases=[str(item) for item in path])).plans
    plan = result.plan
    assert plan.releases == ("4.13.0", "4.14.0", "4.18.0", "4.20.0")
    assert_path(plan, baseline)
    assert plan.condition is not None
    assert [tuple(plan.condition)[1:]] == [row[1:] for row in CONDITIONS if row[0] == baseline]
    of_facts = planned(PATH, **from_baseline(baseline))
    real, expected = (PlanSerializer().plan(item, details=True) for item in (result, of_facts))
    for answer in (real, expected):  # the golden manifests have no bodies, so their gates are not known
        for hop in answer["hops"]:
            for key in ("verdict", "reasons", "not_checked"):
                del hop[key]
    assert {**real, "verdict": None} == {**expected, "verdict": None}


@folders
def test_golden_updates_of_real_releases(folder: Path) -> None:
    paths = dict(zip(PATH, golden_folders(folder), strict=True))
    clusters = [
        {
            "name": str(update),
            "releases": [str(paths[release]) for release in update.path],
            "capabilities": {
                "baselineCapabilitySet": update.inputs["baseline"],
                "additionalEnabledCapabilities": update.inputs["additional"],
            },
        }
        for update in updates()
    ]
    common = PlanOptions(ClusterOptions(always_enabled_capabilities=[]))
    planned_fleet = plan_fleet([common.of_cluster(entry, at) for at, entry in enumerate(clusters)])
    assert list(planned_fleet.clusters) == list(map(str, updates()))
    for update in updates():
        (hop,) = planned_fleet.plans[planned_fleet.clusters[str(update)]].plan.hops
        assert list(names(hop)) == update.inputs["implicit"], str(update)


def golden_folders(folder: Path) -> tuple[Path, ...]:
    """Return the folders that the facts were made of; ``folder`` is one of them, and the first, or it is skipped."""
    found = {digest_of(path): path for path in sorted(folder.parent.iterdir()) if (path / "release-manifests").is_dir()}
    path = [found.get(release_facts(release).digest) for release in PATH]
    if path[0] != folder:
        pytest.skip("planned once, from the first of the releases that have committed facts")
    if None in path:
        pytest.skip(f"not all releases are there that facts are committed of: {', '.join(PATH)}")
    return tuple(item for item in path if item is not None)


@cache
def digest_of(folder: Path) -> str:
    return digest(folder)


def next_folder(folder: Path) -> Path | None:
    versions = {}
    for param in release_folders():
        (path,) = param.values
        versions[path] = precedence(load(path).version or str(load(path).minor))
    later = [path for path, version in versions.items() if version > versions[folder]]
    return min(later, key=lambda path: versions[path], default=None)


def outgoing_gates(release: Release) -> frozenset[str] | None:
    """Return the gates that the release enables itself where its CVO asks for them."""
    if release.minor is None or release.minor < Minor(4, 22):
        return None
    return frozenset(
        gate["name"]
        for manifest in release.manifests
        if manifest.resource_id.kind == "FeatureGate"
        and decide(manifest, InclusionContext(feature_set="", major_version=release.minor.major)).included
        and f"include.release.openshift.io/{DEFAULT_CLUSTER_PROFILE}" in (manifest.annotations or {})
        for entry in release.read_body(manifest)["status"]["featureGates"]
        for gate in entry.get("enabled", ())
    )


def assert_path(plan: Plan, baseline: str) -> None:
    """Check the hops of the whole path. ``baseline`` enables its own names; the resources decide alone."""
    hops = plan.hops
    assert [(hop.from_version, hop.to_version) for hop in hops] == [
        (f"{start}.0", f"{end}.0") for start, end in pairwise(PATH)
    ]
    # From the current set nothing is left to be enabled after the first hop but what later minors know.
    assert tuple(map(names, hops)) == NEWLY_ENABLED
    for hop in hops:
        assert all(item.causes for item in by_manifests(hop).values())
        assert not hop.no_longer_optional
        assert hop.after.enabled >= hop.before.enabled
    forced = [[item for item in hop.implicitly_enabled if item.cause == "forced"] for hop in hops]
    assert [[item.name for item in found] for found in forced] == [["DeploymentConfig"], [], []]
    (deployment_config,) = forced[0]
    assert deployment_config.causes == ()
    assert deployment_config.source == FORCED_CAPABILITIES[0].source
    assert "cluster-version-operator#981" in deployment_config.source
    requested = {item.name for hop in hops for item in hop.implicitly_enabled if item.name in hop.requested}
    everything = {*NEWLY_ENABLED[0], *NEWLY_ENABLED[1], "DeploymentConfig"}
    assert requested == {"None": set(), "vCurrent": everything}.get(baseline, {"MachineAPI"})
    off = "OperatorLifecycleManagerV1"
    assert (off in plan.status.enabled) == (baseline == "vCurrent")
    assert off in plan.status.known


def assert_causes(newly_enabled: Mapping[str, Any], slow: Mapping[str, Sequence[Pair]]) -> None:
    """Check names and causes; the order of names is the alphabet's, that of causes the new release's."""
    assert list(newly_enabled) == sorted(slow)
    for name, pairs in slow.items():
        found = newly_enabled[name]
        causes = found.causes if hasattr(found, "causes") else found
        assert sorted(map(repr, causes)) == sorted(repr(MovedResource(*pair)) for pair in pairs)
        order = [pair[1] for pair in pairs]
        assert [cause.target for cause in causes] == order
