#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: install_config
short_description: Write or edit an install-config, and check its selection of capabilities
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Checks a selection of capabilities against the rules of the installer, the ClusterVersion API and the HostedCluster
    API for this version, platform and install method, which the guide I(Rules of a selection) lists. Reports all
    violations at once, each with its source and the smallest change that fixes it.
  - Also checks the fields of an install-config that its selection depends on, such as C(platform) and C(featureSet).
    The guide I(Select capabilities for an installation) lists them. C(openshift-install) checks all other fields before
    it creates anything.
  - With O(release), also checks references between its manifests. Fails if the selection leaves one dangling with which
    the installation could not finish, such as an object whose Namespace needs a disabled capability.
  - With O(path), writes the selection to an C(install-config.yaml). In an existing file, only the C(capabilities) block
    changes. Everything else stays the same, byte for byte, comments included.
  - Without O(path), nothing is written. The result contains the selection in the formats for a ClusterVersion manifest,
    for C(installConfigOverrides), and for a HostedCluster.
  - The file is written in one step, and only its owner can read it. The pull secret, SSH key and passwords appear
    neither in the result nor in a diff.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
  - capability.openshift._release_image
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - The diff shows the selection, the names of all other fields, and short values of a few harmless ones such as
        C(publish). If another value changes, the diff marks its field as changed and shows neither value.
  idempotent:
    support: full
options:
  path:
    description:
      - The C(install-config.yaml) to write or to edit. Missing directories are created.
      - The module fails if it is a symbolic link, because writing would replace the link with a file.
      - If neither O(content) nor a selection is given, the file is only checked and does not change.
    type: path
  content:
    description:
      - The install-config, as a dict or as text. Without O(path), a part of it is enough, such as the platform.
      - With O(install_method=hosted), the platform is that of the HostedCluster in lower case, such as V(kubevirt) or
        V(agent).
      - If O(path) exists and has the same values except C(capabilities), the file is edited and keeps its comments.
        If other values differ, or only the file selects C(capabilities), O(content) replaces the file.
      - C(pullSecret) can be the JSON text or the equivalent dict.
    type: raw
  topology:
    description:
      - Sets the replicas of the control plane and of the compute pool C(worker) where O(content), a dict, has none.
        V(sno) means 1 and 0, V(compact) means 3 and 0, V(full) means 3 and 3.
      - By default, the installer decides (3 and 3). With O(solution=ran_du), the default is V(sno) if O(content), a
        dict, sets neither C(controlPlane.replicas) nor C(compute) nor C(arbiter).
    type: str
    choices: [sno, compact, full]
  capabilities:
    description:
      - The selection. By default, without O(solution), the C(capabilities) block of the install-config is used.
      - C(baseline_capability_set) is the name of a capability set, and is required unless there are only exclusions.
        C(additional_enabled_capabilities) is a list of names to add to the set.
      - C(excluded_capabilities) selects everything except these names. The module pins the selection. It uses V(None)
        with a list of names, or a set that this version and all later ones resolve to the same names.
      - Each field can be written in the API's spelling, such as C(baselineCapabilitySet). The first draft of the API is
        accepted too, C(inclusionDefault) (V(Include) or V(Exclude)) with C(include) and C(exclude).
    type: raw
  solution:
    description:
      - Name of a solution, which replaces O(capabilities). A solution describes the purpose of a cluster. It is
        resolved to the selection for this version, platform and install method.
      - Predefined are V(minimal), V(ran_du), V(headless), V(no_image_registry), V(managed_service) and V(disconnected).
      - If a rule requires a name that the solution does not contain, the name is added, and RV(explanation) names the
        rule. This includes the rules of the documentation without which the cluster does not work.
    type: str
  release:
    description:
      - The release to install, a directory or the name of an image, as in M(capability.openshift.release_info).
      - The module reads the version and the feature gates from it. It also reads the capabilities if the collection
        does not know the version.
      - One of O(release) and O(openshift_version) is required.
    type: path
  extra_manifests:
    description:
      - Files and directories with manifests that the installation applies besides those of O(release), such as extra
        manifests. Directories are read with all files below them, and ConfigMaps with the manifests in their values.
      - A reference to a resource that they create does not dangle.
    type: list
    elements: path
  openshift_version:
    description:
      - Version to install, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
    type: str
  install_method:
    description:
      - V(ipi) is C(openshift-install create cluster). V(upi) is any installation in which the user provisions the
        machines. V(agent) is the agent-based installer. V(assisted) is the assisted service, also through siteconfig
        and ClusterInstance. V(hosted) is a hosted control plane.
      - The default is V(upi) for platforms that the installer does not provision (V(none), V(external)), with
        C(bootstrapInPlace), and if the platform is not known. Otherwise, it is V(ipi).
      - If a file C(agent-config.yaml) is next to O(path), the default is V(agent).
    type: str
    choices: [ipi, upi, agent, assisted, hosted]
  clusters:
    description:
      - A fleet. All files are checked and written together. If one cluster is invalid, no file is written, and all
        problems of all clusters are reported at once.
      - The options of a cluster override the module options of the same name.
      - Two clusters with the same name or the same file are an error.
      - Cannot be combined with O(path).
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the cluster.
        type: str
        required: true
      path:
        description: As O(path).
        type: path
      content:
        description:
          - Is merged into O(content). Fields that are maps are merged, and all other fields are replaced, as is a
            C(platform) that names another one. If one of the two is text, that of the cluster replaces the other.
          - In a dict, C(metadata.name) is the name of the cluster unless the content of the cluster sets it.
        type: raw
      topology:
        description: As O(topology).
        type: str
      capabilities:
        description: As O(capabilities). Overrides O(solution) too.
        type: raw
      solution:
        description: As O(solution). Overrides O(capabilities) too.
        type: str
      release:
        description: As O(release). Overrides O(openshift_version) too.
        type: path
      extra_manifests:
        description: As O(extra_manifests).
        type: list
        elements: path
      openshift_version:
        description: As O(openshift_version).
        type: str
      install_method:
        description: As O(install_method).
        type: str
  write_valid:
    description:
      - Whether to write the files of the valid O(clusters) even if others are invalid. The invalid ones are errors in
        any case.
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
- name: Select everything except two capabilities in an existing install-config
  capability.openshift.install_config:
    path: /srv/sites/berlin/install-config.yaml
    openshift_version: "4.20"
    capabilities:
      excluded_capabilities: [Console, Insights]

- name: Write the install-config of a single-node edge site
  capability.openshift.install_config:
    path: /srv/sites/{{ inventory_hostname }}/install-config.yaml
    openshift_version: "4.20"
    solution: ran_du
    content:
      apiVersion: v1
      baseDomain: example.com
      metadata:
        name: "{{ inventory_hostname }}"
      platform:
        none: {}
      bootstrapInPlace:
        installationDisk: /dev/disk/by-path/pci-0000:01:00.0
      pullSecret: "{{ pull_secret }}"
      sshKey: "{{ ssh_public_key }}"

- name: Check an existing install-config
  capability.openshift.install_config:
    path: /srv/sites/paris/install-config.yaml
    openshift_version: "4.20"
    install_method: agent
  check_mode: true

- name: Get the installConfigOverrides of a ClusterInstance
  capability.openshift.install_config:
    content:
      platform: {none: {}}
    openshift_version: "4.20"
    install_method: assisted
    solution: ran_du
  register: site
  # => site.install_config_overrides
  # {"capabilities":{"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Ingress","NodeTuning",...]}}

- name: Write the install-configs of a fleet, all or none
  capability.openshift.install_config:
    openshift_version: "4.20"
    solution: ran_du
    content:
      apiVersion: v1
      baseDomain: example.com
      platform: {none: {}}
      bootstrapInPlace: {installationDisk: /dev/disk/by-path/pci-0000:01:00.0}
      pullSecret: "{{ pull_secret }}"
    clusters:
      - name: berlin
        path: /srv/sites/berlin/install-config.yaml
      - name: paris
        path: /srv/sites/paris/install-config.yaml
        openshift_version: "4.19"
        content:
          networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
  register: fleet
  # => fleet.clusters
  # [{"name": "berlin", "path": "/srv/sites/berlin/install-config.yaml", "differs": true, "selection": 0, ...},
  #  {"name": "paris", "path": "/srv/sites/paris/install-config.yaml", "differs": true, "selection": 1, ...}]
"""

RETURN = r"""
path:
  description: Absolute path of the file.
  returned: when O(path) is given and can be the path of a file
  type: str
  sample: /srv/sites/berlin/install-config.yaml
openshift_version:
  description: Version to install, V(null) if it is not known.
  returned: always, without O(clusters)
  type: str
  sample: 4.20.3
install_method:
  description: The given install method, or the default.
  returned: always, without O(clusters)
  type: str
  sample: upi
platform:
  description: Platform of the install-config, V(null) if it names none or several.
  returned: always, without O(clusters)
  type: str
  sample: vsphere
capabilities:
  description: The selection to write, in the API's spelling. Empty if there is none.
  returned: success, without O(clusters)
  type: dict
  sample: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Ingress, NodeTuning]}
suggested_capabilities:
  description:
    - As RV(capabilities).
    - The selection after the smallest change that makes it valid, apart from rules that depend on the platform if
      RV(platform) is V(null). It adds as few names as possible, and removes names that do not exist. Rules of the
      documentation are only warnings. Also returned if the module fails because of a rule.
  returned: >-
    when a selection is possible, and has a baseline, no misspelled field or exclusion, and no dangling reference,
    without O(clusters)
  type: dict
explanation:
  description: The reasons for the selection, in sentences.
  returned: success, without O(clusters)
  type: list
  elements: str
enabled_capabilities:
  description: Enabled capabilities, sorted. Includes those that are always enabled.
  returned: success, without O(clusters)
  type: list
  elements: str
known_capabilities:
  description: Known capabilities, sorted.
  returned: success, without O(clusters)
  type: list
  elements: str
cluster_version_spec:
  description:
    - The spec of a ClusterVersion with only C(capabilities), as in C(cvo-overrides.yaml).
    - Empty if nothing is selected. For O(install_method=hosted), what HyperShift writes. Up to 4.19, that is nothing
      unless C(ImageRegistry) is disabled.
  returned: success, without O(clusters)
  type: dict
  sample: {capabilities: {baselineCapabilitySet: None, additionalEnabledCapabilities: [Ingress]}}
install_config_overrides:
  description: The selection as JSON text, for C(installConfigOverrides) of siteconfig and for the assisted service.
  returned: success, without O(clusters)
  type: str
  sample: '{"capabilities":{"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Ingress"]}}'
hosted_cluster_spec:
  description:
    - The spec of a HostedCluster with only C(capabilities), the names that differ from what HyperShift enables by
      default. Empty if none differs.
    - A HostedCluster can choose only some names. With O(install_method=hosted), RV(problems) names the others.
  returned: success, without O(clusters)
  type: dict
  sample: {capabilities: {disabled: [Console, Insights]}}
clusters:
  description: The table of the fleet, one row for each cluster, in the order of O(clusters).
  returned: with O(clusters), unless the files cannot be written
  type: list
  elements: dict
  contains:
    name:
      description: Name of the cluster.
      type: str
      returned: always
    path:
      description: Absolute path of its file, V(null) if it has none.
      type: str
      returned: always
    differs:
      description:
        - Whether its file differed from the text to write. Without O(write_valid), it was not written if any cluster is
          invalid.
      type: bool
      returned: always
    selection:
      description: Index of its result in RV(selections), V(null) if its entry is invalid.
      type: int
      returned: always
    errors:
      description: All errors of this cluster, as text. Empty if it is valid.
      type: list
      elements: str
      returned: always
selections:
  description: The distinct results of the fleet.
  returned: with O(clusters), unless the files cannot be written
  type: list
  elements: dict
  contains:
    openshift_version:
      description: As RV(openshift_version).
      type: str
      returned: always
    install_method:
      description: As RV(install_method).
      type: str
      returned: always
    platform:
      description: As RV(platform).
      type: str
      returned: always
    capabilities:
      description: As RV(capabilities).
      type: dict
      returned: if the selection is valid
    suggested_capabilities:
      description: As RV(suggested_capabilities).
      type: dict
      returned: as RV(suggested_capabilities)
    explanation:
      description: As RV(explanation).
      type: list
      elements: str
      returned: if the selection is valid
    enabled_capabilities:
      description: As RV(enabled_capabilities).
      type: list
      elements: str
      returned: if the selection is valid
    known_capabilities:
      description: As RV(known_capabilities).
      type: list
      elements: str
      returned: if the selection is valid
    cluster_version_spec:
      description: As RV(cluster_version_spec).
      type: dict
      returned: if the selection is valid
    install_config_overrides:
      description: As RV(install_config_overrides).
      type: str
      returned: if the selection is valid
    hosted_cluster_spec:
      description: As RV(hosted_cluster_spec).
      type: dict
      returned: if the selection is valid
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the install-config, the selection and the file. The code of a rule of a selection
      is its name, as in the guide I(Rules of a selection).
  returned: always
  type: list
  elements: dict
"""

from typing import Any, NoReturn

from ..module_utils._data.install_rules import INSTALL_METHODS
from ..module_utils._data.solutions import TOPOLOGIES
from ..module_utils._files.files import enter_directory
from ..module_utils._install_config.build import EditedFile, InstallConfigOptions, build_install_config
from ..module_utils._install_config.check import InstallCheck
from ..module_utils._install_config.file import write_targets
from ..module_utils._install_config.fleet import ClusterEntry, build_fleet, cluster_row, fleet_diff, write_fleet
from ..module_utils._install_config.result import install_config_diff, installation_dict
from ..module_utils._module.argspec import Spec, chdir_spec, release_image_spec, release_source
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.progress import show_progress
from ..module_utils._module.result import HIDDEN, error_text, fail, succeed
from ..module_utils._module.untag import untag
from ..module_utils._problems import CapabilityError, DestinationError, InvalidOptionError, Problems, problem_dicts

OPTIONS: Spec = {
    "path": {"type": "path"},
    "content": {"type": "raw", "no_log": True},
    "capabilities": {"type": "raw"},
    "solution": {"type": "str"},
    "release": {"type": "path"},
    "extra_manifests": {"type": "list", "elements": "path"},
    "openshift_version": {"type": "str"},
}
CLUSTER_SPEC: Spec = {
    "name": {"type": "str", "required": True},
    **OPTIONS,
    # Without choices: an unknown one is an error of this cluster, with its name.
    "install_method": {"type": "str"},
    "topology": {"type": "str"},
}


def run(module: Module, _result: dict[str, Any], _problems: Problems) -> None:
    """Write the install-configs, and exit. Raises ``CapabilityError``."""
    params = untag(module.params)
    # Ansible treats every value in content as a secret, v1 and none included, and would mask them in the result. So
    # content is removed from the result as a whole. Messages that quote it were masked when they were written.
    for option in ("content", "clusters", "pull_secret"):
        if params[option] is not None:
            module.params[option] = HIDDEN
    module.no_log_values = set()
    enter_directory(params)
    options = InstallConfigOptions.from_params(params, release_source(params))
    if params["clusters"] is None:
        run_one(module, options)
    else:
        run_fleet(module, params["clusters"], options, write_valid=params["write_valid"])


def run_one(module: Module, options: InstallConfigOptions) -> NoReturn:
    """Write the install-config of one cluster, and exit."""
    built = build_install_config(options)
    about = {"openshift_version": built.version}
    if built.file is not None:
        about["path"] = built.file.target.path
    failed_result = {**about, **installation_dict(built.check, failed=True)}
    if built.failed:
        error = InvalidOptionError(built.problems)
        message = "\n".join([error_text(error), *sources(built.check)])
        module.fail_json(msg=message, problems=problem_dicts(error.problems), **failed_result)
    try:
        written = write(built.file, check_mode=module.check_mode)
    except DestinationError as error:
        fail(module, DestinationError([*error.problems, *built.problems]), **failed_result)
    if module._diff and built.file is not None:
        written["diff"] = install_config_diff(built.file)
    succeed(module, {**about, **installation_dict(built.check), **written}, built.problems)


def sources(check: InstallCheck) -> list[str]:
    """Return lines with the sources of the rules that a selection violates. They come after all remedies."""
    found = [f"- {item.rule.name} ({item.rule.message}): {item.rule.source}" for item in check.violations]
    return ["Sources of these rules:", *dict.fromkeys(found)] if found else []


def run_fleet(module: Module, clusters: list[Any], options: InstallConfigOptions, *, write_valid: bool) -> NoReturn:
    """Write the install-configs of a fleet, all or none, and exit."""
    entries = [ClusterEntry.from_params(entry, at, options) for at, entry in enumerate(clusters)]
    fleet = build_fleet(entries, options, show_progress)
    rows = [cluster_row(cluster) for cluster in fleet.clusters]
    writes, changed = not fleet.failed or write_valid, False
    if writes:
        try:
            write_fleet(fleet, check_mode=module.check_mode)
        except DestinationError as error:
            fail(module, DestinationError([*error.problems, *fleet.problems]))
        changed = any(row["differs"] and not row["errors"] for row in rows)
    result: dict[str, Any] = {"changed": changed, "clusters": rows, "selections": list(fleet.selections)}
    if module._diff and writes:
        result["diff"] = fleet_diff(fleet)
    if fleet.failed:
        fail(module, CapabilityError(fleet.problems), **result)
    succeed(module, result, fleet.problems)


def write(file: EditedFile | None, *, check_mode: bool) -> dict[str, Any]:
    """Write the file unless it has the right content, and return the keys about it. Raises ``DestinationError``."""
    file_write = None if file is None else file.write()
    write_targets([] if file_write is None else [file_write], check_mode=check_mode)
    return {"changed": file_write is not None}


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **OPTIONS,
        **release_image_spec(),
        "install_method": {"type": "str", "choices": list(INSTALL_METHODS)},
        "topology": {"type": "str", "choices": list(TOPOLOGIES)},
        "clusters": {"type": "list", "elements": "dict", "no_log": True, "options": CLUSTER_SPEC},
        "write_valid": {"type": "bool", "default": False},
    },
    run,
    rules={"mutually_exclusive": [("path", "clusters")]},
    enters_directory=True,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
