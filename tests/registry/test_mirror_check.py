# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Is a mirror ready? A release 4.21 with its images and signatures, in a registry on loopback with TLS."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from ansible_collections.capability.openshift.plugins.module_utils._http.client import HttpClient
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check import inputs
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.attachments import signature_tag
from ansible_collections.capability.openshift.plugins.modules import mirror_check
from ansible_collections.capability.openshift.plugins.plugin_utils._command.main import main
from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER, Registry
from ansible_collections.capability.openshift.tests.unit.builders.images import (
    OCI_LAYER,
    OCI_MANIFEST,
    Blob,
    Image,
    image,
    layer,
    release_image,
)
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
from ansible_collections.capability.openshift.tests.unit.builders.releases import image_references, write_release
from ansible_collections.capability.openshift.tests.unit.builders.sigstore import attachment, image_policy, payload
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome, caller

RELEASE, ART = "quay.io/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/ocp-v4.0-art-dev"
COSIGN = rsa.generate_private_key(public_exponent=65537, key_size=2048)
KEY = Key("Release key")
IMAGES = {name: image([layer({name: b"x"})]) for name in ("release", "cli", "console")}
PROFILE = {"include.release.openshift.io/self-managed-high-availability": "true"}


class Mirror(NamedTuple):
    """A site with a mirror: where its repositories are, and the options of a module that reads from it."""

    registry: Registry
    folder: Path
    prefix: str
    options: dict[str, Any]

    def push(self, name: str, found: Image) -> None:
        self.registry.push(f"{self.prefix}/{name}", found)

    def sign(self, name: str, digest: str, key: Any = COSIGN, identity: str = RELEASE) -> None:
        """Store a sigstore signature next to an image."""
        manifest, blobs = attachment([(key, payload(digest, f"{identity}:4.21.0-x86_64"))])
        for blob in blobs:
            self.registry.push_blob(f"{self.prefix}/{name}", blob)
        self.registry.push_manifest(f"{self.prefix}/{name}", Blob(manifest, OCI_MANIFEST), signature_tag(digest))

    def name(self, name: str) -> str:
        return f"{self.registry.host}/{self.prefix}/{name}"

    def lose(self, name: str, digest: str) -> None:
        """Remove the only copy of a blob or manifest in a repository."""
        repositories = self.registry.site.folder / "storage/docker/registry/v2/repositories"
        found = [
            path
            for path in (repositories / self.prefix / name).rglob("link")
            if path.parent.name == digest.partition(":")[2] and path.parent.parent.name == "sha256"
        ]
        assert found
        for path in found:
            path.unlink()


def verification(key: Key = KEY, store: str = "") -> str:
    ring = base64.encodebytes(key.ring).decode()
    text = f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{ring}-----END PGP PUBLIC KEY BLOCK-----\n"
    annotations = {"release.openshift.io/verification-config-map": "", **PROFILE}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": "release-verification",
                "namespace": "openshift-config-managed",
                "annotations": annotations,
            },
            "data": {
                "verifier-public-key-test": text,
                "store-test": store or f"https://127.0.0.1:{free_port()}/signatures",
            },
        }
    )


def policy(*scopes: str, key: Any = COSIGN, **fields: Any) -> str:
    found = image_policy(key, list(scopes), **fields)
    found["metadata"]["annotations"] = PROFILE
    return json.dumps(found)


def gates(**entries: str) -> str:
    metadata = {"name": "admin-gates", "namespace": "openshift-config-managed", "annotations": PROFILE}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": entries})


def written(path: Path, version: str, files: dict[str, str], **options: Any) -> Path:
    references = image_references(version, options.pop("images", {}))
    return write_release(path, files, version, references=references, **options)


@pytest.fixture
def releases(tmp_path) -> dict[str, Path]:
    images = {"cli": f"{ART}@{IMAGES['cli'].digest}", "console": f"{ART}@{IMAGES['console'].digest}"}
    target = {"keys.json": verification(), "policy.json": policy(RELEASE)}
    old_gates = {"ack-4.20-api-removals-in-4.21": "APIs are removed", "ack-4.19-old": "older"}
    return {
        "4.21": written(tmp_path / "4.21", "4.21.0", target, images=images),
        "4.20": written(
            tmp_path / "4.20", "4.20.9", {"keys.json": verification()}, cvo={"gates.json": gates(**old_gates)}
        ),
    }


@pytest.fixture
def mirror(registry, registry_site, tmp_path, request) -> Mirror:
    prefix = f"mirror/{abs(hash(request.node.name))}"
    folder = tmp_path / "signatures"
    folder.mkdir()
    sources = [
        {"source": name, "mirrors": [f"{registry.host}/{prefix}/{path}"], "mirrorSourcePolicy": "NeverContactSource"}
        for name, path in ((RELEASE, "release"), (ART, "art"))
    ]
    mirrors = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ImageDigestMirrorSet",
        "metadata": {"name": "site"},
        "spec": {"imageDigestMirrors": sources},
    }
    options = {"mirrors": [mirrors], "ca_path": registry_site.ca, "signature_stores": [str(folder)]}
    return Mirror(registry, folder, prefix, options)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch) -> None:
    """Do not wait between attempts."""
    monkeypatch.setattr(HttpClient, "pause", staticmethod(lambda _seconds: None))


@pytest.fixture(autouse=True)
def _known_keys(monkeypatch) -> None:
    """A release may verify itself, as with the keys of Red Hat."""
    monkeypatch.setattr(inputs, "RED_HAT_KEYS", {KEY.fingerprint})


Check = Callable[..., Outcome]


@pytest.fixture
def check(capsys, releases, mirror) -> Check:
    call = caller(capsys)

    def run(digest: str = IMAGES["release"].digest, **options: Any) -> Outcome:
        given = {"release": releases["4.21"], "release_image": f"{RELEASE}@{digest}", **mirror.options, **options}
        return call(mirror_check, **given)

    return run


def complete(mirror: Mirror, found: Image = IMAGES["release"]) -> None:
    """Bring everything that an update to the release needs."""
    mirror.push("release", found)
    mirror.sign("release", found.digest)
    (mirror.folder / f"4.21.0-x86_64-{found.digest.replace(':', '-')}").write_bytes(KEY.sign(content(found.digest)))


def codes(row: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in row["problems"]]


def test_a_mirror_that_is_ready(mirror, check, releases):
    complete(mirror)
    outcome = check(previous_release=releases["4.20"])
    (row,) = outcome["images"]
    assert outcome["ready"]
    assert row == {
        "name": "release",
        "image": f"{RELEASE}@{IMAGES['release'].digest}",
        "mirror": mirror.name("release"),
        "ready": True,
        "in_mirror": True,
        "openpgp": "verified",
        "sigstore": "verified",
        "problems": [],
        "commands": [],
    }
    update = outcome["update_check"]
    assert (update["from_version"], update["to_version"], update["accepted"]) == ("4.20.9", "4.21.0", True)
    assert [gate["gate"] for gate in update["acknowledge"]] == [
        "ack-4.20-api-removals-in-4.21",
        "ack-4.20-sigstore-in-4.21",
    ]


def test_the_exit_codes_of_the_command(mirror, releases, monkeypatch):
    options = {"release-image": f"{RELEASE}@{IMAGES['release'].digest}", "previous-release": str(releases["4.20"])}
    for name, value in mirror.options.items():
        options[name.replace("_", "-")] = str(value) if name == "ca_path" else json.dumps(value)
    words = [str(releases["4.21"]), *(f"--{name}={value}" for name, value in options.items())]
    monkeypatch.setattr("sys.argv", ["openshift-capability", "mirror-check", *words])
    assert main() == 1
    complete(mirror)
    assert main() == 0


def test_a_release_that_is_not_in_the_mirror_is_a_row(mirror, check, releases, tmp_path):
    image_name = f"{RELEASE}@{IMAGES['release'].digest}"
    given = {"release": image_name, "release_image": None, "release_cache": tmp_path / "cache"}
    for previous in (None, releases["4.20"]):
        outcome = check(**given, previous_release=previous)
        (row,) = outcome["images"]
        assert (outcome["ready"], row["image"], codes(row)) == (False, image_name, ["image-not-found"])
        assert row["commands"][0].startswith("oc image mirror ")
        assert [item["code"] for item in outcome["problems"]] == ["release-not-read"]
        update = outcome.result.get("update_check")
        assert (update and (update["to_version"], update["acknowledge"])) == (previous and (None, None))
    tag = {**given, "release": f"{RELEASE}:4.21.0"}
    assert [code for code, _message in check(**tag).faults] == ["blocked-registry"]


@pytest.mark.parametrize("images", ["release", "all"])
def test_a_release_that_cannot_be_read_is_not_ready(mirror, check, releases, tmp_path, images):
    """Its images are not known, and neither are its policies."""
    target = release_image(releases["4.21"])
    complete(mirror, target)
    mirror.lose("release", target.blobs[-1].digest)
    named = {"release": f"{RELEASE}@{target.digest}", "release_image": None, "release_cache": tmp_path / "cache"}
    outcome = check(**named, previous_release=releases["4.20"], images=images)
    (row,) = outcome["images"]
    assert (outcome["ready"], row["ready"], row["in_mirror"], row["openpgp"]) == (False, False, False, "unknown")
    assert row["commands"][0].startswith("oc image mirror ")


def test_a_release_whose_manifests_are_not_known_is_not_ready_although_its_image_is_there(mirror, check, tmp_path):
    """As a layer with zstd below Python 3.14 without a library for it."""
    target = image([layer({"release-manifests/": None}), Blob(b"\x28\xb5\x2f\xfd damaged", OCI_LAYER)])
    complete(mirror, target)
    named = {"release": f"{RELEASE}@{target.digest}", "release_image": None, "release_cache": tmp_path / "cache"}
    outcome = check(**named)
    (row,) = outcome["images"]
    assert (outcome["ready"], row["in_mirror"], row["sigstore"]) == (False, True, "unknown")
    assert set(codes(row)) & {"zstd-not-supported", "invalid-layer"}


def test_an_image_with_half_a_layer_is_not_in_the_mirror(mirror, check):
    """As a mirror whose disk was full. No other test has this layer."""
    half = image([layer({"half": b"of a layer"})])
    complete(mirror, half)
    assert check(half.digest)["ready"]
    blob = half.blobs[-1]
    name = blob.digest.partition(":")[2]
    stored = mirror.registry.site.folder / "storage/docker/registry/v2/blobs/sha256" / name[:2] / name / "data"
    stored.write_bytes(blob.data[:-10])
    (row,) = check(half.digest)["images"]
    assert (row["in_mirror"], row["ready"], codes(row)) == (False, False, ["wrong-digest"])
    assert "--force" in row["commands"][0]


def test_an_image_without_a_layer_is_not_in_the_mirror(mirror, check):
    complete(mirror)
    for name in ("cli", "console"):
        mirror.push("art", IMAGES[name])
    assert check(images="all")["ready"]
    mirror.lose("art", IMAGES["cli"].blobs[-1].digest)
    outcome = check(images="all")
    assert [(row["in_mirror"], row["ready"]) for row in outcome["images"]] == [
        (True, True),
        (False, False),
        (True, True),
    ]
    row = outcome["images"][1]
    assert codes(row) == ["image-not-found"]
    assert IMAGES["cli"].blobs[-1].digest in row["problems"][0]["message"]
    assert f" --force {ART}@{IMAGES['cli'].digest} " in row["commands"][0]


def test_the_policies_of_both_releases_count(mirror, check, tmp_path):
    """They have the same name. Nodes use that of the old release until the new one is applied."""
    complete(mirror)
    other = ec.generate_private_key(ec.SECP256R1())
    old = {"keys.json": verification(), "policy.json": policy(RELEASE, key=other)}
    current = written(tmp_path / "4.21.1", "4.21.0-rc.1", old)
    (row,) = check(previous_release=current)["images"]
    assert (row["sigstore"], row["ready"]) == ("invalid", False)
    wider = {"keys.json": verification(), "policy.json": policy("quay.io", key=other)}
    (row,) = check(previous_release=written(tmp_path / "4.21.2", "4.21.0-rc.2", wider))["images"]
    assert (row["sigstore"], row["ready"]) == ("invalid", False)
    exact = {"keys.json": verification(), "policy.json": policy(f"{RELEASE}@{IMAGES['release'].digest}", key=other)}
    (row,) = check(previous_release=written(tmp_path / "4.21.4", "4.21.0-rc.4", exact))["images"]
    assert (row["sigstore"], row["ready"]) == ("invalid", False)
    same = {"keys.json": verification(), "policy.json": policy("quay.io")}
    assert check(previous_release=written(tmp_path / "4.21.3", "4.21.0-rc.3", same))["ready"]


def test_a_mirror_without_signatures_and_the_commands_that_copy_them(mirror, check, releases):
    mirror.push("release", IMAGES["release"])
    outcome = check(previous_release=releases["4.20"])
    (row,) = outcome["images"]
    assert (row["in_mirror"], row["openpgp"], row["sigstore"], row["ready"]) == (True, "missing", "missing", False)
    assert codes(row) == ["no-signature", "no-sigstore-signature"]
    assert [command.partition(" --")[0] for command in row["commands"]] == [
        "curl",
        f"oc create configmap signature-{IMAGES['release'].digest.replace(':', '-')[:23]}",
        "oc image mirror",
    ]
    assert " --output signature-1 https://127.0.0.1:" in row["commands"][0]
    assert not outcome["update_check"]["accepted"]


def test_signatures_that_do_not_verify(mirror, check, releases):
    complete(mirror)
    digest = IMAGES["release"].digest
    mirror.sign("release", digest, key=ec.generate_private_key(ec.SECP256R1()))
    for path in mirror.folder.iterdir():
        path.write_bytes(Key("Other").sign(content(digest)))
    outcome = check(previous_release=releases["4.20"])
    (row,) = outcome["images"]
    assert (row["openpgp"], row["sigstore"], row["ready"]) == ("invalid", "invalid", False)
    assert codes(row) == ["signature-unknown-key", "not-verified", "sigstore-wrong-key", "sigstore-not-verified"]
    assert not outcome["update_check"]["accepted"]


def test_the_key_rings_are_those_of_the_previous_release(mirror, check, tmp_path):
    complete(mirror)
    old = Key("Older key")
    current = written(tmp_path / "old", "4.20.1", {"keys.json": verification(old)})
    (row,) = check(previous_release=current)["images"]
    assert row["openpgp"] == "invalid"
    ring = tmp_path / "ring"
    ring.write_bytes(KEY.ring)
    assert check(previous_release=current, signature_keys=[str(ring)])["ready"]


@pytest.mark.parametrize("field", ["imageDigestSources", "imageContentSources"])
def test_an_installation_needs_the_images_and_the_sigstore_signatures(mirror, check, tmp_path, field):
    """With the mirrors of the install-config. No store is searched for OpenPGP signatures, which no node verifies."""
    sources = [{"source": name, "mirrors": [mirror.name(path)]} for name, path in ((RELEASE, "release"), (ART, "art"))]
    path = tmp_path / "install-config.yaml"
    path.write_text(json.dumps({"apiVersion": "v1", "metadata": {"name": "new"}, field: sources}), "utf-8")
    given = {"mirrors": [str(path)], "signature_stores": [], "images": "all"}
    for name in ("cli", "console"):
        mirror.push("art", IMAGES[name])
    assert [row["in_mirror"] for row in check(**given)["images"]] == [False, True, True]
    mirror.push("release", IMAGES["release"])
    row, *_others = check(**given)["images"]
    assert (row["openpgp"], row["sigstore"], row["ready"]) == ("not_required", "missing", False)
    mirror.sign("release", IMAGES["release"].digest)
    outcome = check(**given)
    assert (outcome["ready"], outcome["problems"], "update_check" in outcome.result) == (True, [], False)
    assert {row["openpgp"] for row in outcome["images"]} == {"not_required"}
    # Stores that are given have to have a signature, and there is no cluster that one can be added to.
    (row,) = check(mirrors=[str(path)])["images"]
    assert (row["openpgp"], row["ready"], row["commands"]) == ("missing", False, [])


def test_a_release_with_unknown_keys_does_not_verify_itself(mirror, check, releases, tmp_path, monkeypatch):
    """Anyone can sign a release with a key that it contains."""
    monkeypatch.undo()
    complete(mirror)
    outcome = check()
    assert (outcome["ready"], outcome["images"][0]["openpgp"]) == (False, "unknown")
    assert "unknown-release-keys" in [item["code"] for item in outcome["images"][0]["problems"]]
    ring = tmp_path / "ring"
    ring.write_bytes(KEY.ring)
    for trusted in ({"signature_keys": [str(ring)]}, {"previous_release": releases["4.20"]}):
        assert check(**trusted)["ready"]


def test_all_images_of_a_release_that_does_not_name_them(mirror, check, releases, tmp_path):
    complete(mirror)
    flat = (releases["4.21"] / "release-manifests").rename(tmp_path / "flat")
    for name in ("image-references", "release-metadata"):
        (flat / name).unlink()
    given = {"release": flat, "openshift_version": "4.21", "previous_release": releases["4.20"]}
    assert check(**given)["ready"]
    assert check(**given, images="all").faults == [("missing-image-references", "images")]


def test_signatures_in_config_maps_of_the_cluster(mirror, check):
    complete(mirror)
    digest = IMAGES["release"].digest
    data = {f"{digest.replace(':', '-')}-1": base64.b64encode(KEY.sign(content(digest), version=3)).decode()}
    metadata = {"name": "s", "labels": {"release.openshift.io/verification-signatures": ""}}
    config_map = {"kind": "ConfigMap", "metadata": metadata, "binaryData": data}
    assert check(signature_stores=[config_map])["ready"]
    (row,) = check(signature_stores=[{**config_map, "metadata": {"name": "s"}}])["images"]
    assert (row["openpgp"], row["problems"][0]["code"]) == ("missing", "signature-not-labeled")
    (row,) = check(signature_stores=[{"kind": "ConfigMapList", "items": []}])["images"]
    assert row["openpgp"] == "missing"


@pytest.mark.parametrize("images", ["release", "all"])
def test_a_release_image_may_have_the_name_of_the_mirror(mirror, check, releases, images):
    complete(mirror)
    for name in ("cli", "console"):
        mirror.push("art", IMAGES[name])
    named = f"{mirror.name('release')}@{IMAGES['release'].digest}"
    outcome = check(images=images, release_image=named, previous_release=releases["4.20"])
    assert outcome["ready"]
    # No policy covers this name, so a node asks for no signature. The gate is for every cluster with an IDMS.
    assert outcome["images"][0]["sigstore"] == "not_required"
    assert "ack-4.20-sigstore-in-4.21" in [gate["gate"] for gate in outcome["update_check"]["acknowledge"]]


def test_a_mirror_with_credentials(mirror, check, basic_registry):
    complete(mirror)
    options = json.loads(json.dumps(mirror.options["mirrors"]).replace(mirror.registry.host, basic_registry.host))
    (row,) = check(mirrors=options)["images"]
    assert (codes(row), row["commands"]) == (["registry-unauthorized"], [])
    auth = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    secret = json.dumps({"auths": {basic_registry.host: {"auth": auth}}})
    assert check(mirrors=options, pull_secret=secret)["ready"]


def test_releases_are_read_from_the_mirror(mirror, check, releases, tmp_path):
    target, current = (release_image(releases[version]) for version in ("4.21", "4.20"))
    complete(mirror, target)
    mirror.registry.push(f"{mirror.prefix}/release", current, "4.20.9")
    named = {"release": f"{RELEASE}@{target.digest}", "release_image": None, "release_cache": tmp_path / "cache"}
    outcome = check(**named, previous_release=f"{mirror.name('release')}:4.20.9")
    assert outcome["ready"]
    assert outcome["images"][0]["image"] == f"{RELEASE}@{target.digest}"
    assert outcome["update_check"]["from_version"] == "4.20.9"
    warned = check(**named, previous_release=f"{mirror.name('release')}:4.20.9", signature="warn")
    assert [item["where"] for item in warned["problems"] if item["code"] == "no-signature"] == [
        f"{mirror.name('release')}:4.20.9"
    ]
    other = check(**{**named, "release_image": f"{RELEASE}@{current.digest}"})
    assert [code for code, _message in other.faults] == ["conflicting-options"]


def test_all_wrong_options_are_reported_at_once(check, tmp_path, releases):
    outcome = check(
        release_image=f"{RELEASE}:4.21.0",
        signature_keys=[str(tmp_path / "missing")],
        signature_stores=[1, ""],
        ca_path=tmp_path / "missing.crt",
    )
    assert {code for code, _message in outcome.faults} == {
        "missing-digest",
        "unreadable-key-ring",
        "invalid-signature-store",
        "unreadable-file",
    }


def test_a_release_that_verifies_nothing_needs_key_rings_and_stores(mirror, check, tmp_path):
    complete(mirror)
    release = written(tmp_path / "plain", "4.19.0", {"policy.json": policy(RELEASE)})
    assert check(release=release).faults == [("no-verification-config", "4.19.0")]
    ring = tmp_path / "ring"
    ring.write_bytes(KEY.ring)
    assert check(release=release, signature_keys=[str(ring)])["ready"]


def test_gpgv_that_is_missing_is_no_proof(mirror, check, monkeypatch, tmp_path):
    complete(mirror)
    monkeypatch.setenv("PATH", str(tmp_path))
    (row,) = check()["images"]
    assert (row["openpgp"], row["ready"], codes(row)) == ("unknown", False, ["gpgv-missing"])


def test_the_playbook_shows_a_table_and_fails(mirror, releases, tmp_path):
    """One run of ansible-playbook: relative paths, one value instead of a list, the table, and the failure."""
    mirror.push("release", IMAGES["release"])
    (tmp_path / "mirrors").mkdir()
    (tmp_path / "mirrors" / "idms.json").write_text(json.dumps(mirror.options["mirrors"][0]), "utf-8")
    (tmp_path / "ca.crt").write_bytes(Path(mirror.options["ca_path"]).read_bytes())
    image = f"{RELEASE}@{IMAGES['release'].digest}"
    given = {"release": "4.21", "previous_release": "4.20", "release_image": image, "mirrors": "mirrors"}
    given |= {"signature_stores": "signatures", "ca_path": "ca.crt", "images": "all"}
    done = ansible_playbook(tmp_path, "capability.openshift.mirror_check", "-e", json.dumps(given))
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(r"release +yes +missing +missing", done.stdout)
    assert re.search(r"cli +no +not_required +not_required", done.stdout)
    assert f"$ oc image mirror --force {RELEASE}:{signature_tag(IMAGES['release'].digest)}" in done.stdout
    # In the table, and as the message of the failure.
    verdict = "not ready for the update from 4.20.9 to 4.21.0: 0 of 3 images are ready"
    assert done.stdout.count(verdict) > 1, done.stdout
    assert "ack-4.20-sigstore-in-4.21" in done.stdout
