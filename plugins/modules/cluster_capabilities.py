#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_capabilities
short_description: Enable capabilities of a running cluster
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Requests capabilities in C(spec.capabilities) of the ClusterVersion of a cluster. Optionally waits until they are
    enabled and their ClusterOperators are available.
  - An enabled capability can never be disabled. The module fails without changing anything if the selection omits a
    capability that the spec currently requests, baseline set included. The error names it.
  - Capabilities that are enabled without a request, for example by an update, stay enabled. The module returns them,
    and never fails because of them.
  - Fails without changing anything on a hosted cluster, whose Infrastructure C(cluster) reports an external control
    plane. HyperShift overwrites C(spec.capabilities) there, so the capability would stay enabled without a request. If
    the user may not get this object, a warning reports it.
  - C(additionalEnabledCapabilities) is an atomic list. The module writes it only if the object has not changed since it
    was read. Otherwise, it reads the object and computes the change again. So two concurrent tasks with O(enable) both
    succeed.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._release_image
  - capability.openshift._auth
  - capability.openshift._chdir
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
  enable:
    description:
      - Capabilities to add to those that the spec requests. Nothing can be removed.
      - Required, unless O(capabilities) or O(keep_implicit) is set. Cannot be combined with O(capabilities).
    type: list
    elements: str
  capabilities:
    description:
      - The whole selection, a dict with C(baseline_capability_set), C(additional_enabled_capabilities) and
        C(excluded_capabilities). The spellings of the API and of its first draft are accepted, see
        M(capability.openshift.release_manifests).
      - C(additional_enabled_capabilities) requires C(baseline_capability_set). Without both, the set is V(vCurrent).
        The module fails if this default would add capabilities, because they could never be disabled. Set V(vCurrent)
        explicitly to enable everything.
    type: dict
  keep_implicit:
    description:
      - Whether to request by name all capabilities that are enabled without a request.
      - With O(capabilities), all enabled capabilities count as requested. So a second run does not remove
        them.
    type: bool
    default: false
  release:
    description:
      - The release that the cluster runs, a directory or the name of an image, see the notes.
      - It determines the ClusterOperators for O(wait). Its ClusterVersion CustomResourceDefinition determines which
        capabilities and sets exist.
      - Which manifests of the release apply to the cluster depends on its cluster profile, feature set, feature gates,
        overrides and platform. The module reads them from the FeatureGate, the Infrastructure, the ClusterVersion and
        the Deployment of the CVO. An object that the user may not read is a warning, and the default applies.
    type: path
  wait:
    description:
      - Whether to wait until the capabilities are enabled, and their ClusterOperators are available and report the
        expected version. These are the capabilities in O(enable), or else all that the spec requests.
      - The cluster-version operator first adds a capability to the status, and then applies its manifests. So the
        module also waits until the operator has processed the last change of the spec (C(status.observedGeneration))
        and no longer reports C(Progressing). During an update, that is its end.
      - The ClusterOperators are those that O(release) contains for the capabilities. Without O(release), they are those
        on the cluster whose annotation names one of the capabilities, after the operator has applied their manifests.
      - In check mode, the module does not wait. Before it writes, it checks that the user may list ClusterVersions and
        ClusterOperators, also in check mode.
    type: bool
    default: false
  wait_timeout:
    description:
      - How long to wait, in seconds.
    type: int
    default: 600
seealso:
  - module: capability.openshift.cluster_capabilities_info
  - module: capability.openshift.update_plan
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Enable the Console in addition to the requested capabilities
  capability.openshift.cluster_capabilities:
    kubeconfig: /srv/sites/berlin/kubeconfig
    enable: [Console]
    release: /srv/releases/4.20.3
    wait: true

- name: Request exactly these capabilities, or fail if the cluster requests others
  capability.openshift.cluster_capabilities:
    context: edge-17
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [Console, Ingress, Storage]

- name: Request by name the capabilities that updates have enabled
  capability.openshift.cluster_capabilities:
    keep_implicit: true
"""

RETURN = r"""
added_capabilities:
  description: Capabilities that the spec requests now and did not request before, sorted.
  returned: success
  type: list
  elements: str
spec:
  description:
    - The block C(spec.capabilities) of the ClusterVersion, with C(baselineCapabilitySet) and
      C(additionalEnabledCapabilities). Empty if there is none, which means V(vCurrent).
  returned: success
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Console, Ingress]}
openshift_version:
  description: Version that the cluster runs or updates to, V(null) if the status does not report it.
  returned: success
  type: str
  sample: 4.20.3
requested_capabilities:
  description: Capabilities that the spec requests, sorted. The baseline set is expanded for the version of the cluster.
  returned: success
  type: list
  elements: str
enabled_capabilities:
  description: Enabled capabilities in the status, sorted.
  returned: success
  type: list
  elements: str
known_capabilities:
  description: Known capabilities in the status, sorted. If the status does not have them, those that the version knows.
  returned: success
  type: list
  elements: str
disabled_capabilities:
  description: Known capabilities that are not enabled, sorted.
  returned: success
  type: list
  elements: str
pending_capabilities:
  description: Capabilities that the spec requests and that are not enabled yet, sorted.
  returned: success
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Enabled capabilities that the spec does not request, sorted.
  returned: success
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) of the ClusterVersion, in the form of the API. V(null) if there is
      none.
  returned: success
  type: dict
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the request, the release and the cluster.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._cluster.capabilities import (
    capabilities_dict,
    enable_capabilities,
    requested_block,
    snapshot_for_wait,
    wait_for_capabilities,
)
from ..module_utils._cluster.spec_change import parse_request
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import chdir_spec, check_wait_timeout, release_image_spec, release_source
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.progress import progress_of
from ..module_utils._module.result import diff_entry
from ..module_utils._problems import ClusterError, InvalidOptionError, Problems
from ..module_utils._release_image.open_release import open_release


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Request the capabilities and wait. Fills ``result``, even if it raises ``CapabilityError``."""
    params = module.params
    request = parse_request(params["capabilities"], params["enable"], problems, keep_implicit=params["keep_implicit"])
    check_wait_timeout(params["wait_timeout"], problems)
    problems.raise_errors(InvalidOptionError)
    release = None
    if params["release"] is not None:
        release = open_release(params["release"], release_source(params), problems).load(problems)
    client = connect(module)
    before = snapshot_for_wait(client) if params["wait"] else {}
    enabled = enable_capabilities(client, request, release, dry_run=module.check_mode)
    change = enabled.change
    result.update(
        changed=change.changed,
        added_capabilities=sorted(change.added),
        **capabilities_dict(enabled.after),
    )
    if module._diff:
        blocks = (requested_block(reading) for reading in (enabled.before, enabled.after))
        result["diff"] = diff_entry("clusterversions.config.openshift.io version, spec.capabilities", *blocks)
    problems += enabled.problems
    if params["wait"] and not module.check_mode:
        seconds = params["wait_timeout"]
        progress = progress_of(module)
        reading = wait_for_capabilities(client, enabled, request, release, before, seconds, progress, problems)
        result.update(capabilities_dict(reading))
        problems.raise_errors(ClusterError)


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        "enable": {"type": "list", "elements": "str"},
        "capabilities": {"type": "dict"},
        "keep_implicit": {"type": "bool", "default": False},
        "release": {"type": "path"},
        **release_image_spec(),
        "wait": {"type": "bool", "default": False},
        "wait_timeout": {"type": "int", "default": 600},
    },
    run,
    rules={"mutually_exclusive": [("capabilities", "enable")]},
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
