# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cache of releases: what is found, what is replaced, and what is removed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release_image import cache as cache_file
from ansible_collections.capability.openshift.plugins.module_utils._release_image.cache import (
    ReleaseCache,
    default_directory,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import ReleaseImage
from ansible_collections.capability.openshift.tests.unit.other_user import as_other_user

FILES = {"release-manifests/a.yaml": b"a", "manifests/b.yaml": b"b"}


def digest(number: int) -> str:
    return f"sha256:{number:064x}"


def image(number: int, of_list: int = 0) -> ReleaseImage:
    return ReleaseImage(digest(of_list or number), digest(number), "amd64", "quay.io/a")


@pytest.fixture
def cache(tmp_path):
    return ReleaseCache(str(tmp_path / "cache"))


def test_what_was_added_is_found(cache):
    assert cache.find(digest(1), "amd64") is None

    added = cache.add(image(1), FILES)

    assert cache.find(digest(1), "amd64") == cache.find(digest(1), "arm64") == added
    assert added.image == image(1)
    for name, data in FILES.items():
        with open(os.path.join(added.directory, name), "rb") as file:
            assert file.read() == data
    assert os.stat(cache.directory).st_mode & 0o777 == 0o700


def test_a_list_has_a_release_for_each_architecture(cache):
    cache.add(image(1, of_list=9), FILES)

    assert cache.find(digest(9), "amd64") is not None
    assert cache.find(digest(9), "arm64") is None
    assert cache.find(digest(1), "amd64") is None


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_release_that_others_could_write_is_not_used(cache, mode):
    added = cache.add(image(1), FILES)
    os.chmod(added.directory, mode)

    assert cache.find(digest(1), "amd64") is None
    assert cache.add(image(1), FILES) == added
    assert cache.find(digest(1), "amd64") == added


@pytest.fixture
def shared():
    """Return a cache that all users can write to, and that no directory above it hides."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o1777)
        yield ReleaseCache(folder)


def test_a_release_that_root_read_is_used_by_all_whatever_its_umask(shared):
    before = os.umask(0o077)
    try:
        added = shared.add(image(1), FILES)
    finally:
        os.umask(before)
    with as_other_user():
        assert shared.find(digest(1), "amd64") == added
        assert {path: Path(added.directory, path).read_bytes() for path in FILES} == FILES


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("mode", [0o1777, 0o2777])
def test_users_of_a_cache_do_not_use_each_others_releases_and_do_not_stop_each_other(shared, mode):
    """With and without the sticky bit, which limits what a user can do with the files of other users."""
    os.chmod(shared.directory, mode)
    with as_other_user(), shared.lock(digest(1)):
        theirs = shared.add(image(1), FILES)
    assert shared.find(digest(1), "amd64") is None
    with shared.lock(digest(1)):
        ours = shared.add(image(1), FILES)
    assert ours.directory != theirs.directory
    assert shared.find(digest(1), "amd64") == ours
    os.mkdir(shared.index_directory, 0o700)
    with as_other_user():
        os.mkdir(ReleaseCache(shared.directory).index_directory)
    os.chmod(ours.directory, 0o777)  # not safe from others, so not used
    with as_other_user(), shared.lock(digest(1)):
        assert shared.find(digest(1), "amd64") == theirs
        assert shared.add(image(1), FILES) == theirs


def test_a_release_is_on_the_disk_before_it_has_its_name(cache, monkeypatch):
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.append(os.readlink(f"/proc/self/fd/{descriptor}")))
    added = cache.add(image(1), FILES)
    part = os.path.commonpath(flushed[:-1])
    assert os.path.basename(part).startswith(".part-")
    names = ("release-image.json", "release-manifests", "manifests", *FILES)
    assert set(flushed[:-1]) == {part, *(os.path.join(part, name) for name in names)}
    assert flushed[-1] == os.path.dirname(added.directory)


def test_a_release_under_the_name_of_another_is_not_used(cache):
    added = cache.add(image(1), FILES)
    os.rename(added.directory, os.path.join(cache.directory, digest(2).replace(":", "-")))

    assert cache.find(digest(2), "amd64") is None


def test_a_release_without_a_record_is_not_used(cache):
    added = cache.add(image(1), FILES)
    record = os.path.join(added.directory, "release-image.json")
    for text in ("{", "[]", '{"digest": 1}'):
        with open(record, "w", encoding="utf-8") as file:
            file.write(text)
        assert cache.find(digest(1), "amd64") is None
    assert cache.add(image(1), FILES) == cache.find(digest(1), "amd64")


def test_releases_that_were_not_used_for_long_are_removed(cache, monkeypatch):
    monkeypatch.setattr(cache_file, "MOST_RELEASES", 2)
    long_ago = time.time() - 3600
    for number in (1, 2, 3):
        os.utime(cache.add(image(number), FILES).directory, (long_ago + number, long_ago + number))
    assert cache.find(digest(2), "amd64") is not None  # it is used now

    cache.add(image(4), FILES)

    assert [bool(cache.find(digest(number), "amd64")) for number in (1, 2, 3, 4)] == [False, True, False, True]


def test_releases_that_may_be_in_use_are_kept(cache, monkeypatch):
    monkeypatch.setattr(cache_file, "MOST_RELEASES", 1)

    for number in (1, 2, 3):
        cache.add(image(number), FILES)

    assert all(cache.find(digest(number), "amd64") for number in (1, 2, 3))


KILLED = """
import os, sys
from ansible_collections.capability.openshift.plugins.module_utils._release_image.cache import ReleaseCache
cache = ReleaseCache(sys.argv[1])
with cache.lock(sys.argv[2]):
    part = cache._new_part(sys.argv[2])
    open(os.path.join(part, "file"), "w").close()
    print(part, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [1, 2], ids=["the same lock", "another lock"])
def test_the_next_task_removes_what_a_killed_one_wrote_and_nothing_of_a_running_one(cache, number):
    command = [sys.executable, "-c", KILLED, cache.directory, digest(number)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as task:
        assert task.stdout
        part = task.stdout.readline().strip()
        with cache.lock(digest(3)):
            assert os.listdir(part) == ["file"]
        task.kill()
    with cache.lock(digest(1)):
        assert not os.path.exists(part)


def test_one_task_at_a_time_reads_a_release(cache):
    order = []

    def task() -> None:
        with cache.lock(digest(1)):
            order.append("task")

    with cache.lock(digest(1)):
        thread = threading.Thread(target=task)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join()

    assert order == ["first", "task"]


def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    cache = ReleaseCache(str(tmp_path / "file" / "cache"))

    with pytest.raises(ReleaseError) as raised:
        cache.add(image(1), FILES)
    (problem,) = raised.value.problems
    assert problem.code == "unwritable-cache"
    assert problem.message == "cannot be written: Not a directory"
    assert problem.hint == "Set release_cache to a directory that this user can write to"
    with pytest.raises(ReleaseError), cache.lock(digest(1)):
        pass


def test_the_default_directory():
    assert default_directory({"XDG_CACHE_HOME": "/x"}) == "/x/capability-openshift/releases"
    assert default_directory({}) == os.path.expanduser("~/.cache/capability-openshift/releases")
