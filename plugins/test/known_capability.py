# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: known_capability
short_description: Test whether a version knows a capability
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - True if the name is a capability of that version of OpenShift. Names are case sensitive.
positional: version
options:
  _input:
    description: Name of the capability.
    type: str
    required: true
  feature_set:
    description: Feature set. From 4.23 on, some capabilities exist only in some feature sets.
    type: str
    default: ''
  feature_gates:
    description: All enabled feature gates. By default, O(feature_set) decides.
    type: list
    elements: str
requirements:
  - python >= 3.11
extends_documentation_fragment:
  - capability.openshift._selection.filter_version
"""

EXAMPLES = r"""
- name: Check whether the registry is optional in a version
  ansible.builtin.debug:
    msg: ImageRegistry is optional here
  when: "'ImageRegistry' is capability.openshift.known_capability(openshift_version)"
"""

RETURN = r"""
_value:
  description: V(true) if the version knows the capability.
  type: bool
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._filter import filter_error, resolve_selection


def known_capability(name: Any, version: Any, **options: Any) -> bool:
    """Whether ``version`` knows the capability ``name``."""
    try:
        _context, status = resolve_selection(
            version, None, options, ("feature_set", "feature_gates"), Problems(), where="version"
        )
    except CapabilityError as error:
        raise filter_error(error) from None
    return isinstance(name, str) and name in status.known


class TestModule:
    """The test for Ansible."""

    def tests(self) -> dict[str, Callable[..., bool]]:
        """Return the test by its name."""
        return {"known_capability": known_capability}
