# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The programs of a control plane: given by KUBEBUILDER_ASSETS, in the cache, or built once from pinned Go modules."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.build import FLAGS, build_tools

Log = Callable[[str], None]

ASSETS = "KUBEBUILDER_ASSETS"
"""Environment variable, of envtest: a folder with programs."""

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
)
API = ("etcd", "kube-apiserver", "kubectl")
CONTROLLERS = ("kube-controller-manager", "kube-scheduler", "kwok")


def find_programs(names: Iterable[str], log: Log) -> dict[str, Path]:
    """Return where the programs ``names`` are; build what is neither given nor cached, and ``log`` how far that is.

    Raises ``ControlPlaneError`` with the compiler's words.
    """
    assets = os.environ.get(ASSETS)
    found: dict[str, Path] = {}
    for name in names:
        given = Path(assets).absolute() / name if assets else None
        if given and os.access(given, os.X_OK) and given.is_file():
            found[name] = given
            continue
        module = next(module for module in MODULES if name in module.tools)
        found[name] = _built(module, log) / name
    return found


def are_there(names: Iterable[str]) -> bool:
    """Tell whether ``find_programs`` has nothing to build for ``names``."""
    assets = os.environ.get(ASSETS)
    folders = {name: module_folder(module) for module in MODULES for name in module.tools}
    return all(
        any(os.access(folder / name, os.X_OK) for folder in (*([Path(assets)] if assets else ()), folders[name]))
        for name in names
    )


def cache_folder() -> Path:
    """Return where programs are kept from one run to the next."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "capability-openshift" / "control-plane"


def module_folder(module: Module) -> Path:
    """Return where the programs of ``module`` are kept: other versions, flags or machines have another folder."""
    parts = [(module.folder / name).read_bytes() for name in ("go.mod", "go.sum")]
    parts.append(" ".join([*FLAGS, sys.platform, platform.machine()]).encode())
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    return cache_folder() / f"{module.name}-{digest}"


def _built(module: Module, log: Log) -> Path:
    """Return the folder with the programs of ``module``, which is there in full or not at all."""
    target = module_folder(module)
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone(target.with_name(f"{target.name}.lock"), module, log):
        if target.is_dir():
            return target
        for left in target.parent.glob(f"{target.name}.unfinished-*"):
            shutil.rmtree(left)  # by a run that was killed: it held the lock that we hold
        work = target.with_name(f"{target.name}.unfinished-{os.getpid()}")
        work.mkdir()
        started = time.monotonic()
        try:
            build_tools(module.folder, work, cache_folder(), log)
            for name, built in module.tools.items():
                (work / built).rename(work / name)
            work.rename(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        log(f"built {', '.join(module.tools)} in {time.monotonic() - started:.0f} s; kept in {target}")
    return target


@contextmanager
def _alone(lock: Path, module: Module, log: Log) -> Iterator[None]:
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log(f"another run builds {', '.join(module.tools)}; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def kubernetes_version() -> str:
    """Return the version of Kubernetes that is pinned."""
    text = (_GO / "kubernetes" / "go.mod").read_text(encoding="utf-8")
    found = re.search(r"k8s\.io/kubernetes (v[\d.]+)", text)
    assert found, text
    return found[1]
