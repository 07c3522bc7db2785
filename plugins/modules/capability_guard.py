#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: capability_guard
short_description: Have the API server refuse writes that take back a capability
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Installs or removes a ValidatingAdmissionPolicy and its binding, both named
    C(capabilities-only-grow.capability.openshift.io). No webhook, and nothing else that would have to run.
  - With it a write to the ClusterVersion C(version) fails (HTTP 422) and names the capabilities, if its old spec
    requests them and its new one does not. Capability sets are expanded on both sides, as the version of the cluster
    has them. Deleting the object fails, too.
  - Writes that leave C(spec.capabilities) as it is always pass. What is on without being requested never makes a write
    fail.
  - The guard knows the sets of every version that this collection knows, so that it outlives updates of the cluster.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - kubernetes.core.k8s_auth_options
attributes:
  check_mode:
    support: full
    details:
      - The API server does a dry run of what would be written. What would be removed is only read.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - Where the guard is as it should be, it is only read.
options:
  state:
    description:
      - Whether the guard is there.
    type: str
    choices: [present, absent]
    default: present
  mode:
    description:
      - V(enforce) refuses writes.
      - V(audit) lets them pass, warns whoever writes, and leaves the annotation
        C(validation.policy.admission.k8s.io/validation_failure) in the audit log.
    type: str
    choices: [enforce, audit]
    default: enforce
  allowed_capabilities:
    description:
      - The only names that a write may add to what is requested. An empty list means that nothing may be added.
      - Left out, there is no limit.
      - Names that are on already can always be requested, because that turns nothing on.
    type: list
    elements: str
    aliases: [allowedCapabilities]
  force_conflicts:
    description:
      - Whether to overwrite what somebody else wrote into the policy or its binding. Otherwise it is an error.
    type: bool
    default: false
  wait:
    description:
      - Whether to wait after a change until the API server enforces it. It takes a second at most as a rule.
      - It is seen by a dry run of an annotation on the ClusterVersion that only the new guard refuses, so the user
        needs the verbs C(get) and C(patch) for it. Without them a problem says that it cannot be told.
      - Nothing is waited for in check mode, and where V(audit) is the new O(mode), which refuses nothing.
    type: bool
    default: true
  wait_timeout:
    description:
      - How many seconds to wait.
    type: int
    default: 30
notes:
  - Needs OpenShift 4.17 (Kubernetes 1.30) or newer, and the verbs C(get), C(create), C(patch) and C(delete) for
    C(validatingadmissionpolicies) and C(validatingadmissionpolicybindings) of C(admissionregistration.k8s.io).
seealso:
  - module: capability.openshift.cluster_capabilities
requirements:
  - kubernetes >= 29.0.0
"""

EXAMPLES = r"""
- name: Refuse writes that take back a capability
  capability.openshift.capability_guard:
    kubeconfig: /srv/sites/berlin/kubeconfig

- name: Let nothing be added but two capabilities
  capability.openshift.capability_guard:
    context: edge-17
    allowed_capabilities: [Console, Storage]

- name: Only see who would be refused
  capability.openshift.capability_guard:
    mode: audit

- name: Remove the guard
  capability.openshift.capability_guard:
    state: absent
"""

RETURN = r"""
name:
  description: Name of the policy, and of its binding.
  returned: success
  type: str
  sample: capabilities-only-grow.capability.openshift.io
state:
  description: Whether the guard is there.
  returned: success
  type: str
  sample: present
mode:
  description: V(enforce) or V(audit).
  returned: when O(state=present)
  type: str
  sample: enforce
allowed_capabilities:
  description: The only names that a write may add, sorted. V(none) where there is no limit.
  returned: when O(state=present)
  type: list
  elements: str
verified:
  description:
    - Whether the API server was seen to enforce the change. V(false) where nothing was waited for, or could be told.
  returned: success
  type: bool
problems:
  description: What is worth knowing.
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
      description: The object, or the option.
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

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard import (
    GuardChange,
    install,
    probe_of,
    remove,
    wait_until,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME, parse_guard
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import wait_problems
from ansible_collections.capability.openshift.plugins.module_utils._module.result import diff_entry, fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    InvalidOptionError,
    Problem,
    raise_errors,
)


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **auth_spec(),
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "mode": {"type": "str", "choices": ["enforce", "audit"], "default": "enforce"},
            "allowed_capabilities": {"type": "list", "elements": "str", "aliases": ["allowedCapabilities"]},
            "force_conflicts": {"type": "bool", "default": False},
            "wait": {"type": "bool", "default": True},
            "wait_timeout": {"type": "int", "default": 30},
        },
        supports_check_mode=True,
    )
    result: dict[str, Any] = {}
    try:
        problems = run(module, result)
    except CapabilityError as error:
        fail(module, error, **result)
    succeed(module, result, problems)


def run(module: AnsibleModule, result: dict[str, Any]) -> tuple[Problem, ...]:
    """Install or remove the guard; put into ``result`` what was reached. Raises ``CapabilityError``."""
    params = module.params
    guard, problems = parse_guard(params["mode"] == "enforce", params["allowed_capabilities"])
    raise_errors((*problems, *wait_problems(params["wait_timeout"])), InvalidOptionError)
    client = connect(module)
    result.update(name=GUARD_NAME, state=params["state"], verified=False)
    if params["state"] == "present":
        changes = install(client, guard, force=params["force_conflicts"], dry_run=module.check_mode)
        result.update(mode=params["mode"], allowed_capabilities=None if guard.allowed is None else list(guard.allowed))
    else:
        changes = remove(client, dry_run=module.check_mode)
    result["changed"] = any(change.changed for change in changes)
    if module._diff:
        result["diff"] = [_diff(change) for change in changes if change.changed]
    if result["changed"] and params["wait"] and not module.check_mode:
        return _verify(client, changes, params["wait_timeout"], result)
    return ()


def _verify(
    client: Client, changes: tuple[GuardChange, ...], seconds: int, result: dict[str, Any]
) -> tuple[Problem, ...]:
    """Wait until a change that can be seen is enforced. Raises ``ClusterError``."""
    before = probe_of({change.target.kind.kind: change.before for change in changes})
    after = probe_of({change.target.kind.kind: change.after for change in changes})
    if after is not None and after.enforces:
        problems = wait_until(client, after, True, seconds)
    elif before is not None and before.enforces:
        problems = wait_until(client, before, False, seconds)
    else:
        return ()
    result["verified"] = not problems
    return problems


def _diff(change: GuardChange) -> dict[str, str]:
    before, after = ("" if part is None else _yaml(part) for part in (change.before, change.after))
    return diff_entry(str(change.target), before, after)


def _yaml(value: dict[str, Any]) -> str:
    import yaml  # which kubernetes needs, so that it is there

    text: str = yaml.safe_dump(value, sort_keys=True, width=1000)
    return text


if __name__ == "__main__":
    main()
