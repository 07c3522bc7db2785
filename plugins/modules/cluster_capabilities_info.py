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
  - Reads the ClusterVersion of a cluster. Returns the capabilities that the spec requests, those that are enabled,
    those that are enabled without a request, and those that could be enabled.
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
  clusters:
    description:
      - A fleet. The module reads 16 clusters at the same time, and returns one table.
      - Each cluster has connection options, such as O(clusters[].kubeconfig), O(clusters[].context) or
        O(clusters[].host), which override the module options of the same name, or O(clusters[].cluster_version).
      - A hosted cluster is read like any other, from its own API server or from the ClusterVersion in it.
      - If a cluster cannot be read, its row of the table contains the errors, and the module warns. It reads the others
        anyway.
      - Cannot be combined with O(inclusion_criteria).
    type: list
    elements: dict
    suboptions:
      name:
        description: Unique name of the cluster.
        type: str
        required: true
      group:
        description:
          - Name of a group of clusters that should have the same capabilities. By default, all clusters are one group.
        type: str
      cluster_version:
        description:
          - The ClusterVersion object, or the path of a file that contains it. The module then sends no request for this
            cluster.
        type: raw
      kubeconfig:
        description: As O(kubeconfig).
        type: raw
      context:
        description: As O(context).
        type: str
      host:
        description: As O(host).
        type: str
      api_key:
        description: As O(api_key).
        type: str
      username:
        description: As O(username).
        type: str
      password:
        description: As O(password).
        type: str
      validate_certs:
        description: As O(validate_certs).
        type: bool
        aliases: [verify_ssl]
      ca_cert:
        description: As O(ca_cert).
        type: path
        aliases: [ssl_ca_cert]
      client_cert:
        description: As O(client_cert).
        type: path
        aliases: [cert_file]
      client_key:
        description: As O(client_key).
        type: path
        aliases: [key_file]
      proxy:
        description: As O(proxy).
        type: str
      no_proxy:
        description: As O(no_proxy).
        type: str
      proxy_headers:
        description: As O(proxy_headers).
        type: dict
        suboptions:
          proxy_basic_auth:
            description: As O(proxy_headers.proxy_basic_auth).
            type: str
          basic_auth:
            description: As O(proxy_headers.basic_auth).
            type: str
          user_agent:
            description: As O(proxy_headers.user_agent).
            type: str
      persist_config:
        description: As O(persist_config).
        type: bool
      impersonate_user:
        description: As O(impersonate_user).
        type: str
      impersonate_groups:
        description: As O(impersonate_groups).
        type: list
        elements: str
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

- name: Show the capabilities that could be enabled
  ansible.builtin.debug:
    msg: "{{ cluster.available_capabilities | join(', ') }}"

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

- name: Read the capabilities of a fleet
  capability.openshift.cluster_capabilities_info:
    clusters:
      - name: berlin
        group: edge
        kubeconfig: /srv/sites/berlin/kubeconfig
      - name: paris
        group: edge
        kubeconfig: /srv/kubeconfig
        context: paris
      - name: rome
        group: edge
        cluster_version: /srv/must-gather/rome/cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml
  register: fleet

- name: Show which clusters differ from their group
  ansible.builtin.debug:
    msg: "{{ item.name }} lacks {{ item.missing }}, and has {{ item.additional }} in addition"
  loop: "{{ fleet.clusters | selectattr('differs', 'defined') | selectattr('differs') }}"
  loop_control:
    label: "{{ item.name }}"

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
  returned: success, without O(clusters)
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Console, Ingress]}
openshift_version:
  description: Version that the cluster runs or updates to, V(null) if the status does not report it.
  returned: success, without O(clusters)
  type: str
  sample: 4.20.3
requested_capabilities:
  description: Capabilities that the spec requests, sorted. The baseline set is expanded for the version of the cluster.
  returned: success, without O(clusters)
  type: list
  elements: str
enabled_capabilities:
  description: Enabled capabilities in the status, sorted.
  returned: success, without O(clusters)
  type: list
  elements: str
known_capabilities:
  description: Known capabilities in the status, sorted. If the status does not have them, those that the version knows.
  returned: success, without O(clusters)
  type: list
  elements: str
available_capabilities:
  description: Known capabilities that are not enabled, sorted.
  returned: success, without O(clusters)
  type: list
  elements: str
pending_capabilities:
  description: Capabilities that the spec requests and that are not enabled yet, sorted.
  returned: success, without O(clusters)
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Enabled capabilities that the spec does not request, sorted.
  returned: success, without O(clusters)
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) of the ClusterVersion, in the form of the API. V(null) if there is
      none.
  returned: success, without O(clusters)
  type: dict
metrics:
  description: The metric C(cluster_version_capability) in the text format of Prometheus, as the cluster exports it.
  returned: success, without O(clusters)
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
clusters:
  description: The table of the fleet, one row for each cluster, in the order of O(clusters).
  returned: success, with O(clusters)
  type: list
  elements: dict
  contains:
    name:
      description: Name of the cluster.
      type: str
      returned: always
    group:
      description: Name of its group, empty without one.
      type: str
      returned: always
    reachable:
      description: Whether the ClusterVersion could be read. Otherwise, the row contains only the values that are
        always returned.
      type: bool
      returned: always
    openshift_version:
      description: As RV(openshift_version).
      type: str
      returned: if the cluster could be read
    requested:
      description: As RV(requested_capabilities).
      type: list
      elements: str
      returned: if the cluster could be read
    enabled:
      description: As RV(enabled_capabilities).
      type: list
      elements: str
      returned: if the cluster could be read
    known:
      description: As RV(known_capabilities).
      type: list
      elements: str
      returned: if the cluster could be read
    pending:
      description: As RV(pending_capabilities).
      type: list
      elements: str
      returned: if the cluster could be read
    implicitly_enabled:
      description: As RV(implicitly_enabled_capabilities).
      type: list
      elements: str
      returned: if the cluster could be read
    missing:
      description: Names that the cluster knows and does not have enabled, unlike most clusters of its group.
      type: list
      elements: str
      returned: if the cluster could be read
    additional:
      description: Names that the cluster has enabled, unlike most clusters of its group.
      type: list
      elements: str
      returned: if the cluster could be read
    differs:
      description: Whether a name is missing or additional.
      type: bool
      returned: if the cluster could be read
    errors:
      description: Why the cluster could not be read.
      type: list
      elements: str
      returned: always
groups:
  description: The groups of the fleet.
  returned: success, with O(clusters)
  type: list
  elements: dict
  contains:
    name:
      description: Name of the group, empty for the clusters without one.
      type: str
      returned: always
    clusters:
      description: Names of its clusters.
      type: list
      elements: str
      returned: always
    common:
      description: Capabilities that are enabled on most of its clusters that know them, sorted.
      type: list
      elements: str
      returned: always
capabilities:
  description: For each known capability, the clusters that have it.
  returned: success, with O(clusters)
  type: list
  elements: dict
  contains:
    name:
      description: Name of the capability.
      type: str
      returned: always
    enabled:
      description: Clusters that have enabled it.
      type: list
      elements: str
      returned: always
    disabled:
      description: Clusters that know it and have not enabled it.
      type: list
      elements: str
      returned: always
    unknown:
      description: Clusters whose version does not know it.
      type: list
      elements: str
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
from ..module_utils._cluster.live_properties import read_inclusion_criteria
from ..module_utils._fleet.read import FleetEntry, read_fleet
from ..module_utils._fleet.table import fleet_dict
from ..module_utils._kubernetes.auth_options import auth_spec, secret_texts
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import chdir_spec
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.progress import show_progress
from ..module_utils._module.result import HIDDEN
from ..module_utils._module.untag import untag
from ..module_utils._problems import InvalidOptionError, Problems


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Read the cluster, or the clusters of a fleet. Raises ``CapabilityError``."""
    if module.params["clusters"] is not None:
        run_fleet(module, result, problems)
        return
    client = connect(module)
    reading = read_capabilities(client)
    problems += reading.problems
    found = capabilities_dict(reading)
    found["metrics"] = capability_metrics(found["enabled_capabilities"], found["known_capabilities"])
    if module.params["inclusion_criteria"]:
        version = reading.cluster.version or ""
        found["inclusion_criteria"] = read_inclusion_criteria(client, reading.obj, version, problems)
    result.update(found)


def cluster_spec() -> dict[str, dict[str, Any]]:
    """The options of a cluster of a fleet."""
    return {
        "name": {"type": "str", "required": True},
        "group": {"type": "str"},
        "cluster_version": {"type": "raw"},
        **auth_spec(),
    }


def run_fleet(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Read all clusters. Raises ``InvalidOptionError``."""
    # Imported here, because only a fleet can have files.
    from ..module_utils._cluster.cluster_version_file import read_cluster_version

    clusters = untag(module.params["clusters"])
    common = {option: module.params[option] for option in auth_spec()}
    # Ansible treats every text in a kubeconfig as a secret, and would mask the names of the clusters in the result.
    module.params["clusters"] = HIDDEN
    module.no_log_values = {text for params in (common, *clusters) for text in secret_texts(params)}
    if module.params["inclusion_criteria"]:
        message = "cannot be combined with clusters, because it describes one cluster"
        problems.error("conflicting-options", "inclusion_criteria", message, "Remove it, or read a single cluster")
    entries = [FleetEntry.from_params(entry) for entry in clusters]
    rows = read_fleet(entries, common, read_cluster_version, show_progress, problems)
    problems.raise_errors(InvalidOptionError)
    result.update(fleet_dict(rows))


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        "inclusion_criteria": {"type": "bool", "default": False},
        "clusters": {"type": "list", "elements": "dict", "options": cluster_spec()},
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
