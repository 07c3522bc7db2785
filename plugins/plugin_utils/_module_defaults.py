# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gives an option that a task omits the value that ``module_defaults`` has for it.

A task with ``kubeconfig: "{{ omit }}"``, as in each role, has no kubeconfig for Ansible, whatever ``module_defaults``
contains. It would then use the current context of kubectl, which can be another cluster.

``update_plan`` is excepted: without a kubeconfig it asks no cluster, and its playbook omits it to plan like that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ansible.executor import module_common

if TYPE_CHECKING:
    from ansible.plugins.action.normal import ActionModule as NormalAction


def apply_module_defaults(action: NormalAction, task_vars: Mapping[str, Any] | None) -> None:
    """Add the ``module_defaults`` of the options that the arguments of a task do not contain."""
    task: Any = action._task
    module = task.action.rpartition(".")[2]
    if not task.module_defaults or module == "update_plan":
        return
    name = f"capability.openshift.{module}"
    # Private parts of Ansible. The action plugins gather_facts, package and service use the same.
    # Source: ansible/ansible:lib/ansible/executor/module_common.py, 2.19 to 2.21, and 2.16 to 2.18.
    helpers: Any = module_common
    if hasattr(helpers, "_apply_action_arg_defaults"):
        task.args = helpers._apply_action_arg_defaults(name, task, task.args, action._templar)
        return
    groups = task._parent._play._action_groups
    args = helpers.get_action_args_with_defaults(
        name, task.args, task.module_defaults, action._templar, action_groups=groups
    )
    omit = (task_vars or {}).get("omit")
    task.args = {option: value for option, value in args.items() if value != omit}
