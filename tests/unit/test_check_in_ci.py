# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of GitHub and the component of GitLab: their scripts, run as the forge runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
VARIABLES = "paths: clusters\nfail_on: error\n"
FILES = {"clusters/du-412.yaml", "clusters/du-415.yaml", "clusters/du-420.yaml"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with three wrong sites."""
    return Path(shutil.copytree(ROOT / "examples" / "sites", tmp_path / "repository"))


def bash(script: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script with the options of the forge. Ansible finds the checkout next to its interpreter."""
    # Only what a runner has: no settings of the tests.
    known = {name: os.environ[name] for name in ("HOME", "LANG", "LC_ALL") if name in os.environ}
    path = f"{BIN}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={"LC_ALL": "C.UTF-8", **known, "PATH": path, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_shows_and_writes_the_findings(repository: Path, tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    inputs = {name: one["default"] for name, one in action["inputs"].items()} | {"variables": VARIABLES}
    step = next(one for one in action["runs"]["steps"] if one["name"] == "Check")
    values = {"runner.temp": str(tmp_path), **{f"inputs.{name}": value for name, value in inputs.items()}}
    env = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values[match[1]], text) for name, text in step["env"].items()
    }
    (tmp_path / "capability").mkdir()
    (tmp_path / "capability" / "bin").symlink_to(BIN)
    done = bash(step["run"], repository, env | {"RUNNER_TEMP": str(tmp_path)})

    assert done.returncode == 2, done.stdout + done.stderr
    annotations = re.findall(r"(?m)^::(?:error|warning) file=([^,:]+)", done.stdout)
    (run,) = json.loads((repository / "findings.sarif").read_text("utf-8"))["runs"]
    assert set(annotations) == FILES
    assert len(run["results"]) == len(annotations)


def test_the_component_writes_the_reports_that_its_job_names(repository: Path) -> None:
    text = (ROOT / "templates" / "check.yml").read_text("utf-8")
    spec, jobs = yaml.safe_load_all(text)
    inputs = {name: one["default"] for name, one in spec["spec"]["inputs"].items()} | {"variables": VARIABLES}
    (job,) = jobs.values()
    filled = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: inputs[match[1]], "\n".join(job["script"]))
    done = bash(filled, repository, {"VARIABLES": inputs["variables"]})

    assert done.returncode == 2, done.stdout + done.stderr
    reports = {kind: (repository / path).read_text("utf-8") for kind, path in job["artifacts"]["reports"].items()}
    assert {one["location"]["path"] for one in json.loads(reports["codequality"])} == FILES
    assert all(f'file="{path}"' in reports["junit"] for path in FILES)
    assert shutil.which("ansible-galaxy", path=str(BIN))
    assert any("ansible-galaxy collection install" in line for line in job["before_script"])
