# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the playbooks: names and types of extra variables are checked before the first task."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._imported_playbooks import imported_playbooks
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    PlaybookSpec,
    check_names,
    check_required,
    check_values,
    help_text,
    read_spec,
)
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "releases"
PLAYBOOKS = sorted(path.name.removesuffix(".meta.yml") for path in (ROOT / "playbooks").glob("*.meta.yml"))
PATH = f"releases={EXAMPLES / '4.21.0'},{EXAMPLES / '4.22.0'}"

# Others are in test_calls.py.
MISSPELLED = [
    ("update_plan", (PATH, "failon=blocked"), "failon", "fail_on"),
    ("capability_guard", ("mdoe=audit",), "mdoe", "mode"),
]


def run(tmp_path: Path, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ansible_playbook(tmp_path, "-c", "local", playbook, *arguments)


def text_of(playbook: str) -> str:
    return (ROOT / "playbooks" / f"{playbook}.yml").read_text()


def extra(values: tuple[str, ...]) -> list[str]:
    return [argument for value in values for argument in ("-e", value)]


@pytest.mark.parametrize(("playbook", "values", "name", "meant"), MISSPELLED)
def test_a_misspelled_variable_ends_the_play_before_its_first_task(tmp_path, playbook, values, name, meant):
    done = run(tmp_path, f"capability.openshift.{playbook}", *extra(values))
    assert done.returncode == 2, done.stdout
    assert f"{name}: is not a variable of the playbook {playbook}. Did you mean {meant}?" in done.stdout + done.stderr
    assert len(re.findall(r"^TASK \[", done.stdout, re.MULTILINE)) == 1


def test_help_shows_the_variables_and_ends(tmp_path):
    done = run(tmp_path, "capability.openshift.update_plan", "-e", "help=true")
    assert done.returncode == 0, done.stdout
    assert help_text(read_spec("update_plan")) in done.stdout
    assert "skipped=0" in done.stdout
    assert "failed=0" in done.stdout


@pytest.mark.parametrize("value", ["on", "y", "1", "True"])
def test_help_has_the_values_of_any_boolean(tmp_path, value):
    done = run(tmp_path, "capability.openshift.capability_guard", "-e", f"help={value}")
    assert done.returncode == 0, done.stdout
    assert "Variables:" in done.stdout


def test_a_playbook_that_imports_another_has_its_own_variables(tmp_path):
    (tmp_path / "site.yml").write_text("- import_playbook: capability.openshift.release_info\n")
    release = f"release={EXAMPLES / '4.21.0'}"
    done = run(tmp_path, "site.yml", *extra((release, "ticket=42")))
    assert done.returncode == 0, done.stdout
    assert "ticket: is not a variable of the playbook release_info" in done.stdout + done.stderr
    assert run(tmp_path, "capability.openshift.release_info", *extra((release, "ticket=42"))).returncode == 2
    assert run(tmp_path, "site.yml", *extra((release, "realease=42"))).returncode == 2


def test_playbooks_of_one_run_accept_the_variables_of_each_other(tmp_path):
    names = ("release_info", "capability_guard")
    (tmp_path / "site.yml").write_text("".join(f"- import_playbook: capability.openshift.{name}\n" for name in names))
    release = f"release={EXAMPLES / '4.21.0'}"
    hosts = "capability_guard_hosts=none_of_them"
    done = run(tmp_path, "site.yml", *extra((release, hosts, "mode=audit")))
    assert done.returncode == 0, done.stdout
    assert "is not a variable" not in done.stdout + done.stderr
    done = run(tmp_path, "site.yml", *extra((release, hosts, "mdoe=audit")))
    assert done.returncode == 2, done.stdout
    assert "mdoe: is not a variable of the playbook release_info. Did you mean mode?" in done.stdout + done.stderr


def test_imports_are_followed(tmp_path):
    """By name, by path, and through other playbooks. Other playbooks of the collection are not in the run."""
    (tmp_path / "more").mkdir()
    (tmp_path / "site.yml").write_text("- import_playbook: more/all.yml\n- hosts: localhost\n  tasks: []\n")
    (tmp_path / "more" / "all.yml").write_text(
        "- ansible.builtin.import_playbook: capability.openshift.update_plan\n"
        f"- import_playbook: {ROOT}/playbooks/site_check.yml\n"
        "- import_playbook: other.collection.playbook\n"
        "- import_playbook: '{{ chosen }}'\n"
    )
    load = DataLoader().load_from_file
    arguments = [str(tmp_path / "site.yml"), "capability.openshift.release_info"]
    assert imported_playbooks(arguments, load) == {"update_plan", "site_check", "release_info"}
    assert imported_playbooks([], load) == set()


def test_variables_of_a_playbook_that_is_not_in_the_run_are_unknown():
    problems = Problems()
    names = ["capability_guard_hosts", "mode"]
    spec = read_spec("cluster_capabilities")
    check_names(spec, names, problems, has_other_variables=True, others=["release_info"])
    assert [(item.severity, str(item.where)) for item in problems] == [
        ("error", "capability_guard_hosts"),
        ("warning", "mode"),
    ]
    problems.clear()
    check_names(spec, names, problems, has_other_variables=True, others=["capability_guard"])
    assert not problems


@pytest.fixture
def spec() -> PlaybookSpec:
    return read_spec("update_plan")


@pytest.mark.parametrize("has_other_variables", [True, False])
@pytest.mark.parametrize("name", ["releases", "help", "update_plan_fail_on", "ansible_become", "awx_job_id", "tower_x"])
def test_known_names_are_accepted(spec, name, has_other_variables):
    problems = Problems()
    check_names(spec, [name], problems, has_other_variables=has_other_variables)
    assert not problems


def misspellings(name: str) -> set[str]:
    """What a user can type instead of ``name``."""
    return {name.replace("_", ""), name.replace("_", "-"), name[:-1], name[0] + name[2:], f"{name}s", name.upper()}


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_each_misspelled_name_is_an_error_even_with_an_inventory(playbook):
    spec = read_spec(playbook)
    known = {*spec.options, *spec.role_options}
    wrong = sorted({text for name in spec.options for text in misspellings(name)} - known)
    problems = Problems()
    check_names(spec, wrong, problems, has_other_variables=True)
    assert [(item.severity, str(item.where)) for item in problems] == [("error", name) for name in wrong]


WRONG: dict[str, list[Any]] = {
    "bool": ["perhaps", {"a": 1}, [True], 2],
    "dict": ["Console", ["a"], 5],
    "int": ["ten", {"a": 1}, [1], 1.5],
    "list": [{"a": 1}],
    "str": [{"a": 1}, ["a"]],
}
"""Of each type, values that it does not have."""


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_each_wrong_type_is_an_error(playbook):
    spec = read_spec(playbook)
    for name, option in spec.options.items():
        for value in WRONG.get(option["type"], ()):
            problems = Problems()
            check_values(spec, {name: value}, problems)
            assert [(item.code, str(item.where)) for item in problems] == [("wrong-type", name)], (name, value)


@pytest.mark.parametrize(("has_other_variables", "severity"), [(True, "warning"), (False, "error")])
def test_a_name_that_resembles_none_can_belong_to_an_inventory(spec, has_other_variables, severity):
    problems = Problems()
    check_names(spec, ["datacentre"], problems, has_other_variables=has_other_variables)
    assert [(item.severity, item.code, str(item.where)) for item in problems] == [
        (severity, "unknown-variable", "datacentre")
    ]


@pytest.mark.parametrize(
    ("values", "code", "hint"),
    [
        ({"capabilities": "Console"}, "wrong-type", "Write -e '{\"capabilities\": {...}}', or -e @FILE"),
        ({"allow_downgrade": "perhaps"}, "wrong-type", "Write -e allow_downgrade=true"),
        (
            {"forbidden_capabilities": {"all": True}},
            "wrong-type",
            "Write -e forbidden_capabilities=ONE,TWO, or -e '{\"forbidden_capabilities\": [...]}'",
        ),
        ({"help": "perhaps"}, "wrong-type", "Write -e help=true"),
        ({"clusters": ["paris"]}, "wrong-type", "Write -e '{\"clusters\": [{...}]}', or -e @FILE"),
        (
            {"forbidden_capabilities": None},
            "wrong-type",
            "Write -e forbidden_capabilities=ONE,TWO, or -e '{\"forbidden_capabilities\": [...]}'",
        ),
    ],
)
def test_a_wrong_type_says_how_to_write_the_value(spec, values, code, hint):
    problems = Problems()
    check_values(spec, values, problems)
    assert [(item.code, str(item.where), item.hint) for item in problems] == [(code, *values, hint)]


def test_a_wrong_choice_names_the_choices():
    problems = Problems()
    check_values(read_spec("capability_guard"), {"mode": "audti"}, problems)
    assert [(item.code, item.message) for item in problems] == [
        ("unknown-choice", "is 'audti', expected enforce or audit")
    ]
    problems.clear()
    check_values(read_spec("capability_usage_info"), {"clients": "yours, other"}, problems)
    assert [item.code for item in problems] == ["unknown-choice"]


@pytest.mark.parametrize(
    "values",
    [
        {"capabilities": {"baselineCapabilitySet": "None"}},
        {"releases": "a,b", "forbidden_capabilities": ["all"], "allow_downgrade": "yes", "platform": "aws"},
    ],
)
def test_right_values_are_accepted(spec, values):
    problems = Problems()
    check_values(spec, values, problems)
    assert not problems


def test_a_required_variable_can_come_from_anywhere():
    problems = Problems()
    spec = read_spec("release_info")
    check_required(spec, ["release", "ansible_version"], problems)
    assert not problems
    check_required(spec, ["ansible_version"], problems)
    assert [(item.code, str(item.where)) for item in problems] == [("missing-variable", "release")]


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_the_spec_has_the_variables_that_the_playbook_reads(name):
    text = text_of(name)
    spec = read_spec(name)
    used = set(re.findall(r"'(\w+)' (?:not )?in __given", text))
    if name == "install_config":
        text += (ROOT / "plugins" / "lookup" / "_cluster_options.py").read_text()
        used = set(re.findall(r'^    "(\w+)",$', text, re.MULTILINE))
    assert used <= set(spec.options)
    unused = [option for option in spec.options if not re.search(rf"\b{option}\b", text.partition("\n- name:")[2])]
    shared = (ROOT / "playbooks" / "tasks" / "one_job.yml").read_text()
    assert not [option for option in unused if option not in shared and option not in spec.role_options]


@pytest.mark.parametrize("name", sorted(name for name in PLAYBOOKS if "cluster_is_set" in text_of(name)))
def test_each_host_needs_a_cluster(tmp_path, name):
    hosts = {"unset": {}, "empty": {"kubeconfig": ""}, "none": {"context": None}, "set": {"kubeconfig": "missing"}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    release = () if name == "capability_guard" else (f"release={EXAMPLES / '4.21.0'}",)
    done = run(tmp_path, f"capability.openshift.{name}", "-i", "hosts.yml", *extra((f"{name}_hosts=all", *release)))
    assert done.returncode != 0
    refused = set(re.findall(r"(\w+) has neither kubeconfig nor context", done.stdout + done.stderr))
    assert refused == {"unset", "empty", "none"}


def test_each_playbook_has_a_spec():
    playbooks = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml") if not path.stem.endswith(".meta"))
    assert playbooks == PLAYBOOKS


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_three_examples_use_variables_of_the_spec(name):
    spec = read_spec(name)
    assert spec.examples.count("ansible-playbook ") >= 3
    assert set(re.findall(r"capability\.openshift\.(\w+)", spec.examples)) == {name}
    assert set(re.findall(r"-e (\w+)=", spec.examples)) <= set(spec.options)
    for text in re.findall(r"-e '(\{.*?\})'", spec.examples):
        assert set(yaml.safe_load(text)) <= set(spec.options)
