# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import select
import subprocess
import sys

import pytest

from ansible_collections.capability.openshift.plugins.action import release_apply

_PARENT = """
import multiprocessing, os, signal, time
from {module} import _end_with_ansible


def work():
    os.setsid()
    parent = os.getppid()
    print(os.getpid(), flush=True)
    while {is_late} and os.getppid() == parent:
        time.sleep(0.01)
    _end_with_ansible()
    reader, writer = os.pipe()
    os.write(writer, bytes(1 << 20))  # It has a reader, which never reads, like the queue of a killed Ansible.


multiprocessing.get_context("fork").Process(target=work).start()
signal.pause()
"""


@pytest.mark.parametrize("is_late", [False, True])
def test_worker_that_cannot_deliver_its_result_ends_with_ansible(is_late: bool) -> None:
    """``is_late``: Ansible is gone before the worker begins the task."""
    program = _PARENT.format(module=release_apply.__name__, is_late=is_late)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as ansible:
        assert ansible.stdout is not None
        assert int(ansible.stdout.readline())
        ansible.kill()
        # The end of the output: the worker, which has inherited it, ended too.
        assert select.select([ansible.stdout], [], [], 30)[0]
        assert ansible.stdout.read() == ""
