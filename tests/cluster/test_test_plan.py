# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The example of a test plan, on a control plane where rollouts stand for the CVO."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import rolled_out
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import Rollouts
from ansible_collections.capability.openshift.tests.cluster.test_playbooks_of_clusters import Desk
from ansible_collections.capability.openshift.tests.cluster.test_release_verify_playbook import desk, roll_out_ready
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_VERSIONS, EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

__all__ = ["desk"]

pytestmark = pytest.mark.deep
PLAN = Path(__file__).parents[2] / "examples" / "test_plan.yml"
OPTIONS = ("-e", "kubeconfig=kubeconfig", "-e", "release=releases/4.21.0", "-e", "next_release=releases/4.22.0")


def roll_out_when_requested(rollouts: Rollouts) -> None:
    """Apply what the CVO would, once Build is requested."""

    def is_requested() -> bool:
        spec = rollouts.api.get(f"{CLUSTER_VERSIONS}/version")["spec"]
        return "Build" in spec["capabilities"].get("additionalEnabledCapabilities", [])

    wait_for(is_requested, "Build to be requested", 300)
    rolled_out(rollouts.plane.kubeconfig, EXAMPLE)


def test_each_step_is_in_the_report(rollouts: Rollouts, desk: Desk) -> None:
    roll_out_ready(rollouts)
    with ThreadPoolExecutor() as pool:
        applied = pool.submit(roll_out_when_requested, rollouts)
        done = desk.command("ansible-playbook", str(PLAN), *OPTIONS, "-e", "capability=Build")
        applied.result()

    assert done.code == 0, done.text
    report = (desk.folder / "test_plan.md").read_text()
    assert report.count("| no difference (") == 2
    assert "| enable Build, and wait | Build, Ingress |" in report
    assert "| plan the update to releases/4.22.0 | blocked |" in report
    assert "| what the update enables | Insights |" in report
    assert "not done" not in report


def test_nothing_is_enabled_on_a_cluster_that_is_not_as_expected(rollouts: Rollouts, desk: Desk) -> None:
    roll_out_ready(rollouts)
    rollouts.api.delete("/api/v1/namespaces/openshift-config/configmaps/insights-upload-schedule")

    file = desk.folder / "other.md"
    assert desk.command("ansible-playbook", str(PLAN), *OPTIONS, "-e", f"report={file}").code == 2
    assert not file.exists()
    done = desk.command("ansible-playbook", str(PLAN), *OPTIONS, "-e", "capability=Build", "-e", f"report={file}")

    assert done.code == 2
    report = file.read_text()
    assert "| compare with no capabilities | 1 missing (" in report
    assert "| enable Build, and wait | not done |" in report
    assert "- missing: ConfigMap openshift-config/insights-upload-schedule" in report


def test_a_wait_that_ends_too_early_failed(rollouts: Rollouts, desk: Desk) -> None:
    roll_out_ready(rollouts)
    done = desk.command("ansible-playbook", str(PLAN), *OPTIONS, "-e", "capability=Build", "-e", "wait_timeout=1")

    assert done.code == 2
    assert "| enable Build, and wait | failed, enabled: Ingress |" in (desk.folder / "test_plan.md").read_text()
