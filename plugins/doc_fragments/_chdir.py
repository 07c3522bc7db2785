# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The directory of relative paths: ``chdir_spec`` in ``module_utils/_module/argspec.py``."""

    DOCUMENTATION = r"""
options:
  chdir:
    description:
      - Directory for the relative paths in all options.
      - By default, it is the directory in which Ansible runs the module. For a local connection, this is the directory
        of the playbook.
    type: path
    version_added: 0.1.0
"""
