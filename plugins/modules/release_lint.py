#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_lint
short_description: Check the manifests of a release, or of one operator, for mistakes with capabilities
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Finds mistakes of authors of manifests. For example, a selection of capabilities can include an object and exclude
    its Namespace, or an update enables a capability on every cluster.
  - Checks a release, or the directory of manifests in the repository of an operator.
  - With O(previous_release), also checks the update from that release.
  - A rule about two manifests applies only if one cluster can have both, with its cluster profile and feature set.
    Rules about updates apply only to feature sets with which a cluster can update.
  - Files that cannot be checked are findings, too. The module checks all other files.
  - Subdirectories are ignored, as by the cluster-version operator.
  - With O(checkout), also lists all manifests of an operator, and what changed since the merge base.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
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
  release:
    description:
      - The release, a directory or the name of an image. Can also be a directory of manifests.
      - Paths in findings about an image are those in the image, so O(relative_to) needs a directory.
      - Either this or O(checkout) is required.
    type: path
  checkout:
    description: The repository of an operator. In a Git repository, the update from the merge base is checked.
    type: path
  manifest_directories:
    description:
      - Directories of O(checkout) with manifests for the cluster-version operator, also rendered ones. By default
        C(manifests) and C(install).
    type: list
    elements: str
  operand_directories:
    description:
      - Directories of O(checkout) with manifests that the operator applies, by default C(bindata). They are listed, and
        not checked.
    type: list
    elements: str
  base:
    description:
      - Branch or commit that O(checkout) will be merged into. By default the branch C(release-X.Y) of the remote
        C(upstream) or C(origin) that the current commit comes from, or else their main branch.
    type: str
  openshift_version:
    description:
      - Version of the release, such as V(4.20). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required only for a directory without C(release-metadata). For O(checkout), the default comes from a branch
        C(release-X.Y), or else the newest one that this collection knows.
    type: str
  previous_release:
    description:
      - The previous release, named in the same way. If O(release) is a directory of an operator, only its
        components count.
      - With O(checkout), the newest release, to show what differs, and to check references to and from the operator.
    type: path
  previous_openshift_version:
    description:
      - Version of O(previous_release). Required only if that directory has no C(release-metadata).
    type: str
  known_capabilities:
    description:
      - Capabilities that the API does not know yet, because the change that adds them is not merged. They count as new
        in O(release).
    type: list
    elements: str
    default: []
  components:
    description:
      - Components whose findings are returned. By default all of the release.
      - The component of a manifest is C(NAME) in the name of its file, C(0000_NN_NAME_...).
    type: list
    elements: str
    default: []
seealso:
  - module: capability.openshift.release_info
  - module: capability.openshift.update_plan
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Check a release, and the update to it
  capability.openshift.release_lint:
    release: /srv/releases/4.20.3
    previous_release: /srv/releases/4.19.9

- name: Check one component of a release, and the update to it
  capability.openshift.release_lint:
    release: /srv/releases/4.20.3
    previous_release: /srv/releases/4.19.9
    components: [console-operator]

- name: Check a release in a registry, and the update to it
  capability.openshift.release_lint:
    release: quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64
    previous_release: quay.io/openshift-release-dev/ocp-release:4.19.9-x86_64
    auth_file: /srv/pull-secret.json

- name: Check the manifests of an operator whose capability the API does not know yet
  capability.openshift.release_lint:
    release: "{{ playbook_dir }}/manifests"
    openshift_version: "4.22"
    known_capabilities: [Backup]
    relative_to: "{{ playbook_dir }}"
    outputs: ["sarif:{{ playbook_dir }}/lint.sarif"]

- name: Check an operator before a pull request, together with the newest release
  capability.openshift.release_lint:
    checkout: "{{ playbook_dir }}"
    previous_release: /srv/releases/4.20.3
    known_capabilities: [Backup]

- name: Accept all findings of today
  capability.openshift.release_lint:
    release: /srv/releases/4.20.3
    baseline: /srv/lint/known.json
    update_baseline: true

- name: Fail on new warnings, too
  capability.openshift.release_lint:
    release: /srv/releases/4.20.4
    previous_release: /srv/releases/4.20.3
    baseline: /srv/lint/known.json
    fail_on: warning
"""

RETURN = r"""
version:
  description: Version of the release.
  returned: success or a finding that fails the module
  type: str
  sample: 4.20.3
manifests:
  description: Number of manifests that were checked.
  returned: success or a finding that fails the module
  type: int
  sample: 1076
resources:
  description:
    - The manifests in O(checkout), with the annotations that decide about them.
  returned: with O(checkout)
  type: list
  elements: dict
  sample:
    - {file: manifests/07-operator.yaml, group: apps, kind: Deployment, namespace: openshift-console-operator,
       name: console-operator, capabilities: [Console], capability: Console, profiles: self-managed-high-availability,
       feature_set: "", feature_gate: "", delete: "", owner: console, changes: ["capability: none -> Console"],
       in_release: ["capability: Console -> none"]}
  contains:
    file:
      description: File of the manifest, relative to O(checkout).
      type: str
      returned: always
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
    capabilities:
      description: Capabilities that the manifest needs.
      type: list
      elements: str
      returned: always
    capability:
      description: The annotation with the capabilities. Empty if there is none.
      type: str
      returned: always
    profiles:
      description: The cluster profiles in annotations.
      type: str
      returned: always
    feature_set:
      description: The annotation with the feature sets. Empty if there is none.
      type: str
      returned: always
    feature_gate:
      description: The annotation with the feature gates. Empty if there is none.
      type: str
      returned: always
    delete:
      description: The annotation that deletes the resource. Empty if there is none.
      type: str
      returned: always
    owner:
      description:
        - The component in the name of the file, or else the ClusterOperator, or V(the operator) for manifests that it
          applies.
      type: str
      returned: always
    changes:
      description: What changed since RV(merge_base).
      type: list
      elements: str
      returned: always
    in_release:
      description: How O(previous_release) differs.
      type: list
      elements: str
      returned: always
removed:
  description:
    - As RV(resources).
    - Manifests that only RV(merge_base) has.
  returned: with O(checkout)
  type: list
  elements: dict
merge_base:
  description: Branch and commit with which O(checkout) was compared. Empty if there is none.
  returned: with O(checkout)
  type: str
  sample: origin/HEAD (684157180)
findings:
  description: Findings that are not in O(baseline), by path and line.
  returned: success or a finding that fails the module
  type: list
  elements: dict
  contains:
    rule:
      description: Identifier of the rule, in kebab case.
      type: str
      returned: always
      sample: dangling-namespace
    severity:
      description: V(error), V(warning) or V(info).
      type: str
      returned: always
    path:
      description:
        - File, relative to O(release), O(checkout) or O(relative_to). For a resource that no manifest has any more,
          the file that it was in.
      type: str
      returned: always
    line:
      description: Line in the file, from 1. V(0) if the whole file is meant.
      type: int
      returned: always
    resource:
      description: Kind, namespace and name of the resource. Empty if the finding is about a file.
      type: str
      returned: always
    message:
      description: What is wrong.
      type: str
      returned: always
    hint:
      description: What to do about it.
      type: str
      returned: always
counts:
  description: Number of findings by severity.
  returned: success or a finding that fails the module
  type: dict
  sample:
    error: 1
    warning: 4
    info: 0
  contains:
    error:
      description: Number of errors.
      type: int
      returned: always
    warning:
      description: Number of warnings.
      type: int
      returned: always
    info:
      description: Number of notes.
      type: int
      returned: always
baselined:
  description: Number of findings that are in O(baseline).
  returned: success or a finding that fails the module
  type: int
text:
  description: The findings in the format V(text).
  returned: success or a finding that fails the module
  type: str
problems:
  description: Errors, warnings and notes about the options and the release.
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
      description: Location of the problem, such as an option, or a field of a file or object.
      type: str
      returned: always
    message:
      description: What is wrong, and what was expected.
      type: str
      returned: always
    hint:
      description: What to do about it. Empty if there is nothing to do.
      type: str
      returned: always
"""

from typing import Any

from ..module_utils._findings.finding import unread_files
from ..module_utils._lint.checkout import read_checkout
from ..module_utils._lint.lint import LintOptions, lint, lint_checkout
from ..module_utils._lint.resource_table import appendix, resource_rows
from ..module_utils._lint.rules import RULES, UNREAD_RULES
from ..module_utils._lint.source import LintSource, read_source
from ..module_utils._module.argspec import chdir_spec, release_image_spec, release_source
from ..module_utils._module.findings import check_outputs, findings_spec, finish_check, output_files
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import Problems
from ..module_utils._release.release import Release
from ..module_utils._release_image.open_release import open_release


def run(module: Module, _result: dict[str, Any], problems: Problems) -> None:
    """Check the manifests, and exit. Raises ``CapabilityError``."""
    params = module.params
    options = LintOptions(params["known_capabilities"], params["components"])
    previous = None
    if params["previous_release"] is not None:
        previous = read_release(params, "previous_release", "previous_openshift_version", problems)
    released = previous and previous.release
    rows, more = dict[str, Any](), ""
    if params["checkout"] is None:
        source = read_release(params, "release", "openshift_version", problems, released)
        compared = previous
        findings = lint(source, previous, options, problems)
    else:
        own, applied = params["manifest_directories"], params["operand_directories"]
        checkout = read_checkout(
            params["checkout"], params["openshift_version"], own, applied, params["base"], released, problems
        )
        source, rows = checkout.source, resource_rows(checkout, released)
        compared = checkout.previous
        more = appendix(rows, has_release=previous is not None)
        findings = tuple(lint_checkout(checkout, previous, options, problems))
    release = source.release
    checked = [item for item in release.manifests if options.covers(item.file)]
    finish_check(
        module,
        "release_lint",
        release.path,
        RULES,
        findings,
        problems,
        scope=(len(checked), "manifest"),
        unchecked=[
            *unread_files(findings, UNREAD_RULES),
            *unread_files(previous.findings if previous else (), UNREAD_RULES, " of the previous release"),
            *(("the CVO's own manifests were not checked",) if source.lacks_cvo else ()),
            *(() if compared else ("no update was checked",)),
        ],
        appendix=more,
        version=release.version,
        manifests=len(checked),
        **rows,
    )


def read_release(
    params: dict[str, Any], option: str, version_option: str, problems: Problems, other: Release | None = None
) -> LintSource:
    """Read the release that ``option`` names, with the version in ``version_option``. Raises ``CapabilityError``."""
    opened = open_release(params[option], release_source(params), problems, option)
    outputs = output_files(params)
    version, directory = params[version_option], opened.index_directory
    return read_source(opened.directory, version, directory, None, version_option, other, outputs)


NAMES = {"type": "list", "elements": "str", "default": []}
MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **release_image_spec(),
        **findings_spec(),
        "release": {"type": "path"},
        "checkout": {"type": "path"},
        "manifest_directories": {"type": "list", "elements": "str"},
        "operand_directories": {"type": "list", "elements": "str"},
        "base": {"type": "str"},
        "openshift_version": {"type": "str"},
        "previous_release": {"type": "path"},
        "previous_openshift_version": {"type": "str"},
        "known_capabilities": NAMES,
        "components": NAMES,
    },
    run,
    prepare=(check_outputs,),
    rules={
        "required_one_of": [("release", "checkout")],
        "mutually_exclusive": [("release", "checkout")],
        "required_by": {
            "base": "checkout",
            "manifest_directories": "checkout",
            "operand_directories": "checkout",
            "previous_openshift_version": "previous_release",
        },
    },
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
