# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The numbers among the options of a rollout."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import check_rollout_numbers


@pytest.mark.parametrize(
    ("parallelism", "codes"), [(0, ["invalid-number"]), (1, []), (64, []), (65, ["invalid-number"])]
)
def test_parallelism_has_limits(parallelism, codes):
    problems = Problems()
    check_rollout_numbers({"wait_timeout": 60, "parallelism": parallelism}, problems)

    assert [problem.code for problem in problems] == codes
