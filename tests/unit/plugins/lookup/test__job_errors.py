# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a job of a controller must not do. tests/unit/test_slices.py runs playbooks as such jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.lookup._job_errors import LookupModule
from ansible_collections.capability.openshift.tests.unit.jobs import JOB

PLAYBOOKS = Path(__file__).parents[4] / "playbooks"
LOCALHOST = {"inventory_hostname": "localhost"}
SLICE = {"awx_workflow_job_name": "sites", "awx_job_template_name": "sites"}


@pytest.fixture
def _job(monkeypatch):
    for name, value in JOB.items():
        monkeypatch.setenv(name, value)


def errors(variables: dict[str, Any], **options: Any) -> list[str]:
    return LookupModule(loader=None, templar=None).run([], variables, **options)


def test_outside_of_jobs_nothing_is_an_error():
    assert errors({**LOCALHOST, **SLICE}, hosts=["berlin"], paths={"report": "plan.md"}) == []


@pytest.mark.parametrize("missing", list(JOB))
def test_a_job_has_both_variables_of_the_environment(missing, monkeypatch):
    for name in set(JOB) - {missing}:
        monkeypatch.setenv(name, JOB[name])
    assert errors({**LOCALHOST, **SLICE}) == []


@pytest.mark.usefixtures("_job")
@pytest.mark.parametrize(
    ("variables", "refused"),
    [
        (LOCALHOST, False),
        ({**LOCALHOST, **SLICE}, True),
        ({**LOCALHOST, **SLICE, "awx_workflow_job_name": "nightly"}, False),
        ({**LOCALHOST, "awx_job_template_name": "sites"}, False),
        ({**SLICE, "inventory_hostname": "berlin"}, False),
    ],
)
def test_work_for_all_clusters_on_localhost_refuses_a_slice(variables, refused):
    assert bool(errors(variables)) is refused
    assert errors(variables, allow_slice=True) == []


@pytest.mark.usefixtures("_job")
def test_the_message_of_a_slice_names_what_to_do():
    (message,) = errors({**LOCALHOST, **SLICE})
    assert message == (
        "The job is a slice, so it does nothing. Expected one job, because each slice would do the work for all"
        " clusters, and write the same files. Set the number of job slices of the job template to 1, or set allow_slice"
        " to true."
    )


@pytest.mark.usefixtures("_job")
@pytest.mark.parametrize(
    ("present", "extra", "refused"),
    [(["berlin", "paris"], {}, False), (["berlin"], {}, True), (["berlin", "paris"], SLICE, True)],
)
def test_work_for_all_hosts_refuses_a_part_of_them(present, extra, refused):
    variables = {"inventory_hostname": "berlin", "ansible_play_hosts_all": present, **extra}
    assert bool(errors(variables, hosts=["berlin", "paris"])) is refused


@pytest.mark.usefixtures("_job")
def test_relative_paths_are_errors():
    paths = {"report": "plan.md", "baseline": "/srv/known.json", "text": "", "keys": ["keys/a", "/b", "~/c"], "map": {}}
    releases = {"releases": "4.20, /srv/4.21,oci:layout,quay.io/ocp/release:4.22", "previous": ["4.19"]}
    found = [message.split(",")[0] for message in errors(LOCALHOST, paths=paths, releases=releases)]
    assert found == [
        "report is plan.md",
        "keys is keys/a",
        "keys is ~/c",
        "releases is 4.20",
        "releases is oci:layout",
        "previous is 4.19",
    ]


@pytest.mark.usefixtures("_job")
def test_the_message_of_a_path_gives_the_reason():
    (message,) = errors(LOCALHOST, paths={"report": "plan.md"})
    assert message == (
        "report is plan.md, expected an absolute path, because an execution node has a different working directory than"
        " a shell, and removes it after the job."
    )


def test_each_playbook_that_answers_for_all_clusters_checks_its_job():
    of_all = {
        *("api_usage", "check_sites", "inspect_release", "lint_release"),
        *("mirror_check", "plan_update", "prepare_install"),
    }
    of_one = {"apply_release", "enable_capabilities", "guard_capabilities", "verify_release"}
    assert {path.stem for path in PLAYBOOKS.glob("*.yml")} == of_all | of_one
    for name in of_all:
        (play,) = yaml.safe_load((PLAYBOOKS / f"{name}.yml").read_text())
        assert "_job_errors" in play["vars"][f"{name}_job_errors"]
        checks = [task for task in play["tasks"] if f"{name}_job_errors" in str(task.get("ansible.builtin.assert"))]
        assert len(checks) == 1
        others = [task for task in play["tasks"] if "ansible.builtin.assert" not in task]
        assert play["tasks"].index(checks[0]) < play["tasks"].index(others[0])
