#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: addon_check
short_description: Check whether add-ons can be installed with a selection of capabilities
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Finds the objects of an add-on that a cluster with disabled capabilities rejects, because their kind, their
    Namespace or an API that they require exists only with a capability. Names the capability.
  - Reads bundles of OLM, file-based catalogs, the output of Helm and Kustomize, and directories with other objects.
  - What an add-on brings itself, such as its CustomResourceDefinitions, counts in the order in which its installer
    applies it.
  - What cannot be decided without a cluster is a warning, such as rights on an API that does not exist. Kinds and
    Namespaces that are not part of the release come from elsewhere.
  - Files that cannot be checked are findings, too. The module checks all other files.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.selection
  - capability.openshift._selection.solution
  - capability.openshift._selection.inclusion
  - capability.openshift._release_image
  - capability.openshift._findings
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  addons:
    description:
      - The add-ons, in the order in which they are installed, because one can need what an earlier one brings. Each is
        a file, a directory, or the name of a bundle image, as for O(release).
      - In a directory, a subdirectory with a C(ClusterServiceVersion) is a bundle, and a file with objects whose
        C(schema) begins with C(olm.) is a catalog. A file that C(helm template) wrote is a chart, as are the files that
        it wrote with C(--output-dir). All other files together are one add-on.
      - Paths in findings are relative to the nearest directory that contains all add-ons, or to O(relative_to).
    type: list
    elements: path
    required: true
  release:
    description:
      - The release of the cluster, a directory or the name of an image.
    type: path
    required: true
  openshift_version:
    description:
      - Version of the release, such as V(4.20). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required only for a directory without C(release-metadata).
    type: str
  capabilities:
    description:
      - The selection, as in C(install-config.yaml) and C(ClusterVersion.spec), such as in
        M(capability.openshift.release_manifests).
      - By default, the add-ons are checked for every selection, so everything that needs a capability is a finding.
        Bundles need OLM in any case, which is no finding then.
    type: dict
  installer:
    description:
      - What applies the add-ons. By default, it is V(olm) for bundles and catalogs, V(helm) for charts, V(kubectl) for
        other files, and V(gitops) for other directories.
      - V(kubectl) keeps the order of the documents. V(olm), V(helm) and V(gitops) apply Namespaces and
        CustomResourceDefinitions first. V(gitops) means Argo CD or policies of ACM.
    type: str
    choices: [olm, helm, kubectl, gitops]
  packages:
    description: Packages of catalogs to check, each of which must exist. By default, all packages are checked.
    type: list
    elements: str
    default: []
seealso:
  - module: capability.openshift.release_lint
  - module: capability.openshift.site_check
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Check a bundle for every selection, in the repository of an operator
  capability.openshift.addon_check:
    addons: ["{{ playbook_dir }}/bundle"]
    release: /srv/releases/4.20.3
    relative_to: "{{ playbook_dir }}"
    fail_on: never
    outputs: ["sarif:{{ playbook_dir }}/addons.sarif"]
  register: bundle

- name: Fail if the bundle needs more than the console
  ansible.builtin.assert:
    that: item.needs is subset(['Console'])
    fail_msg: "{{ item.path }} needs {{ item.needs | join(', ') }}"
  loop: "{{ bundle.addons }}"

- name: Check the manifests of a site, which its extra manifests precede
  capability.openshift.addon_check:
    addons: [/srv/sites/extra-manifests, /srv/sites/source-crs]
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
      additional_enabled_capabilities: [Ingress, NodeTuning, OperatorLifecycleManager]

- name: Check what helm template printed, with warnings
  capability.openshift.addon_check:
    addons: [/srv/charts/widgets.yaml]
    release: /srv/releases/4.20.3
    fail_on: warning
"""

RETURN = r"""
version:
  description: Version of the release.
  returned: success or a finding that fails the module
  type: str
  sample: 4.20.3
every_selection:
  description: Whether the add-ons were checked for every selection, because none is set.
  returned: success or a finding that fails the module
  type: bool
enabled_capabilities:
  description: The enabled capabilities for which the add-ons were checked.
  returned: success or a finding that fails the module
  type: list
  elements: str
  sample: [Ingress, NodeTuning, OperatorLifecycleManager]
addons:
  description:
    - The add-ons, as they were found.
  returned: success or a finding that fails the module
  type: list
  elements: dict
  sample:
    - path: bundle/manifests
      name: ""
      installer: olm
      error: 4
      review: 0
      fine: 14
      needs: [Console]
  contains:
    path:
      description: Where the add-on was found, relative to the nearest directory that contains all add-ons.
      type: str
      returned: always
    name:
      description: Name of a bundle in a catalog. Empty for others.
      type: str
      returned: always
    installer:
      description: What applies it, as O(installer).
      type: str
      returned: always
    error:
      description: Number of objects that cannot be applied.
      type: int
      returned: always
    review:
      description: Number of objects to review, also those of unknown kinds.
      type: int
      returned: always
    fine:
      description: Number of objects without a finding.
      type: int
      returned: always
    needs:
      description: Capabilities without which it cannot be installed.
      type: list
      elements: str
      returned: always
objects:
  description:
    - The objects. Fine objects of catalogs are left out.
  returned: success or a finding that fails the module
  type: list
  elements: dict
  sample:
    - path: bundle/manifests/sample.yaml
      line: 1
      resource: ConsoleYAMLSample.console.openshift.io issuer
      verdict: error
      capabilities: [Console]
  contains:
    path:
      description: File with the object, relative to the nearest directory that contains all add-ons.
      type: str
      returned: always
    line:
      description: Line in the file.
      type: int
      returned: always
    resource:
      description: Kind, namespace and name. In a catalog, the name of the bundle precedes them.
      type: str
      returned: always
    verdict:
      description: V(error), V(review) or V(fine).
      type: str
      returned: always
    capabilities:
      description: Capabilities that would repair the object.
      type: list
      elements: str
      returned: always
repairs:
  description:
    - The capabilities that would repair objects if they were enabled together.
  returned: success or a finding that fails the module
  type: list
  elements: dict
  sample:
    - capabilities: [Console]
      objects: 4
      manifests: 92
  contains:
    capabilities:
      description: The capabilities.
      type: list
      elements: str
      returned: always
    objects:
      description: Number of the objects that they would repair.
      type: int
      returned: always
    manifests:
      description: Number of manifests of the release that the cluster would get in addition.
      type: int
      returned: always
findings:
  description: As RV(capability.openshift.release_lint#module:findings).
  returned: success or a finding that fails the module
  type: list
  elements: dict
counts:
  description: As RV(capability.openshift.release_lint#module:counts).
  returned: success or a finding that fails the module
  type: dict
  sample:
    error: 1
    warning: 4
    info: 0
baselined:
  description: Number of findings that are in O(baseline).
  returned: success or a finding that fails the module
  type: int
text:
  description: The findings in the format V(text).
  returned: success or a finding that fails the module
  type: str
problems:
  description: As RV(capability.openshift.release_lint#module:problems).
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._addons.objects import INSTALLERS
from ..module_utils._addons.reader import ReadOptions
from ..module_utils._addons.rules import RULES, UNREAD_RULES
from ..module_utils._addons.run import check_addons
from ..module_utils._capability.cluster_options import ClusterOptions
from ..module_utils._findings.finding import unread_files
from ..module_utils._module.argspec import chdir_spec, inclusion_spec, release_image_spec, release_source
from ..module_utils._module.findings import check_outputs, findings_spec, finish_check
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import Problems
from ..module_utils._release.loader import problems_for_users
from ..module_utils._release_image.open_release import open_release


def run(module: Module, _result: dict[str, Any], problems: Problems) -> None:
    """Check the add-ons, and exit. Raises ``CapabilityError``."""
    params = module.params
    source = release_source(params)
    opened, found = open_release(params["release"], source, problems), Problems()
    version, profile = params["openshift_version"], params["cluster_profile"]
    release = opened.load(found, openshift_version=version, cluster_profile=profile)
    problems += problems_for_users(found)
    options = ReadOptions(params["installer"], params["packages"], source.access, source.go_architecture)
    result = check_addons(params["addons"], release, ClusterOptions.from_params(params), options, problems)
    finish_check(
        module,
        "addon_check",
        result.directory,
        RULES,
        result.findings,
        problems,
        scope=(result.objects, "object"),
        unchecked=unread_files(result.findings, UNREAD_RULES),
        **result.keys,
    )


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **release_image_spec(),
        **inclusion_spec("cluster_type", "hosting", "status", "inclusion"),
        **findings_spec(),
        "addons": {"type": "list", "elements": "path", "required": True},
        "release": {"type": "path", "required": True},
        "openshift_version": {"type": "str"},
        "capabilities": {"type": "dict"},
        "solution": {"type": "str"},
        "installer": {"type": "str", "choices": list(INSTALLERS)},
        "packages": {"type": "list", "elements": "str", "default": []},
    },
    run,
    prepare=(check_outputs,),
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
