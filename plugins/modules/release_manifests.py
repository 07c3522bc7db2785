#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_manifests
short_description: The manifests of a release that a cluster gets, and why it does not get the others
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Decides for each manifest of an extracted OpenShift release whether the cluster-version operator would apply it to
    a cluster with this selection of capabilities.
  - With O(dest), writes the included manifests there, byte for byte as the release has them, comments included, under
    the names of their files. Those in C(manifests/) are templates, and are written as rendered.
  - In O(dest), files that an earlier run wrote and that no longer belong are removed. Files of others are never
    touched.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup
  - capability.openshift._cluster.release
  - capability.openshift._cluster.facts
  - capability.openshift._cluster.selection
  - capability.openshift._cluster.inclusion
  - capability.openshift._cluster.overrides
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - The content of a file that holds a Secret is not shown.
  idempotent:
    support: full
options:
  dest:
    description:
      - Directory to write the included manifests to. It is created where it does not exist.
      - It must not lie inside O(release).
      - A file C(.capability-openshift-files) in it says which files this module wrote.
      - It is never emptied. Where not one manifest is in, the module fails.
    type: path
  decisions:
    description:
      - Whether to return the decision on each manifest, with all reasons why one is out.
      - A release has about a thousand manifests, so this returns half a megabyte.
    type: bool
    default: false
  graph:
    description:
      - Whether to return the order in which the included manifests are applied as a picture, in the language of Mermaid
        or of Graphviz.
      - A box is what one component has in one place of the order; its manifests are applied one after the other. Boxes
        without a way from one to the other are applied at the same time, and a circle waits for all before it.
    type: str
    choices: [mermaid, dot]
  graph_mode:
    description:
      - Which order that is. V(update) goes one run level after the other, V(install) and V(reconcile) apply all
        components at the same time. A Job waits for all before it in each of them.
    type: str
    choices: [install, update, reconcile]
    default: update
seealso:
  - module: capability.openshift.release_info
  - module: capability.openshift.release_apply
requirements:
  - PyYAML
  - rapidyaml (optional, makes reading three times faster)
"""

EXAMPLES = r"""
- name: Write the manifests of a cluster that has only what is named
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    release_image: registry.example/release@sha256:0123
    dest: /srv/sites/berlin/manifests
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities:
        - Console
        - Ingress
        - Storage

- name: Everything but two capabilities
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    dest: /srv/sites/paris/manifests
    capabilities:
      excluded_capabilities:
        - Insights
        - openshift-samples

- name: Ask why manifests are out, and write nothing
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
    decisions: true
  register: decided

- name: Show what the Console would have brought
  ansible.builtin.debug:
    msg: "{{ item.kind }} {{ item.name }}: {{ item.reasons | map(attribute='message') | join('; ') }}"
  loop: "{{ decided.decisions | rejectattr('included') }}"
  loop_control:
    label: "{{ item.file }}"
  when: "'Console' in item.capabilities"

- name: The manifests of a cluster as it is now
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    enabled_capabilities: "{{ cluster_version.status.capabilities.enabledCapabilities }}"
    known_capabilities: "{{ cluster_version.status.capabilities.knownCapabilities }}"
    overrides: "{{ cluster_version.spec.overrides | default([]) }}"

- name: Draw in which order an update applies them
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
    graph: mermaid
  register: drawn

- name: Write the picture
  ansible.builtin.copy:
    content: "{{ drawn.graph }}"
    dest: /srv/reviews/order.mmd
    mode: "0644"
"""

RETURN = r"""
version:
  description: Version of the release, V(none) if nobody told it.
  returned: success
  type: str
  sample: 4.20.3
enabled_capabilities:
  description: Capabilities that the cluster has on, sorted, those included that are on whatever is asked.
  returned: success
  type: list
  elements: str
  sample: [Console, Ingress, Storage]
known_capabilities:
  description: Capabilities that the cluster knows, sorted.
  returned: success
  type: list
  elements: str
included:
  description: How many manifests are in.
  returned: success
  type: int
  sample: 655
excluded:
  description: How many manifests are out.
  returned: success
  type: int
  sample: 421
decisions:
  description: The decision on each manifest, in the order of the release.
  returned: when O(decisions=true)
  type: list
  elements: dict
  contains:
    file:
      description: File of the manifest, relative to O(release).
      type: str
      returned: always
      sample: release-manifests/0000_50_console-operator_07-operator.yaml
    group:
      description: API group, empty for the core group.
      type: str
      returned: always
    kind:
      description: Kind of the resource.
      type: str
      returned: always
    namespace:
      description: Namespace of the resource, empty for a cluster-scoped one.
      type: str
      returned: always
    name:
      description: Name of the resource.
      type: str
      returned: always
    capabilities:
      description: Capabilities that the manifest needs, all of them.
      type: list
      elements: str
      returned: always
    included:
      description: Whether the manifest is in.
      type: bool
      returned: always
    reasons:
      description:
        - Every reason why the manifest is out, empty if it is in.
        - The first is the one that the cluster-version operator would give, in its words.
      type: list
      elements: dict
      returned: always
      contains:
        rule:
          description:
            - One of V(annotations), V(exclude_identifier), V(feature_set_and_gate), V(feature_set), V(feature_gate),
              V(major_version), V(cluster_profile), V(unknown_capability), V(disabled_capability), V(override).
          type: str
          returned: always
        message:
          description: What the filter says.
          type: str
          returned: always
graph:
  description: The order as text, in the language that was asked for.
  returned: when O(graph) is given
  type: str
problems:
  description: What is wrong or worth knowing, about the release, the selection and O(dest).
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

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import decide_all
from ansible_collections.capability.openshift.plugins.module_utils._extract.destination import (
    DestinationPlan,
    write_destination,
)
from ansible_collections.capability.openshift.plugins.module_utils._extract.files import included_files, secret_files
from ansible_collections.capability.openshift.plugins.module_utils._extract.result import (
    decision_dict,
    destination_diff,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    cluster_options,
    cluster_type_spec,
    inclusion_spec,
    overrides_spec,
    release_arguments,
    release_spec,
    selection_spec,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    DestinationError,
    Problem,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import (
    MODES,
    dot,
    mermaid,
    task_graph,
)

_DRAWINGS = {"mermaid": mermaid, "dot": dot}

NOTHING_IN = Problem(
    "error",
    "todo",
    "dest",
    "would be emptied: not one manifest is in, which no cluster wants",
    "Check cluster_profile, feature_set and exclude_identifier, or leave dest out",
)


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **release_spec(),
            **cluster_type_spec(),
            **selection_spec(),
            **inclusion_spec(),
            **overrides_spec(),
            "dest": {"type": "path"},
            "decisions": {"type": "bool", "default": False},
            "graph": {"type": "str", "choices": list(_DRAWINGS)},
            "graph_mode": {"type": "str", "choices": list(MODES), "default": "update"},
        },
        supports_check_mode=True,
    )
    require_yaml(module)
    try:
        result, problems = run(module.params, module.check_mode, module._diff)
    except CapabilityError as error:
        fail(module, error)
    succeed(module, result, problems)


def run(params: dict[str, Any], check_mode: bool, diff_mode: bool) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Decide, and write where that was asked for. Raises ``CapabilityError``."""
    loaded = load_release(**release_arguments(params))
    release = loaded.release
    facts, status, problems = resolve_cluster(cluster_options(params), release)
    inclusions = decide_all(release.manifests, facts)
    included = sum(1 for inclusion in inclusions if inclusion.included)
    result: dict[str, Any] = {
        "changed": False,
        "version": release.version,
        "enabled_capabilities": sorted(status.enabled),
        "known_capabilities": sorted(status.known),
        "included": included,
        "excluded": len(inclusions) - included,
    }
    if params["decisions"]:
        result["decisions"] = [decision_dict(inclusion) for inclusion in inclusions]
    if params["graph"] is not None:
        manifests = [inclusion.manifest for inclusion in inclusions if inclusion.included]
        result["graph"] = _DRAWINGS[params["graph"]](task_graph(manifests, params["graph_mode"]))
    plan: DestinationPlan | None = None
    if params["dest"] is not None:
        if not included:
            raise DestinationError([*problems, NOTHING_IN])
        files = included_files(loaded, inclusions)
        secrets = secret_files(inclusions)
        plan = write_destination(params["dest"], files, loaded.directories, secrets, check_mode=check_mode)
        result["changed"] = plan.changed
        if diff_mode:
            result["diff"] = destination_diff(plan)
    return result, (*loaded.problems, *problems, *(plan.problems if plan else ()))


if __name__ == "__main__":
    main()
