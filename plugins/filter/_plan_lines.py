# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: _plan_lines
short_description: "[INTERNAL] Render an update plan as lines of text"
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - B(This is an internal tool of the collection, and can change at any time. Do not use it in your own playbooks.)
  - Renders the result of M(capability.openshift.update_plan) in the same words as its report.
options:
  _input:
    description: The result of M(capability.openshift.update_plan), for one cluster or for a fleet.
    type: dict
    required: true
  full:
    description: Whether to include the table of capabilities and the causes. It has no effect on the plan of a fleet.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Show the plan
  ansible.builtin.debug:
    msg: "{{ plan | capability.openshift._plan_lines(full=false) }}"
"""

RETURN = r"""
_value:
  description: The lines, without line breaks.
  type: list
  elements: str
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._report.text import plan_lines


def _plan_lines(result: Mapping[str, Any], *, full: bool = True) -> list[str]:
    """Render the result of the module update_plan."""
    return plan_lines(result, full=full)


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"_plan_lines": _plan_lines}
