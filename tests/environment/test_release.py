# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A dry run of release 1.0.0: what it writes can be verified, and installed without a network."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from base64 import b64decode
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://forge.example/capability/openshift"
TARBALL = "capability-openshift-1.0.0.tar.gz"


class Release(NamedTuple):
    """What the tool wrote, and the folder with the keys."""

    folder: Path
    keys: Path
    status: tuple[str, str]


def run(*command: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, from the checkout."""
    return subprocess.run(
        [*map(str, command)], cwd=ROOT, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )


def prepare(*options: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the tool."""
    return run(sys.executable, "tools/release.py", *options, env=env)


@pytest.fixture(scope="module")
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


def test_a_dry_run_leaves_the_checkout_as_it_is(release: Release) -> None:
    assert release.status[0] == release.status[1]


def test_two_builds_are_the_same_bytes(release: Release) -> None:
    assert prepare("1.0.0", "--repository", REPOSITORY, "--without-bundle").returncode == 0
    again = ROOT / ".cache" / "release" / "1.0.0"
    for name in (TARBALL, "sbom.cdx.json", "provenance.json", "TAG_MESSAGE"):
        assert (again / name).read_bytes() == (release.folder / name).read_bytes(), name


def test_ansible_galaxy_verifies_the_manifest(release: Release, tmp_path: Path) -> None:
    install = ["ansible-galaxy", "collection", "install", "--offline", "--no-deps", "-p", tmp_path]
    assert run(*install, release.folder / TARBALL).returncode == 0
    signature = ["--signature", f"file://{release.folder}/MANIFEST.json.asc"]
    verify = ["ansible-galaxy", "collection", "verify", "--offline", "-p", tmp_path, *signature]
    (tmp_path / "empty.gpg").touch()
    codes = [
        run(*verify, "--keyring", ring, "capability.openshift", env={"GNUPGHOME": str(release.keys)}).returncode
        for ring in (release.keys / "ring.gpg", tmp_path / "empty.gpg")
    ]
    assert codes == [0, 1]


def test_openssl_verifies_the_tarball(release: Release, tmp_path: Path) -> None:
    signature = tmp_path / "signature"
    signature.write_bytes(b64decode((release.folder / f"{TARBALL}.sig").read_bytes()))
    verify = ["openssl", "dgst", "-sha256", "-verify", release.keys / "public.pem", "-signature", signature]
    assert run(*verify, release.folder / TARBALL).returncode == 0
    assert run(*verify, release.folder / "TAG_MESSAGE").returncode != 0


def test_the_sbom_is_valid(release: Release) -> None:
    text = (release.folder / "sbom.cdx.json").read_text("utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert '"kubernetes.core"' in text


def test_the_address_and_the_version_are_in_the_tarball(release: Release) -> None:
    with tarfile.open(release.folder / TARBALL) as archive:
        manifest = archive.extractfile("MANIFEST.json")
        readme = archive.extractfile("README.md")
        assert manifest is not None
        assert readme is not None
        info = yaml.safe_load(manifest.read())["collection_info"]
        assert TARBALL.encode() in readme.read()
    assert (info["version"], info["repository"], info["issues"]) == ("1.0.0", REPOSITORY, f"{REPOSITORY}/issues")


def test_the_bundle_is_installed_and_used_without_a_network(release: Release, tmp_path: Path) -> None:
    (bundle,) = release.folder.glob("*-offline.tar.gz")
    assert run("tar", "-xzf", bundle, "-C", tmp_path).returncode == 0
    (folder,) = tmp_path.glob("*-offline")
    script = (
        f"sh {folder}/install.sh {tmp_path}/venv && {tmp_path}/venv/bin/ansible-playbook"
        f" capability.openshift.release_info -e release={ROOT}/examples/releases/4.22.0"
    )
    outside = {"PATH": f"{Path(sys.base_prefix) / 'bin'}:{os.defpath}", "HOME": str(tmp_path), "ANSIBLE_CONFIG": ""}
    alone = ["unshare", "--map-root-user", "--net"]
    # A container can forbid namespaces. The script names no index in any case.
    prefix = alone if run(*alone, "true").returncode == 0 else []
    done = run(*prefix, "sh", "-c", script, env=outside)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Release 4.22.0" in done.stdout


@pytest.mark.parametrize("arguments", [["1.0"], ["1.0.0", "--repository", "forge.example"]])
def test_a_wrong_argument_is_one_line(arguments: list[str]) -> None:
    done = prepare(*arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
