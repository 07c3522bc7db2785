# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of GitHub, the component of GitLab and the hooks of pre-commit: what they run, as the forge runs it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
FILES = {"clusters/du-412.yaml", "clusters/du-415.yaml", "clusters/du-420.yaml", "policies/console.yaml"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with four files with errors."""
    return Path(shutil.copytree(ROOT / "examples" / "sites", tmp_path / "repository"))


def bash(script: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a script with the options of the forge, and with nothing else in the environment."""
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    env = {"PATH": f"{BIN}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", **env}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ("", FILES),
        ("--paths\n\nclusters,imageset.yaml\n", FILES - {"policies/console.yaml"}),
        ("policies\n", {"policies/console.yaml"}),
    ],
)
def test_the_action_shows_and_writes_the_findings(
    repository: Path, tmp_path: Path, arguments: str, files: set[str]
) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    inputs = {name: one["default"] for name, one in action["inputs"].items()} | {"arguments": arguments}
    step = next(one for one in action["runs"]["steps"] if one["name"] == "Check")
    env = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: inputs[match[1]], text)
        for name, text in step["env"].items()
    }
    (tmp_path / "capability").mkdir()
    (tmp_path / "capability" / "bin").symlink_to(BIN)
    done = bash(step["run"], repository, RUNNER_TEMP=str(tmp_path), **env)

    assert done.returncode == 1, done.stdout + done.stderr
    annotations = re.findall(r"(?m)^::error file=([^,:]+)", done.stdout)
    (run,) = json.loads((repository / "findings.sarif").read_text("utf-8"))["runs"]
    assert set(annotations) == files
    assert len(run["results"]) == len(annotations)


@pytest.mark.parametrize(("arguments", "files"), [("", FILES), ("policies", {"policies/console.yaml"})])
def test_the_component_writes_the_reports_that_its_job_names(repository: Path, arguments: str, files: set[str]) -> None:
    spec, jobs = yaml.safe_load_all((ROOT / "templates" / "check.yml").read_text("utf-8"))
    inputs = {name: one["default"] for name, one in spec["spec"]["inputs"].items()} | {"arguments": arguments}
    (job,) = jobs.values()
    script = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda match: inputs[match[1]], "\n".join(job["script"]))
    done = bash(script, repository)

    assert done.returncode == 1, done.stdout + done.stderr
    reports = {kind: (repository / path).read_text("utf-8") for kind, path in job["artifacts"]["reports"].items()}
    assert {one["location"]["path"] for one in json.loads(reports["codequality"])} == files


def test_the_hooks_run_subcommands_on_the_whole_repository(repository: Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

    assert [hook["id"] for hook in hooks] == ["site-check", "addon-check", "release-lint"]
    assert not any(hook["pass_filenames"] for hook in hooks)
    assert [bash(f"{hook['entry']} --help", repository).returncode for hook in hooks] == [0, 0, 0]
    assert bash(hooks[0]["entry"], repository).returncode == 1
