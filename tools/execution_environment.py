#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the execution environment of examples/ on a Debian base image, and test it. `make test-ee` runs it.

Usage: .venv/bin/python tools/execution_environment.py

It needs buildah, mmdebstrap and package indexes, but no container registry. Run it as root; whether another user can
build images depends on the settings of the machine. All images are in .cache/ee and are removed at the end.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from environment import CACHE, NAME, NAMESPACE, ROOT, VENV, site_packages, tool_environment, without_hosts

PROGRAMS = ("buildah", "mmdebstrap")
"""The programs that the build needs, and the Debian packages of these names."""
DEFINITION = ROOT / "examples" / "execution-environment.yml"
TESTS = "tests/execution_environment"

WORK = CACHE / "ee"
STORAGE = WORK / "storage"
BASE = "localhost/debian:base"
IMAGE = "localhost/capability-openshift:latest"
SUITE = "bookworm"
"""The Debian release of the base image if this machine does not run Debian."""

BASE_PACKAGES = ("ca-certificates", "python3-pip")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_REACH = re.compile(
    r"(?m)^(global|install|:env:)\.(index-url|extra-index-url|find-links|no-index|trusted-host|cert|client-cert|proxy"
    r"|(?:default-)?timeout|retries)=('.*'|\".*\")$"
)
"""The settings of pip for reaching a package index, as `pip config list` prints them."""


# The inputs of the build


def debian(definition: Mapping[str, Any], sources: Sequence[Path]) -> dict[str, Any]:
    """Return a definition for the Debian base image, with collections from ``sources`` instead of a Galaxy server.

    A source is a tarball or the directory of an installed collection. Debian's Python has no ensurepip, so pip has to
    be in the base image.
    """
    collections = [{"name": path.name, "type": "file" if path.is_file() else "dir"} for path in sources]
    files = [{"src": str(path), "dest": "." if path.is_file() else path.name} for path in sources]
    options = {"package_manager_path": "/usr/bin/apt-get", "skip_pip_install": True}
    steps = [*definition["additional_build_steps"]["append_final"], "RUN rm -rf /var/lib/apt/lists/*"]
    return {
        **definition,
        "images": {"base_image": {"name": BASE}},
        "build_arg_defaults": {"ANSIBLE_GALAXY_CLI_COLLECTION_OPTS": "--offline"},
        "dependencies": {**definition["dependencies"], "galaxy": {"collections": collections}},
        "additional_build_files": files,
        "options": {**definition.get("options", {}), **options},
        # The base image has them, because each stage installs packages.
        "additional_build_steps": {"append_final": steps},
    }


def pip_settings(listing: str) -> dict[str, str]:
    """Return the settings for a package index that ``pip config list`` printed. The environment overrides files."""
    order = ("global", "install", ":env:")
    found = sorted(_REACH.findall(listing), key=lambda setting: order.index(setting[0]))
    return {name: str(ast.literal_eval(value)) for _section, name, value in found}


def pip_volumes(settings: Mapping[str, str], file: Path) -> list[str]:
    """Write a configuration of pip for the build, and return options of buildah that mount it and all that it names.

    It is mounted instead of copied, because the address of an index can contain a password.
    """
    lines = [f"{name} = {value}".replace("\n", "\n\t") for name, value in settings.items()]
    file.touch(mode=0o600)
    file.write_text("\n".join(["[global]", *lines, ""]), encoding="utf-8")
    words = [word for value in settings.values() for word in value.split() if word.startswith("/")]
    paths = sorted({str(CERTIFICATES), *words})
    mounts = [f"{file}:/etc/pip.conf:ro", *(f"{path}:{path}:ro" for path in paths if Path(path).exists())]
    return [f"--volume={mount}" for mount in mounts]


def debian_sources() -> tuple[str, str]:
    """Return the Debian release of this machine, and the lines of its sources.list; ``SUITE`` if it is not Debian."""
    release = Path("/etc/os-release").read_text(encoding="utf-8")
    suite = re.search(r"(?m)^VERSION_CODENAME=(\w+)$", release)
    if not suite or not re.search(r"(?m)^ID=debian$", release):
        return SUITE, ""
    wanted = ("--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages", "Origin: Debian")
    listing = subprocess.run(["apt-get", "indextargets", *wanted], capture_output=True, text=True, check=False).stdout
    return suite[1], "".join(f"{line}\n" for line in dict.fromkeys(listing.splitlines()))


# The build


def run(*command: str | Path) -> str:
    """Return what a command prints. Raises ``CalledProcessError``."""
    words = [str(word) for word in command]
    return subprocess.run(
        words,
        cwd=ROOT,
        env=build_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


def make_base() -> str:
    """Make the base image from Debian packages, and return the name of the Debian release."""
    suite, lines = debian_sources()
    archive, mirror = WORK / "base.tar", WORK / "sources.list"
    mirror.write_text(lines, encoding="utf-8")
    places: list[str | Path] = [archive, mirror] if lines else [archive]
    run(
        *("mmdebstrap", "--variant=apt", f"--include={','.join(BASE_PACKAGES)}", "--skip=cleanup/apt/lists"),
        # apt installs gpgv. It is removed, so the image has gpgv only if the collection lists it.
        '--customize-hook=chroot "$1" dpkg --remove --force-depends gpgv',
        suite,
        *places,
    )
    container = run("buildah", "from", "--quiet", "scratch").split()[-1]
    run("buildah", "add", "--quiet", container, archive, "/")
    run("buildah", "commit", "--quiet", "--rm", container, BASE)
    archive.unlink()
    return suite


def make_context() -> Path:
    """Make the build context with the built tarball of the collection, and return its directory."""
    run(VENV / "bin" / "ansible-galaxy", "collection", "build", "--output-path", WORK)
    (tarball,) = WORK.glob(f"{NAMESPACE}-{NAME}-*.tar.gz")
    kubernetes = WORK / "kubernetes.core"
    shutil.copytree(site_packages(VENV) / "ansible_collections" / "kubernetes" / "core", kubernetes)
    definition = yaml.safe_load(DEFINITION.read_text(encoding="utf-8"))
    file, context = WORK / "execution-environment.yml", WORK / "context"
    file.write_text(yaml.safe_dump(debian(definition, [tarball, kubernetes])), encoding="utf-8")
    builder = (VENV / "bin" / "ansible-builder", "create", "--output-filename", "Containerfile")
    run(*builder, "--file", file, "--context", context)
    return context


def make_image(context: Path) -> str:
    """Build the image, and return its size."""
    listing = run(VENV / "bin" / "python", "-m", "pip", "config", "list")
    volumes = pip_volumes(pip_settings(listing), WORK / "pip.conf")
    run("buildah", "build", "--pull-never", *volumes, "--tag", IMAGE, "--file", context / "Containerfile", context)
    return run("buildah", "images", "--noheading", "--format", "{{.Size}}", IMAGE).splitlines()[-1]


def run_tests() -> str:
    """Run the tests in containers of the image, and return what pytest prints."""
    return run("env", f"EXECUTION_ENVIRONMENT={IMAGE}", VENV / "bin" / "python", "-m", "pytest", "-q", TESTS)


def clean() -> None:
    """Remove containers and images, which can belong to other users in a user namespace, and then the rest."""
    if STORAGE.exists():
        run("buildah", "rm", "--all")
        run("buildah", "rmi", "--all", "--force")
    shutil.rmtree(WORK, ignore_errors=True)


def build_environment() -> dict[str, str]:
    """Return the environment in which buildah keeps everything in .cache, and needs no runtime for containers."""
    return tool_environment() | {
        "BUILDAH_ISOLATION": "chroot",
        "CONTAINERS_STORAGE_CONF": str(WORK / "storage.conf"),
        "TMPDIR": str(WORK / "tmp"),
    }


def prepare() -> None:
    """Make the directories, and the configuration of the storage: plain copies, which need no mounts."""
    (WORK / "tmp").mkdir(parents=True, exist_ok=True)
    places = f'graphroot = "{STORAGE}"\nrunroot = "{WORK / "run"}"\n'
    (WORK / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\n{places}', encoding="utf-8")


def main() -> int:
    """Build and test the image, and print each step."""
    if missing := [program for program in PROGRAMS if not shutil.which(program)]:
        command = f"apt-get install --no-install-recommends {' '.join(missing)}"
        print(
            f"execution_environment: {' and '.join(missing)} must be installed first (Debian: {command})",
            file=sys.stderr,
        )
        return 1
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"execution_environment: {text} ({time.monotonic() - started:.0f} s)", flush=True)

    try:
        try:
            prepare()
            clean()
            prepare()
            say(f"base image of Debian {make_base()}")
            say(f"image of {make_image(make_context())}")
            say(run_tests())
        finally:
            clean()
    except subprocess.CalledProcessError as error:
        print(without_hosts(f"{error.stdout}\nexecution_environment: {error}"), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
