# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: validate_capabilities
short_description: Check a selection against the capabilities of a version
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Checks a selection against the capabilities of an OpenShift version, and returns all problems at once.
  - M(capability.openshift.install_config) also checks the rules of installations, which depend on the platform.
  - A selection without problems of severity V(error) can be used. Other problems are warnings and notes.
positional: version
options:
  _input:
    description:
      - The selection, a dict as in C(install-config.yaml) or C(ClusterVersion.spec.capabilities).
      - Null means the cluster default, V(vCurrent).
    type: dict
    required: true
requirements:
  - python >= 3.11
extends_documentation_fragment:
  - capability.openshift._selection.filter_version
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.filter_gates
  - capability.openshift._selection.filter_names
"""

EXAMPLES = r"""
- name: Stop before the installation starts
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
  description: Problems, each with C(severity), C(code), C(where), C(message) and C(hint).
  type: list
  elements: dict
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    Problems,
    problem_dicts,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import (
    SELECTION_OPTIONS,
    resolve_selection,
)


def validate_capabilities(selection: Any, version: Any, **options: Any) -> list[dict[str, str]]:
    """The problems of ``selection`` in ``version``."""
    problems = Problems()
    try:
        resolve_selection(version, selection, options, SELECTION_OPTIONS, problems, where="version")
    except CapabilityError as error:
        return problem_dicts(error.problems)
    return problem_dicts(problems)


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"validate_capabilities": validate_capabilities}
