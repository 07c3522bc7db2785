# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The job templates of examples/controller: AWX accepts them, and the playbooks accept what people answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    check_names,
    check_required,
    check_values,
    read_spec,
)
from ansible_collections.capability.openshift.tests.unit.jobs import run_job

ROOT = Path(__file__).parents[2]
RELEASES = ROOT / "examples" / "releases"
FILE = ROOT / "examples" / "controller" / "job_templates.yml"
TEMPLATES = {
    item["playbook"].removeprefix("playbooks/").removesuffix(".yml"): item
    for item in yaml.safe_load(FILE.read_text())["controller_templates"]
}
ACCEPTED = json.loads((Path(__file__).parent / "data" / "awx_job_template.json").read_text())


def questions(playbook: str) -> list[dict[str, Any]]:
    return TEMPLATES[playbook]["survey_spec"]["spec"]


@pytest.mark.parametrize("playbook", TEMPLATES)
def test_awx_accepts_the_template_and_its_survey(playbook):
    Draft202012Validator.check_schema(ACCEPTED)
    Draft202012Validator(ACCEPTED).validate(TEMPLATES[playbook])
    variables = [item["variable"] for item in questions(playbook)]
    assert len(set(variables)) == len(variables)
    for item in questions(playbook):
        if "choices" in item:
            assert set(item.get("default", "").splitlines()) <= set(item["choices"])


@pytest.mark.parametrize("playbook", TEMPLATES)
def test_a_project_can_have_the_playbook_of_the_template(playbook):
    assert (ROOT / TEMPLATES[playbook]["playbook"]).is_file()


@pytest.mark.parametrize("playbook", TEMPLATES)
def test_neither_connections_nor_slices_are_questions(playbook):
    asked = {item["variable"] for item in questions(playbook)}
    assert not asked & {"kubeconfig", "context", "auth_file", "ca_path", "allow_slice"}
    secret = {name for name, option in read_spec(playbook).options.items() if option.get("no_log")}
    assert {item["variable"] for item in questions(playbook) if item["type"] == "password"} == asked & secret


def answers(item: dict[str, Any], kind: str) -> Iterator[Any]:
    """Yield what a controller passes to the playbook. ``kind``: the type of the option."""
    if item["type"] == "integer":
        yield 60
    elif item["type"] == "multiselect":
        yield from (item["choices"], item["choices"][:1])
    elif item["type"] == "multiplechoice":
        yield from item["choices"]
    elif kind == "dict":
        yield '{"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}'
    else:
        yield from ("Console, Storage", "Console")
    if "default" in item:
        yield item["default"].splitlines() if item["type"] == "multiselect" else item["default"]


@pytest.mark.parametrize("playbook", TEMPLATES)
def test_the_playbook_accepts_the_answers(playbook):
    spec = read_spec(playbook)
    schema = json.loads((ROOT / "schemas" / "playbooks" / f"{playbook}.json").read_text())
    given = dict(TEMPLATES[playbook].get("extra_vars", {}))
    for item in questions(playbook):
        name = item["variable"]
        for answer in answers(item, spec.options[name]["type"]):
            problems = Problems()
            check_values(spec, {name: answer}, problems)
            assert not problems, (name, answer)
            given[name] = answer
    problems = Problems()
    check_names(spec, given, problems, has_other_variables=False)
    check_required(spec, given, problems)
    assert not problems
    Draft202012Validator(schema).validate(given)


def test_a_job_plans_with_the_answers_of_a_survey(tmp_path):
    given = {
        "releases": f"{RELEASES / '4.21.0'},{RELEASES / '4.22.0'}",
        "capabilities": '{"baselineCapabilitySet": "None"}',
        "platform": "aws",
        "fail_on": "blocked, risk",
    }
    assert set(given) <= {item["variable"] for item in questions("update_plan")}
    job = run_job(tmp_path, ["update_plan"], {"berlin": {}}, {**given, "update_plan_hosts": "localhost"})

    assert job.code == 0, job.text
    assert job.artifacts["update_plan"]["localhost"]["releases"] == ["4.21.0", "4.22.0"]
    assert job.artifacts["update_plan"]["localhost"]["implicitly_enabled"] != []


def test_a_job_compares_releases_with_the_answers_of_a_survey(tmp_path):
    given = {
        "release": str(RELEASES / "4.22.0"),
        "changes_from": str(RELEASES / "4.21.0"),
        "capabilities": '{"baselineCapabilitySet": "None"}',
    }
    assert set(given) == {item["variable"] for item in questions("release_compare")}
    job = run_job(tmp_path, ["release_compare"], {"berlin": {}}, {**given, "release_compare_hosts": "localhost"})

    assert job.code == 0, job.text
