# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_update on a model of a cluster: what it refuses before the first write, and how it continues."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import ADMIN_ACKS, ADMIN_GATES
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_properties import CVO_DEPLOYMENT
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import CLUSTER_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update import run as run_of_module
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.follow import OPERATORS, POOLS
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    FEATURE_GATES,
    INFRASTRUCTURES,
    LEASES,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import FleetPlan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanOptions
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_cluster
from ansible_collections.capability.openshift.plugins.modules import cluster_update
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import (
    CURRENT,
    NEXT,
    OBJECT,
    TARGET,
    cluster,
    cluster_version,
    image_of,
    operator,
    release,
)
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition, conditional, risk
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome
from ansible_collections.capability.openshift.tests.unit.sources import ROOT

FOLDERS = [str(ROOT / "examples" / "releases" / version) for version in (CURRENT, NEXT)]
GATE = "ack-4.21-a"
INSIGHTS = {"name": "Insights", "reason": "wanted"}
ALL_EQUAL = {"capabilities": "equal", "condition": "equal"}
REQUESTED = {"version": NEXT, "image": TARGET.image, "state": "requested"}
NOT_CHECKED = dict.fromkeys(ALL_EQUAL, "not_checked")
AFTER = {"enabledCapabilities": ["Ingress", "Insights"], "knownCapabilities": ["Ingress", "Insights"]}
CONDITION = condition(
    "ImplicitlyEnabledCapabilities",
    "True",
    "CapabilitiesImplicitlyEnabled",
    "The following capabilities could not be disabled: Ingress, Insights",
)
Run = Callable[..., Outcome]


@pytest.fixture
def run(call: Call, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the module on a server."""

    def run(server: ApiServer, **options: Any) -> Outcome:
        monkeypatch.setattr(cluster_update, "connect", lambda _module: server.client())
        given = {"version": NEXT, "releases": FOLDERS, "acceptances": [INSIGHTS], "wait": False}
        return call(cluster_update, **{name: value for name, value in (given | options).items() if value is not None})

    return run


def written(server: ApiServer) -> list[str]:
    return [item for item in server.requests if item.startswith("PATCH")]


def put(server: ApiServer, obj: dict[str, Any], **metadata: Any) -> None:
    server.put(CLUSTER_VERSIONS, "version", spec=obj["spec"], status=obj["status"], metadata=metadata)


def completes(server: ApiServer, **more: Any) -> None:
    """Complete the update as soon as it is watched."""

    def before(method: str, path: str) -> None:
        requested = server.objects[OBJECT]
        if method == "GET" and path == CLUSTER_VERSIONS.path() and requested["spec"].get("desiredUpdate"):
            past = (NEXT, "Completed"), (CURRENT, "Completed")
            status = {"capabilities": AFTER, **more}
            done = cluster_version(*past, conditions=[CONDITION], status=status, desiredUpdate=release(NEXT))
            put(server, done, annotations=requested["metadata"]["annotations"])

    server.before = before


def test_what_is_not_accepted_is_refused_before_any_write(run):
    server = cluster()
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})
    outcome = run(server, acceptances=[])

    assert [code for code, _where in outcome.faults] == ["admin-ack-required", "unaccepted-capability"]
    assert f"accept {GATE} in acceptances" in outcome.message
    assert written(server) == []
    assert (outcome["plan"]["verdict"], outcome["desired_update"]["state"]) == ("acknowledge", "not_started")
    assert (outcome["changed"], outcome["prediction"]) == (False, NOT_CHECKED)


@pytest.mark.parametrize("check_mode", [False, True])
def test_what_is_accepted_is_written(run, check_mode):
    server = cluster()
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})
    accepted = [INSIGHTS, {"name": GATE, "reason": "read"}]
    outcome = run(server, acceptances=accepted, check=check_mode, diff=True)

    acks = CONFIG_MAPS.path(ADMIN_ACKS.name, ADMIN_ACKS.namespace)
    assert written(server) == [f"PATCH {OBJECT}", f"PATCH {acks}", f"PATCH {OBJECT}"]
    assert (acks in server.objects) is not check_mode
    assert ("desiredUpdate" in server.objects[OBJECT]["spec"]) is not check_mode
    written_first = [item["after"] for item in outcome["diff"]][:-1]
    assert written_first == [{GATE: "true"}, {"version": NEXT, "image": TARGET.image}]
    assert (outcome["changed"], outcome["plan"]["verdict"]) == (True, "go")
    assert "release-signature" in {item["code"] for item in outcome["plan"]["not_checked"]}
    assert outcome["desired_update"] == REQUESTED


NO_ACKS = condition("Upgradeable", "False", "UnableToAccessAdminAcksConfigMap", "admin-acks configmap not found.")


@pytest.mark.parametrize(
    ("gates", "accepted", "acks"),
    [({GATE: "Read this"}, GATE, {GATE: "true"}), ({}, "missing-admin-acks", {})],
)
def test_a_missing_config_map_of_acknowledgements_is_created(run, gates, accepted, acks):
    server = cluster(cluster_version(available=[release(NEXT)], conditions=[NO_ACKS]))
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data=gates)
    refused = run(server)
    outcome = run(server, acceptances=[INSIGHTS, {"name": accepted, "reason": "read"}])

    assert "missing-admin-acks" in {item["code"] for item in refused.errors}
    assert "accept missing-admin-acks in acceptances" in refused.message
    assert (outcome.failed, outcome["plan"]["verdict"]) == (False, "go")
    found = server.objects[CONFIG_MAPS.path(ADMIN_ACKS.name, ADMIN_ACKS.namespace)]
    assert found.get("data", {}) == acks


@pytest.mark.parametrize(
    ("kind", "name", "fields", "code"),
    [
        (CLUSTER_OPERATORS, "console", {"status": operator(Available="False")}, "unavailable-operator"),
        (CLUSTER_OPERATORS, "console", {"status": operator(Degraded="True")}, "degraded-operator"),
        (POOLS.kind, "worker", {"spec": {"paused": True}}, "paused-pool"),
        (POOLS.kind, "worker", {"status": {"conditions": [condition("Updated", "False")]}}, "updating-pool"),
        (LEASES, "version", {"spec": {}}, "no-running-cvo"),
    ],
)
def test_what_makes_updates_hang_is_refused_by_its_name(run, kind, name, fields, code):
    server = cluster()
    server.put(kind, name, "openshift-cluster-version" if kind.namespaced else "", **fields)
    refused = run(server)
    accepted_name = code if kind == LEASES else f"{code}/{name}"
    accepted = run(server, acceptances=[INSIGHTS, {"name": accepted_name, "reason": "known"}])

    assert [item["code"] for item in refused.errors] == [code]
    assert (refused["changed"], accepted["changed"]) == (False, True)
    assert [item for item in accepted["problems"] if item["severity"] == "warning"] == []


def test_a_cluster_without_a_lease_has_no_operator_that_updates_it(run):
    server = cluster()
    del server.objects[LEASES.path("version", "openshift-cluster-version")]
    assert [(item["code"], item["message"].rpartition(" ")[2]) for item in run(server).errors] == [
        ("no-running-cvo", "exist")
    ]


def test_the_risk_of_a_conditional_update_is_accepted_in_the_request(run):
    update = {**conditional(NEXT, "False", "Bug", risk("Bug")), "release": release(NEXT)}
    server = cluster(cluster_version(conditional_updates=[update]))
    refused = run(server)
    assert [item["code"] for item in refused.errors] == ["conditional-risk"]
    # What is not accepted by its name is not requested, either.
    assert run(server, fail_on="never")["changed"]
    assert "acceptRisks" not in server.objects[OBJECT]["spec"]["desiredUpdate"]

    assert not run(server, acceptances=[INSIGHTS, {"name": "Bug", "reason": "not here"}]).failed
    assert server.objects[OBJECT]["spec"]["desiredUpdate"]["acceptRisks"] == [{"name": "Bug"}]


def test_a_risk_that_an_earlier_update_accepted_needs_an_acceptance_again(run):
    update = {**conditional(NEXT, "True", "AllExposedRisksAccepted", risk("Bug")), "release": release(NEXT)}
    earlier = {**release(CURRENT), "acceptRisks": [{"name": "Bug"}]}
    server = cluster(cluster_version(conditional_updates=[update], available=[release(NEXT)], desiredUpdate=earlier))
    expired = [INSIGHTS, {"name": "Bug", "reason": "only once", "expires": "2020-02-03"}]
    refused = run(server, acceptances=expired)

    assert [item["code"] for item in refused.errors] == ["conditional-risk"]
    assert run(server, acceptances=expired, fail_on="never")["changed"]
    assert "acceptRisks" not in server.objects[OBJECT]["spec"]["desiredUpdate"]


def test_a_cluster_without_a_channel_needs_the_image_and_an_acceptance(run):
    server = cluster(cluster_version(channel=""))
    by_version, by_image = run(server), run(server, version=None, image=TARGET.image)
    names = [{"name": name, "reason": "x"} for name in ("no-channel", "update-not-listed")]
    accepted = run(server, version=None, image=TARGET.image, acceptances=[INSIGHTS, *names])

    assert [item["code"] for item in by_version.errors] == ["unavailable-update"]
    assert {item["code"] for item in by_image.errors} == {"no-channel", "update-not-listed"}
    assert accepted["desired_update"] == REQUESTED


@pytest.mark.parametrize(
    ("listed", "image", "codes"),
    [
        ({"available": [release(NEXT)]}, TARGET.image, []),
        ({"available": [release(NEXT)]}, TARGET.image.replace("quay.io/openshift", "mirror.example:5000/ocp"), []),
        ({"available": [release(NEXT)]}, image_of("other"), ["update-not-listed"]),
        (
            {"conditional_updates": [{**conditional(NEXT, "True", "AsExpected"), "release": release(NEXT)}]},
            TARGET.image,
            [],
        ),
        ({"desiredUpdate": release(NEXT), "available": [release("4.21.1")]}, TARGET.image, ["update-not-listed"] * 2),
    ],
)
def test_an_image_that_no_listed_update_has_needs_an_acceptance(run, listed, image, codes):
    """Although its version is listed: the CVO compares versions only."""
    server = cluster(cluster_version(**listed))
    found = run(server, image=image)["problems"]
    assert [item["code"] for item in found if item["severity"] == "error"] == codes
    accepted = [INSIGHTS, *({"name": code, "reason": "built here"} for code in codes)]
    assert not run(server, image=image, acceptances=accepted).failed


@pytest.mark.parametrize("fail_on", ["acknowledge", "risk", "never"])
def test_fail_on_decides_which_reasons_have_to_be_accepted(run, fail_on):
    server = cluster()
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})

    assert run(server, fail_on=fail_on).failed == (fail_on == "acknowledge")
    # What is not accepted by its name is never acknowledged.
    assert CONFIG_MAPS.path(ADMIN_ACKS.name, ADMIN_ACKS.namespace) not in server.objects


def test_check_mode_follows_nothing(run):
    server = cluster()
    outcome = run(server, check=True, wait=True, wait_timeout=0)
    assert (outcome.failed, outcome["desired_update"]["state"]) == (False, "requested")


def test_warnings_of_the_plan_are_shown(run):
    outcome = run(cluster(), acceptances=[INSIGHTS, {"name": "Insihgts", "reason": "a mistake"}])
    assert outcome.problem("unknown-acceptance")["severity"] == "warning"


def test_an_update_that_is_not_recommended_for_no_named_risk_accepts_none(run):
    update = {**conditional(NEXT, "False", "Bug"), "release": release(NEXT)}
    server = cluster(cluster_version(conditional_updates=[update]))
    accepted = run(server, acceptances=[INSIGHTS, {"name": "conditional-risk", "reason": "not here"}])

    assert accepted["changed"]
    assert "acceptRisks" not in server.objects[OBJECT]["spec"]["desiredUpdate"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"version": "4.22.9"}, ("unavailable-update", "version")),
        ({"version": None, "image": "quay.io/a/b:4.22.0"}, ("no-digest", "image")),
        ({"releases": FOLDERS[::-1]}, ("version-mismatch", f"{CLUSTER_VERSION}.status.desired.version")),
        ({"releases": [FOLDERS[0], FOLDERS[0]]}, ("other-release", "releases[1]")),
        ({"releases": FOLDERS[:1]}, ("path-too-short", "releases")),
        ({"version": CURRENT, "image": TARGET.image}, ("other-release", "version")),
        ({"wait_timeout": -1}, ("invalid-timeout", "wait_timeout")),
        ({"stuck_timeout": -1}, ("invalid-timeout", "stuck_timeout")),
        ({"acceptances": [{"name": "all", "reason": "x"}]}, ("wildcard-name", "acceptances[0].name")),
    ],
)
def test_bad_input_is_refused(run, options, problem):
    server = cluster()
    outcome = run(server, **options)

    assert problem in outcome.faults
    assert written(server) == []


def test_releases_have_to_be_those_of_the_cluster_and_of_the_update(run):
    other = image_of("4.22.1")
    server = cluster(cluster_version(available=[release(NEXT), release("4.22.1")]))
    assert run(server, version="4.22.1").faults == [("other-release", "releases[1]")]

    newer = cluster(cluster_version(("4.21.3", "Completed"), available=[release(NEXT)]))
    assert ("version-mismatch", "releases[0]") in run(newer).faults
    assert other not in str(server.objects[OBJECT]["spec"])
    assert written(server) + written(newer) == []


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"releases": None}, (image_of(CURRENT), TARGET.image)),
        ({"releases": None, "release": FOLDERS[1]}, (image_of(CURRENT), FOLDERS[1])),
        ({"releases": FOLDERS}, tuple(FOLDERS)),
    ],
)
def test_the_plan_is_of_the_images_of_the_cluster_by_default(run, monkeypatch, options, path):
    planned = []

    def plan(given: PlanOptions, *_others: object) -> None:
        planned.append(tuple(given.releases or ()))
        raise ReleaseError([Problem("error", "image-not-found", "release", "does not exist")])

    monkeypatch.setattr(run_of_module, "plan_cluster", plan)
    server = cluster()

    assert [item["code"] for item in run(server, **options).errors] == ["image-not-found"]
    assert (planned, written(server)) == ([path], [])


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        (TARGET.image.replace("quay.io/openshift", "mirror.example:5000/ocp"), []),
        (image_of("4.22.1"), [("other-release", "releases[1]")]),
    ],
)
def test_the_image_of_the_plan_has_to_be_that_of_the_update(run, monkeypatch, name, faults):
    def plan(*arguments: Any) -> FleetPlan:
        fleet = plan_cluster(*arguments)
        return fleet._replace(releases=(fleet.releases[0], (NEXT, name)))

    monkeypatch.setattr(run_of_module, "plan_cluster", plan)
    outcome = run(cluster())

    assert (outcome.faults if outcome.failed else []) == faults
    assert "release-signature" not in {item["code"] for item in outcome["plan"]["not_checked"]}


def test_more_than_one_update_is_refused(run, tmp_path):
    third = shutil.copytree(FOLDERS[1], tmp_path / "4.23.0")
    for name in ("release-metadata", "image-references"):
        file = third / "release-manifests" / name
        file.write_text(file.read_text("utf-8").replace(NEXT, "4.23.0"), "utf-8")
    server = cluster()
    outcome = run(server, releases=[*FOLDERS, str(third)])

    assert outcome.faults == [("wrong-path", "releases")]
    assert written(server) == []


def test_a_hosted_cluster_is_refused(run):
    server = cluster()
    server.put(INFRASTRUCTURES, "cluster", status={"controlPlaneTopology": "External"})
    outcome = run(server)

    assert [item["code"] for item in outcome.errors] == ["hosted-control-plane"]
    assert "HostedCluster" in outcome.message
    assert outcome["desired_update"] is None


def test_an_infrastructure_that_cannot_be_read_is_a_warning(run):
    server = cluster()
    server.faults["GET", INFRASTRUCTURES.path("cluster")] = [fault(403)]
    outcome = run(server)
    (warning, *_others) = [item for item in outcome["problems"] if item["severity"] == "warning"]

    assert (warning["code"], outcome["changed"]) == ("forbidden-request", True)
    assert "so it is not known whether HyperShift removes spec.desiredUpdate" in warning["message"]


def test_no_hint_names_an_option_of_the_plan(run):
    server = cluster()
    paths = FEATURE_GATES.path("cluster"), DEPLOYMENTS.path(CVO_DEPLOYMENT.name, CVO_DEPLOYMENT.namespace)
    server.faults = {("GET", path): [fault(403)] for path in paths}
    errors = run(server).errors
    assert [item["where"] for item in errors] == ["feature_set", "cluster_profile"]
    assert [item["hint"] for item in errors if " set " in item["hint"]] == []
    custom = cluster()
    custom.put(FEATURE_GATES, "cluster", spec={"featureSet": "CustomNoUpgrade"}, status={"featureGates": []})
    assert run(custom).problem("missing-feature-gates")["hint"].endswith("run update_plan with feature_gates")


def test_missing_permissions_are_named_before_the_first_write(run):
    server = cluster()
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})
    server.forbidden = {("patch", "configmaps"), ("patch", "clusterversions")}
    outcome = run(server, acceptances=[INSIGHTS, {"name": GATE, "reason": "read"}])

    assert [item["code"] for item in outcome.errors] == ["forbidden-request"] * 2
    assert written(server) == []


def test_the_prediction_is_compared_after_the_update(run):
    server = cluster()
    completes(server)
    outcome = run(server, wait=True, wait_timeout=30)

    assert (outcome["desired_update"]["state"], outcome["prediction"]) == ("completed", ALL_EQUAL)
    assert outcome.result.get("msg") is None


def test_a_resource_whose_annotations_the_operator_leaves_is_no_difference(run):
    server = cluster()
    completes(server)
    server.put(CONFIG_MAPS, "insights-upload-schedule", "openshift-config")  # it enables Insights

    assert run(server, wait=True, wait_timeout=30)["prediction"] == ALL_EQUAL


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"capabilities": {**AFTER, "enabledCapabilities": ["Console", "Ingress", "Insights"]}}, "capabilities"),
        ({"conditions": []}, "condition"),
        ({"conditions": [{**CONDITION, "message": "None"}]}, "condition"),
    ],
)
def test_a_difference_is_an_error_with_both_sides(run, more, part):
    server = cluster()
    completes(server, **more)
    outcome = run(server, wait=True, wait_timeout=30)

    assert outcome["prediction"][part] == "different"
    assert list(outcome["prediction"].values()).count("equal") == 1
    assert {item["code"] for item in outcome.errors} == {"different-prediction"}
    assert "the plan predicted" in outcome.message
    assert outcome["desired_update"]["state"] == "completed"


MULTI = image_of("multi")
MIGRATION = {"version": CURRENT, "architecture": "multi", "releases": [FOLDERS[0], FOLDERS[0]], "acceptances": []}


def test_a_migration_to_several_architectures_is_requested(run):
    server = cluster()
    requested = run(server, **MIGRATION, diff=True)
    assert server.objects[OBJECT]["spec"]["desiredUpdate"] == {"version": CURRENT, "architecture": "Multi"}
    assert requested["desired_update"] == {"version": CURRENT, "image": "", "state": "requested"}
    assert (requested["changed"], requested["plan"]["newly_enabled"]) == (True, [])
    unchecked = {item["code"]: item["message"] for item in requested["plan"]["not_checked"]}
    assert unchecked["release-signature"].startswith("the cluster-version operator chooses the image")


def for_several(source: str, folder: Path) -> str:
    """Return a copy of a release as of the image for several architectures."""
    several = shutil.copytree(source, folder / "multi")
    file = several / "release-manifests" / "release-metadata"
    metadata = json.loads(file.read_text("utf-8"))
    metadata.setdefault("metadata", {})["release.openshift.io/architecture"] = "multi"
    file.write_text(json.dumps(metadata), "utf-8")
    return str(several)


def name_images(monkeypatch: pytest.MonkeyPatch, *versions: str, multi: Iterable[str] = ()) -> None:
    """Have the plan name the images of ``versions`` instead of their directories."""

    def plan(*arguments: Any) -> FleetPlan:
        names = tuple((version, image_of(version)) for version in versions)
        return plan_cluster(*arguments)._replace(releases=names, multi=frozenset(map(image_of, multi)))

    monkeypatch.setattr(run_of_module, "plan_cluster", plan)


@pytest.mark.parametrize("named_by", ["digest", "directory"])
def test_a_cluster_that_runs_the_image_for_several_architectures_does_not_migrate(run, monkeypatch, tmp_path, named_by):
    """Its status does not have the architecture, and a directory can be of another image."""
    several = for_several(FOLDERS[0], tmp_path)
    if named_by == "digest":
        name_images(monkeypatch, CURRENT, multi=[CURRENT])
    outcome = run(cluster(), **{**MIGRATION, "releases": [several] * 2}, check=True)

    expected = ("completed", False) if named_by == "digest" else ("requested", True)
    assert (outcome["desired_update"]["state"], outcome["changed"]) == expected


def test_a_migration_needs_a_channel(run):
    server = cluster(cluster_version(channel=""))
    (error,) = run(server, **{**MIGRATION, "acceptances": [{"name": "no-channel", "reason": "x"}]}).errors
    assert (error["code"], error["where"]) == ("no-channel", "ClusterVersion version: spec.channel")
    assert written(server) == []


def test_a_migration_needs_the_update_service(run):
    unknown = condition("RetrievedUpdates", "False", "VersionNotFound", "version 4.21.0 not found in the channel")
    server = cluster(cluster_version(conditions=[unknown]))
    (error,) = run(server, **MIGRATION).errors
    assert (error["code"], written(server)) == ("updates-not-retrieved", [])
    assert unknown["message"] in error["message"]
    assert "the channel" in error["hint"]
    accepted = [{"name": "updates-not-retrieved", "reason": "another mirror has it"}]
    waited = run(server, **{**MIGRATION, "acceptances": accepted}, wait=True, wait_timeout=0)
    assert f"RetrievedUpdates=False: {unknown['message']}" in waited.message


def test_what_is_against_a_migration_has_to_be_accepted(run):
    failing = condition("Failing", "True", "Broken", "it is broken")
    server = cluster(cluster_version(conditions=[failing]))
    server.put(CLUSTER_OPERATORS, "console", status=operator(Degraded="True"))
    assert [item["code"] for item in run(server, **MIGRATION).errors] == ["degraded-operator", "failing"]
    names = ("degraded-operator/console", "failing")
    accepted = [{"name": name, "reason": "known"} for name in names]
    assert run(server, **{**MIGRATION, "acceptances": accepted})["changed"]


def test_a_cluster_that_was_updated_to_the_image_for_several_architectures_does_not_migrate(run, tmp_path):
    server, options = cluster(), {"architecture": "multi", "releases": [FOLDERS[0], for_several(FOLDERS[1], tmp_path)]}
    run(server, **options)
    completes(server)
    assert run(server, **options, wait=True, wait_timeout=30)["prediction"] == ALL_EQUAL
    again = run(server, **options)
    assert (again["desired_update"]["state"], again["changed"]) == ("completed", False)


def test_the_image_for_one_architecture_is_no_update_to_several(run, monkeypatch):
    name_images(monkeypatch, CURRENT, NEXT)
    server = cluster()
    outcome = run(server, architecture="multi")
    assert outcome.faults == [("missing-architecture", "architecture")]
    assert f"set version to {CURRENT}" in outcome.message
    assert written(server) == []
    assert run(server)["changed"]


def test_a_cluster_that_was_updated_to_another_image_migrates(run):
    server = cluster()
    run(server, architecture="multi")
    completes(server)
    run(server, wait=True, wait_timeout=30)
    server.before = lambda _method, _path: None
    migrated = run(server, architecture="multi", releases=[FOLDERS[1], FOLDERS[1]])
    assert (migrated["desired_update"]["state"], migrated["changed"]) == ("requested", True)


def test_another_image_of_the_same_version_is_requested(run):
    server = cluster()
    accepted = [{"name": "update-not-listed", "reason": "for arm64, too"}]
    outcome = run(server, version=None, image=MULTI, releases=[FOLDERS[0], FOLDERS[0]], acceptances=accepted)
    assert not outcome.failed
    assert server.objects[OBJECT]["spec"]["desiredUpdate"] == {"version": CURRENT, "image": MULTI}


def test_the_same_task_continues_and_predicts_the_same(run):
    server = cluster()
    first = run(server)
    completes(server)
    second = run(server, wait=True, wait_timeout=30)
    writes = written(server)
    third = run(server, wait=True, wait_timeout=30)
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})
    shown = run(server, check=True)

    assert (shown["plan"]["verdict"], shown["plan"]["reasons"]) == ("go", [])
    assert [item["changed"] for item in (first, second, third)] == [True, False, False]
    assert second["prediction"] == third["prediction"] == shown["prediction"] == ALL_EQUAL
    (unchecked,) = third["plan"]["not_checked"]
    assert unchecked["message"].startswith("the update has begun")
    assert first["plan"]["newly_enabled"] == second["plan"]["newly_enabled"] == third["plan"]["newly_enabled"]
    assert written(server) == writes == [f"PATCH {OBJECT}"]


def test_what_an_earlier_run_acknowledged_is_not_reported_as_needless(run):
    server = cluster()
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})
    server.put(CONFIG_MAPS, ADMIN_ACKS.name, ADMIN_ACKS.namespace, data={})
    accepted = [INSIGHTS, {"name": GATE, "reason": "read"}, {"name": "failing", "reason": "not now"}]
    for _run in range(2):
        found = run(server, acceptances=accepted)["problems"]
        assert [(item["code"], item["where"]) for item in found if "acceptance" in item["code"]] == [
            ("unused-acceptance", "acceptances[2]")
        ]


def test_a_request_of_another_update_after_the_completed_one_is_named(run):
    server = cluster()
    run(server)
    completes(server)
    run(server)
    server.before = lambda _method, _path: None
    server.objects[OBJECT]["spec"]["desiredUpdate"] = {"version": "4.99.0", "image": MULTI}
    outcome = run(server)

    assert (outcome["desired_update"]["state"], outcome["changed"]) == ("completed", False)
    assert [item["code"] for item in outcome["problems"] if item["severity"] == "warning"] == ["replaced-update"]


def test_a_requested_update_is_followed_although_something_new_is_against_it(run):
    server = cluster()
    run(server)
    server.put(CLUSTER_OPERATORS, "console", status=operator(Degraded="True"))
    completes(server)
    outcome = run(server, wait=True, wait_timeout=30, acceptances=[])

    assert (outcome["desired_update"]["state"], outcome.result.get("msg")) == ("completed", None)
    assert {item["code"] for item in outcome["problems"] if item["severity"] == "warning"} == {
        *("degraded-operator", "unaccepted-capability")
    }


def test_the_gate_of_a_requested_update_is_not_acknowledged_if_something_else_is_against_it(run):
    server = cluster()
    server.put(CONFIG_MAPS, ADMIN_GATES.name, ADMIN_GATES.namespace, data={GATE: "Read this"})
    assert run(server, fail_on="risk")["changed"]
    outcome = run(server, acceptances=[{"name": GATE, "reason": "read"}])

    assert ([item["code"] for item in outcome.errors], outcome["changed"]) == (["unaccepted-capability"], False)
    assert CONFIG_MAPS.path(ADMIN_ACKS.name, ADMIN_ACKS.namespace) not in server.objects


def test_a_requested_release_that_is_not_accepted_yet_is_no_reason_against_its_own_update(run):
    server = cluster()
    run(server)
    waiting = condition("ReleaseAccepted", "False", "RetrievePayload", "unable to verify")
    failing = condition("Failing", "True", "ClusterOperatorNotAvailable", "no endpoints")
    obj = cluster_version(available=[release(NEXT)], desiredUpdate=release(NEXT), conditions=[waiting, failing])
    put(server, obj, annotations=server.objects[OBJECT]["metadata"]["annotations"])

    problems = [(item["severity"], item["code"]) for item in run(server)["problems"] if item["severity"] != "info"]
    assert problems == [("warning", "failing"), ("warning", "release-not-accepted")]
    completes(server)
    codes = {item["code"] for item in run(server, wait=True)["problems"] if item["severity"] != "info"}
    assert codes == {"failing"}


def test_an_annotation_without_its_request_accepts_nothing(run):
    server = cluster()
    run(server)
    annotations = server.objects[OBJECT]["metadata"]["annotations"]
    put(server, cluster_version(available=[release(NEXT)]), annotations=annotations)
    writes = written(server)

    assert [item["code"] for item in run(server, acceptances=[]).errors] == ["unaccepted-capability"]
    assert written(server) == writes


def test_the_same_request_of_another_client_has_to_be_accepted(run):
    server = cluster(cluster_version(available=[release(NEXT)], desiredUpdate=release(NEXT)))
    assert [item["code"] for item in run(server, acceptances=[]).errors] == ["unaccepted-capability"]


def test_an_update_of_another_client_has_no_prediction(run):
    server = cluster(cluster_version((NEXT, "Completed"), (CURRENT, "Completed"), desiredUpdate=release(NEXT)))
    outcome = run(server, wait=True)

    assert (outcome["prediction"], outcome["plan"], outcome["changed"]) == (NOT_CHECKED, None, False)
    assert [item["code"] for item in outcome["problems"]] == ["no-prediction"]
    assert written(server) == []


def test_a_selection_that_changed_since_the_request_is_not_compared(run):
    server = cluster()
    run(server)
    requested = server.objects[OBJECT]
    done = cluster_version((NEXT, "Completed"), (CURRENT, "Completed"), conditions=[CONDITION], capabilities={})
    put(server, done, annotations=requested["metadata"]["annotations"])
    outcome = run(server, wait=True)

    assert outcome["prediction"] == NOT_CHECKED
    assert outcome.problem("changed-selection")["message"].startswith("was changed since the update was requested, ")


def test_an_update_that_has_begun_is_followed_although_its_releases_cannot_be_read(run):
    server = cluster()
    run(server)
    begun = cluster_version((NEXT, "Partial"), (CURRENT, "Completed"), desiredUpdate=release(NEXT))
    put(server, begun, annotations=server.objects[OBJECT]["metadata"]["annotations"])
    completes(server)
    outcome = run(server, wait=True, wait_timeout=30, releases=["/nowhere/4.21.0", "/nowhere/4.22.0"])

    assert (outcome["desired_update"]["state"], outcome["prediction"], outcome["plan"]) == (
        "completed",
        NOT_CHECKED,
        None,
    )
    assert {(item["severity"], item["code"]) for item in outcome["problems"]} == {("warning", "missing-directory")}


def test_pools_that_cannot_be_listed_are_a_warning(run):
    server = cluster()
    server.faults["GET", POOLS.path] = [fault(403)]
    outcome = run(server)

    assert (outcome.problem("unread-pools")["severity"], outcome["changed"]) == ("warning", True)


def test_operators_that_cannot_be_listed_are_an_error(run):
    server = cluster()
    server.faults["GET", OPERATORS.path] = [fault(403)]
    assert [item["code"] for item in run(server).errors] == ["forbidden-request"]
    assert written(server) == []
