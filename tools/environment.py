# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Virtual environments in which Ansible sees this checkout as the collection capability.openshift.

Run by tools/setup with any Python 3.11 or newer, before anything is installed: standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
REQUIREMENTS = ROOT / "requirements"
NAMESPACE, NAME = "capability", "openshift"
BROWSER = {"chromium": "chromium", "chromium-driver": "chromedriver"}
REGISTRY = {"docker-registry": "docker-registry", "gnupg": "gpg", "gpgv": "gpgv", "skopeo": "skopeo"}
PROGRAMS = {"browser": BROWSER, "docs": {"graphviz": "dot"}, "registry": REGISTRY}
"""Debian's packages that a step of the gate needs, and the program that each brings."""

SETS: dict[str, tuple[str, ...]] = {
    "quickstart": ("runtime", "cluster", "control_plane"),
    "test": ("runtime", "test"),
}
"""What tools/setup can set up, and the files in requirements/ of each."""

Say = Callable[[str], None]


class SetupError(Exception):
    """The environment cannot be made; the message says why, with the tool's own words."""


def requirement_lines(path: Path) -> list[str]:
    """Return the requirements of a file and of those it refers to."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("-r "):
            lines += requirement_lines(path.parent / line[3:].strip())
        elif line:
            lines.append(line)
    return lines


def _command(*args: str | Path, **env: str) -> None:
    """Run a quiet command; its output matters only when it fails."""
    # Not a terminal and no questions: pip must fail rather than wait for an answer.
    done = subprocess.run(
        args,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=ROOT,
        env={**os.environ, **env},
        check=False,
    )
    if done.returncode:
        raise SetupError(f"{' '.join(map(str, args))}\n{done.stdout}")


def _ask(python: str | Path, expression: str) -> str:
    code = f"import os, sys, sysconfig; print({expression})"
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def site_packages(venv: Path) -> Path:
    """Return the folder that a virtual environment imports from; it is on Ansible's collection path too."""
    return Path(_ask(venv / "bin" / "python", "sysconfig.get_path('purelib')"))


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def build(venv: Path, python: str, sets: dict[str, list[str]], say: Say, *, has_checkout: bool = True) -> bool:
    """Make ``venv`` hold the packages of all ``sets`` (name -> requirements) and, if ``has_checkout``, this checkout.

    Return whether anything was done.
    """
    stamp = venv / ".setup.json"
    # Scripts in a virtual environment contain its path, so one that was moved is created again.
    base = {"python": _ask(python, "sys.version, os.path.realpath(sys.base_prefix)"), "path": str(venv)}
    try:
        known = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    done: dict[str, str] = known.get("sets", {})
    wanted = {name: _digest(lines) for name, lines in sets.items()}
    fresh = {key: known.get(key) for key in base} != base

    changed = False
    if fresh:
        started = time.monotonic()
        _command(python, "-m", "venv", "--clear", venv)
        say(f"{venv.name} with Python {_ask(python, 'sys.version.split()[0]')} ({time.monotonic() - started:.0f} s)")
        done, changed = {}, True
    missing = [name for name, digest in wanted.items() if done.get(name) != digest]
    if missing:
        started = time.monotonic()
        lines = [line for name in sets for line in sets[name]]
        listing = venv / "requirements.txt"
        listing.write_text("\n".join(dict.fromkeys(lines)) + "\n", encoding="utf-8")
        _command(venv / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", listing)
        say(f"packages for {', '.join(sets)} ({time.monotonic() - started:.0f} s)")
    changed |= bool(missing) | (has_checkout and _link(site_packages(venv), say))
    if changed:
        stamp.write_text(json.dumps({**base, "sets": {**done, **wanted}}, indent=2) + "\n", encoding="utf-8")
    return changed


def _link(site: Path, say: Say) -> bool:
    link = site / "ansible_collections" / NAMESPACE / NAME
    if link.is_symlink() and link.resolve() == ROOT:
        return False
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT, target_is_directory=True)
    say(f"this checkout is {NAMESPACE}.{NAME} in {site.relative_to(ROOT)}")
    return True


def find_python(version: str) -> str | None:
    """Return an interpreter of that version that runs: of PATH, or one that pyenv built."""
    candidates = [str(Path(folder) / f"python{version}") for folder in os.get_exec_path()]
    candidates += map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True))
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    for candidate in candidates:
        # Executed rather than looked up: shims exist for interpreters that do not.
        with suppress(OSError):
            done = subprocess.run([candidate, "-c", code], capture_output=True, text=True, check=False)
            if done.stdout.strip() == version:
                return candidate
    return None


def tool_environment(venv: Path = VENV) -> dict[str, str]:
    """Return the environment for tools of ``venv``, free of settings that could decide how a test ends."""
    dropped = re.compile(
        r"ANSIBLE_|MOLECULE_|MYPYPATH|PYTEST_|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|KUBECONFIG|K8S_AUTH_|MAKEFLAGS|MAKELEVEL"
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


def other_copies() -> list[Path]:
    """Return copies of the collection that Ansible would use instead of this checkout."""
    folders = [
        Path.home() / ".ansible" / "collections",
        Path("/usr/share/ansible/collections"),
        CACHE / "ansible" / "collections",
    ]
    return [copy for folder in folders if (copy := folder / "ansible_collections" / NAMESPACE / NAME).exists()]


def missing_packages(step: str) -> list[str]:
    """Return what has to be installed before a step of the gate can run its tests."""
    return [package for package, program in PROGRAMS[step].items() if not shutil.which(program)]


def add_programs(say: Say) -> bool:
    """Install the programs that tests need if they are missing and we may; return whether anything was done.

    If that is not possible, this only prints a message, because the other tests can run. The steps then fail.
    """
    packages = [package for step in PROGRAMS for package in missing_packages(step)]
    if not packages:
        return False
    names = " and ".join(packages)
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"the gate needs {names}: only root can install them, and only where there is apt-get")
        return False
    say(f"{names}: installing with apt-get")
    started = time.monotonic()
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        # A fresh machine has no package lists, an old one has outdated ones.
        _command("apt-get", "update", "-q", **quiet)
        _command("apt-get", "install", "-q", "-y", "--no-install-recommends", *packages, **quiet)
    except SetupError as error:
        say(f"the gate needs {names}, and apt-get failed: {without_hosts(str(error))}")
        return False
    say(f"{names} ({time.monotonic() - started:.0f} s)")
    return True


def main() -> int:
    """Set up .venv with the requested set of packages."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else "test"
    if wanted not in SETS:
        print(f"setup: {wanted!r} is no set of packages; choose from: {', '.join(SETS)}", file=sys.stderr)
        return 2

    def say(text: str) -> None:
        print(f"setup: {text}", flush=True)

    sets = {name: requirement_lines(REQUIREMENTS / f"{name}.txt") for name in SETS[wanted]}
    # With .venv activated we run in what may have to be cleared: name the interpreter behind it.
    python = getattr(sys, "_base_executable", sys.executable)
    try:
        changed = build(VENV, python, sets, say)
        if wanted == "test":
            changed |= add_programs(say)
            if copies := other_copies():
                names = ", ".join(map(str, copies))
                raise SetupError(f"Ansible would use another copy of the collection; remove {names}")
        if not changed:
            say("up to date")
    except SetupError as error:
        print(f"setup: failed: {without_hosts(str(error))}", file=sys.stderr)
        return 1
    return 0


def without_hosts(text: str) -> str:
    """Hide the addresses that pip was configured with: they can be private, or carry a password."""
    return re.sub(r"\w+://[^\s'\",)]+", "<address>", text)


if __name__ == "__main__":
    sys.exit(main())
