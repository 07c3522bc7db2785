#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_apply
short_description: Apply a release to a cluster without a cluster-version operator
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Applies the manifests of a release that the cluster includes, in the order of the cluster-version operator (CVO),
    with server-side apply and concurrent requests.
  - First, the module creates the ClusterVersion from O(capabilities), or extends its spec, and writes the enabled
    capabilities to its status. Then it applies the manifests. Only the capabilities in the status determine which
    manifests are included.
  - Never disables a capability. Rejects a selection that omits a capability requested in the spec. If an update moves a
    resource into a disabled capability, that capability is enabled and reported in the condition
    C(ImplicitlyEnabledCapabilities).
  - Records the applied resources in the ConfigMap C(kube-system/capability-openshift-rollout), so that the next update
    does not need the old release. The ConfigMap is the parent of an ApplySet.
  - Warns about references between manifests that the enabled capabilities leave dangling, such as an object whose
    Namespace needs a disabled capability.
  - Resumes an interrupted run. If there is nothing to do, the module writes nothing.
  - Fails if a CVO manages the cluster, see O(allow_cvo_managed).
notes:
  - Prints a line to standard error for each run level, and for the objects that it waits for, if the task runs on the
    Ansible control node, without C(become), C(async) and C(no_log), and not in check mode.
  - Restores values of manifests. Does not remove what another client added to an object, such as a container or
    C(hostNetwork), which the cluster-version operator removes. M(capability.openshift.release_verify) reports it.
  - The playbook also has the variables C(target_serial), how many hosts are one batch, and C(fail_on) and
    C(forbidden_capabilities), for the plan of an update from O(previous_release).
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
    details:
      - The API server runs a dry run of each object. Objects whose namespace or kind is created by the same rollout
        cannot be dry-run and are reported as created.
  diff_mode:
    support: full
    details:
      - Omits fields that the API server maintains, and shows only a digest of each Secret.
  idempotent:
    support: full
options:
  signature:
    description:
      - What to do if a release that is named by its image has no valid OpenPGP signature, as the cluster-version
        operator verifies it. V(required) fails, V(warn) adds warnings with the reasons, and V(ignore) does not look for
        a signature. For an image, the default is V(required).
      - The module verifies the signature with the key rings and the signature stores of O(previous_release), as the
        cluster-version operator does, unless O(signature_keys) and O(signature_stores) are set. Without
        O(previous_release), it uses those in the release, if all of their keys are known keys of Red Hat.
      - The module trusts O(previous_release) if it is a directory. An image needs a valid signature itself.
      - A directory has no digest, so the module cannot verify its signature. By default, it applies a directory without
        verification. With V(required), it fails.
    type: str
    choices: [required, warn, ignore]
    # Overrides the default in the fragment. The module has none, because it depends on the kind of release.
    default: null
  capabilities:
    description:
      - The selection, in the format of C(install-config.yaml) and C(ClusterVersion.spec), see
        M(capability.openshift.cluster_capabilities).
      - Defaults to the spec of the ClusterVersion, and is required if there is none. Without a baseline set, an empty
        selection would request everything, and is an error.
    type: dict
  only:
    description:
      - V(crds) applies only the CustomResourceDefinitions that the cluster includes, and waits until the API
        server serves their kinds. Use it where programs need the API of OpenShift and nothing else, such as operators
        in a test.
      - The module then writes no ClusterVersion and no inventory, so a later rollout of the whole release is the first
        one. O(capabilities) defaults to all capabilities.
      - Cannot be combined with O(mode), O(previous_release), O(prune) and O(allow_downgrade). Fails if the cluster has
        the inventory of a rollout.
    type: str
    choices: [crds]
  previous_release:
    description:
      - The release that the cluster runs, a directory or the name of an image. Required for an update only if this
        module did not apply that release. Otherwise, the inventory on the cluster lists its resources.
    type: path
  mode:
    description:
      - V(install) and V(reconcile) apply components in parallel. V(update) applies one run level after the other, and
        deletes the objects of manifests with C(release.openshift.io/delete).
      - The default is V(install) for the first rollout. It is V(update) if the release or the capabilities differ from
        the last rollout, or if an update did not succeed. Otherwise, it is V(reconcile).
      - A cluster is installed once. After the first rollout, V(install) means the default.
    type: str
    choices: [install, update, reconcile]
  parallelism:
    description:
      - Maximum number of concurrent requests, from 1 to 64. The module sends fewer while the API server rejects some of
        them as too many.
    type: int
    default: 8
  wait:
    description:
      - Whether to wait until the applied objects are ready. With O(mode=update), the module waits after each run level.
      - The module also waits for namespaces that operators create, for API servers that do not answer yet, and until
        deleted objects no longer exist.
    type: bool
    default: false
  wait_timeout:
    description: How long to wait in total, in seconds.
    type: int
    default: 1800
  force_conflicts:
    description:
      - Whether to take ownership of fields that another field manager owns. By default, such a field is an error that
        names the manager.
    type: bool
    default: false
  prune:
    description:
      - Whether to delete the resources of earlier rollouts that O(release) no longer contains. Nothing is deleted if a
        manifest fails. Deleting a CustomResourceDefinition deletes all of its objects.
    type: bool
    default: false
  allow_cvo_managed:
    description:
      - Whether to skip the check for a cluster-version operator.
      - By default, the module fails in each of these cases, which show that an operator manages the cluster. The Lease
        C(openshift-cluster-version/version) has a holder and was renewed less than five minutes ago. The Deployment
        C(openshift-cluster-version/cluster-version-operator) is available, not scaled to 0, and not from a rollout. The
        field manager C(cluster-version-operator) wrote the status less than five minutes ago. The Infrastructure
        C(cluster) has an external control plane, so its operator runs in another cluster.
      - The age of a write is measured with the clock of the API server. The user needs the verb C(get) for these
        objects.
    type: bool
    default: false
  allow_downgrade:
    description:
      - Whether to apply a release that is older than the one the cluster runs. By default, the module fails for such a
        release before it writes anything.
    type: bool
    default: false
  allow_unserved:
    description:
      - API versions that the cluster lacks on purpose, such as C(flowcontrol.apiserver.k8s.io/v1beta3) on a newer
        Kubernetes. Manifests of these versions are skipped with a warning while the cluster does not serve their kind.
      - By default, only kinds of OpenShift's aggregated API servers are skipped, such as ImageStream. Any other kind
        that the cluster does not serve is an error. A ClusterOperator always is one.
    type: list
    elements: str
    default: []
seealso:
  - module: capability.openshift.release_manifests
  - module: capability.openshift.update_plan
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Apply a release with the capabilities Console and Ingress only
  capability.openshift.release_apply:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
      additional_enabled_capabilities: [Console, Ingress]
    feature_set: Default
    wait: true
  register: rollout

- name: Update to the next release with the capabilities that the cluster requests
  capability.openshift.release_apply:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.21.0

- name: Serve the API of a release on a cluster for tests
  capability.openshift.release_apply:
    kubeconfig: /srv/kubeconfig
    context: lab
    release: /srv/releases/4.20.3
    only: crds

- name: Read the signatures that the cluster has
  ansible.builtin.command:
    argv: [oc, --kubeconfig, /srv/sites/berlin/kubeconfig, get, configmaps, --output=json,
           --namespace=openshift-config-managed, --selector=release.openshift.io/verification-signatures]
  register: signatures
  changed_when: false

- name: Update to a release that is signed with a key of the release that the cluster runs
  capability.openshift.release_apply:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: "quay.io/openshift-release-dev/ocp-release@{{ digest }}"
    previous_release: /srv/releases/4.20.3
    signature_stores: ["{{ signatures.stdout | from_json }}"]

- name: Show the capabilities that the update enabled
  ansible.builtin.debug:
    var: rollout.capability_status.newly_implicitly_enabled_capabilities
"""

RETURN = r"""
mode:
  description: The mode of the rollout.
  returned: success, or if a manifest could not be applied
  type: str
  sample: install
version:
  description: Version of the release.
  returned: success, or if a manifest could not be applied
  type: str
  sample: 4.20.3
created:
  description: Resources that did not exist before, in the order of the rollout.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains: &resource
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
changed_resources:
  description: Resources that existed before and have changed.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains: *resource
unchanged:
  description: Resources that already matched their manifests.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains: *resource
deleted:
  description: Resources that existed before and that the release deletes.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains: *resource
failed_resources:
  description: Resources that could not be applied.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains:
    <<: *resource
    state:
      description:
        - V(forbidden) if the user lacks a permission, or an admission webhook or policy denies the request,
          V(no_namespace) if the namespace does not exist, V(terminating) if the namespace or the object is being
          deleted, V(unavailable) if the API server could not answer, V(unanswered) if the API server of the group does
          not answer, V(unserved) if the cluster does not serve the kind, V(skipped) if it may lack the kind, see
          O(allow_unserved), which is only a warning, or V(failed) for all other reasons.
      type: str
      returned: always
    file:
      description: File of the manifest, relative to O(release).
      type: str
      returned: always
conflicts:
  description: Fields that other field managers own.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains:
    <<: *resource
    manager:
      description: Name of the other field manager.
      type: str
      returned: always
    field:
      description: Path of the field.
      type: str
      returned: always
leftovers:
  description:
    - Resources of earlier rollouts that the release no longer contains, and resources that it deletes and that still
      exist.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  contains:
    <<: *resource
    pruned:
      description: Whether the module deleted it, see O(prune), and it no longer exists.
      type: bool
      returned: always
    finalizers:
      description: Finalizers that the deletion of the object waits for. Empty if it is not being deleted.
      type: list
      elements: str
      returned: always
run_levels:
  description: Number of manifests in each run level, by result, in the order of the run levels.
  returned: success, or if a manifest could not be applied
  type: list
  elements: dict
  sample:
    - {run_level: '00', manifests: 6, created: 6, changed: 0, unchanged: 0, deleted: 0, deleting: 0, failed: 0,
       not_sent: 0}
  contains:
    run_level:
      description: The run level.
      type: str
      returned: always
    manifests:
      description: Number of its manifests.
      type: int
      returned: always
    RESULT:
      description:
        - Number of manifests with a result. V(created), V(changed) and V(deleted) resources were written. V(unchanged)
          ones already matched, or do not exist and are to be deleted. The deletion of V(deleting) ones is not over.
          V(failed) ones could not be applied. V(not_sent) manifests were not applied, because an earlier one failed or
          is not ready, or because the cluster may lack their kind.
      type: int
      returned: always
capability_status:
  description: Capability status that the rollout used.
  returned: success, or if a manifest could not be applied
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
    newly_implicitly_enabled_capabilities:
      description: Implicitly enabled capabilities that this rollout enabled, sorted.
      type: list
      elements: str
      returned: always
    condition:
      description: The condition C(ImplicitlyEnabledCapabilities). V(null) if the ClusterVersion has none.
      type: dict
      returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the release, the manifests and the ClusterVersion.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import ReleaseOptions
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, end_without_reader, run_module
from ..module_utils._module.progress import progress_of
from ..module_utils._problems import ClusterError, InvalidOptionError, Problems
from ..module_utils._release.loader import PLACEHOLDER_IMAGE
from ..module_utils._release_image.open_release import open_release, source_after
from ..module_utils._release_image.release_name import is_directory_name
from ..module_utils._rollout.change_set import Rollout
from ..module_utils._rollout.cluster_state import load_previous_release, load_release_for, read_cluster_state
from ..module_utils._rollout.options import (
    REAL_TIMINGS,
    check_rollout_options,
    release_apply_spec,
    rollout_options,
)
from ..module_utils._rollout.result import rollout_dict, rollout_problems
from ..module_utils._rollout.run import apply_definitions, roll_out
from ..module_utils._verify.difference import rewritten_fields

TIMINGS = REAL_TIMINGS
"""Tests replace it."""


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Roll out the release and add the return values to ``result``. Raises ``CapabilityError``."""
    params = module.params
    check_rollout_options(params, problems)
    _check_signature(params, problems)
    problems.raise_errors(InvalidOptionError)
    end_without_reader()
    rollout = _roll_out(module, problems)
    result.update(rollout_dict(rollout, diff_mode=module._diff))
    problems += rollout_problems(rollout)
    problems.raise_errors(ClusterError)


def _roll_out(module: Module, problems: Problems) -> Rollout:
    params = {**module.params, "signature": module.params["signature"] or "required"}
    release, path = ReleaseOptions.from_params(params), params["previous_release"]
    source, previous_release = release.source, None
    if path is not None:
        previous_release = open_release(path, source, problems, "previous_release")
        source = source_after(previous_release, path, source)
    opened = open_release(release.release, source, problems)
    client = connect(module, params["parallelism"])
    state = read_cluster_state(client, release.cluster_profile)
    if params["only"] and not release.release_image:
        # No definition names the image.
        release = release._replace(release_image=PLACEHOLDER_IMAGE)
    target = load_release_for(state, release, opened, problems)
    previous = load_previous_release(state, release, previous_release) if previous_release else None
    image = release.release_image or opened.pull_spec
    options = rollout_options(module, image, TIMINGS, rewritten_fields)
    progress = progress_of(module)
    if params["only"]:
        return apply_definitions(client, state, target, options, progress)
    return roll_out(client, state, target, previous, options, progress)


def _check_signature(params: dict[str, Any], problems: Problems) -> None:
    if params["signature"] == "required" and is_directory_name(params["release"]):
        message = "is a directory, which has no digest, so it has no signature, expected the name of an image"
        hint = "Name the release by its image, or remove signature"
        problems.error("directory-not-signed", "release", message, hint)


MODULE = ModuleDefinition(release_apply_spec(), run)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
