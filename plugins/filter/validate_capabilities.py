# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: validate_capabilities
short_description: Everything that is wrong with a selection of capabilities in a version
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Checks a selection against what that version of OpenShift knows, and returns all problems at once.
  - An empty list means that nothing is wrong. A problem whose severity is V(error) means that the selection cannot be
    used; the others are worth knowing.
positional: version
options:
  _input:
    description:
      - The selection, a dict as in C(install-config.yaml) or C(ClusterVersion.spec.capabilities).
      - V(none) is the cluster default, V(vCurrent).
    type: dict
    required: true
extends_documentation_fragment:
  - capability.openshift._question.version
  - capability.openshift._question.selection
"""

EXAMPLES = r"""
- name: Stop before anything is built
  ansible.builtin.assert:
    that: problems | selectattr('severity', 'eq', 'error') | length == 0
    fail_msg: "{{ problems }}"
  vars:
    problems: "{{ selection | capability.openshift.validate_capabilities('4.20') }}"
    selection:
      baseline_capability_set: None
      additional_enabled_capabilities: [console]
  # => capabilities.additional_enabled_capabilities[0]: 'console' is not a capability of 4.20.
  #    Write Console: names are case sensitive
"""

RETURN = r"""
_value:
  description: Problems, each with C(severity), C(where), C(message) and C(mend).
  type: list
  elements: dict
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._domain.errors import CapabilityError
from ansible_collections.capability.openshift.plugins.module_utils._result import problem_dicts
from ansible_collections.capability.openshift.plugins.plugin_utils._question import SELECTION_OPTIONS, ask_cluster


def validate_capabilities(selection: Any, version: Any, **options: Any) -> list[dict[str, str]]:
    """Return everything that is wrong with ``selection`` in ``version``."""
    try:
        _facts, _status, problems = ask_cluster(version, selection, options, SELECTION_OPTIONS, "version")
    except CapabilityError as error:
        problems = error.problems
    return problem_dicts(problems)


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"validate_capabilities": validate_capabilities}
