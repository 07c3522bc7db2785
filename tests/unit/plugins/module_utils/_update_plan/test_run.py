# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is reported about the clusters of a fleet, and about the releases that they name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    DEPLOYMENTS,
    FEATURE_GATES,
    INFRASTRUCTURES,
    NAMESPACES,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import FleetPlan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.releases import PathReleases
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    PlanOptions,
    SharedOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import (
    PlanSerializer,
    planning_result,
    shown_problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_cluster, plan_fleet
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import (
    BAREMETAL,
    NOTHING,
    Releases,
    cluster_version,
    write_releases,
)

EXAMPLES = Path(__file__).parents[5] / "examples" / "releases"
MACHINE_API_FORBIDDEN = SharedOptions(forbidden_capabilities=["MachineAPI"])
ENABLED = ["DeploymentConfig", "MachineAPI"]
"""What an update from 4.13 to 4.14 enables."""


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    return write_releases(tmp_path_factory.mktemp("releases"))


def planned(releases: Releases, *entries: dict[str, Any], **options: Any) -> FleetPlan:
    common = PlanOptions(ClusterOptions(), releases=releases.path)
    shared = SharedOptions(**options)
    return plan_fleet([common.of_cluster(entry, at) for at, entry in enumerate(entries)], shared)


def connect() -> Any:
    """Return no client, because a fleet must not connect."""
    raise AssertionError


@pytest.mark.parametrize(
    ("clusters", "options", "expected"),
    [
        ([], {}, "clusters: is empty. Add a cluster, or remove the option"),
        (
            [{"name": "a", "releases": []}, {"name": "a", "releases": []}],
            {},
            "clusters[1] (a).name: 'a' is also the name of clusters[0] (a). Use a unique name for each cluster",
        ),
        (
            [{"name": "", "releases": []}],
            {},
            "clusters[0].name: is empty. Set a name for each cluster",
        ),
        (
            [{"name": "a"}],
            {},
            "clusters[0] (a).releases: is missing. Set the path here, or releases for all clusters",
        ),
        (
            [{"name": name, "releases": [], "extra_manifests": ["no.yaml"]} for name in "ab"],
            {},
            "clusters[0] (a), clusters[1] (b): extra_manifests[0]: is no.yaml, which does not exist. Name files or "
            "directories with manifests",
        ),
        (
            [{"name": "a", "releases": []}],
            {"connect": connect},
            "clusters: cannot be combined with connection options (kubeconfig, context, host), which select one "
            "cluster. Remove the connection options, and set cluster_version for each cluster",
        ),
    ],
)
def test_an_invalid_fleet_is_reported(clusters, options, expected):
    common = PlanOptions(ClusterOptions())
    with pytest.raises(InvalidOptionError) as raised:
        plan_fleet([common.of_cluster(entry, at) for at, entry in enumerate(clusters)], **options)

    assert expected in list(map(str, raised.value.problems))


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        (
            7,
            "releases[0]: is 7, expected a directory or the name of an image. "
            "Write PATH, or {release: PATH, openshift_version: X.Y.Z}",
        ),
        ({"releas": "a"}, "releases[0].releas: is not a field of a release. Did you mean release?"),
    ],
)
def test_an_invalid_release_is_reported(release, expected):
    problems = Problems()

    assert PathReleases().read_path([release], "", "releases", problems) is None
    assert list(map(str, problems)) == [expected]


def test_equal_releases_are_named_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    references, problems = PathReleases(), Problems()
    paths = [
        references.read_path(path, "profile", "releases", problems)
        for path in (["a", "b"], ["b", "./a"], [{"release": str(tmp_path / "a")}], ["a"])
    ]

    assert paths == [(0, 1), (1, 0), (0,), (0,)]
    assert problems == []


def test_a_plan_as_a_result(releases):
    options = PlanOptions(ClusterOptions(capabilities=BAREMETAL, platform="aws"), releases.hop)
    fleet = plan_cluster(options)

    brief = planning_result(fleet, of_fleet=False, details=False, options=SharedOptions())
    full = planning_result(fleet, of_fleet=False, details=True, options=SharedOptions())

    (hop,), (details,) = brief["hops"], full["hops"]
    assert (brief["changed"], brief["violations"], brief["releases"]) == (False, [], ["4.13.5", "4.14.2"])
    assert (brief["verdict"], brief["cluster_checked"]) == (hop["verdict"], False)
    assert brief["capabilities"]["additional_enabled_capabilities"] == ["baremetal"]
    assert (hop["from"], hop["to"], hop["downgrade"]) == ("4.13.5", "4.14.2", False)
    assert brief["newly_enabled"] == hop["newly_enabled"] == ENABLED
    assert hop["enabled_before"] == ["baremetal"]
    assert hop["enabled_after"] == brief["enabled_capabilities"] == [*ENABLED, "baremetal"]
    assert brief["known_capabilities"] == hop["known_after"]
    assert brief["implicitly_enabled_capabilities"] == ENABLED
    assert (brief["condition"]["status"], hop["no_longer_optional"]) == ("True", [])
    assert hop["newly_known"] == ["Build", "ImageRegistry"]
    assert hop["not_in_fresh_install"] == ENABLED
    assert [item["code"] for item in hop["not_checked"]]
    (forced, enabled), (_forced, all_of_it) = hop["implicitly_enabled"], details["implicitly_enabled"]
    assert (forced["cause"], forced["count"], bool(forced["source"])) == ("forced", 0, True)
    assert [enabled[key] for key in ("name", "cause", "count", "requested")] == ["MachineAPI", "manifest", 3, False]
    assert (len(enabled["resources"]), len(all_of_it["resources"])) == (1, 3)
    assert enabled["resources"] == all_of_it["resources"][:1]
    assert all_of_it["resources"][0] == {
        "group": "apps",
        "kind": "Deployment",
        "namespace": "operators",
        "name": "machine-api",
        "from_file": "release-manifests/0000_30_machine-api_01.yaml",
        "to_file": "release-manifests/0000_30_machine-api_09.yaml",
        "from_capabilities": [],
        "to_capabilities": ["MachineAPI"],
        "deleted": False,
    }
    assert hop.keys() | {"added", "removed"} < details.keys()
    names = {key: [item["name"] for item in details[key]] for key in ("added", "removed", "deleted")}
    assert names == {"added": ["new", "vsphere"], "removed": ["old"], "deleted": ["gone"]}
    assert [(item["name"], len(item["resources"])) for item in details["moved"]] == [("baremetal", 1)]
    requests = [(item["name"], item["new"]) for item in details["credentials_requests"]]
    assert requests == [("ebs", False)]
    assert "added" not in hop


def test_a_downgrade_names_what_it_creates_and_leaves(releases):
    options = PlanOptions(ClusterOptions(capabilities=BAREMETAL), releases=[releases.r4_13, releases.r4_10])
    fleet = plan_cluster(options, SharedOptions(allow_downgrade=True))
    result = planning_result(fleet, of_fleet=False, details=True, options=SharedOptions())

    (hop,) = result["hops"]
    assert (hop["downgrade"], result["condition"]) == (True, None)
    assert set(hop["no_longer_optional"]) == set(hop["newly_enabled"]) == {*hop["known_before"]} - {"baremetal"}
    assert [item["name"] for item in hop["added"]] == ["console"]


def test_clusters_of_a_fleet_share_plans_and_their_problems_name_them(releases):
    fleet = planned(
        releases,
        {"name": "a", "capabilities": NOTHING},
        {"name": "b", "capabilities": BAREMETAL},
        {"name": "c", "capabilities": NOTHING},
        forbidden_capabilities=["MachineAPI"],
    )
    result = planning_result(fleet, of_fleet=True, details=False, options=MACHINE_API_FORBIDDEN)

    assert (result["clusters"], len(result["plans"])) == ({"a": 0, "b": 1, "c": 0}, 2)
    assert result["summaries"].keys() == {"a", "b", "c"}
    assert result["summaries"]["a"] == result["summaries"]["c"]
    assert result["summaries"]["b"]["implicitly_enabled"] == ENABLED
    assert result["summaries"]["b"]["releases"] == ["4.13.5", "4.14.2", "4.15.0"]
    assert result["summaries"]["b"]["newly_enabled"] == ENABLED
    found = [(item["name"], item["from"], item["to"], item["clusters"]) for item in result["violations"]]
    assert found == [("MachineAPI", "4.13.5", "4.14.2", ["a", "c"]), ("MachineAPI", "4.13.5", "4.14.2", ["b"])]
    assert [item["message"].partition(": ")[0] for item in result["violations"]] == ["a, c", "b"]
    report = PlanSerializer().report(fleet, "2026-02-03")
    assert [item["clusters"] for item in report["plans"]] == [["a", "c"], ["b"]]
    assert (report["origin"]["date"], report["origin"]["cluster"]) == ("2026-02-03", "")
    assert [item["version"] for item in report["origin"]["releases"]] == result["summaries"]["b"]["releases"]


def test_a_violation_of_a_single_cluster_names_no_cluster(releases):
    options = PlanOptions(ClusterOptions(capabilities=NOTHING), releases=releases.hop)
    fleet = plan_cluster(options, MACHINE_API_FORBIDDEN)
    (found,) = planning_result(fleet, of_fleet=False, details=False, options=MACHINE_API_FORBIDDEN)["violations"]

    assert (found["clusters"], found["message"].startswith("4.13.5 to 4.14.2 enables")) == ([], True)


def test_problems_of_some_plans_of_a_fleet_are_in_these_plans(releases):
    unknown = {"enabled_capabilities": ["Nope"], "known_capabilities": ["Console"]}
    some = planned(releases, {"name": "a", **unknown}, {"name": "b", "capabilities": NOTHING})
    every = planned(releases, {"name": "a", **unknown}, {"name": "b", **unknown, "platform": "aws"})

    def shown(fleet: FleetPlan, *, of_fleet: bool) -> list[tuple[str, str]]:
        return [(item.code, str(item.where)) for item in shown_problems(fleet, of_fleet=of_fleet)]

    hops = [("unknown-capability", "4.13.5 to 4.14.2"), ("unknown-capability", "4.14.2 to 4.15.0")]
    others = [("separate-problems", "clusters")]
    assert set(hops) < set(shown(some, of_fleet=False))
    assert (shown(some, of_fleet=True), shown(every, of_fleet=True)) == (others, [*hops, *others])
    plans = planning_result(some, of_fleet=True, details=False, options=SharedOptions())["plans"]
    assert [len(plan["problems"]) for plan in plans] == [4, 0]


def test_a_gate_that_the_releases_do_not_list_is_reported_with_its_cluster(releases):
    path = {"releases": [str(EXAMPLES / version) for version in ("4.21.0", "4.22.0")]}
    fleet = planned(releases, {"name": "a", **path}, {"name": "b", **path, "feature_gates": ["Odd"]})

    found = [[(item.code, str(item.where)) for item in result.problems] for result in fleet.plans]
    assert found == [[], [("unknown-feature-gate", "b: feature_gates")]]


def test_a_selected_cluster_is_read_and_named(releases):
    server = ApiServer(CLUSTER_VERSIONS, DEPLOYMENTS, FEATURE_GATES, INFRASTRUCTURES)
    server.put(NAMESPACES, "operators")
    server.put(DEPLOYMENTS, "machine-api", "operators")
    status = {"platformStatus": {"type": "AWS"}, "infrastructureName": "paris-x7"}
    server.put(INFRASTRUCTURES, "cluster", status=status)
    obj = cluster_version(clusterID="1-2")
    server.put(CLUSTER_VERSIONS, "version", spec=obj["spec"], status=obj["status"])
    options = PlanOptions(ClusterOptions(feature_set="", feature_gates=[]), releases=releases.hop)

    acceptances = [{"name": name, "reason": "why", "clusters": [f"{name}*", "paris-*"]} for name in ENABLED]
    fleet = plan_cluster(options, SharedOptions(acceptances=acceptances, cluster_name="rome"), connect=server.client)

    assert [item.name for item in fleet.plans[0].accepted] == ENABLED
    result = planning_result(fleet, of_fleet=False, details=True, options=SharedOptions())
    assert (result["hops"][0]["enabled_before"], result["newly_enabled"]) == (["Console", "baremetal"], ENABLED)
    origin = PlanSerializer().report(fleet, "")["origin"]
    assert origin["cluster"] == "rome, paris-x7, ID 1-2"
    assert [item["name"] for item in origin["releases"]] == [releases.r4_13, releases.r4_14]
    assert not [request for request in server.requests if not request.startswith("GET ")]


def test_a_cluster_version_can_be_a_file(releases, tmp_path: Path):
    file = tmp_path / "version.json"
    file.write_text(json.dumps(cluster_version()), "utf-8")
    plan = plan_cluster(PlanOptions(ClusterOptions(), releases=releases.hop, cluster_version=str(file)))

    assert plan.plans[0].plan.hops[0].before.enabled == {"Console", "baremetal"}


@pytest.mark.parametrize(
    ("options", "where", "code"),
    [
        ({"rule": "presence"}, "rule", "missing-option"),
        ({"releases": ["/nowhere"]}, "/nowhere", "missing-directory"),
    ],
)
def test_what_a_plan_cannot_use_is_an_error(releases, options, where, code):
    given = {"releases": releases.hop, **options}
    with pytest.raises(InvalidOptionError) as raised:
        plan_cluster(PlanOptions(ClusterOptions(capabilities=NOTHING), **given))

    assert (where, code) in [(str(item.where), item.code) for item in raised.value.problems]


def test_a_forbidden_name_is_not_checked_without_the_releases(tmp_path):
    options = PlanOptions(ClusterOptions(capabilities=NOTHING), releases=[str(tmp_path / "x"), str(tmp_path / "y")])
    with pytest.raises(InvalidOptionError) as raised:
        plan_cluster(options, SharedOptions(forbidden_capabilities=["Console"]))

    assert "forbidden_capabilities[0]" not in [str(item.where) for item in raised.value.problems]


def test_a_forbidden_name_that_no_release_knows_is_an_error(releases):
    options = PlanOptions(ClusterOptions(capabilities=NOTHING), releases=releases.hop)
    with pytest.raises(InvalidOptionError) as raised:
        plan_cluster(options, SharedOptions(forbidden_capabilities=["Consle"]))

    assert [str(item.where) for item in raised.value.problems] == ["forbidden_capabilities[0]"]
