# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: included_manifests
short_description: Select the manifests that a cluster includes
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Returns the manifests of a list that the cluster-version operator would apply, in their order.
  - Use it for a few dozen manifests, because megabytes of manifests in variables take seconds per task. For a release,
    use M(capability.openshift.release_manifests), which reads files and returns reasons.
positional: capabilities, openshift_version
options:
  _input:
    description: Manifests, each a dict with C(apiVersion), C(kind) and C(metadata).
    type: list
    elements: dict
    required: true
requirements:
  - python >= 3.11
extends_documentation_fragment:
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.filter_gates
  - capability.openshift._selection.filter_names
  - capability.openshift._selection.filter_loading
  - capability.openshift._selection.filter_inclusion
  - capability.openshift._selection.selection
  - capability.openshift._selection.overrides
"""

EXAMPLES = r"""
- name: Write the manifests of a vendor that the cluster includes
  ansible.builtin.copy:
    content: >-
      {{ manifests
         | capability.openshift.included_manifests(capabilities=selection, openshift_version='4.20')
         | map('to_json') | join('\n---\n') }}
    dest: included.yaml
    mode: "0644"
  vars:
    manifests: "{{ lookup('ansible.builtin.file', 'vendor.yaml') | from_yaml_all }}"
    selection:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [Console]
"""

RETURN = r"""
_value:
  description: The included manifests, unchanged.
  type: list
  elements: dict
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import decide_manifests, filter_error


def included_manifests(
    manifests: Any, capabilities: Any = None, openshift_version: Any = None, **options: Any
) -> list[Any]:
    """The included ones of ``manifests``, in their order."""
    try:
        decisions = decide_manifests(manifests, openshift_version, capabilities, options)
        return [given for given, included in decisions if included]
    except CapabilityError as error:
        raise filter_error(error) from None


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"included_manifests": included_manifests}
