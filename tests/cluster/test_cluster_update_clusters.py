# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_update with a guard, without permissions, with an unknown field, twice at once, and as a playbook."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.modules import cluster_update
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import Run, runner
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import (
    ACCEPTANCES,
    GATE,
    PATH,
    PROVED,
    image_of,
    releases_to,
    update_to,
    wait_until_completed,
    writes,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.updates import UpdatingOperator
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook
from ansible_collections.capability.openshift.tests.unit.run_module import Call

NEXT = PATH[1]
READ_EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}


@pytest.fixture
def guard(cluster: ControlPlane, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    yield from runner(capsys, cluster)


@pytest.fixture
def options(cluster: ControlPlane, images: dict[str, Path]) -> dict[str, Any]:
    """The options of an update to the next minor."""
    given = {"kubeconfig": str(cluster.kubeconfig), "version": NEXT, "wait_timeout": 60}
    return {**given, "releases": releases_to(images, NEXT), "acceptances": ACCEPTANCES}


@pytest.mark.usefixtures("operator")
def test_the_guard_admits_an_update(guard: Run, options: dict[str, Any], call: Call) -> None:
    assert not guard().failed
    outcome = call(cluster_update, **options)
    assert (outcome["desired_update"]["state"], outcome["prediction"]) == ("completed", PROVED)


@pytest.mark.usefixtures("operator")
def test_a_user_who_may_only_read_writes_nothing(cluster: ControlPlane, options: dict[str, Any], call: Call) -> None:
    reader = certificate_user(cluster, "update-reader", [READ_EVERYTHING])
    mark = cluster.audit.mark()
    outcome = call(cluster_update, **{**options, "kubeconfig": reader.kubeconfig})
    assert [item["code"] for item in outcome.errors] == ["forbidden-request"] * 2
    assert all(name in outcome.message for name in ("openshift-config/admin-acks", "clusterversions"))
    assert [name for name in writes(cluster, mark) if name != "selfsubjectaccessreviews"] == []


def test_a_risk_is_accepted_although_the_server_does_not_know_the_field(
    cluster: ControlPlane, operator: UpdatingOperator, options: dict[str, Any], call: Call
) -> None:
    name = "SlowBoots"
    risk = {
        "name": name,
        "message": "Boots are slow.",
        "url": "https://example.com",
        "matchingRules": [{"type": "Always"}],
    }
    times = {"lastTransitionTime": "2026-01-01T00:00:00Z", "message": "Boots are slow.", "reason": name}
    recommended = {"type": "Recommended", "status": "False", **times}
    update = {"release": update_to(NEXT), "risks": [risk], "conditions": [recommended]}
    operator.available, operator.conditional = {}, {PATH[0]: [update]}
    wait_for(lambda: cluster.api.get(OBJECT)["status"].get("conditionalUpdates"), "the conditional update")

    refused = call(cluster_update, **options)
    accepted = call(cluster_update, **{**options, "acceptances": [*ACCEPTANCES, {"name": name, "reason": "no boots"}]})

    assert [item["code"] for item in refused.errors] == ["conditional-risk"]
    assert accepted.problem("unknown-accept-risks")["severity"] == "info"
    assert (accepted["desired_update"]["state"], accepted["prediction"]) == ("completed", PROVED)
    assert cluster.api.get(OBJECT)["spec"]["desiredUpdate"] == {"version": NEXT, "image": image_of(NEXT)}


@pytest.mark.deep
def test_two_runs_at_once_request_one_update(
    cluster: ControlPlane, operator: UpdatingOperator, options: dict[str, Any]
) -> None:
    operator.seconds = 0.5
    runs = [Process("cluster_update", **options) for _number in range(2)]
    results = [json.loads(run.communicate(300)[0]) for run in runs]

    assert [(item["desired_update"]["state"], item["prediction"]) for item in results] == [("completed", PROVED)] * 2
    assert any(item["changed"] for item in results)
    assert cluster.api.get(OBJECT)["metadata"]["generation"] == 2


@pytest.mark.deep
@pytest.mark.usefixtures("operator")
def test_the_playbook_shows_what_is_missing_and_then_the_proof(
    cluster: ControlPlane, options: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "acceptances.yml").write_text(yaml.safe_dump({"acceptances": options.pop("acceptances")}), "utf-8")
    (tmp_path / "options.yml").write_text(yaml.safe_dump(options), "utf-8")
    command = ("capability.openshift.cluster_update", "-e", "@options.yml")
    refused = ansible_playbook(tmp_path, *command)
    planned = ansible_playbook(tmp_path, *command, "-e", "@acceptances.yml", "--check", "--diff")
    updated = ansible_playbook(tmp_path, *command, "-e", "@acceptances.yml")

    assert refused.returncode == 2, refused.stdout
    assert f"update to {NEXT}: not requested" in refused.stdout
    assert f"accept {GATE} in acceptances" in refused.stdout
    assert planned.returncode == 0, planned.stdout + planned.stderr
    assert f"update to {NEXT}: would be requested" in planned.stdout
    assert f'+    "{GATE}": "true"' in planned.stdout
    assert updated.returncode == 0, updated.stdout + updated.stderr
    wait_until_completed(cluster, NEXT)
    assert "prediction: capabilities equal, condition equal" in updated.stdout


@pytest.mark.deep
@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize(("percentage", "updated"), [(100, ["b", "c"]), (0, ["b"])])
def test_too_many_failures_in_a_batch_stop_a_fleet(
    options: dict[str, Any], tmp_path: Path, percentage: int, updated: list[str]
) -> None:
    hosts = {"a": {"kubeconfig": "missing"}}
    for name in ("b", "c"):  # one cluster, as if it were two
        hosts[name] = {"kubeconfig": str(shutil.copy(options["kubeconfig"], tmp_path / name))}
    (tmp_path / "sites.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": options}}), "utf-8")
    arguments = ("-i", "sites.yml", "-e", "target_hosts=all", "-e", "target_serial=2", "--check")
    limit = ("-e", f"target_max_fail_percentage={percentage}")
    done = ansible_playbook(tmp_path, "capability.openshift.cluster_update", *arguments, *limit)

    assert done.returncode == 2, done.stdout
    shown = re.findall(r"(?m)^ok: \[(\w)\] => \{\n +\"msg\": \[\n +\"update to .*: would be requested", done.stdout)
    assert shown == updated, done.stdout
