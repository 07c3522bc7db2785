#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: update_plan
short_description: Show whether a cluster can update, and which capabilities an update path enables
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Compares the releases of an update path before an OpenShift cluster is updated. Returns the capabilities
    that each update enables and the resources that cause it.
  - Returns a verdict for each update, V(go), V(acknowledge), V(risk) or V(blocked), with all reasons that the releases,
    the settings and the status of the cluster report, and with what was not checked.
  - Also returns the condition C(ImplicitlyEnabledCapabilities) that the cluster will have at the end of the path.
  - Compares releases as the cluster-version operator does. If a resource of the cluster has a manifest in the new
    release that needs a disabled capability, that capability is enabled. It can never be disabled again.
  - Warns about references between manifests that an update leaves dangling, such as an object whose Namespace needs a
    disabled capability. The cluster-version operator may then never finish.
  - Plans one cluster, or a fleet with O(clusters). Clusters with the same input share a plan.
  - O(kubeconfig), O(context), O(host), O(api_key) or O(client_cert) selects a cluster. The module then reads from this
    cluster what the other options do not set, and changes nothing on it. Environment variables C(K8S_AUTH_*) complete
    these options. On their own, they do not select a cluster, and neither does an empty string.
  - For the verdict, the module also reads the ConfigMaps C(openshift-config-managed/admin-gates) and
    C(openshift-config/admin-acks) of this cluster. Without permission, it reports that they are not considered.
  - Without these options, the module needs no cluster and no Kubernetes library.
  - Writes files only if O(report) is set.
extends_documentation_fragment:
  - capability.openshift._auth
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._acceptances
  - capability.openshift._release_image
  - capability.openshift._selection.hosting
  - capability.openshift._selection.inclusion
  - capability.openshift._selection.clusters
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Shows the Markdown report. For an HTML page, it shows only the digest.
  idempotent:
    support: full
options:
  releases:
    description:
      - The update path, a list of releases, each a directory or the name of an image. The first one is the release
        that the cluster runs.
      - For a flat directory without C(release-metadata), pass a dict with C(release), its directory, and
        C(openshift_version).
      - The module verifies the signature of an image with the key rings and the signature stores of the release before
        it in the path, as the cluster-version operator does, unless O(signature_keys) and O(signature_stores) are set.
        It trusts a directory, and an image with a valid signature. The verdict of each update contains the result.
      - Relative paths in this and all other options are relative to O(chdir).
      - Required, unless each of O(clusters) has its own path.
    type: list
    elements: raw
  capabilities:
    description:
      - The selection that the plan starts from, as in C(install-config.yaml) and C(ClusterVersion.spec).
      - If O(capabilities), O(solution), O(cluster_version) and O(enabled_capabilities) are not set, the selection is
        read from the selected cluster. Without a cluster, it is the cluster default, V(vCurrent).
      - See the option C(capabilities) of M(capability.openshift.release_manifests) for its fields and spellings.
    type: dict
  solution:
    description:
      - Name of a solution that the plan starts from, as the option C(solution) of
        M(capability.openshift.release_manifests). It is resolved for the first release and O(platform).
    type: str
  cluster_version:
    description:
      - The ClusterVersion of the cluster that the plan starts from, as an object or as the path of a YAML or JSON file.
        A C(List) of one object is accepted.
      - By default, it is read from the selected cluster, unless O(capabilities), O(solution), O(enabled_capabilities)
        or O(known_capabilities) is set.
      - The enabled capabilities in its status take precedence over the capability sets. Its C(spec.overrides) are used,
        unless O(overrides) is set.
      - The verdict of the first update uses its conditions, its history, the updates that it lists, and its channel.
      - Capabilities that its version does not know are not an error, because a rollback can leave them in the status.
      - If its minor version differs from the first release in O(releases), the module warns, and
        the verdict is V(risk). With O(forbidden_capabilities), the module fails.
    type: raw
    aliases: [clusterVersion]
  enabled_capabilities:
    description:
      - Enabled capabilities of the cluster that the plan starts from. They count as requested by name.
    type: list
    elements: str
    aliases: [enabledCapabilities]
  known_capabilities:
    description:
      - Known capabilities of the cluster. Requires O(enabled_capabilities). By default, they are those that its version
        knows.
    type: list
    elements: str
    aliases: [knownCapabilities]
  overrides:
    description:
      - Entries of C(ClusterVersion.spec.overrides), dicts with C(kind), C(group), C(namespace), C(name) and
        C(unmanaged). While one is unmanaged, the cluster refuses updates. From 4.22 on it refuses only updates to
        another minor version.
      - By default, they come from O(cluster_version), or else from the selected cluster. An empty list means no
        overrides.
    type: list
    elements: dict
  live_resources:
    description:
      - The resources that exist on the cluster, as dicts with C(group), C(kind), C(namespace) and C(name), or as
        objects from the API, also in a C(List) as C(oc get -o json) prints it.
      - A reference to one of them does not dangle. They enable nothing, unless O(rule=presence).
      - By default, the module looks up resources on the selected cluster, but only those of the new releases that need
        a disabled capability. For each kind, it sends one C(list) request for the names in all namespaces. In addition,
        it sends two discovery requests. A problem with severity V(info) reports how many resources it looked up. Kinds
        that it cannot list are warnings, and errors with O(rule=presence).
    type: list
    elements: dict
  rule:
    description:
      - V(manifest) compares the manifests of the new release with the old release, as every cluster-version
        operator does.
      - V(presence) compares the new release with the resources on the cluster, as the design of capabilities says. No
        cluster-version operator does that. If the selection excludes a manifest and its resource exists on the cluster,
        its capabilities are enabled. A resource that the old release deletes counts as existing. Requires
        O(live_resources), or options that select a cluster.
    type: str
    choices: [manifest, presence]
    default: manifest
  platform:
    description:
      - Platform of the cluster, such as V(aws) or V(baremetal). The value is not case sensitive. It limits
        RV(hops[].credentials_requests) to those for this platform.
      - By default, it is read from the Infrastructure C(cluster) of the selected cluster.
    type: str
  extra_manifests:
    description:
      - Files and directories with manifests that were applied to the cluster besides those of the releases, such as the
        extra manifests of its installation. Directories are read with all files below them, and ConfigMaps with the
        manifests in their values.
      - A reference to a resource that they create does not dangle. With options that select a cluster, neither does one
        to a resource that exists there.
    type: list
    elements: path
  cluster_profile:
    description:
      - Cluster profile, the NAME in the annotation C(include.release.openshift.io/NAME).
      - By default, it is read from the selected cluster, from the environment variable C(CLUSTER_PROFILE) in the
        Deployment of the cluster-version operator. A cluster with an external control plane has
        V(ibm-cloud-managed). If the cluster reports neither, and without a cluster, it is
        V(self-managed-high-availability).
    type: str
  feature_set:
    description:
      - Feature set of the cluster. The empty string and V(Default) both mean the default feature set.
      - The module fails for an unknown feature set, and suggests the nearest known one.
      - By default, it is read from the FeatureGate C(cluster) of the selected cluster. Without that object, and without
        a cluster, it is the default feature set.
    type: str
    aliases: [featureSet]
  feature_gates:
    description:
      - All enabled feature gates, each as V(NAME) or V(NAME=bool). An empty list means that none is enabled.
      - By default, they are the gates that the FeatureGate C(cluster) of the selected cluster reports for the version
        of a release. For any other release, and without a cluster, they are those that the FeatureGate manifest of the
        release enables for O(feature_set). Releases before 4.22 do not filter by feature gates.
    type: list
    elements: str
    aliases: [featureGates]
  clusters:
    description:
      - A fleet. The options of a cluster override the common options of the same name.
      - A cluster that sets O(clusters[].capabilities), O(clusters[].solution), O(clusters[].cluster_version),
        O(clusters[].enabled_capabilities) or O(clusters[].known_capabilities) uses none of these module options.
      - Cannot be combined with options that select a cluster.
    type: list
    elements: dict
  details:
    description:
      - Whether to return every resource. With V(false), each list of causes contains only the first one,
        RV(hops[].implicitly_enabled[].count) is the number of causes, and the other lists of resources are missing.
      - The default is V(true) for one cluster and V(false) for O(clusters). O(report) always contains all details.
    type: bool
  fail_on:
    description:
      - The least serious verdict that is a failure. The whole plan is returned nevertheless.
      - V(acknowledge) accepts only the verdict V(go). V(never) accepts every verdict. Reasons that O(acceptances)
        accepts do not count.
      - An object that the user may not read from the selected cluster is an error if the plan depends on it. With
        V(never) and without O(forbidden_capabilities), it is a warning.
    type: str
    choices: [acknowledge, risk, blocked, never]
    default: blocked
  forbidden_capabilities:
    description:
      - Capabilities that the path must not enable in any way.
      - If the path enables one, the module fails, but still returns the whole plan. A name that no release of the paths
        knows is an error.
      - V(all) means each capability that is enabled and that the selection does not request in the new release.
      - A disabled capability that the new release does not know counts as enabled, because that release creates its
        components.
      - A capability that O(acceptances) accepts does not count.
    type: list
    elements: str
    default: []
  allow_downgrade:
    description:
      - Whether a release may be older than the one before it, or the same.
      - A rollback to the previous patch also needs this option. It is not blocked if the history of the ClusterVersion
        shows that it is the previous version.
      - RV(hops[].removed) are then the orphaned resources. RV(hops[].added) contains the resources that are created
        because the older release does not know their capability, or has no capabilities at all (4.10 and older).
    type: bool
    default: false
  report:
    description:
      - Where to write a report. A file that is no such report is not replaced, and is an error.
      - If the path ends in C(.md), the report is in Markdown. If it ends in C(.html), the report is a self-contained
        page. Any other path is a directory, to which the module writes C(update_plan.md) and C(update_plan.html).
      - The module fails if the path has the suffix of another format, such as C(.txt).
    type: path
seealso:
  - module: capability.openshift.release_manifests
  - plugin: capability.openshift.implicitly_enabled_capabilities
    plugin_type: filter
requirements:
  - PyYAML
  - Jinja2 (for O(report))
"""

EXAMPLES = r"""
- name: Plan two updates, and write a report for the review
  capability.openshift.update_plan:
    releases:
      - /srv/releases/4.13.59
      - /srv/releases/4.14.42
      - /srv/releases/4.15.37
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [marketplace]
    platform: vsphere
    report: /srv/reviews/berlin
  register: plan

- name: Show the causes
  ansible.builtin.debug:
    msg: "{{ item.1.name }}: {{ item.1.resources | map(attribute='name') | join(', ') or item.1.source }}"
  loop: "{{ plan.hops | subelements('implicitly_enabled') }}"
  loop_control:
    label: "{{ item.0.from }} to {{ item.0.to }}"

- name: Stop a pipeline if the update enables the Console
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
    cluster_version: /srv/sites/paris/clusterversion.yaml
    forbidden_capabilities: [Console]

- name: Read the ClusterVersion and the relevant resources from the cluster
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
    kubeconfig: /srv/sites/paris/kubeconfig
  register: plan

- name: Show the verdict of each update, and its reasons
  ansible.builtin.debug:
    msg: "{{ item.from }} to {{ item.to }}: {{ item.verdict }} {{ item.reasons | map(attribute='message') | list }}"
  loop: "{{ plan.hops }}"
  loop_control:
    label: "{{ item.to }}"

- name: Stop a pipeline unless nothing is against the update
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.20.4]
    cluster_version: /srv/sites/paris/clusterversion.yaml
    fail_on: acknowledge
    acceptances:
      - name: AROBrokenDNSMasq
        reason: The expression of this risk is 0 on the cluster

- name: Accept a gate and a capability by name
  capability.openshift.update_plan:
    releases: [/srv/releases/4.18.12, /srv/releases/4.19.9]
    capabilities:
      baselineCapabilitySet: None
    fail_on: acknowledge
    forbidden_capabilities: [all]
    acceptances:
      - name: ack-4.18-kube-1.32-api-removals-in-4.19
        reason: no v1beta1 client since June
        expires: "2027-03-01"
      - name: Insights
        reason: it sends nothing without a pull secret

- name: Plan a fleet, with the ClusterVersion or the selection of each cluster
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
    clusters:
      - name: berlin
        cluster_version: /srv/sites/berlin/clusterversion.yaml
      - name: paris
        capabilities:
          baselineCapabilitySet: None
        platform: baremetal
    forbidden_capabilities: [all]
    report: /srv/reviews/fleet.html
"""

RETURN = r"""
verdict:
  description:
    - The most serious verdict of the hops. From the least to the most serious, these are V(go), V(acknowledge), V(risk)
      and V(blocked).
  returned: success, or failure because of RV(violations), without O(clusters)
  type: str
  sample: acknowledge
newly_enabled:
  description:
    - Every capability whose components the path creates, for any reason, sorted. An enabled capability can never be
      disabled.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: str
  sample: [Insights]
cluster_checked:
  description:
    - Whether the verdict of the first hop considers everything that a cluster reports about updates. V(false) if
      anything is in RV(hops[].not_checked) of that hop, for example because no ClusterVersion is known.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: bool
  sample: true
accepted:
  description: The entries of O(acceptances) that accept something on the path. They do not count in RV(verdict).
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: dict
  contains: &acceptance
    name:
      description: The name that is accepted.
      type: str
      returned: always
    reason:
      description: Why it is accepted.
      type: str
      returned: always
    expires:
      description: The last day on which it is accepted. V(null) if there is none.
      type: str
      returned: always
hops:
  description: The hops of the path, in order.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: dict
  contains:
    from:
      description: Version of the old release.
      type: str
      returned: always
    to:
      description: Version of the new release.
      type: str
      returned: always
    verdict:
      description:
        - V(blocked) if the cluster refuses the update. V(risk) if nothing that was checked blocks it, but there are
          reasons against it. V(acknowledge) if an administrator has to acknowledge something before. Otherwise V(go).
        - Reasons that O(acceptances) accepts do not count.
      type: str
      returned: always
    reasons:
      description: All reasons against the update, the most serious first, and those that are accepted last.
      type: list
      elements: dict
      returned: always
      contains:
        verdict:
          description: The verdict that this reason results in.
          type: str
          returned: always
        code:
          description: Identifier of the kind of reason, in kebab case. It stays the same if the message is reworded.
          type: str
          returned: always
        reason:
          description:
            - Name of the reason in the cluster, such as the reason of a condition or the name of a risk.
          type: str
          returned: always
        message:
          description: What is against the update, as the cluster or the release reports it.
          type: str
          returned: always
        source:
          description: The object and field, manifest or option that reports it.
          type: str
          returned: always
        hint:
          description: What to do about it.
          type: str
          returned: always
        name:
          description:
            - What an entry of O(acceptances) names to accept it, a gate, a risk or else the code. Empty if nothing
              accepts it, because the cluster refuses the update nevertheless.
          type: str
          returned: always
        accepted:
          description: The entry of O(acceptances) that accepts it. V(null) if none does.
          type: dict
          returned: always
          contains: *acceptance
      sample:
        - verdict: acknowledge
          code: admin-ack-required
          reason: AdminAckRequired
          message: "ack-4.18-kube-1.32-api-removals-in-4.19: Kubernetes 1.32 removes several APIs"
          source: ConfigMap openshift-config-managed/admin-gates of the cluster
          hint: Check what it describes, then acknowledge it
          name: ack-4.18-kube-1.32-api-removals-in-4.19
          accepted:
            name: ack-4.18-kube-1.32-api-removals-in-4.19
            reason: no v1beta1 client since June
            expires: "2027-03-01"
    accepted:
      description: As RV(accepted), in this hop.
      type: list
      elements: dict
      returned: always
    not_checked:
      description:
        - What the verdict does not consider because it is not known, such as conditions without a ClusterVersion, or
          PromQL.
      type: list
      elements: dict
      returned: always
      contains:
        code:
          description: Identifier of what was not checked, in kebab case.
          type: str
          returned: always
        message:
          description: What was not checked, and why.
          type: str
          returned: always
    downgrade:
      description: Whether the new release is older than the old one.
      type: bool
      returned: always
    enabled_before:
      description: Enabled capabilities before the hop, sorted.
      type: list
      elements: str
      returned: always
    enabled_after:
      description: Enabled capabilities after the new release has resolved the selection, sorted.
      type: list
      elements: str
      returned: always
    known_before:
      description: Known capabilities before the hop, sorted.
      type: list
      elements: str
      returned: always
    known_after:
      description: Known capabilities after the hop, sorted.
      type: list
      elements: str
      returned: always
    newly_enabled:
      description: Every capability whose components the hop creates, for any reason, sorted.
      type: list
      elements: str
      returned: always
    implicitly_enabled:
      description:
        - Capabilities that the hop enables implicitly, as the cluster-version operator of the old release computes
          them. Also those that the new release always enables.
      type: list
      elements: dict
      returned: always
      contains:
        name:
          description: The capability.
          type: str
          returned: always
        cause:
          description:
            - V(manifest) if resources cause it. V(forced) if the capability is enabled although no manifest needs it.
          type: str
          returned: always
        requested:
          description:
            - Whether the selection requests the capability in the new release. It is then not implicitly enabled there.
          type: bool
          returned: always
        source:
          description: Source of the rule if the cause is V(forced). Otherwise empty.
          type: str
          returned: always
        count:
          description: Number of resources that cause it.
          type: int
          returned: always
        resources:
          description: The resources that cause it, in the order of the new release.
          type: list
          elements: dict
          returned: always
          contains:
            <<: &resource
              group:
                description: API group of the resource. Empty for the core group.
                type: str
                returned: always
              kind:
                description: Kind of the resource.
                type: str
                returned: always
              namespace:
                description: Namespace of the resource. Empty if it is cluster-scoped.
                type: str
                returned: always
              name:
                description: Name of the resource.
                type: str
                returned: always
            from_file:
              description: File in the old release, V(null) if the resource exists only on the cluster.
              type: str
              returned: always
            to_file:
              description: File in the new release.
              type: str
              returned: always
            from_capabilities:
              description: Capabilities that the manifest needs in the old release.
              type: list
              elements: str
              returned: always
            to_capabilities:
              description: Capabilities that the manifest needs in the new release.
              type: list
              elements: str
              returned: always
            deleted:
              description: Whether the new release deletes the resource. Such a resource still enables capabilities.
              type: bool
              returned: always
    newly_requested:
      description: Capabilities that the selection requests in the new release and that were not enabled.
      type: list
      elements: str
      returned: always
    newly_known:
      description: Capabilities that become known and stay disabled.
      type: list
      elements: str
      returned: always
    no_longer_optional:
      description:
        - Disabled capabilities that the new release does not know. It creates their components.
      type: list
      elements: str
      returned: always
    not_in_fresh_install:
      description:
        - Capabilities that are enabled after the hop, but disabled in a fresh install of the new release with
          RV(capabilities).
      type: list
      elements: str
      returned: always
    moved:
      description: Capabilities of the selection whose resources need other capabilities in the new release.
      type: list
      elements: dict
      returned: with details
      contains:
        name:
          description: The capability.
          type: str
          returned: always
        resources:
          description: As RV(hops[].implicitly_enabled[].resources).
          type: list
          elements: dict
          returned: always
    added:
      description: Resources that only the new release applies.
      type: list
      elements: dict
      returned: with details
      contains: &manifest
        <<: *resource
        file:
          description: File of the manifest, relative to its release.
          type: str
          returned: always
        capabilities:
          description: Capabilities that the manifest needs.
          type: list
          elements: str
          returned: always
    removed:
      description:
        - As RV(hops[].added).
        - Resources that only the old release applies. They stay on the cluster. A downgrade orphans them.
      type: list
      elements: dict
      returned: with details
    deleted:
      description:
        - As RV(hops[].added).
        - Resources that only the new release deletes.
      type: list
      elements: dict
      returned: with details
    credentials_requests:
      description: CredentialsRequests that the new state needs, limited to O(platform) if it is set.
      type: list
      elements: dict
      returned: with details
      contains:
        <<: *manifest
        new:
          description: Whether the cluster did not have the request before.
          type: bool
          returned: always
releases:
  description: Versions of the path.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: str
  sample: [4.13.59, 4.14.42]
capabilities:
  description:
    - The selection that the plan starts from. Exclusions are resolved to names.
    - For a hosted cluster, it is the difference from what HyperShift enables by default (V(vCurrent)).
  returned: success, or failure because of RV(violations), without O(clusters)
  type: dict
  contains:
    baseline_capability_set:
      description: The capability set, V(null) for the cluster default.
      type: str
      returned: always
    additional_enabled_capabilities:
      description: Names in addition to the set.
      type: list
      elements: str
      returned: always
    excluded_capabilities:
      description: Names that a hosted cluster disables.
      type: list
      elements: str
      returned: if there are any
enabled_capabilities:
  description: Enabled capabilities at the end of the path, sorted.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Enabled capabilities that the selection does not request in the last release, sorted.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: str
known_capabilities:
  description: Known capabilities at the end of the path, sorted.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) that the cluster will have at the end of the path. V(null) if the
      last release has no capabilities.
  returned: success, or failure because of RV(violations), without O(clusters)
  type: dict
  sample:
    type: ImplicitlyEnabledCapabilities
    status: "True"
    reason: CapabilitiesImplicitlyEnabled
    message: "The following capabilities could not be disabled: Build, MachineAPI"
required_acceptances:
  description:
    - What O(acceptances) would have to contain, so that nothing is against the path. Names of reasons, and capabilities
      that the path enables although the selection does not request them. Entries that accept something are left out.
    - A reason without a name is not in it, because nothing accepts it.
  returned: success, or failure because of RV(violations)
  type: list
  elements: dict
  contains:
    name:
      description: The name to accept.
      type: str
      returned: always
    message:
      description: What it is about.
      type: str
      returned: always
    clusters:
      description: The clusters that need it. Empty without O(clusters).
      type: list
      elements: str
      returned: always
  sample:
    - name: ack-4.18-kube-1.32-api-removals-in-4.19
      message: "ack-4.18-kube-1.32-api-removals-in-4.19: Kubernetes 1.32 removes several APIs"
      clusters: [berlin, rome]
reasons:
  description:
    - Each reason against an update of a fleet once, the most serious first, then the one that most clusters have.
    - Reasons of the same name count as the same, even if their messages differ.
  returned: success, or failure because of RV(violations), with O(clusters)
  type: list
  elements: dict
  contains:
    name:
      description: As RV(hops[].reasons[].name).
      type: str
      returned: always
    verdict:
      description: As RV(hops[].reasons[].verdict).
      type: str
      returned: always
    code:
      description: As RV(hops[].reasons[].code).
      type: str
      returned: always
    reason:
      description: As RV(hops[].reasons[].reason), of the first cluster.
      type: str
      returned: always
    message:
      description: As RV(hops[].reasons[].message), of the first cluster.
      type: str
      returned: always
    clusters:
      description: Every cluster that has the reason.
      type: list
      elements: str
      returned: always
    accepted:
      description: Those of the clusters on which it is accepted.
      type: list
      elements: str
      returned: always
plans:
  description:
    - The distinct plans of a fleet. Each has all keys from RV(verdict) to RV(condition), as without O(clusters), and
      its own RV(problems).
  returned: success, or failure because of RV(violations), with O(clusters)
  type: list
  elements: dict
clusters:
  description: For each cluster, the index of its plan in RV(plans).
  returned: success, or failure because of RV(violations), with O(clusters)
  type: dict
  sample: {berlin: 0, paris: 1, rome: 0}
  contains:
    CLUSTER:
      description: Index of the plan of this cluster.
      type: int
      returned: for each cluster
summaries:
  description: The summary of the plan of each cluster.
  returned: success, or failure because of RV(violations), with O(clusters)
  type: dict
  sample:
    berlin:
      verdict: go
      accepted: []
      newly_enabled: [MachineAPI]
      cluster_checked: true
      releases: [4.13.59, 4.14.42]
      implicitly_enabled: [MachineAPI]
  contains:
    CLUSTER:
      description: The summary of the plan of this cluster.
      type: dict
      returned: for each cluster
      contains:
        verdict:
          description: As RV(verdict).
          type: str
          returned: always
        accepted:
          description: As RV(accepted).
          type: list
          elements: dict
          returned: always
        newly_enabled:
          description: As RV(newly_enabled).
          type: list
          elements: str
          returned: always
        cluster_checked:
          description: As RV(cluster_checked).
          type: bool
          returned: always
        releases:
          description: As RV(releases).
          type: list
          elements: str
          returned: always
        implicitly_enabled:
          description: As RV(implicitly_enabled_capabilities).
          type: list
          elements: str
          returned: always
violations:
  description:
    - Verdicts of updates that O(fail_on) does not accept, and capabilities that the path enables although
      O(forbidden_capabilities) contains them.
  returned: success, or failure because of RV(violations)
  type: list
  elements: dict
  contains:
    name:
      description: The capability, or the verdict.
      type: str
      returned: always
    from:
      description: Version of the old release of the hop.
      type: str
      returned: always
    to:
      description: Version of the new release of the hop.
      type: str
      returned: always
    message:
      description: What the hop enables, or why it has the verdict.
      type: str
      returned: always
    clusters:
      description: Names of the clusters of the plan. Empty without O(clusters).
      type: list
      elements: str
      returned: always
report:
  description: Paths of the report files.
  returned: when O(report) is set
  type: list
  elements: path
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the releases and the plan. With O(clusters), those that all plans have, and the
      number of plans that have others.
  returned: always
  type: list
  elements: dict
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from ..module_utils._capability.cluster_options import ClusterOptions
from ..module_utils._files.files import absolute
from ..module_utils._kubernetes.auth_options import auth_spec, check_connection_options, show_kubeconfig
from ..module_utils._module.argspec import (
    Spec,
    acceptances_spec,
    chdir_spec,
    cluster_options_spec,
    inclusion_spec,
    release_image_spec,
    release_source,
)
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, require_library, run_module
from ..module_utils._module.progress import show_progress
from ..module_utils._module.result import diff_entry, warn
from ..module_utils._problems import InvalidOptionError, Problem, Problems, problem_dicts
from ..module_utils._update_plan.plan import RULES
from ..module_utils._update_plan.planner import FleetPlan
from ..module_utils._update_plan.request import FAIL_ON, PlanOptions, SharedOptions
from ..module_utils._update_plan.result import PlanSerializer, planning_result, shown_problems
from ..module_utils._update_plan.run import plan_cluster, plan_fleet

if TYPE_CHECKING:
    from ..module_utils._kubernetes.client import Client

CLUSTER_OPTIONS = ("kubeconfig", "context", "host", "api_key", "username", "client_cert")
NO_RELEASES = Problem(
    "error", "missing-option", "releases", "is missing", "Set the path: directories of releases, current one first"
)


OPTIONS: Spec = {
    "releases": {"type": "list", "elements": "raw"},
    "cluster_version": {"type": "raw", "aliases": ["clusterVersion"]},
    "live_resources": {"type": "list", "elements": "dict"},
    "platform": {"type": "str"},
    "extra_manifests": {"type": "list", "elements": "path"},
}


def prepare(module: Module) -> None:
    """Check for the library of reports, and remove what Ansible added to the clusters of a fleet."""
    if module.params["report"] is not None:
        require_library(module, "jinja2", "Jinja2")
    if module.params["clusters"] is not None:
        # Ansible added every option that a cluster does not set, and would return them all.
        module.params["clusters"] = [
            {name: value for name, value in entry.items() if value is not None} for entry in module.params["clusters"]
        ]


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Plan, and write the report. Raises ``CapabilityError``, and exits if the plan has violations."""
    # Ansible splits a string at its commas, and keeps the blanks after them.
    forbidden = [name.strip() for name in module.params["forbidden_capabilities"]]
    params = {**module.params, "forbidden_capabilities": forbidden}
    if params["details"] is None:
        params["details"] = params["clusters"] is None
    shared = SharedOptions(
        release_source(params),
        params["allow_downgrade"],
        forbidden,
        params["fail_on"],
        params["acceptances"],
        params["cluster_name"],
        datetime.now(tz=UTC).date(),
    )
    fleet = plan(params, shared, cluster_connection(module))
    result.update(results(fleet, params, shared, check_mode=module.check_mode, diff_mode=module._diff))
    problems += shown_problems(fleet, of_fleet=params["clusters"] is not None)
    if result["violations"]:
        warn(module, problems)
        lines = (f"- {item['message']}" for item in result["violations"])
        message = "\n".join(["The plan violates fail_on or forbidden_capabilities:", *lines])
        module.fail_json(msg=message, **result, problems=problem_dicts(problems))


def cluster_connection(module: Module) -> Callable[[], Client] | None:
    """Return a function that connects to the selected cluster; ``None`` if the options do not select one."""
    params, problems = module.params, Problems()
    check_connection_options(params, problems)
    problems.raise_errors(InvalidOptionError)
    if not any(params.get(option) for option in CLUSTER_OPTIONS):
        return None
    from ..module_utils._kubernetes.connection import connect

    return partial(connect, module)


def plan(params: dict[str, Any], shared: SharedOptions, connect: Callable[[], Client] | None) -> FleetPlan:
    """Load the releases and plan. Raises ``CapabilityError``."""
    options = PlanOptions(
        ClusterOptions.from_params(params),
        **{name: params[name] for name in OPTIONS if name != "platform"},
        rule=params["rule"],
    )
    if params["clusters"] is not None:
        clusters = [options.of_cluster(entry, index) for index, entry in enumerate(params["clusters"])]
        return plan_fleet(clusters, shared, connect, show_progress)
    if params["releases"] is None:
        raise InvalidOptionError([NO_RELEASES])
    return plan_cluster(options, shared, connect, show_progress)


def results(
    fleet: FleetPlan, params: dict[str, Any], shared: SharedOptions, *, check_mode: bool, diff_mode: bool
) -> dict[str, Any]:
    """Return the result, and write the report if requested. Raises ``CapabilityError``."""
    of_fleet = params["clusters"] is not None
    result = planning_result(fleet, of_fleet=of_fleet, details=params["details"], options=shared)
    if params["report"] is not None:
        # Imported here, because only reports need templates and Jinja2.
        from ..module_utils._report.write import report_changes, write_report

        path = absolute(params["report"])
        today = datetime.now(tz=UTC).date().isoformat()
        written = write_report(path, PlanSerializer().report(fleet, today), check_mode=check_mode)
        result |= {"changed": written.changed, "report": sorted(written.files)}
        if diff_mode:
            result["diff"] = [diff_entry(*change) for change in report_changes(written.files)]
    return result


CLUSTER_SPEC = {
    **cluster_options_spec(defaults=False),
    **OPTIONS,
    "name": {"type": "str", "required": True},
}
MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        **cluster_options_spec(),
        **inclusion_spec("cluster_type", defaults=False),
        **release_image_spec(),
        **acceptances_spec(),
        **OPTIONS,
        "rule": {"type": "str", "choices": list(RULES), "default": "manifest"},
        "clusters": {"type": "list", "elements": "dict", "options": CLUSTER_SPEC},
        "details": {"type": "bool"},
        "fail_on": {"type": "str", "choices": list(FAIL_ON), "default": "blocked"},
        "forbidden_capabilities": {"type": "list", "elements": "str", "default": []},
        "allow_downgrade": {"type": "bool", "default": False},
        "report": {"type": "path"},
    },
    run,
    prepare=(show_kubeconfig, prepare),  # a kubeconfig can be set even if the module does not connect
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
