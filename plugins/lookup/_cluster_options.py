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
  - Returns the options of the host that are set. If a variable cannot be read, it returns a row with an error instead,
    as in the result of M(capability.openshift.install_config). The task does not fail, because Ansible would show lines
    of the inventory, and so secrets.
options:
  _terms:
    description: Prefixes of the names of the variables. The first variable that exists counts.
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

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.plugins.lookup import LookupBase
from ansible.template import Templar

from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag

OPTIONS = (
    "path",
    "content",
    "topology",
    "capabilities",
    "solution",
    "solutions",
    "release",
    "openshift_version",
    "install_method",
    "extra_manifests",
    "backup",
)
_UNDEFINED = re.compile(r"'[\w. ]+' is undefined|has no attribute '\w+'")


class LookupModule(LookupBase):
    def run(self, terms: Sequence[str], variables: Mapping[str, Any] | None = None, **_kwargs: Any) -> list[Any]:
        """Return the entry of the host."""
        given = dict(variables or {})
        templar = Templar(loader=self._loader, variables=given)
        host = given["inventory_hostname"]
        entry, errors = {"name": host}, []
        for option in OPTIONS:
            name = next((prefix + option for prefix in terms if prefix + option in given), None)
            if name is None:
                continue
            try:
                # In a list: a value that is a single template can otherwise be an undefined value, without an error.
                values = untag(templar.template([given[name]]))
            except Exception as error:  # before ansible-core 2.19, a template raises what Python raises
                errors.append(_message(name, host, str(error)))
                continue
            # From ansible-core 2.19 on, an item that is omitted is not in the list.
            value = values[0] if values else None
            if value not in (None, given.get("omit")):
                entry[option] = value
        if errors:
            return [{"name": host, "path": None, "differs": False, "selection": None, "errors": errors}]
        if entry.get("install_method") == "hosted":
            entry.pop("path", None)  # a hosted cluster has no install-config
        return [entry]


def _message(name: str, host: str, error: str) -> str:
    """What is wrong with a variable. Other parts of the message of Ansible can quote secrets."""
    reason = ", ".join(dict.fromkeys(_UNDEFINED.findall(error))) or "a template in it fails"
    return f"{name}: cannot be read: {reason}. Show more: ansible {host} -m ansible.builtin.debug -a var={name}"
