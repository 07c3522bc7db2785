# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keeps long results out of what Ansible prints with ``-v`` and ``-vv``. Ansible shows them with ``-vvv``."""

from __future__ import annotations

import json
from typing import Any

_LONGEST_SHOWN = 1600
"""Characters of a result: 20 lines of a terminal."""

_SHOWS_EVERYTHING = 3


def hide_long_result(result: dict[str, Any], verbosity: int) -> dict[str, Any]:
    """Return a result of a task, marked as ``ansible.builtin.setup`` marks its own if it is long.

    Ansible removes the mark before it registers the result, and shows a failure as a whole.
    Source: ansible/ansible:lib/ansible/plugins/action/normal.py, 2.16 to 2.21.
    """
    if 0 < verbosity < _SHOWS_EVERYTHING and len(json.dumps(result, default=str)) > _LONGEST_SHOWN:
        return {**result, "_ansible_verbose_override": True}
    return result
