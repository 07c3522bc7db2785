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

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.plugins.lookup import LookupBase
from ansible.template import Templar

from ansible_collections.capability.openshift.plugins.plugin_utils._cluster_entry import cluster_entry


class LookupModule(LookupBase):
    def run(self, terms: Sequence[str], variables: Mapping[str, Any] | None = None, **_kwargs: Any) -> list[Any]:
        """Return the entry of the host."""
        (prefix,) = terms
        given = dict(variables or {})
        return [cluster_entry(prefix, given, Templar(loader=self._loader, variables=given).template)]
