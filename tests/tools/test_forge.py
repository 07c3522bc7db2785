# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files that a forge reads are valid, and run what is here."""

from __future__ import annotations

import json
import re
import subprocess
from importlib import resources
from itertools import dropwhile
from pathlib import Path

import jsonschema
import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

from ansible_collections.capability.openshift.tests.control_plane.programs import LINTER, find_programs

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
SCHEMAS = {
    "vendor.github-workflows": sorted(GITHUB.glob("workflows/*.yml")),
    "vendor.github-issue-forms": [GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml" for name in ("bug", "feature")],
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.github-actions": [ROOT / "action.yml"],
    "vendor.renovate": [ROOT / "renovate.json"],
}

OF_THE_FORGE = {"apt-get", "cd", "gh", "git", "pipx", "printenv", "umask"}
"""Programs of the machine that prepare a step or publish a result."""


def steps() -> list[str]:
    workflows = [yaml.safe_load(path.read_text("utf-8")) for path in SCHEMAS["vendor.github-workflows"]]
    return [
        str(step.get("run", "")) for workflow in workflows for job in workflow["jobs"].values() for step in job["steps"]
    ]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_file_has_the_form_that_the_forge_expects(schema):
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", schema, *map(str, SCHEMAS[schema])])
    assert done.exit_code == 0, done.output


def test_the_jobs_of_the_component_have_the_form_that_gitlab_expects(tmp_path):
    spec, jobs = (ROOT / "templates" / "check.yml").read_text("utf-8").rsplit("---\n", 1)
    inputs = yaml.safe_load(spec)["spec"]["inputs"]
    text = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda match: inputs[match[1]]["default"], jobs)
    (tmp_path / "gitlab-ci.yml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", "vendor.gitlab-ci", f"{tmp_path}/gitlab-ci.yml"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("galaxy", "galaxy.yml"),
        ("meta-runtime", "meta/runtime.yml"),
        ("ansible-lint-config", ".ansible-lint"),
        ("execution-environment", "examples/execution-environment.yml"),
    ],
)
def test_files_for_tools_of_ansible_have_the_form_of_their_schema(schema, path):
    rules = json.loads((resources.files("ansiblelint") / "schemas" / f"{schema}.json").read_text("utf-8"))
    jsonschema.validate(yaml.safe_load((ROOT / path).read_text("utf-8")), rules)


def test_actionlint_finds_nothing_in_the_workflows():
    (program,) = find_programs(LINTER, print).values()
    done = subprocess.run([program, "-no-color"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def commands() -> list[list[str]]:
    """The words of each command of each step, without ``sudo`` and the variables before a command."""
    texts = [re.sub(r"\$\{\{.*?\}\}", "X", step).replace("\\\n", " ") for step in steps()]
    lines = [line for text in texts for line in text.splitlines()]
    found = [part.split() for line in lines for part in line.split(" && ")]
    return [[*dropwhile(lambda word: word in ("sudo", "env") or "=" in word, words)] for words in found if words]


def test_the_steps_run_what_developers_run():
    targets = re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"))
    sessions = re.findall(r"(?m)^def (\w+)\(session", (ROOT / "noxfile.py").read_text("utf-8"))
    strangers = []
    for program, *words in commands():
        match program:
            case "make":
                known = set(words) <= set(targets)
            case ".venv/bin/nox":
                known = {word.strip('"').partition("(")[0] for word in words[1:]} <= set(sessions)
            case ".venv/bin/python":
                known = (ROOT / words[0]).is_file()
            case "tools/setup" | ".ci/run":
                known = (ROOT / program).is_file()
            case _:
                known = program in OF_THE_FORGE
        strangers += [] if known else [" ".join((program, *words))]
    assert strangers == []
    assert {words[0] for words in commands()} >= {"make", ".venv/bin/nox", ".venv/bin/python", "tools/setup", ".ci/run"}


def test_each_folder_of_tests_belongs_to_a_step():
    source = (ROOT / "noxfile.py").read_text("utf-8")
    folders = {path.relative_to(ROOT).parts[1] for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(folders) > 5
    assert [name for name in folders if f'"tests/{name}"' not in source] == []


def test_the_matrix_is_that_of_nox():
    workflow = yaml.safe_load((GITHUB / "workflows" / "matrix.yml").read_text("utf-8"))
    rows = workflow["jobs"]["matrix"]["strategy"]["matrix"]["include"]
    source = (ROOT / "noxfile.py").read_text("utf-8").partition("CORES = [")[2].partition("]")[0]
    assert [(row["core"], row["python"]) for row in rows] == re.findall(r'\("([\d.]+)", "([\d.]+)"\)', source)
