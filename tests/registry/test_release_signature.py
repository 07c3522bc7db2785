# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `signature`: releases that are read from a registry, with and without a valid signature."""

from __future__ import annotations

import base64
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.signatures import RED_HAT_KEYS
from ansible_collections.capability.openshift.plugins.module_utils._release_image import signature_verification
from ansible_collections.capability.openshift.plugins.modules import release_apply, release_info, update_plan
from ansible_collections.capability.openshift.tests.registry.test_mirror_check import KEY, verification
from ansible_collections.capability.openshift.tests.unit.builders.images import Image, release_image
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome, caller

Read = Callable[..., Outcome]
NOT_CONNECTED = ["missing-file"]
VERIFICATION = {"signature", "key", "keys", "verified", "gpgv", "store"}


@pytest.fixture(scope="module")
def signed_image(tmp_path_factory, registry) -> Image:
    release = write_release(tmp_path_factory.mktemp("release"), {"keys.json": verification()}, "4.21.0")
    found = release_image(release)
    registry.push("signed/release", found)
    return found


@pytest.fixture
def signatures(tmp_path, signed_image) -> Path:
    """Return a signature store on disk with the signature of the image."""
    folder = tmp_path / "signatures" / signed_image.digest.replace(":", "=")
    folder.mkdir(parents=True)
    (folder / "signature-1").write_bytes(KEY.sign(content(signed_image.digest), version=3))
    return folder.parent


@pytest.fixture
def ring(tmp_path) -> str:
    path = tmp_path / "ring"
    path.write_bytes(KEY.ring)
    return str(path)


@pytest.fixture
def read(capsys, registry, registry_site, signed_image, tmp_path) -> Read:
    call = caller(capsys)

    def run(module: Any = release_info, **options: Any) -> Outcome:
        given = {"release": f"{registry.host}/signed/release@{signed_image.digest}", "ca_path": registry_site.ca}
        return call(module, **{**given, "release_cache": tmp_path / "cache", **options})

    return run


def faults(outcome: Outcome) -> list[str]:
    return [code for code, _message in outcome.faults]


def codes(outcome: Outcome) -> list[str]:
    """Return the codes of the problems about verification: all others are about the release itself."""
    return [item["code"] for item in outcome["problems"] if set(item["code"].split("-")) & VERIFICATION]


def test_a_release_with_a_signature(read, signatures, ring):
    outcome = read(signature="required", signature_keys=[ring], signature_stores=[str(signatures)])
    (signer,) = outcome["release"]["signed_by"]
    assert (signer["fingerprint"], signer["key_ring"]) == (KEY.fingerprint, ring)
    assert signer["source"].startswith(str(signatures))
    assert codes(outcome) == []


def test_a_release_without_a_signature_is_a_warning_unless_it_is_required(read, tmp_path, ring):
    empty = tmp_path / "empty"
    empty.mkdir()
    given = {"signature_keys": [ring], "signature_stores": [str(empty)]}
    outcome = read(**given)
    assert (codes(outcome), outcome["release"]["signed_by"]) == (["no-signature"], [])
    assert [code for code, _message in read(signature="required", **given).faults] == ["no-signature"]
    assert codes(read(signature="ignore", **given)) == []


def test_a_release_that_is_rolled_out_needs_a_signature(read, tmp_path, ring):
    """Before any request to the cluster."""
    given = {"signature_keys": [ring], "signature_stores": [str(tmp_path)], "kubeconfig": str(tmp_path / "missing")}
    assert [code for code, _message in read(release_apply, **given).faults] == ["no-signature"]


def test_key_rings_of_the_release_itself_count_only_if_their_keys_are_known(read, signatures, monkeypatch):
    given = {"signature": "required", "signature_stores": [str(signatures)]}
    outcome = read(**given)
    assert faults(outcome) == ["unknown-release-keys", "not-verified"]
    assert KEY.fingerprint in outcome.message
    monkeypatch.setattr(signature_verification, "RED_HAT_KEYS", RED_HAT_KEYS | {KEY.fingerprint})
    assert read(**given)["release"]["signed_by"][0]["key_ring"] == "verifier-public-key-test"


def test_a_signature_by_another_key_is_refused(read, signatures, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(Key("Other").ring)
    outcome = read(signature="required", signature_keys=[str(other)], signature_stores=[str(signatures)])
    assert [code for code, _message in outcome.faults] == ["signature-unknown-key", "not-verified"]


def test_the_result_is_kept_and_a_second_use_asks_no_store(read, signatures, ring):
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    first = read(**given)["release"]["signed_by"]
    for path in signatures.rglob("signature-1"):
        path.unlink()
    assert first
    assert read(**given)["release"]["signed_by"] == first
    assert read(signature="required", **given)["release"]["signed_by"] == first
    # Other options are another question.
    assert codes(read(signature_keys=[ring], signature_stores=[str(signatures.parent)])) == ["no-signature"]


def test_the_result_is_bound_to_the_content_of_the_key_rings(read, signatures, ring):
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    assert read(**given)["release"]["signed_by"]
    Path(ring).write_bytes(Key("Stranger").ring)
    assert faults(read(signature="required", **given)) == ["signature-unknown-key", "not-verified"]
    outcome = read(**given)
    assert (codes(outcome), outcome["release"]["signed_by"]) == (["signature-unknown-key", "not-verified"], [])
    Path(ring).unlink()
    assert faults(read(signature="required", **given)) == ["unreadable-key-ring"]


def test_a_missing_gpgv_is_looked_for_again(read, signatures, ring, monkeypatch, tmp_path):
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        assert codes(read(**given)) == ["gpgv-missing"]
    assert read(**given)["release"]["signed_by"]


class SilentServer:
    """A web server that closes each connection without an answer. ``asked``: how many there were."""

    def __init__(self) -> None:
        self.asked = 0
        outer = self

        class Handler(BaseRequestHandler):
            def handle(self):
                outer.asked += 1

        self.server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def silent() -> Iterator[SilentServer]:
    found = SilentServer()
    yield found
    found.server.shutdown()
    found.server.server_close()


def test_a_store_without_an_answer_is_a_warning(read, ring, silent, monkeypatch):
    given = {"signature_keys": [ring], "signature_stores": [silent.url]}
    assert codes(read(**given)) == ["store-unreachable", "no-signature"]
    assert silent.asked
    monkeypatch.setitem(sys.modules, "urllib3", None)
    assert "missing-library" in {item["code"] for item in read(**given)["problems"]}


@pytest.fixture
def apply(read, tmp_path) -> Read:
    """Return a function that rolls out without a cluster, so a release with a valid signature is `NOT_CONNECTED`."""

    def run(**options: Any) -> Outcome:
        return read(release_apply, kubeconfig=str(tmp_path / "missing"), **options)

    return run


def old_release(folder: Path, key: Key, store: Path) -> Path:
    return write_release(folder / "4.20.0", {"keys.json": verification(key, f"file://{store}")}, "4.20.0")


def test_the_previous_release_verifies_the_one_that_is_rolled_out(apply, signatures, tmp_path):
    """With its key rings and stores: the store of the new release does not answer."""
    assert faults(apply()) == ["store-unreachable", "no-signature"]
    given = {"signature_stores": [str(signatures)]}
    assert faults(apply(**given)) == ["unknown-release-keys", "not-verified"]
    assert faults(apply(previous_release=old_release(tmp_path, KEY, signatures))) == NOT_CONNECTED


def test_a_flat_directory_verifies_the_next_release_as_well(apply, signatures, tmp_path):
    folder = old_release(tmp_path, KEY, signatures) / "release-manifests"
    assert faults(apply(previous_release=folder.rename(tmp_path / "flat"))) == NOT_CONNECTED


def test_a_release_that_the_keys_of_the_previous_one_did_not_sign_is_refused(apply, signatures, tmp_path):
    old = old_release(tmp_path, Key("Other"), signatures)
    assert faults(apply(previous_release=old)) == ["signature-unknown-key", "not-verified"]


def test_the_result_is_bound_to_the_key_rings_of_the_previous_release(apply, signatures, tmp_path):
    assert faults(apply(previous_release=old_release(tmp_path, KEY, signatures))) == NOT_CONNECTED
    same_path = old_release(tmp_path, Key("Other"), signatures)
    assert faults(apply(previous_release=same_path)) == ["signature-unknown-key", "not-verified"]


def test_given_key_rings_count_instead_of_those_of_the_previous_release(apply, signatures, ring, tmp_path):
    old = old_release(tmp_path, Key("Other"), signatures)
    assert faults(apply(previous_release=old, signature_keys=[ring])) == NOT_CONNECTED


def test_a_previous_release_without_key_rings_accepts_no_other_release(apply, signatures, ring, tmp_path):
    old = write_release(tmp_path / "old", {"one.yaml": manifest()}, "4.20.0")
    outcome = apply(previous_release=old)
    assert outcome.faults == [("no-verification-config", str(old))]
    given = {"signature_keys": [ring], "signature_stores": [str(signatures)]}
    assert faults(apply(previous_release=old, **given)) == NOT_CONNECTED


def test_a_previous_release_that_does_not_exist_verifies_nothing(apply, signatures, tmp_path):
    outcome = apply(previous_release=tmp_path / "missing", signature_stores=[str(signatures)])
    assert faults(outcome) == ["unknown-release-keys", "not-verified"]


def test_signatures_in_the_config_maps_of_the_cluster(apply, signed_image, ring):
    """As objects of the API."""
    signature = base64.b64encode(KEY.sign(content(signed_image.digest))).decode()
    found = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "signatures",
            "namespace": "openshift-config-managed",
            "labels": {"release.openshift.io/verification-signatures": ""},
        },
        "binaryData": {f"{signed_image.digest.replace(':', '-')}-1": signature},
    }
    other = {**found, "binaryData": {f"sha256-{'0' * 64}-1": signature}}
    assert faults(apply(signature_keys=[ring], signature_stores=[other, found])) == NOT_CONNECTED
    assert faults(apply(signature_keys=[ring], signature_stores=[other])) == ["no-signature"]


def test_a_directory_has_no_digest_that_a_signature_could_be_of(apply, signatures, tmp_path):
    old = old_release(tmp_path, KEY, signatures)
    for options in ({}, {"signature": "warn"}):
        assert faults(apply(release=old, **options)) == NOT_CONNECTED
    outcome = apply(release=old, signature="required")
    assert outcome.faults == [("directory-not-signed", "release")]
    assert "has no digest" in outcome.message


@pytest.fixture
def next_image(registry, signed_image, signatures, tmp_path) -> str:
    """Return the pull spec of an image that is signed with a key of the image before it, and brings another one."""
    release = write_release(tmp_path / "next", {"keys.json": verification(Key("New"))}, "4.22.0")
    found = release_image(release)
    registry.push("signed/release", found)
    folder = signatures / found.digest.replace(":", "=")
    folder.mkdir()
    (folder / "signature-1").write_bytes(KEY.sign(content(found.digest)))
    return f"{registry.host}/signed/release@{found.digest}"


@pytest.fixture
def plan(capsys, registry_site, signatures, tmp_path) -> Read:
    call = caller(capsys)

    def run(*releases: object, **options: Any) -> Outcome:
        given = {"signature_stores": [str(signatures)], "ca_path": registry_site.ca, "signature": "required"}
        path = [str(release) for release in releases]
        return call(update_plan, **{**given, "releases": path, "release_cache": tmp_path / "cache", **options})

    return run


@pytest.fixture
def signed(registry, signed_image) -> str:
    return f"{registry.host}/signed/release@{signed_image.digest}"


def test_each_release_of_a_path_is_verified_with_the_one_before_it(plan, signed, next_image, signatures, tmp_path):
    assert not plan(old_release(tmp_path, KEY, signatures), signed, next_image).failed
    other = old_release(tmp_path / "other", Key("Other"), signatures)
    assert set(faults(plan(other, signed))) == {"signature-unknown-key", "not-verified"}


def test_a_release_that_is_not_verified_verifies_no_other_one(plan, signed, next_image, monkeypatch, tmp_path):
    outcome = plan(signed, next_image, signature="warn")
    own = ["unknown-release-keys", "not-verified"]
    assert codes(outcome) == [*own, "signature-unknown-key", "not-verified"]
    monkeypatch.setattr(signature_verification, "RED_HAT_KEYS", RED_HAT_KEYS | {KEY.fingerprint})
    assert codes(plan(signed, next_image, signature="warn", release_cache=str(tmp_path / "new"))) == []


def test_each_path_of_a_fleet_needs_the_signatures_that_are_required(plan, signed, next_image, signatures, tmp_path):
    trusted = old_release(tmp_path, KEY, signatures)
    other = old_release(tmp_path / "other", Key("Other"), signatures)
    paths = {"a": [str(trusted), signed, next_image], "b": [str(other), signed], "c": [signed, next_image]}
    good, bad, first = ({"name": name, "releases": path} for name, path in paths.items())
    assert not plan(clusters=[good], releases=None).failed
    assert set(faults(plan(clusters=[good, bad], releases=None))) == {"signature-unknown-key", "not-verified"}
    # No release verifies the first one of a path, so its own keys have to be known ones.
    assert set(faults(plan(clusters=[good, first], releases=None))) == {"unknown-release-keys", "not-verified"}


def verdict(outcome: Outcome) -> tuple[str, list[str], list[str]]:
    """Return verdict, codes of reasons, and codes of what was not checked about signatures, of the last hop."""
    hop = outcome["hops"][-1]
    unchecked = [item["code"] for item in hop["not_checked"] if "signature" in item["code"]]
    return hop["verdict"], [item["code"] for item in hop["reasons"]], unchecked


def test_an_update_to_an_image_that_the_outgoing_release_does_not_accept_is_blocked(plan, signed, signatures, tmp_path):
    good, other = (old_release(tmp_path / name, key, signatures) for name, key in (("a", KEY), ("b", Key("Other"))))
    assert verdict(plan(good, signed, signature="warn")) == ("go", [], [])
    outcome = plan(other, signed, signature="warn")
    assert verdict(outcome) == ("blocked", ["release-not-signed"], [])
    assert KEY.fingerprint[-16:] in outcome["hops"][0]["reasons"][0]["message"]
    (path,) = signatures.rglob("signature-1")
    path.unlink()
    unsigned = plan(good, signed, signature="warn", release_cache=tmp_path / "new")
    assert verdict(unsigned) == ("blocked", ["release-not-signed"], [])


def test_an_update_to_an_image_that_could_not_be_verified_says_so(
    plan, signed, next_image, silent, signatures, tmp_path
):
    good = old_release(tmp_path, KEY, signatures)
    (tmp_path / "no-certificate.pem").touch()
    for options in (
        {"signature": "ignore"},
        {"signature": "warn", "signature_stores": [silent.url]},
        {"signature": "warn", "ca_path": str(tmp_path / "no-certificate.pem")},
    ):
        assert verdict(plan(good, signed, **options)) == ("go", [], ["release-signature"])
    # Nothing verified the first image, so its keys are not known.
    assert verdict(plan(signed, next_image, signature="warn")) == ("go", [], ["release-signature"])


def test_each_path_of_a_fleet_is_judged_by_the_keys_of_its_release(plan, signed, signatures, tmp_path):
    keys = {"good": KEY, "bad": Key("Other")}
    paths = {name: [str(old_release(tmp_path / name, key, signatures)), signed] for name, key in keys.items()}
    clusters = [{"name": name, "releases": path} for name, path in paths.items()]
    outcome = plan(clusters=clusters, releases=None, signature="warn")
    found = {name: outcome["plans"][index]["hops"][0]["verdict"] for name, index in outcome["clusters"].items()}
    assert found == {"good": "go", "bad": "blocked"}


def cluster_version(url: str) -> dict[str, Any]:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "spec": {"clusterID": "x", "signatureStores": [{"url": url}]},
    }


def test_the_signature_stores_of_the_cluster_are_asked(plan, signed, signatures, silent, tmp_path):
    """They replace those of the old release, which is empty here."""
    (tmp_path / "empty").mkdir()
    good = old_release(tmp_path / "a", KEY, tmp_path / "empty")
    given = {"signature": "warn", "signature_stores": []}
    for url, expected in (
        (f"file://{signatures}", ("go", [], [])),
        (f"file://{tmp_path}/empty", ("blocked", ["release-not-signed"], [])),
        (silent.url, ("go", [], ["release-signature"])),
    ):
        assert verdict(plan(good, signed, cluster_version=cluster_version(url), **given)) == expected
    (path,) = signatures.rglob("signature-1")
    path.unlink()
    # The result for these stores is remembered, whatever was asked in between.
    found = plan(good, signed, cluster_version=cluster_version(f"file://{signatures}"), **given)
    assert verdict(found) == ("go", [], [])
    assert verdict(plan(good, signed, **given)) == ("blocked", ["release-not-signed"], [])


def test_given_signature_stores_count_instead_of_those_of_the_cluster_which_are_named(
    plan, signed, signatures, tmp_path
):
    good, other = (old_release(tmp_path / name, key, signatures) for name, key in (("a", KEY), ("b", Key("Other"))))
    given = {"cluster_version": cluster_version("https://user:secret@store.example.com/a"), "signature": "warn"}
    assert verdict(plan(good, signed, **given)) == ("go", [], ["signature-stores"])
    outcome = plan(other, signed, **given)
    assert verdict(outcome) == ("go", [], ["signature-stores", "release-signature"])
    text = str(outcome["hops"][0]["not_checked"])
    assert "https://store.example.com/a" in text
    assert "secret" not in text
