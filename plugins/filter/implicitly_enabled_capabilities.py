# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: implicitly_enabled_capabilities
short_description: Predict the capabilities that an update enables implicitly
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Compares the manifests of two releases as the cluster-version operator does, and returns the capabilities that the
    update enables implicitly, sorted.
  - A resource of the cluster can move into a disabled capability. The update then enables the capabilities that the old
    manifest of the resource did not need.
  - The result is empty for a hosted cluster, because its cluster-version operator never compares two releases.
  - Use it for a few manifests, because whole releases in variables take seconds per task. For releases, use
    M(capability.openshift.update_plan), which reads files and also predicts the cases that no manifest shows.
positional: target, enabled
options:
  _input:
    description: Manifests of the release that the cluster runs.
    type: list
    elements: dict
    required: true
  target:
    description: Manifests of the release that the cluster is updated to.
    type: list
    elements: dict
    required: true
  enabled:
    description: Enabled capabilities before the update, including the implicitly enabled ones.
    type: list
    elements: str
    required: true
  openshift_version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
        It is the version of the release that the cluster runs, because the CVO of that release compares the manifests.
        They are filtered by its rules and its major version.
      - By default, the rules of the newest CVO apply, and manifests are not filtered by major version.
    type: str
requirements:
  - python >= 3.11
extends_documentation_fragment:
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.filter_gates
  - capability.openshift._selection.filter_loading
seealso:
  - module: capability.openshift.update_plan
"""

EXAMPLES = r"""
- name: Show what a change to our operator's manifests enables in clusters without the Console
  ansible.builtin.debug:
    msg: "{{ before | capability.openshift.implicitly_enabled_capabilities(after, ['Ingress']) }}"
  vars:
    before: "{{ lookup('ansible.builtin.file', 'manifests/old/07-operator.yaml') | from_yaml_all }}"
    after: "{{ lookup('ansible.builtin.file', 'manifests/new/07-operator.yaml') | from_yaml_all }}"
  # => ['Console']
"""

RETURN = r"""
_value:
  description: Capabilities that the update enables implicitly, sorted.
  type: list
  elements: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import filter_error, implicitly_enabled


def implicitly_enabled_capabilities(current: Any, target: Any, enabled: Any, **options: Any) -> list[str]:
    """The names that an update from ``current`` to ``target`` enables implicitly in a cluster with ``enabled``."""
    try:
        return implicitly_enabled(current, target, enabled, options)
    except CapabilityError as error:
        raise filter_error(error) from None


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"implicitly_enabled_capabilities": implicitly_enabled_capabilities}
