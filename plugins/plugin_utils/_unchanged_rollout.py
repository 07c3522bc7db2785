# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this plugin util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds out in Ansible's worker process that a rollout has nothing to do.

Packing the module, and starting and importing it, takes a second, which is most of the time of such a task. So the
worker reads the cluster and plans as the module does. It never writes. As soon as something differs or fails, the
module runs, and reads again. If the last rollout applied another release, three requests are enough to find out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import looks_like_path
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.kubeconfig import read_explicit_config
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import with_release_directory
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import read_version
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_name import is_directory_name
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import (
    load_release_and_members,
    read_cluster_state,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.journal import Journal
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import (
    check_rollout_numbers,
    release_apply_spec,
    release_options_from_params,
    rollout_options_from_params,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.result import rollout_dict, rollout_problems
from ansible_collections.capability.openshift.plugins.module_utils._rollout.run import unchanged_rollout
from ansible_collections.capability.openshift.plugins.plugin_utils._task_params import valid_params

_MODULE_ONLY = ("previous_release", "wait", "journal")
"""Options with which the module runs: they need more than reading the cluster once."""


def rollout_params(args: Mapping[str, Any]) -> dict[str, Any] | None:
    """The options of a task, converted as the module does; ``None`` if the module has to run."""
    kubeconfig = untag(args.get("kubeconfig"))
    if kubeconfig is not None and not (isinstance(kubeconfig, str) and looks_like_path(kubeconfig)):
        return None
    # The option is secret for Ansible, because it can also be the content of a kubeconfig.
    others = {name: value for name, value in args.items() if name != "kubeconfig"}
    params = valid_params(others, release_apply_spec())
    if params is None or any(params[option] for option in _MODULE_ONLY) or params["signature"] == "required":
        return None
    problems = Problems()
    check_rollout_numbers(params, problems)
    return None if problems else {**params, "kubeconfig": kubeconfig}


def unchanged_result(
    params: Mapping[str, Any], journal: Journal, problems: Problems, *, diff_mode: bool
) -> dict[str, Any] | None:
    """The result of the module, ``None`` if it has to run. Raises ``CapabilityError`` and ``OSError``."""
    if not is_directory_name(params["release"]) or read_explicit_config(params, os.environ) is None:
        return None
    given = {**params, "signature": params["signature"] or "required"}
    client = connect(SimpleNamespace(params=dict(params), no_log_values=set()), params["parallelism"])
    try:
        state = read_cluster_state(client, params["cluster_profile"])
        if state.inventory is None or state.inventory.unfinished or state.problems:
            return None
        release = release_options_from_params(with_release_directory(given, problems))
        if state.inventory.version != read_version(release.path, release.openshift_version):
            return None
        loaded, state = load_release_and_members(client, state, release)
        problems += loaded.problems
        options = rollout_options_from_params(given, dry_run=True, diff_mode=diff_mode)
        rollout = unchanged_rollout(client, state, loaded, options, journal)
    finally:
        client.close()
    if rollout is None:
        return None
    problems += rollout_problems(rollout)
    return None if problems.has_errors else rollout_dict(rollout, diff_mode=diff_mode)
