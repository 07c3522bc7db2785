# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a report: where they are written, and which files they replace."""

from __future__ import annotations

import os

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import DestinationError
from ansible_collections.capability.openshift.plugins.module_utils._report.write import (
    render_html,
    write_report,
)
from ansible_collections.capability.openshift.tests.unit.builders import fleet_plans as plans
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree

REPORT = render_html(plans.long_path())
CHECK = pytest.mark.parametrize("check_mode", [True, False])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("plan.html", "plan.html"),
        ("plan.HTM", "plan.HTM"),
        ("plans", "plans/update_plan.html"),
        ("plans.d/", "plans.d/update_plan.html"),
    ],
)
def test_the_suffix_selects_the_file(path, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = write_report(path, plans.downgrade(), check_mode=False)

    assert written.path == str(tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == written.after == render_html(plans.downgrade())


def test_a_text_that_is_not_unicode_can_be_written(tmp_path):
    report = plans.with_text(plans.downgrade(), "\udcff")

    assert "4.10.0?" in write_report(str(tmp_path), report, check_mode=False).after


def test_writing_creates_the_directory_and_a_second_run_changes_nothing(tmp_path):
    path = tmp_path / "a" / "b"
    first = write_report(str(path), plans.downgrade(), check_mode=False)
    second = write_report(str(path), plans.downgrade(), check_mode=False)

    assert (first.changed, first.before) == (True, None)
    assert [name for name, data in tree(tmp_path).items() if data] == ["a/b/update_plan.html"]
    assert (second.changed, second.after) == (False, first.after)


def test_check_mode_predicts_and_writes_nothing(tmp_path):
    predicted = write_report(str(tmp_path / "new"), plans.downgrade(), check_mode=True)

    assert tree(tmp_path) == {}
    assert predicted == write_report(str(tmp_path / "new"), plans.downgrade(), check_mode=False)


@CHECK
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", "contains a NUL"),
        ("directory.html", "is a directory, expected a file"),
        ("file", "is a file, "),
        ("file/plan.html", "is a file, "),
        ("file/deeper/plan.html", "file is a file. Choose another report"),
        ("pipe.html", "is neither a file"),
    ],
)
def test_a_path_that_cannot_be_written_is_an_error_with_a_hint(path, message, check_mode, tmp_path):
    (tmp_path / "directory.html").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe.html")
    with pytest.raises(DestinationError) as raised:
        write_report(path and str(tmp_path / path), plans.downgrade(), check_mode=check_mode)

    assert message in str(raised.value)
    assert all(problem.hint for problem in raised.value.problems)


@CHECK
def test_no_permission_is_an_error(check_mode, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(DestinationError, match="no permission"):
        write_report(str(tmp_path), plans.downgrade(), check_mode=check_mode)


def test_a_write_that_fails_leaves_the_file_unchanged(tmp_path, monkeypatch):
    (tmp_path / "plan.html").write_text(REPORT)

    def replace(old, new):
        raise OSError(28, "No space left on device", new)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(DestinationError, match=r"plan\.html: cannot be written: No space left on device"):
        write_report(str(tmp_path / "plan.html"), plans.downgrade(), check_mode=False)

    assert tree(tmp_path) == {"plan.html": REPORT.encode()}


FOREIGN = {
    "page.html": "<!DOCTYPE html>\n<title>Update plan</title>\n",
    "other.html": '<!DOCTYPE html><meta name="generator" content="another program">',
    "far.html": " " * 3000 + "x capability.openshift.update_plan",
    "data.html": "\0\1",
}


@CHECK
@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_an_error_and_stays(name, check_mode, tmp_path):
    (tmp_path / name).write_text(FOREIGN[name])
    before = tree(tmp_path)
    with pytest.raises(DestinationError) as raised:
        write_report(str(tmp_path / name), plans.downgrade(), check_mode=check_mode)

    (problem,) = raised.value.problems
    assert str(problem.where) == str(tmp_path / name)
    assert problem.message == "already exists and is not a report of an update plan"
    assert problem.hint
    assert tree(tmp_path) == before


@pytest.mark.parametrize("before", ["", "\n", render_html(plans.long_path())], ids=["empty", "blank", "report"])
def test_an_empty_file_and_another_report_are_overwritten(before, tmp_path):
    path = tmp_path / "plan.html"
    path.write_text(before, encoding="utf-8")
    plan = write_report(str(path), plans.downgrade(), check_mode=False)

    assert (plan.path, plan.before, plan.changed) == (str(path), before, True)
    assert not write_report(str(path), plans.downgrade(), check_mode=False).changed


@pytest.mark.parametrize("exists", [True, False], ids=["exists", "dangling"])
def test_a_link_stays_and_its_target_is_written(exists, tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "target.html"
    if exists:
        target.write_text(REPORT)
    (tmp_path / "plan.html").symlink_to(target)
    plan = write_report(str(tmp_path / "plan.html"), plans.downgrade(), check_mode=False)

    assert (tmp_path / "plan.html").readlink() == target
    assert not target.is_symlink()
    assert target.read_text(encoding="utf-8") == render_html(plans.downgrade())
    assert plan.path == str(target)


def test_a_link_to_a_directory_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "plans").symlink_to("real")
    write_report(str(tmp_path / "plans"), plans.downgrade(), check_mode=False)

    assert (tmp_path / "plans").is_symlink()
    assert sorted(tree(tmp_path / "real")) == ["update_plan.html"]


def test_a_file_in_a_directory_that_is_a_link_stays_a_link(tmp_path):
    (tmp_path / "kept.html").write_text(REPORT)
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "update_plan.html").symlink_to("../kept.html")
    write_report(str(tmp_path / "plans"), plans.downgrade(), check_mode=False)

    assert (tmp_path / "plans" / "update_plan.html").is_symlink()
    assert (tmp_path / "kept.html").read_text(encoding="utf-8") == render_html(plans.downgrade())


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_keeps_its_mode(mode, tmp_path):
    path = tmp_path / "plan.html"
    path.write_text(REPORT)
    path.chmod(mode)
    write_report(str(path), plans.downgrade(), check_mode=False)

    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_gets_what_the_umask_leaves(umask, mode, tmp_path):
    before = os.umask(umask)
    try:
        write_report(str(tmp_path / "plan.html"), plans.downgrade(), check_mode=False)
    finally:
        os.umask(before)

    assert (tmp_path / "plan.html").stat().st_mode & 0o777 == mode
