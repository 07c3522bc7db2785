# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks that a change has to pass, as sessions of nox, and the matrix of every supported ansible-core.

`make test` runs them side by side, and `make test-deep` runs the rest: with TIER=deep, a session of pytest runs the
tests with the marker ``deep``, without it all others. `.venv/bin/nox --list` lists the sessions, and
`.venv/bin/nox -s unit` runs one. Except for the matrix, they use .venv, which `tools/setup test` creates.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import nox

sys.path.insert(0, str(Path(__file__).with_name("tools")))
from checkout import copy_files, copy_repository, copy_tree
from environment import (
    CACHE,
    NAME,
    NAMESPACE,
    REQUIREMENTS,
    ROOT,
    VENV,
    SetupError,
    build,
    find_python,
    missing_packages,
    requirement_lines,
    site_packages,
    tool_environment,
)

nox.options.default_venv_backend = "none"
nox.options.sessions = ["ruff", "mypy", "imports", "unit"]

DEEP = os.environ.get("TIER") == "deep"
PACKAGE = f"ansible_collections.{NAMESPACE}.{NAME}"
CORES = [
    ("2.16", "3.11"),
    ("2.17", "3.11"),
    ("2.18", "3.11"),
    ("2.20", "3.12"),
    ("2.21", "3.13"),
    ("2.21", "3.14"),
]
"""Every other ansible-core, and Python: the oldest that both core and the collection support, and newer ones for the
newest core."""
UNIT_TESTS = ("python", "-m", "pytest", "-q", "-n", "2", "tests/unit", "tests/parity")
"""Of both tiers, on another ansible-core."""
GROUPS = ("--dist", "loadgroup", "--no-loadscope-reorder")
"""Files of tests as groups, in the order that tests/cluster/conftest.py gives them."""
WITHOUT_ANSIBLE = ("tests/unit/plugins/module_utils", "tests/parity")
"""Tests that the step `wheel` runs against the wheel of the command, where Ansible is not installed."""
WITH_ANSIBLE = (
    "tests/unit/plugins/module_utils/_kubernetes/test_client.py",
    "tests/unit/plugins/module_utils/_module/test_untag.py",
    "tests/parity/test_updates.py",
)
"""Those in the same folders that need Ansible. The step `unit` runs them."""
GET_PIP = """\
import subprocess, sys
args = [arg for arg in sys.argv[1:] if arg not in ("--no-setuptools", "--no-wheel")]
subprocess.check_call([sys.executable, "-m", "ensurepip", "--default-pip"], stdout=subprocess.DEVNULL)
sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", "-q", "--upgrade", *args]))
"""
"""Replaces the get-pip.py that ansible-test downloads from another host: Python's ensurepip needs no network. It runs
in a child, because ensurepip disables pip's configuration for its process."""


def run(
    session: nox.Session,
    program: str,
    *arguments: str | Path,
    venv: Path = VENV,
    silent: bool = False,
    env: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Run a program of a virtual environment, without settings of the user that could decide the result.

    Return what it printed if it is ``silent``.
    """
    words = [str(venv / "bin" / program), *map(str, arguments)]
    # Tests end their control planes after Ctrl-C.
    patience = 30.0
    full = {**tool_environment(venv), **env}
    return str(session.run(*words, env=full, include_outer_env=False, silent=silent, interrupt_timeout=patience))


def pytest(session: nox.Session, *paths: str, options: Sequence[str] = (), venv: Path = VENV) -> None:
    """Run the tests of this tier in ``paths``, or all tests that the words behind ``--`` name."""
    others = any((ROOT / word.partition("::")[0]).exists() for word in session.posargs)
    chosen = () if others else ("-m", "deep" if DEEP else "not deep", *paths)
    run(session, "python", "-m", "pytest", "-q", *options, *chosen, *session.posargs, venv=venv)


def make_environment(
    session: nox.Session, venv: Path, python: str, packages: dict[str, list[str]], *, has_checkout: bool = True
) -> None:
    """Make a virtual environment with ``packages``, unless it has them already."""
    venv.parent.mkdir(parents=True, exist_ok=True)
    try:
        build(venv, python, packages, session.log, has_checkout=has_checkout)
    except SetupError as error:
        session.error(str(error))


def ansible_test(session: nox.Session, venv: Path, command: str, *arguments: str) -> None:
    """Run ansible-test in a copy of the checkout, because it accepts only a path .../ansible_collections/..."""
    source = (site_packages(venv) / "ansible_test" / "_internal" / "python_requirements.py").read_text(encoding="utf-8")
    wanted = re.search(r"default_packages = dict\(\s*pip='([\d.]+)'", source)
    if not wanted:
        session.error("this ansible-test does not name its get-pip.py; see GET_PIP in noxfile.py")
    cached = Path.home() / ".ansible" / "test" / "cache" / f"get_pip_{wanted[1].replace('.', '_')}.py"
    cached.parent.mkdir(parents=True, exist_ok=True)
    if not cached.exists():
        cached.write_text(GET_PIP, encoding="utf-8")
    version = next((venv / "lib").glob("python3.*")).name.removeprefix("python")
    copy = copy_tree(CACHE / "tree" / session.name.split("(")[0])
    env = tool_environment(venv)
    # It makes its own, per test.
    del env["ANSIBLE_CONFIG"], env["ANSIBLE_PYTHON_INTERPRETER"]
    with tempfile.TemporaryDirectory(prefix="capability-") as folder, session.chdir(copy):
        # Its injected programs cannot start an interpreter whose path has blanks in it.
        link = Path(folder) / "venv"
        link.symlink_to(venv, target_is_directory=True)
        program = [str((link if " " in str(venv) else venv) / "bin" / name) for name in ("python", "ansible-test")]
        options = ("--color", "no", "--python", version)
        output = session.run(*program, command, *options, *arguments, env=env, include_outer_env=False, silent=True)
    print(output)
    if "All targets skipped" in str(output):
        session.error("ansible-test found no file of the copy, see copy_repository in tools/checkout.py")


def require(session: nox.Session) -> None:
    """Fail if a program is missing that the session starts."""
    if missing := missing_packages(session.name):
        session.error(f"install {' and '.join(missing)} (Debian: apt-get install {' '.join(missing)})")


@nox.session
def ruff(session: nox.Session) -> None:
    """Check style and format."""
    run(session, "ruff", "check", ".")
    run(session, "ruff", "format", "--check", ".")


@nox.session
def mypy(session: nox.Session) -> None:
    """Check types, through a link: mypy does not check what it finds in site-packages."""
    link = CACHE / "typing" / PACKAGE.replace(".", "/")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT, target_is_directory=True)
    kinds = ("module_utils", "plugin_utils", "modules", "filter", "lookup", "test", "action")
    folders = [*(f"plugins/{kind}" for kind in kinds), "tests"]
    packages = [f"{PACKAGE}.{folder.replace('/', '.')}" for folder in folders if any((ROOT / folder).rglob("*.py"))]
    run(session, "mypy", *(f"--package={name}" for name in packages))


@nox.session
def imports(session: nox.Session) -> None:
    """Check that packages import only packages below them."""
    run(session, "lint-imports", "--cache-dir", CACHE / "imports")


@nox.session
def unit(session: nox.Session) -> None:
    """Run the unit tests that need Ansible, and those of the tools. The step `wheel` runs the others. Deep: all."""
    folders = (path for path in (ROOT / "tests/unit/plugins").iterdir() if path.name != "module_utils")
    paths = [*(ROOT / "tests/unit").glob("test_*.py"), *(path for path in folders if any(path.rglob("test_*.py")))]
    names = sorted(str(path.relative_to(ROOT)) for path in paths)
    pytest(session, *(("tests/unit", "tests/parity") if DEEP else (*names, *WITH_ANSIBLE)), "tests/tools")


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel of the command, install it without Ansible, and run its tests and all that need no Ansible."""
    venv, built = CACHE / "wheel" / "venv", CACHE / "wheel" / "dist"
    shutil.rmtree(built, ignore_errors=True)
    run(session, "python", "-m", "hatchling", "build", "-t", "wheel", "-d", built)
    (file,) = built.glob("*.whl")
    pins = requirement_lines(REQUIREMENTS / "runtime.txt") + requirement_lines(REQUIREMENTS / "unit.txt")
    lines = [f"capability-openshift[all] @ {file.as_uri()}", *(pin for pin in pins if not pin.startswith("ansible-"))]
    make_environment(session, venv, os.path.realpath(sys.executable), {"wheel": lines}, has_checkout=False)
    # The files of the wheel have no version that pip could compare.
    run(session, "python", "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", file, venv=venv)
    collection = site_packages(venv) / "ansible_collections" / NAMESPACE / NAME
    collection.mkdir(parents=True, exist_ok=True)
    # Tests also read what is next to the plugins.
    targets = {path.name: path for path in ROOT.iterdir() if path.name[0] != "."}
    for name, target in {**targets, "plugins": site_packages(venv) / "openshift_capability"}.items():
        (collection / name).unlink(missing_ok=True)
        (collection / name).symlink_to(target)
    run(session, "python", "-c", "from importlib.util import find_spec as find; assert not find('ansible')", venv=venv)
    ignored = [f"--ignore={path}" for path in WITH_ANSIBLE]
    pytest(session, *WITHOUT_ANSIBLE, "tests/command", options=ignored, venv=venv)


@nox.session(name="ansible-lint")
def ansible_lint(session: nox.Session) -> None:
    """Lint what users run. Deep: the scenarios of the roles, and the workflows."""
    paths = ("extensions", ".github") if DEEP else ("playbooks", "roles", "examples")
    run(session, "ansible-lint", "--offline", "--profile", "production", *paths)


@nox.session
def docs(session: nox.Session) -> None:
    """Lint the documentation of plugins and roles, and every reference in it. Generated files are current."""
    require(session)
    options = ("--plugin-docs", "--validate-collection-refs", "all")
    run(session, "antsibull-docs", "lint-collection-docs", *options, ROOT)
    run(session, "python", "tools/rules.py", "--check")
    run(session, "python", "tools/architecture.py", "--check")
    run(session, "antsibull-changelog", "lint")


@nox.session
def licences(session: nox.Session) -> None:
    """Check that every file names its licence, in a copy: reuse also enters the folders that other steps remove."""
    with tempfile.TemporaryDirectory(prefix="capability-") as folder:
        copy_files(Path(folder))
        run(session, "reuse", "--root", folder, "lint")


@nox.session
def sanity(session: nox.Session) -> None:
    """Run ansible-test sanity. What ruff checks as well is in the deep tier."""
    chosen = "--test" if DEEP else "--skip-test"
    ansible_test(session, VENV, "sanity", chosen, "pylint", chosen, "pep8")


@nox.session
def units(session: nox.Session) -> None:
    """Run the unit tests with the import rules of ansible-test."""
    ansible_test(session, VENV, "units")


@nox.session
def programs(session: nox.Session) -> None:
    """Build the programs of the control plane that tests start, unless they exist: once, five minutes."""
    run(session, "python", "-m", f"{PACKAGE}.tests.control_plane", "programs")


@nox.session
def cluster(session: nox.Session) -> None:
    """Test what connects to clusters against a real control plane. Deep: also the control plane itself."""
    pytest(session, "tests/cluster", options=("-n", "2", *GROUPS))


@nox.session
def molecule(session: nox.Session) -> None:
    """Run the scenarios of the roles."""
    scenarios = [path.parent for path in (ROOT / "extensions" / "molecule").glob("*/molecule.yml")]
    # A missing playbook is only a warning to molecule.
    for path in (scenario / f"{name}.yml" for scenario in scenarios for name in ("converge", "verify")):
        if not path.exists():
            session.error(f"{path.relative_to(ROOT)} is missing")
    path = os.pathsep.join([str(ROOT / "tools"), tool_environment()["PATH"]])
    with tempfile.TemporaryDirectory(prefix="capability-") as packed:
        # Two checkouts whose folders have the same name would otherwise share a folder in the home directory.
        env = {"ANSIBLE_HOME": str(CACHE / "ansible"), "PACKED_MODULES": packed, "PATH": path}
        run(session, "molecule", "test", *(session.posargs or ["--all"]), "--workers", "2", env=env)


@nox.session
def registry(session: nox.Session) -> None:
    """Read releases from real registries, mirrors and archives, and verify real signatures."""
    require(session)
    pytest(session, "tests/registry")


@nox.session
def browser(session: nox.Session) -> None:
    """Open the HTML reports and the documentation site in Chromium. Each link of the site leads to a page."""
    require(session)
    pytest(session, "tests/browser")


@nox.session
def artefact(session: nox.Session) -> None:
    """Prepare a release, check its tarball as Galaxy and certification do, and use it where nothing else is."""
    pytest(session, "tests/environment")


@nox.session
def odd(session: nox.Session) -> None:
    """Run all tests in a copy of the checkout whose path has a blank, and a letter that is not ASCII.

    The unit tests run with the import rules of ansible-test, and the wheel with the tests of the command.
    """
    copy = CACHE / "odd n\N{LATIN SMALL LETTER A WITH DIAERESIS}me"
    copy_repository(copy)
    # Without real releases, whose paths are not odd.
    dropped = ("CAPABILITY_RELEASES", "TIER")
    env = {name: value for name, value in tool_environment().items() if name not in dropped}
    steps = "STEPS=cluster molecule units unit registry"
    wheel = ("--non-interactive", "--session", "wheel", "--", "tests/command")
    with session.chdir(copy):
        for command in (("make", "quickstart"), ("make", "test", steps), (".venv/bin/nox", *wheel)):
            session.run(*command, env=env, include_outer_env=False, external=True)


# Other versions of ansible-core


@nox.session
@nox.parametrize(("core", "python"), [nox.param(*row, id="-".join(row)) for row in CORES])
def matrix(session: nox.Session, core: str, python: str) -> None:
    """Run sanity, unit tests and playbooks on an ansible-core with a Python."""
    interpreter = find_python(python)
    if interpreter is None:
        session.skip(f"Python {python} is not installed")
    venv = other_core(session, f"core{core}-py{python}", f"ansible-core=={core}.*", interpreter)
    ansible_test(session, venv, "sanity")
    run(session, *UNIT_TESTS, venv=venv)
    play(session, venv)


@nox.session
def newest(session: nox.Session) -> None:
    """Test on the newest ansible-core, also a prerelease."""
    newest_core, _python = CORES[-1]
    pythons = reversed([python for core, python in CORES if core == newest_core])
    interpreter = next(filter(None, map(find_python, pythons)), None)
    if interpreter is None:
        session.error(f"ansible-core {newest_core} needs a newer Python, and none of CORES is installed")
    venv = other_core(session, "newest", f"ansible-core>={newest_core}.dev0", interpreter)
    run(session, *UNIT_TESTS, venv=venv)


def other_core(session: nox.Session, name: str, core: str, interpreter: str) -> Path:
    """Return a virtual environment with another ansible-core, and with the packages of the unit tests."""
    venv = CACHE / "matrix" / name
    pins = requirement_lines(REQUIREMENTS / "runtime.txt") + requirement_lines(REQUIREMENTS / "unit.txt")
    lines = [core, *(line for line in pins if not line.startswith("ansible-core"))]
    make_environment(session, venv, interpreter, {"matrix": lines})
    return venv


def play(session: nox.Session, venv: Path) -> None:
    """Run the quickstart, a plan and the playbooks of each scenario of molecule."""
    scenarios = sorted(path.parent for path in (ROOT / "extensions" / "molecule").glob("*/molecule.yml"))
    # In molecule's order; what a scenario starts ends with this process, if not before.
    steps = ("prepare.yml", "converge.yml", "verify.yml", "cleanup.yml")
    playbooks = [(path / step, path.name) for path in scenarios for step in steps if (path / step).is_file()]
    playbooks.insert(0, (ROOT / "examples" / "quickstart.yml", ""))
    with tempfile.TemporaryDirectory() as folder:
        where = {
            "MOLECULE_EPHEMERAL_DIRECTORY": folder,
            "MOLECULE_PROJECT_DIRECTORY": str(ROOT),
            "QUICKSTART_DEST": f"{folder}/quickstart",
        }
        for playbook, name in playbooks:
            run(session, "ansible-playbook", playbook, venv=venv, env=where | {"MOLECULE_SCENARIO_NAME": name})
        releases = ",".join(str(ROOT / "examples" / "releases" / version) for version in ("4.21.0", "4.22.0"))
        run(session, "ansible-playbook", f"{NAMESPACE}.{NAME}.update_plan", "-e", f"releases={releases}", venv=venv)
