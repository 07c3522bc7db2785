#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_apply
short_description: Roll a release out to a cluster that no cluster-version operator looks after
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Applies the manifests of a release that the capabilities of the cluster let in, in the order of the cluster-version
    operator, with server-side apply and several requests at a time.
  - First comes the ClusterVersion. Where there is none it is created from O(capabilities), and its status tells the
    capabilities before any manifest is sent. What is rolled out follows that status and never the spec.
  - Nothing is turned off. A wish that lacks a capability which the spec requests is refused. What an update moves into
    a capability that is off turns it on, and the condition C(ImplicitlyEnabledCapabilities) says so.
  - A ConfigMap C(kube-system/capability-openshift-rollout) remembers what was applied, so that the next update knows
    without the outgoing release. It is the parent of an ApplySet.
  - A run that was killed is finished by the next one. A run with nothing to do asks for lists only and writes nothing.
  - A cluster with a cluster-version operator is refused, see O(allow_cvo_managed).
notes:
  - Where the task runs on the machine of Ansible itself, without C(become), C(async), C(no_log) and not in check mode,
    a line for each run level and for what is waited for is shown on the standard error while the rollout runs.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._cluster.release
  - capability.openshift._cluster.rollout
  - kubernetes.core.k8s_auth_options
attributes:
  check_mode:
    support: full
    details:
      - The API server does a dry run of each object. Objects in namespaces and of kinds that the rollout itself brings
        are told as created.
  diff_mode:
    support: full
    details:
      - Without what the API server notes of its own. Of Secrets only a digest is shown.
  idempotent:
    support: full
options:
  capabilities:
    description:
      - The selection, as C(install-config.yaml) and C(ClusterVersion.spec) have it, see
        M(capability.openshift.cluster_capabilities).
      - Left out, the spec of the ClusterVersion says it. Where there is no ClusterVersion, whoever creates it is waited
        for with O(wait).
    type: dict
  previous_release:
    description:
      - Directory of the release that the cluster has. Needed for an update only where no rollout of this module
        came before, because its inventory tells the same.
    type: path
  mode:
    description:
      - V(install) and V(reconcile) apply components at the same time, V(update) goes one run level after the other,
        and deletes what manifests with C(release.openshift.io/delete) name.
      - Left out, it is V(install) for the first rollout, V(update) where the release or the capabilities are others
        than at the last one or that did not end well, V(reconcile) otherwise.
    type: str
    choices: [install, update, reconcile]
  parallelism:
    description: How many requests are sent at a time.
    type: int
    default: 8
  wait:
    description:
      - Whether to wait until what was applied is ready, in the mode V(update) after each run level.
      - Namespaces that operators make, and API servers that do not answer yet, are waited for then, too.
    type: bool
    default: false
  wait_timeout:
    description: How many seconds to wait, in all.
    type: int
    default: 1800
  force_conflicts:
    description:
      - Whether to take fields over that another field manager owns. Otherwise they are an error that names the manager.
    type: bool
    default: false
  prune:
    description:
      - Whether to delete what an earlier rollout applied and no manifest of O(release) speaks of. Nothing is deleted
        where something failed. With a CustomResourceDefinition all its objects go.
    type: bool
    default: false
  allow_cvo_managed:
    description:
      - Whether to roll out although a cluster-version operator may look after the cluster. It is not looked for then.
    type: bool
    default: false
  allow_downgrade:
    description:
      - Whether to roll out an older release than the cluster has. Otherwise that is an error before anything is sent.
    type: bool
    default: false
  journal:
    description:
      - File to which a line of JSON is appended for each manifest and each run level, as it happens. Made with mode
        0600. Give each cluster its own.
      - A file that cannot be written is an error before anything is sent. Not written in check mode.
    type: path
seealso:
  - module: capability.openshift.release_manifests
  - module: capability.openshift.update_plan
  - module: capability.openshift.cluster_version_status
requirements:
  - kubernetes >= 29.0.0
  - PyYAML
"""

EXAMPLES = r"""
- name: Roll a release out with the console and nothing else that is optional
  capability.openshift.release_apply:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
      additional_enabled_capabilities: [Console, Ingress]
    feature_set: Default
    wait: true
  register: rollout

- name: Update to the next release, whatever the capabilities of the cluster are
  capability.openshift.release_apply:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.21.0
    journal: /var/log/rollout-berlin.jsonl

- name: Show what the update has turned on
  ansible.builtin.debug:
    var: rollout.capability_status.newly_implicitly_enabled_capabilities
"""

RETURN = r"""
mode:
  description: The mode of the rollout.
  returned: success or failure of a manifest
  type: str
  sample: install
version:
  description: Version of the release.
  returned: success or failure of a manifest
  type: str
  sample: 4.20.3
created:
  description: Resources that were not there before, in the order of the rollout.
  returned: success or failure of a manifest
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
changed_resources:
  description: Resources that were there and are different now.
  returned: success or failure of a manifest
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
unchanged:
  description: Resources that were as they should be.
  returned: success or failure of a manifest
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
deleted:
  description: Resources that the release deletes and that were there.
  returned: success or failure of a manifest
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
failed_resources:
  description: Resources that are not as they should be, with C(state) and C(file) beside their id.
  returned: success or failure of a manifest
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
    state:
      description:
        - V(failed), V(forbidden), V(no_namespace), V(terminating) where the object is being deleted,
          and what was applied would go with it, V(unavailable) where the server could not answer,
          V(unanswered) where the API server of the group does not, or V(unserved)
          where the cluster does not have the kind, which is a warning only.
      type: str
      returned: always
    file:
      description: File of the manifest, relative to the release.
      type: str
      returned: always
conflicts:
  description: Fields that other field managers own, with C(manager) and C(field) beside the id of the resource.
  returned: success or failure of a manifest
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
    manager:
      description: Name of the other field manager.
      type: str
      returned: always
    field:
      description: Path of the field.
      type: str
      returned: always
leftovers:
  description: Resources of earlier rollouts that no manifest of the release speaks of.
  returned: success or failure of a manifest
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
    pruned:
      description: Whether it was deleted.
      type: bool
      returned: always
run_levels:
  description: What came of each run level, in their order.
  returned: success or failure of a manifest
  type: list
  elements: dict
  sample:
    - {run_level: '00', manifests: 6, created: 6, changed: 0, unchanged: 0, deleted: 0, failed: 0, not_sent: 0}
capability_status:
  description: The capabilities that the rollout went by.
  returned: success or failure of a manifest
  type: dict
  contains:
    enabled_capabilities:
      description: Capabilities that are on, sorted.
      type: list
      elements: str
      returned: always
    known_capabilities:
      description: Capabilities that the release knows, sorted.
      type: list
      elements: str
      returned: always
    implicitly_enabled_capabilities:
      description: Capabilities that are on without being requested, sorted.
      type: list
      elements: str
      returned: always
    newly_implicitly_enabled_capabilities:
      description: Those of them that this rollout turned on, because a resource of the cluster moved into them.
      type: list
      elements: str
      returned: always
    condition:
      description: The condition C(ImplicitlyEnabledCapabilities).
      type: dict
      returned: always
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
from ansible.module_utils.common.parameters import remove_values

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import DEFAULT_CLUSTER_PROFILE
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    release_spec,
    rollout_spec,
    wait_problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    ClusterError,
    InvalidOptionError,
    Problem,
    raise_errors,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import (
    PLACEHOLDER_IMAGE,
    LoadedRelease,
    load_release,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import MODES
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import (
    ClusterState,
    read_cluster_state,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.journal import Journal
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import (
    RolloutOptions,
    criteria_from_params,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.result import rollout_dict, rollout_problems
from ansible_collections.capability.openshift.plugins.module_utils._rollout.run import roll_out

_MOST_PARALLEL = 64


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **auth_spec(),
            **release_spec(),
            **rollout_spec(),
            "capabilities": {"type": "dict"},
            "previous_release": {"type": "path"},
            "mode": {"type": "str", "choices": list(MODES)},
            "parallelism": {"type": "int", "default": 8},
            "wait": {"type": "bool", "default": False},
            "wait_timeout": {"type": "int", "default": 1800},
            "force_conflicts": {"type": "bool", "default": False},
            "prune": {"type": "bool", "default": False},
            "allow_cvo_managed": {"type": "bool", "default": False},
            "allow_downgrade": {"type": "bool", "default": False},
            "journal": {"type": "path"},
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
    """Roll the release out; put into ``result`` what came of it. Raises ``CapabilityError``."""
    params = module.params
    raise_errors((*wait_problems(params["wait_timeout"]), *_wrong(params)), InvalidOptionError)
    # Looked up for each line: connecting takes out of the list what is no secret.
    journal = Journal(
        None if module.check_mode else params["journal"], lambda facts: remove_values(facts, module.no_log_values)
    )
    try:
        client = connect(module, params["parallelism"])
        around = read_cluster_state(client)
        loaded = _load_release(params, around)
        previous = None
        if params["previous_release"] is not None:
            previous = _load(params, around, params["previous_release"], None, PLACEHOLDER_IMAGE)
        rollout = roll_out(client, around, loaded, previous, _wishes(module), journal)
    finally:
        journal.close()
    result.update(rollout_dict(rollout, show=module._diff))
    problems = (*loaded.problems, *rollout_problems(rollout), *([journal.problem] if journal.problem else ()))
    raise_errors(problems, ClusterError)
    return problems


def _load_release(params: dict[str, Any], around: ClusterState) -> LoadedRelease:
    """Load the release. Without its image the one that the cluster has counts, if that is this release."""
    path, version, image = params["release"], params["openshift_version"], params["release_image"]
    loaded = _load(params, around, path, version, image or around.release_image or None)
    if image or not around.release_image or loaded.release.shown_version == around.version:
        return loaded
    return _load(params, around, path, version, None)


def _load(
    params: dict[str, Any], around: ClusterState, path: str, openshift_version: str | None, image: str | None
) -> LoadedRelease:
    return load_release(
        path,
        openshift_version=openshift_version,
        cluster_profile=params["cluster_profile"] or around.cluster_profile or DEFAULT_CLUSTER_PROFILE,
        release_image=image,
    )


def _wrong(params: dict[str, Any]) -> tuple[Problem, ...]:
    given = params["parallelism"]
    if 1 <= given <= _MOST_PARALLEL:
        return ()
    message = f"is {given}, expected 1 to {_MOST_PARALLEL}"
    return (Problem("error", "todo", "parallelism", message, "More than 16 rarely helps"),)


def _wishes(module: AnsibleModule) -> RolloutOptions:
    params = module.params
    return RolloutOptions(
        capabilities=params["capabilities"],
        said=criteria_from_params(params),
        mode=params["mode"],
        parallelism=params["parallelism"],
        wait=params["wait"],
        wait_timeout=params["wait_timeout"],
        force_conflicts=params["force_conflicts"],
        prune=params["prune"],
        allow_cvo_managed=params["allow_cvo_managed"],
        allow_downgrade=params["allow_downgrade"],
        release_image=params["release_image"] or "",
        dry_run=module.check_mode,
        show=module._diff,
    )


if __name__ == "__main__":
    main()
