# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module is, as a value, how it runs, and how it ends if a library is missing.

Other libraries are reported where they are imported.
"""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from threading import Thread
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from .._files.files import enter_directory
from .._problems import CapabilityError, InvalidOptionError, Problems, missing_library
from .argspec import Spec, check_paths, strip_items
from .interface import Module
from .result import fail, succeed

_STDOUT = 1


class ModuleDefinition(NamedTuple):
    """A module: its options ``spec``, and what it does.

    ``run`` fills the result and collects problems, and may raise ``CapabilityError``: the module then fails, with what
    the result has until then. Each of ``prepare`` is called before that, and before the module enters the directory of
    ``chdir``, which ``run`` does itself if ``enters_directory``. ``rules`` are the rules of ``AnsibleModule`` for
    combinations of options.
    """

    spec: Spec
    run: Callable[[Module, dict[str, Any], Problems], None]
    prepare: tuple[Callable[[Module], None], ...] = ()
    rules: Mapping[str, Any] = MappingProxyType({})
    enters_directory: bool = False


def run_module(definition: ModuleDefinition) -> NoReturn:
    """Run a module as Ansible does, and exit."""
    # Imported here, so that definitions need no Ansible.
    from ansible.module_utils.basic import AnsibleModule

    module = AnsibleModule(argument_spec=definition.spec, supports_check_mode=True, **definition.rules)
    run_definition(definition, module)


def run_definition(definition: ModuleDefinition, module: Module) -> NoReturn:
    """Run ``module``, whose options are valid, and end it."""
    require_library(module, "yaml", "PyYAML")
    result: dict[str, Any] = {"changed": False}
    problems = Problems()
    try:
        for step in definition.prepare:
            step(module)
        strip_items(definition.spec, module.params)
        check_paths(definition.spec, module.params, problems)
        problems.raise_errors(InvalidOptionError)
        if "chdir" in definition.spec and not definition.enters_directory:
            enter_directory(module.params)
        definition.run(module, result, problems)
    except CapabilityError as error:
        fail(module, error, **result)
    succeed(module, result, problems.unique())


def require_library(module: Module, package: str, library: str) -> None:
    """Fail the module if ``library`` is missing. ``package`` is not imported here, because importing is slow."""
    if find_spec(package) is None:
        fail(module, CapabilityError([missing_library(library)]))


def end_without_reader() -> None:
    """End this process as soon as its standard output has no reader.

    If Ansible is killed, its modules continue: a worker and its modules have their own session, which does not get the
    signal (ansible/ansible:lib/ansible/executor/process/worker.py _detach). The next run would then find that another
    one writes to the cluster. Only a pipe or a socket has a reader, so a terminal or a file changes nothing.
    """
    mode = os.fstat(_STDOUT).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        Thread(target=_wait_for_reader_to_end, daemon=True).start()


def _wait_for_reader_to_end() -> None:
    poll = select.poll()
    poll.register(_STDOUT, 0)  # POLLERR and POLLHUP are always reported.
    if any(event & (select.POLLERR | select.POLLHUP) for _file, event in poll.poll()):
        os._exit(1)
