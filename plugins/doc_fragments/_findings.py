# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that report findings: ``findings_spec`` in ``module_utils/_module/findings.py``."""

    DOCUMENTATION = r"""
options:
  baseline:
    description:
      - File with known findings. They are not reported again, and are no failure.
      - A finding is recognized by rule, path and resource, so it stays known if its line changes.
      - It must exist, unless O(update_baseline=true).
    type: path
  update_baseline:
    description:
      - Whether to write all findings to O(baseline). They are known from then on.
    type: bool
    default: false
  outputs:
    description:
      - Files to write the findings to, each as C(FORMAT:PATH), such as V(sarif:findings.sarif). The directories are
        created if necessary.
      - V(text) has one line per finding, and its hint below.
      - V(json) is one object for programs.
      - V(sarif) is SARIF 2.1.0, which code scanning services read. Known findings are suppressed results.
      - V(github) has workflow commands. GitHub Actions shows them as annotations if a step prints the file.
      - V(codequality) is the Code Quality report of GitLab, which merge requests show. It has no known findings.
      - V(markdown) is for a comment on a pull request. With the O(capability.openshift.release_lint#module:checkout) of
        an operator, it also lists all manifests, what a branch changes, and what the release has instead.
    type: list
    elements: str
    default: []
  relative_to:
    description:
      - Directory that the paths in findings are relative to, such as the root of the checkout. It must contain the
        checked directory. By default, it is the checked directory.
    type: path
  fail_on:
    description:
      - The least severity of a finding that is a failure, if O(baseline) does not contain it. All files are written
        first.
      - V(info) fails on notes, too. V(never) never fails because of a finding.
    type: str
    choices: [error, warning, info, never]
    default: error
"""
