# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module that reads a release in Ansible's worker process instead of a process for the module.

A process for the module takes 0.4 s of CPU before the module begins: Ansible packs the module, and Python starts and
imports it. A worker is a fork of a process that has already imported everything.

This requires that the module would have the same interpreter, environment, working directory and user, and that it
writes nothing. In all other cases, the module runs. It also runs if an argument is not valid or anything fails here, so
only the module reports errors.
"""

from __future__ import annotations

import contextlib
import json
import sys
from types import SimpleNamespace
from typing import Any

from ansible import constants as C
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.capability.openshift.plugins.action.release_apply import ActionModule as ModuleAction
from ansible_collections.capability.openshift.plugins.module_utils._files.files import enter_directory
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    Spec,
    check_paths,
    release_source,
    strip_items,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.result import warnings_of, with_problems
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.open_release import is_stored
from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests

_MODULES = {"release_info": release_info.MODULE, "release_manifests": release_manifests.MODULE}
"""None of their options is deprecated."""
_RELEASES = ("release", "previous_release")
"""Options that name a release."""
_WRITTEN = ("dest",)
"""Options with which a module writes files."""


class ActionModule(ModuleAction):
    _is_here = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        # A shortcut must not fail a task. The module reports what is wrong.
        with contextlib.suppress(Exception):
            self._is_here = self._module_would_run_here() and self._has_own_interpreter(task_vars or {})
        return super().run(tmp, task_vars)

    def _run_module(self, tmp: Any, task_vars: Any) -> dict[str, Any]:
        result = None
        if self._is_here:
            with contextlib.suppress(Exception):
                result = self._result_here(task_vars or {})
        if result is None:
            return super()._run_module(tmp, task_vars)
        self._display.vvv(f"Ran {self._task.action} without a process for the module")
        return result

    def _module_would_run_here(self) -> bool:
        task, connection = self._task, self._connection
        is_local = getattr(connection, "transport", "") == "local" and getattr(connection, "become", None) is None
        return is_local and not task.async_val and not any(task.environment or ())

    def _has_own_interpreter(self, task_vars: dict[str, Any]) -> bool:
        delegated = task_vars.get("ansible_delegated_vars") or {}
        given = delegated.get(self._task.delegate_to, task_vars).get("ansible_python_interpreter")
        # Links are not resolved: a virtual environment links to an interpreter that has other libraries.
        return bool(self._templar.template(given) == sys.executable)

    def _result_here(self, task_vars: dict[str, Any]) -> dict[str, Any] | None:
        definition = _MODULES[self._task.action.rpartition(".")[2]]
        params = _valid_params(self._task.args, definition.spec)
        if params is None or any(params.get(option) is not None for option in _WRITTEN):
            return None
        module: Any = SimpleNamespace(params=params, check_mode=self._task.check_mode, _diff=self._task.diff)
        found: dict[str, Any] = {"changed": False}
        problems = Problems()
        # The module has the working directory of the playbook.
        with contextlib.chdir(self._loader.get_basedir()):
            enter_directory(params)
            if not _are_stored(params):
                return None
            definition.run(module, found, problems)
        # What a module returns is JSON, without tuples.
        reported = problems.unique()
        result: dict[str, Any] = json.loads(json.dumps(with_problems(found, reported)))
        if warnings := warnings_of(reported):
            result["warnings"] = warnings
        if _shows_invocation(task_vars):
            result["invocation"] = {"module_args": params}
        return result


def _are_stored(params: dict[str, Any]) -> bool:
    # The module reads images: if a registry does not answer, it must not be tried twice.
    names = [params[option] for option in _RELEASES if params.get(option) is not None]
    return all(is_stored(name, release_source(params)) for name in names)


def _valid_params(args: dict[str, Any], spec: Spec) -> dict[str, Any] | None:
    """Convert ``args`` as the module does; ``None`` if it would warn or fail, or has to hide a secret in its result."""
    try:
        given: dict[str, Any] = json.loads(json.dumps(args))  # Arguments of a module are JSON, too.
    except (TypeError, ValueError):
        return None
    for name, option in spec.items():
        names = [given_name for given_name in (name, *option.get("aliases", ())) if given_name in given]
        if len(names) > 1 or (names and option.get("no_log")):
            return None
    checked = ArgumentSpecValidator(spec).validate(given)
    problems = Problems()
    strip_items(spec, checked.validated_parameters)
    check_paths(spec, checked.validated_parameters, problems)
    return None if checked.error_messages or problems else checked.validated_parameters


def _shows_invocation(task_vars: dict[str, Any]) -> bool:
    """Whether the result of a task contains its arguments."""
    # Modules always return it if ansible-core does not have this setting yet.
    name = "INJECT_INVOCATION"
    return not hasattr(C, name) or bool(C.config.get_config_value(name, variables=task_vars))
