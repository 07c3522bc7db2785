#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_capabilities_info
short_description: Read the requested, enabled and known capabilities of a cluster
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads the ClusterVersion of a cluster. Returns the capabilities that the spec requests, that are enabled, that
    are enabled without a request, and that are disabled.
  - Sends one request. If the collection does not know the version of the cluster, or a capability that the cluster
    knows, a second request reads the CustomResourceDefinition of ClusterVersion. O(inclusion_criteria) needs two or
    three more.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._attributes.info_module
  - capability.openshift._auth
  - capability.openshift._chdir
options:
  inclusion_criteria:
    description:
      - Whether to also read what decides, besides capabilities, which manifests the cluster includes, and to return it
        as RV(inclusion_criteria).
      - Reads the FeatureGate C(cluster) and the Deployment of the cluster-version operator. If the module cannot
        read that Deployment, it also reads the Infrastructure C(cluster).
    type: bool
    default: false
seealso:
  - module: capability.openshift.cluster_capabilities
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Read the capabilities of a cluster
  capability.openshift.cluster_capabilities_info:
    kubeconfig: /srv/sites/berlin/kubeconfig
  register: cluster

- name: Show the disabled capabilities
  ansible.builtin.debug:
    msg: "{{ cluster.disabled_capabilities | join(', ') }}"

- name: Read the capabilities of a cluster, and what else decides about manifests
  capability.openshift.cluster_capabilities_info:
    kubeconfig: /srv/sites/berlin/kubeconfig
    inclusion_criteria: true
  register: cluster

- name: Show what this cluster gets with the Console
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
    cluster_profile: "{{ cluster.inclusion_criteria.cluster_profile or omit }}"
    feature_set: "{{ cluster.inclusion_criteria.feature_set or omit }}"
    feature_gates: >-
      {{ omit if cluster.inclusion_criteria.feature_gates is none else cluster.inclusion_criteria.feature_gates }}
    overrides: "{{ cluster.inclusion_criteria.overrides }}"
    enabled_capabilities: "{{ cluster.enabled_capabilities }}"
    known_capabilities: "{{ cluster.known_capabilities }}"
  register: info

- name: Write the metric for node_exporter
  ansible.builtin.copy:
    content: "{{ cluster.metrics }}"
    dest: /var/lib/node_exporter/textfile/capabilities.prom
    mode: "0644"
"""

RETURN = r"""
spec:
  description:
    - The block C(spec.capabilities) of the ClusterVersion, with C(baselineCapabilitySet) and
      C(additionalEnabledCapabilities). Empty if there is none, which means V(vCurrent).
  returned: success
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Console, Ingress]}
openshift_version:
  description: Version that the cluster runs or updates to, V(null) if the status does not report it.
  returned: success
  type: str
  sample: 4.20.3
requested_capabilities:
  description: Capabilities that the spec requests, sorted. The baseline set is expanded for the version of the cluster.
  returned: success
  type: list
  elements: str
enabled_capabilities:
  description: Enabled capabilities in the status, sorted.
  returned: success
  type: list
  elements: str
known_capabilities:
  description: Known capabilities in the status, sorted. If the status does not have them, those that the version knows.
  returned: success
  type: list
  elements: str
disabled_capabilities:
  description: Known capabilities that are not enabled, sorted.
  returned: success
  type: list
  elements: str
pending_capabilities:
  description: Capabilities that the spec requests and that are not enabled yet, sorted.
  returned: success
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Enabled capabilities that the spec does not request, sorted.
  returned: success
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) of the ClusterVersion, in the form of the API. V(null) if there is
      none.
  returned: success
  type: dict
metrics:
  description: The metric C(cluster_version_capability) in the text format of Prometheus, as the cluster exports it.
  returned: success
  type: str
  sample: |
    # HELP cluster_version_capability Report currently enabled cluster capabilities.  0 is disabled, and 1 is enabled.
    # TYPE cluster_version_capability gauge
    cluster_version_capability{name="Console"} 1
    cluster_version_capability{name="Storage"} 0
inclusion_criteria:
  description:
    - What decides, besides capabilities, which manifests the cluster includes. Each value has the form of the option of
      M(capability.openshift.release_info) with the same name.
    - Where the cluster does not report a value, the default of the option applies.
  returned: when O(inclusion_criteria=true)
  type: dict
  contains:
    cluster_profile:
      description: Cluster profile of the cluster-version operator. V(null) if it is not known.
      type: str
      returned: always
      sample: self-managed-high-availability
    feature_set:
      description: Feature set. Empty for the default one. V(null) if it is not known.
      type: str
      returned: always
      sample: TechPreviewNoUpgrade
    feature_gates:
      description:
        - Enabled feature gates of RV(openshift_version). V(null) before 4.22, where they do not decide about manifests.
      type: list
      elements: str
      returned: always
    overrides:
      description: Entries of C(spec.overrides) of the ClusterVersion.
      type: list
      elements: dict
      returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the cluster.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._cluster.capabilities import capabilities_dict, capability_metrics, read_capabilities
from ..module_utils._cluster.cluster_properties import read_inclusion_criteria
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import chdir_spec
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import Problems


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Read the cluster. Raises ``CapabilityError``."""
    client = connect(module)
    reading = read_capabilities(client)
    problems += reading.problems
    found = capabilities_dict(reading)
    found["metrics"] = capability_metrics(found["enabled_capabilities"], found["known_capabilities"])
    if module.params["inclusion_criteria"]:
        version = reading.cluster.version or ""
        found["inclusion_criteria"] = read_inclusion_criteria(client, reading.obj, version, problems)
    result.update(found)


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        "inclusion_criteria": {"type": "bool", "default": False},
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
