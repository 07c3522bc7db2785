# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.environment.dry_run import REPOSITORY, ROOT, Release, prepare, run


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A dry run with all parts, and a copy of what it wrote."""
    keys = tmp_path_factory.mktemp("keys")
    home = {"GNUPGHOME": str(keys)}
    keys.chmod(0o700)
    made = run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "tests", "default", "default", "0", env=home)
    assert made.returncode == 0, made.stderr
    assert run("gpg", "--export", "--output", keys / "ring.gpg", "tests", env=home).returncode == 0
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", keys / "key.pem")
    run("openssl", "ec", "-in", keys / "key.pem", "-pubout", "-out", keys / "public.pem")
    own = ["--python", f"3.{sys.version_info.minor}", "--machine", platform.machine()]
    before = run("git", "status", "--porcelain").stdout
    signing = ["--gpg-key", "tests", "--key", keys / "key.pem"]
    done = prepare("1.0.0", "--repository", REPOSITORY, *signing, *own, env=home)
    assert done.returncode == 0, done.stderr
    folder = Path(shutil.copytree(ROOT / ".cache" / "release" / "1.0.0", tmp_path_factory.mktemp("release") / "1.0.0"))
    return Release(folder, keys, (before, run("git", "status", "--porcelain").stdout))
