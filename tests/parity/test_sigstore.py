# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An image satisfies the policies of a cluster exactly if CRI-O runs it.

The Go program in ``go/images`` writes ``facts/sigstore.json``. It has random ClusterImagePolicies and signatures of one
image, and whether the library of CRI-O accepts the image, which it reads from a registry. To make it again:

    cd tests/parity/go/images
    go run -tags containers_image_openpgp . ../../facts
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.attachments import (
    SIGNATURE_ANNOTATION,
    SIGNATURE_TYPE,
    find_signatures,
    signature_tag,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.identity import ImageName
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.image_policy import (
    policies_of,
    read_image_policies,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.sigstore import verify_sigstore
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems, RegistryError
from ansible_collections.capability.openshift.tests.parity import make_facts

GOLDEN = make_facts.read("sigstore.json")
DIGEST = f"sha256:{hashlib.sha256(GOLDEN['manifest'].encode()).hexdigest()}"


class Layer(NamedTuple):
    """A layer with a signature, -1 without one. ``blob`` is "missing" or "broken" if its content is."""

    payload: int
    signature: int
    media_type: str = ""
    blob: str = ""

    @property
    def content(self) -> bytes:
        return GOLDEN["payloads"][self.payload].encode()

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"

    @property
    def descriptor(self) -> dict[str, Any]:
        known = {"mediaType": self.media_type or SIGNATURE_TYPE, "digest": self.digest, "size": len(self.content)}
        if self.signature < 0:
            return known
        return {**known, "annotations": {SIGNATURE_ANNOTATION: GOLDEN["signatures"][self.signature]}}


class Mirror:
    """A repository with the signatures of the image."""

    def __init__(self, layers: list[Layer] | None) -> None:
        self._manifest: bytes | None = None
        self._blobs: dict[str, bytes] = {}
        if layers is not None:
            descriptors = [layer.descriptor for layer in layers]
            self._manifest = json.dumps({"schemaVersion": 2, "layers": descriptors}).encode()
            for layer in layers:
                # As the registry of the oracle: equal payloads share one blob, the last one stored.
                if layer.blob == "broken":  # a client of a registry returns no damaged blob
                    self._blobs.pop(layer.digest, None)
                elif layer.blob != "missing":
                    self._blobs[layer.digest] = layer.content

    def manifest_of_tag(self, tag: str) -> bytes | None:
        assert tag == signature_tag(DIGEST)
        return self._manifest

    def blob(self, digest: str, size: int) -> bytes:
        if digest not in self._blobs:
            raise RegistryError([Problem("error", "blob-not-found", digest, "is missing")])
        return self._blobs[digest]


def policy(number: int, scope: int, key: int, identity: int) -> tuple[str, dict[str, Any]]:
    key_data = base64.b64encode(GOLDEN["keys"][key].encode()).decode()
    rules: dict[str, Any] = {"rootOfTrust": {"policyType": "PublicKey", "publicKey": {"keyData": key_data}}}
    if GOLDEN["identities"][identity]:
        rules["signedIdentity"] = GOLDEN["identities"][identity]
    name = f"policy-{number}"
    spec = {"scopes": [GOLDEN["scopes"][scope]], "policy": rules}
    head = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterImagePolicy", "metadata": {"name": name}}
    return name, {**head, "spec": spec}


def is_accepted(
    image: ImageName, requirements: list[list[int]], layers: list[Layer] | None, problems: Problems
) -> bool:
    manifests = [policy(number, *requirement) for number, requirement in enumerate(requirements)]
    policies = policies_of(image, read_image_policies(manifests, problems))
    if not policies:
        return True
    with problems.collect(RegistryError):
        signatures = find_signatures("image", image.digest, Mirror(layers), problems)
        return signatures is not None and verify_sigstore("image", image, signatures, policies, problems)
    return False


def repeats_a_free_field(layers: list[Layer] | None) -> bool:
    """Whether a payload has a field twice where CRI-O reads none of them. No signer writes that, and it is refused."""
    return any('{"b":1,"b":2}' in GOLDEN["payloads"][layer.payload] for layer in layers or ())


def test_an_image_is_accepted_exactly_if_crio_accepts_it() -> None:
    wrong = []
    for name, requirements, layers, expected in GOLDEN["cases"]:
        image = ImageName(GOLDEN["images"][name], "", DIGEST)
        problems = Problems()
        parsed = None if layers is None else [Layer(*layer) for layer in layers]
        is_stricter = expected and repeats_a_free_field(parsed)
        if is_accepted(image, requirements, parsed, problems) != expected and not is_stricter:
            wrong.append((str(image), requirements, parsed, expected, [str(problem) for problem in problems]))
    assert wrong == []
    answers = Counter(expected for *_case, expected in GOLDEN["cases"])
    assert answers[True] > 400
    assert answers[False] > 400
