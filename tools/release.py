# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepare a release in .cache/release: changelog, tarball, signatures, SBOM, provenance and an offline bundle.

Works on a copy of the checkout, and publishes nothing. With --write, it also writes the version, the changelog and the
address of the repository into the checkout. From the same commit, two runs write the same bytes, except signatures.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

import yaml
from checkout import checkout_files, copy_files
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from environment import (
    CACHE,
    NAME,
    NAMESPACE,
    REQUIREMENTS,
    ROOT,
    VENV,
    requirement_lines,
    tool_environment,
)
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

RELEASE = CACHE / "release"
VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")
WITH_VERSION = (
    "README.md",
    "docs/how_to/check_in_ci.md",
    "docs/how_to/install.md",
    "templates/check.yml",
    ".github/ISSUE_TEMPLATE/bug.yml",
    "plugins/module_utils/_data/version.py",
)
PLACEHOLDER = "https://HOST/OWNER/NAME"
"""Stands for the address of the public repository until it is known."""
MANIFEST_SIGNATURE = "MANIFEST.json.asc"
BADGES = "<!-- badges -->\n"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
NEEDED = ("runtime.txt", "cluster.txt")
INSTALL = """\
#!/bin/sh
# Install the collection into a new virtual environment, without a network: sh install.sh [DIRECTORY]
set -eu
here=$(cd "$(dirname "$0")" && pwd) venv=${1:-venv}
(cd "$here" && sha256sum --check --quiet SHA256SUMS)
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --no-index --find-links "$here/wheels" --requirement "$here/requirements.txt"
folder=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export ANSIBLE_GALAXY_COLLECTIONS_PATH_WARNING=false
"$venv/bin/ansible-galaxy" collection install --offline -p "$folder" "$here"/*.tar.gz
"""


class ReleaseError(Exception):
    """A release cannot be prepared; the message says why."""


def main() -> int:
    """Prepare the release that the command line names."""
    parser = argparse.ArgumentParser(prog="tools/release.py", description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="such as 1.0.0")
    parser.add_argument("--repository", metavar="URL", help="address of the public repository; Galaxy requires it")
    parser.add_argument("--gpg-key", metavar="ID", help="sign MANIFEST.json, for ansible-galaxy collection verify")
    parser.add_argument("--key", metavar="PEM", type=Path, help="sign what is installed as cosign sign-blob does")
    parser.add_argument("--python", action="append", choices=PYTHONS, help="in the offline bundle; default: all")
    parser.add_argument("--machine", action="append", choices=MACHINES, help="in the offline bundle; default: all")
    parser.add_argument("--write", action="store_true", help="write the changed files into the checkout, too")
    options = parser.parse_args()
    try:
        for line in prepare(options):
            print(f"release: {line}")
    except ReleaseError as error:
        print(f"release: failed: {error}", file=sys.stderr)
        return 1
    return 0


def prepare(options: argparse.Namespace) -> Iterable[str]:
    """Write all files of a release, and yield what was done. Raises ``ReleaseError``."""
    check(options.version, options.repository)
    shutil.rmtree(RELEASE, ignore_errors=True)
    tree, done = RELEASE / "ansible_collections" / NAMESPACE / NAME, RELEASE / options.version
    done.mkdir(parents=True)
    copy_files(tree)
    galaxy = set_metadata(tree, options.version, options.repository)
    if not galaxy.get("repository"):
        yield (
            "the address of the repository is not known: galaxy.yml has none, so Galaxy rejects the tarball, README has"
            f" no badges, and the documentation names {PLACEHOLDER}. Set it with --repository URL"
        )
    seconds = int(output("git", "log", "-1", "--format=%ct"))
    built = datetime.fromtimestamp(seconds, UTC)
    # The commit with the tag has the changelog already.
    if options.version not in released(tree):
        run("antsibull-changelog", "release", "--version", options.version, "--date", f"{built:%Y-%m-%d}", cwd=tree)
    notes = (tree / "CHANGELOG.md").read_text("utf-8")
    (done / "TAG_MESSAGE").write_text(f"{NAMESPACE}.{NAME} {options.version}\n\n{section(notes)}", encoding="utf-8")
    tarball = build(tree, done, seconds)
    yield f"{tarball.name}: {tarball.stat().st_size:,} bytes"
    run("python", "-m", "hatchling", "build", "-t", "wheel", "-d", done, cwd=tree)
    (done / "provenance.json").write_text(provenance(tarball, galaxy), encoding="utf-8")
    if options.gpg_key:
        sign_manifest(tarball, options.gpg_key)
    folder = collect(tarball, options.python or PYTHONS, options.machine or MACHINES)
    (done / "sbom.cdx.json").write_text(sbom(galaxy, built, folder), encoding="utf-8")
    bundle = write_bundle(folder, done, seconds)
    yield f"{bundle.name}: {bundle.stat().st_size:,} bytes"
    for path in (*done.glob("*.tar.gz"), *done.glob("*.whl")) if options.key else ():
        sign_blob(path, options.key)
    write_sums(done)
    if options.write:
        yield f"changed in the checkout: {', '.join(write_back(tree))}"
    yield f"written to {done.relative_to(ROOT)}"
    yield f"after a review: git tag --sign v{options.version} --file {(done / 'TAG_MESSAGE').relative_to(ROOT)}"


def check(version: str, repository: str | None) -> None:
    """Raise ``ReleaseError`` if the version or the address of the repository is not valid."""
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"{version!r} is not a version, expected MAJOR.MINOR.PATCH. Write 1.0.0, for example")
    address = urlsplit(repository) if repository else None
    if address and not (address.scheme == "https" and address.path.strip("/")):
        raise ReleaseError(f"{repository!r} is not the address of a repository. Write https://HOST/OWNER/NAME")


def set_metadata(tree: Path, version: str, repository: str | None) -> Mapping[str, Any]:
    """Write the version, and the address of the repository if it is given. Return galaxy.yml."""
    path = tree / "galaxy.yml"
    before: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    for name in WITH_VERSION:
        replace(tree / name, before["version"], version)
    text = re.sub(r"(?m)^version: .*", f"version: {version}", path.read_text("utf-8"))
    if repository:
        address = repository.removesuffix("/").removesuffix(".git")
        links = {"repository": address, "documentation": address, "homepage": address, "issues": f"{address}/issues"}
        for name, link in links.items():
            text = re.sub(rf"(?m)^{name}: .*\n", "", text)
            text = text.replace("\ndependencies:", f"\n{name}: {link}\ndependencies:", 1)
        for name in checkout_files():
            if name.endswith((".md", ".yml")) and not (tree / name).is_symlink():
                for old, new in zip(forms(before.get("repository", PLACEHOLDER)), forms(address), strict=True):
                    replace(tree / name, old, new)
        readme = tree / "README.md"
        shown = re.sub(rf"{BADGES}(\[!.*\n)*", BADGES + badges(address), readme.read_text("utf-8"))
        readme.write_text(shown, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    after: Mapping[str, Any] = yaml.safe_load(text)
    return after


def forms(address: str) -> tuple[str, str, str]:
    """Return the forms in which pages name the repository: also those of components of GitLab, and of actions."""
    parts = urlsplit(address)
    return address, f"{parts.netloc}{parts.path}", f"{parts.path.strip('/')}@v"


def replace(path: Path, old: str, new: str) -> None:
    """Replace a text in a file."""
    text = path.read_text("utf-8")
    if old in text:
        path.write_text(text.replace(old, new), encoding="utf-8")


def badges(address: str) -> str:
    """Return the badges of the workflows, if the forge is GitHub."""
    if urlsplit(address).hostname != "github.com":
        return ""
    runs = [(name, f"{address}/actions/workflows/{name}.yml") for name in ("gate", "nightly")]
    return "".join(f"[![{name}]({link}/badge.svg)]({link})\n" for name, link in runs)


def released(tree: Path) -> Iterable[str]:
    """Return the versions that the changelog has."""
    path = tree / "changelogs" / "changelog.yaml"
    known: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8")) if path.exists() else {}
    return known.get("releases") or ()


def section(notes: str) -> str:
    """Return the newest section of a changelog."""
    return re.split(r"(?m)^## ", notes)[1].partition("\n")[2].strip() + "\n"


def build(tree: Path, folder: Path, seconds: int) -> Path:
    """Build the tarball of a collection, with times that do not depend on the build."""
    known = set(folder.glob("*.tar.gz"))
    run("ansible-galaxy", "collection", "build", "--force", "--output-path", folder, cwd=tree)
    (tarball,) = set(folder.glob("*.tar.gz")) - known
    with tarfile.open(tarball) as archive:
        files = [(item, archive.extractfile(item)) for item in sorted(archive.getmembers(), key=lambda item: item.name)]
        contents = [(item, file.read() if file else b"") for item, file in files]
    tarball.write_bytes(packed(contents, seconds))
    return tarball


def packed(contents: Iterable[tuple[tarfile.TarInfo, bytes]], seconds: int) -> bytes:
    """Return a compressed archive, the same for the same contents."""
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for item, content in contents:
            item.pax_headers = {}  # They would contain the time once more.
            item.mtime, item.uid, item.gid, item.uname, item.gname = seconds, 0, 0, "", ""
            archive.addfile(item, io.BytesIO(content))
    return gzip.compress(memory.getvalue(), mtime=seconds)


def sbom(galaxy: Mapping[str, Any], built: datetime, folder: Path) -> str:
    """Return the collections and packages in the folder of the offline bundle, in the form of CycloneDX."""
    name, version = f"{NAMESPACE}.{NAME}", galaxy["version"]
    licence = DisjunctiveLicense(id=galaxy["license"][0])
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"{name} {version}"))
    collection = Component(name=name, version=version, type=ComponentType.LIBRARY, licenses=[licence], bom_ref=name)
    if link := galaxy.get("repository"):
        collection.external_references.add(ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(link)))
    bom.metadata.component, bom.metadata.timestamp = collection, built
    known, needs = packages(folder / "wheels")
    bom.components.update(known.values())
    direct = {canonicalize_name(each.name) for each in requirements()} | {f"{NAMESPACE}-{NAME}"}
    bom.register_dependency(collection, [one for (each, _version), one in known.items() if each in direct])
    for key, component in known.items():
        bom.register_dependency(component, [one for (each, _version), one in known.items() if each in needs[key]])
    return f"{JsonV1Dot6(bom).output_as_string(indent=2)}\n"


def packages(wheels: Path) -> tuple[dict[tuple[str, str], Component], dict[tuple[str, str], set[str]]]:
    """Return a component for each package and version in a folder of wheels, and the names of what each needs."""
    known: dict[tuple[str, str], Component] = {}
    needs: dict[tuple[str, str], set[str]] = {}
    for path in sorted(wheels.glob("*.whl")):
        name, version, *_tags = parse_wheel_filename(path.name)
        key = (str(name), str(version))
        if key not in known:
            purl = PackageURL("pypi", name=name, version=str(version))
            known[key] = Component(name=name, version=str(version), purl=purl, bom_ref=str(purl))
            with zipfile.ZipFile(path) as archive:
                (metadata,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
                wanted = message_from_bytes(archive.read(metadata)).get_all("Requires-Dist") or []
            needs[key] = {canonicalize_name(Requirement(each).name) for each in wanted if "extra ==" not in each}
    return known, needs


def provenance(tarball: Path, galaxy: Mapping[str, Any]) -> str:
    """Return where the tarball comes from, as an in-toto statement with a predicate of SLSA."""
    commit = output("git", "rev-parse", "HEAD")
    source = {"uri": f"git+{galaxy.get('repository', '')}", "digest": {"gitCommit": commit}}
    parameters = {"version": galaxy["version"]}
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": tarball.name, "digest": {"sha256": sha256(tarball)}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "tools/release.py",
                "externalParameters": parameters,
                "resolvedDependencies": [source],
            },
            "runDetails": {"builder": {"id": "tools/release.py"}},
        },
    }
    return f"{json.dumps(statement, indent=2)}\n"


def sign_manifest(tarball: Path, key: str) -> None:
    """Sign MANIFEST.json with a key of GnuPG, for ``ansible-galaxy collection verify --keyring``."""
    with tarfile.open(tarball) as archive:
        manifest = archive.extractfile("MANIFEST.json")
        content = manifest.read() if manifest else b""
    command = ["gpg", "--batch", "--yes", "--armor", "--local-user", key, "--detach-sign", "--output"]
    run(*command, tarball.with_name(MANIFEST_SIGNATURE), "-", content=content)


def sign_blob(path: Path, key: Path) -> None:
    """Sign a file with an EC key: the signature that ``cosign verify-blob --key`` and openssl verify."""
    private = load_pem_private_key(key.read_bytes(), password=None)
    if not isinstance(private, EllipticCurvePrivateKey):
        raise ReleaseError(f"{key}: is not an EC key. Make one with openssl ecparam -name prime256v1 -genkey")
    signature = private.sign(path.read_bytes(), ECDSA(SHA256()))
    path.with_name(f"{path.name}.sig").write_bytes(b64encode(signature) + b"\n")


def collect(tarball: Path, pythons: Iterable[str], machines: Iterable[str]) -> Path:
    """Collect in a folder what an installation without a network needs, and return the folder."""
    folder = RELEASE / f"{tarball.name.removesuffix('.tar.gz')}-offline"
    (folder / "wheels").mkdir(parents=True)
    for path in (tarball, tarball.with_name(MANIFEST_SIGNATURE)):
        if path.exists():
            shutil.copy(path, folder)
    (wheel,) = tarball.parent.glob("*.whl")
    shutil.copy(wheel, folder / "wheels")
    command, version, *_tags = parse_wheel_filename(wheel.name)
    lines = [f"{command}=={version}", *map(str, requirements())]
    (folder / "requirements.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    for python in pythons:
        for machine in machines:
            download(folder, python, machine)
    (folder / "install.sh").write_text(INSTALL, encoding="utf-8")
    return folder


def write_bundle(folder: Path, done: Path, seconds: int) -> Path:
    """Write the archive of the offline bundle."""
    shutil.copy(done / "sbom.cdx.json", folder)
    write_sums(folder)
    contents = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        item = tarfile.TarInfo(f"{folder.name}/{path.relative_to(folder)}")
        item.size, item.mode = path.stat().st_size, 0o755 if path.suffix == ".sh" else 0o644
        contents.append((item, path.read_bytes()))
    archive = done / f"{folder.name}.tar.gz"
    archive.write_bytes(packed(contents, seconds))
    return archive


def download(folder: Path, python: str, machine: str) -> None:
    """Download the wheels for one version of Python on one kind of machine."""
    platforms = [f"--platform=manylinux_{glibc}_{machine}" for glibc in ("2_17", "2_28", "2_34")]
    abi = f"cp{python.replace('.', '')}"
    target = [f"--python-version={python}", "--implementation=cp", f"--abi={abi}", "--abi=abi3", "--abi=none"]
    old = f"--platform=manylinux2014_{machine}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", *platforms, old, *target]
    wanted = [
        f"{each.name}{each.specifier}"
        for each in requirements()
        if each.marker is None or each.marker.evaluate({"python_version": python})
    ]
    run(*command, "--dest", folder / "wheels", *wanted)


def requirements() -> list[Requirement]:
    """Return the packages that the collection needs at run time."""
    return [Requirement(line) for file in NEEDED for line in requirement_lines(REQUIREMENTS / file)]


def write_sums(folder: Path) -> None:
    """Write the checksums of all files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [f"{sha256(path)}  {path.relative_to(folder)}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def write_back(tree: Path) -> list[str]:
    """Write the files that differ into the checkout, delete those that are gone, and return their names."""
    names = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}
    gone = [name for name in checkout_files() if name not in names and not (tree / name).is_symlink()]
    changed = [
        name
        for name in sorted(names)
        if not (ROOT / name).exists() or (tree / name).read_bytes() != (ROOT / name).read_bytes()
    ]
    for name in changed:
        shutil.copy2(tree / name, ROOT / name)
    for name in gone:
        (ROOT / name).unlink()
    return [*changed, *gone]


def sha256(path: Path) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def output(*command: str) -> str:
    """Return what a command prints about the checkout."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def run(*command: object, cwd: Path = ROOT, content: bytes | None = None) -> None:
    """Run a command. Raises ``ReleaseError`` with what it printed if it fails."""
    program, *arguments = map(str, command)
    path = VENV / "bin" / program
    line = [str(path) if path.exists() else program, *arguments]
    done = subprocess.run(line, cwd=cwd, env=tool_environment(), input=content, capture_output=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{Path(program).name}: {(done.stderr or done.stdout).decode(errors='replace').strip()}")


if __name__ == "__main__":
    sys.exit(main())
