# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: included
short_description: Test whether a cluster includes a manifest
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - True if the cluster-version operator would apply the manifest.
positional: capabilities, openshift_version
options:
  _input:
    description: The manifest, a dict with C(kind) and C(metadata).
    type: dict
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
- name: Check one manifest
  ansible.builtin.assert:
    that:
      - manifest is capability.openshift.included(openshift_version='4.20')
      - manifest is not capability.openshift.included(capabilities=nothing, openshift_version='4.20')
  vars:
    manifest: "{{ lookup('ansible.builtin.file', 'console.yaml') | from_yaml }}"
    nothing:
      baselineCapabilitySet: None
"""

RETURN = r"""
_value:
  description: V(true) if the manifest is included.
  type: bool
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import decide_manifests, filter_error


def included(manifest: Any, capabilities: Any = None, openshift_version: Any = None, **options: Any) -> bool:
    """Whether ``manifest`` is included."""
    if manifest is None:
        manifest = {}
    try:
        return decide_manifests([manifest], openshift_version, capabilities, options)[0][1]
    except CapabilityError as error:
        raise filter_error(error) from None


class TestModule:
    """The test for Ansible."""

    def tests(self) -> dict[str, Callable[..., bool]]:
        """Return the test by its name."""
        return {"included": included}
