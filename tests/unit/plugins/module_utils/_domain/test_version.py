# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._domain.registry import Minor
from ansible_collections.capability.openshift.plugins.module_utils._domain.version import is_semantic_version, minor_of


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
    "value",
    ["", "4", "v4.20", "4.020", "4.20.", "4.20.x", "4.20.3-", " 4.20", "4.20\n", "\u0664.20", None, True, [], {}],
)
def test_what_is_no_version_says_how_to_write_one(value):
    with pytest.raises(ValueError, match="is not a version of OpenShift") as raised:
        minor_of(value, "here")

    problem = raised.value.args[0]
    assert problem.where == "here"
    assert "4.20.3" in problem.mend


@pytest.mark.parametrize("value", [4.2, 4, 5.1])
def test_a_number_is_told_to_be_quoted(value):
    with pytest.raises(ValueError, match="is not a version of OpenShift") as raised:
        minor_of(value)

    assert "Quote it" in raised.value.args[0].mend


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
