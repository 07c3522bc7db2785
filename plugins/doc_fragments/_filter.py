# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """Options of filters and tests, which ``plugin_utils/_filter.py`` reads."""

    VERSION = r"""
options:
  version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
    type: str
    required: true
"""

    # Options of names and of loading: of_names and of_loading in INCLUSION_OPTIONS
    CLUSTER = r"""
options:
  cluster_profile:
    description: Cluster profile.
    type: str
    default: self-managed-high-availability
  feature_set:
    description: Feature set of the cluster. The empty string and V(Default) both mean the default feature set.
    type: str
    default: ''
    aliases: [featureSet]
  hosted_control_plane:
    description:
      - Whether HyperShift hosts the control plane of the cluster. By default, it does if O(cluster_profile) is
        V(ibm-cloud-managed). It then decides which capabilities are enabled by default.
      - HyperShift also deletes files of a release. Manifests in variables have no file, so no such manifest is
        excluded here.
    type: bool
  feature_gates:
    description:
      - All enabled feature gates, each as V(NAME) or V(NAME=bool).
      - By default, manifests are not filtered by feature gates, and O(feature_set) determines which capabilities behind
        feature gates are known.
    type: list
    elements: str
    aliases: [featureGates]
"""

    # Options of names alone: of_names
    NAMES = r"""
options:
  always_enabled_capabilities:
    description:
      - Capabilities that are enabled for every selection. By default, they depend on the version and the cluster
        profile.
    type: list
    elements: str
"""

    # Options of loading alone: of_loading
    LOADING = r"""
options:
  exclude_identifier:
    description: Excludes manifests with the annotation C(exclude.release.openshift.io/IDENTIFIER=true).
    type: str
    default: ''
"""

    # All others, and the selection
    INCLUSION = r"""
options:
  capabilities:
    description:
      - The selection. By default, it is the cluster default, V(vCurrent).
      - See the option C(capabilities) of M(capability.openshift.release_manifests) for its fields and spellings.
    type: dict
  openshift_version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required unless O(enabled_capabilities) and O(known_capabilities) are given.
    type: str
  enabled_capabilities:
    description: Enabled capabilities of a cluster. It replaces O(capabilities) and requires O(known_capabilities).
    type: list
    elements: str
    aliases: [enabledCapabilities]
  known_capabilities:
    description: Known capabilities of a cluster. Requires O(enabled_capabilities).
    type: list
    elements: str
    aliases: [knownCapabilities]
  overrides:
    description: Entries of C(ClusterVersion.spec.overrides).
    type: list
    elements: dict
"""
