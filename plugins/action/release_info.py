# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the release in Ansible's worker process, or runs the module of the same name."""

from __future__ import annotations

from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._extract.release_info import (
    ReleaseInfoOptions,
    release_info_spec,
    run_release_info,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import Spec
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._in_worker import InWorkerAction


class ActionModule(InWorkerAction):
    release_options = ("release", "changes_from")

    def spec(self) -> Spec:
        return release_info_spec()

    def read(self, params: dict[str, Any], problems: Problems) -> dict[str, Any]:
        return run_release_info(ReleaseInfoOptions.from_params(params), problems)
