# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Action plugins that may run in Ansible's worker, with a module that only reports that it was started."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ansible.plugins.action.normal import ActionModule as NormalAction

from ansible_collections.capability.openshift.plugins.action.release_manifests import ActionModule
from ansible_collections.capability.openshift.tests.unit.result_schemas import check_result

if TYPE_CHECKING:
    import pytest

MODULE = {"changed": False, "from": "the module"}


class ActionTask:
    """A task of a playbook in ``folder``, with the module ``name``.

    ``changes`` are attributes of the task and of its connection. ``variables`` are those of the host. By default, its
    interpreter is that of Ansible.
    """

    def __init__(self, name: str, folder: Path, **changes: Any) -> None:
        self.options = {"async_val": 0, "environment": [], "check_mode": False, "diff": False, "delegate_to": None}
        self.options["module_defaults"] = []
        self.options |= changes
        self.variables = self.options.pop("variables", {"ansible_python_interpreter": sys.executable})
        self.connection: dict[str, Any] = {"transport": "local", "become": None}
        self.connection |= {name: self.options.pop(name) for name in self.connection if name in self.options}
        self.name, self.folder = name, folder

    def run(self, monkeypatch: pytest.MonkeyPatch, **args: Any) -> dict[str, Any]:
        """Run the action with ``args``. The result is ``MODULE`` if it starts the module, else that of the module."""
        monkeypatch.setattr(NormalAction, "run", lambda action, tmp, task_vars: dict(MODULE))
        task = SimpleNamespace(action=f"capability.openshift.{self.name}", args=args, **self.options)
        loader = SimpleNamespace(get_basedir=lambda: str(self.folder))
        templar = SimpleNamespace(template=lambda value: value)
        parts: Any = (task, SimpleNamespace(**self.connection), None, loader, templar, None)
        result = dict(ActionModule(*parts).run(None, self.variables))
        if result != MODULE:
            check_result(self.name, result)
        return result
