# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this plugin util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Converts the arguments of a task as its module does.

Imports nothing of Ansible's controller: in a process that has, modules show their warnings instead of returning them,
and tests run modules in such processes.
"""

from __future__ import annotations

import json
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import Spec


def valid_params(args: dict[str, Any], spec: Spec) -> dict[str, Any] | None:
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
    return None if checked.error_messages else checked.validated_parameters
