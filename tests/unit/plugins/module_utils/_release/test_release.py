# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option with a version: what it accepts, and how it reports anything else."""

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.release import read_minor


@pytest.mark.parametrize("value", ["4.20", "4.20.3", "4.20.0-rc.1"])
def test_a_version_has_a_minor(value):
    problems = Problems()

    assert read_minor(value, "here", problems) == Minor(4, 20)
    assert problems == []


@pytest.mark.parametrize(
    "value",
    ["", "4", "v4.20", "4.020", "4.20.", "4.20.x", "4.20.3-", " 4.20", "4.20\n", "\u0664.20", None, True, [], {}],
)
def test_other_values_are_reported_with_the_format(value):
    problems = Problems()

    assert read_minor(value, "here", problems) is None
    (problem,) = problems
    assert (problem.severity, problem.code, str(problem.where)) == ("error", "invalid-version", "here")
    assert problem.message.startswith(f"{value!r} is not")
    assert "4.20.3" in problem.hint


@pytest.mark.parametrize("value", [4.2, 4, 5.1])
def test_a_number_has_to_be_quoted(value):
    problems = Problems()
    read_minor(value, "openshift_version", problems)

    assert problems[0].message.startswith(f"{value!r} is a number")
    assert "Quote it" in problems[0].hint
