# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ends a module together with the Ansible that started it."""

from __future__ import annotations

import os
import select
import stat
from threading import Thread

_STDOUT = 1


def end_without_reader() -> None:
    """End this process as soon as its standard output has no reader.

    If Ansible is killed, its modules continue: a worker and its modules have their own session, which does not get the
    signal (ansible/ansible:lib/ansible/executor/process/worker.py _detach). The next run would then find that another
    one writes to the cluster. Only a pipe or a socket has a reader, so a terminal or a file changes nothing.
    """
    mode = os.fstat(_STDOUT).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        Thread(target=_wait_for_reader_to_end, daemon=True).start()


def _wait_for_reader_to_end() -> None:
    poll = select.poll()
    poll.register(_STDOUT, 0)  # POLLERR and POLLHUP are always reported.
    if any(event & (select.POLLERR | select.POLLHUP) for _file, event in poll.poll()):
        os._exit(1)
