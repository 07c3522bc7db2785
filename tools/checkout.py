# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of this checkout, and copies of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from environment import NAME, NAMESPACE, ROOT


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


def copy_files(target: Path, without: str = "/") -> None:
    """Copy the files of the checkout into a folder, except those whose paths begin with ``without``."""
    for name in checkout_files():
        if name.startswith(without):
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def copy_repository(target: Path, without: str = "/") -> None:
    """Make a folder a copy of the checkout, and a separate repository.

    Otherwise the checkout's .gitignore would hide a copy in .cache from ansible-test and other tools that ask git.
    """
    shutil.rmtree(target, ignore_errors=True)
    copy_files(target, without)
    git = ["git", "-c", "init.defaultBranch=main", "-c", "core.hooksPath=", "-c", "core.autocrlf=false"]
    for command in (["init", "-q"], ["add", "--all", "--force"]):
        subprocess.run([*git, *command], cwd=target, check=True, stdout=subprocess.DEVNULL)


def copy_tree(target: Path) -> Path:
    """Copy the checkout to where ansible-test accepts it, and return the copy's folder.

    ansible-test wants a path .../ansible_collections/NAMESPACE/NAME, resolves links, and asks git which files there
    are.
    """
    shutil.rmtree(target, ignore_errors=True)
    copy = target / "ansible_collections" / NAMESPACE / NAME
    # A component of GitLab has two documents in a file, which ansible-test rejects. It is not in the tarball either.
    copy_repository(copy, without="templates/")
    return copy
