# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of a rollout that are checked before a cluster is read."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import check_rollout_options

OPTIONS = {
    "wait_timeout": 60,
    "parallelism": 8,
    "only": None,
    "mode": None,
    "previous_release": None,
    "prune": False,
    "allow_downgrade": False,
}


@pytest.mark.parametrize(
    ("parallelism", "codes"), [(0, ["invalid-number"]), (1, []), (64, []), (65, ["invalid-number"])]
)
def test_parallelism_has_limits(parallelism, codes):
    problems = Problems()
    check_rollout_options({**OPTIONS, "parallelism": parallelism}, problems)

    assert [problem.code for problem in problems] == codes


@pytest.mark.parametrize("given", [{"mode": "update"}, {"previous_release": "old"}, {"prune": True, "mode": "install"}])
@pytest.mark.parametrize("only", [None, "crds"])
def test_definitions_cannot_be_combined_with_options_of_whole_rollouts(given, only):
    problems = Problems()
    check_rollout_options({**OPTIONS, **given, "only": only}, problems)

    expected = {("conflicting-options", name) for name in given} if only else set()
    assert {(problem.code, str(problem.where)) for problem in problems} == expected
