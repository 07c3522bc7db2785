# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shell commands in README and documentation: where each block is run, and why some are not."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import environment
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

ROOT = Path(__file__).parents[3]
PAGES = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("README.md")),
]
BLOCK = re.compile(r"(?ms)^( *)```(\w+)\n(.*?)^\1```$")
SHELL = ("bash", "shell", "sh", "console")
NAMED_FILE = re.compile(r"# ([\w.-]+\.ya?ml)$")
LOCAL = {
    "quay.io/openshift-release-dev/ocp-release:4.13.0-x86_64": "/srv/releases/4.13.0",
    "quay.io/openshift-release-dev/ocp-release:4.14.0-x86_64": "/srv/releases/4.14.0",
    "quay.io/openshift-release-dev/ocp-release:4.19.9-x86_64": "/srv/releases/4.19.9",
    "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64": "/srv/releases/4.20.3",
    "$OCP:4.13.0-x86_64": "/srv/releases/4.13.0",
    "$OCP:4.14.0-x86_64": "/srv/releases/4.14.0",
}
"""Images that no machine of the gate can pull, and what is read instead. ``/srv`` and ``/var`` are in the desk."""

PLAY = "ansible-playbook capability.openshift."
NO_OC = "it needs oc, which the Python package index does not have"
OPENSHIFT, KUBERNETES = "a cluster of OpenShift", "a cluster without OpenShift"
UPDATING = "a cluster of OpenShift that updates"
"""Clusters on which ``tests/cluster/test_snippets.py`` runs blocks."""

WHERE = {
    ("README.md", "ansible-galaxy collection install --offline "): "tests/environment/test_install.py",
    ("README.md", "python3 -m pip install "): "tests/command/test_command.py, in the installed wheel",
    ("README.md", "cp -r ~/.ansible/"): "tests/environment/test_install.py",
    ("README.md", f"{PLAY}cluster_capabilities "): "docs/how_to/enable_capabilities.md has the same, with a release",
    ("CONTRIBUTING.md", ".venv/bin/python -m "): "it runs until Ctrl-C; tests/cluster starts the same control plane",
    ("CONTRIBUTING.md", ".venv/bin/python tools/release.py"): "HOST and KEY; tests/environment/test_release.py runs it",
    (
        "docs/how_to/capability_usage.md",
        f"{PLAY}capability_usage_info -e release=/srv/releases/4.15.37 -e kube",
    ): OPENSHIFT,
    ("docs/how_to/capability_usage.md", "oc get "): NO_OC,
    ("docs/how_to/check_an_operator.md", "helm template "): "it needs helm",
    ("docs/how_to/check_sites.md", ""): "docs/tutorials/first_steps.md and examples/sites/README.md have the same",
    ("docs/how_to/disconnected_sites.md", "dir="): NO_OC,
    ("docs/how_to/update_a_cluster.md", ""): UPDATING,
    ("docs/how_to/disconnected_sites.md", "ansible-playbook "): "tests/registry/test_archives.py reads such archives",
    ("docs/how_to/enable_capabilities.md", ""): OPENSHIFT,
    ("docs/how_to/guard_capabilities.md", ""): OPENSHIFT,
    ("docs/how_to/install.md", "ansible-builder "): "it needs a container registry",
    ("docs/how_to/install.md", ""): "it needs the files of a release; tests/environment/test_release.py has them",
    ("docs/how_to/mirror_a_release.md", "oc "): NO_OC,
    ("docs/how_to/mirror_a_release.md", "ansible-playbook "): "tests/registry/test_mirror_check.py has a registry",
    ("docs/how_to/plan_an_update.md", "oc get "): NO_OC,
    (
        "docs/how_to/plan_an_update.md",
        f"{PLAY}update_plan -e releases=examples/releases/4.21.0,examples/releases/4.22.0 -e kube",
    ): OPENSHIFT,
    (
        "docs/how_to/roll_out_a_release.md",
        ".venv/bin/python -m ",
    ): "it runs until Ctrl-C; tests/cluster starts the same",
    ("docs/how_to/roll_out_a_release.md", "ansible-playbook -i "): "it needs three clusters",
    ("docs/how_to/roll_out_a_release.md", "ansible-playbook "): KUBERNETES,
    ("docs/how_to/serve_the_api.md", ""): "tests/cluster/test_definitions.py",
    ("docs/how_to/use_the_command.md", "python3 -m pip wheel "): "the step wheel of the gate builds and installs it",
    (
        "docs/how_to/use_the_command.md",
        "python3 -m pip download ",
    ): "tests/environment/test_release.py installs a bundle",
    ("docs/how_to/use_the_command.md", ""): "tests/command/test_command.py",
    ("docs/how_to/verify_a_cluster.md", ""): KUBERNETES,
    ("docs/reference/rollouts.md", "-e "): "it is one option; tests/cluster/test_rollout_inclusion.py sets overrides",
    (
        "docs/reference/rollouts.md",
        "kubectl ",
    ): "its definition is in real releases; tests/cluster/test_rollout_rejections.py",
    ("docs/tutorials/first_steps.md", ""): "tests/unit/test_tutorial.py",
}
"""Page and beginning of a block, and the cluster that it needs, the test that runs it, or why none does.

The first entry counts. A block without an entry is run by ``tests/unit/test_snippets.py``.
"""


class Snippet(NamedTuple):
    """A block of a page, which is named from the root of the checkout."""

    page: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Its commands, each in one line."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]

    @property
    def key(self) -> tuple[str, str] | None:
        """The entry of ``WHERE`` for this block."""
        start = " ".join(self.commands[0].split())
        return next((key for key in WHERE if key[0] == self.page and start.startswith(key[1])), None)

    @property
    def where(self) -> str | None:
        """The value of that entry."""
        return None if self.key is None else WHERE[self.key]


def snippets(*languages: str) -> list[Snippet]:
    """Return the blocks of all pages in these languages, in their order."""
    return [
        Snippet(str(page.relative_to(ROOT)), block[3])
        for page in PAGES
        for block in BLOCK.finditer(page.read_text("utf-8"))
        if block[2] in languages
    ]


class Desk:
    """A directory in which the commands of a page run. It has the examples, and the files that the page names."""

    def __init__(self, folder: Path, page: str, env: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self._env = {"HOME": str(folder), "PATH": path, **(env or {})}
        examples = Path(shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True))
        for name in ("releases", "sites"):
            shutil.copytree(examples / name, folder / name, dirs_exist_ok=True)
        for snippet in snippets("yaml"):
            named = NAMED_FILE.match(snippet.text.partition("\n")[0])
            if snippet.page == page and named:
                (folder / named[1]).write_text(self._localized(snippet.text), "utf-8")

    def _localized(self, text: str) -> str:
        """Return a text whose absolute paths and images are in the desk."""
        for image, path in LOCAL.items():
            text = text.replace(image, path)
        return re.sub(r"(?<![\w.:/])/(srv|var)/", rf"{self.folder}/\1/", text)

    def run(self, snippet: Snippet, failing: Mapping[tuple[str, str], str]) -> None:
        """Run the commands of a block. Those with a page and a part in ``failing`` fail, and print its value."""
        for command in snippet.commands:
            done = self.end(self._localized(command))
            expected = [value for (page, part), value in failing.items() if page == snippet.page and part in command]
            printed = done.stdout + done.stderr
            assert (done.returncode != 0) is bool(expected), f"{command}\n{printed}"
            assert [text for text in expected if text not in printed] == [], f"{command}\n{printed}"
            assert "Traceback" not in printed

    def end(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command, and return how it ended."""
        if command.startswith("ansible-playbook ") and "$" not in command:
            return ansible_playbook(self.folder, *shlex.split(command, comments=True)[1:], env=self._env)
        full = {**environment(self.folder), "PWD": str(self.folder), **self._env}
        words = ["bash", "-c", command]
        return subprocess.run(words, cwd=self.folder, env=full, capture_output=True, text=True, check=False)
