# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files in schemas/: examples are valid, mistakes are found, and no schema accepts what Ansible rejects."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    PlaybookSpec,
    check_values,
    read_spec,
)
from ansible_collections.capability.openshift.tests.unit.result_schemas import check_result
from ansible_collections.capability.openshift.tests.unit.run_module import MODULES

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
PLAYBOOKS = sorted(path.stem for path in (SCHEMAS / "playbooks").glob("*.json"))
RESULTS = sorted(path.stem for path in (SCHEMAS / "results").glob("*.json"))
CLUSTERS = sorted(path.stem for path in (SCHEMAS / "clusters").glob("*.json"))
INSTALLATIONS = sorted((ROOT / "examples" / "install").glob("*.yml"))
OF_THE_API = {
    "cluster_capabilities.spec",
    "cluster_capabilities.condition",
    "cluster_capabilities_info.spec",
    "cluster_capabilities_info.condition",
    "cluster_capabilities_info.inclusion_criteria.overrides",
    "cluster_version_status.status",
    "cluster_version_status.condition",
    "release_apply.capability_status.condition",
    "site_check.sites.capabilities",
    "update_plan.read_from_cluster.overrides.value",
}
"""Returned values that others define: parts of objects of the API, and of the files of users."""
PROBLEM = {"severity": "info", "code": "a", "where": "b", "message": "c", "hint": ""}


@cache
def validator(name: str) -> Any:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text("utf-8")))


def mistakes(name: str, values: Any) -> set[tuple[str, str]]:
    """Return the path of each mistake, and the keyword that finds it."""
    return {(error.json_path, error.validator) for error in validator(name).iter_errors(values)}


def test_each_playbook_and_each_module_has_a_schema():
    assert [f"{name}.meta.yml" for name in PLAYBOOKS] == sorted(
        path.name for path in (ROOT / "playbooks").glob("*.meta.yml")
    )
    assert [f"{name}.py" for name in RESULTS] == sorted(
        path.name for path in (ROOT / "plugins" / "modules").glob("[!_]*.py")
    )
    assert set(CLUSTERS) == {"install_config", "update_plan"}


@pytest.mark.parametrize("path", sorted(SCHEMAS.rglob("*.json")), ids=lambda path: str(path.relative_to(SCHEMAS)))
def test_each_schema_is_valid(path):
    Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


# Examples


def commands(spec: PlaybookSpec) -> Iterator[dict[str, Any]]:
    """Yield the variables of each example that names no file with variables."""
    for line in spec.examples.replace("\\\n", " ").splitlines():
        words = shlex.split(line)
        given = [words[at + 1] for at, word in enumerate(words) if word == "-e"]
        if not any(text.startswith("@") for text in given):
            pairs = (yaml.safe_load(text) if text.startswith("{") else [text.split("=", 1)] for text in given)
            yield {name: value for pair in pairs for name, value in dict(pair).items()}


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_the_examples_of_a_playbook_are_valid(name):
    examples = list(commands(read_spec(name)))
    assert examples
    for values in examples:
        assert mistakes(f"playbooks/{name}", values) == set(), values


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_clusters_in_the_examples_of_a_module_are_valid(name):
    tasks = yaml.safe_load(import_module(f"{MODULES}.{name}").EXAMPLES)
    given = [task[f"capability.openshift.{name}"] for task in tasks if f"capability.openshift.{name}" in task]
    fleets = [options for options in given if "clusters" in options]
    assert fleets
    for options in fleets:
        assert mistakes(f"clusters/{name}", options) == set()


@pytest.mark.parametrize("path", INSTALLATIONS, ids=lambda path: path.stem)
def test_the_variables_of_the_examples_of_installations_are_valid(path):
    (play,) = yaml.safe_load(path.read_text("utf-8"))
    assert mistakes("inventory", play["vars"]) == set()


@pytest.mark.parametrize("name", ["playbooks/update_plan", "clusters/update_plan"])
def test_the_fleets_of_the_examples_are_valid(name):
    guide = (ROOT / "docs" / "how_to" / "plan_an_update.md").read_text("utf-8")
    (documented,) = re.findall(r"```yaml\n(# fleet\.yml.*?)```", guide, re.DOTALL)
    for text in (documented, (ROOT / "examples" / "fleet.yml").read_text("utf-8")):
        values = yaml.safe_load(text)
        assert values["clusters"]
        assert mistakes(name, values) == set()


def test_the_schema_that_an_example_names_exists():
    path = ROOT / "examples" / "fleet.yml"
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", path.read_text("utf-8"))
    assert named
    assert (path.parent / named[1]).resolve() == SCHEMAS / "playbooks" / "update_plan.json"


def samples(entries: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the samples of returned values in all depths, each with its schema."""
    for name, entry in entries.items():
        own = schema["additionalProperties"] if name.isupper() else schema["properties"][name]
        if "sample" in entry:
            yield entry["sample"], own
        yield from samples(entry.get("contains", {}), own.get("items", own))


@pytest.mark.parametrize("name", RESULTS)
def test_the_samples_of_returned_values_are_valid(name):
    found = validator(f"results/{name}")
    for sample, schema in samples(yaml.safe_load(import_module(f"{MODULES}.{name}").RETURN), found.schema):
        assert [error.message for error in found.evolve(schema=schema).iter_errors(sample)] == []


def open_maps(entries: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield the returned values in all depths that are maps, or lists of them, without documented keys."""
    for name, entry in entries.items():
        path = f"{where}.{name}"
        is_other = "".join(entry["description"]).startswith("As RV(")
        if "dict" in (entry["type"], entry.get("elements")) and "contains" not in entry and not is_other:
            yield path
        yield from open_maps(entry.get("contains", {}), path)


def test_the_keys_of_all_returned_maps_are_documented():
    documented = {name: yaml.safe_load(import_module(f"{MODULES}.{name}").RETURN) for name in RESULTS}
    assert {path for name, entries in documented.items() for path in open_maps(entries, name)} == OF_THE_API


# Mistakes


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("playbooks/update_plan", "relaeses: [a, b]", {("$", "additionalProperties")}),
        ("playbooks/update_plan", "update_plan_faill_on: any", {("$", "additionalProperties")}),
        ("playbooks/update_plan", "allow_downgrade: perhaps", {("$.allow_downgrade", "anyOf")}),
        ("playbooks/update_plan", "clusters: berlin,paris", {("$.clusters", "anyOf")}),
        ("playbooks/update_plan", "clusters: [berlin]", {("$.clusters", "anyOf")}),
        ("playbooks/update_plan", "clusters: [{name: berlin, relaeses: [a]}]", {("$.clusters", "anyOf")}),
        ("playbooks/update_plan", "clusters: [{platform: aws}]", {("$.clusters", "anyOf")}),
        ("playbooks/update_plan", "clusters: [{name: berlin, rule: manifests}]", {("$.clusters", "anyOf")}),
        ("playbooks/update_plan", "capabilities: Console", {("$.capabilities", "anyOf")}),
        ("playbooks/capability_guard", "mode: audti", {("$.mode", "anyOf")}),
        ("playbooks/capability_guard", "wait_timeout: soon", {("$.wait_timeout", "anyOf")}),
        ("playbooks/capability_guard", "context: {a: b}", {("$.context", "type")}),
        ("playbooks/capability_usage_info", "{release: r, clients: [your]}", {("$.clients", "anyOf")}),
        ("playbooks/capability_usage_info", "{release: r, clients: 'yours, own,'}", {("$.clients", "anyOf")}),
        ("playbooks/release_info", "resource_kind: Pod", {("$", "required")}),
        ("playbooks/release_info", "{release: r, openshift_version: 4.20}", {("$.openshift_version", "type")}),
        ("inventory", "openshift_version: 4.20", {("$.openshift_version", "type")}),
        ("inventory", "install_config_solutoin: ran_du", {("$", "enum")}),
        ("inventory", "install_method: apu", {("$.install_method", "anyOf")}),
        ("inventory", "install_config_topology: single", {("$.install_config_topology", "anyOf")}),
        ("inventory", "machine_network_cidr: {a: b}", {("$.machine_network_cidr", "anyOf")}),
        ("clusters/install_config", "clusters: [{name: berlin, path: a, versoin: b}]", {("$.clusters", "anyOf")}),
        ("clusters/install_config", "cluster: []", {("$", "required")}),
    ],
)
def test_mistakes_are_found(name, text, expected):
    assert mistakes(name, yaml.safe_load(text)) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("playbooks/update_plan", "{releases: 'a,b', fail_on: any, allow_downgrade: 'Yes', help: true}"),
        ("playbooks/update_plan", "{releases: '{{ path }}', clusters: '{{ fleet }}', capabilities: '{{ selection }}'}"),
        (
            "playbooks/update_plan",
            "clusters: ['{{ berlin }}', {name: rome, feature_gates: 'A,B', enabledCapabilities: []}]",
        ),
        ("playbooks/update_plan", "{update_plan_releases: 'a,b', update_plan_rule: presence, awx_job_id: 7}"),
        ("playbooks/update_plan", 'capabilities: \'{"baselineCapabilitySet": "None"}\''),
        (
            "playbooks/capability_guard",
            "{mode: '{{ mode_of_site }}', wait: 'no', wait_timeout: '60', force_conflicts: 1}",
        ),
        ("playbooks/capability_usage_info", "{release: r, clients: 'yours, own'}"),
        ("playbooks/install_config", "{pull_secret: {auths: {}}, api_vip: 192.0.2.1, ssh_public_key: [a, b]}"),
        ("inventory", "{ansible_host: a, rack: 7, install_config_release: '{% if a %}b{% endif %}'}"),
        ("inventory", "{cluster_network_host_prefix: 23, install_config_cluster_network_host_prefix: '23,64'}"),
        (
            "inventory",
            "{install_config_hosts: all, update_plan_details: false, release_apply_kubeconfig: {clusters: []}}",
        ),
        (
            "clusters/install_config",
            "{dest: /srv, clusters: [{name: a, solution: ran_du, content: {platform: {none: {}}}}]}",
        ),
    ],
)
def test_what_ansible_converts_or_renders_is_accepted(name, text):
    assert mistakes(name, yaml.safe_load(text)) == set()


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
    result = {"changed": False, "help": False, "problems": [PROBLEM]}
    check_result("validate_arguments", result)
    with pytest.raises(AssertionError, match="validate_arguments returned what it does not document"):
        check_result("validate_arguments", {**result, **change})


def test_a_result_lacks_no_key_unless_the_module_failed():
    with pytest.raises(AssertionError):
        check_result("validate_arguments", {"problems": []})
    check_result("validate_arguments", {"failed": True, "msg": "missing required arguments: playbook"})


# Ansible


@cache
def specs() -> dict[str, PlaybookSpec]:
    return {name: read_spec(name) for name in PLAYBOOKS}


NEAR_MISSES = ("", ".", "1.5", "1 2", "--1", "ye", "yess", "yes ", "TRUE", "truee", "2", ",", "yours,", "yours own")
WORDS = st.text("abTtruefnoyslv01.5,+- ", max_size=6)
"""None of these begins like a template or a JSON object, which a schema does not parse."""
CHOICES = sorted(
    {
        str(choice)
        for spec in specs().values()
        for option in spec.options.values()
        for choice in option.get("choices", ())
    }
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2)
    | WORDS
    | st.sampled_from(NEAR_MISSES)
    | st.sampled_from(CHOICES)
)
VALUES = st.recursive(
    SCALARS, lambda values: st.lists(values, max_size=3) | st.dictionaries(WORDS, values, max_size=2), max_leaves=4
)


def kinds() -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """Return the options of all playbooks, by what Ansible checks of them. Of some kinds there are very few."""
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for playbook, spec in specs().items():
        for name, option in spec.options.items():
            kind = (option["type"], option.get("elements", ""), *option.get("choices", ()))
            found.setdefault(kind, []).append((playbook, name))
    return found


@settings(max_examples=1000, deadline=None)
@given(option=st.sampled_from(sorted(kinds().values())).flatmap(st.sampled_from), value=SCALARS | VALUES)
def test_ansible_accepts_what_a_schema_accepts(option, value):
    playbook, name = option
    problems = Problems()
    check_values(specs()[playbook], {name: value}, problems)
    found = {path for path, _keyword in mistakes(f"playbooks/{playbook}", {name: value})} - {"$"}
    assert found or not problems
