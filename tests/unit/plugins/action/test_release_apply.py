# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import select
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import constants
from ansible.plugins.action.normal import ActionModule as NormalAction

from ansible_collections.capability.openshift.plugins.action import release_apply
from ansible_collections.capability.openshift.plugins.action.release_apply import ActionModule, Follower


def start(run: str = "a") -> dict[str, Any]:
    return {"run": run, "event": "start", "release": "4.21.0", "mode": "install", "total": 904}


def level(name: str, done: int, percent: int, run: str = "a") -> dict[str, Any]:
    return {"run": run, "event": "run_level", "run_level": name, "done": done, "total": 904, "percent": percent}


def waiting(left: int, message: str = "missing", resource: str = "namespaces x") -> dict[str, Any]:
    return {"run": "a", "event": "waiting", "left": left, "resource": resource, "message": message}


END = {"run": "a", "event": "end", "done": 904, "total": 904, "percent": 100, "problems": []}
FIRST = "run level 30: 245 of 904, 27 %"


def line(event: object) -> bytes:
    return json.dumps(event).encode()


class Screen:
    """A follower with a manual clock, and the lines that it showed."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.clock = 0.0
        self.follower = Follower(self.shown.append, lambda: self.clock)

    def take(self, *events: object, at: float = 0.0) -> list[str]:
        """Process events at one time, and return all lines so far."""
        self.clock = at
        for event in events:
            self.follower.line(event if isinstance(event, bytes) else line(event))
        self.follower.tick()
        return self.shown


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_a_run_level_is_a_line(screen):
    assert screen.take(start(), level("30", 245, 27)) == [FIRST]


def test_files_without_a_run_level_have_a_name(screen):
    assert screen.take(start(), level("", 904, 100)) == ["files without a run level: 904 of 904, 100 %"]


def test_waiting_is_a_line_with_its_reason(screen):
    event = waiting(3, "2 of 3 replicas are available", "deployments.apps openshift-console/console")
    (shown,) = screen.take(start(), event)
    assert shown == "waiting for 3: deployments.apps openshift-console/console (2 of 3 replicas are available)"


def test_an_empty_reason_is_omitted(screen):
    assert screen.take(start(), waiting(1, "")) == ["waiting for 1: namespaces x"]


def test_waiting_is_shown_every_ten_seconds_at_most_in_its_latest_state(screen):
    screen.take(start(), waiting(9), at=0)
    screen.take(waiting(8), at=3)
    assert screen.take(waiting(7), at=9.9) == ["waiting for 9: namespaces x (missing)"]
    assert screen.take(at=10)[1:] == ["waiting for 7: namespaces x (missing)"]


def test_an_unchanged_wait_is_not_repeated(screen):
    screen.take(start(), waiting(9), at=0)
    assert len(screen.take(at=100)) == 1


@pytest.mark.parametrize("event", [END, level("30", 245, 27)], ids=["end", "run level"])
def test_a_wait_ends_with_the_next_event(screen, event):
    screen.take(start(), waiting(9), at=0)
    screen.take(waiting(8), event, at=5)
    assert [shown for shown in screen.take(at=100) if shown.startswith("waiting")] == screen.shown[:1]


def test_lines_of_an_earlier_run_are_not_shown(screen):
    assert screen.take(level("10", 1, 0, "b"), start(), level("30", 245, 27), level("20", 1, 0, "b")) == [FIRST]


def test_nothing_more_is_shown_if_two_runs_share_a_journal(screen):
    assert screen.take(start(), level("30", 245, 27), start("b"), level("40", 1, 0), level("40", 1, 0, "b")) == [FIRST]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]", b"null", b'"x"', b"{}", b'{"event": "run_level"}'])
def test_an_invalid_line_is_ignored(screen, data):
    assert screen.take(start(), data, level("30", 245, 27)) == [FIRST]


def test_control_characters_are_removed(screen):
    (shown,) = screen.take(start(), waiting(1, "a\x1b[31m\r\n\tb\u202ec"))
    assert shown == "waiting for 1: namespaces x (a [31m b c)"


def test_a_long_line_is_shortened(screen):
    (shown,) = screen.take(start(), waiting(1, "x" * 5000))
    assert len(shown) == 200
    assert shown.endswith("x...")


class Task:
    """A task of one host. ``module`` replaces the module, and gets the arguments of the task."""

    def __init__(self, folder: Path, module: Any, **changes: Any) -> None:
        self.shown: list[tuple[str, bool]] = []
        self.options = {"no_log": False, "check_mode": False, "async_val": 0, "args": {"release": "r"}, **changes}
        become, transport = self.options.pop("become", None), self.options.pop("transport", "local")
        self.task = SimpleNamespace(action="release_apply", **self.options)
        parts: tuple[Any, ...] = (
            self.task,
            SimpleNamespace(transport=transport, become=become),
            None,
            SimpleNamespace(get_basedir=lambda: str(folder)),
            None,
            None,
        )
        self.action: Any = ActionModule(*parts)
        display: Any = SimpleNamespace(display=lambda text, stderr=False: self.shown.append((text, stderr)))
        self.action._display = display
        self._module = module

    def run(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        """Run the action."""
        monkeypatch.setattr(NormalAction, "run", lambda action, tmp, task_vars: self._module(action._task.args))
        return dict(self.action.run(None, {"inventory_hostname": "berlin"}))


def journals(*events: object) -> Any:
    """A module that writes a journal, and returns a result as Ansible does."""

    def module(args: dict[str, Any]) -> dict[str, Any]:
        if args.get("journal"):
            with open(args["journal"], "ab") as file:
                file.write(b"".join(line(event) + b"\n" for event in events))
        return {"changed": True, "invocation": {"module_args": {"journal": None, **args}}}

    return module


MODULE = journals(start(), level("30", 245, 27), END)


@pytest.fixture(autouse=True)
def local_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory for temporary files."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def test_the_temporary_journal_is_removed(tmp_path, monkeypatch, local_tmp):
    seen = []

    def module(args: dict[str, Any]) -> dict[str, Any]:
        seen.extend(local_tmp.iterdir())
        assert seen[0].stat().st_mode & 0o777 == 0o600
        return {}

    Task(tmp_path, module).run(monkeypatch)
    assert len(seen) == 1
    assert list(local_tmp.iterdir()) == []


def test_an_interrupted_task_leaves_no_file(tmp_path, monkeypatch, local_tmp):
    def module(args: dict[str, Any]) -> dict[str, Any]:
        raise TimeoutError

    task = Task(tmp_path, module)
    with pytest.raises(TimeoutError):
        task.run(monkeypatch)
    assert list(local_tmp.iterdir()) == []
    assert task.task.args == {"release": "r"}


def test_the_home_directory_and_variables_are_expanded_as_by_the_module(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SITE", "berlin")
    task = Task(
        tmp_path,
        lambda args: MODULE({"journal": str(tmp_path / "berlin.jsonl")}),
        args={"journal": "~/$SITE.jsonl"},
    )
    task.run(monkeypatch)
    assert len(task.shown) == 1


@pytest.mark.parametrize("given", [{"journal": ""}, {"journal": None}])
def test_an_empty_journal_is_no_journal(tmp_path, monkeypatch, given):
    task = Task(tmp_path, MODULE, args=given)
    result = task.run(monkeypatch)
    assert len(task.shown) == 1
    assert result["invocation"]["module_args"]["journal"] == given["journal"]


@pytest.mark.parametrize("given", [["x"], {"a": 1}, 7])
def test_the_module_rejects_a_journal_that_is_not_a_path(tmp_path, monkeypatch, given):
    task = Task(tmp_path, lambda args: {"got": args}, args={"journal": given})
    assert task.run(monkeypatch) == {"got": {"journal": given}}


@pytest.mark.parametrize(
    "changes",
    [
        {"no_log": True},
        {"check_mode": True},
        {"async_val": 60},
        {"become": "a plugin"},
        {"transport": "ssh"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_the_module_runs_as_without_the_plugin_if_lines_cannot_be_shown(tmp_path, monkeypatch, changes):
    task = Task(tmp_path, lambda args: {"got": args}, **changes)
    assert task.run(monkeypatch) == {"got": {"release": "r"}}
    assert task.shown == []


def test_the_module_runs_if_no_temporary_file_can_be_created(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path / "none"))
    assert Task(tmp_path, lambda args: {"got": args}).run(monkeypatch) == {"got": {"release": "r"}}


def test_a_fault_of_the_display_does_not_stop_the_rollout(tmp_path, monkeypatch):
    task = Task(tmp_path, MODULE)
    task.action._display = None
    assert task.run(monkeypatch)["changed"] is True


def test_a_display_that_hangs_does_not_block_the_task(tmp_path, monkeypatch):
    import threading

    never = threading.Event()
    monkeypatch.setattr(release_apply, "_LAST_SECONDS", 0.01)
    task = Task(tmp_path, MODULE)
    task.action._display = SimpleNamespace(display=lambda _text, stderr: never.wait())
    assert task.run(monkeypatch)["changed"] is True
    never.set()


_PARENT = """
import multiprocessing, os, signal
from {module} import _end_with_ansible


def work():
    os.setsid()
    _end_with_ansible()
    reader, writer = os.pipe()
    print(os.getpid(), flush=True)
    os.write(writer, bytes(1 << 20))  # It has a reader, which never reads, like the queue of a killed Ansible.


multiprocessing.get_context("fork").Process(target=work).start()
signal.pause()
"""


def test_worker_that_cannot_deliver_its_result_ends_with_ansible() -> None:
    program = _PARENT.format(module=release_apply.__name__)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as ansible:
        assert ansible.stdout is not None
        assert int(ansible.stdout.readline())
        ansible.kill()
        # The end of the output: the worker, which has inherited it, ended too.
        assert select.select([ansible.stdout], [], [], 30)[0]
        assert ansible.stdout.read() == ""
