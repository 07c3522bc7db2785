# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the variables of a playbook of this collection, or shows its help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ansible import context
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.vars import load_extra_vars

from ansible_collections.capability.openshift.plugins.module_utils._module.result import (
    error_text,
    problem_dicts,
    warnings_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._imported_playbooks import imported_playbooks
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    HELP,
    check_names,
    check_required,
    check_values,
    help_text,
    read_spec,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._python import require_python


class ActionModule(ActionBase):
    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        require_python()
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        options = {"playbook": {"type": "str", "required": True}}
        _validation, arguments = self.validate_argument_spec(options)  # type: ignore[no-untyped-call]
        spec = read_spec(arguments["playbook"])
        extra_vars = untag(load_extra_vars(self._loader))
        if boolean(extra_vars.get(HELP, False), strict=False):
            if variables.get("inventory_hostname") == variables.get("ansible_play_hosts_all", [None])[0]:
                self._display.display(f"\n{help_text(spec)}\n")
            return {**result, "changed": False, "help": True, "problems": []}
        problems = Problems()
        has_other_variables = bool(variables.get("groups", {}).get("all")) or not _is_started(spec.name)
        others = self._playbooks()
        check_names(spec, extra_vars, problems, has_other_variables=has_other_variables, others=others)
        values = {name: value for name, value in extra_vars.items() if not self._templar.is_template(value)}
        check_values(spec, values, problems)
        check_required(spec, variables, problems)
        result |= {"changed": False, "help": False, "problems": problem_dicts(problems)}
        result["warnings"] = warnings_of(problems)
        if problems.has_errors:
            result |= {"failed": True, "msg": error_text(InvalidOptionError(problems))}
        return result

    def _playbooks(self) -> Iterator[str]:
        # Only an unknown name needs them, and each host would read their files.
        yield from imported_playbooks(_arguments(), self._loader.load_from_file)


def _is_started(playbook: str) -> bool:
    """Whether the user started this playbook, rather than another one that imports it."""
    names = (Path(name).name for name in _arguments())
    return any(name in (f"{playbook}.yml", f"capability.openshift.{playbook}") for name in names)


def _arguments() -> Sequence[str]:
    return context.CLIARGS.get("args") or ()
