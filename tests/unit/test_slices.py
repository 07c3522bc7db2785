# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs of a controller with playbooks for all clusters: a job with all clusters runs, and a slice is rejected."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.jobs import Job, run_job

pytestmark = pytest.mark.deep

PASSWORD = "bm90LWEtcmVhbC1vbmU6ZmFrZXdvcmQ="
NAMES = ("berlin", "paris", "rome")
EXAMPLES = Path(__file__).parents[2] / "examples"
SLICE = {"awx_workflow_job_name": "prepare", "awx_job_template_name": "prepare"}


def sites(folder: str) -> dict[str, Any]:
    return {
        name: {
            "openshift_version": "4.20",
            "solution": "ran_du",
            "path": f"{folder}/{name}/install-config.yaml",
            "content": {
                "apiVersion": "v1",
                "baseDomain": "example.com",
                "platform": {"none": {}},
                "pullSecret": '{"auths":{"registry.example":{"auth":"' + PASSWORD + '"}}}',
            },
        }
        for name in NAMES
    }


def test_a_job_of_all_clusters_writes_them_and_leaves_no_secret_on_the_node(tmp_path):
    job = run_job(tmp_path, ["install_config"], sites(str(tmp_path / "sites")))

    assert job.code == 0, job.text
    rows = job.artifacts["install_config"]["clusters"]
    assert [(row["name"], row["differs"], row["errors"]) for row in rows] == [(name, True, []) for name in NAMES]
    assert all(PASSWORD in Path(row["path"]).read_text() for row in rows)
    left = list(job.files_of_the_playbook())
    assert left
    assert [path for path in left if PASSWORD in path.read_text()] == []
    assert PASSWORD not in job.text


def test_a_slice_is_refused_and_writes_nothing(tmp_path):
    # A controller sends a slice only its own hosts.
    hosts = {name: site for name, site in sites(str(tmp_path / "sites")).items() if name != "paris"}
    job = run_job(tmp_path, ["install_config"], hosts, SLICE)

    assert job.code == 2
    assert "job-slice" in job.text
    assert not (tmp_path / "sites").exists()
    assert job.artifacts == {}


def test_both_slices_of_a_plan_are_refused_and_write_nothing(tmp_path):
    """A job on localhost runs in each slice, because each has a localhost."""

    def job(name: str) -> Job:
        (tmp_path / name).mkdir()
        return run_job(tmp_path / name, ["update_plan"], {name: {}}, {**plan_of_fleet(tmp_path), **SLICE})

    with ThreadPoolExecutor() as nodes:
        jobs = list(nodes.map(job, ("berlin", "paris")))

    for found in jobs:
        assert found.code == 2, found.text
        assert "job-slice" in found.text
        assert found.artifacts == {}
    assert not (tmp_path / "review").exists()


def plan_of_fleet(folder: Path) -> dict[str, Any]:
    releases = [str(EXAMPLES / "releases" / version) for version in ("4.21.0", "4.22.0")]
    clusters = [{"name": "berlin"}, {"name": "paris", "capabilities": {"baselineCapabilitySet": "None"}}]
    return {
        "target_hosts": "localhost",
        "releases": releases,
        "clusters": clusters,
        "report": str(folder / "review" / "plan.md"),
    }


def test_one_job_writes_the_report_and_returns_results_as_artifacts(tmp_path):
    shutil.copytree(EXAMPLES / "sites", tmp_path / "sites")
    extra = {**plan_of_fleet(tmp_path), "checkout": str(tmp_path / "sites")}
    job = run_job(tmp_path, ["update_plan", "site_check"], {"berlin": {}, "paris": {}}, extra)

    assert (tmp_path / "review" / "plan.md").read_text().startswith("# ")
    plans, sites = job.artifacts["update_plan"], job.artifacts["site_check"]["localhost"]
    assert list(plans) == ["berlin", "paris"]
    assert plans["berlin"]["releases"] == ["4.21.0", "4.22.0"]
    assert plans["berlin"]["implicitly_enabled"] == []
    assert plans["paris"]["implicitly_enabled"] != []
    assert (sites["sites"], sites["counts"]["error"], sites["fixed_files"]) == (5, 7, [])
    assert len(sites["findings"]) >= 7
    # The findings fail the job, but it still returns its artifacts.
    assert job.code == 2
