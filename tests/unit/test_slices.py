# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""prepare_install as a job of a controller: one job for all clusters, and no part of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.jobs import run_job

pytestmark = pytest.mark.slow

PASSWORD = "bm90LWEtcmVhbC1vbmU6ZmFrZXdvcmQ="
NAMES = ("berlin", "paris", "rome")
SLICE = {"awx_workflow_job_name": "prepare", "awx_job_template_name": "prepare"}


def sites(folder: str) -> dict[str, Any]:
    return {
        name: {
            "openshift_version": "4.20",
            "base_domain": "example.com",
            "platform": "none",
            "solution": "ran_du",
            "pull_secret": '{"auths":{"registry.example":{"auth":"' + PASSWORD + '"}}}',
            "install_config_directory": f"{folder}/{name}",
        }
        for name in NAMES
    }


def test_a_job_of_all_clusters_writes_them_and_leaves_no_secret_on_the_node(tmp_path):
    job = run_job(tmp_path, ["prepare_install"], sites(str(tmp_path / "sites")))

    assert job.code == 0, job.text
    rows = job.artifacts["prepare_install"]["clusters"]
    assert [(row["name"], row["changed"], row["errors"]) for row in rows] == [(name, True, []) for name in NAMES]
    assert all(PASSWORD in Path(row["path"]).read_text() for row in rows)
    left = list(job.files_of_the_playbook())
    assert left
    assert [path for path in left if PASSWORD in path.read_text()] == []
    assert PASSWORD not in job.text


@pytest.mark.parametrize(("extra", "limit"), [({}, "berlin,rome"), (SLICE, "")], ids=["limit", "slice"])
def test_a_slice_is_refused_and_writes_nothing(extra, limit, tmp_path):
    # A controller sends a slice only its own hosts. With a limit, the inventory has all of them.
    hosts = {name: site for name, site in sites(str(tmp_path / "sites")).items() if limit or name != "paris"}
    job = run_job(tmp_path, ["prepare_install"], hosts, extra, limit)

    assert job.code == 2
    assert "The job has 2 clusters, which are a slice of all clusters, so nothing is written" in job.text
    assert not (tmp_path / "sites").exists()
    assert job.artifacts == {}


def test_a_relative_path_on_an_execution_node_is_an_error(tmp_path):
    job = run_job(tmp_path, ["prepare_install"], sites("sites"))

    assert job.code == 2
    assert "install_config_path is sites/paris/install-config.yaml, expected an absolute path" in job.text
    assert list(job.node.rglob("install-config.yaml")) == []
