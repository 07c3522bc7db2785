# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: enabled_capabilities
short_description: Resolve a selection to the enabled capabilities
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Resolves a selection as a cluster of that version does, and returns the enabled names, sorted.
  - The result includes names that such a cluster enables for every selection, such as Ingress from 4.16 on.
positional: version
options:
  _input:
    description:
      - The selection, a dict as in C(install-config.yaml) or C(ClusterVersion.spec.capabilities).
      - Null means the cluster default, V(vCurrent).
      - See the option C(capabilities) of M(capability.openshift.release_manifests) for its fields and spellings.
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
seealso:
  - plugin: capability.openshift.validate_capabilities
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the capabilities that the RAN selection enables in 4.20
  ansible.builtin.debug:
    msg: "{{ selection | capability.openshift.enabled_capabilities('4.20') }}"
  vars:
    selection:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [NodeTuning, OperatorLifecycleManager]
  # => ['Ingress', 'NodeTuning', 'OperatorLifecycleManager']

- name: Show what a new minor adds to the default selection
  ansible.builtin.debug:
    msg: >-
      {{ none | capability.openshift.enabled_capabilities('4.18')
         | difference(none | capability.openshift.enabled_capabilities('4.17')) }}
  # => ['OperatorLifecycleManagerV1']
"""

RETURN = r"""
_value:
  description: Enabled capabilities, sorted. Includes those that are always enabled.
  type: list
  elements: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import (
    SELECTION_OPTIONS,
    filter_error,
    resolve_selection,
)


def enabled_capabilities(selection: Any, version: Any, **options: Any) -> list[str]:
    """The names that ``selection`` enables in ``version``, sorted."""
    try:
        _context, status = resolve_selection(
            version, selection, options, SELECTION_OPTIONS, Problems(), where="version"
        )
    except CapabilityError as error:
        raise filter_error(error) from None
    return sorted(status.enabled)


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"enabled_capabilities": enabled_capabilities}
