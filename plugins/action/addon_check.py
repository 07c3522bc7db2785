# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module of the same name, and shows its progress."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.plugin_utils._progress import ProgressAction


class ActionModule(ProgressAction):
    pass
