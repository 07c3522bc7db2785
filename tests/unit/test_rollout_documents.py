# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What docs/reference/rollouts.md, the playbook and the role say of a rollout is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from ansible_collections.capability.openshift.plugins.module_utils._cluster.readiness import READINESS_KINDS, _generic
from ansible_collections.capability.openshift.plugins.module_utils._module import argspec as _argspec
from ansible_collections.capability.openshift.plugins.modules import release_apply
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import read_spec

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "rollouts.md").read_text("utf-8")
PLAYBOOK = (ROOT / "playbooks" / "release_apply.yml").read_text("utf-8")
ROLE = ROOT / "roles" / "release_apply"
PREFIX = "release_apply_"
OF_THE_ROLE = {"chdir"}
OMIT = "{{ omit }}"
OF_MODULE_DEFAULTS = _argspec.release_image_spec().keys()
"""Options of all modules that read a release image, which a play sets once for all of them."""


def table(head: str) -> list[list[str]]:
    """Return the rows of the table of the page that begins with ``head``."""
    lines = PAGE.partition(f"| {head} |")[2].splitlines()[2:]
    rows = lines[: next((index for index, line in enumerate(lines) if not line.startswith("|")), len(lines))]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def options_of_role() -> dict[str, dict]:
    spec = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text("utf-8"))
    options = spec["argument_specs"]["main"]["options"]
    assert all(name.startswith(PREFIX) for name in options)
    return {name.removeprefix(PREFIX): option for name, option in options.items()}


def options_of_module() -> dict[str, dict]:
    options: dict[str, dict] = yaml.safe_load(release_apply.DOCUMENTATION)["options"]
    return options


def test_the_table_of_readiness_is_that_of_the_code():
    expected = [[kind, group or "core", text] for (group, kind), text in READINESS_KINDS.items()]

    assert table("kind | API group | ready when") == [*expected, ["all others", "", _generic.__doc__]]


def test_the_help_of_the_playbook_has_each_variable_that_it_passes_to_the_role():
    passed = {name.removeprefix(PREFIX) for name in re.findall(rf"(?m)^    ({PREFIX}\w+):", PLAYBOOK)}

    assert len(passed) > 10
    assert passed <= read_spec("release_apply").options.keys() | OF_THE_ROLE


def test_the_role_has_each_option_of_the_module():
    of_module = {*options_of_module(), *_argspec.release_spec(), *_argspec.rollout_spec(), "kubeconfig", "context"}

    assert of_module - OF_MODULE_DEFAULTS <= options_of_role().keys()
    assert "`capability.openshift.release`" in (ROLE / "README.md").read_text("utf-8")


def test_the_role_has_the_defaults_of_the_module():
    role, module = options_of_role(), options_of_module()
    same = {name for name in module if module[name].get("default") is not None}

    assert {name: role[name]["default"] for name in same} == {name: module[name]["default"] for name in same}


def test_the_defaults_that_the_role_documents_are_those_that_it_has():
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text("utf-8"))
    documented = {PREFIX + name: option["default"] for name, option in options_of_role().items() if "default" in option}

    assert documented == {name: value for name, value in defaults.items() if value != OMIT}
    assert set(defaults) == {PREFIX + name for name in options_of_role()}


def test_no_fact_about_a_cluster_has_a_default_in_the_role():
    facts = {"capabilities", "cluster_profile", "feature_set", "feature_gates", "overrides", "exclude_identifier"}

    assert not [name for name in facts if "default" in options_of_role()[name]]
