# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The install-config on disk, by itself; what the module makes of it is in modules/test_install_config_files.py."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.file import (
    InstallConfigFile,
    read_target,
    write_target,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.files import write_file
from ansible_collections.capability.openshift.plugins.module_utils._problems import DestinationError
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree

OLD, NEW = b"old\r\n\xff\x00", b"new"


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "install-config.yaml"
    path.write_bytes(OLD)
    return path


@pytest.mark.parametrize(
    ("old", "is_open"),
    [(0o600, False), (0o700, False), (0o400, False), (0o601, True), (0o640, True), (0o620, True), (0o644, True)],
)
def test_a_file_is_read_as_it_is(old, is_open, path):
    path.chmod(old)
    target = read_target(str(path))

    assert target == InstallConfigFile(str(path), OLD, old)
    assert target.is_open_to_others is is_open


def test_a_file_that_is_not_there_is_open_to_nobody(tmp_path):
    target = read_target(str(tmp_path / "a" / "b.yaml"))

    assert target.data is None
    assert not target.is_open_to_others
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("spelling", ["~/a.yaml", "$SITES/a.yaml", "a.yaml", "./b/../a.yaml"])
def test_a_path_is_absolute(spelling, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SITES", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    assert read_target(spelling).path == str(tmp_path / "a.yaml")


def test_a_link_in_the_place_of_a_folder_is_followed(path, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    target = read_target(str(tmp_path / "link" / path.name))
    write_target(target, NEW, backup=False, check_mode=False)

    assert path.read_bytes() == NEW


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("x")])
def test_what_is_no_file_is_refused(make, path):
    path.unlink()
    make(path)

    with pytest.raises(DestinationError) as raised:
        read_target(str(path))
    (problem,) = raised.value.problems
    assert problem.where == str(path)
    assert problem.hint.startswith("Name ")


def test_a_device_is_refused():
    with pytest.raises(DestinationError, match="is no regular file"):
        read_target(os.devnull)


def test_a_file_behind_a_file_is_refused(path):
    with pytest.raises(DestinationError, match="is a file"):
        read_target(str(path / "install-config.yaml"))


@pytest.mark.parametrize("backup", [True, False])
def test_what_was_there_is_kept_if_that_is_wanted(backup, path):
    path.chmod(0o644)
    saved = write_target(read_target(str(path)), NEW, backup=backup, check_mode=False)

    assert (path.read_bytes(), mode(path)) == (NEW, 0o600)
    if backup:
        assert re.fullmatch(rf"{re.escape(str(path))}\.\d+\.\d{{4}}-\d\d-\d\d@\d\d:\d\d:\d\d~", saved)
        assert (Path(saved).read_bytes(), mode(saved)) == (OLD, 0o600)
    else:
        assert saved == ""
    assert len(list(path.parent.iterdir())) == 1 + backup


def test_check_mode_writes_nothing(path, tmp_path):
    for place in (path, tmp_path / "a" / "b.yaml"):
        assert write_target(read_target(str(place)), NEW, backup=True, check_mode=True) == ""
    assert tree(tmp_path) == {path.name: OLD}


def test_folders_are_made(tmp_path):
    target = read_target(str(tmp_path / "a" / "b" / "c.yaml"))

    assert write_target(target, NEW, backup=True, check_mode=False) == ""
    assert tree(tmp_path) == {"a": None, "a/b": None, "a/b/c.yaml": NEW}


def test_a_folder_that_is_a_file_by_now_is_one_problem(tmp_path):
    target = read_target(str(tmp_path / "a" / "b.yaml"))
    (tmp_path / "a").write_bytes(OLD)

    with pytest.raises(DestinationError) as raised:
        write_target(target, NEW, backup=False, check_mode=False)
    assert len(raised.value.problems) == 1
    assert tree(tmp_path) == {"a": OLD}


@pytest.mark.parametrize("failing", ["fchmod", "replace"])
@pytest.mark.parametrize("backup", [True, False])
def test_a_write_that_fails_names_the_file_and_leaves_no_part_behind(backup, failing, path, monkeypatch):
    def fail(*_arguments):
        raise OSError(5, "Input/output error", "a temporary name")

    target = read_target(str(path))
    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(DestinationError) as raised:
        write_target(target, NEW, backup=backup, check_mode=False)

    (problem,) = raised.value.problems
    assert (problem.message, problem.hint) == (
        "cannot write: Input/output error",
        "See that the file system can take it",
    )
    assert problem.where.startswith(str(path))
    assert tree(path.parent) == {path.name: OLD}


def test_no_moment_of_a_write_leaves_a_secret_open(path, monkeypatch):
    """What is written is never readable for others, not even before it gets its name."""
    seen: list[int] = []
    real = os.fchmod

    def look(descriptor: int, wanted: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        real(descriptor, wanted)

    monkeypatch.setattr(os, "fchmod", look)
    before = os.umask(0)
    try:
        write_target(read_target(str(path)), NEW, backup=True, check_mode=False)
    finally:
        os.umask(before)

    assert seen == [0o600, 0o600]


class _Owners:
    """Stands in the place of os.fchown: only root may give a file to somebody else."""

    def __init__(self, error: OSError | None = None) -> None:
        self.given: list[tuple[int, int]] = []
        self.error = error

    def __call__(self, _descriptor: int, user: int, group: int) -> None:
        self.given.append((user, group))
        if self.error:
            raise self.error


@pytest.mark.parametrize("secret", [True, False])
def test_a_file_is_left_to_the_owner_that_it_had(secret, path, monkeypatch):
    there = path.stat()
    owners = _Owners()
    monkeypatch.setattr(os, "fchown", owners)
    write_file(str(path), NEW, secret=secret)
    write_file(str(path.with_name("new")), NEW, secret=secret)

    assert owners.given == [(there.st_uid, there.st_gid)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("secret", [True, False])
def test_root_leaves_a_file_to_somebody_else(secret, path):
    path.chmod(0o644)
    os.chown(path, 65534, 65533)
    write_file(str(path), NEW, secret=secret)

    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (65534, 65533, 0o600 if secret else 0o644)


def test_who_may_not_give_a_file_away_writes_it_all_the_same(path, monkeypatch):
    monkeypatch.setattr(os, "fchown", _Owners(PermissionError(1, "Operation not permitted")))
    write_file(str(path), NEW, secret=True)

    assert path.read_bytes() == NEW


def test_a_null_byte_is_in_no_name(tmp_path):
    """From 2.20 on Ansible refuses it before the module does, when it logs the call."""
    with pytest.raises(DestinationError) as caught:
        read_target(f"{tmp_path}/a\0b")

    assert [problem.message for problem in caught.value.problems] == ["is no name that a file can have"]
