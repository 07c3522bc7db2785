# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names the Python that the collection needs, where an older one would end with a traceback.

A module cannot do that itself: Python 3.6 already rejects its first line, and 3.10 one of its imports. So the action
plugin asks the host for its version, but only after the module has ended without a result.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ansible.errors import AnsibleError

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, problem_dicts

if TYPE_CHECKING:
    from ansible.plugins.action.normal import ActionModule as NormalAction

_OLDEST = (3, 11)
_FACTS = {"gather_subset": ["!all", "!min", "python"]}


def require_python() -> None:
    """Raise ``AnsibleError`` if the Python that runs Ansible is too old."""
    if sys.version_info[:2] < _OLDEST:
        raise AnsibleError(str(_problem(sys.executable, sys.version_info[:2], "Install ansible-core for a newer one")))


def explain_old_python(action: NormalAction, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
    """Return ``result``, or one sentence if the Python of the host is too old for the module.

    A module always returns ``problems``, unless Ansible rejects its arguments, or Python the module.
    """
    if not result.get("failed") or "problems" in result:
        return result
    facts = action._execute_module("ansible.legacy.setup", _FACTS, task_vars=task_vars)
    python = facts.get("ansible_facts", {}).get("ansible_python")
    version = (python["version"]["major"], python["version"]["minor"]) if python else _OLDEST
    if python is None or version >= _OLDEST:
        return result
    problem = _problem(python["executable"], version, "Set ansible_python_interpreter to a newer one")
    return {"failed": True, "changed": False, "msg": str(problem), "problems": problem_dicts([problem])}


def _problem(executable: str, version: tuple[int, ...], hint: str) -> Problem:
    shown, oldest = (".".join(map(str, item)) for item in (version, _OLDEST))
    message = f"{executable} is Python {shown}, and the collection needs Python {oldest} or newer"
    return Problem("error", "old-python", "", message, hint)
