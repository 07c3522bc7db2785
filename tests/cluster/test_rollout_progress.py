# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The progress that a playbook shows during a rollout."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import UPDATE, fresh, selected
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import config_map
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook
from ansible_collections.capability.openshift.tests.unit.watched_playbook import Progress, progress_in

pytestmark = pytest.mark.deep

MODULE = "capability.openshift.release_apply"
WAITING = re.compile(r"waiting for \d+: deployments\.apps [\w-]+/[\w-]+ \(.+\)")
LONG = {"wait": True, "wait_timeout": 8}
"""No controller makes the Deployments available here, so these rollouts wait in vain."""

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
JSON_CALLBACK = """
import json
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = "name: only_json\\ntype: stdout\\nshort_description: what ansible.posix.json does\\ndescription: x\\n"


class CallbackModule(CallbackBase):
    CALLBACK_TYPE, CALLBACK_NAME, CALLBACK_VERSION = "stdout", "only_json", 2.0

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.results = []

    def v2_runner_on_ok(self, result, **_options):
        dumped = json.loads(self._dump_results(result._result, keep_invocation=True))
        self.results.append({**dumped, "diffs": len(result._result.get("diff") or ())})

    v2_runner_on_failed = v2_runner_on_ok

    def v2_playbook_on_stats(self, stats):
        self._display.display(json.dumps(self.results))
"""


class Played(NamedTuple):
    """Exit code and results of a playbook."""

    code: int
    out: str
    err: str
    result: dict[str, Any]

    @property
    def lines(self) -> list[Progress]:
        """The shown lines."""
        return progress_in(self.err)


class Site(NamedTuple):
    """A folder with playbooks, for a cluster without a rollout."""

    plane: ControlPlane
    folder: Path

    def play(
        self, task: dict[str, Any] | None = None, variables: dict[str, str] | None = None, **options: Any
    ) -> Played:
        """Run one task of host berlin. The folder of the playbook is not the current one."""
        options = {"release": str(EXAMPLE), "capabilities": selected("Ingress"), **options}
        if "kubeconfig" not in options and "module_defaults" not in (task or {}):
            options["kubeconfig"] = str(self.plane.kubeconfig)
        play = {
            "hosts": "berlin",
            "gather_facts": False,
            "tasks": [{"name": "Roll out", MODULE: options, "register": "it", **(task or {})}],
        }
        return self.run([play], variables or {"ANSIBLE_STDOUT_CALLBACK": "only_json"})

    def run(self, plays: list[dict[str, Any]], variables: dict[str, str]) -> Played:
        """Run a playbook."""
        here = self.folder / "plays"
        (here / "callback_plugins").mkdir(parents=True, exist_ok=True)
        (here / "callback_plugins" / "only_json.py").write_text(JSON_CALLBACK)
        (here / "play.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
        (here / "hosts.yml").write_text("all: {hosts: {berlin: {ansible_connection: local}}}\n")
        env = {"HOME": str(self.folder), "ANSIBLE_ASYNC_DIR": f"{self.folder}/async", **variables}
        done = ansible_playbook(self.folder, "-i", "plays/hosts.yml", "plays/play.yml", env=env)
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        results = json.loads(done.stdout) if variables.get("ANSIBLE_STDOUT_CALLBACK") == "only_json" else [{}]
        return Played(done.returncode, done.stdout, done.stderr, results[-1])


@pytest.fixture
def site(plane: ControlPlane, tmp_path: Path) -> Site:
    fresh(plane)
    return Site(plane, tmp_path)


def temporary_files(folder: Path) -> list[Path]:
    return list(folder.rglob("progress-*"))


def test_lines_come_while_the_rollout_runs(site):
    options = {
        "release": str(EXAMPLE),
        "capabilities": selected("Ingress"),
        "kubeconfig": str(site.plane.kubeconfig),
        "wait": True,
        "wait_timeout": 15,
    }
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "Roll out", MODULE: options}]}
    (site.folder / "play.yml").write_text(yaml.safe_dump([play]))
    process = subprocess.Popen(
        [sys.executable, "-m", "ansible.cli.playbook", "play.yml"],
        cwd=site.folder,
        env=environment(site.folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines = [(time.monotonic(), line) for line in process.stderr]
    process.wait()
    over = time.monotonic()

    waiting = [(at, line) for at, line in lines if "waiting for" in line]
    assert waiting, lines
    # No controller makes these Deployments available here.
    assert re.match(rf"localhost: {WAITING.pattern}, \d+ s$", waiting[0][1])
    assert over - waiting[0][0] > 4
    shown = [line.seconds for line in progress_in("".join(line for _at, line in lines))]
    assert shown == list(range(5, shown[-1] + 5, 5))


def test_a_rollout_that_works_shows_its_run_level(site):
    bodies = [config_map(f"c{index}", "default") for index in range(30)]
    release = site.folder / "release"
    release.mkdir()
    (release / "0000_10_a_1.yaml").write_text("\n---\n".join(map(json.dumps, bodies)))
    with FaultProxy(site.plane) as proxy:
        proxy.fail("delay", len(bodies), method="PATCH", path="/configmaps/c", seconds=0.3)
        options = {"kubeconfig": str(proxy.kubeconfig), "openshift_version": "4.21.0", "parallelism": 1}
        played = site.play(release=str(release), **options)

    assert played.code == 0, played
    assert {line.host for line in played.lines} == {"berlin"}
    done = [re.fullmatch(r"run level 10: (\d+) of 30, \d+ %", line.text) for line in played.lines]
    numbers = [int(match[1]) for match in done if match]
    assert numbers == sorted(numbers)
    assert numbers, played.err


def test_killed_ansible_ends_its_rollout(site):
    bodies = [config_map(f"c{index:04}", "default") for index in range(3000)]
    release = site.folder / "release"
    release.mkdir()
    (release / "0000_10_a_1.yaml").write_text("\n---\n".join(map(json.dumps, bodies)))
    options = {"release": str(release), "openshift_version": "4.21.0", "capabilities": selected("Ingress")}
    task = {MODULE: {**options, "kubeconfig": str(site.plane.kubeconfig), "parallelism": 1}}
    (site.folder / "play.yml").write_text(
        yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "Roll out", **task}]}])
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "ansible.cli.playbook", "play.yml"],
        cwd=site.folder,
        env=environment(site.folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for(lambda: len(site.plane.api.list(CONFIG_MAPS)) > 20, "the first manifests")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not is_running(site.folder), "the end of the module")
    assert len(site.plane.api.list(CONFIG_MAPS)) < len(bodies)


def is_running(folder: Path) -> bool:
    """Whether a process has the environment of the playbook."""
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if os.fsencode(folder) in environ.read_bytes():
                return True
    return False


def test_the_result_is_as_without_the_action_plugin(site):
    site.play()
    shown = site.play().result
    alone = site.play({"async": 120, "poll": 1})

    assert alone.lines == []
    of_async = {"ansible_job_id", "finished", "results_file", "started"}
    of_async |= {"stdout", "stdout_lines", "stderr", "stderr_lines"}
    # Ansible starts no asynchronous job with an interpreter whose path contains a blank.
    assert " " in sys.executable or shown == {
        name: value for name, value in alone.result.items() if name not in of_async
    }


def test_task_with_no_log_shows_nothing(site):
    played = site.play({"no_log": True}, **LONG)

    assert played.code == 2, played
    assert "berlin: " not in played.err


def test_a_loop_shows_the_progress_of_each_item(site):
    task = {"loop": [str(EXAMPLE), str(UPDATE)]}
    played = site.play(task, release="{{ item }}", capabilities=selected("Ingress"), **LONG)

    assert [line.seconds for line in played.lines].count(5) == 2
    assert temporary_files(site.folder) == []


def test_a_kubeconfig_that_is_a_dict_is_in_no_output(site):
    kubeconfig = yaml.safe_load(site.plane.kubeconfig.read_text("utf-8"))
    key = kubeconfig["users"][0]["user"]
    secret = key.get("client-key-data") or key["token"]
    played = site.play(kubeconfig=kubeconfig, **LONG)

    assert any(WAITING.fullmatch(line.text) for line in played.lines)
    assert secret not in played.out + played.err
    assert "********" not in played.err


def test_a_text_of_a_kubeconfig_that_can_be_secret_is_masked_in_the_progress(site):
    kubeconfig = yaml.safe_load(site.plane.kubeconfig.read_text("utf-8"))
    played = site.play(kubeconfig={**kubeconfig, "preferences": {"note": "deployments.apps"}}, **LONG)

    assert any(line.text.startswith("waiting for") and "********" in line.text for line in played.lines)
    assert "deployments.apps" not in played.err
