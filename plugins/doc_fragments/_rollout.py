# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options that default to what the cluster reports: ``rollout_spec`` in ``module_utils/_module/argspec.py``.

    List it before ``_selection.inclusion``, whose other options it shares: the first description of an option counts.
    """

    DOCUMENTATION = r"""
options:
  cluster_profile:
    description:
      - Cluster profile, the NAME in the annotation C(include.release.openshift.io/NAME).
      - By default, it is the profile of the last rollout. Before the first one, it is read from the environment
        variable C(CLUSTER_PROFILE) in the Deployment of the cluster-version operator. A cluster with an external
        control plane has V(ibm-cloud-managed). If the cluster reports neither, it is V(self-managed-high-availability).
    type: str
  feature_set:
    description:
      - Feature set of the cluster. The empty string and V(Default) both mean the default feature set.
      - By default, it is read from the FeatureGate C(cluster). A cluster without that object has the default feature
        set. Until the feature set can be read, manifests that name a feature set are left out.
    type: str
    aliases: [featureSet]
  feature_gates:
    description:
      - All enabled feature gates, each as V(NAME) or V(NAME=bool). An empty list means that none is enabled.
      - By default, they are the gates that the FeatureGate C(cluster) reports for the version of the release, or else
        those that the release enables for O(feature_set). The CVOs of releases before 4.22 do not read them.
    type: list
    elements: str
    aliases: [featureGates]
  overrides:
    description:
      - Entries of C(ClusterVersion.spec.overrides), dicts with C(kind), C(group), C(namespace), C(name) and
        C(unmanaged). Unmanaged resources are not changed.
      - By default, they come from the ClusterVersion.
    type: list
    elements: dict
"""
