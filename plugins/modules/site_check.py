#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: site_check
short_description: Check and correct the selections of capabilities in a Git checkout
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Finds the selections of capabilities in a Git repository of sites, and checks each with all rules for the version
    and platform of its site. Most selections are JSON in a string, whose content the API server does not check.
  - It reads C(installConfigOverrides) of C(ClusterInstance) and C(SiteConfig), the annotation
    C(agent-install.openshift.io/install-config-overrides) of C(AgentClusterInstall), C(spec.capabilities) of
    C(HostedCluster), and C(install-config.yaml). It reads C(spec.capabilities) of a C(ClusterVersion), also in ACM
    Policies, Lists and ManifestWorks.
  - It reports forms that have no effect, or enable what they should disable, such as a string that is
    not JSON, a selection in the wrong place, misspelled fields, and lists of names to exclude.
  - It lists templates of Helm and Jinja, Kustomizations, and selections in other texts, but does not check them. Render
    them first.
  - With O(state=fixed), it corrects selections in place. Every other byte of a file stays the same, also in
    the JSON.
  - It needs no cluster, and no network unless O(releases) names images.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
  - capability.openshift._findings
  - capability.openshift._release_image
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
  idempotent:
    support: full
  diff_mode:
    support: full
    details:
      - The diff is the edit of each file, as a unified diff that C(git apply --unidiff-zero) accepts.
      - It has no context, because the rest of a file may contain secrets. A line that contains other values than the
        selection is shown without them, and the diff says so. C(git apply) rejects such a part, and without C(--reject)
        the whole diff.
options:
  checkout:
    description:
      - Directory of the checkout. Paths in findings are relative to it. Files outside of it are neither read nor
        written, even if a symbolic link in it points to them.
    type: path
    required: true
  paths:
    description:
      - Directories, files and globs below O(checkout) to check. V(**) in a glob matches any number of directories.
      - Only files whose name is C(Kustomization) or ends in C(.yaml), C(.yml) or C(.json) are read, but not
        O(baseline) and O(outputs). What Git ignores, such as a virtual environment, is read only if a path names it.
    type: list
    elements: str
    default: ['.']
  state:
    description:
      - V(checked) only reports findings. V(fixed) also corrects what it can.
      - Without O(capabilities) and O(solution), V(fixed) corrects selections with errors. It corrects the case of names
        and of sets, removes names that the version of the site does not have, adds names that a rule requires, and
        replaces a list of exclusions of an installation with the names that stay enabled. Errors that need your
        decision remain.
      - In check mode, V(fixed) reports the findings in the files as they are, and how many files it would correct. It
        fails because of these findings, as C(black --check) does. With O(update_baseline), what remains is known.
      - It does not change a C(HostedCluster). The API server rejects a change of its lists after the installation.
      - Use V(fixed) only for sites that are still to be installed. A file does not show whether its cluster is
        installed. From then on, its selection has no effect, and the siteconfig operator rejects a changed
        C(ClusterInstance).
    type: str
    choices: [checked, fixed]
    default: checked
  capabilities:
    description:
      - Selection that each site must have, as in M(capability.openshift.install_config). A site with another selection
        is an error, which O(state=fixed) corrects if the site is to be installed. Other overrides of a site are kept.
      - C(HostedCluster) and C(ClusterVersion) are only compared. The API server rejects such a change of an existing
        C(HostedCluster), and a cluster disables nothing. The hint contains the selection to write. A C(ClusterVersion)
        without C(spec.capabilities) is not compared.
    type: dict
  solution:
    description:
      - Name of a solution that each site must have, as in M(capability.openshift.install_config). It results in the
        right names for the version of each site.
      - A C(ClusterVersion) is not compared with a solution, because the names depend on the platform.
      - Mutually exclusive with O(capabilities).
    type: str
  openshift_version:
    description:
      - Version of sites whose version is not known otherwise, such as V(4.20).
      - Quote it in YAML, which reads C(4.20) as the number 4.2.
      - A version that this collection does not know needs a release of it in O(releases).
    type: str
  openshift_versions:
    description:
      - Maps globs to versions. A glob matches the name of a site, the path of its file, or the name or the release
        image of its C(ClusterImageSet). The first glob that matches applies, and takes precedence over versions in the
        checkout. A glob that matches no site is a warning.
      - Without a match, the version is the tag of C(releaseImage) of the site or of its C(ClusterImageSet) in the
        checkout, a version in the name of the C(ClusterImageSet), or O(openshift_version).
    type: dict
  releases:
    description:
      - Releases, each a directory or an image, as in M(capability.openshift.release_info). A site is checked with the
        release of its version, or else of its minor version. Names, sets and feature gates are then those of the
        release, and references to manifests that the selection excludes are findings.
      - Extra manifests of the site can create what is excluded. They are read from ConfigMaps, Kustomizations and
        directories in O(checkout), also outside of O(paths), and checked with the rules of
        M(capability.openshift.addon_check) for the selection of the site.
    type: list
    elements: path
    default: []
  install_method:
    description:
      - Install method of C(install-config.yaml) files, as in M(capability.openshift.install_config). Other objects
        imply it. By default, it is V(agent) next to a file C(agent-config.yaml), otherwise the method of the platform.
    type: str
    choices: [ipi, upi, agent, assisted]
seealso:
  - module: capability.openshift.install_config
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Check all sites of an Argo CD repository in CI
  capability.openshift.site_check:
    checkout: "{{ lookup('ansible.builtin.env', 'CI_PROJECT_DIR') }}"
    paths: [clusters, "policies/**/*.yaml"]
    outputs: [codequality:report/sites.json, sarif:report/sites.sarif]

- name: Correct what can be corrected, and show it first
  capability.openshift.site_check:
    checkout: /srv/sites
    state: fixed
  check_mode: true
  diff: true

- name: Write the selection of the telco RAN DU reference for the version of each site
  capability.openshift.site_check:
    checkout: /srv/sites
    state: fixed
    solution: ran_du
    openshift_versions:
      img-edge-stable: "4.20.3"
      "lab/*": "4.21"

- name: Accept what is wrong today, and fail on anything new
  capability.openshift.site_check:
    checkout: /srv/sites
    baseline: /srv/sites/.capability-baseline.json
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
"""

RETURN = r"""
sites:
  description: All sites, by path.
  returned: always, unless an option is invalid
  type: list
  elements: dict
  contains:
    name:
      description: Name of the cluster.
      type: str
      returned: always
      sample: berlin
    kind:
      description: Kind of the object, or C(install-config).
      type: str
      returned: always
      sample: ClusterInstance
    path:
      description: File, relative to O(checkout).
      type: str
      returned: always
    line:
      description: Line of the selection, or of the object without one.
      type: int
      returned: always
    openshift_version:
      description: Version of the site, V(null) if it is not known.
      type: str
      returned: always
      sample: 4.20.3
    version_source:
      description: Where the version comes from. Empty if it is not known.
      type: str
      returned: always
      sample: name of ClusterImageSet img4.20.3-x86-64-appsub
    platform:
      description: Platform of the site, V(null) if it is not known.
      type: str
      returned: always
      sample: none
    capabilities:
      description: The selection. Empty if there is none, which is the cluster default, or if it cannot be read.
      type: dict
      returned: always
    enabled_capabilities:
      description: Enabled capabilities, sorted. V(null) if they are not known, or if an object other than an
        install-config selects nothing.
      type: list
      elements: str
      returned: always
    fixed:
      description: Whether the selection was corrected, or would be in check mode.
      type: bool
      returned: always
files:
  description: Number of files that were read.
  returned: always, unless an option is invalid
  type: int
fixed_files:
  description: Files that were changed, or would be in check mode, relative to O(checkout).
  returned: always, unless an option is invalid
  type: list
  elements: str
findings:
  description:
    - As RV(capability.openshift.release_lint#module:findings).
    - With O(state=fixed), those that remain. In check mode, those in the files as they are.
  returned: always, unless an option is invalid
  type: list
  elements: dict
counts:
  description: As RV(capability.openshift.release_lint#module:counts).
  returned: always, unless an option is invalid
  type: dict
  sample: {error: 2, warning: 1, info: 0}
baselined:
  description: Number of findings in O(baseline).
  returned: always, unless an option is invalid
  type: int
text:
  description:
    - The findings as text, in the format V(text). The last line has their number, and what was not checked.
  returned: always, unless an option is invalid
  type: str
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Problems of the options and of the releases.
  returned: always
  type: list
  elements: dict
"""

from collections.abc import Iterator
from typing import Any

from ..module_utils._files.files import absolute
from ..module_utils._install_config.selection_source import SelectionOptions
from ..module_utils._module.argspec import chdir_spec, release_image_spec, release_source
from ..module_utils._module.findings import check_outputs, findings_spec, finish_check, output_files
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._module.progress import show_progress
from ..module_utils._module.untag import untag
from ..module_utils._problems import DestinationError, InvalidOptionError, Problem, Problems
from ..module_utils._release.directory import METADATA
from ..module_utils._release.loader import problems_for_users
from ..module_utils._release.release import Release
from ..module_utils._release_image.open_release import open_release
from ..module_utils._sites.fix import write_files
from ..module_utils._sites.rules import site_rules
from ..module_utils._sites.run import SitesOptions, check_sites, read_selection

METHODS = ["ipi", "upi", "agent", "assisted"]


def run(module: Module, outcome: dict[str, Any], problems: Problems) -> None:
    """Check the sites, and exit. Raises ``CapabilityError``."""
    params = untag(module.params)
    options = SitesOptions(
        absolute(params["checkout"]),
        tuple(params["paths"]),
        params["openshift_version"],
        params["openshift_versions"] or {},
        params["install_method"],
        fix=params["state"] == "fixed",
        # The baseline would get what remains.
        is_dry_run=module.check_mode and not params["update_baseline"],
        with_patch=module._diff,
        outputs=output_files(params),
    )
    desired = read_selection(options, selection_options(params), has_releases=bool(params["releases"]))
    releases = tuple(load_releases(params, problems))
    result = check_sites(options, desired, releases, show_progress)

    def write() -> None:
        left = set[str]()
        try:
            write_files(result.fixed, check_mode=module.check_mode)
        except DestinationError as error:
            left = {problem.where.source for problem in error.problems}
            raise
        finally:
            # An output that cannot be written later does not undo it.
            written = [file.path for file in result.fixed if file.path not in left]
            outcome.update(changed=bool(written), fixed_files=written)

    finish_check(
        module,
        "site_check",
        options.checkout,
        site_rules(),
        result.findings,
        Problems((*problems, *result.problems)),
        write=write,
        scope=(len(result.sites), "site"),
        unchecked=result.unchecked,
        changed=bool(result.fixed),
        diff=[{"prepared": file.patch} for file in result.fixed if file.patch],
        sites=[site.as_dict() for site in result.sites],
        files=result.files,
        fixed_files=[file.path for file in result.fixed],
    )


def load_releases(params: dict[str, Any], problems: Problems) -> Iterator[Release]:
    """Yield the releases of the option. Raises ``CapabilityError``."""
    for index, name in enumerate(params["releases"]):
        where, found = f"releases[{index}]", Problems()
        release = open_release(name, release_source(params), problems, where).load(found)
        if release.minor is None:
            message, hint = f"is {name}, which lacks {METADATA} with its version", "Name a release with this file"
            raise InvalidOptionError([Problem("error", "missing-version", where, message, hint)])
        problems += problems_for_users(found)
        yield release


def selection_options(params: dict[str, Any]) -> SelectionOptions | None:
    """The selection that the options request of each site."""
    options = SelectionOptions.from_params(params)
    return options if options.is_given else None


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        "checkout": {"type": "path", "required": True},
        "paths": {"type": "list", "elements": "str", "default": ["."]},
        "state": {"type": "str", "choices": ["checked", "fixed"], "default": "checked"},
        "capabilities": {"type": "dict"},
        "solution": {"type": "str"},
        "openshift_version": {"type": "str"},
        "openshift_versions": {"type": "dict"},
        "releases": {"type": "list", "elements": "path", "default": []},
        "install_method": {"type": "str", "choices": METHODS},
        **release_image_spec(),
        **findings_spec(),
    },
    run,
    prepare=(check_outputs,),
    rules={"mutually_exclusive": [("capabilities", "solution")]},
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
