# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module of the same name. Converts ``hosts`` of the inventory to ``clusters`` before.

The variables of a host are resolved as in a task of that host: with the defaults and variables of the role, the
variables of the play, and extra variables. One process does this for all hosts, instead of one process for each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible.template import Templar
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._progress import with_progress
from ansible_collections.capability.openshift.plugins.plugin_utils._module_defaults import apply_module_defaults
from ansible_collections.capability.openshift.plugins.plugin_utils._progress import shown_progress
from ansible_collections.capability.openshift.plugins.plugin_utils._python import explain_old_python, require_python
from ansible_collections.capability.openshift.plugins.plugin_utils._verbosity import hide_long_result

_HIDDEN = "cannot be shown, because it can contain secrets"


class ActionModule(NormalAction):
    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        require_python()
        apply_module_defaults(self, task_vars)
        args = self._task.args
        run: Callable[..., dict[str, Any]] = super().run
        with shown_progress(self, task_vars) as progress:
            if args.get("hosts") is not None:
                names = {
                    option: untag(args.get(option)) for option in ("hosts", "host_variable", "host_error_variable")
                }
                fault = _fault(names, args, task_vars or {})
                if fault:
                    return {"failed": True, "msg": fault}
                hosts = with_progress(names["hosts"], "hosts", progress)
                clusters = [self._entry(host, names, task_vars) for host in hosts]
                self._task.args = {**{name: args[name] for name in args if name not in names}, "clusters": clusters}
            try:
                result = explain_old_python(self, run(tmp, task_vars), task_vars)
                return hide_long_result(result, self._display.verbosity)
            finally:
                self._task.args = args

    def _entry(self, host: str, names: Mapping[str, Any], task_vars: Mapping[str, Any]) -> Any:
        variables = self._variables(host, task_vars)
        try:
            value = untag(self._resolved(names["host_variable"], variables))
            entry = json.loads(value) if isinstance(value, str) else value
        except (AnsibleError, ValueError) as error:
            return {"name": host, "error": self._error(str(error), names["host_error_variable"], variables)}
        # A template cannot omit an option, so it is null.
        return {name: item for name, item in entry.items() if item is not None} if isinstance(entry, dict) else entry

    def _error(self, message: str, name: str | None, variables: dict[str, Any]) -> str:
        """Return the message of a failed template without the secrets that it can contain."""
        if name is None:
            return f"the error {_HIDDEN}"
        # Before ansible-core 2.19, a template in the message would be resolved again.
        failed = {"msg": wrap_var(message)}
        try:
            return str(untag(self._resolved(name, {**variables, "ansible_failed_result": failed})))
        except AnsibleError:
            return f"the error {_HIDDEN}"

    def _resolved(self, name: str, variables: dict[str, Any]) -> Any:
        if name not in variables:
            raise AnsibleError(f"'{name}' is undefined")
        # In a list: a value that is a single template can otherwise be an undefined value, without an error.
        return Templar(loader=self._loader, variables=variables).template([variables[name]])[0]

    def _variables(self, host: str, task_vars: Mapping[str, Any]) -> dict[str, Any]:
        hostvars, block = task_vars["hostvars"], self._task._parent
        if block is None:
            raise AssertionError("a task is in a block, and a block in a play")
        # Private parts of Ansible. There is no other way to the variables of a role for another host.
        # Source: ansible/ansible:lib/ansible/plugins/strategy/__init__.py, 2.16 to 2.21.
        variables: dict[str, Any] = hostvars._variable_manager.get_vars(
            play=block._play, host=hostvars._inventory.get_host(host), task=self._task
        )
        return variables


def _fault(names: Mapping[str, Any], args: Mapping[str, Any], task_vars: Mapping[str, Any]) -> str:
    """Return what is wrong with the options about hosts; empty if nothing is."""
    hosts = names["hosts"]
    if not isinstance(hosts, Sequence) or isinstance(hosts, str):
        return "hosts: is not a list, expected names of hosts. Set it to ansible_play_hosts_all"
    if args.get("clusters") is not None:
        return "hosts: cannot be combined with clusters. Remove one of them"
    if not isinstance(names["host_variable"], str):
        return "host_variable: is missing, expected the name of a variable. Set it to the variable with an entry"
    unknown = [host for host in hosts if host not in task_vars["hostvars"]]
    if unknown:
        return f"hosts: {', '.join(map(str, unknown))} is not in the inventory. Remove it, or add it to the inventory"
    return ""
