#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_info
short_description: What a release offers, capability by capability
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads an extracted OpenShift release and tells which capabilities and sets it knows, and what each capability
    brings.
  - Tells what is odd about it, names that manifests carry and nobody knows, names that no manifest carries, and
    ClusterOperators whose manifests are only partly annotated.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup
  - capability.openshift._attributes.info_module
  - capability.openshift._cluster.release
  - capability.openshift._cluster.facts
seealso:
  - module: capability.openshift.release_manifests
requirements:
  - PyYAML
  - rapidyaml (optional, makes reading three times faster)
"""

EXAMPLES = r"""
- name: Look into a release
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
  register: offer

- name: What the Console would bring
  ansible.builtin.debug:
    msg: >-
      {{ offer.release.capabilities.Console.manifests }} manifests,
      ClusterOperators {{ offer.release.capabilities.Console.cluster_operators | join(', ') }},
      CRDs {{ offer.release.capabilities.Console.crds | join(', ') }}

- name: Capabilities that a tech-preview cluster would know
  capability.openshift.release_info:
    release: /srv/releases/4.23.0
    feature_set: TechPreviewNoUpgrade
"""

RETURN = r"""
release:
  description: What the release offers.
  returned: success
  type: dict
  contains:
    version:
      description: Version of the release, V(none) if nobody told it.
      type: str
      returned: success
      sample: 4.20.3
    manifests:
      description: How many manifests the release has, whatever they are for.
      type: int
      returned: success
      sample: 1076
    known_capabilities:
      description: Names that this release knows under O(feature_set), sorted.
      type: list
      elements: str
      returned: success
      sample: [Build, Console, Ingress]
    capability_sets:
      description: Content of each capability set in this release.
      type: dict
      returned: success
      sample:
        None: []
        v4.11: [MachineAPI, baremetal, marketplace, openshift-samples]
    capabilities:
      description:
        - For each name that is known or that a manifest carries, what carries it.
        - A manifest that carries several names counts for each of them.
      type: dict
      returned: success
      sample:
        Console:
          manifests: 95
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
  description: What is odd about the release.
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
      description: File, document and field, or the option.
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

from ansible_collections.capability.openshift.plugins.module_utils._footprint.summary import (
    summarize_release,
    summary_dict,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    cluster_type_spec,
    release_arguments,
    release_spec,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release


def main() -> None:
    """Run the module."""
    module = AnsibleModule(argument_spec={**release_spec(), **cluster_type_spec()}, supports_check_mode=True)
    params = module.params
    require_yaml(module)
    try:
        loaded = load_release(**release_arguments(params))
        contents, problems = summarize_release(loaded.release, params["feature_set"], params["cluster_profile"])
    except CapabilityError as error:
        fail(module, error)
    succeed(module, {"changed": False, "release": summary_dict(contents)}, (*loaded.problems, *problems))


if __name__ == "__main__":
    main()
