# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whole rollouts to a model of an API server. Those of tests/cluster go to a real one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import TOUCHED
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    ClusterError,
    Problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    FEATURE_GATES,
    NAMESPACES,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import Rollout
from ansible_collections.capability.openshift.tests.unit.builders.api_server import fault
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition, reported
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    FEATURE_GATE,
    FEATURE_SET,
    feature_gate,
    manifest,
)
from ansible_collections.capability.openshift.tests.unit.builders.rolled_out import Site

OLD, NEW = "4.20.3", "4.20.4"
CREATE_ONLY = {"release.openshift.io/create-only": "true"}
WIDGETS = """spec:
  group: test.io
  scope: Cluster
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true}]
"""
CVO = ("openshift-cluster-version", "cluster-version-operator")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def team() -> str:
    return manifest("team", kind="Namespace")


def config(name: str, more: str = "data: {a: b}\n", **annotations: str) -> str:
    return manifest(name, namespace="team", more=more, annotations=annotations)


def actions(rollout: Rollout) -> dict[str, str]:
    return {result.manifest.resource_id.name: result.action for result in rollout.changes.results}


def codes(problems: Problems) -> list[tuple[str, str]]:
    return [(item.severity, item.code) for item in problems if item.severity != "info"]


def test_a_second_rollout_writes_nothing(site: Site) -> None:
    widgets = manifest("widgets.test.io", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1", more=WIDGETS)
    release = (team(), widgets, manifest("w", kind="Widget", api="test.io/v1"), config("a"))
    first = site.roll_out(OLD, *release)
    assert (first.mode, set(actions(first).values())) == ("install", {"created"})
    assert first.capabilities.changed
    assert first.inventory_changed
    site.writes()
    second = site.roll_out(OLD, *release)
    assert (second.mode, set(actions(second).values())) == ("reconcile", {"unchanged"})
    assert not second.capabilities.changed
    assert not second.inventory_changed
    assert site.writes() == []


def test_check_mode_predicts_the_changes_and_writes_nothing(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"), config("once", **CREATE_ONLY), config("gone"), config("same"))
    site.writes()
    release = (
        team(),
        config("a", "data: {a: c}\n"),
        config("once", "data: {a: c}\n", **CREATE_ONLY),
        config("gone", **{DELETE: "true"}),
        config("same"),
        config("new"),
    )
    check = site.roll_out(NEW, *release, dry_run=True)
    assert {site.server.objects[CONFIG_MAPS.path(name, "team")]["data"]["a"] for name in site.maps()} == {"b"}
    assert site.maps() == {"a", "once", "gone", "same"}
    real = site.roll_out(NEW, *release)
    changed = {"team": "unchanged", "a": "changed", "once": "unchanged", "gone": "deleted", "same": "unchanged"}
    assert actions(check) == actions(real) == {**changed, "new": "created"}
    assert site.maps() == {"a", "once", "same", "new"}
    assert site.server.objects[CONFIG_MAPS.path("once", "team")]["data"] == {"a": "b"}


def test_no_request_asks_for_an_object_that_is_created_once(site: Site) -> None:
    release = (team(), config("once", **CREATE_ONLY), config("a"))
    site.roll_out(OLD, *release)
    site.server.requests.clear()
    site.roll_out(OLD, *release)
    assert [request for request in site.server.requests if request.endswith(("/once", "/a"))] == []


def test_a_rollout_removes_what_a_killed_one_left_in_an_object(site: Site) -> None:
    site.server.put(CONFIG_MAPS, "a", "team", metadata={"annotations": {TOUCHED: "1"}})
    site.roll_out(OLD, team(), config("a"), dry_run=True)
    assert TOUCHED in site.server.objects[CONFIG_MAPS.path("a", "team")]["metadata"]["annotations"]
    site.roll_out(OLD, team(), config("a"))
    assert TOUCHED not in site.server.objects[CONFIG_MAPS.path("a", "team")]["metadata"]["annotations"]


@pytest.mark.parametrize("prune", [False, True])
def test_leftovers_are_deleted_only_on_request(site: Site, prune: bool) -> None:
    site.roll_out(OLD, team(), config("a"), config("old"), config("once", **CREATE_ONLY))
    site.server.put(CONFIG_MAPS, "before", "team")
    reported = Problems()
    rollout = site.roll_out(NEW, team(), config("a"), prune=prune, reported=reported)
    assert {item.resource.name: item.pruned for item in rollout.leftovers} == {"old": prune, "once": False}
    assert site.maps() == {"a", "before", "once"} | (set() if prune else {"old"})
    assert codes(reported) == ([("warning", "kept-leftover")] if prune else [])
    again = site.roll_out(NEW, team(), config("a"), prune=prune, reported=Problems())
    assert [item.resource.name for item in again.leftovers] == (["once"] if prune else ["old", "once"])


@pytest.mark.parametrize(
    ("kept", "complete", "code"), [(2, True, ""), (1, True, "unsafe-prune"), (2, False, "incomplete-release")]
)
def test_an_unsafe_prune_is_refused(site: Site, kept: int, complete: bool, code: str) -> None:
    release = [team(), *map(config, "abc")]
    site.roll_out(OLD, *release)
    site.writes()
    try:
        site.roll_out(NEW, *release[:kept], prune=True, complete=complete)
        found = ""
    except CapabilityError as error:
        found = next(item.code for item in error.problems)
        assert site.writes() == []
    assert found == code


@pytest.mark.parametrize("wait", [False, True])
def test_a_deletion_that_hangs_is_reported(site: Site, wait: bool) -> None:
    site.roll_out(OLD, team(), config("a"), config("left"), config("b"), config("c"), config("gone"))
    for name in ("left", "gone"):
        site.server.objects[CONFIG_MAPS.path(name, "team")]["metadata"]["finalizers"] = ["test.io/held"]
    release = (team(), config("a"), config("b"), config("c"), config("gone", **{DELETE: "true"}))
    for _attempt in range(2):  # the second one finds objects whose deletion was requested before
        reported = Problems()
        rollout = site.roll_out(NEW, *release, prune=True, wait=wait, reported=reported)
        assert actions(rollout)["gone"] == "deleting"
        held = {item.resource.name: (item.pruned, item.finalizers) for item in rollout.leftovers}
        assert held == dict.fromkeys(("gone", "left"), (False, ("test.io/held",)))
        assert codes(reported) == [("error" if wait else "warning", "terminating-object")] * 2


def test_a_deletion_that_hangs_is_not_forgotten_if_the_next_run_has_no_mode(site: Site) -> None:
    site.roll_out(OLD, team(), config("gone"))
    site.server.objects[CONFIG_MAPS.path("gone", "team")]["metadata"]["finalizers"] = ["test.io/held"]
    for mode in ("update", None):
        reported = Problems()
        rollout = site.roll_out(OLD, team(), config("gone", **{DELETE: "true"}), mode=mode, reported=reported)
        assert (rollout.mode, actions(rollout)["gone"]) == ("update", "deleting")
        assert codes(reported) == [("warning", "terminating-object")]


def test_a_leftover_that_stays_is_not_terminating(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"), config("old"))
    site.server.objects[CONFIG_MAPS.path("old", "team")]["metadata"]["finalizers"] = ["test.io/held"]
    rollout = site.roll_out(NEW, team(), config("a"))
    assert [(item.resource.name, item.finalizers) for item in rollout.leftovers] == [("old", ())]


@pytest.mark.parametrize("wait", [False, True])
def test_only_a_rollout_that_waits_needs_ready_objects(site: Site, wait: bool) -> None:
    deployment = manifest("d", kind="Deployment", api="apps/v1", namespace="team", more="spec: {replicas: 1}\n")
    reported = Problems()
    rollout = site.roll_out(OLD, team(), deployment, wait=wait, reported=reported)
    assert actions(rollout)["d"] == "created"
    assert codes(reported) == ([("error", "unready-object")] if wait else [])


@pytest.mark.parametrize("allowed", [False, True])
def test_a_cluster_with_a_running_cvo_needs_permission(site: Site, allowed: bool) -> None:
    site.server.put(NAMESPACES, CVO[0])
    available = {"conditions": [{"type": "Available", "status": "True"}]}
    site.server.put(DEPLOYMENTS, CVO[1], CVO[0], spec={"replicas": 1}, status=available)
    if not allowed:
        with pytest.raises(CapabilityError) as error:
            site.roll_out(OLD, team())
        assert [item.code for item in error.value.problems] == ["running-cvo"]
        assert site.writes() == []
        return
    rollout = site.roll_out(OLD, team(), allow_cvo_managed=True)
    assert rollout.capabilities.changed
    status = site.server.objects[CLUSTER_VERSIONS.path("version")]["status"]
    assert status["desired"]["version"] == OLD


def test_an_object_that_another_client_creates_first_is_changed(site: Site) -> None:
    def create(method: str, path: str) -> None:
        if (method, path) == ("PATCH", CONFIG_MAPS.path("a", "team")):
            site.server.before = lambda _method, _path: None
            site.server.put(CONFIG_MAPS, "a", "team", data={"z": "z"})

    site.server.before = create
    rollout = site.roll_out(OLD, team(), config("a"))
    assert actions(rollout)["a"] == "changed"
    obj = site.server.objects[CONFIG_MAPS.path("a", "team")]
    assert obj["data"] == {"a": "b", "z": "z"}
    assert "ownerReferences" not in obj["metadata"]


def test_what_needs_a_namespace_or_kind_of_later_files_is_retried(site: Site) -> None:
    widgets = manifest("widgets.test.io", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1", more=WIDGETS)
    rollout = site.roll_out(OLD, config("a"), manifest("w", kind="Widget", api="test.io/v1"), team(), widgets)
    assert set(actions(rollout).values()) == {"created"}


def test_what_the_cluster_lacks_is_reported(site: Site) -> None:
    reported = Problems()
    rollout = site.roll_out(OLD, config("a"), manifest("w", kind="Widget", api="test.io/v1"), reported=reported)
    assert actions(rollout) == {"a": "no_namespace", "w": "unserved"}


def test_the_definition_of_the_cluster_version_is_applied_first_and_counted_once(site: Site) -> None:
    site.server.kinds.remove(CLUSTER_VERSIONS)
    more = WIDGETS.replace("test.io", CLUSTER_VERSIONS.group).replace("widgets", CLUSTER_VERSIONS.plural)
    kind, api = "CustomResourceDefinition", "apiextensions.k8s.io/v1"
    release = (
        team(),
        config("a"),
        manifest(CLUSTER_VERSIONS.resource, kind=kind, api=api, more=more.replace("Widget", CLUSTER_VERSIONS.kind)),
    )
    first = site.roll_out(OLD, *release)
    assert actions(first) == dict.fromkeys(("team", "a", CLUSTER_VERSIONS.resource), "created")
    assert site.server.objects[CLUSTER_VERSIONS.path("version")]["spec"]["clusterID"]
    wrote = [request.rpartition("/")[2] for request in site.writes()]
    assert wrote.index(CLUSTER_VERSIONS.resource) < wrote.index("version") < wrote.index("a")
    assert set(actions(site.roll_out(OLD, *release)).values()) == {"unchanged"}
    assert site.writes() == []


@pytest.mark.parametrize("allowed", [False, True])
def test_an_older_release_needs_permission(site: Site, allowed: bool) -> None:
    site.roll_out(NEW, team(), config("a"))
    site.writes()
    if allowed:
        rollout = site.roll_out(OLD, team(), config("a"), allow_downgrade=True, reported=Problems())
        assert (rollout.version, rollout.mode) == (OLD, "update")
        return
    with pytest.raises(CapabilityError) as error:
        site.roll_out(OLD, team(), config("a"))
    assert [item.code for item in error.value.problems] == ["older-version"]
    assert site.writes() == []


@pytest.mark.parametrize(
    ("names", "others"), [("a", ""), ("ab", " (and 1 other resource)"), ("abc", " (and 2 other resources)")]
)
def test_the_warning_about_an_enabled_capability_counts_the_resources(site: Site, names: str, others: str) -> None:
    site.roll_out(OLD, team(), *map(config, names))
    reported = Problems()
    moved = [manifest(name, "Console", namespace="team", more="data: {a: b}\n") for name in names]
    site.roll_out(NEW, team(), *moved, reported=reported)
    (warning,) = [item for item in reported if item.code == "implicitly-enabled-capability"]
    assert warning.message.endswith(f"so the update enables Console permanently{others}")
    assert warning.hint == "Plan each update with update_plan first: what it enables cannot be disabled again"


def test_an_update_enables_the_capability_into_which_a_resource_moves(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"), config("b"))
    moved = manifest("a", "Console", namespace="team", more="data: {a: b}\n")
    new = manifest("c", "Insights", namespace="team")
    rollout = site.roll_out(NEW, team(), moved, config("b"), new, reported=Problems())
    assert actions(rollout) == {"team": "unchanged", "a": "changed", "b": "unchanged"}
    assert (rollout.mode, rollout.capabilities.implicit) == ("update", frozenset({"Console"}))
    capabilities = site.server.objects[CLUSTER_VERSIONS.path("version")]["status"]["capabilities"]
    assert "Console" in capabilities["enabledCapabilities"]
    assert "Insights" not in capabilities["enabledCapabilities"]
    again = site.roll_out(NEW, team(), moved, config("b"), new, reported=Problems())
    assert (again.mode, again.capabilities.implicit) == ("reconcile", frozenset())


def test_a_resource_that_the_last_release_deletes_moves_into_a_capability_as_any_other(site: Site) -> None:
    site.roll_out(OLD, team(), manifest("a", namespace="team", annotations={DELETE: "true"}))
    again = manifest("a", "Console", namespace="team")
    rollout = site.roll_out(NEW, team(), again, reported=Problems())
    assert rollout.capabilities.implicit == {"Console"}


def test_a_resource_that_an_earlier_release_deleted_moves_into_no_capability(site: Site) -> None:
    site.roll_out(OLD, team(), manifest("a", namespace="team", annotations={DELETE: "true"}))
    site.roll_out(NEW, team())
    rollout = site.roll_out("4.20.5", team(), manifest("a", "Console", namespace="team"))
    assert rollout.capabilities.implicit == set()


def widgets(capability: str = "", **annotations: str) -> str:
    kind, api = "CustomResourceDefinition", "apiextensions.k8s.io/v1"
    return manifest("widgets.test.io", capability, kind=kind, api=api, more=WIDGETS, annotations=annotations)


def refused(run: Callable[[], Rollout]) -> list[tuple[str, str]]:
    with pytest.raises(CapabilityError) as error:
        run()
    return [(item.code, str(item.where)) for item in error.value.problems if item.severity == "error"]


def once(site: Site, method: str, path: str, act: Callable[[], object]) -> None:
    """Let another client ``act`` before the first such request."""

    def before(sent: str, to: str) -> None:
        if (sent, to) == (method, path):
            site.server.before = lambda _method, _path: None
            act()

    site.server.before = before


def test_definitions_alone_leave_no_record(site: Site) -> None:
    gone = manifest("x.test.io", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1", more=WIDGETS)
    deleted = gone.replace("annotations:", f'annotations:\n    {DELETE}: "true"')
    release = (team(), widgets(), config("a"), deleted)
    first = site.roll_out(OLD, *release, only_definitions=True, capabilities=None)
    assert (first.mode, first.version, actions(first)) == ("install", OLD, {"widgets.test.io": "created"})
    assert (first.inventory_changed, first.capabilities.changed) == (False, False)
    assert [item.rpartition("/")[2] for item in site.writes()] == ["widgets.test.io"]
    second = site.roll_out(OLD, *release, only_definitions=True, capabilities=None)
    assert actions(second) == {"widgets.test.io": "unchanged"}
    assert site.roll_out(OLD, *release, reported=Problems()).mode == "install"


def test_definitions_alone_follow_the_requested_capabilities(site: Site) -> None:
    release = (team(), widgets("Console"))
    found = refused(lambda: site.roll_out(OLD, *release, only_definitions=True))
    assert found == [("empty-release", "release")]
    assert site.writes() == []
    every = site.roll_out(OLD, *release, only_definitions=True, capabilities=None)
    assert actions(every) == {"widgets.test.io": "created"}
    assert "Console" in every.capabilities.status.enabled


def test_definitions_alone_are_refused_after_a_rollout(site: Site) -> None:
    release = (team(), widgets())
    site.roll_out(OLD, *release)
    site.writes()
    assert refused(lambda: site.roll_out(OLD, *release, only_definitions=True)) == [("existing-rollout", "only")]
    assert site.writes() == []


def test_a_cluster_version_that_another_client_creates_first_is_extended(site: Site) -> None:
    def create() -> None:
        spec = {"clusterID": "theirs", "capabilities": {"baselineCapabilitySet": "None"}}
        site.server.put(CLUSTER_VERSIONS, "version", spec=spec)

    once(site, "PATCH", CLUSTER_VERSIONS.path("version"), create)
    rollout = site.roll_out(
        OLD,
        team(),
        manifest("c", "Console", namespace="team"),
        capabilities={"baseline_capability_set": "None", "additional_enabled_capabilities": ["Console"]},
    )
    assert actions(rollout) == {"team": "created", "c": "created"}
    assert rollout.capabilities.changed
    spec = site.server.objects[CLUSTER_VERSIONS.path("version")]["spec"]
    assert spec["clusterID"] == "theirs"
    assert spec["capabilities"]["additionalEnabledCapabilities"] == ["Console"]


def test_more_capabilities_are_requested_of_the_cluster_version_and_check_mode_predicts_that(site: Site) -> None:
    release = (team(), config("a"), manifest("c", "Console", namespace="team"))
    more = {"baseline_capability_set": "None", "additional_enabled_capabilities": ["Console"]}
    assert "c" not in actions(site.roll_out(OLD, *release))
    site.writes()
    check = site.roll_out(OLD, *release, capabilities=more, dry_run=True)
    version = CLUSTER_VERSIONS.path("version")
    dry_runs = [version, f"{version}/status", INVENTORY, CONFIG_MAPS.path("c", "team")]
    assert site.writes() == [f"PATCH {path}" for path in dry_runs]
    real = site.roll_out(OLD, *release, capabilities=more)
    for rollout in (check, real):
        assert actions(rollout)["c"] == "created"
        assert (rollout.mode, rollout.capabilities.changed, rollout.inventory_changed) == ("update", True, True)
        assert "Console" in rollout.capabilities.status.enabled
        assert not rollout.capabilities.implicit
    with pytest.raises(CapabilityError, match=r"^capabilities: omits .*Add these names, or omit capabilities$"):
        site.roll_out(OLD, *release)


@pytest.mark.parametrize("wait", [False, True])
def test_without_a_request_a_cluster_version_is_needed(site: Site, wait: bool) -> None:
    found = refused(lambda: site.roll_out(OLD, team(), capabilities=None, wait=wait))
    assert found == [("missing-cluster-version", "clusterversions.config.openshift.io version")]
    assert site.writes() == []


@pytest.mark.parametrize("given", [{}, {"additional_enabled_capabilities": []}])
def test_the_first_rollout_does_not_enable_everything_for_a_selection_without_content(site: Site, given: Any) -> None:
    found = refused(lambda: site.roll_out(OLD, team(), capabilities=given))
    assert found == [("missing-baseline", "capabilities.baseline_capability_set")]
    assert site.writes() == []


def test_a_cluster_of_another_version_needs_its_release(site: Site) -> None:
    obj = reported(OLD, status={"capabilities": {"enabledCapabilities": [], "knownCapabilities": ["Console"]}})
    site.server.put(CLUSTER_VERSIONS, "version", spec=obj["spec"], status=obj["status"])
    needed = [("missing-previous-release", "previous_release")]
    assert refused(lambda: site.roll_out(NEW, team(), capabilities=None)) == needed
    assert site.writes() == []
    same = site.roll_out(OLD, team(), capabilities=None)
    assert (same.mode, same.capabilities.implicit) == ("install", frozenset())


@pytest.mark.parametrize(
    ("reported_set", "given", "applied", "code"),
    [
        (None, None, False, ""),
        ("", None, False, ""),
        ("TechPreviewNoUpgrade", None, True, ""),
        ("TechPreviewNoUpgrade", "TechPreviewNoUpgrade", True, ""),
        (None, "TechPreviewNoUpgrade", True, ""),
        ("", "TechPreviewNoUpgrade", True, "different-feature-set"),
    ],
)
def test_manifests_of_a_feature_set_are_applied_if_the_cluster_has_it(
    site: Site, reported_set: str | None, given: str | None, applied: bool, code: str
) -> None:
    if reported_set is not None:
        site.server.put(FEATURE_GATES, "cluster", spec={"featureSet": reported_set} if reported_set else {})
    found = Problems()
    rollout = site.roll_out(
        OLD,
        team(),
        config("a", **{FEATURE_SET: "TechPreviewNoUpgrade"}),
        cluster=ClusterOptions(capabilities={"baseline_capability_set": "None"}, feature_set=given),
        reported=found,
    )
    assert ("a" in actions(rollout)) == applied
    assert [item for _severity, item in codes(found)] == ([code] if code else [])


def test_a_feature_gate_that_cannot_be_read_leaves_out_what_needs_it(site: Site) -> None:
    site.server.kinds.remove(FEATURE_GATES)
    release = (team(), config("a", **{FEATURE_SET: "Default"}), config("b"))
    found = Problems()
    rollout = site.roll_out(OLD, *release, reported=found)
    assert actions(rollout) == {"team": "created", "b": "created"}
    assert codes(found) == [("error", "missing-feature-set")]


def test_another_rollout_ends_this_one(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"))
    (store,) = (path for path in site.server.objects if path.startswith(CONFIG_MAPS.path("", "kube-system")))

    def write() -> None:
        metadata = site.server.objects[store]["metadata"]
        annotations = {**metadata["annotations"], "capability.openshift.io/run": "theirs"}
        site.server.objects[store]["metadata"] = {**metadata, "annotations": annotations, "resourceVersion": "999"}

    once(site, "PATCH", store, write)
    found = refused(lambda: site.roll_out(NEW, team(), config("a"), config("b"), reported=Problems()))
    assert [code for code, _where in found] == ["lost-lock"]
    assert site.maps() == {"a"}


def deployment(site: Site, **status: Any) -> None:
    path = DEPLOYMENTS.path("d", "team")
    obj = site.server.objects[path]
    site.server.put(DEPLOYMENTS, "d", "team", metadata=obj["metadata"], spec=obj["spec"], status=status)


def test_a_rollout_waits_until_an_object_becomes_ready(site: Site) -> None:
    ready = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
    ready["conditions"] = [condition("Available", True)]  # type: ignore[assignment]
    seen: list[str] = []

    def before(method: str, path: str) -> None:
        if (method, path) == ("GET", DEPLOYMENTS.path()):
            seen.append(path)
            if len(seen) == 3:  # lists before the rollout and for its wait, then the watch
                deployment(site, **ready)

    site.server.before = before
    more = "spec: {replicas: 1}\n"
    workload = manifest("d", kind="Deployment", api="apps/v1", namespace="team", more=more)
    rollout = site.roll_out(OLD, team(), workload, wait=True, deadline=time.monotonic() + 20)
    assert actions(rollout)["d"] == "created"
    assert len(seen) == 3


def test_a_namespaced_manifest_without_a_namespace_fails(site: Site) -> None:
    found = Problems()
    rollout = site.roll_out(OLD, team(), manifest("a"), reported=found)
    assert actions(rollout)["a"] == "failed"
    (problem,) = (item for item in found if item.code == "missing-namespace")
    assert str(problem.where) == "release-manifests/0000_11_part_1.yaml, document 1, metadata.namespace"


def test_an_object_that_is_being_deleted_is_not_counted_as_applied(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"), config("once", **CREATE_ONLY))
    for name in ("a", "once"):
        metadata = site.server.objects[CONFIG_MAPS.path(name, "team")]["metadata"]
        metadata.update(finalizers=["test.io/held"], deletionTimestamp="2026-02-03T12:00:00Z")
    found = Problems()
    release = (team(), config("a", "data: {a: c}\n"), config("once", **CREATE_ONLY))
    rollout = site.roll_out(NEW, *release, reported=found)
    assert actions(rollout) == {"team": "unchanged", "a": "terminating", "once": "terminating"}
    assert codes(found) == [("error", "terminating-object")] * 2
    assert all("test.io/held" in item.message for item in found if item.code == "terminating-object")


A = CONFIG_MAPS.path("a", "team")
INVENTORY = CONFIG_MAPS.path("capability-openshift-rollout", "kube-system")


@pytest.mark.parametrize(
    ("answers", "action", "code"),
    [
        ([fault(403)], "forbidden", "forbidden-request"),
        *(
            ([fault(code, 'admission webhook "w" denied the request: no')], "forbidden", "denied-request")
            for code in (400, 401, 404, 409)
        ),
        ([fault(422, "data: field is immutable")], "failed", "immutable-field"),
        ([fault(422, "x", ("FieldValueRequired", "data", "Required value"))], "failed", "invalid-object"),
    ],
)
def test_a_refused_manifest_is_reported_and_the_others_are_applied(
    site: Site, answers: list[Any], action: str, code: str
) -> None:
    site.server.faults["PATCH", A] = answers * 20
    found = Problems()
    rollout = site.roll_out(OLD, team(), config("a"), manifest("x", kind="Namespace"), reported=found)
    assert actions(rollout)["a"] == action
    assert actions(rollout)["team"] == "created"
    assert code in [item for _severity, item in codes(found)]
    assert not rollout.changes.is_complete


@pytest.mark.parametrize(("prune", "severity"), [(False, "warning"), (True, "error")])
def test_a_leftover_that_cannot_be_read_is_reported_and_not_forgotten(site: Site, prune: bool, severity: str) -> None:
    more = [config(name) for name in ("b", "c", "d")]
    site.roll_out(OLD, team(), *more, config("left"))
    for _run in range(2):
        site.server.faults["GET", CONFIG_MAPS.path()] = [fault(403)]
        found = Problems()
        rollout = site.roll_out(NEW, team(), *more, prune=prune, reported=found)
        assert rollout.leftovers == ()
        assert (severity, "unread-leftover") in codes(found)
    rollout = site.roll_out(NEW, team(), *more, prune=prune)
    assert [(item.resource.name, item.pruned) for item in rollout.leftovers] == [("left", prune)]


@pytest.mark.parametrize("dry_run", [False, True])
def test_nothing_is_rolled_out_that_is_deleted_with_its_owner(site: Site, dry_run: bool) -> None:
    site.roll_out(OLD, team(), config("a"))
    metadata = site.server.objects[CLUSTER_VERSIONS.path("version")]["metadata"]
    metadata.update(finalizers=["test.io/held"], deletionTimestamp="2026-02-03T12:00:00Z")
    site.writes()
    with pytest.raises(ClusterError) as error:
        site.roll_out(NEW, team(), config("b"), dry_run=dry_run)
    assert [problem.code for problem in error.value.problems] == ["terminating-object"]
    assert "test.io/held" in error.value.problems[0].message
    assert site.writes() == []


def test_a_deletion_names_any_version_of_a_kind(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"))
    tombstone = manifest("a", namespace="team", api="v0", annotations={DELETE: "true"})
    check = site.roll_out(NEW, team(), tombstone, dry_run=True)
    real = site.roll_out(NEW, team(), tombstone)
    assert actions(check)["a"] == actions(real)["a"] == "deleted"
    assert site.maps() == set()


def test_a_deletion_that_a_webhook_denies_with_not_found_is_not_done(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"))
    site.server.faults["DELETE", A] = [fault(404, 'admission webhook "w" denied the request: no ticket')] * 20
    found = Problems()
    rollout = site.roll_out(NEW, team(), config("a", **{DELETE: "true"}), reported=found)
    assert actions(rollout)["a"] == "forbidden"
    assert ("error", "denied-request") in codes(found)


def test_without_a_valid_login_the_rollout_ends(site: Site) -> None:
    site.server.faults["PATCH", A] = [fault(401)] * 20
    found = Problems()
    rollout = site.roll_out(OLD, team(), config("a"), config("b"), parallelism=1, reported=found)
    assert "a" not in actions(rollout)
    assert [item.resource_id.name for item in rollout.changes.not_applied]
    assert "unauthorized-request" in [item for _severity, item in codes(found)]


@pytest.mark.parametrize("number", [1, 3])
def test_a_change_that_meets_another_write_is_sent_again(
    site: Site, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    site.roll_out(OLD, team(), config("a"))
    site.server.faults["PATCH", A] = [fault(409, "the object has been modified")] * number
    rollout = site.roll_out(NEW, team(), config("a", "data: {a: c}\n"))
    assert actions(rollout)["a"] == "changed"
    assert site.server.objects[A]["data"] == {"a": "c"}


def test_a_field_of_another_manager_is_a_conflict(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"))
    cause = ("FieldManagerConflict", ".data.a", 'conflict with "kubectl" using v1')
    site.server.faults["PATCH", A] = [fault(409, "Apply failed with 1 conflict", cause)]
    found = Problems()
    rollout = site.roll_out(NEW, team(), config("a", "data: {a: c}\n"), reported=found)
    (result,) = (item for item in rollout.changes.results if item.manifest.resource_id.name == "a")
    assert [(item.manager, item.field) for item in result.conflicts] == [("kubectl", ".data.a")]
    assert ("error", "conflicting-managers") in codes(found)


@pytest.mark.parametrize(("given", "applied", "code"), [(None, False, "forbidden-request"), ("", True, "")])
def test_a_feature_gate_that_is_forbidden_leaves_out_what_needs_it(
    site: Site, given: str | None, applied: bool, code: str
) -> None:
    path = FEATURE_GATES.path("cluster")
    site.server.faults["GET", path] = [fault(403)] * 3
    found = Problems()
    cluster = ClusterOptions(capabilities={"baseline_capability_set": "None"}, feature_set=given)
    release = (team(), config("a", **{FEATURE_SET: "Default"}), config("b"))
    rollout = site.roll_out(OLD, *release, cluster=cluster, reported=found)
    assert ("a" in actions(rollout), "b" in actions(rollout)) == (applied, True)
    assert [item for _severity, item in codes(found)] == ([code] if code else [])


@pytest.mark.parametrize(
    "path", [CLUSTER_VERSIONS.path("version"), CONFIG_MAPS.path("capability-openshift-rollout", "kube-system")]
)
def test_a_record_that_is_forbidden_ends_the_rollout(site: Site, path: str) -> None:
    site.server.faults["GET", path] = [fault(403)] * 9
    assert [code for code, _where in refused(lambda: site.roll_out(OLD, team()))] == ["forbidden-request"]
    assert site.writes() == []


def test_a_name_that_the_old_definition_lacks_is_recorded_until_it_knows_it(site: Site) -> None:
    field, value = (
        "status.capabilities.enabledCapabilities[0]",
        'Unsupported value: "Console": supported values: "Build"',
    )
    message, cause = f"{field}: {value}", ("FieldValueNotSupported", field, value)
    status = CLUSTER_VERSIONS.path("version") + "/status"
    console = {"baseline_capability_set": "None", "additional_enabled_capabilities": ["Console"]}
    site.server.faults["PATCH", status] = [fault(422, message, cause)]
    found = Problems()
    release = (team(), manifest("c", "Console", namespace="team"))
    rollout = site.roll_out(OLD, *release, capabilities=console, reported=found)
    assert codes(found) == [("warning", "outdated-crd")]
    assert actions(rollout)["c"] == "created"
    assert site.server.objects[CLUSTER_VERSIONS.path("version")].get("status") is None
    later = site.roll_out(OLD, *release, capabilities=None)
    assert "Console" in later.capabilities.status.enabled


def test_the_release_of_the_cluster_decides_what_an_update_moves(site: Site) -> None:
    status = {"capabilities": {"enabledCapabilities": [], "knownCapabilities": ["Console"]}}
    obj = reported(OLD, status=status)
    site.server.put(CLUSTER_VERSIONS, "version", spec=obj["spec"], status=obj["status"])
    moved = manifest("a", "Console", namespace="team")
    rollout = site.roll_out(
        NEW, team(), moved, capabilities=None, previous=site.release(OLD, team(), config("a")), reported=Problems()
    )
    assert (rollout.mode, rollout.capabilities.implicit) == ("update", frozenset({"Console"}))


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(
    ("before", "after", "gate", "enabled"),
    [
        pytest.param([], ["New"], "New", set(), id="the gate becomes enabled, so it is not loaded yet"),
        pytest.param([], ["New"], "-New", {"Console"}, id="the gate becomes enabled, so it is still loaded"),
        pytest.param(["New"], [], "New", {"Console"}, id="the gate becomes disabled, so it is still loaded"),
        pytest.param(["New"], [], "-New", set(), id="the gate becomes disabled, so it is not loaded yet"),
    ],
)
def test_the_gates_of_the_outgoing_release_decide_what_an_update_moves(
    site: Site, before: list[str], after: list[str], gate: str, enabled: set[str], is_recorded: bool
) -> None:
    old, new = "4.22.1", "4.23.1"
    of_old = (team(), config("a"), feature_gate(before))
    moved = manifest("a", "Console", namespace="team", annotations={FEATURE_GATE: gate})
    previous = None
    if is_recorded:
        site.roll_out(old, *of_old)
    else:
        obj = reported(old, status={"capabilities": {"enabledCapabilities": [], "knownCapabilities": ["Console"]}})
        site.server.put(CLUSTER_VERSIONS, "version", spec=obj["spec"], status=obj["status"])
        previous = site.release(old, *of_old)
    release = (team(), moved, feature_gate(after))
    rollout = site.roll_out(new, *release, capabilities=None, previous=previous, reported=Problems())
    assert rollout.capabilities.implicit == enabled


def test_new_gates_decide_what_moves_within_a_version(site: Site) -> None:
    version = "4.22.1"
    site.roll_out(version, team(), config("a"), feature_gate([]))
    moved = manifest("a", "Console", namespace="team", annotations={FEATURE_GATE: "New"})
    rollout = site.roll_out(version, team(), moved, feature_gate(["New"]), reported=Problems())
    assert rollout.capabilities.implicit == {"Console"}


@pytest.mark.parametrize("annotations", [{}, {DELETE: "true"}])
def test_a_second_rollout_does_not_compare_several_manifests_of_a_resource(
    site: Site, annotations: dict[str, str]
) -> None:
    release = (team(), config("a", **annotations), manifest("a", "Console", namespace="team"))
    site.roll_out(OLD, *release, reported=Problems())
    rollout = site.roll_out(OLD, *release, reported=Problems())
    assert (rollout.mode, rollout.capabilities.implicit) == ("reconcile", frozenset())


def test_a_definition_for_other_clusters_only_is_an_error(site: Site) -> None:
    site.server.kinds.remove(CLUSTER_VERSIONS)
    more = WIDGETS.replace("test.io", CLUSTER_VERSIONS.group).replace("widgets", CLUSTER_VERSIONS.plural)
    kind, api = "CustomResourceDefinition", "apiextensions.k8s.io/v1"
    definition = manifest(CLUSTER_VERSIONS.resource, kind=kind, api=api, more=more, annotations={FEATURE_SET: "Other"})
    assert [code for code, _where in refused(lambda: site.roll_out(OLD, team(), definition))] == ["excluded-definition"]
    assert site.writes() == []


def test_the_cvo_of_a_release_is_named(site: Site) -> None:
    cvo = manifest(CVO[1], kind="Deployment", api="apps/v1", namespace=CVO[0], more="spec: {replicas: 1}\n")
    found = Problems()
    site.roll_out(OLD, team(), manifest(CVO[0], kind="Namespace"), cvo, reported=found)
    assert [item.code for item in found if item.severity == "info" and "cvo" in item.code] == ["included-cvo"]


def test_a_prune_that_is_forbidden_keeps_the_object_and_goes_on(site: Site) -> None:
    names = "abcdef"
    site.roll_out(OLD, team(), *map(config, names))
    site.server.faults["DELETE", CONFIG_MAPS.path("e", "team")] = [fault(403)]
    found = Problems()
    rollout = site.roll_out(NEW, team(), *map(config, names[:4]), prune=True, reported=found)
    assert {item.resource.name: item.pruned for item in rollout.leftovers} == {"e": False, "f": True}
    assert codes(found) == [("error", "forbidden-request")]
    assert site.maps() == set("abcde")


def test_a_namespace_that_does_not_end_names_what_is_left_in_it(site: Site) -> None:
    other = manifest("other", kind="Namespace")
    site.roll_out(OLD, team(), config("a"), config("b"), other)
    path = NAMESPACES.path("other")
    left = condition("NamespaceContentRemaining", True, message="Some resources are remaining: pods")
    site.server.objects[path] |= {"spec": {"finalizers": ["kubernetes"]}, "status": {"conditions": [left]}}
    site.server.objects[path]["metadata"]["finalizers"] = ["test.io/held"]
    found = Problems()
    site.roll_out(NEW, team(), config("a"), config("b"), prune=True, reported=found)
    (problem,) = (item for item in found if item.code == "terminating-object")
    assert str(problem.where) == "namespaces other"
    assert "Some resources are remaining: pods" in problem.message
    assert "kubernetes" in problem.message


def test_a_failed_job_ends_the_wait(site: Site) -> None:
    jobs = DEPLOYMENTS._replace(group="batch", plural="jobs", kind="Job")
    site.server.kinds.append(jobs)

    def fail(method: str, path: str) -> None:
        if (method, path) == ("GET", jobs.path()) and jobs.path("j", "team") in site.server.objects:
            site.server.objects[jobs.path("j", "team")]["status"] = {"conditions": [condition("Failed", True)]}

    site.server.before = fail
    found = Problems()
    job = manifest("j", kind="Job", api="batch/v1", namespace="team")
    site.roll_out(OLD, team(), job, wait=True, deadline=time.monotonic() + 30, reported=found)
    assert codes(found) == [("error", "unready-object")]


def test_fields_that_are_rewritten_are_reported_and_the_object_is_applied_again(site: Site) -> None:
    found = Problems()
    fields = [f".data.{name}" for name in "abcdefg"]
    site.roll_out(
        OLD, team(), config("a"), reported=found, rewritten_fields=lambda body, *_live: fields if "data" in body else ()
    )
    (problem,) = found
    assert (problem.severity, problem.code) == ("warning", "rewritten-field")
    assert problem.message.startswith(".data.a, .data.b, .data.c, .data.d, .data.e and 2 more of the object")
    site.server.requests.clear()
    site.roll_out(OLD, team(), config("a"))
    assert f"PATCH {CONFIG_MAPS.path('a', 'team')}" in site.server.requests
