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

from ansible_collections.capability.openshift.plugins.module_utils._files import write_cache_file, write_file
from ansible_collections.capability.openshift.plugins.module_utils._release_image import signature_check

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


def test_a_record_of_signatures_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with files_of_at_most(1000):
        signature_check._write_record(str(tmp_path), {"options": BIG.decode()})
    assert list(tmp_path.iterdir()) == []


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
