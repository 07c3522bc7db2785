#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_verify
short_description: Compare the resources of a cluster with its release
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reports resources of a release that are missing, unexpected, different from their manifest, or not ready.
  - The expected resources are those that the release includes for the capabilities of the cluster. The module reads
    these capabilities from the status of the ClusterVersion and from the inventory of
    M(capability.openshift.release_apply). O(capabilities) overrides them.
  - Sends only C(get) and C(list) requests. Also works on a cluster with a cluster-version operator.
  - The module does not fail because of findings. It fails if it cannot read a resource, but checks all others first.
    The result then still contains all findings.
  - Ignores resources that an override marks as unmanaged.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._rollout
  - capability.openshift._selection.hosting
  - capability.openshift._selection.inclusion
  - capability.openshift._auth
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
    details:
      - This action does not modify state.
  idempotent:
    support: full
options:
  capabilities:
    description:
      - The selection to compare the cluster with, in the format of C(install-config.yaml) and C(ClusterVersion.spec),
        see M(capability.openshift.cluster_capabilities). With only the baseline set V(None), the resources of all
        optional capabilities are unexpected.
      - By default, they are the enabled capabilities of the cluster. A cluster without a ClusterVersion and without an
        inventory needs this option.
    type: dict
notes:
  - O(release_image) defaults to the image in the status of the ClusterVersion.
  - A difference is what the cluster-version operator of the release would revert, also if another client added it, such
    as a container, a volume or C(hostNetwork). What that operator leaves as it is does not count, such as more
    tolerations. M(capability.openshift.release_apply) restores values of manifests, but does not remove additions.
  - Metadata of the rollout, defaults, and CA bundles that operators inject do not count as differences. Resources that
    a release creates but never updates are not compared.
  - Expects what the cluster-version operator injects, namely proxy variables, the internal address of the API server in
    its own Deployment, and from 4.22 on TLS settings in ConfigMaps.
  - On a cluster without a cluster-version operator, kinds of OpenShift's aggregated API servers that are not served are
    warnings, and their resources are not compared.
  - A resource of another cluster profile is unexpected only if M(capability.openshift.release_apply) has labeled it.
  - A ClusterOperator can have any version where the manifest contains a placeholder for an image, as before a release
    image is built.
seealso:
  - module: capability.openshift.release_apply
  - module: capability.openshift.release_manifests
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Compare a cluster with its release
  capability.openshift.release_verify:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
  register: verification

- name: Fail if there is any finding
  ansible.builtin.assert:
    that: verification.missing + verification.unexpected + verification.different + verification.unready == []

- name: List the resources of optional capabilities
  capability.openshift.release_verify:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
  register: minimal

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ minimal.unexpected | map(attribute='name') }}"
"""

RETURN = r"""
verified:
  description: Number of checked resources, both expected and unexpected.
  returned: success, or if a resource could not be checked
  type: int
  sample: 51
differences:
  description:
    - The number of resources of each list that is not empty, and whether some resources could not be checked. It is
      empty if the cluster is as the release describes.
    - Resources of RV(unexpected) do not count if an earlier rollout applied them and the release no longer contains
      them, or only for another cluster profile, because no cluster-version operator deletes them.
  returned: success, or if a resource could not be checked
  type: list
  elements: str
  sample: [1 missing, 3 different]
missing:
  description: Expected resources that do not exist, in the order of the release.
  returned: success, or if a resource could not be checked
  type: list
  elements: dict
  contains:
    <<: &manifest
      group:
        description: API group of the resource. Empty for the core group.
        type: str
        returned: always
      kind:
        description: Kind of the resource.
        type: str
        returned: always
      namespace:
        description: Namespace of the resource. Empty if it is cluster-scoped.
        type: str
        returned: always
      name:
        description: Name of the resource.
        type: str
        returned: always
      file:
        description: File of the manifest, relative to O(release). Empty if the release does not contain the resource.
        type: str
        returned: always
      capabilities:
        description: Capabilities that the resource needs, or needed when it was applied.
        type: list
        elements: str
        returned: always
    reason:
      description: Why it does not exist, for example because the cluster does not serve the kind.
      type: str
      returned: always
unexpected:
  description: Resources that exist but should not, sorted by group, kind, namespace and name.
  returned: success, or if a resource could not be checked
  type: list
  elements: dict
  contains:
    <<: *manifest
    reasons:
      description: Why it should not exist.
      type: list
      elements: dict
      returned: always
      contains:
        rule:
          description:
            - One of the rules of M(capability.openshift.release_manifests), or V(deleted) if the release deletes the
              resource, or V(orphaned) if an earlier rollout applied it and the release no longer contains it.
            - If its deletion is not over, the last one is V(terminating), which names its finalizers.
          type: str
          returned: always
        message:
          description: The reason as text.
          type: str
          returned: always
different:
  description: Resources that the cluster-version operator would change, in the order of the release.
  returned: success, or if a resource could not be checked
  type: list
  elements: dict
  contains:
    <<: *manifest
    fields:
      description:
        - The first 20 fields that differ.
        - The values of a Secret are masked, and long values are shortened.
      type: list
      elements: dict
      returned: always
      sample:
        - {field: '.spec.replicas', expected: 1, actual: 2}
      contains:
        field:
          description: Path of the field.
          type: str
          returned: always
        expected:
          description: Its value in the manifest. V(null) if it has to be absent.
          type: raw
          returned: always
        actual:
          description: Its value on the cluster. V(null) if it is absent.
          type: raw
          returned: always
    more_fields:
      description: Number of further fields that differ.
      type: int
      returned: always
unready:
  description: Resources that are not ready, in the order of the release.
  returned: success, or if a resource could not be checked
  type: list
  elements: dict
  contains:
    <<: *manifest
    state:
      description: V(waiting), or V(failed) if the resource cannot become ready without a change.
      type: str
      returned: always
    message:
      description: What is not ready.
      type: str
      returned: always
capability_status:
  description: Capability status that the cluster was compared with.
  returned: success, or if a resource could not be checked
  type: dict
  contains:
    enabled_capabilities:
      description: Enabled capabilities, sorted.
      type: list
      elements: str
      returned: always
    known_capabilities:
      description: Known capabilities, sorted.
      type: list
      elements: str
      returned: always
    implicitly_enabled_capabilities:
      description: Enabled capabilities that the spec does not request, sorted.
      type: list
      elements: str
      returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Resources that could not be checked, and errors, warnings and notes about the release and the cluster.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._capability.cluster_options import ClusterOptions
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import ReleaseOptions, chdir_spec, release_spec, rollout_spec
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import ClusterError, Problems
from ..module_utils._release_image.open_release import open_release
from ..module_utils._rollout.cluster_state import load_release_for, read_cluster_state
from ..module_utils._verify.verify import verification_dict, verify


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Compare, and put the findings into ``result``. Raises ``CapabilityError``."""
    params, options = module.params, ReleaseOptions.from_params(module.params)
    opened = open_release(options.release, options.source, problems)
    client = connect(module)
    state = read_cluster_state(client, options.cluster_profile)
    release = load_release_for(state, options, opened, problems)
    verification = verify(client, state, release, params["capabilities"], ClusterOptions.from_params(params))
    result.update(verification_dict(verification))
    problems += verification.problems
    problems.raise_errors(ClusterError)


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        **release_spec(),
        **rollout_spec(),
        "capabilities": {"type": "dict"},
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
