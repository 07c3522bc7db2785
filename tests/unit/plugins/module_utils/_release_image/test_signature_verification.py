# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""With which keys a release in an image is verified. Its own prove nothing; tests/registry verifies signatures."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.cache import (
    CachedRelease,
    ReleaseImage,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import (
    PreviousRelease,
    SignatureOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_verification import (
    verify_release,
)
from ansible_collections.capability.openshift.plugins.module_utils._signature.verification_config import ANNOTATION
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_release

DIGEST = f"sha256:{'1' * 64}"


@pytest.fixture(scope="module")
def ring() -> bytes:
    return Key().ring


def release(path: Path, ring: bytes) -> str:
    data = base64.encodebytes(ring).decode()
    block = f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{data}-----END PGP PUBLIC KEY BLOCK-----\n"
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "release-verification", "annotations": {ANNOTATION: ""}},
        "data": {"verifier-public-key-x": block, "store-x": "https://127.0.0.1:9"},
    }
    return str(write_release(path, {"0000_90_verification.yaml": json.dumps(config)}))


@pytest.mark.parametrize(
    ("keys", "previous", "code"),
    [(False, False, "unknown-release-keys"), (True, False, "no-signature"), (False, True, "no-signature")],
)
def test_only_keys_from_elsewhere_are_trusted(
    tmp_path: Path, ring: bytes, keys: bool, previous: bool, code: str
) -> None:
    directory = release(tmp_path / "release", ring)
    (tmp_path / "key.gpg").write_bytes(ring)
    (tmp_path / "stores").mkdir()
    before = PreviousRelease("before", release(tmp_path / "before", ring)) if previous else None
    given: Any = [str(tmp_path / "key.gpg")] if keys else []
    options = SignatureOptions("required", given, [str(tmp_path / "stores")], before)
    image = ReleaseImage(DIGEST, DIGEST, "amd64", "registry.example/release", 1, 1)
    problems = Problems()

    assert verify_release("release", CachedRelease(directory, image), options, None, {}, problems) == ()
    assert [problem.code for problem in problems] == [code]
