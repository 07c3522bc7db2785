# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module, and shows its progress. Ends with the Ansible that started it.

``plugin_routing`` in ``meta/runtime.yml`` names the other modules that have this action plugin.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from threading import Thread
from typing import Any

from ansible.plugins.action.normal import ActionModule as NormalAction

from ansible_collections.capability.openshift.plugins.plugin_utils._module_defaults import apply_module_defaults
from ansible_collections.capability.openshift.plugins.plugin_utils._progress import shown_progress
from ansible_collections.capability.openshift.plugins.plugin_utils._python import explain_old_python, require_python
from ansible_collections.capability.openshift.plugins.plugin_utils._verbosity import hide_long_result

_PAUSE = 0.2

_watched_parents: set[tuple[int, int]] = set()
"""Processes with their parents that a thread watches."""


class ActionModule(NormalAction):
    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        _end_with_ansible()
        require_python()
        apply_module_defaults(self, task_vars)
        with shown_progress(self, task_vars):
            result = self._run_module(tmp, task_vars)
        return hide_long_result(result, self._display.verbosity)

    def _run_module(self, tmp: Any, task_vars: Any) -> dict[str, Any]:
        run: Callable[..., dict[str, Any]] = super().run
        return explain_old_python(self, run(tmp, task_vars), task_vars)


def _end_with_ansible() -> None:
    """End this worker as soon as the Ansible that forked it is gone, and with it the module, which has no reader then.

    A worker has its own session, so it survives the kill of ansible-playbook and its process group. With a result of
    more than 64 KiB, it would wait forever for Ansible to read it.
    Source: ansible/ansible:lib/ansible/executor/process/worker.py _detach, task_queue_manager.py FinalQueue.
    """
    parent = multiprocessing.parent_process()  # the one that forked this worker, also if it is gone by now
    if parent is None or parent.pid is None:
        return
    pair = os.getpid(), parent.pid
    if pair not in _watched_parents:
        _watched_parents.add(pair)
        Thread(target=_wait_for_parent_to_end, args=(parent.pid,), daemon=True).start()


def _wait_for_parent_to_end(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(1)
