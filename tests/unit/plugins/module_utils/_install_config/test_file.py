# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The install-config on disk. test_install_config_files.py tests what the module does with it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._files.files import write_file
from ansible_collections.capability.openshift.plugins.module_utils._install_config.file import (
    FileWrite,
    InstallConfigFile,
    read_target,
    write_targets,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import DestinationError
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree

OLD, NEW = b"old\r\n\xff\x00", b"new"


def write_target(target: InstallConfigFile, data: bytes, *, check_mode: bool) -> None:
    write_targets([FileWrite(target, data)], check_mode=check_mode)


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


def test_a_missing_file_is_not_open_to_others(tmp_path):
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


def test_a_link_to_a_directory_is_followed(path, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    target = read_target(str(tmp_path / "link" / path.name))
    write_target(target, NEW, check_mode=False)

    assert path.read_bytes() == NEW


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (Path.mkdir, "is a directory, expected an install-config", "Name the file, such as install-config.yaml"),
        (os.mkfifo, "is not a regular file, expected an install-config", "Name the file, such as install-config.yaml"),
        (
            lambda path: path.symlink_to("x"),
            "is a symbolic link to {folder}/x, expected a file; writing would replace the link",
            "Name {folder}/x",
        ),
    ],
    ids=["directory", "FIFO", "link"],
)
def test_other_kinds_of_files_are_rejected(make, message, hint, path):
    path.unlink()
    make(path)

    with pytest.raises(DestinationError) as raised:
        read_target(str(path))
    (problem,) = raised.value.problems
    folder = path.parent
    assert tuple(problem.as_dict().values()) == (
        "error",
        "not-a-file",
        str(path),
        message.format(folder=folder),
        hint.format(folder=folder),
    )


def test_a_path_of_a_directory_is_rejected(tmp_path):
    with pytest.raises(DestinationError) as raised:
        read_target(f"{tmp_path}/missing/")

    assert [tuple(problem.as_dict().values())[1:4] for problem in raised.value.problems] == [
        ("not-a-file", f"{tmp_path}/missing/", "is a directory, expected an install-config")
    ]


def test_a_file_that_changes_after_it_was_read_is_not_replaced(path):
    target = read_target(str(path))
    path.write_bytes(NEW)

    with pytest.raises(DestinationError) as raised:
        write_target(target, OLD, check_mode=False)

    assert [tuple(problem.as_dict().values()) for problem in raised.value.problems] == [
        ("error", "concurrent-change", str(path), "has changed since it was read", "Try again, one run at a time")
    ]
    assert tree(path.parent) == {path.name: NEW}


def test_a_device_is_rejected():
    with pytest.raises(DestinationError, match="is not a regular file"):
        read_target(os.devnull)


def test_a_file_below_a_file_is_rejected(path):
    with pytest.raises(DestinationError) as raised:
        read_target(str(path / "install-config.yaml"))

    assert [tuple(problem.as_dict().values()) for problem in raised.value.problems] == [
        ("error", "not-a-directory", str(path), f"cannot be created: {path} is a file", "Choose another path")
    ]


def test_only_the_owner_can_read_a_replaced_file(path):
    path.chmod(0o644)
    write_target(read_target(str(path)), NEW, check_mode=False)

    assert (path.read_bytes(), mode(path)) == (NEW, 0o600)
    assert list(path.parent.iterdir()) == [path]


def test_check_mode_writes_nothing(path, tmp_path):
    for target in (path, tmp_path / "a" / "b.yaml"):
        write_target(read_target(str(target)), NEW, check_mode=True)
    assert tree(tmp_path) == {path.name: OLD}


def test_directories_are_created(tmp_path):
    target = read_target(str(tmp_path / "a" / "b" / "c.yaml"))

    write_target(target, NEW, check_mode=False)
    assert tree(tmp_path) == {"a": None, "a/b": None, "a/b/c.yaml": NEW}


def test_a_directory_that_became_a_file_is_one_problem(tmp_path):
    target = read_target(str(tmp_path / "a" / "b.yaml"))
    (tmp_path / "a").write_bytes(OLD)

    with pytest.raises(DestinationError) as raised:
        write_target(target, NEW, check_mode=False)
    assert len(raised.value.problems) == 1
    assert tree(tmp_path) == {"a": OLD}


@pytest.mark.parametrize("failing", ["fchmod", "replace"])
def test_a_failed_write_names_the_file_and_leaves_no_temporary_file(failing, path, monkeypatch):
    def fail(*_arguments):
        raise OSError(5, "Input/output error", "a temporary name")

    target = read_target(str(path))
    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(DestinationError) as raised:
        write_target(target, NEW, check_mode=False)

    (problem,) = raised.value.problems
    assert (problem.code, problem.message) == ("unwritable-file", "cannot be written: Input/output error")
    assert str(problem.where).startswith(str(path))
    assert tree(path.parent) == {path.name: OLD}


def test_a_secret_is_never_readable_by_others(path, monkeypatch):
    """Not even before the file is renamed."""
    seen: list[int] = []
    real = os.fchmod

    def fchmod(descriptor: int, mode: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        real(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", fchmod)
    before = os.umask(0)
    try:
        write_target(read_target(str(path)), NEW, check_mode=False)
    finally:
        os.umask(before)

    assert seen == [0o600]


class _Owners:
    """Replaces os.fchown: only root may change the owner of a file."""

    def __init__(self, error: OSError | None = None) -> None:
        self.given: list[tuple[int, int]] = []
        self.error = error

    def __call__(self, _descriptor: int, user: int, group: int) -> None:
        self.given.append((user, group))
        if self.error:
            raise self.error


@pytest.mark.parametrize("secret", [True, False])
def test_a_file_keeps_its_owner(secret, path, monkeypatch):
    before = path.stat()
    owners = _Owners()
    monkeypatch.setattr(os, "fchown", owners)
    write_file(str(path), NEW, secret=secret)
    write_file(str(path.with_name("new")), NEW, secret=secret)

    assert owners.given == [(before.st_uid, before.st_gid)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the owner of a file")
@pytest.mark.parametrize("secret", [True, False])
def test_root_keeps_another_owner(secret, path):
    path.chmod(0o644)
    os.chown(path, 65534, 65533)
    write_file(str(path), NEW, secret=secret)

    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (65534, 65533, 0o600 if secret else 0o644)


def test_a_file_is_written_even_if_its_owner_cannot_be_kept(path, monkeypatch):
    monkeypatch.setattr(os, "fchown", _Owners(PermissionError(1, "Operation not permitted")))
    write_file(str(path), NEW, secret=True)

    assert path.read_bytes() == NEW


def test_a_null_byte_is_not_valid_in_a_name(tmp_path):
    """From 2.20 on ansible-core rejects it before the module does, when it logs the call."""
    with pytest.raises(DestinationError) as caught:
        read_target(f"{tmp_path}/a\0b")

    assert [tuple(problem.as_dict().values())[1:] for problem in caught.value.problems] == [
        ("invalid-path", f"{tmp_path}/a\0b", "is not a valid file name", "Set another path")
    ]
