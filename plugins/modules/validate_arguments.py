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
  - Checks the names, types and choices of extra variables (C(-e)) against the argument spec of a playbook, before its
    first task. Each playbook of this collection calls it.
  - If the extra variable C(help) is true, shows the variables and examples of the playbook instead.
  - An extra variable is an error if the playbook and its roles do not have it. If there is an inventory, or another
    playbook imports this one, the variable can belong to something else. It is then an error only if its name resembles
    one of the playbook, and a warning otherwise.
  - Names that begin with C(ansible_), C(awx_) or C(tower_) are never reported.
  - Variables of the inventory are not checked here. The modules check their values.
options:
  playbook:
    description:
      - Name of the playbook, without the collection.
    type: str
    required: true
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
- name: Check the variables of update_plan
  capability.openshift.validate_arguments:
    playbook: update_plan
"""

RETURN = r"""
help:
  description: Whether the help was shown, so that the play can end.
  returned: always
  type: bool
  sample: false
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors and warnings about the variables.
  returned: always
  type: list
  elements: dict
"""
