# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Attributes that every module documents."""

    DOCUMENTATION = r"""
options: {}
requirements:
  - python >= 3.11
attributes:
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
  diff_mode:
    description:
      - Will return details on what has changed, or would change in C(check_mode), when in diff mode.
  idempotent:
    description: A second run with the same input changes nothing.
"""

    ACTIONGROUP = r"""
options: {}
attributes:
  action_group:
    description: Use C(group/capability.openshift.openshift) in C(module_defaults) to set defaults for this module.
    support: full
    membership:
      - capability.openshift.openshift
"""

    ACTIONGROUP_CLUSTER = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/capability.openshift.cluster) in C(module_defaults) to set the connection options of all modules
        that connect to a cluster, and C(group/capability.openshift.openshift) for options that all modules have.
    support: full
    membership:
      - capability.openshift.cluster
      - capability.openshift.openshift
"""

    IN_WORKER = r"""
options: {}
notes:
  - Ansible runs this module in a worker process, and starts no process for it, if the module writes nothing, all
    options are valid, O(pull_secret) is not set, the release is a directory or is in O(release_cache), the connection
    is P(ansible.builtin.local#connection), C(ansible_python_interpreter) is C(ansible_playbook_python), and the task
    has no C(become), C(async) or C(environment). The result is the same, and takes a fifth of the CPU time.
"""

    PLAYBOOK = r"""
options: {}
notes:
  - Playbooks of this collection run this module. The options are their variables, with the same names. Each one also
    has C(help), and most have C(target_hosts), the hosts of the inventory. Those that write files for all clusters have
    C(allow_slice), for slices of a job. C(ansible-playbook capability.openshift.NAME -e help=true) shows them.
"""

    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This action does not modify state.
  diff_mode:
    support: N/A
    details:
      - This action does not modify state.
  idempotent:
    support: full
    details:
      - This action does not modify state.
"""
