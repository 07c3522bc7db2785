# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which digests can be verified, and how stores write them."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.signature_stores import key_prefix
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verifier import check_digest


@pytest.mark.parametrize(
    ("digest", "code"),
    [
        ("sha256:" + "a" * 64, ""),
        ("sha-2+x.y:Z=_-", ""),
        ("", "no-digest"),
        ("sha256", "invalid-digest"),
        ("sha256:", "invalid-digest"),
        ("sha256:a/b", "invalid-digest"),
        ("SHA:a", "invalid-digest"),
        ("sha256:a\n", "invalid-digest"),
    ],
)
def test_a_digest_that_the_cvo_accepts(digest: str, code: str) -> None:
    problems = Problems()
    assert check_digest("image", digest, problems) == (not code)
    assert [(item.code, str(item.where)) for item in problems] == ([(code, "image")] if code else [])


def test_a_digest_in_paths_and_names() -> None:
    assert (key_prefix("sha256:ab", "="), key_prefix("sha256:ab", "-")) == ("sha256=ab", "sha256-ab")
