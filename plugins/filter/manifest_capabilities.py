# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: manifest_capabilities
short_description: Read the capabilities that a manifest needs
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Returns the names in the annotation C(capability.openshift.io/name) of a manifest, in their order.
  - The manifest is included only if all of them are enabled. Names are not trimmed, because the cluster-version
    operator does not trim them either.
requirements:
  - python >= 3.11
options:
  _input:
    description: The manifest, a dict with C(kind) and C(metadata).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show the capabilities that a CredentialsRequest needs
  ansible.builtin.debug:
    msg: "{{ request | capability.openshift.manifest_capabilities }}"
  vars:
    request: "{{ lookup('ansible.builtin.file', 'credentials.yaml') | from_yaml }}"
  # => ['Storage', 'CloudCredential']
"""

RETURN = r"""
_value:
  description: Capabilities that the manifest needs. Empty if it needs none.
  type: list
  elements: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import filter_error, read_manifest


def manifest_capabilities(manifest: Any) -> list[str]:
    """Return the capabilities that ``manifest`` needs, in the order of its annotation."""
    try:
        return list(read_manifest(manifest).capabilities)
    except CapabilityError as error:
        raise filter_error(error) from None


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"manifest_capabilities": manifest_capabilities}
