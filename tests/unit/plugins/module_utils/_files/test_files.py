# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files are replaced as a whole or not at all. test_file.py of _install_config tests modes and owners."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._files.files import (
    cannot,
    check_access,
    write_cache_file,
    write_file,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems

WRITERS = [write_file, write_cache_file]
BIG = b"0" * 100_000


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let writes beyond ``size`` bytes fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_leaves_the_previous_content_and_nothing_else(write: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with files_of_at_most(1000), pytest.raises(OSError, match="File too large") as error:
        write(str(path), BIG)
    assert error.value.filename == str(path)
    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == [("file", b"before")]


@pytest.mark.parametrize("write", WRITERS)
def test_a_path_that_cannot_be_replaced_leaves_nothing_behind(write: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "directory" / "inner").mkdir(parents=True)
    with pytest.raises(OSError, match="directory") as error:
        write(str(tmp_path / "directory"), b"data")
    assert error.value.filename == str(tmp_path / "directory")
    assert [item.name for item in tmp_path.iterdir()] == ["directory"]


def test_only_this_user_can_read_a_file_of_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o666)
    path.chmod(0o666)
    write_cache_file(str(path), b"data")
    status = path.stat()
    assert (stat.S_IMODE(status.st_mode), status.st_uid) == (0o600, os.geteuid())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change owners")
def test_a_file_of_a_cache_does_not_keep_another_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    os.chown(path, 12345, -1)
    write_cache_file(str(path), b"data")
    assert path.stat().st_uid == 0


def reported(directory: str) -> list[tuple[str, ...]]:
    problems = Problems()
    check_access(directory, "dest", problems)
    return [tuple(problem.as_dict().values())[1:] for problem in problems]


def test_a_missing_directory_can_be_created(tmp_path):
    assert reported(f"{tmp_path}/a/b") == []


def test_a_file_or_a_dangling_link_instead_of_a_directory(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")

    for name, kind in (("file", "a file"), ("link", "a dangling link")):
        directory = f"{tmp_path}/{name}/a"
        message = f"cannot be created: {tmp_path}/{name} is {kind}"
        assert reported(directory) == [("not-a-directory", directory, message, "Choose another dest")]


def test_a_directory_without_write_permission(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    message = f"cannot be written: no permission for {tmp_path}"

    assert reported(f"{tmp_path}/a") == [("unwritable-directory", f"{tmp_path}/a", message, "Check the permissions")]


@pytest.mark.parametrize(
    ("verb", "error", "expected"),
    [
        (
            "read",
            PermissionError(13, "Permission denied", "b"),
            Problem("error", "unreadable-file", "b", "cannot be read: Permission denied", "Check the permissions"),
        ),
        (
            "write",
            OSError(28, "No space left on device"),
            Problem(
                "error", "unwritable-file", "a", "cannot be written: No space left on device", "Check the file system"
            ),
        ),
    ],
)
def test_a_failed_system_call(verb, error, expected):
    assert cannot(verb, "a", error) == expected
