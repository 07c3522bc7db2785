# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from itertools import combinations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.version import (
    Minor,
    is_semantic_version,
    minor_of,
    precedence,
)


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("4.20", Minor(4, 20)),
        ("4.20.3", Minor(4, 20)),
        ("4.20.0-rc.1", Minor(4, 20)),
        ("4.20.0-0.okd-scos-2025-01-01-000000", Minor(4, 20)),
        ("5.0.0-ec.1+build.5", Minor(5, 0)),
    ],
)
def test_the_minor_of_a_version(text, minor):
    assert minor_of(text) == minor


@pytest.mark.parametrize(
    "value", ["", "4", "v4.20", "4.020", "4.20.", "4.20.x", "4.20.3-", " 4.20", "4.20\n", "\u0664.20"]
)
def test_other_texts_have_no_minor(value):
    with pytest.raises(ValueError, match="is not a version of OpenShift"):
        minor_of(value)


# semver.org, and blang/semver Parse, which the CVO uses
@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("4.20.3", True),
        ("4.20.0-rc.1", True),
        ("4.20.0-0.nightly-2025-01-01-000000", True),
        ("4.20.3+meta", True),
        ("4.20", False),
        ("v4.20.3", False),
        ("4.20.03", False),
        ("4.20.3-01", False),
        ("4.20.3-", False),
        ("4.20.3+", False),
        ("", False),
    ],
)
def test_release_metadata_needs_a_semantic_version(text, valid):
    assert is_semantic_version(text) is valid


def test_minors_compare_across_majors():
    assert Minor(4, 9) < Minor(4, 10) < Minor(5, 0)
    assert str(Minor(4, 20)) == "4.20"


# semver.org 11, points 2 to 4: the example of each, and the kinds of versions that OpenShift has
@pytest.mark.parametrize(
    "ascending",
    [
        "1.0.0 2.0.0 2.1.0 2.1.1",
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0",
        "4.9.59 4.10.0 4.10.2 4.10.10 4.11.0-fc.0 4.11.0-rc.0 4.11.0 4.20.0 5.0.0-ec.0 5.0.0",
        "4.20.0-0.nightly-2025-01-01-000000 4.20.0-0.nightly-2025-01-02-000000 4.20.0-ec.1 4.20.0-rc.9 4.20.0-rc.10",
        "1.0.0-0 1.0.0-1 1.0.0-9 1.0.0-10 1.0.0--1 1.0.0-9a 1.0.0-A 1.0.0-a 1.0.0-a.0 1.0.0-a.a",
    ],
)
def test_versions_are_ordered_as_semver_org_says(ascending):
    for lower, higher in combinations(ascending.split(), 2):
        assert precedence(lower) < precedence(higher)
        assert not precedence(higher) < precedence(lower)


# semver.org 10
@pytest.mark.parametrize("text", ["4.20.3+a", "4.20.3+b.1", "4.20.3+001"])
def test_build_metadata_has_no_part_in_the_order(text):
    assert precedence(text) == precedence("4.20.3")
    assert precedence("4.20.3-rc.1+x") == precedence("4.20.3-rc.1")


def test_a_minor_alone_is_its_first_release():
    assert precedence("4.20") == precedence("4.20.0")
    assert precedence("4.20.0-rc.1") < precedence("4.20") < precedence("4.20.1")


@pytest.mark.parametrize("text", ["", "4", "v4.20.3", "4.20.03", "4.20.3-01", "None"])
def test_what_is_no_version_has_no_place_in_the_order(text):
    with pytest.raises(ValueError, match="is not a version of OpenShift"):
        precedence(text)
