# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pull specs: what is read, what is reported, and that text survives the way there and back."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import (
    PullSpec,
    is_digest,
    parse_pull_spec,
)

DIGEST = "sha256:" + "0123456789abcdef" * 4
HINT = "Set it to REGISTRY/REPOSITORY@sha256:DIGEST"  # an option can need the digest


def parse(text: str) -> tuple[PullSpec | None, list[tuple[str, ...]]]:
    problems = Problems()
    spec = parse_pull_spec(text, "release", problems)
    return spec, [tuple(problem.as_dict().values()) for problem in problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"quay.io/openshift-release-dev/ocp-release@{DIGEST}",
            PullSpec("quay.io", "openshift-release-dev/ocp-release", None, DIGEST),
        ),
        ("quay.io/ocp/release:4.20.3-x86_64", PullSpec("quay.io", "ocp/release", "4.20.3-x86_64")),
        (f"mirror.example:8443/a/b__c:t@{DIGEST}", PullSpec("mirror.example:8443", "a/b__c", "t", DIGEST)),
        (f"localhost/x@{DIGEST}", PullSpec("localhost", "x", None, DIGEST)),
        (f"[::1]:5000/x.y/z@{DIGEST}", PullSpec("[::1]:5000", "x.y/z", None, DIGEST)),
        ("registry:5000/ocp:latest", PullSpec("registry:5000", "ocp", "latest")),
        (f"quay.io/{'a' * 247}:t", PullSpec("quay.io", "a" * 247, "t")),
    ],
)
def test_a_pull_spec_is_read_and_written_as_it_was(text, expected):
    assert parse(text) == (expected, [])
    assert str(expected) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("docker.io/release:4", "docker.io/library/release"),
        ("docker.io/ocp/release:4", "docker.io/ocp/release"),
        ("index.docker.io/release:4", "docker.io/library/release"),
        ("registry-1.docker.io/release:4", "registry-1.docker.io/release"),
    ],
)
def test_an_image_of_docker_hub_has_one_name(text, name):
    spec, problems = parse(text)
    assert spec
    assert spec.name == name
    assert problems == []


def test_the_digest_counts_more_than_the_tag():
    spec = PullSpec("quay.io", "a/b", "4.20.3", DIGEST)

    assert spec.reference == DIGEST
    assert spec.name == "quay.io/a/b"
    assert spec._replace(digest=None).reference == "4.20.3"
    assert str(PullSpec("quay.io", "a/b", "4.20.3").with_digest(DIGEST)) == f"quay.io/a/b@{DIGEST}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ocp-release:4.20.3", "invalid-pull-spec"),
        ("openshift/ocp-release:4.20.3", "invalid-pull-spec"),
        (f"-quay.io/a@{DIGEST}", "invalid-pull-spec"),
        (f"quay.io/OCP@{DIGEST}", "invalid-pull-spec"),
        (f"quay.io/a//b@{DIGEST}", "invalid-pull-spec"),
        (f"quay.io/../b@{DIGEST}", "invalid-pull-spec"),
        (f"quay.io/{'a' * 248}@{DIGEST}", "invalid-pull-spec"),
        (f"quay.io/a b@{DIGEST}", "invalid-pull-spec"),
        ("quay.io/a:", "invalid-tag"),
        (f"quay.io/a:{'t' * 129}", "invalid-tag"),
        ("quay.io/a:b:c", "invalid-tag"),
        ("quay.io/a@", "invalid-digest"),
        (f"quay.io/a@{DIGEST}0", "invalid-digest"),
        (f"quay.io/a@{DIGEST.upper()}", "invalid-digest"),
        ("quay.io/a@sha512:" + "0" * 128, "invalid-digest"),
        ("quay.io/a", "missing-digest"),
    ],
)
def test_a_pull_spec_that_is_not_valid(text, code):
    spec, problems = parse(text)

    assert spec is None
    assert [problem[:3] for problem in problems] == [("error", code, "release")]


def test_several_wrong_parts_are_reported_together():
    assert [problem[1] for problem in parse("quay.io/A:-t@sha256:0")[1]] == [
        "invalid-pull-spec",
        "invalid-tag",
        "invalid-digest",
    ]


@pytest.mark.parametrize(
    ("scheme", "hint"),
    [("docker://", "Remove docker://"), ("https://", "Remove https://, or download the file and name its path")],
)
def test_a_scheme_is_named_with_what_to_do(scheme, hint):
    message = f"begins with '{scheme}', expected a pull spec without a scheme"

    expected = ("error", "invalid-pull-spec", "release", message, hint)

    assert parse(f"{scheme}quay.io/a@{DIGEST}") == (None, [expected])


def test_the_sentence_for_a_missing_digest():
    message = "is 'quay.io/a', which has neither a tag nor a digest"
    assert parse("quay.io/a")[1] == [("error", "missing-digest", "release", message, "Add @sha256:DIGEST")]


def test_a_digest():
    assert is_digest(DIGEST)
    assert not is_digest(DIGEST[:-1])
    assert not is_digest(None)
