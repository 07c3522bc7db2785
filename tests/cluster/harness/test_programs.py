# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the programs of the control plane come from, and its command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_OPERATORS, EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.programs import (
    MODULES,
    TOOLCHAIN,
    cache_folder,
    find_programs,
    module_folder,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

pytestmark = pytest.mark.deep

MODULE = "ansible_collections.capability.openshift.tests.control_plane"
PROGRAMS = ["etcd", "kube-apiserver", "kubectl"]

# A toolchain that makes empty programs and counts how often it was asked to, or says why it cannot.
GO = """\
#!/bin/sh
echo build >> {count}
{build}
while [ "$1" != -o ]; do shift; done
for name in server kube-apiserver kube-controller-manager kube-scheduler kubectl kwok actionlint; do
    echo "#!/bin/sh" > "$2$name"; chmod +x "$2$name"
done
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert cache_folder().is_relative_to(tmp_path)
    return cache_folder()


@pytest.fixture
def fake_go(cache: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that puts a toolchain into the cache, and returns the file that counts builds."""

    def put(build: str = ":") -> Path:
        count = tmp_path / "count"
        go = cache / TOOLCHAIN / "go" / "bin" / "go"
        go.parent.mkdir(parents=True)
        go.write_text(GO.format(build=build, count=count), encoding="utf-8")
        go.chmod(0o755)
        return count

    return put


def test_programs_are_built_once(cache: Path, fake_go: Callable[..., Path]) -> None:
    count = fake_go()
    messages: list[str] = []
    found = find_programs(PROGRAMS, messages.append)
    assert found == {name: module_folder(MODULES[0]) / name for name in PROGRAMS}
    assert messages[-1].startswith("built etcd, kube-apiserver")
    assert find_programs(PROGRAMS, messages.append) == found
    assert count.read_text(encoding="utf-8") == "build\n"


def test_two_runs_build_once(cache: Path, fake_go: Callable[..., Path], tmp_path: Path) -> None:
    go_on = tmp_path / "go-on"
    count = fake_go(f"while [ ! -e {go_on} ]; do sleep 0.1; done")
    command = [sys.executable, "-m", MODULE, "programs"]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    wait_for(count.exists, "the first build")
    second = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    waits = re.compile(rf"-> FLOCK .* {second.pid} ")
    wait_for(lambda: waits.search(Path("/proc/locks").read_text(encoding="utf-8")), "the second run to wait")
    go_on.touch()
    assert "built etcd" in first.communicate()[0]
    rest = second.communicate()[0]
    assert "built etcd" not in rest
    assert f"kubectl: {cache}" in rest
    assert count.read_text(encoding="utf-8") == "build\n" * len(MODULES)


# The command line


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", MODULE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_start_is_idempotent_and_ends_with_a_process(tmp_path: Path) -> None:
    directory = tmp_path / "a plane"
    owner = subprocess.Popen(["sleep", "600"])
    try:
        options = ["--stop-with", owner.pid, "--release", EXAMPLE, "--operators", "--silent", "console"]
        for _time in range(2):
            started = run("start", "--directory", directory, *options)
            assert started.stdout.splitlines()[-1] == f"control plane: ready: {directory / 'kubeconfig'}", started
        api = Api(directory / "kubeconfig")
        wait_for(lambda: api.exists(f"{CLUSTER_OPERATORS}/ingress"), "an operator")
        assert not api.exists(f"{CLUSTER_OPERATORS}/console")
    finally:
        owner.kill()
        owner.wait()
    wait_for(lambda: run("stop", "--directory", directory).stdout == "control plane: there was none\n", "the end")
    assert not (directory / "kubeconfig").exists()


def test_stop_ends_it(tmp_path: Path) -> None:
    run("start", "--directory", tmp_path)
    assert run("stop", "--directory", tmp_path).stdout == "control plane: stopped\n"
    assert sorted(os.listdir(tmp_path)) == ["control-plane.log", "lock"]


def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    failed = run("start", "--directory", tmp_path, "--release", tmp_path / "missing")
    assert failed.returncode == 1
    assert "control plane: the control plane did not start:" in failed.stderr
    assert "missing" in failed.stderr
    assert "Traceback" not in failed.stderr
