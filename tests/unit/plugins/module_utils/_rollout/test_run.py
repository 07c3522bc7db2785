# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whole rollouts to a model of an API server. Those of tests/cluster go to a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import Rollout
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest
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
    ("kept", "complete", "code"),
    [(2, True, ""), (1, True, "unsafe-prune"), (2, False, "incomplete-release")],
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


def test_an_update_enables_the_capability_into_which_a_resource_moves(site: Site) -> None:
    site.roll_out(OLD, team(), config("a"), config("b"))
    moved = manifest("a", "Console", namespace="team", more="data: {a: b}\n")
    new = manifest("c", "Insights", namespace="team")
    reported = Problems()
    rollout = site.roll_out(NEW, team(), moved, config("b"), new, reported=reported)
    assert actions(rollout) == {"team": "unchanged", "a": "changed", "b": "unchanged"}
    assert (rollout.mode, rollout.capabilities.implicit) == ("update", frozenset({"Console"}))
    assert ("warning", "implicitly-enabled-capability") in codes(reported)
    capabilities = site.server.objects[CLUSTER_VERSIONS.path("version")]["status"]["capabilities"]
    assert "Console" in capabilities["enabledCapabilities"]
    assert "Insights" not in capabilities["enabledCapabilities"]
    again = site.roll_out(NEW, team(), moved, config("b"), new, reported=Problems())
    assert (again.mode, again.capabilities.implicit) == ("reconcile", frozenset())
