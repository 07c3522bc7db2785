#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_version_status
short_description: Report the capabilities of a cluster in its ClusterVersion, where no cluster-version operator runs
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Writes into the status of the ClusterVersion what the cluster-version operator of O(release) would write of
    capabilities, from the spec, the status until now and the release. These are C(status.capabilities) and the
    condition C(ImplicitlyEnabledCapabilities), in the operator's own words.
  - What is on stays on, whatever the spec says now. The condition names what is on without being requested. Names that
    the version does not know stay as well; a later version may have left them.
  - A spec that asks for a set or a name that the version does not have is not copied into the status. The capabilities
    stay as they are, the condition C(Invalid) says what is wrong, and a warning for each error is returned.
  - Of the rest of the status, C(desired) becomes the version of O(release), C(observedGeneration) follows the spec, and
    fields that the API requires are filled in where they are missing. C(availableUpdates) becomes an empty list then.
    History and all other conditions are left alone.
  - A cluster with a cluster-version operator is refused, see O(allow_cvo_managed).
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._cluster.facts
  - kubernetes.core.k8s_auth_options
attributes:
  check_mode:
    support: full
    details:
      - The API server does a dry run, so that its own validation and admission have their say.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  release:
    description:
      - Directory into which the release was extracted that the cluster has. Either the layout of the release image,
        with C(release-manifests/) and C(manifests/), or a flat directory of manifests.
      - Where the status tells another version, it becomes that of this release, and a warning says so if it is an older
        one or one of another minor. What an update turns on because resources moved into capabilities is not computed
        here, see M(capability.openshift.update_plan).
    type: path
    required: true
  openshift_version:
    description:
      - Version of the release, such as V(4.20.3). Quote it.
      - Needed only for a flat directory without C(release-metadata). Of V(4.20) the status keeps the full version that
        it has.
    type: str
  release_image:
    description:
      - Pull spec of the release image, for C(status.desired.image). Left out, the status keeps the one that it has for
        this version, and has an empty one otherwise.
    type: str
  feature_gates:
    description:
      - Feature gates that are on, all of them, as V(NAME) or V(NAME=bool). An empty list means that none is on.
      - Left out, they are those that the FeatureGate manifest of the release turns on for O(feature_set).
      - A capability behind gates, as there are from 4.23 on, is known only while one of them is on. One that is on
        already stays on, and a warning says so.
    type: list
    elements: str
    aliases: [featureGates]
  always_enabled_capabilities:
    description:
      - Capabilities that the cluster has on whatever is asked.
      - Left out, it is V([Ingress]) from 4.16 on, unless O(cluster_profile) is V(ibm-cloud-managed) or
        V(hypershift), because that is how the cluster-version operator is started.
    type: list
    elements: str
  allow_cvo_managed:
    description:
      - Whether to write the status although a cluster-version operator may look after it. It is not looked for then.
      - Otherwise the module fails where the Deployment C(openshift-cluster-version/cluster-version-operator) is
        available and not scaled to 0, or where the field manager C(cluster-version-operator) wrote the status less than
        five minutes ago. The latter depends on the clock of the host that runs the task.
    type: bool
    default: false
seealso:
  - module: capability.openshift.cluster_capabilities
  - module: capability.openshift.update_plan
requirements:
  - kubernetes >= 29.0.0
  - PyYAML
"""

EXAMPLES = r"""
- name: Report the capabilities of a cluster without a cluster-version operator
  capability.openshift.cluster_version_status:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
  register: reported

- name: Show what could not be turned off
  ansible.builtin.debug:
    msg: "{{ reported.condition.message }}"
  when: reported.implicitly_enabled_capabilities | length > 0

- name: The same for a cluster with technology previews, whose operator is stopped
  capability.openshift.cluster_version_status:
    context: lab
    release: /srv/releases/4.23.0
    feature_set: TechPreviewNoUpgrade
    allow_cvo_managed: true
"""

RETURN = r"""
status:
  description: The status of the ClusterVersion, as it is now.
  returned: success
  type: dict
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities). V(none) where there is none, because the first spec is invalid.
  returned: success
  type: dict
  sample:
    type: ImplicitlyEnabledCapabilities
    status: 'True'
    reason: CapabilitiesImplicitlyEnabled
    message: 'The following capabilities could not be disabled: Console, Ingress'
    lastTransitionTime: '2025-09-09T16:25:36Z'
enabled_capabilities:
  description: Capabilities that the status tells to be on, sorted, implicit ones included.
  returned: success
  type: list
  elements: str
  sample: [Console, Ingress, Storage]
known_capabilities:
  description: Capabilities that the status tells to be known, sorted.
  returned: success
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Capabilities that are on without being requested, sorted, as the condition names them.
  returned: success
  type: list
  elements: str
  sample: [Console, Ingress]
problems:
  description: What is wrong or worth knowing, about the release and the ClusterVersion.
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
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status import (
    report_status,
    status_dict,
    status_lines,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.status_change import status_inputs
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    cluster_type_spec,
    release_spec,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import diff_entry, fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import (
    PLACEHOLDER_IMAGE,
    load_release,
)


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **auth_spec(),
            **release_spec(),
            **cluster_type_spec(),
            "feature_gates": {"type": "list", "elements": "str", "aliases": ["featureGates"]},
            "always_enabled_capabilities": {"type": "list", "elements": "str"},
            "allow_cvo_managed": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    require_yaml(module)
    try:
        result, problems = run(module)
    except CapabilityError as error:
        fail(module, error)
    succeed(module, result, problems)


def run(module: AnsibleModule) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Write the status, unless it is right already. Raises ``CapabilityError``."""
    params = module.params
    image = params["release_image"]
    loaded = load_release(
        params["release"],
        openshift_version=params["openshift_version"],
        cluster_profile=params["cluster_profile"],
        release_image=PLACEHOLDER_IMAGE if image is None else image,
    )
    options = ClusterOptions(
        cluster_profile=params["cluster_profile"],
        feature_set=params["feature_set"],
        feature_gates=params["feature_gates"],
        always_enabled_capabilities=params["always_enabled_capabilities"],
    )
    facts, problems = status_inputs(options, loaded.release, image or "")
    reported = report_status(
        connect(module), facts, allow_cvo_managed=params["allow_cvo_managed"], dry_run=module.check_mode
    )
    result = {"changed": reported.changed, **status_dict(reported.after)}
    if module._diff:
        before, after = (status_lines(status) for status in (reported.before, reported.after))
        result["diff"] = diff_entry("clusterversions.config.openshift.io version, status", before, after)
    return result, (*loaded.problems, *problems, *reported.problems)


if __name__ == "__main__":
    main()
