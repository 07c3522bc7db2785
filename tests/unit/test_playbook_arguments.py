# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the playbooks: what they have, and how the first task checks those that are set."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.splitter import parse_kv, split_args

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import INCLUSION_OPTIONS
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import release_image_spec
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._documentation import read_documentation
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    check_inventory_names,
    check_names,
    check_prefixes,
    check_role_names,
    check_set,
    check_values,
    unreadable_variable,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_help import help_text
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import (
    Playbook,
    declared_playbook,
    playbook_names,
    read_playbook,
)
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "releases"
# Quoted, because the path of the checkout can contain a blank.
RELEASE = f"release='{EXAMPLES / '4.21.0'}'"
PLAYBOOKS = playbook_names()
PATH = f"releases='{EXAMPLES / '4.21.0'},{EXAMPLES / '4.22.0'}'"
SECRET = "c2VjcmV0OmZha2V3b3Jk"
LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
READ_ELSEWHERE = ("help", "target_hosts", "target_serial", "target_max_fail_percentage", "allow_slice")
ENTRY_KEYS = {"type", "elements", "choices", "default", "required", "description"}


def run(tmp_path: Path, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ansible_playbook(tmp_path, "-c", "local", playbook, *arguments)


def extra(*values: str) -> list[str]:
    return [argument for value in values for argument in ("-e", value)]


def text_of(playbook: str) -> str:
    return (ROOT / "playbooks" / f"{playbook}.yml").read_text()


def refusals(done: subprocess.CompletedProcess[str]) -> dict[str, tuple[str, list[str]]]:
    """Return the message of each host that failed, and the codes of the problems of its variables."""
    found = re.findall(r"(?m)^fatal: \[(.+)\]: FAILED! => (.*)", done.stdout + done.stderr)
    results = {host: json.loads(result) for host, result in found}
    return {host: (item["msg"], [each["code"] for each in item.get("problems", ())]) for host, item in results.items()}


# The playbooks


GROUPS = {"cluster": auth_spec(), "release": release_image_spec()}
INCLUSION = {option.name for option in INCLUSION_OPTIONS} - {"enabled_capabilities", "known_capabilities"}


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_a_playbook_passes_each_option_of_its_module(name):
    text = text_of(name)
    shared = [spec.keys() for group, spec in GROUPS.items() if f"group/capability.openshift.{group}:" in text]
    playbook = read_playbook(name)
    inclusion = INCLUSION if re.search(r': "\{\{ __inclusion(_and_overrides)? \}\}"', text) else set()
    own = playbook.options.keys() - set().union(*shared, inclusion, playbook.of_each_host)
    assert [option for option in sorted(own) if f"{{{{ {option} | default(" not in text] == ["chdir"]
    assert 'chdir: "{{ checked.directory }}"' in text


@pytest.mark.parametrize(("file", "group"), [("connection", "cluster"), ("images", "release")])
def test_options_that_many_modules_have_are_passed_in_one_place(file, group):
    (values,) = yaml.safe_load((ROOT / "playbooks" / "vars" / f"{file}.yml").read_text()).values()
    assert values == {name: f"{{{{ {name} | default(omit) }}}}" for name in GROUPS[group]}


def test_options_of_inclusion_are_passed_in_one_place():
    found = yaml.safe_load((ROOT / "playbooks" / "vars" / "inclusion.yml").read_text())
    expected = {name: f"{{{{ {name} | default(omit) }}}}" for name in INCLUSION}
    assert found["__inclusion_and_overrides"] == expected
    assert found["__inclusion"] == {name: value for name, value in expected.items() if name != "overrides"}


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_a_playbook_passes_the_options_of_inclusion_that_its_module_takes(name):
    takes = INCLUSION & read_playbook(name).options.keys()
    found = set(re.findall(r'"\{\{ __(inclusion\w*) \}\}"', text_of(name)))
    assert found == (
        {"inclusion_and_overrides"}
        if "overrides" in takes
        else {"inclusion"}
        if "exclude_identifier" in takes
        else set()
    )


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_a_playbook_describes_its_own_variables(name):
    playbook, text = read_playbook(name), text_of(name).partition("register: checked")[2]
    for variable, entry in playbook.own.items():
        assert {"type", "description"} <= entry.keys() <= ENTRY_KEYS
        assert variable in text or variable in {*READ_ELSEWHERE, *playbook.of_each_host}
    assert all(name in playbook.variables for name in playbook.cluster_variables)


def test_the_artifacts_of_a_host_do_not_replace_those_of_another():
    artifacts = {name: text_of(name).partition("set_stats:")[2] for name in PLAYBOOKS}
    others = {name for name, text in artifacts.items() if "inventory_hostname" not in text}
    assert others == {"install_config", "release_info"}  # the table of all hosts, and none


def test_the_artifact_of_an_earlier_play_does_not_remain(tmp_path):
    keys = ("spec", "requested_capabilities", "enabled_capabilities", "pending_capabilities")
    earlier = {"ansible.builtin.set_fact": {"cluster_capabilities_result": dict.fromkeys(keys, ())}}
    values = {"kubeconfig": "/nowhere", "release": str(EXAMPLES / "4.21.0")}
    later = {"import_playbook": "capability.openshift.cluster_capabilities", "vars": values}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [earlier]}, later]
    (tmp_path / "site.yml").write_text(json.dumps(plays))
    ended = ansible_playbook(tmp_path, "site.yml", env={"ANSIBLE_SHOW_CUSTOM_STATS": "true"})
    assert (ended.returncode, "CUSTOM STATS" in ended.stdout) == (2, False)


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_the_examples_run(name):
    playbook = read_playbook(name)
    assert len(playbook.examples) >= 3
    for example in playbook.examples:
        problems, given = Problems(), dict(variables(example))
        check_names(playbook, given, problems, has_other_variables=False)
        check_values(playbook, given, given, problems)
        check_set(playbook, given, problems)
        assert not problems, example


def variables(example: str) -> Iterator[tuple[str, Any]]:
    words = split_args(example)
    for word, value in pairwise(words):
        if word == "-e":
            yield from (yaml.safe_load(value.strip("'")) if value.startswith("'{") else parse_kv(value)).items()


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_the_help_fits_two_screens_and_begins_with_examples(name):
    playbook = read_playbook(name)
    lines = help_text(playbook).splitlines()
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 100
    assert lines.index("Examples:") < 5
    text = " ".join(lines)
    for variable in playbook.variables:
        assert re.search(rf"(?: -e |[ ]){variable}\b", text)


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_ansible_doc_names_each_variable(name):
    """Those of the module and its suboptions, or those that the first task describes."""
    playbook = read_playbook(name)
    shown = f"{read_documentation(playbook.module)} {read_documentation('validate_arguments')}"
    assert [variable for variable in playbook.variables if not re.search(rf"\b{variable}\b", shown)] == []


# Names

MISSPELLED = [
    ("update_plan", (PATH, "failon=blocked"), "failon", "fail_on"),
    ("capability_guard", ("mdoe=audit",), "mdoe", "mode"),
]
"""Others are in test_calls.py."""


@pytest.mark.parametrize(("playbook", "values", "name", "meant"), MISSPELLED)
def test_a_misspelled_variable_ends_the_play_before_its_first_task(tmp_path, playbook, values, name, meant):
    done = run(tmp_path, f"capability.openshift.{playbook}", *extra(*values))
    assert done.returncode == 2, done.stdout
    assert f"{name}: is not a variable of the playbook {playbook}. Did you mean {meant}?" in done.stdout + done.stderr
    assert len(re.findall(r"^TASK \[", done.stdout, re.MULTILINE)) == 1


def test_help_shows_the_variables_and_ends(tmp_path):
    done = run(tmp_path, "capability.openshift.update_plan", "-e", "help=y")
    assert done.returncode == 0, done.stdout
    assert help_text(read_playbook("update_plan")) in done.stdout
    assert "skipped=0" in done.stdout
    assert "failed=0" in done.stdout


def test_a_playbook_that_imports_another_has_its_own_variables(tmp_path):
    (tmp_path / "site.yml").write_text("- import_playbook: capability.openshift.release_info\n")
    done = run(tmp_path, "site.yml", *extra(RELEASE, "ticket=42"))
    assert done.returncode == 0, done.stdout
    assert "ticket: is not a variable of the playbook release_info" in done.stdout + done.stderr
    assert run(tmp_path, "capability.openshift.release_info", *extra(RELEASE, "ticket=42")).returncode == 2
    assert run(tmp_path, "site.yml", *extra(RELEASE, "realease=42")).returncode == 2


def test_playbooks_that_another_one_imports_have_the_variables_of_each_other(tmp_path):
    plays = "".join(f"- import_playbook: capability.openshift.{name}\n" for name in ("release_info", "update_plan"))
    (tmp_path / "site.yml").write_text(plays)
    done = run(tmp_path, "site.yml", *extra(RELEASE, PATH))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is not a variable of the playbook" not in done.stdout + done.stderr


def test_playbooks_of_one_run_accept_the_variables_of_each_other():
    problems, names = Problems(), ["allowed_capabilities", "mode"]
    playbook = read_playbook("cluster_capabilities")
    check_names(playbook, names, problems, has_other_variables=True, others=["release_info"])
    assert [(item.severity, str(item.where)) for item in problems] == [
        ("error", "allowed_capabilities"),
        ("warning", "mode"),
    ]
    problems.clear()
    check_names(playbook, names, problems, has_other_variables=True, others=["capability_guard"])
    assert not problems


@pytest.fixture
def plan() -> Playbook:
    return read_playbook("update_plan")


@pytest.mark.parametrize("name", ["releases", "kubeconfig", "target_hosts", "help", "ansible_become", "awx_job_id"])
def test_known_names_are_accepted(plan, name):
    problems = Problems()
    check_names(plan, [name], problems, has_other_variables=False)
    assert not problems


def misspellings(name: str) -> set[str]:
    """Return what a user can type instead of ``name``."""
    return {name.replace("_", ""), name.replace("_", "-"), name[:-1], name[0] + name[2:], f"{name}s", name.upper()}


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_each_misspelled_name_is_an_error_even_with_an_inventory(name):
    playbook = read_playbook(name)
    wrong = sorted({text for known in playbook.variables for text in misspellings(known)} - playbook.variables.keys())
    problems = Problems()
    check_names(playbook, wrong, problems, has_other_variables=True)
    assert [(item.severity, str(item.where)) for item in problems] == [("error", name) for name in wrong]


@pytest.mark.parametrize(("has_other_variables", "severity"), [(True, "warning"), (False, "error")])
def test_a_name_that_resembles_none_can_belong_to_an_inventory(plan, has_other_variables, severity):
    problems = Problems()
    check_names(plan, ["datacentre"], problems, has_other_variables=has_other_variables)
    assert [(item.severity, item.code, str(item.where)) for item in problems] == [
        (severity, "unknown-variable", "datacentre")
    ]
    check_names(read_playbook("site_check"), ["target_hosts"], problems, has_other_variables=has_other_variables)
    assert (problems[1].severity, str(problems[1].where)) == ("error", "target_hosts")


# Values

WRONG: dict[str, list[Any]] = {
    "bool": ["perhaps", {"a": 1}, [True], 2, None],
    "dict": ["Console", ["a"], 5, None],
    "int": ["ten", {"a": 1}, [1], 1.5, None],
    "list": [{"a": 1}, "[]", '["a"]', None],
    "path": [{"a": 1}, ["a"], None],
    "raw": [None],
    "str": [{"a": 1}, ["a"], None],
}
"""Of each type, values that it does not have."""


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_each_wrong_type_is_an_error(name):
    playbook = read_playbook(name)
    for variable, option in playbook.variables.items():
        for value in WRONG.get(option["type"], ()):
            problems = Problems()
            check_values(playbook, {variable: value}, [], problems)
            assert [(item.code, str(item.where)) for item in problems] == [("wrong-type", variable)], (variable, value)


@pytest.mark.parametrize(
    ("values", "code", "hint"),
    [
        ({"capabilities": "Console"}, "wrong-type", "Write -e '{\"capabilities\": {...}}', or -e @FILE"),
        ({"allow_downgrade": "perhaps"}, "wrong-type", "Write -e allow_downgrade=true"),
        ({"releases": {"a": 1}}, "wrong-type", "Write -e releases=A,B, or -e '{\"releases\": [...]}'"),
        ({"help": "perhaps"}, "wrong-type", "Write -e help=true"),
        ({"clusters": ["paris"]}, "wrong-type", "Write -e '{\"clusters\": [{...}]}', or -e @FILE"),
        ({"report": ""}, "empty-option", "Write -e report=PATH"),
    ],
)
def test_a_wrong_value_says_how_to_write_it(plan, values, code, hint):
    for typed, expected in ((values, hint), ((), "Set a value, or do not set the variable")):
        problems = Problems()
        check_values(plan, values, typed, problems)
        assert [(item.code, str(item.where), item.hint) for item in problems] == [(code, *values, expected)]


def test_a_wrong_choice_names_the_choices():
    problems = Problems()
    check_values(read_playbook("capability_guard"), {"mode": "audti"}, [], problems)
    check_values(read_playbook("capability_guard"), {"mode": "off"}, [], problems)
    assert [(item.code, item.message, item.hint) for item in problems] == [
        ("unknown-choice", "is 'audti', expected enforce or audit", "Did you mean audit?"),
        ("unknown-choice", "is 'off', expected enforce or audit", ""),
    ]
    problems.clear()
    check_values(read_playbook("capability_usage_info"), {"clients": "yours, other"}, [], problems)
    assert [item.code for item in problems] == ["unknown-choice"]


@pytest.mark.parametrize(
    "values",
    [
        {"capabilities": {"baselineCapabilitySet": "None"}},
        {"releases": "a,b", "forbidden_capabilities": ["all"], "allow_downgrade": "yes", "platform": "aws"},
        {"enabled_capabilities": [], "feature_set": "", "exclude_identifier": "", "chdir": ""},
    ],
)
def test_right_values_are_accepted(plan, values):
    problems = Problems()
    check_values(plan, values, values, problems)
    assert not problems


def test_a_required_variable_can_come_from_anywhere():
    problems, playbook = Problems(), read_playbook("release_info")
    check_set(playbook, ["release"], problems)
    assert not problems
    check_set(playbook, [], problems)
    assert [(item.code, str(item.where)) for item in problems] == [("missing-variable", "release")]


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_a_variable_can_be_combined_with_the_defaults_of_its_playbook(name):
    playbook = read_playbook(name)
    for variable in playbook.variables:
        problems = Problems()
        check_set(playbook, [variable], problems)
        assert "conflicting-options" not in [item.code for item in problems], variable


def test_the_variables_of_a_role_have_a_prefix():
    role, problems = declared_playbook({"module": "release_apply", "prefix": "release_apply_"}), Problems()
    values = {"release_apply_release": None, "release_apply_feature_set": "", "release_apply_context": ""}
    check_values(role, values, [], problems)
    assert [(item.code, str(item.where)) for item in problems] == [
        ("wrong-type", "release_apply_release"),
        ("empty-option", "release_apply_context"),
    ]


@pytest.mark.parametrize(
    ("role", "given", "defaults", "expected"),
    [
        ("cluster_capabilities", ["kubeconfig", "enabled"], (), ["enabled"]),
        ("install_config", ["content", "soluton"], (), ["soluton"]),
        ("release_apply", ["release", "capabilites"], (), ["capabilites"]),
        ("release_apply", ["release", "releases", "release_dir", "result", "is_update", "fail_on"], (), []),
        ("cluster_capabilities", ["host", "api_key"], (), ["host", "api_key"]),
        ("cluster_capabilities", ["host", "api_key"], ("host", "api_key"), []),
        ("release_apply", ["overrides", "signature"], ("overrides",), ["signature"]),
    ],
)
def test_a_role_ignores_no_variable_that_seems_to_be_its_own(role, given, defaults, expected):
    problems, playbook = Problems(), declared_playbook({"module": role, "prefix": f"{role}_"})
    variables = dict.fromkeys(["other", *(f"{role}_{name}" for name in given)], "x")
    check_role_names(playbook, variables, problems, defaults=defaults)
    assert [(item.code, str(item.where)) for item in problems] == [
        ("unknown-variable", f"{role}_{name}") for name in expected
    ]


def test_a_name_in_the_inventory_that_is_almost_a_variable_is_a_warning():
    playbook, problems = read_playbook("install_config"), Problems()
    names = ("soluton", "solutions", "domain", "kubeconfigs", "relase")
    for variables in (dict.fromkeys([*names, "release"], "x"), {"soluton": "x"}, {"soluton": "x", "solution": "x"}):
        check_inventory_names(playbook, variables, problems)
    assert [(item.severity, item.where.field, item.hint) for item in problems] == [
        ("warning", "soluton", "Did you mean solution?")
    ]


def test_the_variables_of_each_host_of_an_inventory_are_read(tmp_path):
    hosts = {"paris": {"solution": "minimal"}, "rome": {"soluton": "{{ undefined }}"}}
    inventory = {"all": {"hosts": hosts, "vars": {**LOCAL, "openshift_version": "4.21", "platform": "none"}}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump(inventory))
    done = run(tmp_path, "capability.openshift.install_config", "-i", "hosts.yml", "--check")
    assert "soluton: is not a variable of the playbook install_config" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("role", "name", "expected"),
    [("cluster_capabilities", "enabled", []), ("release_apply", "pruned", ["unknown-variable"])],
)
def test_a_flag_is_no_misspelled_variable_of_another_type(role, name, expected):
    problems, playbook = Problems(), declared_playbook({"module": role, "prefix": f"{role}_"})
    check_role_names(playbook, {f"{role}_{name}": True}, problems)
    assert [item.code for item in problems] == expected


def test_an_environment_can_refer_to_a_variable_with_the_prefix_of_a_role(tmp_path):
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "environment": {"K8S_AUTH_HOST": "{{ cluster_capabilities_host }}"},
        "vars": {"cluster_capabilities_host": "https://127.0.0.1:1", "cluster_capabilities_kubeconfig": "missing"},
        "roles": ["capability.openshift.cluster_capabilities"],
    }
    (tmp_path / "site.yml").write_text(json.dumps([play]))
    assert refusals(run(tmp_path, "site.yml"))["localhost"][1] == ["missing-file"]


def test_module_defaults_can_refer_to_a_variable_with_the_prefix_of_a_role(tmp_path):
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/capability.openshift.cluster": {"host": "{{ cluster_capabilities_host }}"}},
        "vars": {
            "cluster_capabilities_host": "https://127.0.0.1:1",
            "cluster_capabilities_proxy": "http://127.0.0.1:1",
        },
        "roles": ["capability.openshift.cluster_capabilities"],
    }
    (tmp_path / "site.yml").write_text(json.dumps([play]))
    (message,) = refusals(run(tmp_path, "site.yml"))["localhost"][:1]
    assert message.startswith("cluster_capabilities_proxy: is not a variable")


@pytest.mark.parametrize("role", ["cluster_capabilities", "release_apply"])
@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ({}, ["missing-cluster"]),
        ({"vars": {"{role}_kubeconfig": "missing"}}, ["missing-file"]),
        ({"module_defaults": {"group/capability.openshift.cluster": {"kubeconfig": "missing"}}}, ["missing-file"]),
        ({"environment": {"K8S_AUTH_KUBECONFIG": "/missing"}}, ["missing-file"]),
    ],
)
def test_hosts_with_a_role_do_not_share_the_cluster_of_the_current_context(tmp_path, role, selected, expected):
    text = json.dumps({"hosts": "all", "gather_facts": False, "vars": {}, **selected}).replace("{role}", role)
    play = json.loads(text)
    play["vars"] |= {**LOCAL, "release_apply_release": str(EXAMPLES / "4.22.0")}
    (tmp_path / "site.yml").write_text(json.dumps([{**play, "roles": [f"capability.openshift.{role}"]}]))
    found = refusals(run(tmp_path, "site.yml", "-i", "paris,rome,"))
    assert {host: codes for host, (_message, codes) in found.items()} == {"paris": expected, "rome": expected}


@pytest.mark.parametrize("selected", [{"run_once": True}, {"when": "inventory_hostname == 'paris'"}])
@pytest.mark.parametrize("include", ["import_role", "include_role"])
def test_one_of_several_hosts_with_a_role_can_use_the_current_context(tmp_path, selected, include):
    task = {f"ansible.builtin.{include}": {"name": "capability.openshift.cluster_capabilities"}, **selected}
    play = {"hosts": "all", "gather_facts": False, "vars": LOCAL, "tasks": [task]}
    (tmp_path / "site.yml").write_text(json.dumps([play]))
    assert refusals(run(tmp_path, "site.yml", "-i", "paris,rome,"))["paris"][1] == ["missing-file"]


@pytest.mark.parametrize(("name", "value"), [("fail_on", "risk"), ("forbidden_capabilities", "all")])
def test_a_rollout_without_a_plan_does_not_ignore_its_limits(tmp_path, name, value):
    given = {"kubeconfig": "missing", "release": "missing", name: value}
    variables = {f"release_apply_{option}": value for option, value in given.items()}
    play = {"hosts": "localhost", "gather_facts": False, "vars": variables}
    (tmp_path / "site.yml").write_text(json.dumps([{**play, "roles": ["capability.openshift.release_apply"]}]))
    assert "include the role with tasks_from: plan" in refusals(run(tmp_path, "site.yml"))["localhost"][0]


def test_the_plan_of_another_release_is_none(tmp_path):
    given = {"kubeconfig": "missing", "release": "missing", "forbidden_capabilities": ["all"]}
    variables = {f"release_apply_{option}": value for option, value in given.items()}
    planned = {"release_apply_is_update": True, "__release_apply_planned": "other"}
    play = {"hosts": "localhost", "gather_facts": False, "vars": {**variables, **planned}}
    (tmp_path / "site.yml").write_text(json.dumps([{**play, "roles": ["capability.openshift.release_apply"]}]))
    assert "include the role with tasks_from: plan" in refusals(run(tmp_path, "site.yml"))["localhost"][0]


def test_a_part_of_a_release_needs_no_plan(tmp_path):
    given = extra("kubeconfig=missing", "release=missing", "previous_release=missing", "only=crds", "fail_on=risk")
    done = run(tmp_path, "capability.openshift.release_apply", *given)
    assert "conflicting-options" in refusals(done)["localhost"][1]


def test_a_playbook_does_not_ignore_the_variables_of_its_role():
    problems, playbook = Problems(), read_playbook("release_apply")
    check_prefixes(playbook, playbook.options, ["release_apply_release", "release_apply_dest", "release"], problems)
    assert not problems
    given = ["release_apply_release", "kubeconfig", "release_apply_kubeconfig"]
    check_prefixes(playbook, playbook.options, given, problems)
    assert [(item.code, str(item.where)) for item in problems] == [("unknown-variable", "release_apply_release")]
    once = Problems()
    check_names(playbook, ["release_apply_release"], once, has_other_variables=False)
    check_prefixes(playbook, playbook.options, given, once)
    assert [item.hint for item in once] == ["Name it release"]


def test_each_variable_that_a_page_sets_exists():
    documents = [*(ROOT / "docs").glob("[!b]*/*.md"), *(ROOT / "roles").glob("*/*.md"), ROOT / "README.md"]
    text = "\n".join(path.read_text("utf-8") for path in documents)
    in_json = (json.loads(value) for value in re.findall(r"-e '(\{.*?\})'(?:\s|`|$)", text) if "{{" not in value)
    names = {*re.findall(r"-e (\w+)=", text), *(name for value in in_json for name in value)}
    known = {name for playbook in PLAYBOOKS for name in read_playbook(playbook).variables}
    # The variables of examples/test_plan.yml.
    assert names - known - set(READ_ELSEWHERE) - {"next_release", "capability"} == set()


def test_the_message_of_a_failed_template_shows_no_value():
    quoted = f"The task includes an option with an undefined variable. 'selection' is undefined. {SECRET}"
    problem = unreadable_variable("capabilities", ValueError(quoted))
    assert "'selection' is undefined" in problem.message
    assert problem.code == "unreadable-variable"
    assert SECRET not in str(problem)
    assert SECRET not in str(unreadable_variable("capabilities", ValueError(f"cannot combine {SECRET}")))


# Hosts

UNDEFINED = "{{ not_defined_anywhere }}"
HOSTS: dict[str, tuple[dict[str, Any], str]] = {
    "undefined": ({"capabilities": UNDEFINED}, "capabilities: cannot be read: 'not_defined_anywhere' is undefined"),
    "within": ({"capabilities": {"baselineCapabilitySet": UNDEFINED}}, "capabilities: cannot be read"),
    "deep": ({"capabilities": {"additionalEnabledCapabilities": [UNDEFINED]}}, "capabilities: cannot be read"),
    "item": ({"extra_manifests": ["a", UNDEFINED]}, "extra_manifests: cannot be read"),
    "part": ({"kubeconfig": f"/srv/{UNDEFINED}/kubeconfig"}, "kubeconfig: cannot be read"),
    "failing": ({"platform": "{{ the_secret | combine({'a': the_secret}) }}"}, "platform: cannot be read"),
    "lookup": ({"host": "{{ lookup('file', the_secret) }}"}, "host: cannot be read"),
    "no-map": ({"capabilities": None}, "capabilities: is null"),
    "no-value": ({"context": None}, "context: is null"),
    "empty": ({"platform": ""}, "platform: is set but empty"),
    "no-list": ({"releases": {"a": 1}}, "releases: is a map"),
    "omitted": ({"capabilities": "{{ nope | default(omit) }}", "kubeconfig": "{{ omit }}"}, ""),
    "good": (
        {
            "capabilities": '{"baselineCapabilitySet": "None"}',
            "feature_set": "",
            "forbidden_capabilities": "Console, Build",
        },
        "",
    ),
}
"""Variables of hosts, and how the message begins. Without a message, the host is planned."""


def test_a_variable_that_is_not_what_it_should_be_is_never_replaced_by_the_default(tmp_path):
    shared = {"the_secret": SECRET, "releases": [str(EXAMPLES / version) for version in ("4.21.0", "4.22.0")]}
    hosts = {name: values for name, (values, _message) in HOSTS.items()}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": {**shared, **LOCAL}}}))
    done = run(tmp_path, "capability.openshift.update_plan", "-i", "hosts.yml", "-e", "target_hosts=all")
    found = refusals(done)
    expected = {name: message for name, (_values, message) in HOSTS.items() if message}
    assert found.keys() == expected.keys(), done.stdout
    assert [name for name, message in expected.items() if message not in found[name][0]] == []
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(name for name in PLAYBOOKS if "cluster_variables" in text_of(name)))
def test_each_host_needs_a_cluster(tmp_path, name):
    hosts = {"unset": {}, "empty": {"kubeconfig": ""}, "none": {"context": None}, "set": {"kubeconfig": "missing"}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    needed = {"capability_guard": (), "cluster_update": ("version=4.22.0",)}.get(name, (RELEASE,))
    done = run(tmp_path, f"capability.openshift.{name}", "-i", "hosts.yml", *extra("target_hosts=all", *needed))
    found = refusals(done)
    assert "kubeconfig: is required for unset" in found["unset"][0]
    assert {host: codes for host, (_message, codes) in found.items()} == {
        "unset": ["missing-cluster"],
        "empty": ["empty-option"],
        "none": ["wrong-type"],
        "set": [] if name == "cluster_update" else ["missing-file"],  # its last task fails
    }


def test_hosts_do_not_replace_the_files_of_each_other(tmp_path):
    hosts: dict[str, dict[str, str]] = {"nyc": {}, "paris": {}, "rome": {}}
    for name, option, more in (
        ("update_plan", "report", {"report": "written"}),
        ("release_manifests", "dest", {}),
        ("addon_check", "outputs", {"outputs": "json:written"}),
        ("release_lint", "baseline", {"baseline": "written", "update_baseline": "true"}),
    ):
        own = {option: f"{more[option]}-of-nyc"} if more else {}
        inventory = {"all": {"hosts": {**hosts, "nyc": own}, "vars": {**LOCAL, **more}}}
        (tmp_path / "hosts.yml").write_text(yaml.safe_dump(inventory))
        given = extra("target_hosts=all", RELEASE, *([] if more else [f"{option}=written"]))
        found = refusals(run(tmp_path, f"capability.openshift.{name}", "-i", "hosts.yml", *given))
        assert [host for host in hosts if "shared-path" in found.get(host, ("", ()))[1]] == [*hosts][bool(own) :]
    of_hosts = {host: {**LOCAL, "report": host} for host in hosts}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": of_hosts}}))
    for report, codes in (("written", ["shared-path"]), ("{{ inventory_hostname }}", ["unknown-choice"])):
        values = {"target_hosts": "all", "releases": ["a", "b"], "report": report, "fail_on": "x"}
        play = [{"import_playbook": "capability.openshift.update_plan", "vars": values}]
        (tmp_path / "play.yml").write_text(yaml.safe_dump(play))
        found = refusals(run(tmp_path, "play.yml", "-i", "hosts.yml"))
        assert [found[host][1][-1:] for host in hosts] == [codes] * len(hosts)
    given = extra("target_hosts=paris,rome", PATH, "report=written/{{ inventory_hostname }}.md")
    assert run(tmp_path, "capability.openshift.update_plan", "-i", "hosts.yml", *given).returncode == 0
    assert {path.name for path in (tmp_path / "written").iterdir()} == {"paris.md", "rome.md"}


@pytest.mark.parametrize(
    ("name", "of_host", "given", "codes"),
    [
        ("update_plan", "kubeconfig: missing", [PATH], ["shared-cluster"]),
        ("update_plan", "cluster_version: missing", [PATH], ["shared-cluster"]),
        ("update_plan", "clusters: [{name: a, platform: aws}]", [PATH], ["shared-cluster"]),
        ("update_plan", "chdir: /{{ inventory_hostname }}", [PATH, "kubeconfig=x"], ["unreadable-directory"]),
        ("cluster_update", "{}", ["version=4.22.0", "kubeconfig=missing"], ["shared-cluster"]),
        ("release_verify", "context: '{{ inventory_hostname }}'", [RELEASE, "kubeconfig=missing"], ["missing-file"]),
    ],
)
def test_hosts_are_different_clusters(tmp_path, name, of_host, given, codes):
    hosts = dict.fromkeys(("paris", "rome"), yaml.safe_load(of_host))
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    given = extra("target_hosts=all", *given)
    found = refusals(run(tmp_path, f"capability.openshift.{name}", "-i", "hosts.yml", *given))
    assert {host: found_codes for host, (_message, found_codes) in found.items()} == dict.fromkeys(hosts, codes)


def test_the_inventory_cannot_decide_about_hosts_and_batches(tmp_path):
    late = {"target_hosts": "all", "target_serial": 1, "target_max_fail_percentage": 0}
    inventory = {"all": {"hosts": {"paris": {"kubeconfig": "missing"}}, "vars": late}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump(inventory))
    for given, host in (([], "localhost"), (["target_hosts=all"], "paris")):
        arguments = ("-i", "hosts.yml", *extra("version=4.22.0", *given))
        found = refusals(run(tmp_path, "capability.openshift.cluster_update", *arguments))
        assert found[host][1] == ["late-variable"] * (len(late) - len(given))


def test_a_host_has_its_name_in_acceptances(tmp_path):
    accepted = [{"name": "Insights", "reason": "wanted", "clusters": ["paris"]}]
    common = {**LOCAL, "capabilities": {"baselineCapabilitySet": "None"}, "acceptances": accepted}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {"paris": {}, "rome": {}}, "vars": common}}))
    given = extra("target_hosts=all", PATH, "forbidden_capabilities=all")
    done = run(tmp_path, "capability.openshift.update_plan", "-i", "hosts.yml", *given)
    assert re.findall(r"(?m)^(\w+) .*failed=1", done.stdout) == ["rome"], done.stdout


@pytest.mark.parametrize(("serial", "first"), [(1, 1), ("2, 100%", 2), ("1,2", 1), ([2, "50%"], 2), ("100%", 3)])
def test_batches_can_be_a_list(tmp_path, serial, first):
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {name: {} for name in "abc"}}}))
    given = ("-e", json.dumps({"target_hosts": "all", "help": True, "target_serial": serial}))
    done = run(tmp_path, "capability.openshift.cluster_update", "-i", "hosts.yml", *given)
    assert done.stdout.count("ok: [") == first, done.stdout


@pytest.mark.parametrize(("serial", "code"), [("", "empty-option"), (None, "wrong-type")])
def test_the_size_of_a_batch_cannot_be_empty(tmp_path, serial, code):
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {"a": {"kubeconfig": "a"}}}}))
    given = ("-e", json.dumps({"target_hosts": "all", "version": "4.20.3", "target_serial": serial}))
    done = run(tmp_path, "capability.openshift.cluster_update", "-i", "hosts.yml", *given)
    assert refusals(done)["a"][1] == [code], done.stderr


@pytest.mark.parametrize("inventory", ["missing.yml", "hosts.yml"])
def test_hosts_that_match_nothing_are_an_error(tmp_path, inventory):
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {"paris": {}}}}))
    done = run(tmp_path, "capability.openshift.cluster_capabilities", "-i", inventory, "-e", "target_hosts=edge")
    assert done.returncode == 2, done.stdout
    message, codes = refusals(done)["localhost"]
    assert message.startswith("target_hosts: 'edge' matches no host of the inventory")
    assert codes == ["no-hosts"]
