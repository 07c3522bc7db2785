# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rollout that has nothing to do, which the action plugin finds out without the module."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._rollout.journal import Journal
from ansible_collections.capability.openshift.plugins.plugin_utils._unchanged_rollout import (
    rollout_params,
    unchanged_result,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    INVENTORY,
    NEXT,
    Rollouts,
    config_map,
    crd,
    manifest,
    namespace,
    path_of,
    rollouts_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE

MINE, OTHER = config_map("mine"), config_map("other")
GADGET = manifest("Gadget", "g", "rollouts", api="test.io/v1", spec={"size": 3})


@pytest.fixture
def rollouts(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Rollouts:
    return rollouts_of(plane, tmp_path, capsys, monkeypatch)


def unchanged(rollouts: Rollouts, release: Path, **options: Any) -> dict[str, Any] | None:
    """What the action plugin finds; it only reads."""
    args = {"kubeconfig": str(rollouts.plane.kubeconfig), "release": str(release), **options}
    if not (release / "release-manifests").exists():
        args["openshift_version"] = "4.21.0"
    params = rollout_params(args)
    assert params is not None
    problems = Problems()
    with rollouts.unwritten():
        found = unchanged_result(params, Journal(None), problems, diff_mode=False)
    if found is None:
        return None
    result: dict[str, Any] = json.loads(
        json.dumps({**found, "problems": [item.as_dict() for item in problems.unique()]})
    )
    return result


def of_module(rollouts: Rollouts, release: Path, **options: Any) -> dict[str, Any]:
    """What the module returns."""
    result = rollouts.done(release, **options).result
    return {name: value for name, value in result.items() if name not in ("invocation", "warnings")}


@pytest.mark.parametrize("options", [{}, {"mode": "install"}, {"prune": True}, {"capabilities": selection("Ingress")}])
def test_the_result_for_a_release_is_that_of_the_module(rollouts: Rollouts, options: dict[str, Any]) -> None:
    rollouts.done(EXAMPLE, capabilities=selection("Ingress"))
    expected = of_module(rollouts, EXAMPLE, **options)
    assert expected["changed"] is False
    assert unchanged(rollouts, EXAMPLE, **options) == expected


def test_the_journal_has_the_events_of_the_module(rollouts: Rollouts, tmp_path: Path) -> None:
    release = rollouts.release([MINE, OTHER])
    rollouts.done(release)
    params = rollout_params({"kubeconfig": str(rollouts.plane.kubeconfig), "release": str(release)})
    assert params is not None
    params["openshift_version"] = "4.21.0"
    rollouts.done(release, journal=str(tmp_path / "of_module"))
    journal = Journal(str(tmp_path / "found"))
    assert unchanged_result(params, journal, Problems(), diff_mode=False) is not None
    journal.close()
    events = [
        [
            {name: value for name, value in json.loads(line).items() if name not in ("time", "run")}
            for line in (tmp_path / file).read_text(encoding="utf-8").splitlines()
            if '"phase"' not in line
        ]
        for file in ("found", "of_module")
    ]
    assert events[0] == events[1]


def test_kept_leftovers_are_in_the_result(rollouts: Rollouts) -> None:
    rollouts.done([MINE, OTHER])
    release = rollouts.release([MINE])
    rollouts.done(release)
    expected = of_module(rollouts, release)
    assert [item["name"] for item in expected["leftovers"]] == ["other"]
    assert unchanged(rollouts, release) == expected
    assert unchanged(rollouts, release, prune=True) is None


def test_before_the_first_rollout_the_module_runs_after_few_requests(rollouts: Rollouts) -> None:
    mark = rollouts.plane.audit.mark()
    assert unchanged(rollouts, rollouts.release([MINE])) is None
    assert len(rollouts.requests(mark)) <= 4


def test_for_another_release_the_module_runs_after_few_requests(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=selection("Ingress"))
    mark = rollouts.plane.audit.mark()
    assert unchanged(rollouts, NEXT) is None
    assert len(rollouts.requests(mark)) <= 4


def deleted(rollouts: Rollouts) -> None:
    rollouts.api.delete(path_of(MINE))


def changed_by_another(rollouts: Rollouts) -> None:
    rollouts.api.patch(path_of(MINE), {"data": {"key": "changed by another client"}})


def unfinished(rollouts: Rollouts) -> None:
    rollouts.api.patch(INVENTORY, {"data": {"unfinished": "reconcile"}})


def without_inventory(rollouts: Rollouts) -> None:
    rollouts.api.delete(INVENTORY)


def new_text(rollouts: Rollouts) -> None:
    rollouts.release([config_map("mine", data={"key": "new"}), OTHER])


def new_manifest(rollouts: Rollouts) -> None:
    rollouts.release([MINE, OTHER, config_map("third")])


@pytest.mark.parametrize(
    "change",
    [deleted, changed_by_another, unfinished, without_inventory, new_text, new_manifest],
    ids=lambda it: it.__name__,
)
def test_the_module_runs_if_anything_differs(rollouts: Rollouts, change: Callable[[Rollouts], None]) -> None:
    release = rollouts.release([MINE, OTHER])
    rollouts.done(release)
    assert unchanged(rollouts, release) is not None
    change(rollouts)
    assert unchanged(rollouts, release) is None


def test_the_module_runs_if_a_definition_differs(rollouts: Rollouts) -> None:
    definition = crd("gadgets", "Gadget")
    files: dict[str, Any] = {"0000_10_a_00.yaml": [namespace("rollouts"), definition], "0000_10_a_01.yaml": GADGET}
    release = rollouts.release(files)
    rollouts.done(release)
    assert unchanged(rollouts, release) == of_module(rollouts, release)
    rollouts.api.delete(path_of(definition))
    assert unchanged(rollouts, release) is None


def test_the_module_runs_for_a_selection_that_enables_more(rollouts: Rollouts) -> None:
    rollouts.done(EXAMPLE, capabilities=selection("Ingress"))
    assert unchanged(rollouts, EXAMPLE, capabilities=selection("Ingress", "Console")) is None


@pytest.mark.parametrize(
    "options",
    [
        {"wait": True},
        {"journal": "journal"},
        {"previous_release": "before"},
        {"api_key": "token"},
        {"kubeconfig": {"apiVersion": "v1"}},
        {"kubeconfig": "apiVersion: v1\n"},
        {"parallelism": 0},
        {"parallelism": 65},
        {"wait_timeout": -1},
        {"signature": "required"},
        {"unknown": 1},
        {"mode": "unknown"},
    ],
)
def test_the_module_runs_with_other_options(options: dict[str, Any]) -> None:
    assert rollout_params({"release": "release"}) is not None
    assert rollout_params({"release": "release", **options}) is None
