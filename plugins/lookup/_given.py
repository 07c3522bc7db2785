# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: _given
short_description: "[INTERNAL] Look up a role's option in the role's variable, or in one with a common name"
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - B(This is an internal tool of the collection, and can change at any time. Do not use it in your own playbooks.)
  - Returns the value of the first variable that exists. For the option V(release) and the role V(update_plan), these
    are C(update_plan_release), then C(release).
  - Fails if the variable contains an undefined variable. The filter P(ansible.builtin.default#filter), the test
    P(ansible.builtin.defined#test) and the option O(ansible.builtin.vars#lookup:default) treat such a variable as
    missing, and the task would silently use another cluster, or another selection.
  - A variable whose value is C(omit) counts as missing.
options:
  _terms:
    description: Names of options.
    type: list
    elements: str
    required: true
  role:
    description: The role. Its variables have its name as a prefix. Without a role, each name is the name of a variable.
    type: str
    default: ''
  common:
    description: Whether to use the variable without the prefix of the role too.
    type: bool
    default: true
  inventory:
    description:
      - A variable of the inventory to use if none of the others exists. For a playbook that sets this variable itself.
    type: str
    default: ''
  default:
    description: The value if no variable exists. Pass C(omit) to omit an option of a module.
    type: raw
  empty:
    description:
      - Values that count as empty. If set, the lookup returns the names of the variables that have one of these values.
      - Strings are compared without blanks and colons. A variable whose value is C(omit) counts as C(null).
    type: list
    elements: raw
"""

EXAMPLES = r"""
- name: Use update_plan_releases, or else releases, or else no value
  capability.openshift.update_plan:
    releases: "{{ lookup('capability.openshift._given', 'releases', role='update_plan', default=omit) }}"

- name: Check that the cluster is specified
  ansible.builtin.assert:
    that: names == []
    fail_msg: "{{ names | join(' and ') }} must not be empty"
  vars:
    names: "{{ query('capability.openshift._given', 'kubeconfig', 'context', role='update_plan', empty=['', none]) }}"
"""

RETURN = r"""
_raw:
  description: One value for each name, or the names of variables with O(empty).
  type: list
  elements: raw
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

_MISSING = object()


class LookupModule(LookupBase):
    """The lookup for Ansible."""

    def run(self, terms: Iterable[str], variables: Mapping[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        """Return the values of the options, or the names of the variables that are empty."""
        return self._run(terms, variables or {}, **kwargs)

    def _run(
        self,
        terms: Iterable[str],
        variables: Mapping[str, Any],
        *,
        role: str = "",
        common: bool = True,
        inventory: str = "",
        default: Any = None,
        empty: Sequence[Any] | None = None,
    ) -> list[Any]:
        names = [self._variable(term, variables, role, common=common) for term in terms]
        if empty is not None:
            return [name for name in names if name and _is_empty(self._value(variables[name], variables), empty)]
        return [self._first(name, variables, inventory, default) for name in names]

    def _variable(self, option: str, variables: Mapping[str, Any], role: str, *, common: bool) -> str | None:
        """Return the name of the variable that sets an option, if there is one."""
        own = f"{role}_{option}" if role else option
        candidates = [own, option] if common else [own]
        return next((name for name in candidates if name in variables), None)

    def _first(self, name: str | None, variables: Mapping[str, Any], inventory: str, default: Any) -> Any:
        value = self._value(variables[name], variables) if name else _MISSING
        if value is _MISSING and inventory:
            # Without the variables of the play, which would refer to this lookup again.
            value = variables["hostvars"][variables["inventory_hostname"]].get(inventory, _MISSING)
        return default if value is _MISSING else value

    def _value(self, raw: Any, variables: Mapping[str, Any]) -> Any:
        """Return a variable with its templates resolved, _MISSING for omit."""
        if self._templar is None:
            raise AnsibleLookupError("_given needs a templar")
        # In a list: from ansible-core 2.19 on only an item of a container can be omitted.
        resolved = self._templar.template([raw], fail_on_undefined=True)
        if not resolved or resolved[0] == variables.get("omit", _MISSING):
            return _MISSING
        return resolved[0]


def _is_empty(value: Any, empty: Sequence[Any]) -> bool:
    if value is _MISSING:
        value = None
    return (value.replace(":", "").strip() if isinstance(value, str) else value) in empty
