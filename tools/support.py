# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the gate and the matrix share: a clean environment, logged commands, ansible-test in a copy of the checkout."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from environment import CACHE, NAME, NAMESPACE, ROOT, VENV, site_packages

LOGS = CACHE / "logs"
GATE_LOG = LOGS / "gate.log"
"""The end of what the last run of the gate printed: its table of steps."""
TIMEOUT = 1800.0
_PAUSE = 0.05
PASSED = r"(?m)^(?:=+ )?(?:\d+ \w+, )*(\d+) passed"
"""How many tests passed, in pytest's last line."""

GROUPS = ("--dist", "loadgroup", "--no-loadscope-reorder")
"""Files of tests as groups, in the order that tests/cluster/conftest.py gives them."""

HARNESS = "tests/cluster/harness"
"""Tests of the control plane itself. They run when it has changed since they last passed, and in the matrix."""

# A stand-in for the get-pip.py that ansible-test fetches from a vendor's host: Python's own ensurepip does the same
# without a network. In a child, because ensurepip turns pip's configuration off for the process it runs in.
GET_PIP = """\
import subprocess, sys
args = [arg for arg in sys.argv[1:] if arg not in ("--no-setuptools", "--no-wheel")]
subprocess.check_call([sys.executable, "-m", "ensurepip", "--default-pip"], stdout=subprocess.DEVNULL)
sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", "-q", "--upgrade", *args]))
"""


class Failed(Exception):
    """A step did not pass; the message says why in one line, the log has the rest."""


def tool_environment(venv: Path = VENV) -> dict[str, str]:
    """Return the environment for tools of ``venv``, free of settings that could decide how a test ends."""
    dropped = re.compile(
        r"ANSIBLE_|MOLECULE_|MYPYPATH|PYTEST_|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|KUBECONFIG|K8S_AUTH_"
        # Otherwise each of the many processes compiles the plugins again, and pytest rewrites each file of tests again.
        r"|PYTHONDONTWRITEBYTECODE"
    )
    env = {name: value for name, value in os.environ.items() if not dropped.match(name)}
    env.update(
        ANSIBLE_CONFIG=str(ROOT / "tools" / "ansible.cfg"),
        # Interpreter discovery can find a version manager's shims that do not run.
        ANSIBLE_PYTHON_INTERPRETER=str(venv / "bin" / "python"),
        ANSIBLE_NOCOLOR="1",
        NO_COLOR="1",
        PATH=os.pathsep.join([str(venv / "bin"), os.environ.get("PATH", os.defpath)]),
        VIRTUAL_ENV=str(venv),
    )
    if not re.search("utf-?8", env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "", re.IGNORECASE):
        env["LC_ALL"] = "C.UTF-8"  # ansible refuses to start otherwise
    return env


_commands: set[subprocess.Popen[bytes]] = set()
_starts = threading.Lock()
_ended = threading.Event()


def end_commands() -> None:
    """Kill all commands that run, with their children, and let no other one start."""
    with _starts:
        _ended.set()
        for process in _commands:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    # Its children too: ansible and pytest leave workers behind.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Log:
    """The output of one step, kept in a file under .cache/logs. ``nice`` is the niceness of its commands."""

    def __init__(self, name: str, env: dict[str, str], nice: int = 0) -> None:
        LOGS.mkdir(parents=True, exist_ok=True)
        self.path = LOGS / f"{name}.log"
        self.path.write_text("", encoding="utf-8")
        self.env = env
        self.nice = nice
        self.cpu = 0.0

    def write(self, text: str) -> None:
        """Add text to the log."""
        with self.path.open("a", encoding="utf-8") as log:
            log.write(text)

    def run(self, *command: str | Path, cwd: Path = ROOT, without: Iterable[str] = (), **env: str) -> str:
        """Run a command to its end and return its output, or raise ``Failed``."""
        words = [str(word) for word in command]
        tool = next(name for name in (Path(word).name for word in words) if name not in ("python", "-m"))
        start = self.path.stat().st_size
        with self.path.open("a", encoding="utf-8") as log:
            log.write(f"$ cd {cwd}; {' '.join(words)}\n")
            log.flush()
            process = self._start(words, cwd, {**self.env, **env}, without, log)
            try:
                code = self._wait(process)
            except BaseException as error:
                _kill(process)
                process.wait()
                if isinstance(error, subprocess.TimeoutExpired):
                    raise Failed(f"{tool} did not end within {TIMEOUT:.0f} s") from None
                raise
            finally:
                with _starts:
                    _commands.discard(process)
        with self.path.open("rb") as log_bytes:
            log_bytes.seek(start)
            output = re.sub(r"\x1b\[[0-9;]*m", "", log_bytes.read().decode(errors="replace"))
        if code:
            raise Failed(f"{tool} ended with {code}")
        return output

    def _start(
        self, words: list[str], cwd: Path, env: dict[str, str], without: Iterable[str], log: IO[str]
    ) -> subprocess.Popen[bytes]:
        with _starts:
            if _ended.is_set():
                raise Failed("the gate was interrupted")
            process = subprocess.Popen(
                [*(["nice", "-n", str(self.nice)] if self.nice else []), *words],
                cwd=cwd,
                env={name: value for name, value in env.items() if name not in without},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            _commands.add(process)
        return process

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        """Return how a command ended, and count the CPU time of it and of all that it waited for."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                self.cpu += usage.ru_utime + usage.ru_stime
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, TIMEOUT)
            time.sleep(_PAUSE)

    def tail(self, lines: int = 300) -> str:
        """Return the end of the log, which is where the tools say what is wrong."""
        text = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        left_out = (
            [f"... {len(text) - lines} lines left out, all of them are in {self.path}"] if len(text) > lines else []
        )
        return "\n".join(left_out + text[-lines:])


def count(pattern: str, output: str, what: str) -> int:
    """Return the sum of the numbers that ``pattern`` captures, or how often it occurs if it captures none."""
    found = re.findall(pattern, output)
    total = sum(map(int, found)) if re.compile(pattern).groups else len(found)
    if not total:
        raise Failed(f"not one {what}: a step that tests nothing does not pass")
    return total


def pytest(log: Log, venv: Path, *arguments: str, paths: Sequence[str] = ("tests/unit", "tests/parity")) -> int:
    """Run tests, by default all unit and parity tests, and return how many passed.

    Other lanes keep the second core busy: a second process would only collect all tests once more.
    """
    if missing := [path for path in paths if not (ROOT / path).exists()]:
        raise Failed(f"there is no {', no '.join(missing)}; see tools/gate")
    output = log.run(venv / "bin" / "python", "-m", "pytest", "-q", "-n", "0" if log.nice else "2", *paths, *arguments)
    return count(PASSED, output, "test passed")


def lint(log: Log, venv: Path, *left_out: str) -> int:
    """Run ansible-lint, without the paths that are left out, and return how many files it processed."""
    options = [word for path in left_out for word in ("--exclude", path)]
    output = log.run(venv / "bin" / "ansible-lint", "--offline", "--profile", "production", *options)
    return count(r"in (\d+) files? processed", output, "file")


def checkout_files() -> list[str]:
    """Return the files of the checkout that git knows or would add."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    names = {name for name in listing.stdout.decode().split("\0") if name}
    return sorted(name for name in names if os.path.lexists(ROOT / name))


def digest(*prefixes: str) -> str:
    """Return a digest of the files of the checkout whose paths begin with one of ``prefixes``."""
    found = hashlib.sha256()
    for name in checkout_files():
        if name.startswith(prefixes):
            found.update(f"{name}\0".encode() + (ROOT / name).read_bytes())
    return found.hexdigest()


def copy_tree(target: Path, venv: Path) -> Path:
    """Copy the checkout to where ansible-test accepts it, and return the copy's folder.

    ansible-test wants a path .../ansible_collections/NAMESPACE/NAME, resolves links, and asks git which files there
    are. The copy is a separate repository, because otherwise the checkout's .gitignore would hide all of it, and
    nothing would be tested.
    """
    shutil.rmtree(target, ignore_errors=True)
    collections = target / "ansible_collections"
    copy = collections / NAMESPACE / NAME
    for name in checkout_files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    kubernetes = site_packages(venv) / "ansible_collections" / "kubernetes"
    shutil.copytree(kubernetes, collections / "kubernetes", symlinks=True)
    git = ["git", "-c", "init.defaultBranch=main", "-c", "core.hooksPath=", "-c", "core.autocrlf=false"]
    for command in (["init", "-q"], ["add", "--all", "--force"]):
        subprocess.run([*git, *command], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    return copy


def _offer_get_pip(venv: Path) -> None:
    """Put the stand-in where this version of ansible-test looks for a cached get-pip.py, unless one is there."""
    source = (site_packages(venv) / "ansible_test" / "_internal" / "python_requirements.py").read_text(encoding="utf-8")
    found = re.search(r"default_packages = dict\(\s*pip='([\d.]+)'", source)
    if not found:
        raise Failed("this ansible-test does not say which get-pip it wants; see tools/support.py")
    cached = Path.home() / ".ansible" / "test" / "cache" / f"get_pip_{found[1].replace('.', '_')}.py"
    if not cached.exists():
        cached.parent.mkdir(parents=True, exist_ok=True)
        cached.write_text(GET_PIP, encoding="utf-8")


def ansible_test(log: Log, venv: Path, copy: Path, command: str, *arguments: str) -> str:
    """Run ansible-test in a copy of the checkout and return its output."""
    _offer_get_pip(venv)
    version = next((venv / "lib").glob("python3.*")).name.removeprefix("python")
    with tempfile.TemporaryDirectory(prefix="capability-") as folder:
        # Its injected programs cannot start an interpreter whose path has blanks in it.
        link = Path(folder) / "venv"
        link.symlink_to(venv, target_is_directory=True)
        short = link if re.search(r"\s", str(venv)) else venv
        output = log.run(
            *(short / "bin" / "python", short / "bin" / "ansible-test", command),
            *("--color", "no", "--python", version, *arguments),
            cwd=copy,
            # It makes its own, per test.
            without=("ANSIBLE_CONFIG", "ANSIBLE_PYTHON_INTERPRETER"),
        )
    if "All targets skipped" in output:
        raise Failed("ansible-test skipped all targets")
    return output


def units(log: Log, venv: Path, copy: Path, *paths: str) -> int:
    """Run the unit tests under ansible-test's import rules, all or those of some files; return how many passed."""
    return count(r"(?m)^=+ .*?(\d+) passed", ansible_test(log, venv, copy, "units", *paths), "test passed")


def sanity(log: Log, venv: Path, copy: Path, *left_out: str) -> int:
    """Run the sanity tests, all or without those that are left out, and return how many ran."""
    options = [word for name in left_out for word in ("--skip-test", name)]
    return count(r"(?m)^Running sanity test ", ansible_test(log, venv, copy, "sanity", *options), "sanity test")
