# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation of results describes every key, and a result that is not as documented is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ansible_collections.capability.openshift.tests.unit.result_schemas import check_result, documented, result_schema

NAMES = sorted(path.stem for path in (Path(__file__).parents[2] / "plugins" / "modules").glob("[!_]*.py"))
OF_THE_API = {
    "cluster_capabilities.spec",
    "cluster_capabilities.condition",
    "cluster_capabilities_info.spec",
    "cluster_capabilities_info.condition",
    "cluster_capabilities_info.inclusion_criteria.overrides",
    "install_config.capabilities",
    "install_config.cluster_version_spec",
    "install_config.hosted_cluster_spec",
    "release_apply.capability_status.condition",
    "site_check.sites.capabilities",
    "update_plan.condition",
}
"""Returned values that others define: parts of objects of the API, and of the files of users."""
PROBLEM = {"severity": "info", "code": "a", "where": "b", "message": "c", "hint": ""}


def samples(entries: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the samples of returned values in all depths, each with its schema."""
    for name, entry in entries.items():
        own = schema["additionalProperties"] if name.isupper() else schema["properties"][name]
        if "sample" in entry:
            yield entry["sample"], own
        yield from samples(entry.get("contains", {}), own.get("items", own))


@pytest.mark.parametrize("name", NAMES)
def test_the_samples_of_returned_values_are_valid(name):
    found = result_schema(name)
    for sample, schema in samples(documented(name), found):
        assert [error.message for error in Draft202012Validator(schema).iter_errors(sample)] == []


def open_maps(entries: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield the returned values in all depths that are maps, or lists of them, without documented keys."""
    for name, entry in entries.items():
        path = f"{where}.{name}"
        is_other = "".join(entry["description"]).startswith("As RV(")
        if "dict" in (entry["type"], entry.get("elements")) and "contains" not in entry and not is_other:
            yield path
        yield from open_maps(entry.get("contains", {}), path)


def test_the_keys_of_all_returned_maps_are_documented():
    # A plan has the keys of the result for one cluster: plugins/modules/test_update_plan_documentation.py.
    described_elsewhere = {"update_plan.plans"}
    assert {path for name in NAMES for path in open_maps(documented(name), name)} == OF_THE_API | described_elsewhere


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "green"},
        {"help": "false"},
        {"help": None},
        {"problems": [{**PROBLEM, "line": 3}]},
        {"problems": [{**PROBLEM, "hint": None}]},
        {"problems": [{"severity": "info"}]},
        {"failed": True},
    ],
)
def test_a_result_that_is_not_as_documented_is_found(change):
    result = {"changed": False, "help": False, "directory": "", "check_mode": False, "problems": [PROBLEM]}
    check_result("validate_arguments", result)
    with pytest.raises(AssertionError, match="validate_arguments returned what it does not document"):
        check_result("validate_arguments", {**result, **change})


def test_a_result_lacks_no_key_unless_the_module_failed():
    with pytest.raises(AssertionError):
        check_result("validate_arguments", {"problems": []})
    check_result("validate_arguments", {"failed": True, "msg": "missing required arguments: playbook"})
