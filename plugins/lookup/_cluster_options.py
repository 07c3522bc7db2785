# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: _cluster_options
short_description: "[INTERNAL] Read the variables of a host as an entry of the option clusters of install_config"
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - B(This is an internal tool of the collection, and can change at any time. Do not use it in your own playbooks.)
  - Returns the options of the host that are set. If a variable cannot be read or has a wrong type, it returns a row
    with errors instead, as in the result of M(capability.openshift.install_config). The task does not fail, because
    Ansible would show lines of the inventory, and so secrets.
options:
  _terms:
    description: The prefix of the names of the variables.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show the options of this host
  ansible.builtin.debug:
    msg: "{{ lookup('capability.openshift._cluster_options', 'install_config_') }}"
"""

RETURN = r"""
_raw:
  description: One dict, an entry or a row.
  type: list
  elements: dict
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.plugins.lookup import LookupBase
from ansible.template import Templar

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    check_prefixes,
    check_role_names,
    check_values,
    read_values,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import declared_playbook


def cluster_entry(prefix: str, given: Mapping[str, Any], template: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the entry of the host, or a row with its errors.

    ``prefix`` begins the names of the variables in ``given``, and ``template`` resolves the templates of a value.
    """
    problems = Problems()
    playbook = declared_playbook({"playbook": "install_config", "prefix": prefix, "variables": {"clusters": None}})
    names = {prefix + option: option for option in playbook.of_each_host if option != "name"}
    values = read_values(names, given, template, problems)
    check_values(playbook, values, (), problems)
    if prefix:
        # Options that the role does not have can be those of module_defaults, which are not known here.
        check_role_names(playbook, given, problems, defaults=playbook.options)
    else:
        check_prefixes(playbook, names.values(), given, problems)
    host = given["inventory_hostname"]
    if problems.has_errors:
        errors = [str(problem) for problem in problems]
        return {"name": host, "path": None, "differs": False, "selection": None, "errors": errors}
    entry = {option: values[name] for name, option in names.items() if name in values}
    if entry.get("install_method") == "hosted":
        entry.pop("path", None)  # a hosted cluster has no install-config
    else:
        entry.setdefault("path", f"clusters/{host}/install-config.yaml")
    return {"name": host, **entry}


class LookupModule(LookupBase):
    def run(self, terms: Sequence[str], variables: Mapping[str, Any] | None = None, **_kwargs: Any) -> list[Any]:
        """Return the entry of the host."""
        (prefix,) = terms
        given = dict(variables or {})
        return [cluster_entry(prefix, given, Templar(loader=self._loader, variables=given).template)]
