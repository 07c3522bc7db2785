# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Somebody who writes a ClusterVersion all the time, until another writer came too late (HTTP status 409)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.audit import Audit
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_VERSIONS

_SECONDS = 60.0
_AT_ONCE = 20


def main(directory: Path) -> int:
    """Write to the control plane in a directory, and look from time to time whether somebody else came too late."""
    api, path = Api(directory / "kubeconfig"), f"{CLUSTER_VERSIONS}/version"
    (log,) = directory.glob("plane-*/audit.log")
    audit = Audit(log, api)
    begin, end = audit.mark(), time.monotonic() + _SECONDS
    written = 0
    while time.monotonic() < end:
        for _write in range(_AT_ONCE):
            written += 1
            api.patch(path, {"metadata": {"annotations": {"another-writer": str(written)}}})
        late = [request for request in audit.requests(begin) if request.verb == "patch" and request.code == 409]
        if late:
            print(f"after {written} writes {len(late)} of others came too late")
            return 0
    print(f"nobody came too late within {_SECONDS:g} s")
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
