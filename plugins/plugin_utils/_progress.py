# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Shows what a task does while it runs: every 5 seconds, a line with what it does, and for how long it has run.
After the first minute, a line that has not changed is shown every 30 seconds.

The module writes what it does to a file (``_module/progress.py``), and a thread shows the last line of it. That is
possible if the module runs on the Ansible control node and as the same user. Otherwise nothing is shown.

Lines go to standard error, because standard output may be JSON for another program (callbacks ``json`` and
``minimal``). A thread may call ``Display.display``: in a worker, that puts a message into a queue under a lock that all
threads and processes share. Source: ansible/ansible:lib/ansible/executor/task_queue_manager.py FinalQueue, 2.16 to
2.21.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from ansible import constants as C

from ansible_collections.capability.openshift.plugins.module_utils._module.progress import VARIABLE, write_line
from ansible_collections.capability.openshift.plugins.module_utils._module.progress_reader import follow
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._progress import Progress, silent

if TYPE_CHECKING:
    from ansible.plugins.action.normal import ActionModule as NormalAction

_LAST_SECONDS = 5.0
"""For which the end of a task may wait for a line that is being shown."""


@contextmanager
def shown_progress(action: NormalAction, task_vars: Mapping[str, Any] | None) -> Iterator[Progress]:
    """Show the progress of the module that ``action`` runs, and what is passed to the yielded function."""
    shown: _Shown | None = None
    # Progress must not fail a task.
    with suppress(Exception):
        if _can_show(action):
            shown = _Shown(action, task_vars or {})
    try:
        yield silent if shown is None else shown.progress
    finally:
        if shown is not None:
            shown.end()


def _can_show(action: NormalAction) -> bool:
    task, connection = action._task, action._connection
    is_local = getattr(connection, "transport", "") == "local" and getattr(connection, "become", None) is None
    return is_local and not (task.no_log or task.async_val)


class _Shown:
    """The progress of a running task: its file, the thread that shows it, and the environment of the module."""

    def __init__(self, action: NormalAction, task_vars: Mapping[str, Any]) -> None:
        self._task, self._environment = action._task, action._task.environment
        self._display, self._host = action._display, untag(task_vars.get("inventory_hostname", "localhost"))
        unknown = f"{action._task.action.rpartition('.')[2]} is running"
        self._over = Event()
        handle, self._path = tempfile.mkstemp(prefix="progress-", dir=getattr(C, "DEFAULT_LOCAL_TMP", None))
        os.close(handle)
        self.progress: Progress = partial(write_line, self._path)
        self._thread = Thread(target=follow, args=(self._path, self._over, unknown, self._show), daemon=True)
        self._thread.start()
        if "{" not in self._path:  # Ansible would read it as a template.
            given = self._environment if isinstance(self._environment, list) else [self._environment]
            self._task.environment = [*given, {VARIABLE: self._path}]

    def end(self) -> None:
        """Show no further line."""
        self._task.environment = self._environment
        self._over.set()
        self._thread.join(_LAST_SECONDS)
        with suppress(OSError):
            os.unlink(self._path)

    def _show(self, line: str) -> None:
        self._display.display(f"{self._host}: {line}", stderr=True)
