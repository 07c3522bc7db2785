# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules that decide on a release take a solution instead of a selection, as install_config does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import (
    addon_check,
    install_config,
    release_info,
    release_manifests,
    update_plan,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Call

EXAMPLES = Path(__file__).parents[4] / "examples"
RELEASE = str(EXAMPLES / "releases" / "4.21.0")
NEWER = str(EXAMPLES / "releases" / "4.22.0")


@pytest.fixture
def expected(call: Call) -> list[str]:
    """The names of the solution in an install-config."""
    return call(install_config, solution="headless", release=RELEASE, install_method="upi")["enabled_capabilities"]


@pytest.mark.parametrize(
    ("module", "options"),
    [
        (release_manifests, {"release": RELEASE}),
        (release_info, {"release": RELEASE}),
        (addon_check, {"release": RELEASE, "addons": [str(EXAMPLES / "releases")], "fail_on": "never"}),
    ],
)
def test_a_solution_enables_the_names_that_an_installation_has(module, options, expected, call):
    result: dict[str, Any] = call(module, solution="headless", **options).result
    enabled = result.get("release", result)["enabled_capabilities"]

    assert "Console" not in enabled
    assert enabled == expected


@pytest.mark.parametrize("fleet", [True, False])
def test_a_plan_starts_from_a_solution(fleet, expected, call):
    options = {"clusters": [{"name": "paris", "solution": "headless"}]} if fleet else {"solution": "headless"}
    outcome = call(update_plan, releases=[RELEASE, NEWER], **options)
    plan = outcome["plans"][0] if fleet else outcome.result

    assert plan["hops"][0]["enabled_before"] == expected


def test_a_plan_of_an_unknown_solution_is_an_error(call):
    outcome = call(update_plan, releases=[RELEASE, NEWER], solution="headles")

    assert outcome.faults == [("unknown-solution", "solution")]
