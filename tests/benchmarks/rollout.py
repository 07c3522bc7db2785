# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What applying a release costs: to an empty cluster, and a second time with nothing to do.

    .venv/bin/python tests/benchmarks/rollout.py RELEASE

The cluster is an etcd and a kube-apiserver without controllers, where a stand-in plays the operators.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import FACTS, OLD_VERSION
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.operators import Operators, operators_of

MODULE = "ansible_collections.capability.openshift.plugins.modules.release_apply"


def measure(plane: ControlPlane, release: Path, name: str) -> None:
    """Apply the release, and print what it cost."""
    options = {"kubeconfig": str(plane.kubeconfig), "release": str(release), "mode": "install", "wait": False}
    options |= {"capabilities": {"baselineCapabilitySet": "vCurrent"}, "allow_unserved": [OLD_VERSION]}
    arguments = {"ANSIBLE_MODULE_ARGS": {**options, **FACTS}}
    mark, start, before = plane.audit.mark(), time.monotonic(), cpu_seconds()
    done = subprocess.run(
        [sys.executable, "-m", MODULE], input=json.dumps(arguments).encode(), capture_output=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout.decode())
    requests = len(plane.audit.requests(mark, user_agent=AGENT))
    print(f"  {name:<14} {time.monotonic() - start:>8.2f} {cpu_seconds() - before:>8.2f} {requests:>10}")


def cpu_seconds() -> float:
    """Return the CPU time of all processes that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure both runs."""
    release = Path(sys.argv[1]).resolve()
    print(f"\nApplying {release.name}\n  {'':<14} {'s':>8} {'CPU s':>8} {'requests':>10}")
    with ControlPlane() as plane, Operators(plane.kubeconfig, operators_of(release), make=False):
        for name in ("first", "nothing to do"):
            measure(plane, release, name)


if __name__ == "__main__":
    main()
