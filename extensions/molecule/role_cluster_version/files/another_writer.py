# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-conflictsr

"""Write a ClusterVersion without a pause until another writer gets a conflict (HTTP status 409)."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.audit import Audit, Request
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_VERSIONS

_SECONDS = 180.0
_WRITERS = 4


def main(directory: Path) -> int:
    """Write to the control plane in a directory, and poll the audit log for conflicts of other writers."""
    api, path = Api(directory / "kubeconfig"), f"{CLUSTER_VERSIONS}/version"
    (log,) = directory.glob("plane-*/audit.log")
    audit = Audit(log, api)
    begin, end = audit.mark(), time.monotonic() + _SECONDS
    over = threading.Event()

    def write() -> int:
        written = 0
        while not over.is_set():
            written += 1
            api.patch(path, {"metadata": {"annotations": {"another-writer": str(written)}}})
        return written

    with ThreadPoolExecutor(_WRITERS) as pool:
        # Several writers, so a write occurs between any two requests of another client.
        writers = [pool.submit(write) for _number in range(_WRITERS)]
        conflicts: list[Request] = []
        while not conflicts and time.monotonic() < end:
            requests = audit.requests(begin, user_agent="capability.openshift")
            conflicts = [request for request in requests if request.verb == "patch" and request.code == 409]
        over.set()
    written = sum(writer.result() for writer in writers)
    if conflicts:
        print(f"after {written} writes {len(conflicts)} of others got a conflict")
        return 0
    print(f"no other writer got a conflict within {_SECONDS:g} s")
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
