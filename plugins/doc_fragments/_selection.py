# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options that decide which manifests are included.

    Each part belongs to a function of ``module_utils/_module/argspec.py``. Filters and tests have ``FILTER_*`` instead
    of ``INCLUSION``.
    """

    # inclusion_spec("cluster_type")
    CLUSTER_TYPE = r"""
options:
  cluster_profile:
    description:
      - Cluster profile, the NAME in the annotation C(include.release.openshift.io/NAME).
      - Hosted control planes use V(ibm-cloud-managed).
    type: str
    default: self-managed-high-availability
  feature_set:
    description:
      - Feature set of the cluster. The empty string and V(Default) both mean the default feature set.
      - An unknown feature set is an error, which suggests the nearest known one.
    type: str
    default: ''
    aliases: [featureSet]
"""

    # inclusion_spec("hosting")
    HOSTING = r"""
options:
  hosted_control_plane:
    description:
      - Whether HyperShift hosts the control plane of the cluster. By default, it does if O(cluster_profile) is
        V(ibm-cloud-managed), which is the profile of all hosted clusters.
      - HyperShift deletes files from the release before the cluster-version operator reads them. Their manifests are
        excluded with the rule V(hosted_control_plane). HyperShift also writes the capabilities of the ClusterVersion,
        so V(vCurrent) and no selection mean the names that it enables by default, without V(baremetal) from 4.20 on.
      - V(false) decides as the cluster-version operator of that profile alone does.
      - Problems of severity V(info) name what is not known about HyperShift of that version.
    type: bool
"""

    # capabilities, and inclusion_spec("status")
    SELECTION = r"""
options:
  capabilities:
    description:
      - The selection, as in C(install-config.yaml) and C(ClusterVersion.spec). By default, it is the cluster default,
        V(vCurrent).
      - C(baseline_capability_set) is the name of a capability set. C(additional_enabled_capabilities) is a list of
        names to add to the set, and requires it.
      - C(excluded_capabilities) selects everything except these names, and needs no other field. It pins the selection,
        so capabilities of later releases are not requested.
      - Each field can be written in the API's spelling, such as C(baselineCapabilitySet) so that a block can be pasted.
        A field in both spellings is an error.
      - The first draft of the API is accepted too, C(inclusionDefault) (V(Include) or V(Exclude)) with C(include) and
        C(exclude).
    type: dict
  enabled_capabilities:
    description:
      - Enabled capabilities of a cluster, as in C(ClusterVersion.status.capabilities).
      - It replaces O(capabilities) and requires O(known_capabilities).
    type: list
    elements: str
    aliases: [enabledCapabilities]
  known_capabilities:
    description:
      - Known capabilities of a cluster, as in C(ClusterVersion.status.capabilities).
    type: list
    elements: str
    aliases: [knownCapabilities]
"""

    # cluster_options_spec
    SOLUTION = r"""
options:
  solution:
    description:
      - Name of a solution, which replaces O(capabilities), V(minimal), V(ran_du), V(headless), V(no_image_registry),
        V(managed_service) or V(disconnected).
      - It is resolved for the version of the release, as M(capability.openshift.install_config) does, with the platform
        if an option names it. Otherwise, the names that a platform requires are missing, and there is a warning if that
        makes a difference.
    type: str
"""

    # inclusion_spec("inclusion")
    INCLUSION = r"""
options:
  feature_gates:
    description:
      - All enabled feature gates, each as V(NAME) or V(NAME=bool). An empty list means that none is enabled.
      - By default, they are the gates that the FeatureGate manifest of the release enables for O(feature_set). The
        CVOs of releases before 4.22 do not read them, so they have no effect there.
    type: list
    elements: str
    aliases: [featureGates]
  exclude_identifier:
    description:
      - Excludes manifests with the annotation C(exclude.release.openshift.io/IDENTIFIER=true).
    type: str
    default: ''
  always_enabled_capabilities:
    description:
      - Capabilities that are enabled for every selection.
      - The default is V([Ingress]) from 4.16 on, unless O(cluster_profile) is V(ibm-cloud-managed) or V(hypershift).
        The cluster-version operator is started with this list.
    type: list
    elements: str
"""

    # inclusion_spec("overrides")
    OVERRIDES = r"""
options:
  overrides:
    description:
      - Entries of C(ClusterVersion.spec.overrides), dicts with C(kind), C(group), C(namespace), C(name) and
        C(unmanaged). Unmanaged resources are excluded.
    type: list
    elements: dict
"""

    # The suboptions of the option ``clusters`` of update_plan, all of them: Ansible takes them from one place only
    CLUSTERS = r"""
options:
  clusters:
    suboptions:
      name:
        description: Unique name of the cluster.
        type: str
        required: true
      releases:
        description: As O(releases).
        type: list
        elements: raw
      capabilities:
        description: As O(capabilities).
        type: dict
      solution:
        description: As O(solution).
        type: str
      cluster_version:
        description: As O(cluster_version).
        type: raw
        aliases: [clusterVersion]
      enabled_capabilities:
        description: As O(enabled_capabilities).
        type: list
        elements: str
        aliases: [enabledCapabilities]
      known_capabilities:
        description: As O(known_capabilities).
        type: list
        elements: str
        aliases: [knownCapabilities]
      overrides:
        description: As O(overrides).
        type: list
        elements: dict
      live_resources:
        description: As O(live_resources).
        type: list
        elements: dict
      platform:
        description: As O(platform).
        type: str
      extra_manifests:
        description: As O(extra_manifests).
        type: list
        elements: path
      cluster_profile:
        description: As O(cluster_profile).
        type: str
      feature_set:
        description: As O(feature_set).
        type: str
        aliases: [featureSet]
      feature_gates:
        description: As O(feature_gates).
        type: list
        elements: str
        aliases: [featureGates]
      hosted_control_plane:
        description: As O(hosted_control_plane).
        type: bool
      exclude_identifier:
        description: As O(exclude_identifier).
        type: str
      always_enabled_capabilities:
        description: As O(always_enabled_capabilities).
        type: list
        elements: str
"""

    # Filters and tests
    FILTER_VERSION = r"""
options:
  version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
    type: str
    required: true
"""

    # With CLUSTER_TYPE and HOSTING: affects_names and affects_loading in INCLUSION_OPTIONS
    FILTER_GATES = r"""
options:
  feature_gates:
    description:
      - All enabled feature gates, each as V(NAME) or V(NAME=bool).
      - By default, manifests are not filtered by feature gates, and O(feature_set) determines which capabilities behind
        feature gates are known.
    type: list
    elements: str
    aliases: [featureGates]
notes:
  - Manifests in variables have no file. So no manifest is excluded because HyperShift deletes its file.
"""

    # Options of names alone: affects_names
    FILTER_NAMES = r"""
options:
  always_enabled_capabilities:
    description:
      - Capabilities that are enabled for every selection. By default, they depend on the version and the cluster
        profile.
    type: list
    elements: str
"""

    # Options of loading alone: affects_loading
    FILTER_LOADING = r"""
options:
  exclude_identifier:
    description: Excludes manifests with the annotation C(exclude.release.openshift.io/IDENTIFIER=true).
    type: str
    default: ''
"""

    # With SELECTION and OVERRIDES: all others, and the selection
    FILTER_INCLUSION = r"""
options:
  openshift_version:
    description:
      - Version of OpenShift, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required unless O(enabled_capabilities) and O(known_capabilities) are given.
    type: str
"""
