# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """Options of ``module_utils/_argspec.py``; each part is documented beside the function of the same name."""

    # release_spec()
    RELEASE = r"""
options:
  release:
    description:
      - Directory into which a release was extracted.
      - Either the layout of the release image, with C(release-manifests/) (holding C(release-metadata) and
        C(image-references)) and C(manifests/) (the manifests of the cluster-version operator itself),
        or a flat directory of manifests.
      - Files ending in C(.yaml), C(.yml) or C(.json) are read in the order of their names; subdirectories are not.
    type: path
    required: true
  openshift_version:
    description:
      - Version of the release, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Needed only for a flat directory without C(release-metadata).
    type: str
  release_image:
    description:
      - Pull spec of the release image, which the templates in C(manifests/) ask for as C({{.ReleaseImage}}).
      - Where it is not given, V(<unset>) stands in its place, and a problem says so.
    type: str
"""

    # facts_spec()
    FACTS = r"""
options:
  cluster_profile:
    description:
      - Cluster profile, the NAME in the annotation C(include.release.openshift.io/NAME).
      - Hosted control planes use V(ibm-cloud-managed).
    type: str
    default: self-managed-high-availability
  feature_set:
    description:
      - Feature set of the cluster. The empty string and V(Default) both mean the default one.
      - An unknown one is an error that names the nearest one known.
    type: str
    default: ''
    aliases: [featureSet]
"""

    # selection_spec()
    SELECTION = r"""
options:
  capabilities:
    description:
      - The selection, as C(install-config.yaml) and C(ClusterVersion.spec) have it. Left out, it is the cluster
        default, V(vCurrent).
      - C(baseline_capability_set) is the name of a capability set, C(additional_enabled_capabilities) a list of
        names beside it. With the latter the former is required.
      - C(excluded_capabilities) means everything but these. It can stand alone, and pins the selection, so that it
        does not ask for capabilities of later releases.
      - Every field can be written as the API writes it, C(baselineCapabilitySet) and so on, so that a block can be
        pasted. Writing one field in both ways is an error.
      - The first draft of the API, C(inclusionDefault) (V(Include) or V(Exclude)) with C(include) and C(exclude), is
        accepted as another spelling.
    type: dict
  enabled_capabilities:
    description:
      - Capabilities that a cluster has enabled, as C(ClusterVersion.status.capabilities) lists them.
      - Stands in the place of O(capabilities), and needs O(known_capabilities) beside it.
    type: list
    elements: str
    aliases: [enabledCapabilities]
  known_capabilities:
    description:
      - Capabilities that a cluster knows, as C(ClusterVersion.status.capabilities) lists them.
    type: list
    elements: str
    aliases: [knownCapabilities]
"""

    # inclusion_spec()
    INCLUSION = r"""
options:
  feature_gates:
    description:
      - Feature gates that are on, all of them, as V(NAME) or V(NAME=bool). An empty list means that none is on.
      - Left out, they are those that the FeatureGate manifest of the release turns on for O(feature_set), from 4.22
        on. Earlier releases do not filter by feature gates.
    type: list
    elements: str
    aliases: [featureGates]
  exclude_identifier:
    description:
      - Manifests annotated C(exclude.release.openshift.io/IDENTIFIER=true) are left out.
    type: str
    default: ''
  always_enabled_capabilities:
    description:
      - Capabilities that the cluster has on whatever is asked.
      - Left out, it is V([Ingress]) from 4.16 on, unless O(cluster_profile) is V(ibm-cloud-managed) or
        V(hypershift), because that is how the cluster-version operator is started.
    type: list
    elements: str
"""

    # overrides_spec()
    OVERRIDES = r"""
options:
  overrides:
    description:
      - Entries of C(ClusterVersion.spec.overrides), dicts with C(kind), C(group), C(namespace), C(name) and
        C(unmanaged). A resource that is unmanaged is left out.
    type: list
    elements: dict
    default: []
"""

    # rollout_spec()
    ROLLOUT = r"""
options:
  cluster_profile:
    description:
      - Cluster profile, the NAME in the annotation C(include.release.openshift.io/NAME).
      - Left out, it is that of the last rollout, and V(self-managed-high-availability) before the first one.
    type: str
  feature_set:
    description:
      - Feature set of the cluster. The empty string and V(Default) both mean the default one.
      - Left out, it is read from the FeatureGate C(cluster). A cluster without that object has the default one. Until
        it can be read, no manifest that names a feature set is sent.
    type: str
    aliases: [featureSet]
  feature_gates:
    description:
      - Feature gates that are on, all of them, as V(NAME) or V(NAME=bool). An empty list means that none is on.
      - Left out, they are those that the FeatureGate C(cluster) tells for the version of the release, else those that
        the release turns on for O(feature_set). Before 4.22 nothing is filtered by feature gates.
    type: list
    elements: str
    aliases: [featureGates]
  exclude_identifier:
    description:
      - Manifests annotated C(exclude.release.openshift.io/IDENTIFIER=true) are left out.
    type: str
    default: ''
  overrides:
    description:
      - Entries of C(ClusterVersion.spec.overrides), dicts with C(kind), C(group), C(namespace), C(name) and
        C(unmanaged). A resource that is unmanaged is left alone.
      - Left out, they are those of the ClusterVersion.
    type: list
    elements: dict
  always_enabled_capabilities:
    description:
      - Capabilities that the cluster has on whatever is asked.
      - Left out, it is V([Ingress]) from 4.16 on, unless O(cluster_profile) is V(ibm-cloud-managed) or
        V(hypershift), because that is how the cluster-version operator is started.
    type: list
    elements: str
"""
