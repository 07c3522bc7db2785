# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mirrors with random faults and random lists of images: ``mirror_check`` says of each image what skopeo does with it.

skopeo reads mirrors and verifies sigstore signatures with the library of CRI-O (containers/image). That of Debian
verifies none. So policies are compared only if the environment variable ``SKOPEO`` names another program with the same
options. ``SKOPEO_SEEDS`` is the first of the seeds.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.attachments import signature_tag
from ansible_collections.capability.openshift.plugins.modules import mirror_check
from ansible_collections.capability.openshift.tests.registry.test_mirror_check import (
    ART,
    COSIGN,
    RELEASE,
    Mirror,
    policy,
    verification,
    written,
)
from ansible_collections.capability.openshift.tests.registry.test_mirror_check import mirror as _mirror
from ansible_collections.capability.openshift.tests.unit.builders.images import Blob, Image, image, layer, platform_list
from ansible_collections.capability.openshift.tests.unit.run_module import caller

mirror = _mirror
FIRST_SEED = int(os.environ.get("SKOPEO_SEEDS", "0"))
BASE = layer({"base": b"shared"})
PARTS = [image([BASE, layer({name: b"x"})], name[:5]) for name in ("amd64", "arm64", "arm64-other", "amd64-other")]
SINGLE = image([BASE, layer({"single": b"x"})])
PLATFORMS = [
    {"os": "linux", "architecture": "amd64"},
    {"os": "linux", "architecture": "amd64"},
    {"os": "linux", "architecture": "arm64"},
    {"os": "linux", "architecture": "arm64", "variant": "v8"},
    {"os": "linux", "architecture": "amd64", "variant": "v3"},
    {"os": "windows", "architecture": "amd64"},
    {"os": "unknown", "architecture": "unknown"},
    None,
]
VERIFYING = os.environ.get("SKOPEO", "")
OTHER = ec.generate_private_key(ec.SECP256R1())
IDENTITIES: dict[str, dict[str, Any]] = {
    "matchRepoDigestOrExact": {"matchPolicy": "MatchRepoDigestOrExact"},
    "matchRepository": {"matchPolicy": "MatchRepository"},
    "exactRepository": {"matchPolicy": "ExactRepository", "exactRepository": {"repository": RELEASE}},
    "remapIdentity": {
        "matchPolicy": "RemapIdentity",
        "remapIdentity": {"prefix": "quay.io/openshift-release-dev", "signedPrefix": "signed.example/x"},
    },
}


def random_image(chance: random.Random) -> Image:
    """Return an image, perhaps with a wrong size of a layer in its manifest, or a list with random platforms."""
    roll = chance.random()
    if roll < 0.25:
        return SINGLE
    if roll < 0.4:
        manifest = json.loads(SINGLE.manifest.data)
        manifest["layers"][1]["size"] += chance.choice([-1, 1])
        return Image(Blob(json.dumps(manifest).encode(), SINGLE.manifest.media_type), SINGLE.blobs)
    parts = chance.sample(PARTS, chance.choice([2, 3, 4]))
    return platform_list([(chance.choice(PLATFORMS), part) for part in parts], oci=chance.random() < 0.5)


def skopeo_reads(folder: Path, mirrors: list[str], rules: dict[str, list[Any]], digest: str, architecture: str) -> bool:
    """Whether skopeo copies the image of ``RELEASE`` with a digest from its mirrors, by the policies ``rules``."""
    listed = "".join(f'[[registry.mirror]]\nlocation = "{name}"\n' for name in mirrors)
    (folder / "registries.conf").write_text(f'[[registry]]\nlocation = "{RELEASE}"\nblocked = true\n{listed}', "utf-8")
    (folder / "registries.d").mkdir(exist_ok=True)
    (folder / "registries.d" / "x.yaml").write_text('{"default-docker": {"use-sigstore-attachments": true}}', "utf-8")
    document = {"default": [{"type": "insecureAcceptAnything"}], "transports": {"docker": rules if VERIFYING else {}}}
    (folder / "policy.json").write_text(json.dumps(document), "utf-8")
    program = shutil.which(VERIFYING or "skopeo")
    if program is None:
        pytest.fail("skopeo is missing; install it (Debian: apt-get install skopeo)")
    shutil.rmtree(folder / "copy", ignore_errors=True)
    given = [f"--policy={folder / 'policy.json'}", f"--registries.d={folder / 'registries.d'}"]
    given.append(f"--registries-conf={folder / 'registries.conf'}")
    done = subprocess.run(
        [
            program,
            *given,
            f"--override-arch={architecture}",
            "--override-os=linux",
            # A node detects its variant.
            *(["--override-variant=v8"] if architecture == "arm64" else []),
            "copy",
            f"docker://{RELEASE}@{digest}",
            f"dir:{folder / 'copy'}",
        ],
        env={**os.environ, "HOME": str(folder), "SSL_CERT_FILE": str(folder / "ca.crt")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    (folder / "stderr").write_text(done.stderr, "utf-8")
    return done.returncode == 0


def rule(folder: Path, key: Any, kind: str) -> dict[str, Any]:
    """Return a policy as the machine-config operator writes it for a node."""
    path = folder / f"{id(key)}.pub"
    path.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    identity: dict[str, str] = {"type": kind}
    if kind == "exactRepository":
        identity["dockerRepository"] = RELEASE
    if kind == "remapIdentity":
        identity |= IDENTITIES[kind]["remapIdentity"]
    return {"type": "sigstoreSigned", "keyPath": str(path), "signedIdentity": identity}


def break_mirror(chance: random.Random, mirror: Mirror, name: str, found: Image) -> None:
    """Fill a repository of a mirror with an image, its signatures and faults."""
    if chance.random() < 0.1:
        return
    mirror.push(name, found)
    parts = found.images or (found,)
    for signed in parts:
        if chance.random() < 0.85:
            key = COSIGN if chance.random() < 0.85 else OTHER
            names = [RELEASE] * 8 + [ART, "signed.example/x/ocp-release", mirror.name(name).replace("127.0.0.1", "h")]
            mirror.sign(name, signed.digest, key=key, identity=chance.choice(names))
    if chance.random() < 0.5:
        images = (found, *found.images)
        blobs = [blob.digest for part in parts for blob in part.blobs]
        lost = chance.choice([item.digest for item in images] + blobs)
        mirror.lose(name, lost)


@pytest.fixture
def check(capsys, mirror):
    return lambda **options: caller(capsys)(mirror_check, **{**mirror.options, **options})


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.deep if seed > 15 else ()) for seed in range(32)]
)
def test_an_image_is_ready_if_skopeo_reads_and_verifies_it(seed, mirror, check, tmp_path):
    chance = random.Random(FIRST_SEED + seed)
    found = random_image(chance)
    repositories = ["release"] if chance.random() < 0.6 else ["other", "release"]
    for name in repositories:
        break_mirror(chance, mirror, name, found)
    scope = chance.choice([RELEASE, "quay.io/openshift-release-dev", "quay.io", "*.io", "quay.io/elsewhere"])
    kind = chance.choice(list(IDENTITIES))
    folder = tmp_path / "skopeo"
    folder.mkdir()
    shutil.copy(mirror.options["ca_path"], folder / "ca.crt")
    rules = {scope: [rule(folder, COSIGN, kind)]}
    files = {"keys.json": verification(), "policy.json": policy(scope, identity=IDENTITIES[kind])}
    mirrors = [mirror.name(name) for name in repositories]
    sets = {"imageDigestSources": [{"source": RELEASE, "mirrors": mirrors, "sourcePolicy": "NeverContactSource"}]}

    for architecture in ("amd64", "arm64"):
        outcome = check(
            release=written(tmp_path / f"release-{architecture}", "4.21.0", files),
            release_image=f"{RELEASE}@{found.digest}",
            mirrors=[sets],
            architecture=architecture,
        )
        (row,) = outcome["images"]
        ready = row["in_mirror"] and (not VERIFYING or row["sigstore"] in ("verified", "not_required"))
        expected = skopeo_reads(folder, mirrors, rules, found.digest, architecture)
        assert ready == expected, (row, (folder / "stderr").read_text("utf-8"), signature_tag(found.digest))
