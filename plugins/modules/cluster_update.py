#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_update
short_description: Update a cluster, and compare the capabilities that it gains with the plan
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Plans the update of a running cluster as M(capability.openshift.update_plan) does, requests it, follows it until the
    cluster-version operator (CVO) has completed it, and compares the prediction of the plan with the cluster.
  - Writes nothing if something is against the update, or if the update enables a capability implicitly, and
    O(acceptances) does not contain its name.
  - Besides the plan, it looks at what most often makes an update hang - ClusterOperators that are not available or
    degraded, pools of machines that are paused, degraded or still updating, and a CVO that does not renew its Lease.
  - Then it writes, in this order and each only if it differs, the accepted gates to the ConfigMap
    C(openshift-config/admin-acks) with server-side apply, and C(spec.desiredUpdate) of the ClusterVersion. The request
    contains the version and the image, and the names of accepted risks where the CVO reads C(acceptRisks). It never
    contains C(force), and nothing of an earlier request remains.
  - If the module is stopped, the cluster goes on. The same task continues - it recognizes its update by the image,
    writes nothing twice, and ends the same. For that, the annotation C(capability.openshift/update) of the
    ClusterVersion contains what the plan started from.
  - Does not pause pools, and updates one minor version after the other. It refuses a cluster with a hosted control
    plane, whose HostedCluster is updated instead.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._acceptances
  - capability.openshift._release_image
  - capability.openshift._auth
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
    details:
      - The API server performs a dry run of each write, including validation and admission.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  version:
    description:
      - The version to update to. The ClusterVersion has to list it, in C(status.availableUpdates) or in
        C(status.conditionalUpdates).
      - If it lists several images of the version, O(architecture=multi) selects the image for several architectures,
        and any other value the other image. If that is not possible, set O(image).
      - To migrate from the image for one architecture to the image for several, set the version that the cluster runs,
        and O(architecture=multi). The CVO looks up the image after the request, so the module does not verify its
        signature.
      - Required, unless O(image) is set.
    type: str
  image:
    description:
      - The image of the release to update to, by its digest. Needed only if the ClusterVersion does not list the
        release.
    type: str
  release:
    description:
      - The release to update to, a directory or the name of an image, see the notes. The other release of the plan is
        then the image that the cluster runs.
      - By default, both are images that are read from their registry.
    type: path
  releases:
    description:
      - Both releases of the plan, the one that the cluster runs and the one to update to.
      - As O(capability.openshift.update_plan#module:releases).
      - Cannot be combined with O(release).
    type: list
    elements: raw
  fail_on:
    description:
      - The least serious reason against the update with which nothing is written, unless it is accepted by its name.
      - Capabilities that the update enables implicitly have to be accepted by name in any case.
    type: str
    choices: [acknowledge, risk, blocked, never]
    default: acknowledge
  wait:
    description:
      - Whether to follow the update until the history of the ClusterVersion has its image as C(Completed). Only then
        the prediction is compared.
      - In check mode, the module does not wait.
    type: bool
    default: true
  wait_timeout:
    description:
      - How long to follow the update, in seconds. The update goes on after that.
    type: int
    default: 10800
  stuck_timeout:
    description:
      - How long nothing may move, in seconds, before a warning says that the update is stuck, with the messages of
        the conditions.
    type: int
    default: 1800
notes:
  - The playbook also has the variables C(target_serial), how many hosts are one batch, and
    C(target_max_fail_percentage), how many of them may fail, in percent. With more, or if all
    fail, the next batch does not begin.
seealso:
  - module: capability.openshift.update_plan
  - module: capability.openshift.mirror_check
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Show what the update would need, and fail if something is not accepted
  capability.openshift.cluster_update:
    kubeconfig: /srv/sites/paris/kubeconfig
    version: 4.20.3
  check_mode: true
  diff: true

- name: Update a cluster that accepts two names
  capability.openshift.cluster_update:
    kubeconfig: /srv/sites/paris/kubeconfig
    version: 4.20.3
    acceptances:
      - name: ack-4.19-admissionregistration-v1beta1-api-removals-in-4.20
        reason: No client has used v1beta1 since June
        expires: "2027-03-01"
      - name: Insights
        reason: The support contract needs it

- name: Plan with the directories of both releases
  capability.openshift.cluster_update:
    context: edge-17
    version: 4.20.3
    releases: [/srv/releases/4.19.9, /srv/releases/4.20.3]
"""

RETURN = r"""
plan:
  description:
    - As RV(capability.openshift.update_plan#module:hops), the one hop of the update, without details. V(null) if there
      is none, for example because the update has begun without this module.
  returned: always
  type: dict
desired_update:
  description: The requested update. V(null) if it is not known.
  returned: always
  type: dict
  contains:
    version:
      description: Version of the release. Empty if only its image was known.
      type: str
      returned: always
    image:
      description: Image of the release. Empty until the CVO has looked up the image for several architectures.
      type: str
      returned: always
    state:
      description:
        - V(not_started), V(requested) until the CVO begins it, and then the state of its entry in the history of the
          ClusterVersion, V(partial) or V(completed).
      type: str
      returned: always
  sample:
    version: 4.20.3
    image: quay.io/openshift-release-dev/ocp-release@sha256:7d4bd2a0
    state: completed
prediction:
  description:
    - How the cluster compares with the prediction after the update. Each value is V(equal), V(different) or
      V(not_checked). A difference is an error.
  returned: always
  type: dict
  contains:
    capabilities:
      description: The enabled capabilities.
      type: str
      returned: always
    condition:
      description: Status, reason and message of the condition C(ImplicitlyEnabledCapabilities).
      type: str
      returned: always
  sample: {capabilities: equal, condition: equal}
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - What is against the update is an error, with its code and the object that reports it.
  returned: always
  type: list
  elements: dict
"""

from datetime import UTC, datetime
from typing import Any

from ..module_utils._cluster_update.result import update_result
from ..module_utils._cluster_update.run import UpdateOptions, UpdateRun
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import (
    acceptances_spec,
    chdir_spec,
    check_wait_timeout,
    release_image_spec,
    release_source,
)
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.progress import progress_of
from ..module_utils._module.result import diff_entry
from ..module_utils._problems import InvalidOptionError, Problems
from ..module_utils._update_plan.request import FAIL_ON, SharedOptions
from ..module_utils._update_plan.violations import ALL


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Update the cluster. Fills ``result``, even if it raises ``CapabilityError``."""
    params = module.params
    for option in ("wait_timeout", "stuck_timeout"):
        check_wait_timeout(params[option], problems, option)
    problems.raise_errors(InvalidOptionError)
    shared = SharedOptions(
        release_source(params),
        allow_downgrade=True,
        forbidden_capabilities=(ALL,),
        fail_on=params["fail_on"],
        acceptances=params["acceptances"],
        cluster_name=params["cluster_name"],
        today=datetime.now(tz=UTC).date(),
    )
    options = UpdateOptions(
        params["version"],
        params["image"],
        params["releases"],
        params["release"],
        shared,
        params["wait"],
        params["wait_timeout"],
        params["stuck_timeout"],
    )
    update = UpdateRun(connect(module), options, progress_of(module), check_mode=module.check_mode)
    try:
        update.run(problems)
    finally:
        result.update(update_result(update))
        if module._diff:
            result["diff"] = [diff_entry(*change) for change in update.changes]


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        "version": {"type": "str"},
        "image": {"type": "str"},
        "release": {"type": "path"},
        "releases": {"type": "list", "elements": "raw"},
        **acceptances_spec(),
        **release_image_spec(),
        "fail_on": {"type": "str", "choices": list(FAIL_ON), "default": "acknowledge"},
        "wait": {"type": "bool", "default": True},
        "wait_timeout": {"type": "int", "default": 10800},
        "stuck_timeout": {"type": "int", "default": 1800},
    },
    run,
    rules={"required_one_of": [("version", "image")], "mutually_exclusive": [("release", "releases")]},
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
