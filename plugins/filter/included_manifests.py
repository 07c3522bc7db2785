# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: included_manifests
short_description: The manifests of a list that a cluster gets
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Keeps of a list of manifests those that the cluster-version operator would apply, in their order.
  - Meant for a few dozen manifests. For a release use M(capability.openshift.release_manifests), which reads files and
    tells reasons; megabytes of manifests in a variable cost seconds each time they are handed on.
options:
  _input:
    description: Manifests, dicts with C(kind) and C(metadata).
    type: list
    elements: dict
    required: true
  capabilities:
    description:
      - The selection. Left out, it is the cluster default, V(vCurrent).
      - See the option C(capabilities) of M(capability.openshift.release_manifests) for its fields and spellings.
    type: dict
  openshift_version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it.
      - Required unless O(enabled_capabilities) and O(known_capabilities) are given.
    type: str
  enabled_capabilities:
    description: Capabilities that a cluster has enabled. Stands in the place of O(capabilities).
    type: list
    elements: str
  known_capabilities:
    description: Capabilities that a cluster knows. Goes with O(enabled_capabilities).
    type: list
    elements: str
  cluster_profile:
    description: Cluster profile.
    type: str
    default: self-managed-high-availability
  feature_set:
    description: Feature set of the cluster. The empty string and V(Default) both mean the default one.
    type: str
    default: ''
  feature_gates:
    description: Feature gates that are on, all of them. Left out, manifests are not filtered by feature gates.
    type: list
    elements: str
  exclude_identifier:
    description: Manifests annotated C(exclude.release.openshift.io/IDENTIFIER=true) are left out.
    type: str
    default: ''
  overrides:
    description: Entries of C(ClusterVersion.spec.overrides).
    type: list
    elements: dict
    default: []
  always_enabled_capabilities:
    description: Capabilities that the cluster has on whatever is asked. Left out, what its version and profile imply.
    type: list
    elements: str
"""

EXAMPLES = r"""
- name: Apply what belongs to this cluster of a vendor's manifests
  kubernetes.core.k8s:
    definition: >-
      {{ manifests
         | capability.openshift.included_manifests(capabilities=selection, openshift_version='4.20') }}
  vars:
    manifests: "{{ lookup('ansible.builtin.file', 'vendor.yaml') | from_yaml_all }}"
    selection:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [Console]
"""

RETURN = r"""
_value:
  description: The manifests that are in, as they were given.
  type: list
  elements: dict
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._domain.errors import CapabilityError
from ansible_collections.capability.openshift.plugins.module_utils._domain.inclusion import decide
from ansible_collections.capability.openshift.plugins.module_utils._domain.registry import DEFAULT_CLUSTER_PROFILE
from ansible_collections.capability.openshift.plugins.plugin_utils._question import (
    ask_cluster,
    filter_error,
    read_manifests,
)


def included_manifests(
    manifests: Any,
    capabilities: Any = None,
    openshift_version: Any = None,
    enabled_capabilities: list[str] | None = None,
    known_capabilities: list[str] | None = None,
    cluster_profile: str = DEFAULT_CLUSTER_PROFILE,
    feature_set: str = "",
    feature_gates: list[str] | None = None,
    exclude_identifier: str = "",
    overrides: list[dict[str, Any]] | None = None,
    always_enabled_capabilities: list[str] | None = None,
) -> list[Any]:
    """Return those of ``manifests`` that are in, in their order."""
    options = {
        "capabilities": capabilities,
        "enabled_capabilities": enabled_capabilities,
        "known_capabilities": known_capabilities,
        "cluster_profile": cluster_profile,
        "feature_set": feature_set,
        "feature_gates": feature_gates,
        "exclude_identifier": exclude_identifier,
        "overrides": overrides or [],
        "always_enabled_capabilities": always_enabled_capabilities,
    }
    try:
        facts, _status, _problems = ask_cluster(openshift_version, options)
        return [given for given, manifest in read_manifests(manifests) if decide(manifest, facts).included]
    except CapabilityError as error:
        raise filter_error(error) from None


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"included_manifests": included_manifests}
