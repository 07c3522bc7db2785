# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: _summary_lines
short_description: "[INTERNAL] Render the result of a module as lines of text"
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - B(This is an internal tool of the collection, and can change at any time. Do not use it in your own playbooks.)
  - Renders the result of a module as roles and playbooks show it, and the command C(openshift-capability) without
    Ansible.
positional: module, options
options:
  _input:
    description: The result of the module.
    type: dict
    required: true
  module:
    description: Name of the module, without the collection.
    type: str
    required: true
  options:
    description:
      - Options of the module that the text depends on, and C(check_mode), if they are not in the result.
      - With C(full), whether the text of M(capability.openshift.update_plan) has all details.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show the plan
  ansible.builtin.debug:
    msg: "{{ plan | capability.openshift._summary_lines('update_plan', {'full': false}) }}"
"""

RETURN = r"""
_value:
  description: The lines, without line breaks. None if the module failed before it had a result.
  type: list
  elements: str
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._summary.lines import summary_lines


def _summary_lines(result: Mapping[str, Any], module: str, options: Mapping[str, Any] | None = None) -> list[str]:
    """Render the result of a module."""
    return summary_lines(module, result, options or {})


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"_summary_lines": _summary_lines}
