# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules run as Ansible runs them: arguments in, the JSON that they print out.

Where Ansible is not installed, because the wheel of the command is tested, the command runs them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import check_rules
from ansible_collections.capability.openshift.plugins.module_utils._module.main import ModuleDefinition, run_module
from ansible_collections.capability.openshift.plugins.module_utils._module.result import error_text
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    InvalidOptionError,
    Location,
    Problems,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._command.options import checked_options
from ansible_collections.capability.openshift.plugins.plugin_utils._command.running import CommandModule
from ansible_collections.capability.openshift.tests.unit.result_schemas import check_result

try:
    from ansible.module_utils import basic
except ImportError:
    basic = None  # type: ignore[assignment]

MODULES = "ansible_collections.capability.openshift.plugins.modules"


@dataclass(frozen=True)
class Outcome:
    """What a module printed."""

    result: dict[str, Any]
    failed: bool

    def __getitem__(self, key: str) -> Any:
        return self.result[key]

    @property
    def message(self) -> str:
        """The error of a module that failed."""
        assert self.failed, self.result
        return str(self.result["msg"])

    @property
    def errors(self) -> list[dict[str, str]]:
        """The errors of a module that failed. Its message must contain all of them."""
        assert self.failed, self.result
        errors = [item for item in self.result["problems"] if item["severity"] == "error"]
        for item in errors:
            assert item["where"] in self.message
            assert item["message"] in self.message
            assert item["hint"] in self.message
        return errors

    @property
    def faults(self) -> list[tuple[str, str]]:
        """Code and location of each error."""
        return [(item["code"], item["where"]) for item in self.errors]

    def problem(self, part: str) -> dict[str, str]:
        """Return the one problem with the code ``part``, or with ``part`` in its location or message."""
        (only,) = [
            item
            for item in self.result["problems"]
            if part == item["code"] or part in item["where"] or part in item["message"]
        ]
        return dict(only)


Call = Callable[..., Outcome]


@contextmanager
def _arguments(values: dict[str, Any]) -> Iterator[None]:
    try:
        from ansible.module_utils.testing import patch_module_args
    except ImportError:  # ansible-core 2.18 and earlier
        # Ansible, too, makes a text of a date, which YAML makes of one that is not quoted.
        arguments = json.dumps({"ANSIBLE_MODULE_ARGS": values}, default=str)
        setattr(basic, "_ANSIBLE_ARGS", arguments.encode())  # noqa: B010
        yield
        setattr(basic, "_ANSIBLE_ARGS", None)  # noqa: B010
    else:
        with patch_module_args(values):
            yield


def _run(module: Any, values: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    main = getattr(module, "main", None) or partial(run_module, module.MODULE)
    with _arguments(values), pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert "Traceback" not in printed.out + printed.err
    result: dict[str, Any] = json.loads(printed.out)
    assert bool(ended.value.code) == result.get("failed", False)
    # From ansible-core 2.22 on, the control node takes the secrets out of the result, and masks them.
    result.pop("_ansible_new_secrets", None)
    return result


def _run_without_ansible(definition: ModuleDefinition, values: dict[str, Any]) -> dict[str, Any]:
    check_mode, diff = values.pop("_ansible_check_mode"), values.pop("_ansible_diff")
    problems = Problems()
    params = checked_options(values, definition.spec, lambda name: Location(field=name), problems)
    check_rules(params, definition.rules, lambda name: Location(field=name), problems)
    try:
        problems.raise_errors(InvalidOptionError)
    except CapabilityError as error:
        return {"failed": True, "msg": error_text(error)}
    return CommandModule(params, definition.spec, check_mode=check_mode, diff=diff).run(definition)


def caller(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that runs ``module`` with ``options`` and returns its outcome, if it is as documented."""

    def call(module: Any, *, check: bool = False, diff: bool = False, **options: Any) -> Outcome:
        values = {
            **{name: str(value) if hasattr(value, "__fspath__") else value for name, value in options.items()},
            "_ansible_check_mode": check,
            "_ansible_diff": diff,
        }
        # A module changes only the directory of its process.
        with chdir(Path.cwd()):
            result = _run_without_ansible(module.MODULE, values) if basic is None else _run(module, values, capsys)
        # A stand-in for a module, or one of another collection, has no schema here.
        package, _dot, name = getattr(module, "__name__", "").rpartition(".")
        if package == MODULES:
            check_result(name, result)
        return Outcome(result, result.get("failed", False))

    return call
