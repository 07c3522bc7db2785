# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Messages about files and directories. test_file.py of _install_config tests how files are written."""

from __future__ import annotations

import os

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module.files import cannot, check_access
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems


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

    assert reported(f"{tmp_path}/a") == [
        ("unwritable-directory", f"{tmp_path}/a", message, "Check the permissions"),
    ]


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
