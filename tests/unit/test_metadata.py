# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.capability.openshift.plugins.module_utils._module import argspec as _argspec

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


def extending(*fragments: str) -> list[str]:
    wanted = {f"capability.openshift._attributes.{fragment}" for fragment in fragments}
    return [name for name in MODULES if wanted.intersection(documentation(name)["extends_documentation_fragment"])]


def test_action_groups_name_exactly_the_modules_that_document_them():
    assert RUNTIME["action_groups"] == {
        GROUP.rpartition(".")[2]: extending("actiongroup", "actiongroup_cluster"),
        CLUSTER_GROUP.rpartition(".")[2]: extending("actiongroup_cluster"),
    }
    assert extending("actiongroup", "actiongroup_cluster") == MODULES


def test_the_group_of_clusters_has_exactly_those_that_can_be_told_how_to_reach_one():
    auth = "kubernetes.core.k8s_auth_options"
    reach = [name for name in MODULES if auth in documentation(name)["extends_documentation_fragment"]]

    assert extending("actiongroup_cluster") == reach


def test_the_fragments_that_document_the_groups_name_them():
    from ansible_collections.capability.openshift.plugins.doc_fragments._attributes import ModuleDocFragment

    one, both = (
        yaml.safe_load(text) for text in (ModuleDocFragment.ACTIONGROUP, ModuleDocFragment.ACTIONGROUP_CLUSTER)
    )
    assert one["attributes"]["action_group"]["membership"] == [GROUP]
    assert both["attributes"]["action_group"]["membership"] == [CLUSTER_GROUP, GROUP]


def documented_options(documentation):
    """Return the options of a plugin, those of its fragments included."""
    from ansible_collections.capability.openshift.plugins.doc_fragments._filter import ModuleDocFragment

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
    documented = documented_options(yaml.safe_load(module.DOCUMENTATION))
    function = getattr(module, name)
    _given, *others = inspect.signature(function).parameters.values()
    taken = {parameter.name for parameter in others if parameter.kind is not parameter.VAR_KEYWORD}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in others):
        needed = [parameter.name for parameter in others if parameter.default is inspect.Parameter.empty]
        positional = {name: "4.20" if name.endswith("version") else [] for name in needed}
        try:
            said = str(function({}, **positional, nonsense="x"))
        except AnsibleFilterError as error:
            said = str(error)
        known = re.search("Known are: ([a-z_, ]+)", said)
        assert known, said
        taken |= set(known.group(1).split(", "))

    assert set(documented) == {"_input", *taken}
    required = {parameter.name for parameter in others if parameter.default is inspect.Parameter.empty}
    assert {option for option in taken if documented[option].get("required")} == required - {"options"}
    offered = module.FilterModule().filters() if kind == "filter" else module.TestModule().tests()
    assert offered == {name: getattr(module, name)}


@pytest.mark.parametrize("name", MODULES)
def test_the_shared_options_are_documented_by_the_fragment_of_the_same_name(name):
    from ansible_collections.capability.openshift.plugins.doc_fragments._cluster import ModuleDocFragment

    for fragment in documentation(name)["extends_documentation_fragment"]:
        collection, _dot, part = fragment.rpartition("._cluster.")
        if not collection:
            continue
        documented = yaml.safe_load(getattr(ModuleDocFragment, part.upper()))["options"]
        spec = getattr(_argspec, f"{part}_spec")()
        stripped = {
            option: {key: value for key, value in entry.items() if key != "description"}
            for option, entry in documented.items()
        }
        assert stripped == spec
