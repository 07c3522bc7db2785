# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    INCLUSION_OPTIONS,
    ClusterOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import COLLECTION_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._module import argspec as _argspec
from ansible_collections.capability.openshift.plugins.plugin_utils._documentation import read_documentation
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import read_playbook

ROOT = Path(__file__).parents[2]
RUNTIME = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text("utf-8"))
GROUP = "capability.openshift.openshift"
CLUSTER_GROUP = "capability.openshift.cluster"
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("[!_]*.py"))


def documentation(name: str) -> dict:
    source = (ROOT / "plugins" / "modules" / f"{name}.py").read_text("utf-8")
    return yaml.safe_load(source.partition('DOCUMENTATION = r"""')[2].partition('"""')[0])


def test_there_are_modules():
    assert MODULES


def test_a_role_and_a_playbook_have_the_name_of_their_module():
    roles = {path.name for path in (ROOT / "roles").iterdir()}
    playbooks = {path.stem for path in (ROOT / "playbooks").glob("*.yml")}
    assert roles <= set(MODULES)
    # They compare two releases with the module release_info, and check a repository with the module release_lint.
    assert playbooks - set(MODULES) == {"release_compare", "operator_check"}
    assert roles <= playbooks


def test_a_module_names_the_variables_that_its_playbooks_have_besides_its_options():
    playbooks = [read_playbook(path.stem) for path in sorted((ROOT / "playbooks").glob("*.yml"))]
    assert playbooks
    for playbook in playbooks:
        notes = " ".join(
            note for part in read_documentation(playbook.module).values() for note in part.get("notes", ())
        )
        named = set(re.findall(r"C\((\w+)\)", notes))
        assert {name for name in playbook.own if name not in playbook.options} <= named


def extending(*fragments: str) -> list[str]:
    wanted = {f"capability.openshift._attributes.{fragment}" for fragment in fragments}
    return [name for name in MODULES if wanted.intersection(documentation(name)["extends_documentation_fragment"])]


def test_action_groups_name_exactly_the_modules_that_document_them():
    assert RUNTIME["action_groups"] == {
        GROUP.rpartition(".")[2]: extending("actiongroup", "actiongroup_cluster"),
        CLUSTER_GROUP.rpartition(".")[2]: extending("actiongroup_cluster"),
        "release": [
            name
            for name in MODULES
            if "capability.openshift._release_image" in documentation(name)["extends_documentation_fragment"]
        ],
    }
    # validate_arguments is for the playbooks of the collection, and has no option that others have.
    assert extending("actiongroup", "actiongroup_cluster") == [name for name in MODULES if name != "validate_arguments"]


def test_the_group_of_clusters_has_exactly_the_modules_with_connection_options():
    auth = "capability.openshift._auth"
    reach = [name for name in MODULES if auth in documentation(name)["extends_documentation_fragment"]]

    assert extending("actiongroup_cluster") == reach


def test_the_page_of_variables_lists_the_options_that_all_modules_of_a_group_have():
    command = [sys.executable, "-m", "ansible.cli.doc", "--json", *(f"capability.openshift.{name}" for name in MODULES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    options = {name.rpartition(".")[2]: set(found["doc"]["options"]) for name, found in json.loads(done.stdout).items()}
    page = (ROOT / "docs" / "reference" / "variables.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| `(release|cluster|openshift)` \| (.*) \|$", page)
    assert {group: re.findall(r"`(\w+)`", text) for group, text in rows} == {
        group: sorted(set.intersection(*(options[name] for name in names)))
        for group, names in RUNTIME["action_groups"].items()
    }


def test_the_fragments_that_document_the_groups_name_them():
    from ansible_collections.capability.openshift.plugins.doc_fragments._attributes import ModuleDocFragment

    one, both = (
        yaml.safe_load(text) for text in (ModuleDocFragment.ACTIONGROUP, ModuleDocFragment.ACTIONGROUP_CLUSTER)
    )
    assert one["attributes"]["action_group"]["membership"] == [GROUP]
    assert both["attributes"]["action_group"]["membership"] == [CLUSTER_GROUP, GROUP]


def documented_options(documentation):
    """Return the options of a plugin, those of its fragments included."""
    from ansible_collections.capability.openshift.plugins.doc_fragments._selection import ModuleDocFragment

    options = dict(documentation["options"])
    for fragment in documentation.get("extends_documentation_fragment", ()):
        part = getattr(ModuleDocFragment, fragment.rpartition(".")[2].upper())
        options |= yaml.safe_load(part)["options"]
    return options


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, path.stem) for kind in ("filter", "test") for path in sorted((ROOT / "plugins" / kind).glob("*.py"))],
)
def test_filters_and_tests_document_exactly_what_they_take(kind, name):
    import inspect
    from importlib import import_module

    module = import_module(f"ansible_collections.capability.openshift.plugins.{kind}.{name}")
    documentation_of_plugin = yaml.safe_load(module.DOCUMENTATION)
    documented = documented_options(documentation_of_plugin)
    function = getattr(module, name)
    _given, *others = inspect.signature(function).parameters.values()
    taken = {parameter.name for parameter in others if parameter.kind is not parameter.VAR_KEYWORD}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in others):
        needed = [parameter.name for parameter in others if parameter.default is inspect.Parameter.empty]
        positional = {name: "4.20" if name.endswith("version") else [] for name in needed}
        try:
            message = str(function({}, **positional, nonsense="x"))
        except AnsibleFilterError as error:
            message = str(error)
        known = re.search("Use one of: ([a-z_, ]+)", message)
        assert known, message
        taken |= set(known.group(1).split(", "))

    assert set(documented) == {"_input", *taken}
    by_position = [parameter.name for parameter in others if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    assert documentation_of_plugin.get("positional", "") == ", ".join(by_position)
    required = {parameter.name for parameter in others if parameter.default is inspect.Parameter.empty}
    assert {option for option in taken if documented[option].get("required")} == required - {"options"}
    offered = module.FilterModule().filters() if kind == "filter" else module.TestModule().tests()
    assert offered == {name: getattr(module, name)}


def fragment_options(fragment: str) -> dict:
    """Return the options of a documentation fragment without what only the documentation has."""
    from importlib import import_module

    file, _dot, part = fragment.removeprefix("capability.openshift.").partition(".")
    module = import_module(f"ansible_collections.capability.openshift.plugins.doc_fragments.{file}")
    text = getattr(module.ModuleDocFragment, part.upper() or "DOCUMENTATION")
    return described_options(yaml.safe_load(text)["options"])


def described_options(options: dict) -> dict:
    found = {
        name: {key: value for key, value in option.items() if key not in ("description", "version_added")}
        for name, option in options.items()
    }
    for option in found.values():
        if "suboptions" in option:
            option["options"] = described_options(option.pop("suboptions"))
    return found


@pytest.mark.parametrize(
    ("fragments", "spec"),
    [
        (["_chdir"], _argspec.chdir_spec()),
        (["_acceptances"], _argspec.acceptances_spec()),
        (["_release", "_release_image"], _argspec.release_spec()),
        (["_selection.cluster_type"], _argspec.inclusion_spec("cluster_type")),
        (["_selection.selection"], {"capabilities": {"type": "dict"}, **_argspec.inclusion_spec("status")}),
        (["_selection.solution"], {"solution": {"type": "str"}}),
        (["_selection.inclusion"], _argspec.inclusion_spec("inclusion")),
        (["_selection.overrides"], _argspec.inclusion_spec("overrides")),
        (["_selection.hosting"], _argspec.inclusion_spec("hosting")),
        (["_rollout", "_selection.hosting", "_selection.inclusion"], _argspec.rollout_spec()),
    ],
)
def test_a_fragment_documents_the_options_that_modules_take(fragments, spec):
    documented = {name: option for fragment in fragments for name, option in fragment_options(fragment).items()}

    # Whether a value is a secret is no part of the documentation.
    assert documented == {
        name: {key: value for key, value in option.items() if key != "no_log"} for name, option in spec.items()
    }


def test_a_fragment_documents_the_options_of_a_cluster_of_a_fleet():
    from ansible_collections.capability.openshift.plugins.modules.update_plan import CLUSTER_SPEC

    assert fragment_options("_selection.clusters")["clusters"]["options"] == CLUSTER_SPEC


@pytest.mark.parametrize("name", MODULES)
def test_rollout_options_are_described_before_those_they_share(name):
    """The first description of an option counts."""
    fragments = documentation(name)["extends_documentation_fragment"]
    ours = [fragment.removeprefix("capability.openshift.") for fragment in fragments]

    if "_rollout" in ours:
        assert ours.index("_rollout") < ours.index("_selection.inclusion")


def test_filters_and_tests_document_the_inclusion_options_of_the_table():
    of_plugins = {
        name: option
        for part in ("gates", "names", "loading")
        for name, option in fragment_options(f"_selection.filter_{part}").items()
    }

    assert of_plugins == _argspec.inclusion_spec("inclusion")


def test_every_inclusion_option_is_a_field_of_the_options_of_a_cluster():
    others = {"capabilities", "solution", "platform"}
    assert {option.name for option in INCLUSION_OPTIONS} == {*ClusterOptions._fields} - others


def test_the_code_knows_the_version_of_the_collection():
    assert yaml.safe_load((ROOT / "galaxy.yml").read_text("utf-8"))["version"] == COLLECTION_VERSION
