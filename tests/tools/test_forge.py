# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files that a forge reads are valid, and run what is here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
SCHEMAS = {
    "vendor.github-workflows": sorted(GITHUB.glob("workflows/*.yml")),
    "vendor.github-issue-forms": [GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml" for name in ("bug", "feature")],
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.renovate": [ROOT / "renovate.json"],
}


def steps() -> list[str]:
    workflows = [yaml.safe_load(path.read_text("utf-8")) for path in SCHEMAS["vendor.github-workflows"]]
    return [
        str(step.get("run", "")) for workflow in workflows for job in workflow["jobs"].values() for step in job["steps"]
    ]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_file_has_the_form_that_the_forge_expects(schema):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, SCHEMAS[schema])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_steps_start_programs_of_the_checkout():
    named = {word for step in steps() for word in re.findall(r"(?:^|\s)(tools/\S+|\.ci/\S+|make \S+)", step)}
    targets = re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"))
    assert {"tools/setup", ".ci/run", "make site"} <= named
    assert all((ROOT / name).is_file() for name in named if "/" in name)
    assert {name.removeprefix("make ") for name in named if name.startswith("make ")} <= {*targets, "python3-venv"}


def test_the_nightly_matrix_is_that_of_nox():
    workflow = yaml.safe_load((GITHUB / "workflows" / "nightly.yml").read_text("utf-8"))
    rows = workflow["jobs"]["matrix"]["strategy"]["matrix"]["include"]
    source = (ROOT / "noxfile.py").read_text("utf-8").partition("CORES = [")[2].partition("]")[0]
    assert [(row["core"], row["python"]) for row in rows] == re.findall(r'\("([\d.]+)", "([\d.]+)"\)', source)
