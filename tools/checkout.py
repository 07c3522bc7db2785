# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of this checkout, and copies of them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from environment import NAME, NAMESPACE, ROOT, site_packages


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


def copy_files(target: Path) -> None:
    """Copy the files of the checkout into a folder."""
    for name in checkout_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def copy_tree(target: Path, venv: Path) -> Path:
    """Copy the checkout to where ansible-test accepts it, and return the copy's folder.

    ansible-test wants a path .../ansible_collections/NAMESPACE/NAME, resolves links, and asks git which files there
    are. The copy is a separate repository, because otherwise the checkout's .gitignore would hide all of it, and
    nothing would be tested.
    """
    shutil.rmtree(target, ignore_errors=True)
    collections = target / "ansible_collections"
    copy = collections / NAMESPACE / NAME
    copy_files(copy)
    # A component of GitLab has two documents in a file, which ansible-test rejects. It is not in the tarball either.
    shutil.rmtree(copy / "templates", ignore_errors=True)
    kubernetes = site_packages(venv) / "ansible_collections" / "kubernetes"
    shutil.copytree(kubernetes, collections / "kubernetes", symlinks=True)
    git = ["git", "-c", "init.defaultBranch=main", "-c", "core.hooksPath=", "-c", "core.autocrlf=false"]
    for command in (["init", "-q"], ["add", "--all", "--force"]):
        subprocess.run([*git, *command], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    return copy
