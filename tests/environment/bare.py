# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An environment in which only ansible-core and its dependencies are installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.unit.playbooks import run_ansible

CHECKOUT = Path(__file__).parents[2]
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1", "insecure-skip-tls-verify": True}}],
    "users": [{"name": "u", "user": {"token": "token"}}],
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    "current-context": "x",
}


def required(name: str) -> Iterator[str]:
    """Yield a distribution and everything that it requires here."""
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return
    yield name
    for text in requirements:
        if "extra ==" not in text:
            yield from required(re.split(r"[^\w.-]", text, maxsplit=1)[0])


class Bare:
    """A virtual environment with ansible-core and ``more``, and what they require.

    ``has_collection``: whether this collection is installed, as a link to the checkout.
    """

    def __init__(self, folder: Path, *more: str, has_collection: bool = True) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        for name in {name for wanted in ("ansible-core", *more) for name in required(wanted)}:
            found = distribution(name)
            for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
                if not (packages / top).exists():  # two requirements can spell one name differently
                    (packages / top).symlink_to(Path(str(found.locate_file(top))))
        if has_collection:
            (packages / "ansible_collections" / "capability").mkdir(parents=True)
            (packages / "ansible_collections" / "capability" / "openshift").symlink_to(CHECKOUT)
        self.kubeconfigs = {"valid": str(folder / "kubeconfig"), "missing": str(folder / "no kubeconfig")}
        Path(self.kubeconfigs["valid"]).write_text(json.dumps(KUBECONFIG), "utf-8")
        (folder / "hosts").write_text("berlin\n", "utf-8")

    def run(self, cli: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program of Ansible, and return what it printed."""
        return run_ansible(str(self.folder / "venv" / "bin" / "python"), cli, arguments, self.folder, self._env)

    def command(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a program, and return what it printed."""
        return subprocess.run(arguments, cwd=self.folder, env=self._env, capture_output=True, text=True, check=False)

    @property
    def _env(self) -> dict[str, str]:
        """An environment that has no network: no index of packages or collections is reachable."""
        return {
            "ANSIBLE_GALAXY_SERVER": "http://127.0.0.1:1",
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{self.folder / 'venv' / 'bin'}:/usr/bin:/bin",
            "PWD": str(self.folder),
        }

    def play(self, playbook: str, variables: Mapping[str, Any] | None = None) -> subprocess.CompletedProcess[str]:
        """Run a playbook, and return what it printed."""
        python = self.folder / "venv" / "bin" / "python"
        given = ["-e", json.dumps(variables or {}), "-e", f"ansible_python_interpreter={python}"]
        inventory = ["-i", "hosts"] if playbook.endswith("install_config") else []
        return self.run("playbook", *inventory, playbook, *given)
