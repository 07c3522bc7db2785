# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Concurrent writers and killed processes: no write is lost or repeated."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._cluster import capabilities
from ansible_collections.capability.openshift.plugins.module_utils._cluster.spec_change import parse_request
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    KNOWN,
    OBJECT,
    Site,
    selection,
    start_alone,
    verbs,
)
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

TEN = sorted(KNOWN - {"Ingress", "baremetal", "marketplace"})[:10]
"""Names that do not require others."""


@pytest.fixture
def proxy(site: Site) -> Iterator[FaultProxy]:
    with FaultProxy(site.plane) as proxy:
        yield proxy


# Concurrent writers


@pytest.mark.deep
def test_ten_concurrent_writers_all_succeed(site: Site) -> None:
    site.make(selection("Ingress"), ["Ingress"])
    clients = [site.client() for _name in TEN]
    mark = site.plane.audit.mark()

    def write(client: Client, name: str) -> bool:
        problems = Problems()
        request = parse_request(None, [name], problems, keep_implicit=False)
        assert not problems
        return capabilities.enable_capabilities(client, request, None, dry_run=False).change.changed

    with ThreadPoolExecutor(len(TEN)) as pool:
        assert list(pool.map(write, clients, TEN)) == [True] * len(TEN)
    assert site.names == {"Ingress", *TEN}
    patches = [request.code for request in site.requests(mark) if request.verb == "patch"]
    assert patches.count(200) == len(TEN)
    assert set(patches) == {200, 409}  # there were conflicts, or this proves nothing


@pytest.mark.deep
def test_ten_concurrent_processes_of_ansible_all_succeed(site: Site, tmp_path: Path) -> None:
    site.make(selection("Ingress"), ["Ingress"])
    hosts = {f"host-{name}": {"ansible_connection": "local", "capability": name} for name in TEN}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}), encoding="utf-8")
    done = run_playbook(site, tmp_path, ["--inventory", "hosts.yml", "--forks", "10"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("changed=1 ") == len(TEN)
    assert site.names == {"Ingress", *TEN}


def playbook(site: Site, folder: Path) -> Path:
    """Write a playbook that requests the variable ``capability`` of each host."""
    task = {
        "name": "Request",
        "capability.openshift.cluster_capabilities": {
            "kubeconfig": str(site.plane.kubeconfig),
            "enable": "{{ capability }}",
        },
    }
    path = folder / "play.yml"
    path.write_text(yaml.safe_dump([{"hosts": "all", "gather_facts": False, "tasks": [task]}]), encoding="utf-8")
    return path


def run_playbook(site: Site, folder: Path, options: list[str]) -> subprocess.CompletedProcess[str]:
    return ansible_playbook(folder, str(playbook(site, folder)), *options)


@pytest.fixture
def concurrent_write(site: Site, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have another client request Storage between the first read and its write. Returns the versions of all writes."""
    tried: list[str] = []
    real = Client.merge

    def merge(client: Client, target: Any, body: Any, **options: Any) -> Any:
        tried.append(body["metadata"]["resourceVersion"])
        if len(tried) == 1:
            site.plane.api.patch(OBJECT, {"spec": {"capabilities": selection("Console", "Storage")}})
        return real(client, target, body, **options)

    monkeypatch.setattr(Client, "merge", merge)
    return tried


def test_a_selection_that_lost_the_race_names_what_it_lacks(site: Site, concurrent_write: list[str]) -> None:
    site.make(selection("Console"), ["Console"])
    outcome = site.ask(selection("Build", "Console"))
    assert outcome.faults == [("removed-capability", "capabilities")]
    assert "Storage (listed)" in outcome.message
    assert (len(concurrent_write), site.spec) == (1, selection("Console", "Storage"))


def test_an_addition_that_lost_the_race_is_added_to_the_new_spec(site: Site, concurrent_write: list[str]) -> None:
    site.make(selection("Console"), ["Console"])
    mark = site.plane.audit.mark()
    outcome = site.enable("Build")
    assert (outcome["changed"], outcome["added_capabilities"]) == (True, ["Build"])
    assert site.names == {"Build", "Console", "Storage"}
    assert len(set(concurrent_write)) == 2
    assert verbs(site.requests(mark)) == ["get", "get", "patch", "get", "patch"]


def test_an_addition_of_another_client_is_no_change(site: Site, concurrent_write: list[str]) -> None:
    """This task changed nothing, so it does not report a change."""
    site.make(selection("Console"), ["Console"])
    outcome = site.enable("Storage")
    assert (outcome["changed"], outcome["added_capabilities"]) == (False, [])
    assert site.names == {"Console", "Storage"}


def test_a_recreated_object_is_read_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tried = Client.merge, []

    def merge(client: Client, target: Any, body: Any, **options: Any) -> Any:
        tried.append(body)
        if len(tried) == 1:
            site.plane.api.delete(OBJECT)
            site.make(selection("Storage"), ["Storage"])
        return real(client, target, body, **options)

    monkeypatch.setattr(Client, "merge", merge)
    site.make(selection("Console"), ["Console"])
    assert site.enable("Build")["changed"]
    assert site.names == {"Build", "Storage"}


# Killed processes


def kill(process: Process | subprocess.Popen[str]) -> None:
    """Kill a process and its children, unless it has ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.deep
def test_a_killed_module_leaves_the_old_spec_or_the_new_one(site: Site) -> None:
    old, new = selection("Console"), selection(*sorted(KNOWN))
    options = {"kubeconfig": site.plane.kubeconfig, "capabilities": new}
    site.make(old, ["Console"])
    started = time.monotonic()
    assert start_alone(**options).wait(300) == 0
    duration = time.monotonic() - started
    specs = []
    for part in range(14):
        site.make(old, ["Console"])
        process = start_alone(**options)
        with suppress(subprocess.TimeoutExpired):
            process.wait(duration * part / 13)
        kill(process)
        specs.append(site.spec)
    assert [spec for spec in specs if spec not in (old, new)] == []
    assert specs[0] == old
    # It can be run again in any case.
    assert not site.ask(new).failed
    assert site.spec == new


@pytest.mark.deep
@pytest.mark.parametrize("fault", ["hold", "delay", "lose"])
def test_a_module_killed_around_its_patch_can_be_run_again(site: Site, proxy: FaultProxy, fault: str) -> None:
    """Before the server receives it, while it processes it, and after that."""
    site.make(selection("Console"), ["Console"])
    proxy.fail(fault, method="PATCH", seconds=1.0)
    process = start_alone(kubeconfig=proxy.kubeconfig, enable=["Build"])
    wait_for(lambda: any(request.method == "PATCH" for request in proxy.requests), "the patch")
    kill(process)
    assert site.names in ({"Console"}, {"Build", "Console"})
    assert not site.enable("Build").failed
    assert site.names == {"Build", "Console"}


@pytest.mark.deep
def test_a_killed_playbook_leaves_the_old_spec_or_the_new_one(site: Site, tmp_path: Path) -> None:
    site.make(selection("Console"), ["Console"])
    command = [sys.executable, "-m", "ansible.cli.playbook", str(playbook(site, tmp_path))]
    command += ["--inventory", "localhost,", "--connection", "local", "--extra-vars", "capability=Build"]
    mark = site.plane.audit.mark()
    process = subprocess.Popen(
        command, env=environment(tmp_path), stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: verbs(site.requests(mark)), "the module to read")
    kill(process)
    assert site.names in ({"Console"}, {"Build", "Console"})
    assert not site.enable("Build").failed
    assert site.names == {"Build", "Console"}
