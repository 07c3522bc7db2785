#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_info
short_description: List the capabilities of a release and their resources
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads an extracted OpenShift release. Returns the capabilities and capability sets that the release knows, and what
    a cluster gets with each capability.
  - The options describe that cluster, as for M(capability.openshift.release_manifests). Manifests for other cluster
    profiles, feature sets and so on do not count.
  - Only manifests of the release count. Operators create more resources, their operands, such as the pods of a
    registry or a router. A release does not contain them.
  - Reports unknown capabilities that manifests need, capabilities that no manifest needs, and ClusterOperators for
    which only some of the manifests have a capability annotation.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup
  - capability.openshift._attributes.info_module
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._registry
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.selection
  - capability.openshift._selection.inclusion
  - capability.openshift._selection.overrides
seealso:
  - module: capability.openshift.release_manifests
requirements:
  - PyYAML
  - rapidyaml (optional, reads a release three times faster)
"""

EXAMPLES = r"""
- name: Read a release
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
  register: info

- name: Show the resources of the Console
  ansible.builtin.debug:
    msg: >-
      {{ info.release.capabilities.Console.manifests }} manifests,
      ClusterOperators {{ info.release.capabilities.Console.cluster_operators | join(', ') }},
      CRDs {{ info.release.capabilities.Console.crds | join(', ') }}

- name: List the capabilities that a tech-preview cluster knows
  capability.openshift.release_info:
    release: /srv/releases/4.23.0
    feature_set: TechPreviewNoUpgrade
"""

RETURN = r"""
release:
  description: Content of the release.
  returned: success
  type: dict
  contains:
    version:
      description: Version of the release, V(null) if it has no metadata and O(openshift_version) is not set.
      type: str
      returned: success
      sample: 4.20.3
    manifests:
      description: Number of manifests in the release, for all cluster profiles and feature sets.
      type: int
      returned: success
      sample: 1076
    included:
      description: Number of manifests that the cluster includes.
      type: int
      returned: success
      sample: 904
    known_capabilities:
      description: Known capabilities of the release with O(feature_set), sorted.
      type: list
      elements: str
      returned: success
      sample: [Build, Console, Ingress]
    capability_sets:
      description: Capabilities in each capability set of this release.
      type: dict
      returned: success
      sample:
        None: []
        v4.11: [MachineAPI, baremetal, marketplace, openshift-samples]
    capabilities:
      description:
        - What the cluster gets with each capability. Contains known capabilities, and unknown ones that a manifest
          needs.
        - C(manifests) is the number of manifests that need the capability, and that the cluster includes if it is
          enabled in addition to those of O(capabilities) or O(enabled_capabilities). A manifest that needs several
          capabilities counts for each of them.
        - C(deletions) is the number of these manifests that delete their resource. They do not count in the fields
          below.
        - C(manifests_in_release) is the number of manifests that need the capability, for all cluster profiles and
          feature sets.
        - C(images) are the images of workloads and those in ConfigMaps, from which operators deploy their operands.
      type: dict
      returned: success
      sample:
        Console:
          manifests: 92
          manifests_in_release: 95
          deletions: 1
          kinds: [ClusterOperator, ClusterRole, Deployment]
          namespaces: [openshift-console, openshift-console-operator]
          cluster_operators: [console]
          crds: [consoles.operator.openshift.io]
          images: [registry.example/release@sha256:0123]
    cluster_profiles:
      description: Cluster profiles that manifests name, sorted.
      type: list
      elements: str
      returned: success
      sample: [ibm-cloud-managed, self-managed-high-availability]
    feature_sets:
      description: Feature sets that manifests name, sorted.
      type: list
      elements: str
      returned: success
      sample: [CustomNoUpgrade, Default, TechPreviewNoUpgrade]
problems:
  description: Errors, warnings and notes about the release.
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
      description: Location of the problem, such as an option, or a field of a file or object.
      type: str
      returned: always
    message:
      description: What is wrong, and what was expected.
      type: str
      returned: always
    hint:
      description: What to do about it. Empty if there is nothing to do.
      type: str
      returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._footprint.summary import (
    summarize_release,
    summary_dict,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    cluster_type_spec,
    hosting_spec,
    inclusion_spec,
    overrides_spec,
    release_arguments,
    release_spec,
    selection_spec,
    with_release_directory,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **release_spec(),
            **cluster_type_spec(),
            **hosting_spec(),
            **selection_spec(),
            **inclusion_spec(),
            **overrides_spec(),
        },
        supports_check_mode=True,
    )
    params = module.params
    require_yaml(module)
    try:
        problems = Problems()
        loaded = load_release(**release_arguments(with_release_directory(params, problems)))
        problems += loaded.problems
        summary = summarize_release(loaded.release, ClusterOptions.from_params(params), problems)
    except CapabilityError as error:
        fail(module, error)
    succeed(module, {"changed": False, "release": summary_dict(summary)}, problems)


if __name__ == "__main__":
    main()
