# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What install_config does to files: modes, owners, what is in the way, and writes that end too early."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    NOTED,
    leaks,
    run_alone,
    runner,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.kill_points import killed_after

WANTED = {"capabilities": selection("Ingress", "Console")}
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NOBODY = 65534


@pytest.fixture
def run(call):
    return runner(call)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "install-config.yaml"
    path.write_text(NOTED)
    path.chmod(0o600)
    return path


def mode(path: Path | str) -> int:
    return os.stat(path).st_mode & 0o7777


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read and write everything, so be somebody else for a while, for os.access too."""
    root = os.geteuid() == 0
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)


@pytest.fixture
def open_folder(run) -> Iterator[Path]:
    """A folder that everybody can reach, with a file of nobody's own."""
    run(content={})  # what is imported late is imported by root
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "sites"
        folder.mkdir()
        (folder / "install-config.yaml").write_text(NOTED)
        (folder / "install-config.yaml").chmod(0o600)
        if os.geteuid() == 0:
            for entry in (name, folder, folder / "install-config.yaml"):
                os.chown(entry, NOBODY, NOBODY)
        try:
            yield folder
        finally:
            folder.chmod(0o700)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_a_new_file_is_for_its_owner_alone_whatever_the_umask(umask, run, path):
    path.unlink()
    before = os.umask(umask)
    try:
        run(path=path, content=site())
    finally:
        os.umask(before)

    assert mode(path) == 0o600


@pytest.mark.parametrize("old", [0o600, 0o644, 0o666, 0o4755, 0o400])
def test_edited_file_and_backup_are_for_their_owner_alone(old, run, path):
    path.chmod(old)
    outcome = run(path=path, backup=True, **WANTED)

    assert (mode(path), mode(outcome["backup_file"])) == (0o600, 0o600)
    assert Path(outcome["backup_file"]).read_text() == NOTED
    assert Path(outcome["backup_file"]).parent == path.parent
    assert sorted(os.listdir(path.parent)) == sorted([path.name, Path(outcome["backup_file"]).name])


@pytest.mark.parametrize("backup", [False, True])
@pytest.mark.parametrize(("old", "shown"), [(0o644, "0644"), (0o640, "0640"), (0o660, "0660"), (0o604, "0604")])
def test_a_file_that_others_can_read_is_closed_and_the_diff_says_so(old, shown, backup, run, path):
    path.chmod(old)
    same = {"capabilities": yaml.safe_load(NOTED)["capabilities"]}
    predicted = run(path=path, check=True, diff=True, backup=backup, **same)
    assert mode(path) == old

    outcome = run(path=path, diff=True, backup=backup, **same)
    assert outcome["changed"] is predicted["changed"] is True
    (entry,) = outcome["diff"]
    assert outcome["diff"] == predicted["diff"]
    assert (entry["before"], entry["after"]) == (f"{shown}\n", "0600\n")
    assert str(path) in entry["before_header"]
    assert "backup_file" not in outcome.result
    assert (path.read_text(), mode(path)) == (NOTED, 0o600)


def test_a_file_that_is_only_checked_stays_as_others_can_read_it(run, path):
    path.chmod(0o644)
    outcome = run(path=path, diff=True)

    assert (outcome["changed"], outcome["diff"], mode(path)) == (False, [], 0o644)
    (problem,) = [item for item in outcome["problems"] if item["severity"] == "warning"]
    assert (problem["where"], problem["hint"]) == (str(path), "chmod 600")
    assert "mode 0644" in problem["message"]


def test_a_diff_of_text_and_mode_tells_both(run, path):
    path.chmod(0o644)
    text, modes = run(path=path, diff=True, **WANTED)["diff"]

    assert "Console" in text["after"]
    assert modes["after"] == "0600\n"


@pytest.mark.parametrize("old", [0o400, 0o600, 0o700])
def test_a_stricter_mode_stays_where_nothing_has_to_be_written(old, run, path):
    path.chmod(old)
    outcome = run(path=path, diff=True)

    assert (outcome["changed"], outcome["diff"]) == (False, [])
    assert mode(path) == old


def test_no_backup_where_there_was_no_file(run, path):
    path.unlink()

    assert "backup_file" not in run(path=path, content=site(), backup=True).result
    assert os.listdir(path.parent) == [path.name]


def test_check_mode_makes_no_backup(run, path):
    run(path=path, backup=True, check=True, **WANTED)

    assert tree(path.parent) == {path.name: NOTED.encode()}


def test_an_owner_that_may_be_set_is_set(run, path):
    group = os.getgroups()[-1] if os.getgroups() else os.getgid()
    os.chown(path, os.getuid(), group)
    run(path=path, **WANTED)

    assert (path.stat().st_uid, path.stat().st_gid) == (os.getuid(), group)


@AS_ROOT
@pytest.mark.parametrize("old", [0o600, 0o644])
def test_root_leaves_the_file_of_somebody_else_to_them(old, run, path):
    os.chown(path, NOBODY, NOBODY)
    path.chmod(old)
    run(path=path, backup=True, **WANTED)

    assert "Console" in path.read_text()
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (NOBODY, NOBODY, 0o600)


def _link(path: Path) -> None:
    path.rename(path.with_name("real.yaml"))
    path.symlink_to("real.yaml")


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere.yaml")


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("options", [{}, WANTED, {"content": site()}], ids=["check", "edit", "write"])
@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (_link, "is a symbolic link to {folder}/real.yaml", "Name {folder}/real.yaml"),
        (_dangling, "is a symbolic link to {folder}/nowhere.yaml", "Name {folder}/nowhere.yaml"),
        (_directory, "is a directory, expected an install-config", "Name the file"),
        (_fifo, "is no regular file, expected an install-config", "Name the file"),
    ],
    ids=["link", "dangling link", "directory", "FIFO"],
)
def test_what_is_no_file_is_refused_and_left_alone(make, message, hint, options, run, path):
    make(path)
    before = tree(path.parent), os.lstat(path)
    outcome = run(path=path, **options)

    problem = outcome.problem(message.format(folder=path.parent))
    assert outcome.failed
    assert (problem["severity"], problem["where"]) == ("error", str(path))
    assert hint.format(folder=path.parent) in problem["hint"]
    assert (tree(path.parent), os.lstat(path)) == before


@pytest.mark.parametrize("below", ["install-config.yaml", "a/b/install-config.yaml"])
@pytest.mark.parametrize("check", [True, False])
def test_a_parent_that_is_a_file_is_one_error(below, check, run, path):
    outcome = run(path=path / below, content=site(), check=check)

    problem = outcome.problem("cannot be made")
    assert f"{path} is a file" in problem["message"]
    assert "path" in problem["hint"]
    assert tree(path.parent) == {path.name: NOTED.encode()}


def test_a_missing_file_without_content_is_an_error_and_nothing_is_made(run, tmp_path):
    path = tmp_path / "a" / "install-config.yaml"
    for options in ({}, WANTED, {"solution": "ran_du"}):
        problem = run(path=path, **options).problem("does not exist")
        assert (problem["severity"], problem["where"]) == ("error", str(path))
        assert "Give content" in problem["hint"]
    assert tree(tmp_path) == {}


def test_an_unreadable_file_is_one_error(run, open_folder):
    path = open_folder / "install-config.yaml"
    path.chmod(0o000)
    with as_nobody():
        outcome = run(path=path, **WANTED)

    problem = outcome.problem("cannot read: Permission denied")
    assert (problem["where"], problem["hint"]) == (str(path), "Check the permissions")
    path.chmod(0o600)
    assert path.read_text() == NOTED


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("name", ["install-config.yaml", "new.yaml", "a/b/new.yaml"])
@pytest.mark.parametrize("locked", [0o000, 0o500])
def test_a_folder_that_may_not_be_written_is_one_error_in_check_mode_too(locked, name, check, run, open_folder):
    open_folder.chmod(locked)
    with as_nobody():
        outcome = run(path=open_folder / name, content=site(), check=check, **WANTED)

    assert "ermission" in outcome.message
    assert str(open_folder) in outcome.message
    assert len([item for item in outcome["problems"] if item["severity"] == "error"]) == 1
    open_folder.chmod(0o700)
    assert tree(open_folder) == {"install-config.yaml": NOTED.encode()}


def test_a_file_in_a_folder_that_may_not_be_written_can_be_checked(run, open_folder):
    open_folder.chmod(0o500)
    with as_nobody():
        outcome = run(path=open_folder / "install-config.yaml", diff=True)

    assert (outcome["changed"], outcome["diff"]) == (False, [])


@pytest.mark.parametrize("backup", [False, True])
def test_a_file_that_grows_too_large_leaves_the_old_one_whole(backup, path):
    # The backup fits into the limit and the new file does not.
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({len(NOTED) + 5},) * 2)"
    done = run_alone({"path": str(path), "backup": backup, **WANTED}, path.parent / "home", before=limit)
    result = json.loads(done.stdout)

    assert (done.returncode, result["failed"]) == (1, True)
    assert result["problems"][0]["where"] == str(path)
    assert "cannot write: File too large" in result["msg"]
    assert ".part" not in done.stdout
    assert leaks(done.stdout + done.stderr) == []
    names = {name for name in os.listdir(path.parent) if name != "home"}
    assert path.read_text() == NOTED
    assert names - {name for name in names if name.startswith(f"{path.name}.") and name.endswith("~")} == {path.name}


def _unshared() -> list[str]:
    """Return how to start a process that may mount something that no other one sees."""
    for options in (["--mount"], ["--user", "--map-root-user", "--mount"]):
        command = ["unshare", *options, "sh", "-c", 'mount -t tmpfs -o size=4k none "$0" && exec "$@"']
        if not shutil.which("unshare"):
            break
        with tempfile.TemporaryDirectory() as folder:
            if subprocess.run([*command, folder, "true"], capture_output=True, check=False).returncode == 0:
                return command
    return []


def test_a_full_disk_leaves_the_old_file_whole(tmp_path):
    prefix = _unshared()
    if not prefix:
        pytest.skip("nothing can be mounted here; the limit on the size of files stands in for it")
    disk = tmp_path / "disk"
    disk.mkdir()
    path = disk / "install-config.yaml"  # it takes all of the disk
    fill = f"from pathlib import Path; Path({str(path)!r}).write_text({NOTED!r})"
    look = f"""
import os
found = {{name: open(os.path.join({str(disk)!r}, name)).read() for name in os.listdir({str(disk)!r})}}
open({str(tmp_path / "found.json")!r}, "w").write(json.dumps(found))
"""
    done = run_alone({"path": str(path), **WANTED}, tmp_path, before=fill, after=look, prefix=[*prefix, str(disk)])

    assert "cannot write: No space left on device" in json.loads(done.stdout)["msg"]
    assert json.loads((tmp_path / "found.json").read_text()) == {path.name: NOTED}


@pytest.mark.parametrize("name", ["fchmod", "fchown", "replace"])
@pytest.mark.parametrize("survived", range(3))
def test_an_end_at_any_point_leaves_one_whole_file_and_the_next_run_reaches_the_same(
    survived, name, run, path, monkeypatch
):
    with killed_after(survived, name, monkeypatch) as killed:
        run(path=path, backup=True, **WANTED)
    calls = {"fchmod": 2, "replace": 2, "fchown": 1}[name]  # of backup and file; a backup has no owner to keep
    assert bool(killed) is (survived < calls)
    text = path.read_text()
    assert (text == NOTED) is bool(killed)
    assert not [entry for entry in os.listdir(path.parent) if entry.endswith(".part")]

    run(path=path, **WANTED)
    assert path.read_text() == NOTED.replace(
        "  - Ingress   # for the routes\n", "  - Ingress   # for the routes\n  - Console\n"
    )


@pytest.mark.parametrize("name", ["fchmod", "replace"])
def test_a_process_that_is_killed_leaves_the_old_file_whole_and_no_secret_open(name, run, path):
    kill = f"import signal; os.{name} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    done = run_alone({"path": str(path), **WANTED}, path.parent / "home", before=kill)

    assert done.returncode == -9
    assert path.read_text() == NOTED
    assert {mode(entry) for entry in path.parent.iterdir() if entry.is_file()} == {0o600}
    assert run(path=path, **WANTED)["changed"] is True
