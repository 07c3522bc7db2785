# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Runs a module from its options to its exit, and checks for Python libraries that it needs on its host in any case.

Other libraries are reported where they are imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn

from ansible.module_utils.basic import AnsibleModule

from .._files import enter_directory
from .._problems import CapabilityError, Problems, missing_library
from .result import fail, succeed

if TYPE_CHECKING:
    from .argspec import Spec


def run_module(
    spec: Spec,
    run: Callable[[AnsibleModule, dict[str, Any], Problems], None],
    *prepare: Callable[[AnsibleModule], None],
    **rules: Any,
) -> NoReturn:
    """Run a module with the options ``spec``, and exit.

    ``run`` fills the result and collects problems, and may raise ``CapabilityError``: the module then fails, with what
    the result has until then. Each of ``prepare`` is called before the module enters the directory of ``chdir``.
    ``rules`` are those of ``AnsibleModule`` for combinations of options.
    """
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True, **rules)
    require_yaml(module)
    for step in prepare:
        step(module)
    result: dict[str, Any] = {"changed": False}
    problems = Problems()
    try:
        if "chdir" in spec:
            enter_directory(module.params)
        run(module, result, problems)
    except CapabilityError as error:
        fail(module, error, **result)
    succeed(module, result, problems.unique())


def require_yaml(module: AnsibleModule) -> None:
    """Fail the module if PyYAML is missing. It is not imported here, because importing is slow."""
    _require(module, "yaml", "PyYAML")


def require_jinja2(module: AnsibleModule) -> None:
    """Fail the module if Jinja2 is missing."""
    _require(module, "jinja2", "Jinja2")


def require_urllib3(module: AnsibleModule) -> None:
    """Fail the module if urllib3 is missing."""
    _require(module, "urllib3", "urllib3")


def _require(module: AnsibleModule, package: str, library: str) -> None:
    if find_spec(package) is None:
        fail(module, CapabilityError([missing_library(library)]))
