# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The progress that a playbook shows during a rollout, and the journal."""

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

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import run_level_of
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import UPDATE, fresh, selected
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import config_map
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook
from ansible_collections.capability.openshift.tests.unit.watched_playbook import Progress, progress_in

MODULE = "capability.openshift.release_apply"
WAITING = re.compile(r"waiting for \d+: deployments\.apps [\w-]+/[\w-]+ \(.+\)")
LONG = {"wait": True, "wait_timeout": 8}
"""No controller makes the Deployments available here, so these rollouts wait in vain."""

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


def journal(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def levels_of(result: dict[str, Any]) -> list[str]:
    return [level["run_level"] for level in result["run_levels"]]


def temporary_files(folder: Path) -> list[Path]:
    return list(folder.rglob("progress-*"))


def levels_in(path: Path) -> list[dict[str, Any]]:
    return [line for line in journal(path) if line["event"] == "run_level"]


def test_an_install_records_each_run_level_once_although_they_run_at_the_same_time(site):
    path = site.folder / "journal"
    played = site.play(journal=str(path))

    assert played.code == 0, played
    assert played.result["mode"] == "install"
    assert sorted(line["run_level"] for line in levels_in(path)) == levels_of(played.result)
    total = sum(level["manifests"] for level in played.result["run_levels"])
    last = levels_in(path)[-1]
    assert (last["done"], last["total"], last["percent"]) == (total, total, 100)
    assert temporary_files(site.folder) == []


def test_update_records_its_run_levels_in_order(site):
    site.play()
    path = site.folder / "journal"
    played = site.play(release=str(UPDATE), journal=str(path))

    assert played.result["mode"] == "update"
    last = {run_level_of(line["file"]): None for line in reversed(journal(path)) if line["event"] == "manifest"}
    assert [line["run_level"] for line in levels_in(path)] == list(reversed(last))


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
    release, path = site.folder / "release", site.folder / "journal"
    release.mkdir()
    (release / "0000_10_a_1.yaml").write_text("\n---\n".join(map(json.dumps, bodies)))
    options = {"release": str(release), "openshift_version": "4.21.0", "capabilities": selected("Ingress")}
    task = {MODULE: {**options, "kubeconfig": str(site.plane.kubeconfig), "journal": str(path), "parallelism": 1}}
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
    wait_for(lambda: path.exists() and path.stat().st_size > 5000, "the first manifests")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not is_open(path), "the end of the module")
    assert len(journal(path)) < len(bodies)


def is_open(path: Path) -> bool:
    """Whether a process has a file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if link.readlink() == path:
                return True
    return False


def test_the_result_is_as_without_the_action_plugin(site):
    site.play()
    shown = site.play().result
    alone = site.play({"async": 120, "poll": 1})

    assert alone.lines == []
    assert shown["invocation"]["module_args"]["journal"] is None
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


def test_check_mode_writes_no_journal_and_nothing_else(site):
    mark = site.plane.audit.mark()
    played = site.play({"check_mode": True, "diff": True}, journal="journal")

    assert not (site.folder / "plays" / "journal").exists()
    assert played.result["diffs"]
    asked = site.plane.audit.requests(mark, user_agent=FIELD_MANAGER)
    assert all(request.verb in ("get", "list") or "dryRun=All" in request.uri for request in asked)


def test_defaults_of_the_groups_reach_the_module(site):
    path = f"{site.folder}/journal"
    defaults = {
        "group/capability.openshift.cluster": {"kubeconfig": str(site.plane.kubeconfig)},
        "group/capability.openshift.openshift": {"journal": path},
    }
    played = site.play({"module_defaults": defaults})

    assert played.code == 0, played
    assert [line["event"] for line in journal(Path(path))][-1] == "end"


def test_standard_output_is_the_same_as_without_progress(site):
    played = site.play(variables={"ANSIBLE_STDOUT_CALLBACK": "default"}, **LONG)

    assert "fatal: [berlin]" in played.out
    assert "waiting for" not in played.out
    assert any(WAITING.fullmatch(line.text) for line in played.lines)


def test_a_journal_of_several_runs_has_them_all(site):
    path = site.folder / "plays" / "berlin.jsonl"
    for _run in range(2):
        played = site.play(journal="berlin.jsonl")

    written = journal(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len({line["run"] for line in written}) == 2
    for run in {line["run"] for line in written}:
        kinds = [line["event"] for line in written if line["run"] == run]
        assert (kinds[0], kinds[-1]) == ("start", "end")
        assert kinds.count("manifest") == next(line["total"] for line in written if line["event"] == "start")
        assert kinds.count("run_level") == len(levels_of(played.result))


def test_a_loop_shows_the_progress_of_each_item(site):
    task = {"loop": [str(EXAMPLE), str(UPDATE)]}
    played = site.play(task, release="{{ item }}", capabilities=selected("Ingress"), **LONG)

    assert [line.seconds for line in played.lines].count(5) == 2
    assert temporary_files(site.folder) == []


def test_a_kubeconfig_that_is_a_dict_is_in_no_output_and_in_no_journal(site):
    kubeconfig = yaml.safe_load(site.plane.kubeconfig.read_text("utf-8"))
    key = kubeconfig["users"][0]["user"]
    secret = key.get("client-key-data") or key["token"]
    played = site.play(kubeconfig=kubeconfig, journal="~/journal", **LONG)

    assert any(WAITING.fullmatch(line.text) for line in played.lines)
    text = (site.folder / "journal").read_text("utf-8")
    assert secret not in played.out + played.err + text
    assert "********" not in text


def test_secrets_are_masked_everywhere_in_the_journal(site):
    open_one, masked = (site.folder / name for name in ("open", "masked"))
    site.play(journal=str(open_one))
    word = next(line["name"] for line in journal(open_one) if line["event"] == "manifest" and len(line["name"]) > 7)
    site.play(journal=str(masked), proxy_headers={"basic_auth": word})

    assert any(word in line.get("name", "") for line in journal(open_one))
    assert not any(word in line.get("name", "") for line in journal(masked))
    assert len(journal(masked)) == len(journal(open_one))


@pytest.mark.parametrize(("path", "reason"), [("none/j", "No such file or directory"), (".", "Is a directory")])
def test_a_journal_that_cannot_be_written_is_an_error_before_anything_is_sent(site, path, reason):
    mark = site.plane.audit.mark()
    played = site.play(journal=path)

    assert played.code == 2
    assert f"cannot be written: {reason}" in played.result["msg"]
    assert played.result["problems"][0]["where"] == "journal"
    assert site.plane.audit.requests(mark, user_agent=FIELD_MANAGER) == []
