# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: included
short_description: Whether a cluster gets a manifest
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Tells whether the cluster-version operator would apply a manifest.
options:
  _input:
    description: The manifest, a dict with C(kind) and C(metadata).
    type: dict
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
  description: V(true) if the manifest is in.
  type: bool
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._domain.errors import CapabilityError
from ansible_collections.capability.openshift.plugins.module_utils._domain.inclusion import decide
from ansible_collections.capability.openshift.plugins.module_utils._domain.registry import DEFAULT_CLUSTER_PROFILE
from ansible_collections.capability.openshift.plugins.plugin_utils._question import (
    ask_cluster,
    filter_error,
    read_manifest,
)


def included(
    manifest: Any,
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
) -> bool:
    """Tell whether ``manifest`` is in."""
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
        return decide(read_manifest(manifest), facts).included
    except CapabilityError as error:
        raise filter_error(error) from None


class TestModule:
    """The test for Ansible."""

    def tests(self) -> dict[str, Callable[..., bool]]:
        """Return the test by its name."""
        return {"included": included}
