#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_capabilities
short_description: Ask a running cluster for capabilities, and never take one back
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Writes C(spec.capabilities) of the ClusterVersion of a cluster, and if asked to waits until what was asked for is
    there.
  - A capability that is on can never be turned off. A wish that lacks a name which the spec requests now, its set
    expanded for the version of the cluster, fails, names it, and changes nothing.
  - What is on without being requested (an update can turn capabilities on) stays as it is, is returned, and never
    makes a task fail.
  - The list of additional capabilities is written as a whole. So the object is read, and written only if nobody changed
    it in between; otherwise it is read and looked at again. Two writers that use O(append) both get what they want.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
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
  capabilities:
    description:
      - The selection, as C(install-config.yaml) and C(ClusterVersion.spec) have it, a dict with
        C(baseline_capability_set), C(additional_enabled_capabilities) and C(excluded_capabilities). The API's spellings
        and those of its first draft are accepted, see M(capability.openshift.release_manifests).
      - A set that is not said stands for V(vCurrent), as in the API, and so does an empty dict. Where that would add
        anything it is an error, because what is enabled stays, and an empty list out of a template must not enable
        everything. Write V(vCurrent) if that is meant.
      - Needed, unless only O(adopt_implicit) is asked for.
    type: dict
  append:
    description:
      - Whether to add the names of O(capabilities) to what the spec requests, whatever that is. A list of
        C(additional_enabled_capabilities) is enough then, and a removal is not possible.
    type: bool
    default: false
  adopt_implicit:
    description:
      - Whether to request by name what is on without being requested.
      - Beside O(capabilities), what is on counts as wished for, so that a second run finds nothing to take back.
    type: bool
    default: false
  release:
    description:
      - Directory of the extracted release that the cluster runs.
      - It says which ClusterOperators O(wait) has to wait for, and what the version knows where the collection does not
        know it.
    type: path
  wait:
    description:
      - Whether to wait until the status has the names, and the ClusterOperators that belong to them are Available at
        their version. With O(append) those are the names of O(capabilities), otherwise all that the spec requests.
      - The operators are those that O(release) has for the names. Without it, they are those which the cluster has
        already and which say by their annotation that they belong to the names.
      - Nothing is waited for in check mode. But the right to list both kinds is looked at before anything is written,
        and in check mode, too.
    type: bool
    default: false
  wait_timeout:
    description:
      - How many seconds to wait.
    type: int
    default: 600
seealso:
  - module: capability.openshift.cluster_capabilities_info
  - module: capability.openshift.update_plan
requirements:
  - kubernetes >= 29.0.0
  - PyYAML
"""

EXAMPLES = r"""
- name: Turn the Console on, whatever else is on
  capability.openshift.cluster_capabilities:
    kubeconfig: /srv/sites/berlin/kubeconfig
    capabilities:
      additional_enabled_capabilities: [Console]
    append: true
    release: /srv/releases/4.20.3
    wait: true

- name: Have exactly this requested, or learn what the cluster requests beyond it
  capability.openshift.cluster_capabilities:
    context: edge-17
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [Console, Ingress, Storage]

- name: Request by name what updates have turned on
  capability.openshift.cluster_capabilities:
    adopt_implicit: true
"""

RETURN = r"""
added_capabilities:
  description: Names that the spec requests now and did not before.
  returned: success
  type: list
  elements: str
adopted_capabilities:
  description: Those of them that were on implicitly.
  returned: success
  type: list
  elements: str
spec:
  description:
    - The block C(spec.capabilities) of the ClusterVersion, with C(baselineCapabilitySet) and
      C(additionalEnabledCapabilities). Empty where there is none, which stands for V(vCurrent).
  returned: success
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Console, Ingress]}
openshift_version:
  description: Version that the cluster runs or is going to, V(none) where it does not say.
  returned: success
  type: str
  sample: 4.20.3
requested_capabilities:
  description: Names that the spec asks for, its set expanded for the version of the cluster.
  returned: success
  type: list
  elements: str
enabled_capabilities:
  description: Names that are on, as the status says.
  returned: success
  type: list
  elements: str
known_capabilities:
  description: Names that the cluster knows, as the status says; where it does not, those of its version.
  returned: success
  type: list
  elements: str
available_capabilities:
  description: Names that the cluster knows and that are not on.
  returned: success
  type: list
  elements: str
pending_capabilities:
  description: Names that the spec asks for and that are not on yet.
  returned: success
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Names that are on although the spec does not ask for them.
  returned: success
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) of the cluster, a dict as the API has it. V(none) where the cluster
      does not show it.
  returned: success
  type: dict
metrics:
  description: The metric C(cluster_version_capability) in the text format of Prometheus, as the cluster exports it.
  returned: success
  type: str
  sample: |
    # HELP cluster_version_capability Report currently enabled cluster capabilities.  0 is disabled, and 1 is enabled.
    # TYPE cluster_version_capability gauge
    cluster_version_capability{name="Console"} 1
    cluster_version_capability{name="Storage"} 0
problems:
  description: What is wrong or worth knowing, about the wish, the release and the cluster.
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
      description: Object and field, or the option.
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

from ansible_collections.capability.openshift.plugins.module_utils._cluster.capabilities import (
    capabilities_dict,
    enable_capabilities,
    snapshot_for_wait,
    spec_lines,
    wait_for_capabilities,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.spec_change import parse_request
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import auth_spec
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import wait_problems
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import diff_entry, fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    ClusterError,
    InvalidOptionError,
    Problem,
    raise_errors,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import (
    PLACEHOLDER_IMAGE,
    load_release,
)


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **auth_spec(),
            "capabilities": {"type": "dict"},
            "append": {"type": "bool", "default": False},
            "adopt_implicit": {"type": "bool", "default": False},
            "release": {"type": "path"},
            "wait": {"type": "bool", "default": False},
            "wait_timeout": {"type": "int", "default": 600},
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
    """Ask for the capabilities and wait; put into ``result`` what was reached. Raises ``CapabilityError``."""
    params = module.params
    wish, problems = parse_request(params["capabilities"], params["append"], params["adopt_implicit"])
    problems = (*problems, *wait_problems(params["wait_timeout"]))
    raise_errors(problems, InvalidOptionError)
    release = None
    if params["release"] is not None:
        loaded = load_release(params["release"], release_image=PLACEHOLDER_IMAGE)
        release, problems = loaded.release, (*problems, *loaded.problems)
    client = connect(module)
    before = snapshot_for_wait(client) if params["wait"] else {}
    enabled = enable_capabilities(client, wish, release, dry_run=module.check_mode)
    change = enabled.change
    result.update(
        changed=change.changed,
        added_capabilities=sorted(change.added),
        adopted_capabilities=list(change.adopted),
        **capabilities_dict(enabled.after),
    )
    if module._diff:
        texts = (spec_lines(reading.obj) for reading in (enabled.before, enabled.after))
        result["diff"] = diff_entry("clusterversions.config.openshift.io version, spec.capabilities", *texts)
    problems = (*problems, *enabled.problems)
    if params["wait"] and not module.check_mode:
        reading, found = wait_for_capabilities(client, enabled, wish, release, before, params["wait_timeout"])
        result.update(capabilities_dict(reading))
        problems = (*problems, *found)
        raise_errors(problems, ClusterError)
    return problems


if __name__ == "__main__":
    main()
