#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: install_config
short_description: Write or edit an install-config with the right selection of capabilities, checked before it boots
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Checks a selection of capabilities against every rule that the installer, the ClusterVersion API and the
    HostedCluster API have for this version, platform and install method, and tells all violations at once, each with
    its source and the smallest change that mends it.
  - With O(path), writes the selection into an C(install-config.yaml). Of a file that is there, only the
    C(capabilities) block changes; everything else stays as it is, byte for byte, comments included.
  - Without O(path), nothing is written. The result has the same selection for a ClusterVersion manifest, for
    C(installConfigOverrides), and for a HostedCluster.
  - The file is written in one step, readable for its owner alone. Pull secret, SSH key and passwords appear neither in
    the result nor in a diff.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Secrets are masked. Where one changes, the diff says so and shows neither.
  idempotent:
    support: full
options:
  path:
    description:
      - The C(install-config.yaml) to write or to edit. Missing directories are created.
      - A symbolic link is refused, because a file would take its place.
      - Where neither O(content) nor a selection is given, the file is only checked, and stays as it is.
    type: path
  content:
    description:
      - The install-config, as a dict or as its text. Without O(path) a part of it is enough, such as the platform.
      - Where O(path) exists and says the same but for C(capabilities), it is edited and keeps its comments. Where it
        says something else, it is replaced by O(content).
      - C(pullSecret) can be the JSON text or the dict that it stands for.
    type: raw
  capabilities:
    description:
      - The selection. Left out, without O(solution), the C(capabilities) block of the install-config counts.
      - C(baseline_capability_set) is the name of a capability set, and is required unless there are exclusions.
        C(additional_enabled_capabilities) is a list of names beside it.
      - C(excluded_capabilities) means everything but these. It is translated to the pinned form, V(None) and a list or
        a set that this version and all later ones resolve alike.
      - Every field can be written as the API writes it, C(baselineCapabilitySet) and so on. The first draft of the
        API, C(inclusionDefault) (V(Include) or V(Exclude)) with C(include) and C(exclude), is accepted as another
        spelling.
    type: raw
  solution:
    description:
      - Name of a solution, which stands in the place of O(capabilities). It holds an intent, from which the selection
        for this version, platform and install method follows.
      - There are V(minimal), V(ran_du), V(headless), V(no_image_registry), V(managed_service) and V(disconnected),
        and those of O(solutions).
    type: str
  solutions:
    description:
      - Your own solutions, a dict of dicts by name.
      - C(starts_from) is V(nothing) or V(everything), C(wants) a list of names (or of dicts with C(capability) and
        C(until), the last minor for which it is wanted), C(without) a list of names that must not be on,
        C(rather_without) a list of names that go where that is possible, C(description) a text.
      - A name that V(nothing) does not need and that a rule demands is added, and RV(explanation) says so.
    type: dict
  release:
    description:
      - Directory into which the release to install was extracted, as in M(capability.openshift.release_info).
      - It tells the version, the feature gates, and the names of a version that is not known here.
      - One of O(release) and O(openshift_version) is needed.
    type: path
  openshift_version:
    description:
      - Version to install, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
    type: str
  install_method:
    description:
      - V(ipi) is C(create cluster), V(upi) any way in which the user provisions, V(agent) the agent-based installer,
        V(assisted) the assisted service (siteconfig and ClusterInstance, too), V(hosted) a hosted control plane.
      - Left out, it is V(ipi), but for platforms that the installer does not provision (V(none), V(external)), with
        C(bootstrapInPlace), and where no platform is told. There it is V(upi).
    type: str
    choices: [ipi, upi, agent, assisted, hosted]
  compare_with:
    description:
      - Another selection, with the fields of O(capabilities). RV(comparison) says what the selection saves against it,
        counted in the manifests of O(release), which is needed. C({}) is the cluster default.
    type: dict
  backup:
    description:
      - Whether to keep the file that was there under another name beside it, for its owner alone.
    type: bool
    default: false
seealso:
  - module: capability.openshift.release_info
  - plugin: capability.openshift.validate_capabilities
    plugin_type: filter
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Everything but two capabilities, in an install-config that is there
  capability.openshift.install_config:
    path: /srv/sites/berlin/install-config.yaml
    openshift_version: "4.20"
    capabilities:
      excluded_capabilities: [Console, Insights]

- name: A single-node edge site
  capability.openshift.install_config:
    path: /srv/sites/{{ inventory_hostname }}/install-config.yaml
    openshift_version: "4.20"
    solution: ran_du
    content:
      apiVersion: v1
      baseDomain: example.com
      metadata:
        name: "{{ inventory_hostname }}"
      controlPlane:
        name: master
        replicas: 1
      compute:
        - name: worker
          replicas: 0
      platform:
        none: {}
      bootstrapInPlace:
        installationDisk: /dev/disk/by-path/pci-0000:01:00.0
      pullSecret: "{{ pull_secret }}"
      sshKey: "{{ ssh_public_key }}"

- name: Check what somebody else wrote
  capability.openshift.install_config:
    path: /srv/sites/paris/install-config.yaml
    openshift_version: "4.20"
    install_method: agent
  check_mode: true

- name: The installConfigOverrides of a ClusterInstance
  capability.openshift.install_config:
    content:
      platform: {none: {}}
    openshift_version: "4.20"
    install_method: assisted
    solution: ran_du
  register: site
  # => site.install_config_overrides
  # {"capabilities":{"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Ingress","NodeTuning",...]}}

- name: What a selection saves against the default
  capability.openshift.install_config:
    content:
      platform: {vsphere: {}}
    release: /srv/releases/4.20.3
    capabilities:
      excluded_capabilities: [Console, Insights, openshift-samples]
    compare_with: {}
  register: cost
"""

RETURN = r"""
path:
  description: The file, absolute.
  returned: when O(path) is given and a file can be there
  type: str
  sample: /srv/sites/berlin/install-config.yaml
backup_file:
  description: Where the old content was kept.
  returned: when O(backup=true) and a file was replaced
  type: str
capabilities:
  description: The selection as it is written, in the API's spelling. Empty where there is none.
  returned: always, where the selection can be understood
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Ingress, NodeTuning]}
shortest_capabilities:
  description:
    - The form that lists the fewest names, among those that mean the same in this version and in every later one.
  returned: always, where the selection can be understood
  type: dict
  sample: {baselineCapabilitySet: v4.11, additionalEnabledCapabilities: [Ingress]}
suggested_capabilities:
  description:
    - The selection with the fewest names added that keep every rule, without names that do not exist.
    - Returned with an error, too, where the selection can be understood.
  returned: always, where the selection can be understood
  type: dict
explanation:
  description: Why the selection is what it is, in sentences.
  returned: always, where the selection can be understood
  type: list
  elements: str
enabled_capabilities:
  description: Names that the cluster has on, sorted, those included that are on whatever is asked.
  returned: always, where the selection can be understood
  type: list
  elements: str
known_capabilities:
  description: Names that the version knows, sorted.
  returned: always, where the selection can be understood
  type: list
  elements: str
cluster_version_spec:
  description:
    - The spec of a ClusterVersion with C(capabilities) alone, as C(cvo-overrides.yaml) has it.
    - Empty where nothing is selected.
  returned: always, where the selection can be understood
  type: dict
  sample: {capabilities: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Ingress]}}
install_config_overrides:
  description: The same as JSON text, for C(installConfigOverrides) of siteconfig and for the assisted service.
  returned: always, where the selection can be understood
  type: str
  sample: '{"capabilities":{"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Ingress"]}}'
hosted_cluster_spec:
  description:
    - The spec of a HostedCluster with C(capabilities) alone, which knows few names, as C(enabled) and C(disabled).
    - RV(hosted_cluster_differences) has what a HostedCluster cannot say.
  returned: always, where the selection can be understood
  type: dict
  sample: {capabilities: {disabled: [Console, Insights]}}
openshift_version:
  description: Version that is installed, V(none) where it is not known.
  returned: always
  type: str
  sample: 4.20.3
hosted_cluster_differences:
  description: Names that a HostedCluster with RV(hosted_cluster_spec) has on, or off, unlike the selection.
  returned: always, where the selection can be understood
  type: dict
  sample: {stays_on: [Build, Storage], stays_off: []}
install_method:
  description: How the cluster is taken to be installed.
  returned: always
  type: str
  sample: upi
platform:
  description: Platform that the install-config names, V(none) where it names none or several.
  returned: always
  type: str
  sample: vsphere
violations:
  description: Rules that the selection breaks. Those that only documentation holds are no errors.
  returned: always
  type: list
  elements: dict
  contains:
    rule:
      description: Name of the rule, as in the table of rules.
      type: str
      returned: always
      sample: inst-ingress
    layer:
      description: V(installer), V(ClusterVersion), V(HostedCluster) or V(documentation).
      type: str
      returned: always
    capability:
      description: Name that is missing, empty where none is.
      type: str
      returned: always
    message:
      description: What that layer answers.
      type: str
      returned: always
    hint:
      description: The smallest change that mends it.
      type: str
      returned: always
    source:
      description: Where the rule stands.
      type: str
      returned: always
consequences:
  description: What the cluster goes without, for each capability that is off. This is no judgement.
  returned: always, where the selection can be understood
  type: list
  elements: dict
  contains:
    capability:
      description: Name of the capability.
      type: str
      returned: always
    text:
      description: What does not work without it.
      type: str
      returned: always
    source:
      description: Where that is said.
      type: str
      returned: always
comparison:
  description: What the selection costs, and saves against O(compare_with).
  returned: when O(compare_with) is given
  type: dict
  contains:
    selection:
      description:
        - Counts of C(manifests), C(crds), C(namespaces), C(cluster_operators), C(deployments), C(daemonsets),
          C(statefulsets), C(jobs), C(cronjobs) and C(images), and the requests of what keeps running,
          C(cpu_millicores) and C(memory_bytes). DaemonSets count once, as on one node.
      type: dict
      returned: always
    against:
      description: The same of the other selection.
      type: dict
      returned: always
    saved:
      description: The other less this one. Negative where this one costs more.
      type: dict
      returned: always
    only_here:
      description: Names of what only this selection has, by the same fields.
      type: dict
      returned: always
    only_there:
      description: Names of what only the other one has.
      type: dict
      returned: always
problems:
  description: What is wrong or worth knowing, about the install-config, the selection and the file.
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

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import INSTALL_METHODS
from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import (
    InstallRequest,
    InstallResult,
    build_install_config,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.file import write_target
from ansible_collections.capability.openshift.plugins.module_utils._install_config.result import (
    comparison_dict,
    install_config_diff,
    installation_dict,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.secrets import secret_values
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.result import fail, succeed
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import DestinationError, InvalidOptionError
from ansible_collections.capability.openshift.plugins.module_utils._yaml.head import parse_json_object

HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
SHORTEST_HIDDEN = 8


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path"},
            "content": {"type": "raw", "no_log": True},
            "capabilities": {"type": "raw"},
            "solution": {"type": "str"},
            "solutions": {"type": "dict"},
            "release": {"type": "path"},
            "openshift_version": {"type": "str"},
            "install_method": {"type": "str", "choices": list(INSTALL_METHODS)},
            "compare_with": {"type": "dict"},
            "backup": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    require_yaml(module)
    params = untag(module.params)
    if isinstance(params["capabilities"], str):
        # From a template it may be JSON text, which ansible-core before 2.19 takes for the dict that it says.
        params["capabilities"] = parse_json_object(params["capabilities"].encode()) or params["capabilities"]
    # Ansible takes every value in content for a secret, v1 and none included, and would mask them in the result. So
    # content is kept out of it as a whole, and those values that are secrets are named as they are read.
    if params["content"] is not None:
        module.params["content"] = HIDDEN
    module.no_log_values = set()

    def hide(data: Mapping[str, Any]) -> None:
        # Nothing of content is in the result, so this is for what nobody thought of; short ones are words of their own.
        module.no_log_values.update(value for value in secret_values(data) if len(value) >= SHORTEST_HIDDEN)

    backup = params.pop("backup")
    answer = build_install_config(InstallRequest(**params), hide)
    result = {"openshift_version": answer.version, **installation_dict(answer.installation)}
    if answer.target is not None:
        result["path"] = answer.target.path
    if answer.failed:
        fail(module, InvalidOptionError(answer.problems), **result)
    try:
        written = write(answer, backup=backup, check_mode=module.check_mode)
    except DestinationError as error:
        fail(module, DestinationError([*error.problems, *answer.problems]), **result)
    if module._diff and answer.target is not None:
        written["diff"] = install_config_diff(answer.target, answer.before, answer.after)
    succeed(module, {**result, **written}, answer.problems)


def write(answer: InstallResult, *, backup: bool, check_mode: bool) -> dict[str, Any]:
    """Write what belongs at the path, unless it is there; return what was done. Raises ``DestinationError``."""
    result: dict[str, Any] = {"changed": False}
    if answer.comparison is not None:
        result["comparison"] = comparison_dict(answer.comparison)
    target, after = answer.target, answer.after
    if target is None or after is None:
        return result
    result["changed"] = answer.changes_text or target.is_open_to_others
    if result["changed"]:
        saved = write_target(target, after.encode(), backup=backup and answer.changes_text, check_mode=check_mode)
        if saved:
            result["backup_file"] = saved
    return result


if __name__ == "__main__":
    main()
