# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pruning deletes what a rollout made and nothing else, and never by a release of which something is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CREATE_ONLY,
    HOME,
    Body,
    Rollouts,
    config_map,
    crd,
    ids,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

NONE = selection("Ingress")
KEPT = [config_map(f"kept-{index}") for index in range(5)]
"""Enough that what a test drops is the smaller part."""


def applied(rollouts: Rollouts, *bodies: Body) -> None:
    """Roll out what is kept, and ``bodies``."""
    rollouts.done([*KEPT, *bodies], capabilities=NONE)


def pruned(rollouts: Rollouts, **options: object) -> Outcome:
    """Roll out what is kept alone, and prune."""
    return rollouts.done(KEPT, capabilities=NONE, prune=True, **options)


def installed(rollouts: Rollouts) -> None:
    """Have the example release on the cluster."""
    rollouts.done(EXAMPLE, capabilities=NONE, feature_set="Default")


def copy_of_example(rollouts: Rollouts) -> Path:
    """Return a copy of the example release that a test may break."""
    return Path(shutil.copytree(EXAMPLE, rollouts.folder / "copy"))


def is_refused(rollouts: Rollouts, release: Path, *, check: bool = False) -> Outcome:
    """See that a rollout with prune is an error, and that nothing was written."""
    with rollouts.unwritten():
        outcome = rollouts.apply(release, prune=True, feature_set="Default", check=check)
    assert outcome.failed
    assert outcome.errors[0]["where"] == "prune"
    return outcome


# A release of which something is missing


@pytest.mark.parametrize("check", [False, True])
def test_release_one_directory_too_deep_prunes_nothing(rollouts: Rollouts, check: bool) -> None:
    installed(rollouts)
    outcome = is_refused(rollouts, EXAMPLE / "release-manifests", check=check)
    assert outcome.faults == [("unsafe-prune", "prune")]
    assert "clusterversions.config.openshift.io" in outcome.message


def test_release_without_what_the_operator_brings_prunes_nothing(rollouts: Rollouts) -> None:
    installed(rollouts)
    release = copy_of_example(rollouts)
    shutil.rmtree(release / "manifests")
    assert ("incomplete-release", "prune") in is_refused(rollouts, release).faults


def test_release_with_a_template_that_cannot_be_rendered_prunes_nothing(rollouts: Rollouts) -> None:
    installed(rollouts)
    release = copy_of_example(rollouts)
    template = release / "manifests" / "0000_00_cluster-version-operator_03_deployment.yaml"
    template.write_text(template.read_text(encoding="utf-8") + "# {{ .Nonsense }}\n", encoding="utf-8")
    assert ("incomplete-release", "prune") in is_refused(rollouts, release).faults


def test_release_that_lacks_most_of_the_inventory_prunes_nothing(rollouts: Rollouts) -> None:
    rollouts.done([*KEPT, config_map("other")], capabilities=NONE)
    with rollouts.unwritten():
        outcome = rollouts.apply([config_map("other")], capabilities=NONE, prune=True)
    assert "5 of 6" in outcome.message
    assert all(map(rollouts.has, KEPT))


def test_release_that_lacks_something_is_rolled_out_without_prune(rollouts: Rollouts) -> None:
    installed(rollouts)
    outcome = rollouts.done(EXAMPLE / "release-manifests", feature_set="Default")
    assert {item["pruned"] for item in outcome["leftovers"]} == {False}


# Who made it


def test_what_a_rollout_made_is_pruned(rollouts: Rollouts) -> None:
    made = [namespace("team"), config_map("old"), crd("things", "Thing")]
    applied(rollouts, *made)
    outcome = pruned(rollouts)
    assert [item["pruned"] for item in outcome["leftovers"]] == [True] * 3
    assert not rollouts.has(made[1])
    wait_for(lambda: not rollouts.has(made[2]), "the definition to be gone with all of its kind")
    assert outcome["problems"] == []


def test_what_a_rollout_made_two_releases_ago_is_pruned(rollouts: Rollouts) -> None:
    applied(rollouts, config_map("old"))
    applied(rollouts, config_map("old", data={"key": "other"}))
    rollouts.done(KEPT, capabilities=NONE)
    pruned(rollouts)
    assert not rollouts.has(config_map("old"))


def test_namespace_that_was_there_before_stays_with_all_that_is_in_it(rollouts: Rollouts) -> None:
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    rollouts.api.post("/api/v1/namespaces/team/configmaps", {"metadata": {"name": "users"}})
    applied(rollouts, namespace("team"))
    outcome = pruned(rollouts)
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("team", False)]
    assert "deletionTimestamp" not in rollouts.get(namespace("team"))["metadata"]
    assert rollouts.has(config_map("users", "team"))


def test_what_stays_is_told_with_what_to_do_about_it(rollouts: Rollouts) -> None:
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    applied(rollouts, namespace("team"))
    problem = pruned(rollouts).problem("kept-leftover")
    assert (problem["severity"], problem["where"]) == ("warning", "namespaces team")
    assert problem["hint"]


def test_what_stays_is_told_in_each_run(rollouts: Rollouts) -> None:
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    applied(rollouts, namespace("team"))
    first, second = pruned(rollouts), pruned(rollouts)
    assert first["leftovers"] == second["leftovers"] != []
    assert second["changed"] is False


def test_what_was_there_before_and_was_adopted_in_a_second_run_stays(rollouts: Rollouts) -> None:
    applied(rollouts)
    theirs = config_map("theirs")
    rollouts.api.post(path_of(theirs).rpartition("/")[0], {"metadata": {"name": "theirs"}})
    applied(rollouts, theirs)
    applied(rollouts, config_map("theirs", data={"key": "other"}))
    pruned(rollouts)
    assert rollouts.has(theirs)


def test_what_is_created_only_stays(rollouts: Rollouts) -> None:
    once = config_map("once", annotations={CREATE_ONLY: "true"})
    applied(rollouts, once)
    outcome = pruned(rollouts)
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("once", False)]
    assert rollouts.has(once)


def test_what_is_unmanaged_now_stays(rollouts: Rollouts) -> None:
    applied(rollouts, config_map("old"))
    held = {"group": "", "kind": "ConfigMap", "namespace": HOME, "name": "old", "unmanaged": True}
    outcome = pruned(rollouts, overrides=[held])
    assert [(item["name"], item["pruned"]) for item in outcome["leftovers"]] == [("old", False)]
    assert rollouts.has(config_map("old"))


def test_what_was_always_unmanaged_stays(rollouts: Rollouts) -> None:
    held = {"group": "", "kind": "ConfigMap", "namespace": HOME, "name": "old", "unmanaged": True}
    old = config_map("old")
    rollouts.api.post(path_of(old).rpartition("/")[0], {"metadata": {"name": "old"}})
    rollouts.done([*KEPT, old], capabilities=NONE, overrides=[held])
    pruned(rollouts)
    assert rollouts.has(old)


def test_check_tells_what_prune_would_delete_and_what_it_would_not(rollouts: Rollouts) -> None:
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    applied(rollouts, namespace("team"), config_map("old"), manifest("Secret", "old", HOME))
    with rollouts.unwritten():
        told = pruned(rollouts, check=True)
    real = pruned(rollouts)
    assert (told["leftovers"], told["problems"]) == (real["leftovers"], real["problems"])
    assert ids(real, "leftovers") == ["ConfigMap old", "Namespace team", "Secret old"]
