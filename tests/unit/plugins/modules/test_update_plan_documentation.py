# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What update_plan returns is what its documentation says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import NOTHING, cluster_version

RETURN: dict[str, Any] = yaml.safe_load(update_plan.RETURN)
ANSIBLES_OWN = {"changed", "diff", "failed", "invocation", "msg", "warnings"}
TYPES = {"str": str, "bool": bool, "int": int, "list": list, "dict": dict, "path": str}


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


def is_a(documented: str, value: Any) -> bool:
    return isinstance(value, TYPES[documented])


def assert_documented(values: Mapping[str, Any], documented: Mapping[str, Any], state: State) -> set[str]:
    """Check keys and types in all depths, and return the paths of the documented lists of dicts that were seen."""
    keys = {key for key, entry in documented.items() if wanted(entry["returned"], state)}
    assert set(values) - ANSIBLES_OWN == keys
    seen: set[str] = set()
    for key in keys:
        entry, value = documented[key], values[key]
        assert entry["description"]
        assert value is None or is_a(entry["type"], value), key
        if "elements" in entry:
            assert all(is_a(entry["elements"], item) for item in value), key
        for item in value if "contains" in entry else ():
            seen |= {key} | {f"{key}.{below}" for below in assert_documented(item, entry["contains"], state)}
    return seen


@pytest.mark.parametrize("details", [True, False])
@pytest.mark.parametrize("report", [True, False])
def test_every_returned_key_is_documented_and_vice_versa(details, report, run, tmp_path):
    options = {"report": tmp_path / "report.md"} if report else {}
    # The second problem is a warning, so that problems are not empty.
    outcome = run(
        cluster_version=cluster_version(version="4.12.9"),
        feature_set="TechPreviewNoUpgrade",
        details=details,
        **options,
    )

    seen = assert_documented(outcome.result, RETURN, State(False, report, details))
    of_hops = {"hops.reasons", "hops.not_checked", "hops.implicitly_enabled", "hops.implicitly_enabled.resources"}
    assert seen == {"hops", *of_hops, "problems"}


@pytest.mark.parametrize("details", [True, False])
def test_every_key_of_a_fleet_is_documented_and_the_other_way_round(details, run):
    warned = {"name": "one", "cluster_version": cluster_version(version="4.12.9")}
    outcome = run(clusters=[warned], details=details)

    assert assert_documented(outcome.result, RETURN, State(True, False, details)) == {"problems"}
    (plan,) = outcome["plans"]
    single = {key: entry for key, entry in RETURN.items() if key != "violations"}
    assert_documented(plan, single, State(False, False, details))


def prose(entry: Mapping[str, Any]) -> set[str]:
    """Return the keys that a description names."""
    description = entry["description"]
    text = description if isinstance(description, str) else " ".join(description)
    found = re.findall(r"C\(([a-z_]+)\)|RV\(hops\[\]\.([a-z_]+)\)", text)
    return {first or second for first, second in found}


@pytest.mark.parametrize("key", ["counts", "added", "created_components"])
def test_keys_that_are_documented_in_prose_are_those_of_a_hop(key, run, releases):
    path = [releases.r4_13, releases.r4_10] if key == "created_components" else releases.hop
    options = {"capabilities": NOTHING, "feature_set": "TechPreviewNoUpgrade", "allow_downgrade": True}
    value = run(releases=path, **options)["hops"][0][key]

    (found,) = {tuple(sorted(item)) for item in (value if isinstance(value, list) else [value])}
    documented = RETURN["hops"]["contains"]
    # All but the lengths name other keys of the hop in passing.
    assert set(found) == prose(documented[key]) - (set() if key == "counts" else documented.keys())


def test_keys_of_the_condition_and_of_violations_are_documented_in_prose(run):
    outcome = run(capabilities=NOTHING, fail_on=["MachineAPI"])

    assert set(outcome["condition"]) == prose(RETURN["condition"])
    assert set(outcome["violations"][0]) == prose(RETURN["violations"])
