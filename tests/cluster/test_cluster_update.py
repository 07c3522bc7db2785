# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_update takes a cluster through two minors, proves its prediction, and stops before it writes too much."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import cluster_update
from ansible_collections.capability.openshift.plugins.plugin_utils._command.main import main as command
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import (
    ACCEPTANCES,
    ENABLED,
    GATE,
    PATH,
    PROVED,
    history,
    image_of,
    releases_to,
    request,
    update_to,
    wait_for_condition,
    wait_until_completed,
    writes,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.operators import Behaviour
from ansible_collections.capability.openshift.tests.control_plane.updates import ACKS, UpdatingOperator
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome

OLD, NEXT, LAST = PATH
Update = Callable[..., Outcome]


@pytest.fixture
def update(cluster: ControlPlane, images: dict[str, Path], call: Call) -> Update:
    """Return a function that runs the module, by default to the next minor with all acceptances."""

    def run(version: str = NEXT, **options: Any) -> Outcome:
        given = {"kubeconfig": cluster.kubeconfig, "version": version, "releases": releases_to(images, version)}
        return call(cluster_update, **{**given, "acceptances": ACCEPTANCES, "wait_timeout": 60, **options})

    return run


def test_two_commands_take_a_cluster_from_4_18_to_4_20(
    cluster: ControlPlane,
    operator: UpdatingOperator,
    images: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A third one writes nothing, and proves the same."""
    accepted = tmp_path / "acceptances.json"
    accepted.write_text(json.dumps(ACCEPTANCES), encoding="utf-8")
    given = ["cluster-update", "--kubeconfig", str(cluster.kubeconfig), "--acceptances", f"@{accepted}"]
    for version, expected in ((NEXT, ["admin-acks", "version"]), (LAST, ["version"]), (LAST, [])):
        arguments = [*given, "--version", version, "--format", "json"]
        arguments += [word for path in releases_to(images, version) for word in ("--releases", path)]
        monkeypatch.setattr("sys.argv", ["openshift-capability", *arguments])
        mark = cluster.audit.mark()
        code, printed = command(), capsys.readouterr()
        assert code == 0, printed
        done = json.loads(printed.out)
        assert (done["desired_update"]["state"], done["prediction"]) == ("completed", PROVED)
        assert (writes(cluster, mark), done["changed"]) == (expected, bool(expected))
        found = cluster.api.get(OBJECT)
        assert found["status"]["capabilities"]["enabledCapabilities"] == ENABLED[version]
        assert found["spec"]["desiredUpdate"] == {"version": version, "image": image_of(version)}
    assert history(cluster) == [(version, "Completed") for version in reversed(PATH)]


def test_nothing_is_written_unless_everything_is_accepted(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    before, mark = cluster.api.get(OBJECT)["spec"], cluster.audit.mark()
    alone = update(acceptances=[])
    assert {code for code, _where in alone.faults} == {"admin-ack-required", "unaccepted-capability"}
    for missing in ACCEPTANCES[:2]:
        outcome = update(acceptances=[item for item in ACCEPTANCES if item != missing])
        assert len(outcome.faults) == 1, outcome.message
    ingress = "/apis/config.openshift.io/v1/clusteroperators/ingress"
    conditions = cluster.api.get(ingress)["status"]["conditions"]
    broken = [{**item, "status": "False"} if item["type"] == "Available" else item for item in conditions]
    cluster.api.patch(f"{ingress}/status", {"status": {"conditions": broken}})
    outcome = update()
    assert [code for code, _where in outcome.faults] == ["unavailable-operator"]
    assert writes(cluster, mark) == []
    assert cluster.api.get(OBJECT)["spec"] == before


def test_check_mode_shows_what_is_written(cluster: ControlPlane, operator: UpdatingOperator, update: Update) -> None:
    mark = cluster.audit.mark()
    shown = update(check=True, diff=True)
    assert (shown["changed"], shown["desired_update"]["state"], writes(cluster, mark)) == (True, "requested", [])
    operator.loading.clear()
    done = update(diff=True, wait=False)
    assert (done["diff"], done["plan"]) == (shown["diff"], shown["plan"])
    assert writes(cluster, mark) == ["admin-acks", "version"]
    assert cluster.api.get(ACKS)["data"] == {GATE: "true"}


def test_a_missing_config_map_of_acknowledgements_is_created(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    cluster.api.delete(ACKS)
    wait_for_condition(cluster, "Upgradeable", "False", "UnableToAccessAdminAcksConfigMap")
    refused = update(acceptances=ACCEPTANCES[1:])
    shown = update(check=True, diff=True)
    assert [code for code, _where in refused.faults] == ["admin-ack-required", "missing-admin-acks"]
    assert not cluster.api.exists(ACKS)
    done = update(diff=True)
    assert (done["diff"], done["diff"][0]["before"]) == (shown["diff"], "")
    assert (done["desired_update"]["state"], done["prediction"]) == ("completed", PROVED)


def test_a_cluster_migrates_to_several_architectures(
    cluster: ControlPlane,
    operator: UpdatingOperator,
    images: dict[str, Path],
    update: Update,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The operator looks up the image of the version when the migration is requested."""
    several, folder = image_of("multi"), images[image_of(OLD)]
    monkeypatch.setitem(images, several, folder)
    options = {"version": OLD, "architecture": "multi", "releases": [str(folder)] * 2, "acceptances": []}
    shown = update(**options, check=True, diff=True)
    requested = update(**options, wait=False, diff=True)
    assert requested["diff"] == shown["diff"]
    assert cluster.api.get(OBJECT)["spec"]["desiredUpdate"] == {"version": OLD, "architecture": "Multi"}
    operator.available, mark = {OLD: [{**update_to(OLD), "image": several}]}, cluster.audit.mark()
    for _run in range(2):
        done = update(**options)
        assert done["desired_update"] == {"version": OLD, "image": several, "state": "completed"}, done.message
        assert (done["prediction"], writes(cluster, mark)) == (PROVED, [])
    assert history(cluster) == [(OLD, "Completed")] * 2


def test_an_update_that_is_not_accepted_is_not_done(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    operator.refusal = "The update cannot be verified: no signature"
    outcome = update(wait_timeout=4)
    assert [code for code, _where in outcome.faults] == ["unfinished-update"]
    assert operator.refusal in outcome.message
    assert outcome["desired_update"]["state"] == "requested"
    assert outcome["prediction"] == dict.fromkeys(PROVED, "not_checked")
    operator.refusal, mark = "", cluster.audit.mark()
    again = update()
    assert (again["desired_update"]["state"], again["prediction"], again["changed"]) == ("completed", PROVED, False)
    assert writes(cluster, mark) == []


@pytest.mark.deep
def test_an_operator_that_never_reports_is_named(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    operator.behaviours["ingress"] = Behaviour(silent=True)
    mark = cluster.audit.mark()
    outcome = update(wait_timeout=8, stuck_timeout=1)
    assert [code for code, _where in outcome.faults] == ["unfinished-update"]
    assert "waiting on ingress" in outcome.problem("update-stuck")["message"]
    assert outcome["desired_update"]["state"] == "partial"
    # One watch of each kind: all else is planning, and the write.
    requests = cluster.audit.requests(mark, user_agent=AGENT)
    assert 1 <= sum(item.verb == "watch" for item in requests) <= 3
    last = max(index for index, item in enumerate(requests) if item.verb == "patch")
    assert {item.verb for item in requests[last + 1 :]} == {"watch"}
    operator.behaviours.clear()
    wait_until_completed(cluster, NEXT)
    mark = cluster.audit.mark()
    assert (update()["prediction"], writes(cluster, mark)) == (PROVED, [])


def test_an_update_that_another_client_replaces_is_not_done(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    operator.behaviours["ingress"] = Behaviour(silent=True)
    assert update(wait=False)["desired_update"]["state"] == "requested"
    wait_for_condition(cluster, "Progressing", "True", "ClusterOperatorUpdating")
    request(cluster, OLD)
    outcome = update()
    assert [code for code, _where in outcome.faults] == ["replaced-update"]
    assert outcome["desired_update"]["state"] == "partial"


def test_a_prediction_that_is_wrong_is_an_error(
    cluster: ControlPlane, operator: UpdatingOperator, update: Update
) -> None:
    operator.enables = lambda _start, _target, _enabled: ["Insights", "Storage"]
    outcome = update()
    assert {code for code, _where in outcome.faults} == {"different-prediction"}
    assert outcome["desired_update"]["state"] == "completed"
    assert outcome["prediction"] == dict.fromkeys(PROVED, "different")
