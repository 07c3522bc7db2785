#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_verify
short_description: Compare a cluster with what a release says should be there
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Tells which resources of a release are missing on a cluster, which are there though they should not be, which have
    other content than their manifests, and which do not work.
  - What should be there are the manifests that the release includes for the capabilities of the cluster, in its status
    and in the inventory of M(capability.openshift.release_apply), or for O(capabilities).
  - Reads only, with C(get) and C(list). Clusters that a cluster-version operator looks after are fine, too.
  - What is found does not make the module fail. What it may not read does, after all else was looked at, with all that
    was found in the result.
  - Resources that an override names as unmanaged are left out, whether they are there or not.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._release
  - capability.openshift._rollout
  - capability.openshift._selection.inclusion
  - kubernetes.core.k8s_auth_options
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
    details:
      - It changes nothing.
  idempotent:
    support: full
options:
  capabilities:
    description:
      - The selection that the cluster is compared with, as C(install-config.yaml) and C(ClusterVersion.spec) have it,
        see M(capability.openshift.cluster_capabilities). The set V(None) alone asks what there is beyond a cluster that
        has no optional capability.
      - Left out, it is compared with the capabilities that it says to have on. A cluster without ClusterVersion and
        without an inventory needs the option.
    type: dict
notes:
  - Without O(release_image) the image that the status of the ClusterVersion names stands in its place.
  - What the rollout itself adds to an object, what the cluster injects (CA bundles, variables of its proxy), and what
    only the cluster has is no difference. Resources that are created once and then left alone are not compared.
seealso:
  - module: capability.openshift.release_apply
  - module: capability.openshift.release_manifests
requirements:
  - kubernetes >= 29.0.0
  - PyYAML
"""

EXAMPLES = r"""
- name: Compare a cluster with its release
  capability.openshift.release_verify:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
  register: verification

- name: Stop if anything is not as it should be
  ansible.builtin.assert:
    that: verification.missing + verification.unexpected + verification.different + verification.unready == []

- name: Ask what there is beyond a cluster without any optional capability
  capability.openshift.release_verify:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
  register: minimal

- name: Show it
  ansible.builtin.debug:
    msg: "{{ minimal.unexpected | map(attribute='name') }}"
"""

RETURN = r"""
verified:
  description: How many resources could be looked at, those that should be there and those that should not.
  returned: success, or where not everything could be looked at
  type: int
  sample: 51
missing:
  description: Resources that should be there and are not, in the order of the release.
  returned: success, or where not everything could be looked at
  type: list
  elements: dict
  contains:
    group:
      description: API group, empty for the core group.
      type: str
      returned: always
    kind:
      description: Kind.
      type: str
      returned: always
    namespace:
      description: Namespace, empty for cluster-scoped resources.
      type: str
      returned: always
    name:
      description: Name.
      type: str
      returned: always
    file:
      description: File of the manifest, relative to the release.
      type: str
      returned: always
    capabilities:
      description: Capabilities that the manifest needs.
      type: list
      elements: str
      returned: always
    reason:
      description: Why it is not there, such as that the cluster does not serve the kind.
      type: str
      returned: always
unexpected:
  description: Resources that are there and should not be, by their id.
  returned: success, or where not everything could be looked at
  type: list
  elements: dict
  contains:
    group:
      description: API group, empty for the core group.
      type: str
      returned: always
    kind:
      description: Kind.
      type: str
      returned: always
    namespace:
      description: Namespace, empty for cluster-scoped resources.
      type: str
      returned: always
    name:
      description: Name.
      type: str
      returned: always
    file:
      description: File of the manifest, relative to the release; empty for what the release does not speak of.
      type: str
      returned: always
    capabilities:
      description: Capabilities that the resource needs, or needed when it was rolled out.
      type: list
      elements: str
      returned: always
    reasons:
      description:
        - Why it should not be there, dicts with C(rule) and C(message).
        - C(rule) is one of those of M(capability.openshift.release_manifests), or V(deleted) for what the release
          deletes, or V(left_over) for what an earlier rollout made and the release does not speak of.
      type: list
      elements: dict
      returned: always
different:
  description: Resources with other content than their manifests, in the order of the release.
  returned: success, or where not everything could be looked at
  type: list
  elements: dict
  contains:
    group:
      description: API group, empty for the core group.
      type: str
      returned: always
    kind:
      description: Kind.
      type: str
      returned: always
    namespace:
      description: Namespace, empty for cluster-scoped resources.
      type: str
      returned: always
    name:
      description: Name.
      type: str
      returned: always
    file:
      description: File of the manifest, relative to the release.
      type: str
      returned: always
    capabilities:
      description: Capabilities that the manifest needs.
      type: list
      elements: str
      returned: always
    fields:
      description:
        - The first 20 fields that are different, dicts with C(field), C(wanted) and C(found), null where it is absent.
        - Of a Secret no value is shown, and of long values only the beginning.
      type: list
      elements: dict
      returned: always
      sample:
        - {field: '.spec.replicas', wanted: 1, found: 2}
    more_fields:
      description: How many fields beyond these are different.
      type: int
      returned: always
unready:
  description: Resources that are there and do not work, in the order of the release.
  returned: success, or where not everything could be looked at
  type: list
  elements: dict
  contains:
    group:
      description: API group, empty for the core group.
      type: str
      returned: always
    kind:
      description: Kind.
      type: str
      returned: always
    namespace:
      description: Namespace, empty for cluster-scoped resources.
      type: str
      returned: always
    name:
      description: Name.
      type: str
      returned: always
    file:
      description: File of the manifest, relative to the release.
      type: str
      returned: always
    capabilities:
      description: Capabilities that the manifest needs.
      type: list
      elements: str
      returned: always
    state:
      description: V(waiting), or V(failed) where it does not become ready by itself.
      type: str
      returned: always
    message:
      description: What it lacks.
      type: str
      returned: always
capability_status:
  description: The capabilities that the cluster was compared with.
  returned: success, or where not everything could be looked at
  type: dict
  contains:
    enabled_capabilities:
      description: Capabilities that are on, sorted.
      type: list
      elements: str
      returned: always
    known_capabilities:
      description: Capabilities that are known, sorted.
      type: list
      elements: str
      returned: always
    implicitly_enabled_capabilities:
      description: Capabilities that are on without being requested, sorted.
      type: list
      elements: str
      returned: always
problems:
  description: What could not be looked at, and what is wrong or worth knowing about the release and the cluster.
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

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import release_spec, rollout_spec
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    ClusterError,
    Problem,
    raise_errors,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import (
    load_release_for,
    read_cluster_state,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import release_options_from_params
from ansible_collections.capability.openshift.plugins.module_utils._verify.result import verification_dict
from ansible_collections.capability.openshift.plugins.module_utils._verify.verify import verify


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **auth_spec(),
            **release_spec(),
            **rollout_spec(),
            "capabilities": {"type": "dict"},
        },
        supports_check_mode=True,
    )
    require_yaml(module)
    result: dict[str, Any] = {}
    try:
        problems = run(module, result)
    except CapabilityError as error:
        fail(module, error, **result)
    succeed(module, result, problems)


def run(module: AnsibleModule, result: dict[str, Any]) -> tuple[Problem, ...]:
    """Compare; put into ``result`` what was found. Raises ``CapabilityError``."""
    params = module.params
    client = connect(module)
    around = read_cluster_state(client)
    loaded = load_release_for(around, release_options_from_params(params))
    said = ClusterOptions.from_params(params)
    verification = verify(client, around, loaded, params["capabilities"], said)
    result.update(verification_dict(verification))
    problems = (*loaded.problems, *verification.problems)
    raise_errors(problems, ClusterError)
    return problems


if __name__ == "__main__":
    main()
