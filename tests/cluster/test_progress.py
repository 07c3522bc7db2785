# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What waits show every 5 seconds, with Ansible and a real API server. Rollouts: test_rollout_progress.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME
from ansible_collections.capability.openshift.tests.cluster.helpers.support import VERSION, Site, restart, selection
from ansible_collections.capability.openshift.tests.control_plane.cvo import StatusWriter
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.jobs import run_job
from ansible_collections.capability.openshift.tests.unit.watched_playbook import (
    Watched,
    ended,
    progress_in,
    run_playbook,
    start_playbook,
)

pytestmark = pytest.mark.deep

ENABLE, GUARD = "capability.openshift.cluster_capabilities", "capability.openshift.capability_guard"
TEXT = "waiting for 1: clusteroperators.config.openshift.io console: does not exist yet"


def request(site: Site, seconds: int = 12) -> dict[str, Any]:
    """Variables of the playbook that enables the Console, whose operator never comes."""
    options = {"enable": "Console", "wait": True, "wait_timeout": seconds, "release": str(EXAMPLE)}
    return {**options, "kubeconfig": str(site.plane.kubeconfig)}


def play_task(folder: Path, task: dict[str, Any], **keywords: Any) -> Watched:
    """Run one task."""
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [{**task, **keywords}]}
    (folder / "play.yml").write_text(yaml.safe_dump([play]))
    return run_playbook(folder, "play.yml", {})


def enable(site: Site, seconds: int, **options: Any) -> dict[str, Any]:
    """A task that waits in vain."""
    wait = {"wait": True, "wait_timeout": seconds, "release": str(EXAMPLE)}
    return {ENABLE: {"enable": ["Console"], **wait, **options}}


def test_a_wait_for_a_capability_names_its_operator_every_five_seconds(site: Site, tmp_path: Path) -> None:
    site.make(selection(), [])
    with StatusWriter(site.plane.kubeconfig, VERSION):
        played = run_playbook(tmp_path, ENABLE, request(site))
    assert played.code == 2
    seconds = played.seconds_of(TEXT)
    # On a busy machine, the module may not have started after 5 seconds.
    assert len(seconds) >= 2, played
    assert seconds == list(range(seconds[0], seconds[-1] + 5, 5))
    assert "waiting for" not in played.out
    assert list(tmp_path.rglob("progress-*")) == []


def test_a_controller_shows_the_same_lines(site: Site, tmp_path: Path) -> None:
    """AWX and Automation Platform run jobs with ansible-runner, which reads them from its callback."""
    site.make(selection(), [])
    (tmp_path / "job").mkdir()
    with StatusWriter(site.plane.kubeconfig, VERSION):
        job = run_job(
            tmp_path / "job", ["cluster_capabilities"], {"berlin": {"ansible_connection": "local", **request(site)}}
        )
    assert job.code == 2, job.text
    assert {line.host for line in progress_in(job.text) if line.text == TEXT} == {"berlin"}, job.text


def test_the_module_keeps_the_environment_of_its_task(site: Site, tmp_path: Path) -> None:
    site.make(selection(), [])
    with StatusWriter(site.plane.kubeconfig, VERSION):
        task = enable(site, 7)
        played = play_task(tmp_path, task, environment={"K8S_AUTH_KUBECONFIG": str(site.plane.kubeconfig)})
    assert played.seconds_of(TEXT), played


@pytest.mark.parametrize(
    "keywords",
    [{"become": True, "become_method": "su"}, {"async": 60, "poll": 1}, {"no_log": True}],
    ids=lambda keywords: next(iter(keywords)),
)
def test_a_task_whose_progress_cannot_be_shown_is_silent_and_waits_as_always(
    site: Site, tmp_path: Path, keywords: dict[str, Any]
) -> None:
    site.make(selection(), [])
    with StatusWriter(site.plane.kubeconfig, VERSION):
        task = enable(site, 7, kubeconfig=str(site.plane.kubeconfig))
        played = play_task(tmp_path, task, **keywords)
    assert played.code == 2
    assert played.progress == []
    assert site.names == {"Console"}


def test_the_api_server_that_does_not_answer_is_named(site: Site, tmp_path: Path) -> None:
    site.make(selection(), [])
    mark = site.plane.audit.mark()
    process = start_playbook(tmp_path, ENABLE, request(site, 15))
    # After the change of the spec, the module reads what it waits for, without a word about a server that is away.
    wait_for(lambda: any(item.verb == "watch" for item in site.requests(mark)), "the wait to begin", 60.0)
    site.plane.kill_api_server()
    try:
        played = ended(process)
    finally:
        restart(site.plane)
    begin, part = "waiting for the API server: ", f"{site.plane.url} does not answer"
    assert any(line.text.startswith(begin) and part in line.text for line in played.progress), played


@pytest.mark.parametrize(("state", "verb"), [("present", "enforces"), ("absent", "no longer enforces")])
def test_the_guard_shows_that_it_waits_for_the_enforcement(site: Site, tmp_path: Path, state: str, verb: str) -> None:
    site.make(selection(), [])
    options = {"kubeconfig": str(site.plane.kubeconfig)}
    if state == "absent":
        assert run_playbook(tmp_path, GUARD, options).code == 0
    with FaultProxy(site.plane) as proxy:
        proxy.fail("delay", seconds=7, method="PATCH", path="clusterversions/version.*dryRun")
        played = run_playbook(tmp_path, GUARD, {**options, "kubeconfig": str(proxy.kubeconfig), "state": state})
    assert played.code == 0, played
    assert played.seconds_of(f"waiting until the API server {verb} {GUARD_NAME}"), played
