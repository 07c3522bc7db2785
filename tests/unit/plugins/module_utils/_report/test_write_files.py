# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a report: where they are written, and which files they replace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import DestinationError
from ansible_collections.capability.openshift.plugins.module_utils._report.write import (
    render_html,
    render_markdown,
    report_files,
    write_report,
)
from ansible_collections.capability.openshift.tests.unit.builders import fleet_plans as plans
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree

OURS = "# Update plan\n\n- Planned with: `capability.openshift 0.1.0`\n"
CHECK = pytest.mark.parametrize("check_mode", [True, False])


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("plan.md", ["plan.md"]),
        ("PLAN.Markdown", ["PLAN.Markdown"]),
        ("plan.html", ["plan.html"]),
        ("plan.HTM", ["plan.HTM"]),
        ("plans", ["plans/update_plan.html", "plans/update_plan.md"]),
        ("plans.d/", ["plans.d/update_plan.html", "plans.d/update_plan.md"]),
    ],
)
def test_the_suffix_selects_the_files(path, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = report_files(path, plans.downgrade())

    assert sorted(files) == [str(tmp_path / name) for name in names]
    for name, text in files.items():
        assert text.startswith("# " if "m" in Path(name).suffix.lower()[1] else "<!DOCTYPE html>")


def test_a_text_that_is_not_unicode_can_be_written():
    report = plans.with_text(plans.downgrade(), "\udcff")

    assert "4.10.0?" in report_files("plan.md", report)[os.path.abspath("plan.md")]


def test_writing_creates_the_directory_and_a_second_run_changes_nothing(tmp_path):
    path = tmp_path / "a" / "b"
    first = write_report(str(path), plans.downgrade(), check_mode=False)
    written = tree(tmp_path)
    second = write_report(str(path), plans.downgrade(), check_mode=False)

    assert first.changed
    assert {before for before, _after in first.files.values()} == {None}
    assert [name for name, data in written.items() if data] == ["a/b/update_plan.html", "a/b/update_plan.md"]
    assert not second.changed
    assert {name: after for name, (_before, after) in second.files.items()} == report_files(
        str(path), plans.downgrade()
    )


def test_only_the_file_that_differs_is_written(tmp_path):
    write_report(str(tmp_path), plans.downgrade(), check_mode=False)
    (tmp_path / "update_plan.md").write_text(OURS)
    page = (tmp_path / "update_plan.html").stat()
    plan = write_report(str(tmp_path), plans.downgrade(), check_mode=False)

    assert plan.changed
    assert plan.files[str(tmp_path / "update_plan.md")][0] == OURS
    assert (tmp_path / "update_plan.html").stat().st_ino == page.st_ino
    assert (tmp_path / "update_plan.md").read_text().startswith("# Update plan")


def test_check_mode_predicts_and_writes_nothing(tmp_path):
    predicted = write_report(str(tmp_path / "new"), plans.downgrade(), check_mode=True)

    assert tree(tmp_path) == {}
    assert predicted == write_report(str(tmp_path / "new"), plans.downgrade(), check_mode=False)


@CHECK
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", "contains a NUL"),
        ("directory.md", "is a directory, expected a file"),
        ("file", "is a file, "),
        ("file/plan.md", "is a file, "),
        ("file/deeper/plan.md", "file is a file. Choose another report"),
        ("pipe.md", "is neither a file"),
    ],
)
def test_a_path_that_cannot_be_written_is_an_error_with_a_hint(path, message, check_mode, tmp_path):
    (tmp_path / "directory.md").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe.md")
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
    (tmp_path / "plan.md").write_text(OURS)

    def replace(old, new):
        raise OSError(28, "No space left on device", new)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(DestinationError, match=r"plan\.md: cannot be written: No space left on device"):
        write_report(str(tmp_path / "plan.md"), plans.downgrade(), check_mode=False)

    assert tree(tmp_path) == {"plan.md": OURS.encode()}


FOREIGN = {
    "notes.md": "# Notes\n",
    "own.md": "# Update plan of the team\n",
    "later.md": f"\n{OURS}",
    "page.html": "<!DOCTYPE html>\n<title>Update plan</title>\n",
    "other.html": '<!DOCTYPE html><meta name="generator" content="another program">',
    "manual.html": "<!DOCTYPE html><title>capability.openshift.update_plan module</title>",
    "far.html": " " * 3000 + "x capability.openshift.update_plan",
    "data.md": "\0\1",
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


def test_neither_of_two_files_is_written_if_one_is_foreign(tmp_path):
    (tmp_path / "update_plan.md").write_text("mine\n")
    with pytest.raises(DestinationError, match=r"update_plan\.md: already exists"):
        write_report(str(tmp_path), plans.downgrade(), check_mode=False)

    assert tree(tmp_path) == {"update_plan.md": b"mine\n"}


@pytest.mark.parametrize("name", ["plan.md", "plan.html"])
@pytest.mark.parametrize(
    "before",
    [
        "",
        "\n",
        OURS,
        render_html(plans.long_path()),
        render_markdown(plans.fleet()),
    ],
    ids=["empty", "blank", "plan", "html", "markdown"],
)
def test_an_empty_file_and_another_report_are_overwritten(before, name, tmp_path):
    (tmp_path / name).write_text(before, encoding="utf-8")
    plan = write_report(str(tmp_path / name), plans.downgrade(), check_mode=False)

    ((path, (was, _now)),) = plan.files.items()
    assert (path, was, plan.changed) == (str(tmp_path / name), before, True)
    assert not write_report(str(tmp_path / name), plans.downgrade(), check_mode=False).changed


@pytest.mark.parametrize("exists", [True, False], ids=["exists", "dangling"])
def test_a_link_stays_and_its_target_is_written(exists, tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "target.md"
    if exists:
        target.write_text(OURS)
    (tmp_path / "plan.md").symlink_to(target)
    plan = write_report(str(tmp_path / "plan.md"), plans.downgrade(), check_mode=False)

    assert (tmp_path / "plan.md").readlink() == target
    assert not target.is_symlink()
    assert target.read_text(encoding="utf-8") == render_markdown(plans.downgrade())
    assert list(plan.files) == [str(target)]


def test_a_link_to_a_directory_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "plans").symlink_to("real")
    write_report(str(tmp_path / "plans"), plans.downgrade(), check_mode=False)

    assert (tmp_path / "plans").is_symlink()
    assert sorted(tree(tmp_path / "real")) == ["update_plan.html", "update_plan.md"]


def test_a_file_in_a_directory_that_is_a_link_stays_a_link(tmp_path):
    (tmp_path / "kept.md").write_text(OURS)
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "update_plan.md").symlink_to("../kept.md")
    write_report(str(tmp_path / "plans"), plans.downgrade(), check_mode=False)

    assert (tmp_path / "plans" / "update_plan.md").is_symlink()
    assert (tmp_path / "kept.md").read_text(encoding="utf-8") == render_markdown(plans.downgrade())


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_keeps_its_mode(mode, tmp_path):
    path = tmp_path / "plan.md"
    path.write_text(OURS)
    path.chmod(mode)
    write_report(str(path), plans.downgrade(), check_mode=False)

    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_gets_what_the_umask_leaves(umask, mode, tmp_path):
    before = os.umask(umask)
    try:
        write_report(str(tmp_path / "plan.md"), plans.downgrade(), check_mode=False)
    finally:
        os.umask(before)

    assert (tmp_path / "plan.md").stat().st_mode & 0o777 == mode
