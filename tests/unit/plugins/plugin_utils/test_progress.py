# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task shows while it runs. ``tests/cluster`` and ``tests/registry`` show it with Ansible and real waits."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible import constants
from ansible.plugins.action.normal import ActionModule as NormalAction

from ansible_collections.capability.openshift.plugins import modules
from ansible_collections.capability.openshift.plugins.action.release_apply import ActionModule
from ansible_collections.capability.openshift.plugins.module_utils._module import progress_reader
from ansible_collections.capability.openshift.plugins.module_utils._module.progress import VARIABLE, show_progress
from ansible_collections.capability.openshift.plugins.plugin_utils import _progress
from ansible_collections.capability.openshift.plugins.plugin_utils._progress import shown_progress

MODULES = Path(modules.__path__[0])
NAMES = sorted(path.stem for path in MODULES.glob("*.py") if path.stem != "validate_arguments")
LINE = re.compile(r"(.*), \d+ s")


class Task:
    """A task of host berlin. ``module`` replaces the module; it is called in its environment."""

    def __init__(self, module: Callable[[], Any], action: Any = ActionModule, **changes: Any) -> None:
        self.shown: list[str] = []
        self.is_shown = threading.Event()
        options = {"no_log": False, "async_val": 0, "environment": {}, "module_defaults": [], **changes}
        connection = {name: options.pop(name, default) for name, default in (("transport", "local"), ("become", None))}
        self.task = SimpleNamespace(action="capability.openshift.mirror_check", args={}, **options)
        self.action: Any = action(self.task, SimpleNamespace(**connection), None, None, None, None)
        self.action._display = SimpleNamespace(display=self._display, verbosity=0)
        self._module = module

    def _display(self, text: str, *, stderr: bool) -> None:
        assert stderr
        self.shown.append(text)
        self.is_shown.set()

    def run(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Run the action with a module in this process, which gets the environment of the task."""

        def run_module(action: Any, _tmp: Any, _task_vars: Any) -> Any:
            for name, value in environment_of(action).items():
                monkeypatch.setenv(name, value)
            try:
                return {"returned": self._module()}
            finally:
                monkeypatch.delenv(VARIABLE, raising=False)

        monkeypatch.setattr(NormalAction, "run", run_module)
        return self.action.run(None, {"inventory_hostname": "berlin"})["returned"]

    def line(self) -> str:
        """Wait for the next line, and return it without its seconds."""
        self.is_shown.clear()
        assert self.is_shown.wait(30)
        match = LINE.fullmatch(self.shown[-1])
        assert match is not None, self.shown
        return match[1]


def environment_of(action: Any) -> dict[str, str]:
    """The environment of the module, as Ansible computes it."""
    action._templar = SimpleNamespace(template=lambda value: value)
    action._connection._shell = SimpleNamespace(env_prefix=lambda **_values: "")
    found: dict[str, str] = {}
    action._compute_environment_string(found)
    return found


@pytest.fixture(autouse=True)
def local_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory for temporary files, which is empty after each task."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(folder))
    monkeypatch.setattr(progress_reader, "_SECONDS", 0.02)
    yield folder
    assert list(folder.iterdir()) == []


def test_the_last_line_of_the_module_is_shown_with_its_host_and_the_seconds(monkeypatch):
    lines = []

    def module() -> None:
        show_progress("57 of 190 images")
        show_progress("58 of 190 images")
        lines.append(task.line())
        show_progress("59 of 190 images")
        lines.extend((task.line(), task.line()))

    task = Task(module)
    task.run(monkeypatch)
    assert lines[0] == "berlin: 58 of 190 images"
    assert lines[2] == "berlin: 59 of 190 images"


def test_what_does_not_change_is_shown_less_often_after_the_first_minute(monkeypatch):
    monkeypatch.setattr(progress_reader, "_FIRST_SECONDS", 0.0)

    def module() -> None:
        for number in range(3):
            show_progress(f"{number} of 3 operators")
            task.line()
            task.is_shown.clear()
            assert not task.is_shown.wait(0.2)

    task = Task(module)
    task.run(monkeypatch)
    assert [line.partition(" of")[0] for line in task.shown] == ["berlin: 0", "berlin: 1", "berlin: 2"]


@pytest.mark.parametrize("texts", [(), ("1 of 2 images", "")], ids=["nothing yet", "over"])
def test_a_module_that_reports_nothing_is_shown_as_running(monkeypatch, texts):
    def module() -> str:
        for text in texts:
            show_progress(text)
        return task.line()

    task = Task(module)
    assert task.run(monkeypatch) == "berlin: mirror_check is running"


def test_the_seconds_are_those_of_the_task(monkeypatch):
    clock = chain((100.0, 107.4, 112.6), repeat(120.0))
    monkeypatch.setattr(progress_reader, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    task = Task(lambda: (task.line(), task.line()))
    task.run(monkeypatch)
    assert task.shown[:2] == ["berlin: mirror_check is running, 7 s", "berlin: mirror_check is running, 13 s"]


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in MODULES.glob("*.py") if path.stem != "validate_arguments")
)
def test_each_module_can_show_its_progress(monkeypatch, name):
    routing = yaml.safe_load((MODULES.parents[1] / "meta" / "runtime.yml").read_text("utf-8"))["plugin_routing"]
    action = routing["modules"].get(name, {"action_plugin": f"capability.openshift.{name}"})["action_plugin"]
    plugin = import_module(f"ansible_collections.capability.openshift.plugins.action.{action.rpartition('.')[2]}")
    task = Task(lambda: environment_of(task.action), plugin.ActionModule)
    assert VARIABLE in task.run(monkeypatch)


def test_short_work_shows_nothing(monkeypatch):
    monkeypatch.setattr(progress_reader, "_SECONDS", 5.0)
    task = Task(lambda: show_progress("57 of 190 images"))
    task.run(monkeypatch)
    assert task.shown == []


def test_the_action_passes_its_own_progress(monkeypatch):
    task = Task(lambda: None)
    with shown_progress(task.action, {"inventory_hostname": "berlin"}) as progress:
        progress("3 of 9 hosts")
        assert task.line() == "berlin: 3 of 9 hosts"


def test_control_characters_are_removed_and_a_long_line_is_shortened(monkeypatch):
    def module() -> tuple[str, str]:
        show_progress("a\x1b[31m\r\n\tb\u202ec\ud800")
        first = task.line()
        show_progress("é" * 5000)
        task.line()
        return first, task.line()

    task = Task(module)
    first, second = task.run(monkeypatch)
    assert first == "berlin: a [31m b c?"
    assert second == f"berlin: {'é' * 197}..."


@pytest.mark.parametrize(
    "given", [None, {}, {"A": "1"}, [], [{"A": "1"}, None, {"A": "2"}]], ids=["none", "no", "a dict", "empty", "a list"]
)
def test_the_module_has_the_environment_of_the_task_and_the_task_keeps_it(monkeypatch, local_tmp, given):
    bare = Task(lambda: None, environment=given)
    task = Task(lambda: environment_of(task.action), environment=given)
    seen = task.run(monkeypatch)
    path = seen.pop(VARIABLE)
    assert seen == environment_of(bare.action)
    assert task.task.environment == given
    assert Path(path).parent == local_tmp


def test_only_the_user_can_read_the_file(monkeypatch, local_tmp):
    task = Task(lambda: [path.stat().st_mode & 0o777 for path in local_tmp.iterdir()])
    assert task.run(monkeypatch) == [0o600]


def test_an_interrupted_task_leaves_no_file(monkeypatch):
    def module() -> None:
        raise TimeoutError

    task = Task(module, environment={"A": "1"})
    with pytest.raises(TimeoutError):
        task.run(monkeypatch)
    assert task.task.environment == {"A": "1"}


@pytest.mark.parametrize(
    "changes",
    [{"no_log": True}, {"async_val": 60}, {"become": "a plugin"}, {"transport": "ssh"}],
    ids=lambda changes: next(iter(changes)),
)
def test_the_module_runs_as_without_the_plugin_if_lines_cannot_be_shown(monkeypatch, local_tmp, changes):
    task = Task(lambda: (environment_of(task.action), list(local_tmp.iterdir())), **changes)
    assert task.run(monkeypatch) == ({}, [])
    assert task.shown == []


def test_the_module_runs_if_no_temporary_file_can_be_created(monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path / "none"))
    task = Task(lambda: environment_of(task.action))
    assert task.run(monkeypatch) == {}


def test_a_path_that_ansible_would_read_as_a_template_is_not_passed(monkeypatch, tmp_path):
    folder = tmp_path / "{{ x }}"
    folder.mkdir()
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(folder))
    task = Task(lambda: environment_of(task.action))
    assert task.run(monkeypatch) == {}
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("path", ["none/progress", "."], ids=["missing", "a directory"])
def test_a_file_that_cannot_be_written_does_not_fail_the_module(monkeypatch, tmp_path, path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / path))
    show_progress("57 of 190 images")
    assert sorted(os.listdir(tmp_path)) == ["tmp"]


def test_a_display_that_fails_does_not_fail_the_task(monkeypatch):
    tried = threading.Event()

    def fail(_text: str, *, stderr: bool) -> None:
        tried.set()
        raise OSError

    task = Task(lambda: tried.wait(30))
    task.action._display = SimpleNamespace(display=fail, verbosity=0)
    assert task.run(monkeypatch) is True


def test_a_display_that_hangs_does_not_block_the_task(monkeypatch):
    monkeypatch.setattr(_progress, "_LAST_SECONDS", 0.01)
    begun, never = threading.Event(), threading.Event()

    def hang(_text: str, *, stderr: bool) -> None:
        begun.set()
        never.wait()

    task = Task(lambda: begun.wait(30))
    task.action._display = SimpleNamespace(display=hang, verbosity=0)
    assert task.run(monkeypatch) is True
    never.set()
