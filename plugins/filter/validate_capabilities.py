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
  - With O(platform) or O(install_method), it also checks the rules of installations, as
    M(capability.openshift.install_config) does.
  - A selection without problems of severity V(error) can be used. Other problems are warnings and notes.
positional: version, platform, install_method
options:
  _input:
    description:
      - The selection, a dict as in C(install-config.yaml) or C(ClusterVersion.spec.capabilities).
      - Null means the cluster default, V(vCurrent).
    type: dict
    required: true
  platform:
    description:
      - Platform that the cluster is installed on, a key of C(platform) in C(install-config.yaml). With
        O(install_method=hosted), the platform of the HostedCluster in lower case, such as V(kubevirt) or V(agent).
      - It can be combined only with O(install_method), O(feature_set) and O(feature_gates).
    type: str
  install_method:
    description: Install method. It has the same default as in M(capability.openshift.install_config).
    type: str
    choices: [ipi, upi, agent, assisted, hosted]
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

- name: Show what the installer of 4.18 requires on AWS
  ansible.builtin.debug:
    msg: "{{ {'baselineCapabilitySet': 'None'} | capability.openshift.validate_capabilities('4.18', platform='aws')
             | selectattr('severity', 'eq', 'error') | map(attribute='hint') }}"
  # => ['Add Ingress to additionalEnabledCapabilities', 'Add CloudCredential to ...', ...]
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
    check_installation_of,
    resolve_selection,
)

_ABSENT = object()


def validate_capabilities(
    selection: Any, version: Any, platform: Any = _ABSENT, install_method: Any = None, **options: Any
) -> list[dict[str, str]]:
    """The problems of ``selection`` in ``version``."""
    problems = Problems()
    if platform is None and install_method is None:
        message, hint = "is null, so the rules of installations are not checked", "Quote 'none', which is null in Jinja"
        problems.warning("unchecked-rules", "platform", message, hint)
    platform = None if platform is _ABSENT else platform
    try:
        if platform is not None or install_method is not None:
            options = {"platform": platform, "install_method": install_method, **options}
            check_installation_of(version, selection, options, problems, where="version")
        else:
            resolve_selection(version, selection, options, SELECTION_OPTIONS, problems, where="version")
    except CapabilityError as error:
        return problem_dicts(error.problems)
    return problem_dicts(problems)


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"validate_capabilities": validate_capabilities}
