# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decides in Ansible's worker process if ``dest`` is not set, and runs the module of the same name otherwise."""

from __future__ import annotations

from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._extract.release_manifests import (
    ReleaseManifestsOptions,
    release_manifests_spec,
    run_release_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import Spec
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._in_worker import InWorkerAction


class ActionModule(InWorkerAction):
    writing_options = ("dest",)

    def spec(self) -> Spec:
        return release_manifests_spec()

    def read(self, params: dict[str, Any], problems: Problems) -> dict[str, Any]:
        options = ReleaseManifestsOptions.from_params(params)
        return run_release_manifests(options, problems, check_mode=self._task.check_mode, diff_mode=self._task.diff)
