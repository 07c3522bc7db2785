# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How install_config writes files: modes, owners, other kinds of files, and interrupted writes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    COMMENTED,
    leaks,
    run_alone,
    runner,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.kill_points import killed_after
from ansible_collections.capability.openshift.tests.unit.other_user import OTHER_USER, as_other_user

REQUESTED = {"capabilities": selection("Ingress", "Console")}


@pytest.fixture
def run(call):
    return runner(call)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "install-config.yaml"
    path.write_text(COMMENTED)
    path.chmod(0o600)
    return path


def mode(path: Path | str) -> int:
    return os.stat(path).st_mode & 0o7777


@pytest.fixture
def public_folder(run) -> Iterator[Path]:
    """A directory that every user can reach, with a file of that user."""
    run(content={})  # imports everything as root
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "sites"
        folder.mkdir()
        (folder / "install-config.yaml").write_text(COMMENTED)
        (folder / "install-config.yaml").chmod(0o600)
        if os.geteuid() == 0:
            for entry in (name, folder, folder / "install-config.yaml"):
                os.chown(entry, OTHER_USER, OTHER_USER)
        try:
            yield folder
        finally:
            folder.chmod(0o700)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_only_the_owner_can_read_a_new_file_with_any_umask(umask, run, path):
    path.unlink()
    before = os.umask(umask)
    try:
        run(path=path, content=site())
    finally:
        os.umask(before)

    assert mode(path) == 0o600


@pytest.mark.parametrize(("old", "shown"), [(0o644, "0644"), (0o640, "0640"), (0o660, "0660"), (0o604, "0604")])
def test_a_file_that_others_can_read_is_restricted_and_the_diff_shows_it(old, shown, run, path):
    path.chmod(old)
    same = {"capabilities": yaml.safe_load(COMMENTED)["capabilities"]}
    predicted = run(path=path, check=True, diff=True, **same)
    assert mode(path) == old

    outcome = run(path=path, diff=True, **same)
    assert outcome["changed"] is predicted["changed"] is True
    (entry,) = outcome["diff"]
    assert outcome["diff"] == predicted["diff"]
    assert (entry["before"], entry["after"]) == (f"{shown}\n", "0600\n")
    assert str(path) in entry["before_header"]
    assert (path.read_text(), mode(path)) == (COMMENTED, 0o600)


def test_a_file_that_is_only_checked_keeps_its_mode(run, path):
    path.chmod(0o644)
    outcome = run(path=path, diff=True)

    assert (outcome["changed"], outcome["diff"], mode(path)) == (False, [], 0o644)
    (problem,) = [item for item in outcome["problems"] if item["severity"] == "warning"]
    assert (problem["code"], problem["where"]) == ("exposed-file", str(path))


def test_an_unreadable_file_is_one_error(run, public_folder):
    path = public_folder / "install-config.yaml"
    path.chmod(0o000)
    with as_other_user():
        outcome = run(path=path, **REQUESTED)

    (problem,) = outcome.errors
    assert (problem["code"], problem["where"]) == ("unreadable-file", str(path))
    path.chmod(0o600)
    assert path.read_text() == COMMENTED


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("name", ["install-config.yaml", "new.yaml", "a/b/new.yaml"])
@pytest.mark.parametrize("locked", [0o000, 0o500])
def test_a_directory_without_write_permission_is_one_error_in_check_mode_too(locked, name, check, run, public_folder):
    public_folder.chmod(locked)
    with as_other_user():
        outcome = run(path=public_folder / name, content=site(), check=check, **REQUESTED)

    assert "ermission" in outcome.message
    assert str(public_folder) in outcome.message
    assert len([item for item in outcome["problems"] if item["severity"] == "error"]) == 1
    public_folder.chmod(0o700)
    assert tree(public_folder) == {"install-config.yaml": COMMENTED.encode()}


def test_a_file_that_is_too_large_leaves_the_old_one_intact(path):
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({len(COMMENTED) + 5},) * 2)"
    done = run_alone({"path": str(path), **REQUESTED}, path.parent / "home", before=limit)
    result = json.loads(done.stdout)

    assert (done.returncode, result["failed"]) == (1, True)
    assert result["problems"][0]["where"] == str(path)
    assert "cannot be written: File too large" in result["msg"]
    assert ".part" not in done.stdout
    assert leaks(done.stdout + done.stderr) == []
    assert path.read_text() == COMMENTED
    assert {name for name in os.listdir(path.parent) if name != "home"} == {path.name}


@pytest.mark.parametrize("name", ["fchmod", "fchown", "replace"])
@pytest.mark.parametrize("survived", range(2))
def test_a_kill_at_any_point_leaves_one_intact_file_and_the_next_run_has_the_same_result(
    survived, name, run, path, monkeypatch
):
    with killed_after(survived, name, monkeypatch) as killed:
        run(path=path, **REQUESTED)
    assert bool(killed) is (survived < 1)
    text = path.read_text()
    assert (text == COMMENTED) is bool(killed)
    assert not [entry for entry in os.listdir(path.parent) if entry.endswith(".part")]

    run(path=path, **REQUESTED)
    assert path.read_text() == COMMENTED.replace(
        "  - Ingress   # for the routes\n", "  - Ingress   # for the routes\n  - Console\n"
    )


@pytest.mark.parametrize("name", ["fchmod", "replace"])
def test_a_killed_process_leaves_the_old_file_intact_and_no_secret_readable(name, run, path):
    kill = f"import signal; os.{name} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    done = run_alone({"path": str(path), **REQUESTED}, path.parent / "home", before=kill)

    assert done.returncode == -9
    assert path.read_text() == COMMENTED
    assert {mode(entry) for entry in path.parent.iterdir() if entry.is_file()} == {0o600}
    assert run(path=path, **REQUESTED)["changed"] is True


def test_an_agent_config_next_to_the_file_means_the_agent_based_installer(run, path):
    path.write_text(COMMENTED.replace("none: {}", "baremetal: {}").replace("replicas: 1", "replicas: 3"))
    capabilities = selection("Ingress", "MachineAPI", "baremetal")
    missing = ("inst-baremetal-hosts", f"{path}, platform.baremetal.hosts")
    assert missing in run(path=path, capabilities=capabilities).faults
    (path.parent / "agent-config.yaml").write_text("kind: AgentConfig\n")
    outcome = run(path=path, capabilities=capabilities)
    assert (outcome.failed, outcome["install_method"]) == (False, "agent")
    assert run(path=path, capabilities=capabilities, install_method="ipi").failed
