# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A dry run of release 1.0.0: what it writes can be verified, and installed without a network."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tarfile
from base64 import b64decode
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.utils import parse_wheel_filename

from ansible_collections.capability.openshift.tests.environment.dry_run import (
    BUNDLE,
    REPOSITORY,
    ROOT,
    SIGNATURE,
    TARBALL,
    WHEEL,
    Release,
    prepare,
    run,
)

pytestmark = pytest.mark.deep


def test_a_dry_run_leaves_the_checkout_as_it_is(release: Release) -> None:
    assert release.status[0] == release.status[1]


@pytest.fixture(scope="module")
def bundle(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked offline bundle."""
    folder = tmp_path_factory.mktemp("bundle")
    assert run("tar", "-xzf", release.folder / f"{BUNDLE}.tar.gz", "-C", folder).returncode == 0
    return folder / BUNDLE


def test_two_builds_are_the_same_bytes(release: Release, bundle: Path, tmp_path: Path) -> None:
    own = ["--python", f"3.{sys.version_info.minor}", "--machine", platform.machine()]
    # The wheels of the first build: a package index can have got a newer one.
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(bundle / "wheels")}
    assert prepare("1.0.0", "--repository", REPOSITORY, *own, env=index).returncode == 0
    again = ROOT / ".cache" / "release" / "1.0.0"
    for name in (TARBALL, WHEEL, "sbom.cdx.json", "provenance.json", "TAG_MESSAGE"):
        assert (again / name).read_bytes() == (release.folder / name).read_bytes(), name
    assert run("tar", "-xzf", again / f"{BUNDLE}.tar.gz", "-C", tmp_path).returncode == 0
    (tmp_path / BUNDLE / SIGNATURE).write_bytes((bundle / SIGNATURE).read_bytes())
    files = [path.relative_to(bundle) for path in bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]
    assert [
        str(name) for name in files if (bundle / name).read_bytes() != (tmp_path / BUNDLE / name).read_bytes()
    ] == []


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_arguments: Any) -> None:
        return


@pytest.fixture
def galaxy(release: Release, tmp_path: Path) -> Iterator[str]:
    """The address of a Galaxy server that has the release and its signature."""
    versions = tmp_path / "api" / "v3" / "collections" / "capability" / "openshift" / "versions"
    tarball, signature = release.folder / TARBALL, (release.folder / SIGNATURE).read_text("utf-8")
    about = {
        "version": "1.0.0",
        "namespace": {"name": "capability"},
        "collection": {"name": "openshift"},
        "href": "/api/v3/collections/capability/openshift/versions/1.0.0/",
        "download_url": f"/{TARBALL}",
        "artifact": {"sha256": sha256(tarball.read_bytes()).hexdigest()},
        "metadata": {"dependencies": {}},
        "signatures": [{"signature": signature}],
    }
    answers = {
        tmp_path / "api": {"available_versions": {"v3": "v3/"}},
        versions.parent: {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"},
        versions: {"data": [{"version": "1.0.0"}], "links": {"next": None}},
        versions / "1.0.0": about,
    }
    for folder, answer in answers.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(json.dumps(answer), encoding="utf-8")
    shutil.copy(tarball, tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api/"
        server.shutdown()


@pytest.mark.parametrize(("ring", "code"), [("ring.gpg", 0), ("empty.gpg", 1)])
def test_ansible_galaxy_installs_only_what_a_key_of_the_keyring_signed(
    release: Release, galaxy: str, tmp_path: Path, ring: str, code: int
) -> None:
    (release.keys / "empty.gpg").touch()
    keyring = ["--keyring", release.keys / ring, "--required-valid-signature-count", "+1"]
    command = ["ansible-galaxy", "collection", "install", "-s", galaxy, *keyring, "-p", tmp_path / "installed"]
    env = {"GNUPGHOME": str(release.keys), "ANSIBLE_HOME": str(tmp_path / "home"), "NO_PROXY": "*", "no_proxy": "*"}
    done = run(*command, "capability.openshift:==1.0.0", env=env)
    assert done.returncode == code, done.stdout + done.stderr
    assert (tmp_path / "installed" / "ansible_collections" / "capability").exists() == (code == 0)


@pytest.mark.parametrize("name", [TARBALL, WHEEL, f"{BUNDLE}.tar.gz"])
def test_openssl_verifies_each_file_that_is_installed(release: Release, tmp_path: Path, name: str) -> None:
    signature = tmp_path / "signature"
    signature.write_bytes(b64decode((release.folder / f"{name}.sig").read_bytes()))
    verify = ["openssl", "dgst", "-sha256", "-verify", release.keys / "public.pem", "-signature", signature]
    assert run(*verify, release.folder / name).returncode == 0
    assert run(*verify, release.folder / "TAG_MESSAGE").returncode != 0


def test_the_sbom_lists_all_that_an_installation_brings(release: Release, bundle: Path) -> None:
    text = (release.folder / "sbom.cdx.json").read_text("utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    found = {(one["name"], one["version"]) for one in json.loads(text)["components"]}
    wheels = [parse_wheel_filename(path.name) for path in (bundle / "wheels").iterdir()]
    assert found == {(name, str(version)) for name, version, *_tags in wheels}
    known = {one["ref"]: one.get("dependsOn", []) for one in json.loads(text)["dependencies"]}
    reached, todo = set(), ["capability.openshift"]
    while todo:
        reached.add(name := todo.pop())
        todo += [each for each in known[name] if each not in reached]
    assert reached == set(known)


def test_the_address_and_the_version_are_in_the_tarball(release: Release) -> None:
    with tarfile.open(release.folder / TARBALL) as archive:
        texts = {
            item.name: archive.extractfile(item).read().decode()  # type: ignore[union-attr]
            for item in archive
            if item.name.endswith((".md", ".yml", "MANIFEST.json"))
        }
    info = json.loads(texts["MANIFEST.json"])["collection_info"]
    assert (info["version"], info["repository"], info["issues"]) == ("1.0.0", REPOSITORY, f"{REPOSITORY}/issues")
    assert TARBALL in texts["README.md"]
    assert f"git+{REPOSITORY}" in texts["docs/how_to/install.md"]
    assert [name for name, text in texts.items() if "HOST/OWNER/NAME" in text] == []


def test_the_bundle_is_enough_without_a_network(release: Release, bundle: Path, tmp_path: Path) -> None:
    plan = json.dumps({"capabilities": {"baselineCapabilitySet": "None"}})
    examples = ROOT / "examples"
    releases = ",".join(str(examples / "releases" / version) for version in ("4.21.0", "4.22.0"))
    script = f"""
set -e
sh {bundle}/install.sh {tmp_path}/venv
PATH={tmp_path}/venv/bin:$PATH
site=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
ansible-galaxy collection verify --offline -p "$site" --keyring {release.keys}/ring.gpg \
    --signature file://{bundle}/{SIGNATURE} capability.openshift
ansible-playbook capability.openshift.update_plan -e releases={releases} -e '{plan}'
ansible-playbook capability.openshift.site_check -e checkout={examples}/sites -e fail_on=never
openshift-capability update-plan --releases {releases} --capabilities '{{baselineCapabilitySet: None}}'
openshift-capability site-check {examples}/sites --fail-on never
"""
    path = f"{Path(sys.base_prefix) / 'bin'}:{os.defpath}"
    outside = {"PATH": path, "HOME": str(tmp_path), "ANSIBLE_CONFIG": "", "GNUPGHOME": str(release.keys)}
    alone = ["unshare", "--map-root-user", "--net"]
    # A container can forbid namespaces. The script names no index in any case.
    prefix = alone if run(*alone, "true").returncode == 0 else []
    done = run(*prefix, "sh", "-c", script, env=outside)
    assert done.returncode == 0, done.stdout + done.stderr
    # By the playbooks, and by the command.
    assert done.stdout.count("go: 4.21.0 -> 4.22.0 enables Insights") == 2
    assert done.stdout.count("7 errors in 5 sites") == 2


@pytest.mark.parametrize("arguments", [["1.0"], ["1.0.0", "--repository", "forge.example"]])
def test_a_wrong_argument_is_one_line(arguments: list[str]) -> None:
    done = prepare(*arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
