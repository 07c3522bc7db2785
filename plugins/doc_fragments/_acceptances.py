# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What is accepted although it is against an update: ``acceptances_spec`` of ``_module/argspec.py``."""

    DOCUMENTATION = r"""
options:
  acceptances:
    description:
      - What is accepted although it is against an update. Each entry accepts one name, for example from a file in Git.
      - A name is the gate of an administrator, such as V(ack-4.18-kube-1.32-api-removals-in-4.19), the risk of a
        conditional update, such as V(ConsoleImplicitlyEnabled), or a capability that the update enables. For other
        reasons it is their code, such as V(no-channel).
      - RV(capability.openshift.update_plan#module:required_acceptances) lists the names.
      - A reason because of which the cluster refuses the update nevertheless has no name.
      - An entry that has expired, that has an unknown name, or that accepts nothing, is a warning.
    type: list
    elements: dict
    default: []
    version_added: 0.1.0
    suboptions:
      name:
        description:
          - The whole name of what is accepted. Wildcards and V(all) are errors.
        type: str
        required: true
      reason:
        description:
          - Why it is accepted. The result and the report show it.
        type: str
        required: true
      expires:
        description:
          - The last day (UTC) on which the entry counts, as V(YYYY-MM-DD). By default, it always counts.
          - Quote it. Before ansible-core 2.19, templates turn an unquoted date into text that Ansible cannot read.
        type: str
      clusters:
        description:
          - Names of clusters, or patterns such as V(edge-*). By default, the entry counts for every cluster.
          - Compared with the names of the clusters of a fleet. The names of a single cluster are O(cluster_name) and
            the C(status.infrastructureName) of its Infrastructure C(cluster), if that is read.
        type: list
        elements: str
  cluster_name:
    description:
      - Name of the cluster in O(acceptances[].clusters). The clusters of a fleet have their own names.
      - In the playbooks, the default is the name of the host, except for C(localhost).
    type: str
    version_added: 0.1.0
"""
