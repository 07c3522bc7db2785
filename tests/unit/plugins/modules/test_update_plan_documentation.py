# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""update_plan returns each key when its documentation says so. The schema of the result checks types and other keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import cluster_version

RETURN: dict[str, Any] = yaml.safe_load(update_plan.RETURN)
ANSIBLES_OWN = {"changed", "diff", "failed", "invocation", "msg", "warnings"}


class State(NamedTuple):
    """What decides which values there are."""

    fleet: bool = False
    report: bool = False
    details: bool = True


def wanted(text: str, state: State) -> bool:
    fleet, report, details = state
    return (
        not ("without O(clusters)" in text and fleet)
        and not ("with O(clusters)" in text.replace("without", "") and not fleet)
        and not (text.startswith("when O(report)") and not report)
        and not (text == "with details" and not details)
        and text != "if options select a cluster"
    )


def keys(documented: Mapping[str, Any], state: State) -> set[str]:
    return {key for key, entry in documented.items() if wanted(entry["returned"], state)}


@pytest.mark.parametrize("details", [True, False])
@pytest.mark.parametrize("report", [True, False])
def test_every_key_of_a_cluster_is_returned_when_the_documentation_says_so(details, report, run, tmp_path):
    state = State(False, report, details)
    outcome = run(details=details, **({"report": tmp_path / "report.md"} if report else {}))

    assert set(outcome.result) - ANSIBLES_OWN == keys(RETURN, state)
    assert [set(hop) for hop in outcome["hops"]] == [keys(RETURN["hops"]["contains"], state)]


@pytest.mark.parametrize("details", [True, False])
def test_every_key_of_a_fleet_is_returned_when_the_documentation_says_so(details, run):
    state = State(True, False, details)
    outcome = run(clusters=[{"name": "one", "cluster_version": cluster_version(version="4.12.9")}], details=details)

    assert set(outcome.result) - ANSIBLES_OWN == keys(RETURN, state)
    (plan,) = outcome["plans"]
    of_one = {key for key, entry in RETURN.items() if "without O(clusters)" in entry["returned"]}
    assert set(plan) == {*of_one, "problems"}
    assert [set(hop) for hop in plan["hops"]] == [keys(RETURN["hops"]["contains"], state)]
