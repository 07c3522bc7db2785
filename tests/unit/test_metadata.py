# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from ansible.errors import AnsibleFilterError

ROOT = Path(__file__).parents[2]
RUNTIME = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text("utf-8"))
GROUP = "capability.openshift.openshift"
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("[!_]*.py"))


def documentation(name: str) -> dict:
    source = (ROOT / "plugins" / "modules" / f"{name}.py").read_text("utf-8")
    return yaml.safe_load(source.partition('DOCUMENTATION = r"""')[2].partition('"""')[0])


def test_there_are_modules():
    assert MODULES


def test_the_action_group_names_exactly_the_modules_that_document_it():
    members = [
        name
        for name in MODULES
        if "capability.openshift._attributes.actiongroup" in documentation(name)["extends_documentation_fragment"]
    ]

    assert RUNTIME["action_groups"] == {GROUP.rpartition(".")[2]: members}


def test_the_fragment_that_documents_the_group_names_it():
    from ansible_collections.capability.openshift.plugins.doc_fragments._attributes import ModuleDocFragment

    fragment = yaml.safe_load(ModuleDocFragment.ACTIONGROUP)
    assert fragment["attributes"]["action_group"]["membership"] == [GROUP]


def documented_options(documentation):
    """Return the options of a plugin, those of its fragments included."""
    from ansible_collections.capability.openshift.plugins.doc_fragments._question import ModuleDocFragment

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
    from ansible_collections.capability.openshift.plugins.module_utils import _argspec

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
