#!/usr/bin/python
# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_arguments
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
short_description: Check the variables of a playbook of this collection, or show its help
description:
  - The first task of each playbook and of some roles of this collection. It declares what the playbook has besides the
    options of its module, and checks all variables before anything else happens.
  - The variables of a playbook are the options of its module, with the same names, O(variables), C(help), and
    C(target_hosts), the hosts of the inventory to run on, by default C(localhost). The playbook
    C(capability.openshift.release_apply) also has C(target_serial), how many hosts are one batch, and for an update
    C(fail_on) and C(forbidden_capabilities) of M(capability.openshift.update_plan).
  - A variable of a host, wherever it is set, is an error if it is null, if it is empty and must not be, if its type or
    value is wrong, or if its template fails, for example because it contains an undefined variable. The following tasks
    would otherwise use the default.
  - An extra variable (C(-e)) is an error if the playbook does not have it. If there is an inventory, or another
    playbook imports this one, the variable can belong to something else. It is then an error only if its name resembles
    one of the playbook, and a warning otherwise. Names that begin with C(ansible_), C(awx_) or C(tower_) are never
    reported.
  - If the extra variable C(help) is true, shows examples, the variables of the playbook and the options of its module
    instead.
  - If C(target_hosts) matches no host, the playbook runs on C(localhost), where this task fails.
  - If O(variables) contains C(allow_slice) and it is not true, fails in a slice of a job of AWX or Automation Platform,
    unless it runs on each host.
options:
  playbook:
    description:
      - Name of the playbook, without the collection. Required, unless O(prefix) is set.
    type: str
  module:
    description:
      - Module whose options are variables. By default, the one with the name of the playbook.
    type: str
  prefix:
    description:
      - Prefix of the variables, for a role. Help and hosts are not checked then. A variable with the prefix is an error
        if it is an option of the module that the role does not have, or a misspelled variable of the role.
    type: str
  description:
    description:
      - What the playbook does. By default, the short description of the module.
    type: str
  examples:
    description:
      - Arguments of C(ansible-playbook), for the help and the documentation.
    type: list
    elements: str
  variables:
    description:
      - Variables besides the options of the module, or that differ from them. A dict of names to dicts with C(type),
        C(elements), C(choices), C(default), C(required) and C(description), as in argument specs.
      - What is null is no variable. If it is an option of the module, each host is one of its items, and the module
        checks the variables with the names of its suboptions.
    type: dict
  cluster_variables:
    description:
      - Variables of which one must select the cluster of a host. Not needed for C(localhost). With O(prefix), needed if
        several hosts run the role on this machine, and neither C(module_defaults) nor C(environment) can select it.
        C(run_once) or a condition can select one host, so it is not needed with them.
    type: list
    elements: str
  required_by:
    description:
      - Names of variables, each with the one that it requires.
    type: dict
extends_documentation_fragment:
  - capability.openshift._attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
    details: Nothing is changed.
  idempotent:
    support: full
"""

EXAMPLES = r"""
- name: Check the variables of a playbook
  capability.openshift.validate_arguments:
    playbook: update_plan
    examples:
      - -e releases=/srv/releases/4.19.9,/srv/releases/4.20.3
    variables:
      ticket: {type: str, description: Number of the change.}
  register: checked

- name: Check the variables of a role
  capability.openshift.validate_arguments:
    module: release_apply
    prefix: release_apply_
"""

RETURN = r"""
help:
  description: Whether the help was shown, so that the play can end.
  returned: always
  type: bool
  sample: false
directory:
  description:
    - Directory that relative paths of variables start from, which is the variable C(chdir). If the modules run on this
      machine, it starts from the working directory of C(ansible-playbook). Empty for another machine without C(chdir).
  returned: unless the help was shown
  type: str
  sample: /home/alice/sites
check_mode:
  description: Whether the task runs in check mode. Unlike C(ansible_check_mode), also by the keyword C(check_mode).
  returned: always
  type: bool
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors and warnings about the variables.
  returned: always
  type: list
  elements: dict
"""
