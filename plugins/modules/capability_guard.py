#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: capability_guard
short_description: Make the API server reject writes that remove a requested capability
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Installs or removes a ValidatingAdmissionPolicy and its binding, both named
    C(capabilities-only-grow.capability.openshift.io). The API server evaluates the policy itself, so no webhook or Pod
    has to run.
  - The guard rejects a write to the ClusterVersion C(version) with HTTP 422 if the new spec lacks a capability that the
    old spec requests. The message names the capabilities. The guard expands the capability sets of both specs for the
    version of the cluster. It also rejects the deletion of the object.
  - Writes that do not change C(spec.capabilities) are always accepted. Capabilities that are enabled without a request
    may be omitted.
  - The guard contains the capability sets of every version that the collection knows, so it remains valid after the
    cluster is updated.
  - A hosted cluster is an error. HyperShift writes its whole ClusterVersion for each update, and can leave names out.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._auth
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
    details:
      - The API server performs a dry run of each write and each removal.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - If the guard is up to date, the module does not write it, and verifies that it is enforced, see O(wait_timeout).
options:
  state:
    description:
      - Whether the guard is installed.
    type: str
    choices: [present, absent]
    default: present
  mode:
    description:
      - V(enforce) rejects writes.
      - V(audit) accepts them. The API server returns a warning to the client, and adds the annotation
        C(validation.policy.admission.k8s.io/validation_failure) to the audit event.
    type: str
    choices: [enforce, audit]
    default: enforce
  allowed_capabilities:
    description:
      - The only capabilities that a write may add to the requested ones. With an empty list, none may be added.
      - By default, there is no limit.
      - Capabilities that are already enabled may always be requested, because this enables nothing.
    type: list
    elements: str
    aliases: [allowedCapabilities]
  wait_timeout:
    description:
      - How long to wait until the API server enforces the guard, or no longer does, in seconds. After a change, this
        usually takes less than a second.
      - To verify this, the module sends a dry-run patch that annotates the ClusterVersion and that only the new guard
        rejects. The user needs the verbs C(get) and C(patch) for it. Without them, the module warns that it could not
        verify the enforcement.
      - The module does not wait in check mode if something would change, or if there is nothing to verify, such as with
        O(mode=audit) for a guard that rejected nothing before.
    type: int
    default: 30
notes:
  - Requires OpenShift 4.17 (Kubernetes 1.30) or newer. The user needs the verbs C(get), C(create), C(patch) and
    C(delete) for C(validatingadmissionpolicies) and C(validatingadmissionpolicybindings) of
    C(admissionregistration.k8s.io).
seealso:
  - module: capability.openshift.cluster_capabilities
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Reject writes that remove a requested capability
  capability.openshift.capability_guard:
    kubeconfig: /srv/sites/berlin/kubeconfig

- name: Also reject writes that add any capability except these two
  capability.openshift.capability_guard:
    context: edge-17
    allowed_capabilities: [Console, Storage]

- name: Only report the writes that would be rejected
  capability.openshift.capability_guard:
    mode: audit

- name: Remove the guard
  capability.openshift.capability_guard:
    state: absent
"""

RETURN = r"""
state:
  description: Whether the guard is installed.
  returned: success
  type: str
  sample: present
mode:
  description: V(enforce) or V(audit).
  returned: when O(state=present)
  type: str
  sample: enforce
allowed_capabilities:
  description: The only capabilities that a write may add, sorted. V(null) if there is no limit.
  returned: when O(state=present)
  type: list
  elements: str
verified:
  description:
    - Whether the module verified that the API server enforces the guard, or no longer does. V(false) if there was
      nothing to verify, or if the module could not verify it.
  returned: success
  type: bool
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the options and the cluster.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._cluster.cluster_properties import check_hosted
from ..module_utils._cluster.guard import GuardChange, enforced_fingerprint, install, remove, wait_until_enforced
from ..module_utils._cluster.guard_policy import parse_guard
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.client import Client
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import chdir_spec, check_wait_timeout
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.progress import show_progress
from ..module_utils._module.result import diff_entry
from ..module_utils._problems import ClusterError, InvalidOptionError, Problems

_REJECTED = "the guard would reject the writes with which HyperShift updates its ClusterVersion"


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Install or remove the guard. Fills ``result``, even if it raises ``CapabilityError``."""
    params = module.params
    guard = parse_guard(params["allowed_capabilities"], problems, enforce=params["mode"] == "enforce")
    check_wait_timeout(params["wait_timeout"], problems)
    problems.raise_errors(InvalidOptionError)
    client = connect(module)
    result.update(state=params["state"], verified=False)
    if params["state"] == "present":
        check_hosted(client, _REJECTED, "Select the capabilities in its HostedCluster", problems)
        problems.raise_errors(ClusterError)
        changes = install(client, guard, dry_run=module.check_mode)
        result.update(mode=params["mode"], allowed_capabilities=None if guard.allowed is None else list(guard.allowed))
    else:
        changes = remove(client, dry_run=module.check_mode)
    result["changed"] = any(change.changed for change in changes)
    if module._diff:
        changed = (change for change in changes if change.changed)
        result["diff"] = [diff_entry(str(item.target), item.before or {}, item.after or {}) for item in changed]
    if not (module.check_mode and result["changed"]):
        result["verified"] = _verify(client, changes, params["wait_timeout"], problems)


def _verify(client: Client, changes: tuple[GuardChange, ...], seconds: int, problems: Problems) -> bool:
    """Wait until writes are rejected, or pass, as they should. Raises ``ClusterError``."""
    before = enforced_fingerprint({change.target.kind.kind: change.before for change in changes})
    after = enforced_fingerprint({change.target.kind.kind: change.after for change in changes})
    if not (before or after):
        return False
    return wait_until_enforced(client, after or before, seconds, show_progress, problems, enforced=bool(after))


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "mode": {"type": "str", "choices": ["enforce", "audit"], "default": "enforce"},
        "allowed_capabilities": {"type": "list", "elements": "str", "aliases": ["allowedCapabilities"]},
        "wait_timeout": {"type": "int", "default": 30},
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
