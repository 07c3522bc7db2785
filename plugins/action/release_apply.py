# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module of the same name, and shows its progress while it runs.

The module writes a journal, and a thread shows its new lines. That is possible if the module runs on the Ansible
control node and as the same user. Otherwise it only runs the module.

Lines go to standard error, because standard output may be JSON for another program (callbacks ``json`` and
``minimal``). A thread may call ``Display.display``: in a worker, that puts a message into a queue under a lock that all
threads and processes share. Source: ansible/ansible:lib/ansible/executor/task_queue_manager.py FinalQueue, 2.16 to
2.21.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from threading import Event, Thread
from typing import Any, BinaryIO

from ansible import constants as C
from ansible.plugins.action.normal import ActionModule as NormalAction

from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag

_PAUSE = 0.2
_LAST_SECONDS = 5.0
"""Seconds for which the end of a task may wait for the last lines."""

_QUIET_SECONDS = 10.0
_LONGEST_LINE = 200


_watched_parents: set[tuple[int, int]] = set()
"""Processes with their parents that a thread watches."""


class ActionModule(NormalAction):
    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        _end_with_ansible()
        run: Callable[..., dict[str, Any]] = super().run
        if not self._can_show():
            return run(tmp, task_vars)
        args = self._task.args
        journal = untag(args.get("journal"))
        temporary = "" if journal else _temporary_file()
        path = temporary or journal
        if not isinstance(path, str) or not path:
            return run(tmp, task_vars)
        if temporary:
            self._task.args = {**args, "journal": temporary}
        host = untag((task_vars or {}).get("inventory_hostname", "localhost"))
        try:
            with _following(self._absolute(path), lambda text: self._display.display(f"{host}: {text}", stderr=True)):
                result = run(tmp, task_vars)
        finally:
            self._task.args = args
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
        return _without_temporary(temporary, args, result)

    def _can_show(self) -> bool:
        task, connection = self._task, self._connection
        is_local = getattr(connection, "transport", "") == "local" and getattr(connection, "become", None) is None
        return is_local and not (task.no_log or task.check_mode or task.async_val)

    def _absolute(self, path: str) -> str:
        # The working directory of the module is that of the playbook.
        directory = os.path.join(self._loader.get_basedir(), untag(self._task.args.get("chdir")) or "")
        return os.path.join(directory, os.path.expanduser(os.path.expandvars(path)))


def _end_with_ansible() -> None:
    """End this worker as soon as the Ansible that started it is gone, and with it the module, which has no reader then.

    A worker has its own session, so it survives the kill of ansible-playbook and its process group. With a result of
    more than 64 KiB, it would wait forever for Ansible to read it.
    Source: ansible/ansible:lib/ansible/executor/process/worker.py _detach, task_queue_manager.py FinalQueue.
    """
    parent = multiprocessing.parent_process()
    pair = os.getpid(), os.getppid()
    if parent is not None and parent.pid == pair[1] and pair not in _watched_parents:
        _watched_parents.add(pair)
        Thread(target=_wait_for_parent_to_end, args=(pair[1],), daemon=True).start()


def _wait_for_parent_to_end(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(1)


class Follower:
    """Converts lines of a journal to lines to show. Follows the first run that starts.

    If another run starts before the end of the first one, shows nothing more, because the runs cannot be distinguished.
    """

    def __init__(self, show: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._show, self._now = show, now
        self._run: object = None
        self._pending = ""
        self._shown_at = float("-inf")

    def line(self, data: bytes) -> None:
        """Process one line of the journal."""
        try:
            event = json.loads(data)
        except ValueError:
            return
        if not isinstance(event, Mapping):
            return
        if event.get("event") == "start":
            self._run = event.get("run") if self._run is None else ""
        if self._run and event.get("run") == self._run:
            self._take(event)

    def tick(self) -> None:
        """Show what the rollout waits for, if that is new and the last such line is old enough."""
        if self._pending and self._now() - self._shown_at >= _QUIET_SECONDS:
            self._show(self._pending)
            self._pending, self._shown_at = "", self._now()

    def _take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("event")
        if kind == "run_level":
            name = f"run level {event['run_level']}" if event["run_level"] else "files without a run level"
            self._pending = ""
            self._show(_printable(f"{name}: {event['done']} of {event['total']}, {event['percent']} %"))
        elif kind == "waiting":
            reason = f" ({event['message']})" if event["message"] else ""
            self._pending = _printable(f"waiting for {event['left']}: {event['resource']}{reason}")
        elif kind == "end":
            self._pending = ""


@contextlib.contextmanager
def _following(path: str, show: Callable[[str], None]) -> Iterator[None]:
    """Show the lines that are appended to the file ``path``, which need not exist yet."""
    try:
        start = os.path.getsize(path)
    except OSError:
        start = 0
    over = Event()
    thread = Thread(target=_follow, args=(path, start, Follower(show), over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(_LAST_SECONDS)


def _follow(path: str, start: int, follower: Follower, over: Event) -> None:
    # A fault of the journal, or of showing it, must not stop the rollout.
    with contextlib.suppress(Exception), contextlib.ExitStack() as stack:
        file: BinaryIO | None = None
        rest = b""
        is_last = False
        while not is_last:
            is_last = over.wait(_PAUSE)
            if file is None and os.path.isfile(path):
                file = stack.enter_context(open(path, "rb"))
                file.seek(start)
            if file is not None:
                *lines, rest = (rest + file.read()).split(b"\n")
                for line in lines:
                    follower.line(line)
            follower.tick()


def _temporary_file() -> str:
    try:
        handle, path = tempfile.mkstemp(prefix="rollout-", suffix=".jsonl", dir=getattr(C, "DEFAULT_LOCAL_TMP", None))
    except OSError:
        return ""
    os.close(handle)
    return path


def _without_temporary(temporary: str, args: Mapping[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """Restore the user's value of ``journal`` in the result."""
    invocation = result.get("invocation")
    arguments = invocation.get("module_args") if isinstance(invocation, Mapping) else None
    if temporary and isinstance(arguments, dict) and arguments.get("journal") == temporary:
        arguments["journal"] = args.get("journal")
    return result


def _printable(text: str) -> str:
    """Convert a text of a cluster to one line without control characters."""
    line = "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 3]}..."
