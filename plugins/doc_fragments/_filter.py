# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """Options of filters and tests, which ``plugin_utils/_filter.py`` takes apart."""

    # The version, where it is the first argument
    VERSION = r"""
options:
  version:
    description: Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as 4.2.
    type: str
    required: true
"""

    # SELECTION_OPTIONS
    SELECTION = r"""
options:
  cluster_profile:
    description: Cluster profile.
    type: str
    default: self-managed-high-availability
  feature_set:
    description: Feature set of the cluster. The empty string and V(Default) both mean the default one.
    type: str
    default: ''
  feature_gates:
    description:
      - Feature gates that are on, all of them, as V(NAME) or V(NAME=bool).
      - Left out, manifests are not filtered by feature gates, and capabilities behind gates are those of
        O(feature_set).
    type: list
    elements: str
  always_enabled_capabilities:
    description: Capabilities that the cluster has on whatever is asked. Left out, what its version and profile imply.
    type: list
    elements: str
"""

    # What INCLUSION_OPTIONS adds to them, and the selection
    INCLUSION = r"""
options:
  capabilities:
    description:
      - The selection. Left out, it is the cluster default, V(vCurrent).
      - See the option C(capabilities) of M(capability.openshift.release_manifests) for its fields and spellings.
    type: dict
  openshift_version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as 4.2.
      - Required unless O(enabled_capabilities) and O(known_capabilities) are given.
    type: str
  enabled_capabilities:
    description: Capabilities that a cluster has enabled. Stands in the place of O(capabilities).
    type: list
    elements: str
  known_capabilities:
    description: Capabilities that a cluster knows. Goes with O(enabled_capabilities).
    type: list
    elements: str
  exclude_identifier:
    description: Manifests annotated C(exclude.release.openshift.io/IDENTIFIER=true) are left out.
    type: str
    default: ''
  overrides:
    description: Entries of C(ClusterVersion.spec.overrides).
    type: list
    elements: dict
    default: []
"""
