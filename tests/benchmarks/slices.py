# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs of many clusters in slices, each slice as AWX runs it. All clusters must be right at the end.

Usage: slices.py [CLUSTERS [SLICES]], by default 20 clusters, each on its own control plane, in 2 slices. It needs
about 400 MB for each cluster.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.cluster.helpers.guard import is_guarded
from ansible_collections.capability.openshift.tests.cluster.helpers.support import KNOWN, OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    apply_crds,
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.unit.jobs import Job, run_job

NAMES = ("Build", "Console", "Insights", "Storage")
ROUNDS = (("cluster_capabilities", "capability_guard"), ("release_apply", "release_verify"))


def main() -> None:
    """Run the jobs, check every cluster, and print the seconds of each round."""
    clusters, slices = (int(sys.argv[at]) if len(sys.argv) > at else default for at, default in ((1, 20), (2, 2)))
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        planes = {f"site-{number}": stack.enter_context(ControlPlane()) for number in range(clusters)}
        for plane in planes.values():
            prepare(plane)
        parts = [dict(list(planes.items())[number::slices]) for number in range(slices)]
        for playbooks in ROUNDS:
            start, before = time.perf_counter(), cpu()
            work = Path(folder) / playbooks[0]
            work.mkdir()
            with ThreadPoolExecutor() as nodes:
                started = [nodes.submit(run_slice, work / str(at), playbooks, part) for at, part in enumerate(parts)]
            check(playbooks, planes, [job.result() for job in started])
            wall, spent = time.perf_counter() - start, cpu() - before
            print(f"{' and '.join(playbooks)}: {wall:.0f} s, {spent:.0f} s of CPU for {clusters} clusters")


def prepare(plane: ControlPlane) -> None:
    """Make the ClusterVersion of a cluster that has nothing but Ingress enabled."""
    apply_crds(plane.api, EXAMPLE)
    status = {**capabilities_status(["Ingress"], KNOWN), "desired": {"version": "4.21.0"}}
    make_cluster_version(plane.api, {"capabilities": selection("Ingress")}, status)


def wanted(name: str) -> list[str]:
    """Return the capabilities to enable on a cluster, of which each one has its own."""
    number = int(name.partition("-")[2])
    return sorted({NAMES[number % len(NAMES)], NAMES[number // len(NAMES) % len(NAMES)]})


def run_slice(folder: Path, playbooks: tuple[str, ...], planes: dict[str, ControlPlane]) -> Job:
    """Run the job of one slice."""
    common = {
        "ansible_python_interpreter": sys.executable,
        "release": str(EXAMPLE),
        "allow_cvo_managed": True,
        # No CVO and no controllers run there.
        "wait": False,
    }
    hosts: dict[str, dict[str, Any]] = {
        name: {**common, "kubeconfig": str(plane.kubeconfig), "enable": wanted(name)} for name, plane in planes.items()
    }
    folder.mkdir()
    return run_job(folder, playbooks, hosts)


def check(playbooks: tuple[str, ...], planes: dict[str, ControlPlane], jobs: list[Job]) -> None:
    """End unless every cluster is in exactly one artifact of each playbook, and is right."""
    for playbook in playbooks:
        found = sorted(name for job in jobs for name in job.artifacts.get(playbook, {}))
        if found != sorted(planes):
            sys.exit(f"{playbook} returned {found}:\n" + "\n".join(job.text[-3000:] for job in jobs))
    for name, plane in planes.items():
        if plane.api.get(OBJECT)["spec"]["capabilities"] != selection(*sorted({"Ingress", *wanted(name)})):
            sys.exit(f"{name} has another selection: {plane.api.get(OBJECT)['spec']}")
        if not is_guarded(plane.api):
            sys.exit(f"{name} is not guarded")
    for job in jobs:
        for name, result in job.artifacts.get("release_verify", {}).items():
            if result["missing"] or result["different"]:
                sys.exit(f"{name} differs from its release: {result}\n{job.text[-3000:]}")


def cpu() -> float:
    """Return the CPU seconds of this process and of the jobs that have ended, without the control planes."""
    used = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(item.ru_utime + item.ru_stime for item in used)


if __name__ == "__main__":
    main()
