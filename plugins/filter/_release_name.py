# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: _release_name
short_description: "[INTERNAL] Make the name of a release independent of the current directory"
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - B(This is an internal tool of the collection, and can change at any time. Do not use it in your own playbooks.)
  - A relative path of a directory, an image layout or an archive starts from the given directory. The pull spec of an
    image in a registry stays as it is.
positional: directory
options:
  _input:
    description: The name of a release, as in the option C(release) of the modules.
    type: str
    required: true
  directory:
    description: The directory that relative paths start from. If it is empty, the name stays as it is.
    type: str
    default: ''
"""

EXAMPLES = r"""
- name: Show the release that a path or a pull spec names
  ansible.builtin.debug:
    msg: "{{ release | capability.openshift._release_name(lookup('ansible.builtin.env', 'PWD')) }}"
"""

RETURN = r"""
_value:
  description: The name.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_name import (
    absolute_release_name,
)


def _release_name(release: Any, directory: str = "") -> str:
    """Make paths in the name of a release absolute."""
    if not isinstance(release, str):
        raise AnsibleFilterError("_release_name: the release is not a string. Set it to a directory or a pull spec")
    return absolute_release_name(release, directory) if directory and release else release


class FilterModule:
    """The filter for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filter by its name."""
        return {"_release_name": _release_name}
