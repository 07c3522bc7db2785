# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What talks to one cluster per host, as two slices of a job on two execution nodes, which run at the same time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.support import KNOWN, OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    apply_crds,
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.programs import Log
from ansible_collections.capability.openshift.tests.unit.jobs import Job, run_job

pytestmark = pytest.mark.deep

SLICE = {"awx_workflow_job_name": "enable", "awx_job_template_name": "enable"}


@pytest.fixture
def planes(cluster: ControlPlane, log: Log) -> Iterator[dict[str, ControlPlane]]:
    """Return two clusters with nothing but Ingress enabled."""
    with ControlPlane(log=log) as other:
        apply_crds(other.api, EXAMPLE)
        found = {"berlin": cluster, "paris": other}
        status = {**capabilities_status(["Ingress"], KNOWN), "desired": {"version": "4.21.0"}}
        for plane in found.values():
            make_cluster_version(plane.api, {"capabilities": selection("Ingress")}, status)
        yield found


def test_slices_enable_only_the_capabilities_of_their_clusters(planes, tmp_path):
    wanted = {"berlin": ["Console"], "paris": ["Storage", "Build"]}

    def job(name: str) -> Job:
        host: dict[str, Any] = {"kubeconfig": str(planes[name].kubeconfig), "enable": wanted[name]}
        host["ansible_python_interpreter"] = sys.executable
        (tmp_path / name).mkdir()
        return run_job(tmp_path / name, ["cluster_capabilities"], {name: host}, SLICE)

    with ThreadPoolExecutor() as nodes:
        jobs = dict(zip(wanted, nodes.map(job, wanted), strict=True))

    for name, plane in planes.items():
        assert jobs[name].code == 0, jobs[name].text
        requested = sorted(["Ingress", *wanted[name]])
        assert plane.api.get(OBJECT)["spec"]["capabilities"] == selection(*requested)
        assert jobs[name].artifacts == {
            "cluster_capabilities": {
                name: {"changed": True, "requested": requested, "enabled": ["Ingress"], "pending": sorted(wanted[name])}
            }
        }
