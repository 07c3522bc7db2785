# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entry of a host in the option ``clusters`` of the module ``install_config``, from the variables of the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    check_prefixes,
    check_values,
    read_values,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import declared_playbook


def cluster_entry(prefix: str, given: Mapping[str, Any], template: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the entry of the host, or a row with its errors.

    ``prefix`` begins the names of the variables in ``given``, and ``template`` resolves the templates of a value.
    """
    problems = Problems()
    playbook = declared_playbook({"playbook": "install_config", "prefix": prefix, "variables": {"clusters": None}})
    names = {prefix + option: option for option in playbook.of_each_host if option != "name"}
    values = read_values(names, given, template, problems)
    check_values(playbook, values, (), problems)
    if not prefix:
        check_prefixes(playbook, names.values(), given, problems)
    host = given["inventory_hostname"]
    if problems.has_errors:
        errors = [str(problem) for problem in problems]
        return {"name": host, "path": None, "differs": False, "selection": None, "errors": errors}
    entry = {option: values[name] for name, option in names.items() if name in values}
    if entry.get("install_method") == "hosted":
        entry.pop("path", None)  # a hosted cluster has no install-config
    else:
        entry.setdefault("path", f"clusters/{host}/install-config.yaml")
    return {"name": host, **entry}
