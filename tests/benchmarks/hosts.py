# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""CPU time of a decision for each host of an inventory, in one play with two forks.

    .venv/bin/python tests/benchmarks/hosts.py RELEASE [HOSTS [ROUNDS]]

The candidates take turns. "Per host" does not include the CPU time of a play without tasks on the same hosts.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.benchmarks.run import BIN, ROOT, progress

HOSTS = 100
ROUNDS = 3
FORKS = "2"
SELECTION = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Storage"]}


def tasks(release: str) -> dict[str, list[dict[str, Any]]]:
    """Return the tasks of each candidate, by its name."""
    module = "capability.openshift.release_manifests"
    options = {"release": release, "release_image": "registry.example/release", "capabilities": SELECTION}
    process = {"environment": {"LANG": "C.UTF-8"}}  # which the worker does not have
    return {
        "no task": [],
        "ping": [{"ansible.builtin.ping": {}}],
        "release_manifests, a process for each host": [{module: options, **process}],
        "release_manifests in Ansible's workers": [{module: options}],
    }


def cpu(playbook: Path, hosts: int) -> float:
    """Run ``playbook`` to its end, and return its seconds of CPU with those of all processes that it started."""
    inventory = ",".join(f"site{number}" for number in range(hosts))
    command = [str(BIN / "ansible-playbook"), "-i", inventory, "-c", "local", "-f", FORKS, str(playbook)]
    settings = {"ANSIBLE_CONFIG": str(ROOT / "tools" / "ansible.cfg"), "ANSIBLE_PYTHON_INTERPRETER": sys.executable}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **settings}
    ) as process:
        output = process.stdout.read() if process.stdout else b""
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    release = str(Path(sys.argv[1]).resolve())
    given = [int(number) for number in sys.argv[2:]]
    hosts, rounds = [*given, *(HOSTS, ROUNDS)[len(given) :]]
    candidates = tasks(release)
    spent: dict[str, list[float]] = {name: [] for name in candidates}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for at, (name, of_play) in enumerate(candidates.items()):
                progress(f"  round {number + 1} of {rounds}: {name}")
                playbook = Path(folder) / f"{at}.yml"
                playbook.write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": of_play}]))
                spent[name].append(cpu(playbook, hosts))
    progress("")
    print(f"\nDeciding on the manifests of {Path(release).name} for {hosts} hosts, {FORKS} forks")
    print(f"  {'':<46} {'CPU s':>8} {'per host s':>11}")
    (base, *_others) = medians = [statistics.median(times) for times in spent.values()]
    for name, seconds in zip(candidates, medians, strict=True):
        print(f"  {name:<46} {seconds:>8.1f} {(seconds - base) / hosts:>11.3f}")


if __name__ == "__main__":
    main()
