# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: implicitly_enabled_capabilities
short_description: What an update from these manifests to those turns on
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Compares the manifests of two releases as the cluster-version operator does, and returns the capabilities that an
    update turns on, sorted.
  - A resource that is in before the update, and whose new manifest is out because of its capabilities, turns those on
    that its old manifest did not have.
  - Meant for a few manifests. Whole releases cost seconds as variables; M(capability.openshift.update_plan) reads them
    as files, and knows the cases that no manifest shows.
positional: target, enabled
options:
  _input:
    description: Manifests of the release that the cluster runs, as dicts.
    type: list
    elements: dict
    required: true
  target:
    description: Manifests of the release that it goes to, as dicts.
    type: list
    elements: dict
    required: true
  enabled:
    description: Capabilities that are on before the update, those included that are on implicitly.
    type: list
    elements: str
    required: true
  openshift_version:
    description:
      - Version whose major version the manifests are filtered by, such as V(4.20). Quote it, because YAML reads
        C(4.20) as 4.2.
      - Left out, they are not filtered by it.
    type: str
extends_documentation_fragment:
  - capability.openshift._filter.cluster
  - capability.openshift._filter.loading
seealso:
  - module: capability.openshift.update_plan
"""

EXAMPLES = r"""
- name: What a change to our operator's manifests would turn on in clusters without the Console
  ansible.builtin.debug:
    msg: "{{ before | capability.openshift.implicitly_enabled_capabilities(after, ['Ingress']) }}"
  vars:
    before: "{{ lookup('ansible.builtin.file', 'manifests/old/07-operator.yaml') | from_yaml_all }}"
    after: "{{ lookup('ansible.builtin.file', 'manifests/new/07-operator.yaml') | from_yaml_all }}"
  # => ['Console']
"""

RETURN = r"""
_value:
  description: Names of the capabilities that are turned on, sorted.
  type: list
  elements: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import filter_error, implicitly_enabled


def implicitly_enabled_capabilities(current: Any, target: Any, enabled: Any, **options: Any) -> list[str]:
    """Return what an update from ``current`` to ``target`` turns on where ``enabled`` is on."""
    try:
        return implicitly_enabled(current, target, enabled, options)
    except CapabilityError as error:
        raise filter_error(error) from None


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"implicitly_enabled_capabilities": implicitly_enabled_capabilities}
