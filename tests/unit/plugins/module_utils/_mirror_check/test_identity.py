# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the name in a sigstore signature counts for an image: the same answers as containers/image."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.identity import (
    EXACT_REPOSITORY,
    MATCH_DIGEST_OR_EXACT,
    MATCH_REPOSITORY,
    REMAP_IDENTITY,
    SignedIdentity,
    accepts_identity,
    parse_image_name,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems

DIGEST = f"sha256:{'a' * 64}"
RELEASE = "quay.io/openshift-release-dev/ocp-release"
DEFAULT = SignedIdentity()
REMAP = SignedIdentity(REMAP_IDENTITY, prefix="mirror.example.com/ocp", signed_prefix="quay.io/openshift-release-dev")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RELEASE}:4.21.0@{DIGEST}", f"{RELEASE}:4.21.0@{DIGEST}"),
        ("busybox", "docker.io/library/busybox"),
        ("docker.io/busybox:1", "docker.io/library/busybox:1"),
        ("example/app", "docker.io/example/app"),
        ("localhost/app", "localhost/app"),
        ("localhost:5000/app", "localhost:5000/app"),
        ("[::1]:5000/app", "[::1]:5000/app"),
        ("Host/app", "Host/app"),
        ("quay.io/App", None),
        ("quay.io/app:", None),
        ("quay.io/app:gr\u00f6\u00dfe", None),
        ("quay.io/app@sha256:abc", None),
        ("https://quay.io/app", None),
        ("quay.io/app\n", None),
        ("", None),
    ],
)
def test_names_are_split_and_completed(text, expected):
    name = parse_image_name(text)
    assert (str(name) if name else None) == expected


@pytest.mark.parametrize(
    ("image", "signed", "rule", "accepted"),
    [
        (f"{RELEASE}@{DIGEST}", f"{RELEASE}:4.21.0-x86_64", DEFAULT, True),
        (f"{RELEASE}@{DIGEST}", f"{RELEASE}@{DIGEST}", DEFAULT, True),
        (f"{RELEASE}@{DIGEST}", RELEASE, DEFAULT, False),
        (f"{RELEASE}@{DIGEST}", "quay.io/openshift-release-dev/other:4.21.0", DEFAULT, False),
        (f"{RELEASE}:4.21.0", f"{RELEASE}:4.21.0", DEFAULT, True),
        (f"{RELEASE}:4.21.0", f"{RELEASE}:4.21.1", DEFAULT, False),
        (f"{RELEASE}:4.21.0@{DIGEST}", f"{RELEASE}:4.21.0", DEFAULT, False),
        (RELEASE, f"{RELEASE}:4.21.0", DEFAULT, False),
        (f"{RELEASE}@{DIGEST}", RELEASE, SignedIdentity(MATCH_REPOSITORY), True),
        (f"{RELEASE}@{DIGEST}", f"{RELEASE}-nightly", SignedIdentity(MATCH_REPOSITORY), False),
        (f"mirror.example.com/x@{DIGEST}", RELEASE, SignedIdentity(EXACT_REPOSITORY, repository=RELEASE), True),
        (f"{RELEASE}@{DIGEST}", "quay.io/x:1", SignedIdentity(EXACT_REPOSITORY, repository=RELEASE), False),
        (f"{RELEASE}@{DIGEST}", "quay.io/x:1", SignedIdentity(EXACT_REPOSITORY, repository="!"), False),
        (f"mirror.example.com/ocp/ocp-release@{DIGEST}", f"{RELEASE}:4.21.0", REMAP, True),
        (f"mirror.example.com/ocp2/ocp-release@{DIGEST}", f"{RELEASE}:4.21.0", REMAP, False),
        (f"{RELEASE}@{DIGEST}", f"{RELEASE}:4.21.0", REMAP, True),
        (f"{RELEASE}@{DIGEST}", "not a name", SignedIdentity(MATCH_REPOSITORY), False),
    ],
)
def test_each_match_policy(image, signed, rule, accepted):
    name, problems = parse_image_name(image), Problems()
    assert name
    assert accepts_identity("mirror", name, signed, rule, problems) == accepted
    assert [problem.code for problem in problems] == ([] if accepted else ["sigstore-identity"])


def test_the_reason_names_the_rule():
    name, problems = parse_image_name(f"{RELEASE}@{DIGEST}"), Problems()
    assert name
    accepts_identity("mirror", name, RELEASE, DEFAULT, problems)
    assert problems[0].message == (
        f"is a signature of '{RELEASE}', which {MATCH_DIGEST_OR_EXACT} does not accept for {name}"
    )
