#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_version_status
short_description: Write the capabilities to the status of a ClusterVersion without a cluster-version operator
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Writes the capabilities to the status of a ClusterVersion, as the cluster-version operator of O(release) would. It
    writes C(status.capabilities) and the condition C(ImplicitlyEnabledCapabilities), with the same messages. The module
    computes them from the spec, the current status and the release.
  - Enabled capabilities stay enabled. The condition names those that the spec does not request. Enabled capabilities
    that the version does not know also stay enabled, because they can belong to a later version.
  - If the spec contains a set or a name that the version does not have, the capabilities in the status stay the same.
    The condition C(Invalid) reports the errors, and the module returns a warning for each.
  - Sets C(status.desired) to the version of O(release), and C(observedGeneration) to the generation of the spec. Adds
    missing required fields, with an empty list for C(availableUpdates). History and other conditions stay the same.
  - Fails if a cluster-version operator runs, see O(allow_cvo_managed).
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._release_image
  - capability.openshift._registry
  - capability.openshift._selection.cluster_type
  - capability.openshift._auth
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
      - The release that the cluster runs, a directory or the name of an image, see the notes. A directory either has
        the layout of the release image, with C(release-manifests/) and C(manifests/), or is a flat directory of
        manifests.
      - If the status has a different version, the version of this release replaces it. The module warns if this is an
        older version or another minor version. It does not predict which capabilities an update enables because
        resources move into them, see M(capability.openshift.update_plan).
    type: path
    required: true
  openshift_version:
    description:
      - Version of the release, such as V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required only for a flat directory without C(release-metadata). With V(4.20), the status keeps its version if it
        is a full version of that minor.
    type: str
  release_image:
    description:
      - Pull spec of the release image, for C(status.desired.image). By default, the image in the status is kept if it
        belongs to the same version. Otherwise, the field is empty.
    type: str
  feature_gates:
    description:
      - All enabled feature gates, each as V(NAME) or V(NAME=bool). An empty list means that none is enabled.
      - By default, they are the gates that the FeatureGate manifest of the release enables for O(feature_set).
      - From 4.23 on, some capabilities are known only if one of their feature gates is enabled. An enabled capability
        stays enabled without its gate, and the module warns.
    type: list
    elements: str
    aliases: [featureGates]
  always_enabled_capabilities:
    description:
      - Capabilities that are enabled for every selection.
      - The default is V([Ingress]) from 4.16 on, unless O(cluster_profile) is V(ibm-cloud-managed) or V(hypershift).
        The cluster-version operator is started with this list.
    type: list
    elements: str
  allow_cvo_managed:
    description:
      - Whether to skip the check for a cluster-version operator.
      - By default, the module fails in each of these cases, which show that an operator manages the cluster. The Lease
        C(openshift-cluster-version/version) has a holder and was renewed less than five minutes ago. The Deployment
        C(openshift-cluster-version/cluster-version-operator) is available and not scaled to 0. The field manager
        C(cluster-version-operator) wrote the status less than five minutes ago. The Infrastructure C(cluster) has an
        external control plane, so its operator runs in another cluster.
      - The age of a write is measured with the clock of the API server. The user needs the verb C(get) for these
        objects.
    type: bool
    default: false
seealso:
  - module: capability.openshift.cluster_capabilities
  - module: capability.openshift.update_plan
requirements:
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
  when: reported.condition is not none and reported.condition.status == 'True'

- name: Skip the check for a cluster-version operator on a Technology Preview cluster
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
    - The condition C(ImplicitlyEnabledCapabilities). V(null) if there is none, because the spec was never valid.
  returned: success
  type: dict
  sample:
    type: ImplicitlyEnabledCapabilities
    status: 'True'
    reason: CapabilitiesImplicitlyEnabled
    message: 'The following capabilities could not be disabled: Console, Ingress'
    lastTransitionTime: '2025-09-09T16:25:36Z'
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the release and the ClusterVersion.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._capability.cluster_options import ClusterOptions, check_options
from ..module_utils._cluster.status import report_status, status_dict
from ..module_utils._cluster.status_change import status_inputs
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import ReleaseOptions, inclusion_spec, release_spec
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.result import diff_entry
from ..module_utils._problems import Problems
from ..module_utils._release.loader import PLACEHOLDER_IMAGE
from ..module_utils._release_image.open_release import open_release


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Write the status, unless it is up to date. Raises ``CapabilityError``."""
    params, options = module.params, ReleaseOptions.from_params(module.params)
    opened = open_release(options.release, options.source)
    problems += opened.problems
    image = options.release_image or opened.pull_spec
    release = options._replace(release_image=image or PLACEHOLDER_IMAGE).load(opened, problems).release
    resolution_problems = Problems()
    criteria = check_options(ClusterOptions.from_params(params), release.minor, resolution_problems)
    inputs, _resolved = status_inputs(criteria, release, image, resolution_problems)
    report = report_status(
        connect(module), inputs, allow_cvo_managed=params["allow_cvo_managed"], dry_run=module.check_mode
    )
    result.update(changed=report.changed, **status_dict(report.after))
    if module._diff:
        what = "clusterversions.config.openshift.io version, status"
        result["diff"] = diff_entry(what, report.before, report.after)
    problems += (*resolution_problems, *report.problems)


MODULE = ModuleDefinition(
    {
        **auth_spec(),
        **release_spec(),
        **inclusion_spec("cluster_type"),
        "feature_gates": {"type": "list", "elements": "str", "aliases": ["featureGates"]},
        "always_enabled_capabilities": {"type": "list", "elements": "str"},
        "allow_cvo_managed": {"type": "bool", "default": False},
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
