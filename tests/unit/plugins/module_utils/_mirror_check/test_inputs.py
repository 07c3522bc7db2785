# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a check of a mirror needs: the images, the policies, and how signatures are verified."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.inputs import (
    MirrorOptions,
    mirror_request,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.row import ImageRow
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    image_references,
    manifest,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.sigstore import image_policy

DIGEST = f"sha256:{'a' * 64}"
NAME = "quay.io/openshift-release-dev/ocp-release"
_OF_RELEASES = ("no-verification-config", "missing-feature-gates")


def options(**changed: Any) -> MirrorOptions:
    return MirrorOptions(f"{NAME}@{DIGEST}", "release", "self-managed-high-availability", "", (), (), "amd64")._replace(
        **changed
    )


@pytest.fixture
def release(tmp_path) -> Release:
    images = {"web": f"quay.io/art@{DIGEST}", "cli": f"quay.io/art:tag@{DIGEST}", "bad": "quay.io/art:tag"}
    references = image_references("4.21.0", images)
    path = write_release(tmp_path / "release", {"a.yaml": manifest("one")}, "4.21.0", references=references)
    return load_release(str(path), Problems())


def request(release: Release, previous: Release | None = None, **changed: Any):
    problems = Problems()
    found = mirror_request(release, previous, options(**changed), http_get, problems)
    return found, [(item.code, str(item.where)) for item in problems if item.code not in _OF_RELEASES]


def http_get(url: str) -> Any:
    raise AssertionError(f"nothing is read yet, not even {url}")


def test_only_the_release_image_is_checked_unless_all_are_requested(release):
    found, problems = request(release)
    assert ({name: str(spec) for name, spec in found.images.items()}, problems) == ({"release": f"{NAME}@{DIGEST}"}, [])
    found, problems = request(release, images="all")
    assert list(found.images) == ["release", "cli", "web"]
    assert str(found.images["cli"]) == f"quay.io/art@{DIGEST}"
    assert problems == [("missing-digest", "image-references: bad")]


@pytest.mark.parametrize(
    ("scope", "images", "expected"),
    [
        (NAME, "release", []),
        ("quay.io/art", "release", [("unchecked-signatures", "images")]),
        ("quay.io/art", "all", [("missing-digest", "image-references: bad")]),
    ],
)
def test_a_policy_for_images_that_are_not_checked_is_a_warning(tmp_path, scope, images, expected):
    """From 4.22 on, the policy of a release covers all its images."""
    policy = image_policy(ec.generate_private_key(ec.SECP256R1()), [scope])
    policy["metadata"]["annotations"] = {"include.release.openshift.io/self-managed-high-availability": "true"}
    references = image_references("4.22.0", {"web": f"quay.io/art@{DIGEST}", "bad": "quay.io/art:tag"})
    path = write_release(tmp_path / "covered", {"policy.json": json.dumps(policy)}, "4.22.0", references=references)
    _found, problems = request(load_release(str(path), Problems()), images=images)
    assert problems == expected


@pytest.mark.parametrize(
    ("image", "code"),
    [(None, "missing-release-image"), (f"{NAME}:4.21.0", "missing-digest"), ("release", "invalid-pull-spec")],
)
def test_a_release_image_needs_a_name_and_a_digest(release, image, code):
    found, problems = request(release, release_image=image)
    assert (dict(found.images), problems) == ({}, [(code, "release_image")])


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [("cluster_profile", "self-managed", "unknown-profile"), ("feature_set", "TechPreview", "unknown-feature-set")],
)
def test_a_profile_or_feature_set_without_policies_is_an_error(release, option, value, code):
    """Otherwise, no policy would demand a signature."""
    _found, problems = request(release, release, **{option: value})
    assert problems.count((code, option)) == 1


@pytest.mark.parametrize("field", ["openpgp", "sigstore"])
@pytest.mark.parametrize(
    ("state", "ready"),
    [("verified", True), ("not_required", True), ("missing", False), ("invalid", False), ("unknown", False)],
)
def test_a_row_is_ready_if_no_signature_is_missing(field, state, ready):
    states: dict[str, Any] = {"openpgp": "verified", "sigstore": "verified", field: state}
    problem = Problem("error", "no-signature", "here", "has none")
    row = ImageRow(
        "cli", "quay.io/art", "mirror.example/art", in_mirror=True, problems=(problem,), commands=(), **states
    )
    assert row.ready == ready
    assert not row._replace(in_mirror=False).ready
    assert row.as_dict()["problems"] == [problem.as_dict()]
