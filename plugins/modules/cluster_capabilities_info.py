#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_capabilities_info
short_description: Which capabilities a cluster has, was asked for, and could have
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads the ClusterVersion of a cluster. It tells what the spec asks for, what is on, what is on without being asked
    for, and what could be turned on.
  - Sends one request, and a second one for the CustomResourceDefinition where the version of the cluster is not known
    to the collection.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._attributes.info_module
  - kubernetes.core.k8s_auth_options
seealso:
  - module: capability.openshift.cluster_capabilities
requirements:
  - kubernetes >= 29.0.0
  - PyYAML
"""

EXAMPLES = r"""
- name: Read the capabilities of a cluster
  capability.openshift.cluster_capabilities_info:
    kubeconfig: /srv/sites/berlin/kubeconfig
  register: found

- name: Say what could be turned on
  ansible.builtin.debug:
    msg: "{{ found.available_capabilities | join(', ') }}"

- name: Hand the metric to node_exporter
  ansible.builtin.copy:
    content: "{{ found.metrics }}"
    dest: /var/lib/node_exporter/textfile/capabilities.prom
    mode: "0644"
"""

RETURN = r"""
spec:
  description:
    - The block C(spec.capabilities) of the ClusterVersion, with C(baselineCapabilitySet) and
      C(additionalEnabledCapabilities). Empty where there is none, which stands for V(vCurrent).
  returned: success
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Console, Ingress]}
openshift_version:
  description: Version that the cluster runs or is going to, V(none) where it does not say.
  returned: success
  type: str
  sample: 4.20.3
requested_capabilities:
  description: Names that the spec asks for, its set expanded for the version of the cluster.
  returned: success
  type: list
  elements: str
enabled_capabilities:
  description: Names that are on, as the status says.
  returned: success
  type: list
  elements: str
known_capabilities:
  description: Names that the cluster knows, as the status says; where it does not, those of its version.
  returned: success
  type: list
  elements: str
available_capabilities:
  description: Names that the cluster knows and that are not on.
  returned: success
  type: list
  elements: str
pending_capabilities:
  description: Names that the spec asks for and that are not on yet.
  returned: success
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Names that are on although the spec does not ask for them.
  returned: success
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) of the cluster, a dict as the API has it. V(none) where the cluster
      does not show it.
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
problems:
  description: What is wrong or worth knowing about the ClusterVersion.
  returned: always
  type: list
  elements: dict
  contains:
    severity:
      description: V(error), V(warning) or V(info).
      type: str
      returned: always
    code:
      description: Identifier of the kind of problem, in kebab case. It stays the same if the message is reworded.
      type: str
      returned: always
    where:
      description: Object and field, or the option.
      type: str
      returned: always
    message:
      description: What was found, and what was expected.
      type: str
      returned: always
    hint:
      description: What to do about it, empty where nothing has to be done.
      type: str
      returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._cluster.capabilities import (
    capabilities_dict,
    read_capabilities,
)
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError


def main() -> None:
    """Run the module."""
    module = AnsibleModule(argument_spec=auth_spec(), supports_check_mode=True)
    try:
        reading = read_capabilities(connect(module))
    except CapabilityError as error:
        fail(module, error)
    succeed(module, capabilities_dict(reading), reading.problems)


if __name__ == "__main__":
    main()
