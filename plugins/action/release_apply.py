# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module of the same name, and shows how far it is while it runs.

The module writes a journal, and a thread shows what comes in. It can where the module runs on the machine of Ansible
itself and as the same user; everywhere else the module runs as it would without this plugin.

Lines go to the standard error, because the standard output may be JSON for another program (callbacks ``json`` and
``minimal``). ``Display.display`` can be called in a thread: in a worker it puts a message into a queue under a lock
that all threads and processes share. Source: ansible/executor/task_queue_manager.py FinalQueue, 2.16 to 2.21.
"""

from __future__ import annotations

import contextlib
import json
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
"""How long the end of a task may wait for the last lines to be shown."""

_QUIET_SECONDS = 10.0
_LONGEST = 200


class ActionModule(NormalAction):
    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        run: Callable[..., dict[str, Any]] = super().run
        if not self._can_show():
            return run(tmp, task_vars)
        given = self._task.args
        journal = untag(given.get("journal"))
        own = "" if journal else _temporary_file()
        path = own or journal
        if not isinstance(path, str) or not path:
            return run(tmp, task_vars)
        if own:
            self._task.args = {**given, "journal": own}
        host = untag((task_vars or {}).get("inventory_hostname", "localhost"))
        try:
            with _shown(self._absolute(path), lambda text: self._display.display(f"{host}: {text}", stderr=True)):
                result = run(tmp, task_vars)
        finally:
            self._task.args = given
            if own:
                with contextlib.suppress(OSError):
                    os.unlink(own)
        return _without(own, given, result)

    def _can_show(self) -> bool:
        task, connection = self._task, self._connection
        is_here = getattr(connection, "transport", "") == "local" and getattr(connection, "become", None) is None
        return is_here and not (task.no_log or task.check_mode or task.async_val)

    def _absolute(self, path: str) -> str:
        # As the module finds it: its directory is that of the playbook.
        return os.path.join(self._loader.get_basedir(), os.path.expanduser(os.path.expandvars(path)))


class Follower:
    """Turns lines of a journal into lines to show. The first run that starts is followed, and no other.

    Where another one starts before its end, nobody can tell whose is whose: nothing is shown then.
    """

    def __init__(self, show: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._show, self._now = show, now
        self._run: object = None
        self._pending = ""
        self._shown_at = float("-inf")

    def line(self, data: bytes) -> None:
        """Take in one line."""
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
        """Show what is waited for, if that is not said already and was not said a moment ago."""
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
            about = f" ({event['message']})" if event["message"] else ""
            self._pending = _printable(f"waiting for {event['left']}: {event['resource']}{about}")
        elif kind == "end":
            self._pending = ""


@contextlib.contextmanager
def _shown(path: str, show: Callable[[str], None]) -> Iterator[None]:
    """Show what is appended to the file ``path``, which need not be there yet."""
    try:
        begin = os.path.getsize(path)
    except OSError:
        begin = 0
    over = Event()
    thread = Thread(target=_follow, args=(path, begin, Follower(show), over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(_LAST_SECONDS)


def _follow(path: str, begin: int, follower: Follower, over: Event) -> None:
    # Whatever is wrong with a journal, or with showing it: the rollout goes on.
    with contextlib.suppress(Exception), contextlib.ExitStack() as stack:
        file: BinaryIO | None = None
        rest = b""
        last = False
        while not last:
            last = over.wait(_PAUSE)
            if file is None and os.path.isfile(path):
                file = stack.enter_context(open(path, "rb"))
                file.seek(begin)
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


def _without(own: str, given: Mapping[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """Return the result as it is without this plugin: nobody gave the temporary file."""
    invocation = result.get("invocation")
    arguments = invocation.get("module_args") if isinstance(invocation, Mapping) else None
    if own and isinstance(arguments, dict) and arguments.get("journal") == own:
        arguments["journal"] = given.get("journal")
    return result


def _printable(text: str) -> str:
    """Return a text of a cluster as one line without what a terminal obeys."""
    line = "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
