# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading a release from a registry: bytes, CPU seconds and memory, beside tools that read whole images.

    .venv/bin/python tests/benchmarks/registry.py DIR    this release, else those of run.py

Its image has 200 MB of other layers. The others are measured if they are on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import Pipe, get_context
from pathlib import Path
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.benchmarks.run import (
    BIN,
    HERE,
    ROUNDS,
    Candidate,
    compare,
    releases,
)
from ansible_collections.capability.openshift.tests.registry.harness.proxy import Proxy
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image

NOISE = 200_000_000
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Compiling is no part of what is measured: with it, Python would compile in each run."""

REPOSITORY = "ocp/release"


class Cost(NamedTuple):
    """What a command moved and used: bytes of answers, CPU seconds, and its most memory in MB."""

    bytes: int
    cpu: float
    memory: float


def cost(proxy: Proxy, command: Sequence[str]) -> Cost:
    """Run a command that reads through the proxy, and return what it cost."""
    proxy.reset()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT)
    output = process.stdout.read() if process.stdout else b""
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output.decode(errors='replace')}")
    return Cost(proxy.sent, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def module(name: str, **options: object) -> list[str]:
    """Return the command that runs one module."""
    fqcn = f"capability.openshift.{name}"
    return [str(BIN / "python"), str(HERE / "call_module.py"), fqcn, json.dumps(options)]


def push(registry: Registry, release: Path) -> str:
    """Push the image of a release in another process, because children of a large process count as large."""
    ours, theirs = Pipe(duplex=False)
    process = get_context("fork").Process(
        target=lambda: theirs.send(registry.push(REPOSITORY, release_image(release, NOISE)))
    )
    process.start()
    digest = str(ours.recv())
    process.join()
    return digest


def commands(pull_spec: str, ca: Path, folder: Path) -> dict[str, list[str]]:
    """Return the commands to compare, ours first."""
    script = [str(BIN / "python"), str(HERE / "read_image.py"), pull_spec, str(ca)]
    found = {"the needed layers": [*script, f"{folder}/cache"]}
    if shutil.which("skopeo"):
        trusted = ["--insecure-policy", "copy", "--src-cert-dir", str(ca.parent)]
        found["skopeo copy"] = ["skopeo", *trusted, f"docker://{pull_spec}", f"dir:{folder}/skopeo"]
    if shutil.which("oc"):
        extract = ["oc", "adm", "release", "extract", pull_spec, "--to", f"{folder}/oc"]
        found["oc adm release extract"] = [*extract, "--certificate-authority", str(ca)]
    return found


def reading(release: Path, folder: Path) -> None:
    """Print what it costs to read a release from its image, and then from the cache."""
    site = Site(folder / "registry")
    registry = Registry(site)
    digest = push(registry, release)
    proxy = Proxy(registry, site.server_tls())
    # A separate folder: skopeo takes all certificates and keys in it.
    ca = folder / "trusted" / "ca.crt"
    ca.parent.mkdir()
    shutil.copy(site.ca, ca)
    try:
        pull_spec = f"{proxy.host}/{REPOSITORY}@{digest}"
        print(f"\nReading {release.name} from its image, with {NOISE / 1e6:.0f} MB of other layers")
        print(f"  {'':<30} {'bytes':>12} {'CPU s':>7} {'MB':>6}")
        found_commands = commands(pull_spec, ca, folder)
        cost(proxy, [*found_commands["the needed layers"][:-1], f"{folder}/first"])  # compiles
        for name, command in found_commands.items():
            found = cost(proxy, command)
            print(f"  {name:<30} {found.bytes:>12,} {found.cpu:>7.2f} {found.memory:>6.0f}")
        options = {"ca_path": str(ca), "release_cache": f"{folder}/cache", "signature": "ignore"}
        cached = module("release_info", release=pull_spec, **options)
        extracted = module("release_info", release=str(release), release_image=pull_spec)
        candidates = [Candidate("from a directory", lambda: extracted), Candidate("from the cache", lambda: cached)]
        proxy.reset()
        compare(f"release_info of {release.name}, whole processes", candidates, ROUNDS)
        print(f"  requests to the registry: {len(proxy.seen)}")
    finally:
        proxy.close()
        site.close()


def main() -> None:
    """Measure the newest release."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "registry").mkdir()
        reading(releases()[-1], Path(folder))


if __name__ == "__main__":
    main()
