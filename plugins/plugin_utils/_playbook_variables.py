# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a playbook: the options of its module, and those that its first task declares."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible.module_utils.common.yaml import yaml_load

from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import Spec
from ansible_collections.capability.openshift.plugins.plugin_utils._documentation import (
    option_texts,
    plain,
    read_documentation,
)

HELP, TARGET_HOSTS = "help", "target_hosts"
_OF_EACH_PLAYBOOK: Spec = {
    TARGET_HOSTS: {"type": "str", "default": "localhost", "description": "Hosts of the inventory to run on."},
    HELP: {"type": "bool", "default": False, "description": "Whether to show this text, and nothing else."},
}
CHECK = "capability.openshift.validate_arguments"
"""The first task of a playbook."""

_MODULES = "ansible_collections.capability.openshift.plugins.modules"
_COLLECTION = Path(__file__).resolve().parents[2]
_PLAYBOOKS = _COLLECTION / "playbooks"


class Playbook(NamedTuple):
    """A playbook: what its first task declares, and the options of its module, with their rules.

    ``own`` has the variables that are no options of the module, or differ from them. What is declared as null is no
    variable. If it is a list of maps, each host is one of them, whose options are ``of_each_host``. ``examples`` are
    arguments of ``ansible-playbook``. ``cluster_variables`` select the cluster of a host. ``prefix``: of the
    variables of a role.
    """

    name: str
    module: str
    description: str
    examples: Sequence[str]
    own: Spec
    cluster_variables: Sequence[str]
    options: Spec
    rules: Mapping[str, Any]
    of_each_host: Collection[str] = ()
    prefix: str = ""

    @property
    def variables(self) -> Spec:
        """All variables."""
        return {**{f"{self.prefix}{name}": option for name, option in self.options.items()}, **self.own}

    def summary(self) -> str:
        """What the playbook does."""
        return self.description or str(read_documentation(self.module)[""]["short_description"])

    def text_of(self, name: str) -> str:
        """What a variable is: the first sentence of its description, without a full stop."""
        if name in self.own:
            text = str(self.own[name]["description"])
        else:
            _fragment, text = option_texts(read_documentation(self.module))[name.removeprefix(self.prefix)]
        text = plain(text, lambda option, value: f"{option}={value}" if value else option)
        return " ".join(text.split()).partition(". ")[0].rstrip(".")


def declared_playbook(declared: Mapping[str, Any]) -> Playbook:
    """The playbook, or the role, whose first task has the arguments ``declared``."""
    given = {name: value for name, value in declared.items() if value is not None}
    module = given.get("module") or given["playbook"]
    definition = import_module(f"{_MODULES}.{module}").MODULE
    required_by = definition.rules.get("required_by", {})
    variables = {**({} if "prefix" in given else _OF_EACH_PLAYBOOK), **given.get("variables", {})}
    options = {name: option for name, option in definition.spec.items() if variables.get(name, True)}
    return Playbook(
        name=given.get("playbook", ""),
        module=module,
        description=given.get("description", ""),
        examples=given.get("examples", ()),
        own={name: option for name, option in variables.items() if option},
        cluster_variables=given.get("cluster_variables", ()),
        options=options,
        rules={**definition.rules, "required_by": {**required_by, **given.get("required_by", {})}},
        of_each_host=[
            item for name in definition.spec.keys() - options for item in definition.spec[name].get("options", ())
        ],
        prefix=given.get("prefix", ""),
    )


def playbook_names() -> list[str]:
    """The playbooks of this collection."""
    return sorted(path.stem for path in _PLAYBOOKS.glob("*.yml"))


def read_playbook(name: str) -> Playbook:
    """The playbook ``name`` of this collection, from its file."""
    (play,) = yaml.safe_load((_PLAYBOOKS / f"{name}.yml").read_text(encoding="utf-8"))
    return declared_playbook(play["tasks"][0][CHECK])


@cache
def role_variables(role: str) -> Collection[str]:
    """The variables of a role, from its argument spec."""
    text = (_COLLECTION / "roles" / role / "meta" / "argument_specs.yml").read_text(encoding="utf-8")
    options: Spec = yaml_load(text)["argument_specs"]["main"]["options"]
    return options.keys()
