# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import select
import subprocess
import sys

from ansible_collections.capability.openshift.plugins.action import release_apply

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
