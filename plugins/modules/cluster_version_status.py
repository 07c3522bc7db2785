#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_version_status
short_description: Report capabilities in the status of a ClusterVersion without a cluster-version operator
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Writes the capabilities to the status of a ClusterVersion, as the cluster-version operator of O(release) would.
    These are C(status.capabilities) and the condition C(ImplicitlyEnabledCapabilities), with the same texts. They
    are computed from the spec, the current status and the release.
  - Enabled capabilities stay enabled, even if the spec does not request them. The condition names these. Enabled names
    that the version does not know stay, too; they can belong to a later version.
  - If the spec contains a set or a name that the version does not have, the capabilities in the status stay the same.
    The condition C(Invalid) reports the errors, and the module returns a warning for each.
  - C(status.desired) becomes the version of O(release), and C(observedGeneration) follows the spec. Required fields
    that are missing are added; C(availableUpdates) is then an empty list. History and other conditions stay the same.
  - Fails if a cluster-version operator runs, see O(allow_cvo_managed).
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._selection.cluster_type
  - kubernetes.core.k8s_auth_options
attributes:
  check_mode:
    support: full
    details:
      - The API server performs a dry run, including validation and admission.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  release:
    description:
      - Directory of the extracted release that the cluster has. It has either the layout of the release image, with
        C(release-manifests/) and C(manifests/), or is a flat directory of manifests.
      - A different version in the status is replaced by the version of this release. If that is older, or of another
        minor, the module warns. It does not compute the capabilities that an update enables because resources moved
        into them, see M(capability.openshift.update_plan).
    type: path
    required: true
  openshift_version:
    description:
      - Version of the release, such as V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required only for a flat directory without C(release-metadata). For V(4.20), a full version of that minor in the
        status is kept.
    type: str
  release_image:
    description:
      - Pull spec of the release image, for C(status.desired.image). By default the image in the status is kept if it
        belongs to the same version, and is empty otherwise.
    type: str
  feature_gates:
    description:
      - All enabled feature gates, as V(NAME) or V(NAME=bool). With an empty list, none is enabled.
      - By default those that the FeatureGate manifest of the release enables for O(feature_set).
      - Some capabilities, from 4.23 on, are known only if one of their feature gates is enabled. An enabled capability
        stays enabled without its gate, and the module warns.
    type: list
    elements: str
    aliases: [featureGates]
  always_enabled_capabilities:
    description:
      - Capabilities that the cluster enables for every selection.
      - By default V([Ingress]) from 4.16 on, unless O(cluster_profile) is V(ibm-cloud-managed) or V(hypershift). The
        cluster-version operator is started with these defaults.
    type: list
    elements: str
  allow_cvo_managed:
    description:
      - Whether to skip the check for a cluster-version operator.
      - By default the module fails if the Deployment C(openshift-cluster-version/cluster-version-operator) is available
        and not scaled to 0. It also fails if the field manager C(cluster-version-operator) wrote the status less than
        five minutes ago, according to the clock of the host that runs the task.
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

- name: Show the capabilities that could not be disabled
  ansible.builtin.debug:
    msg: "{{ reported.condition.message }}"
  when: reported.implicitly_enabled_capabilities | length > 0

- name: The same for a cluster with technology previews whose operator is stopped
  capability.openshift.cluster_version_status:
    context: lab
    release: /srv/releases/4.23.0
    feature_set: TechPreviewNoUpgrade
    allow_cvo_managed: true
"""

RETURN = r"""
status:
  description: The status of the ClusterVersion after the change.
  returned: success
  type: dict
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities). V(none) if it does not exist, because the first spec is invalid.
  returned: success
  type: dict
  sample:
    type: ImplicitlyEnabledCapabilities
    status: 'True'
    reason: CapabilitiesImplicitlyEnabled
    message: 'The following capabilities could not be disabled: Console, Ingress'
    lastTransitionTime: '2025-09-09T16:25:36Z'
enabled_capabilities:
  description: Capabilities that the status reports as enabled, including implicit ones, sorted.
  returned: success
  type: list
  elements: str
  sample: [Console, Ingress, Storage]
known_capabilities:
  description: Capabilities that the status reports as known, sorted.
  returned: success
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Capabilities that are enabled without a request, as in the condition, sorted.
  returned: success
  type: list
  elements: str
  sample: [Console, Ingress]
problems:
  description: Errors, warnings and remarks about the release and the ClusterVersion.
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
      description: What is wrong, and what was expected.
      type: str
      returned: always
    hint:
      description: What to do, empty if nothing has to be done.
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
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
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
    problems = Problems()
    try:
        result = run(module, problems)
    except CapabilityError as error:
        fail(module, error)
    succeed(module, result, problems)


def run(module: AnsibleModule, problems: Problems) -> dict[str, Any]:
    """Write the status, unless it is up to date. Raises ``CapabilityError``."""
    params = module.params
    image = params["release_image"]
    loaded = load_release(
        params["release"],
        openshift_version=params["openshift_version"],
        cluster_profile=params["cluster_profile"],
        release_image=PLACEHOLDER_IMAGE if image is None else image,
    )
    options = ClusterOptions.from_params(params)
    of_inputs = Problems()
    inputs = status_inputs(options, loaded.release, image or "", of_inputs)
    report = report_status(
        connect(module), inputs, allow_cvo_managed=params["allow_cvo_managed"], dry_run=module.check_mode
    )
    result = {"changed": report.changed, **status_dict(report.after)}
    if module._diff:
        before, after = (status_lines(status) for status in (report.before, report.after))
        result["diff"] = diff_entry("clusterversions.config.openshift.io version, status", before, after)
    problems += (*loaded.problems, *of_inputs, *report.problems)
    return result


if __name__ == "__main__":
    main()
