# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._extract.destination import (
    INVENTORY,
    DestinationPlan,
    apply_destination,
    plan_destination,
    write_destination,
)
from ansible_collections.capability.openshift.plugins.module_utils._extract.result import destination_diff
from ansible_collections.capability.openshift.plugins.module_utils._problems import DestinationError
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.kill_points import killed_after
from ansible_collections.capability.openshift.tests.unit.other_user import as_other_user

FILES = {"a.yaml": b"a\n", "b.yaml": b"b\n"}


def write(dest: Path, files: dict[str, bytes], source: Path) -> DestinationPlan:
    plan = plan_destination(str(dest), files, (str(source),))
    apply_destination(plan)
    return plan


def content(dest: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in dest.iterdir() if path.name != INVENTORY}


def test_planning_writes_nothing(dest, source):
    assert plan_destination(str(dest), FILES, (str(source),)).changed
    assert not dest.exists()


def test_a_plan_that_is_applied_leaves_nothing_to_do(dest, source):
    assert write(dest, FILES, source).changed
    assert content(dest) == FILES
    assert not plan_destination(str(dest), FILES, (str(source),)).changed
    assert destination_diff(plan_destination(str(dest), FILES, (str(source),))) == []


def test_a_file_that_no_longer_belongs_goes_and_files_of_others_stay_and_are_reported(dest, source):
    write(dest, FILES, source)
    (dest / "notes.txt").write_text("mine")
    plan = write(dest, {"a.yaml": b"a\n"}, source)

    assert sorted(content(dest)) == ["a.yaml", "notes.txt"]
    (problem,) = plan.problems
    assert (problem.severity, problem.code) == ("warning", "foreign-files")
    assert "notes.txt" in problem.message


def test_many_foreign_files_are_counted_and_not_all_listed(dest, source):
    dest.mkdir()
    for number in range(14):
        (dest / f"{number:02}.txt").touch()
    (problem,) = plan_destination(str(dest), FILES, (str(source),)).problems

    assert "09.txt and 4 more" in problem.message


def test_a_foreign_file_in_the_way_is_an_error_unless_it_is_as_it_should_be(dest, source):
    dest.mkdir()
    (dest / "a.yaml").write_bytes(b"a\n")
    (dest / "b.yaml").write_bytes(b"other")
    with pytest.raises(DestinationError) as raised:
        plan_destination(str(dest), FILES, (str(source),))

    (problem,) = raised.value.problems
    assert str(problem.where) == str(dest / "b.yaml")
    assert content(dest) == {"a.yaml": b"a\n", "b.yaml": b"other"}
    (dest / "b.yaml").unlink()
    write(dest, FILES, source)
    assert content(dest) == FILES


def test_a_directory_in_the_way_is_an_error(dest, source):
    (dest / "a.yaml").mkdir(parents=True)

    with pytest.raises(DestinationError):
        plan_destination(str(dest), FILES, (str(source),))


def test_our_own_file_that_a_user_changed_is_written_again(dest, source):
    write(dest, FILES, source)
    (dest / "a.yaml").write_bytes(b"changed")
    plan = write(dest, FILES, source)

    assert plan.written == {"a.yaml": (b"changed", b"a\n")}
    assert content(dest) == FILES


def test_our_own_file_that_a_user_made_a_directory_is_one_error_and_no_traceback(dest, source):
    write(dest, FILES, source)
    (dest / "a.yaml").unlink()
    (dest / "a.yaml").mkdir()

    with pytest.raises(DestinationError) as raised:
        write(dest, FILES, source)
    assert "a.yaml" in str(raised.value)
    with pytest.raises(DestinationError) as raised:
        write(dest, {"b.yaml": b"b\n"}, source)
    assert "a.yaml" in str(raised.value)
    assert (dest / "a.yaml").is_dir()


def test_a_link_in_the_place_of_our_file_is_replaced_and_its_target_left_alone(dest, source, tmp_path):
    write(dest, FILES, source)
    target = tmp_path / "target"
    target.write_bytes(b"a\n")
    (dest / "a.yaml").unlink()
    (dest / "a.yaml").symlink_to(target)
    write(dest, FILES, source)

    assert not (dest / "a.yaml").is_symlink()
    assert target.read_bytes() == b"a\n"
    assert content(dest) == FILES


def test_a_link_in_the_place_of_a_file_that_goes_is_removed_and_its_target_left_alone(dest, source, tmp_path):
    write(dest, FILES, source)
    target = tmp_path / "target"
    target.write_bytes(b"keep")
    (dest / "a.yaml").unlink()
    (dest / "a.yaml").symlink_to(target)
    write(dest, {"b.yaml": b"b\n"}, source)

    assert not os.path.lexists(dest / "a.yaml")
    assert target.read_bytes() == b"keep"


def test_a_dest_that_is_a_link_to_a_directory_is_that_directory(dest, source, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    dest.symlink_to(real, target_is_directory=True)
    write(dest, FILES, source)

    assert dest.is_symlink()
    assert content(real) == FILES


@pytest.mark.parametrize("name", ["", "inside", "inside/deeper", "../source/inside", "link/x"])
def test_a_dest_inside_the_release_is_an_error(name, source, tmp_path):
    (source / "link").symlink_to(source)
    with pytest.raises(DestinationError) as raised:
        plan_destination(str(source / name), FILES, (str(source),))

    assert "inside the release" in str(raised.value)


def test_a_dest_beside_the_release_with_a_longer_name_is_not_inside(source):
    assert plan_destination(f"{source}-dest", FILES, (str(source),)).changed


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_a_dest_that_is_no_directory_is_an_error(kind, dest, source, tmp_path):
    if kind == "file":
        dest.write_text("mine")
    else:
        dest.symlink_to(tmp_path / "nowhere")
    with pytest.raises(DestinationError) as raised:
        plan_destination(str(dest), FILES, (str(source),))

    assert str(dest) in str(raised.value)
    assert "expected a directory" in str(raised.value)


def test_an_inventory_with_paths_in_it_never_removes_outside(dest, source, tmp_path):
    victims = [tmp_path / "x", dest / "sub" / "y", tmp_path / "source" / "z"]
    (dest / "sub").mkdir(parents=True)
    for victim in victims:
        victim.write_text("keep")
    names = ["../x", "sub/y", str(victims[2]), "..", ".", "", "/", 7, None]
    (dest / INVENTORY).write_text(f'{{"files": {str(names).replace("None", "null")}}}'.replace("'", '"'))
    write(dest, FILES, source)

    assert [victim.read_text() for victim in victims] == ["keep"] * 3
    assert not plan_destination(str(dest), FILES, (str(source),)).changed


def test_an_inventory_that_names_itself_does_not_go(dest, source):
    dest.mkdir()
    (dest / INVENTORY).write_text(f'{{"files": ["{INVENTORY}"]}}')
    write(dest, FILES, source)

    assert (dest / INVENTORY).is_file()
    assert not plan_destination(str(dest), FILES, (str(source),)).changed


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 7}', "\xff", "{", '{"files": null}'])
def test_an_inventory_that_cannot_be_read_is_an_error_that_names_it(text, dest, source):
    dest.mkdir()
    (dest / INVENTORY).write_text(text, encoding="latin-1")
    with pytest.raises(DestinationError) as raised:
        plan_destination(str(dest), FILES, (str(source),))

    assert [(item.code, str(item.where)) for item in raised.value.problems] == [
        ("invalid-inventory", str(dest / INVENTORY))
    ]


@pytest.mark.parametrize("present", [True, False], ids=["dest", "its parent"])
def test_a_directory_that_may_not_be_written_is_one_error(present, source):
    with tempfile.TemporaryDirectory() as parent:
        dest = Path(parent, "dest")
        if present:
            dest.mkdir()
        Path(parent, "dest" if present else "").chmod(0o555)
        Path(parent).chmod(0o555)
        with as_other_user(), pytest.raises(DestinationError) as raised:
            write(dest, FILES, source)
        assert [item.code for item in raised.value.problems] == ["unwritable-directory"]
        Path(parent).chmod(0o755)
        assert not dest.exists() or content(dest) == {}


def test_a_parent_that_is_a_file_is_one_error(dest, source, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DestinationError, match="cannot be created"):
        write(tmp_path / "file" / "dest", FILES, source)


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_files_have_the_permissions_that_the_umask_leaves(umask, dest, source):
    before = os.umask(umask)
    try:
        write(dest, FILES, source)
    finally:
        os.umask(before)

    assert {path.stat().st_mode & 0o777 for path in dest.iterdir()} == {0o666 & ~umask}


@pytest.mark.parametrize("survived", range(9))
def test_killed_after_any_number_of_writes_the_next_run_reaches_the_same_end(survived, dest, source, monkeypatch):
    write(dest, {"old.yaml": b"old\n", "b.yaml": b"before\n"}, source)
    (dest / "foreign.yaml").write_bytes(b"foreign\n")
    wanted = {**FILES, "c.yaml": b"c\n"}
    with killed_after(survived, "replace", monkeypatch) as killed:
        write(dest, wanted, source)
    assert bool(killed) == (survived < 5)  # inventory, three files, inventory
    write(dest, wanted, source)

    assert content(dest) == {**wanted, "foreign.yaml": b"foreign\n"}
    assert not plan_destination(str(dest), wanted, (str(source),)).changed


@pytest.mark.parametrize("survived", range(4))
def test_killed_between_removals_the_next_run_removes_the_rest(survived, dest, source, monkeypatch):
    write(dest, {f"{number}.yaml": b"x" for number in range(4)}, source)
    with killed_after(survived, "unlink", monkeypatch) as killed:
        write(dest, {"0.yaml": b"x", "a.yaml": b"a"} if survived < 3 else {}, source)
    assert killed
    write(dest, {"a.yaml": b"a"}, source)

    assert content(dest) == {"a.yaml": b"a"}


def test_a_write_that_fails_leaves_no_part_behind(dest, source, monkeypatch):
    dest.mkdir()

    def replace(old, new):
        raise OSError(28, "No space left on device", new)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(DestinationError, match="No space left on device"):
        write(dest, FILES, source)

    assert tree(dest) == {}


def test_a_file_of_another_user_that_is_the_same_stays_theirs(dest, source):
    dest.mkdir()
    (dest / "a.yaml").write_bytes(FILES["a.yaml"])
    write(dest, FILES, source)
    plan = write(dest, {"b.yaml": FILES["b.yaml"]}, source)

    assert plan.removed == ()
    assert (dest / "a.yaml").read_bytes() == FILES["a.yaml"]


def test_a_dest_inside_what_the_release_links_to_is_inside_the_release(dest, source, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (source / "release-manifests").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DestinationError, match="is inside the release"):
        plan_destination(str(tmp_path / "elsewhere"), FILES, (str(source), str(source / "release-manifests")))


def test_a_secret_that_others_can_read_is_written_again_for_its_owner_only(dest, source):
    secret = frozenset({"a.yaml"})
    write(dest, FILES, source)
    (dest / "a.yaml").chmod(0o644)
    plan = plan_destination(str(dest), FILES, (str(source),), secret)
    apply_destination(plan)

    assert set(plan.written) == {"a.yaml"}
    assert (dest / "a.yaml").stat().st_mode & 0o777 == 0o600
    assert not plan_destination(str(dest), FILES, (str(source),), secret).changed


def test_what_a_killed_run_left_of_a_file_goes_with_the_next_change(dest, source):
    write(dest, FILES, source)
    (dest / ".capability-openshift-x.part").write_bytes(b"half")
    assert plan_destination(str(dest), FILES, (str(source),)).problems == ()
    write(dest, {"a.yaml": b"a\n"}, source)

    assert not (dest / ".capability-openshift-x.part").exists()


@pytest.mark.parametrize("present", [True, False], ids=["dest is there", "dest is made"])
def test_no_other_process_can_have_the_lock_while_files_are_written(present, dest, source, monkeypatch):
    if present:
        dest.mkdir()
    real = os.replace
    refused: list[bool] = []

    def replace(old, new):
        descriptor = os.open(dest, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refused.append(True)
        else:
            refused.append(False)
        finally:
            os.close(descriptor)
        real(old, new)

    monkeypatch.setattr(os, "replace", replace)
    assert write_destination(str(dest), FILES, (str(source),), frozenset(), check_mode=False).changed

    assert refused
    assert all(refused)
    assert content(dest) == FILES
