#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_info
short_description: List the capabilities of a release and their resources, and compare releases and selections
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads an OpenShift release. Returns the capabilities and capability sets that the release knows, and what
    a cluster gets with each capability.
  - The options describe that cluster, as for M(capability.openshift.release_manifests). Manifests for other cluster
    profiles, feature sets and so on do not count.
  - Only manifests of the release count. Operators create more resources, their operands, such as the pods of a
    registry or a router. A release does not contain them.
  - Reports unknown capabilities that manifests need, capabilities that no manifest needs, and ClusterOperators for
    which only some of the manifests have a capability annotation.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
  - capability.openshift._attributes.in_worker
  - capability.openshift._attributes.info_module
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.selection
  - capability.openshift._selection.solution
  - capability.openshift._selection.inclusion
  - capability.openshift._selection.overrides
  - capability.openshift._chdir
options:
  images:
    description:
      - Whether to return the images of the release, in RV(release.images).
    type: bool
    default: false
  resource_kind:
    description:
      - Return the manifests of resources of this kind in RV(resources), with the capabilities that each needs. The case
        does not count.
      - V(*) means any kind, namespace or name.
    type: str
  resource_namespace:
    description: Return the manifests of resources in this namespace in RV(resources).
    type: str
  resource_name:
    description: Return the manifests of resources with this name in RV(resources).
    type: str
  previous_release:
    description:
      - Another release to compare with, usually an older one, in any form that O(release) can have.
      - RV(changes) contains what differs in O(release).
      - Manifests are compared if the cluster that the options describe includes them. So the options must be valid for
        both releases.
      - It must have C(release-metadata).
      - By default, if O(previous_capabilities) is set, it is O(release).
    type: path
  previous_capabilities:
    description:
      - Another selection to compare with, in any form that O(capabilities) can have. C({}) is the cluster default.
      - RV(changes) contains what differs with O(capabilities).
      - By default, if O(previous_release) is set, it is the selection or the status of the other options.
    type: dict
seealso:
  - module: capability.openshift.release_manifests
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Read a release
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
  register: info

- name: Show the resources of the Console
  ansible.builtin.debug:
    msg: >-
      {{ info.release.capabilities.Console.manifests }} manifests,
      ClusterOperators {{ info.release.capabilities.Console.cluster_operators | join(', ') }},
      CRDs {{ info.release.capabilities.Console.crds | join(', ') }}

- name: Find the image of a component
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
    images: true
  register: info

- name: Show its pull spec
  ansible.builtin.debug:
    msg: "{{ info.release.images | selectattr('name', '==', 'must-gather') | map(attribute='pull_spec') | first }}"

- name: Compare two releases for a cluster with three capabilities
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
    previous_release: /srv/releases/4.18.12
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities:
        - CloudCredential
        - Ingress
        - MachineAPI
  register: info

- name: Show which permissions the update needs in AWS
  ansible.builtin.debug:
    msg: "{{ item.name }}: {{ item.permissions.added | join(', ') }}"
  loop: "{{ info.changes.credentials_requests | selectattr('platform', '==', 'aws') }}"
  loop_control:
    label: "{{ item.name }}"
  when: item.permissions.added | length > 0

- name: Compare a selection with the default
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
    capabilities:
      excluded_capabilities: [Console, Insights, openshift-samples]
    previous_capabilities: {}
  register: info

- name: Show which accounts are no longer able to read all Secrets
  ansible.builtin.debug:
    var: info.changes.accounts.read_secrets.removed

- name: Find out which capabilities a resource needs
  capability.openshift.release_info:
    release: /srv/releases/4.20.3
    resource_kind: Deployment
    resource_namespace: openshift-console-operator
  register: info

- name: Show them
  ansible.builtin.debug:
    msg: "{{ item.name }}: {{ item.capabilities | join(', ') }}"
  loop: "{{ info.resources }}"
  loop_control:
    label: "{{ item.name }}"

- name: List the capabilities that a tech-preview cluster knows
  capability.openshift.release_info:
    release: /srv/releases/4.23.0
    feature_set: TechPreviewNoUpgrade
"""

RETURN = r"""
release:
  description: Content of the release.
  returned: success
  type: dict
  contains:
    version:
      description: Version of the release, V(null) if it has no metadata and O(openshift_version) is not set.
      type: str
      returned: success
      sample: 4.20.3
    manifests:
      description: Number of manifests in the release, for all cluster profiles and feature sets.
      type: int
      returned: success
      sample: 1076
    included:
      description: Number of manifests that the cluster includes.
      type: int
      returned: success
      sample: 904
    included_without_capability:
      description: Number of these manifests that need no capability.
      type: int
      returned: success
      sample: 385
    known_capabilities:
      description: Known capabilities of the release with O(feature_set), sorted.
      type: list
      elements: str
      returned: success
      sample: [Build, Console, Ingress]
    enabled_capabilities:
      description:
        - Capabilities that are enabled with O(capabilities) or O(enabled_capabilities), sorted. Includes those that are
          always enabled.
      type: list
      elements: str
      returned: success
    capability_sets:
      description: Capabilities in each capability set of this release.
      type: dict
      returned: success
      sample:
        None: []
        v4.11: [MachineAPI, baremetal, marketplace, openshift-samples]
      contains:
        SET:
          description: Capabilities in this set.
          type: list
          elements: str
          returned: for each set
    capabilities:
      description:
        - What the cluster gets with each capability. Contains known capabilities, and unknown ones that a manifest
          needs.
      type: dict
      returned: success
      sample:
        Console:
          manifests: 92
          namespaces: [openshift-console, openshift-console-operator]
          cluster_operators: [console]
          crds: [consoles.operator.openshift.io]
          images: [registry.example/release@sha256:0123]
      contains:
        CAPABILITY:
          description: What the cluster gets with this capability.
          type: dict
          returned: for each capability
          contains:
            manifests:
              description:
                - Number of manifests that need the capability, and that the cluster includes if it is enabled in
                  addition to those of O(capabilities) or O(enabled_capabilities). A manifest that needs several
                  capabilities counts for each of them. Those that delete their resource do not count in the fields
                  below.
              type: int
              returned: always
            namespaces:
              description: Namespaces that the manifests create or have a resource in, sorted.
              type: list
              elements: str
              returned: always
            cluster_operators:
              description: Names of the ClusterOperators, sorted.
              type: list
              elements: str
              returned: always
            crds:
              description: Names of the CustomResourceDefinitions, sorted.
              type: list
              elements: str
              returned: always
            images:
              description: Images of workloads and those in ConfigMaps, from which operators deploy their operands.
              type: list
              elements: str
              returned: always
    cluster_profiles:
      description: Cluster profiles that manifests name, sorted.
      type: list
      elements: str
      returned: success
      sample: [ibm-cloud-managed, self-managed-high-availability]
    feature_sets:
      description: Feature sets that manifests name, sorted.
      type: list
      elements: str
      returned: success
      sample: [CustomNoUpgrade, Default, TechPreviewNoUpgrade]
    digest:
      description:
        - Digest of the named release image, which can be a manifest list. Signatures are for this digest.
        - V(null) for a directory, unless O(release_image) has a digest.
      type: str
      returned: success
      sample: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    pull_spec:
      description: Pull spec of the release image by its digest, V(null) if it is not known.
      type: str
      returned: success
      sample: quay.io/openshift-release-dev/ocp-release@sha256:0123
    architecture:
      description: Architecture of the image that was read, V(null) for a directory.
      type: str
      returned: success
      sample: amd64
    source:
      description: Where the image was read from, such as a mirror. V(null) for a directory.
      type: str
      returned: success
      sample: mirror.example:8443/ocp/release@sha256:0123
    signed_by:
      description:
        - Whose OpenPGP signatures were verified, one element for each key ring. Empty for a directory, if
          O(signature=ignore), or without a valid signature of each key ring.
      type: list
      elements: dict
      returned: success
      sample:
        - key_ring: verifier-public-key-redhat
          fingerprint: 567E347AD0044ADE55BA8A5F199E2F91FD431D51
          user: Red Hat, Inc. (release key 2) <security@redhat.com>
          source: /srv/mirror/working-dir/signatures/4.20.3-x86_64-sha256-2f9145136fb387d4
      contains:
        key_ring:
          description: Name of the key ring.
          type: str
          returned: always
        fingerprint:
          description: Fingerprint of the key.
          type: str
          returned: always
        user:
          description: User of the key.
          type: str
          returned: always
        source:
          description: Where the signature is.
          type: str
          returned: always
    images:
      description: Images of the release, sorted by name.
      type: list
      elements: dict
      returned: when O(images=true)
      contains:
        name:
          description: Name of the image in C(image-references).
          type: str
          returned: always
          sample: must-gather
        pull_spec:
          description: Pull spec of the image.
          type: str
          returned: always
          sample: registry.example/release@sha256:0123
        commit:
          description: Commit that the image was built from, empty if it is not known.
          type: str
          returned: always
        source:
          description: URL of the repository of that commit, empty if it is not known.
          type: str
          returned: always
          sample: https://github.com/openshift/must-gather
resources:
  description:
    - As RV(capability.openshift.release_manifests#module:decisions).
    - The manifests that O(resource_kind), O(resource_namespace) and O(resource_name) select.
  returned: when one of these options is given
  type: list
  elements: dict
changes:
  description:
    - What differs in O(release) with O(capabilities), compared with O(previous_release) and O(previous_capabilities).
    - Only manifests of the releases are counted. Operators create more, such as their operands, when they run.
    - Each release counts alone. Resources that only the previous release applies stay on a cluster that is updated,
      unless they are in RV(changes.manifests.deleted).
  returned: when O(previous_release) or O(previous_capabilities) is given
  type: dict
  contains:
    previous_version:
      description: Version of the previous release. V(null) if it is not known.
      type: str
      returned: always
      sample: 4.18.12
    known_capabilities:
      description: Known capabilities that differ.
      type: dict
      returned: always
      sample: {added: [Build], removed: []}
      contains:
        added:
          description: Names that are new, sorted.
          type: list
          elements: str
          returned: always
        removed:
          description: Names that only the previous side has, sorted.
          type: list
          elements: str
          returned: always
    enabled_capabilities:
      description: As RV(changes.known_capabilities). Enabled capabilities that differ.
      type: dict
      returned: always
    manifests:
      description: Manifests of the cluster that differ, in the order of the release.
      type: dict
      returned: always
      sample:
        before: 884
        after: 884
        added: []
        removed: []
        deleted: []
        changed:
          - file: release-manifests/0000_50_console-operator_07-operator.yaml
            group: apps
            kind: Deployment
            namespace: openshift-console-operator
            name: console-operator
            capabilities: [Console]
      contains:
        before:
          description: Number of resources that the previous side applies.
          type: int
          returned: always
        after:
          description: Number of resources that are applied now.
          type: int
          returned: always
        added:
          description:
            - As RV(capability.openshift.update_plan#module:hops[].added).
            - Manifests of resources that only this side applies.
          type: list
          elements: dict
          returned: always
        removed:
          description: As RV(changes.manifests.added). Manifests of resources that only the previous side applies.
          type: list
          elements: dict
          returned: always
        deleted:
          description:
            - As RV(changes.manifests.added).
            - Manifests that delete a resource that the previous side does not delete.
          type: list
          elements: dict
          returned: always
        changed:
          description:
            - As RV(changes.manifests.added).
            - Manifests with another body. Comments, pull specs of images and the version of the release do not count.
          type: list
          elements: dict
          returned: always
    images:
      description: Images of the release that differ.
      type: dict
      returned: always
      sample:
        added: []
        removed: []
        changed:
          - name: console
            before: {pull_spec: "registry.example/release@sha256:0123", commit: "0123", source: ""}
            after: {pull_spec: "registry.example/release@sha256:4567", commit: "4567", source: ""}
      contains:
        added:
          description: As RV(release.images). Images that are only in O(release).
          type: list
          elements: dict
          returned: always
        removed:
          description: As RV(release.images). Images that are only in the previous release.
          type: list
          elements: dict
          returned: always
        changed:
          description: Images with another pull spec or another commit.
          type: list
          elements: dict
          returned: always
          contains:
            name:
              description: Name of the image in C(image-references).
              type: str
              returned: always
            before:
              description: The image in the previous release.
              type: dict
              returned: always
              contains:
                pull_spec:
                  description: Pull spec of the image.
                  type: str
                  returned: always
                commit:
                  description: Commit that the image was built from, empty if it is not known.
                  type: str
                  returned: always
                source:
                  description: URL of the repository of that commit, empty if it is not known.
                  type: str
                  returned: always
            after:
              description: As RV(changes.images.changed[].before). The image in O(release).
              type: dict
              returned: always
    credentials_requests:
      description: CredentialsRequests of the cluster that differ in more than comments and metadata.
      type: list
      elements: dict
      returned: always
      contains:
        namespace:
          description: Namespace of the CredentialsRequest.
          type: str
          returned: always
        name:
          description: Name of the CredentialsRequest.
          type: str
          returned: always
        platform:
          description: Platform that it is for, or the kind of its C(providerSpec) if that is not known.
          type: str
          returned: always
          sample: aws
        permissions:
          description: As RV(changes.known_capabilities). Permissions that differ. The text depends on the platform.
          type: dict
          returned: always
          sample: {added: ["Allow ec2:DescribeVolumes on *"], removed: []}
        service_accounts:
          description: As RV(changes.known_capabilities). ServiceAccounts that differ.
          type: dict
          returned: always
        secret:
          description: Namespace and name of the Secret.
          type: dict
          returned: always
          sample: {before: null, after: openshift-machine-api/aws-cloud-credentials}
          contains:
            before:
              description: The Secret in the previous release. V(null) if the CredentialsRequest is added.
              type: str
              returned: always
            after:
              description: The Secret in O(release). V(null) if the CredentialsRequest is removed.
              type: str
              returned: always
    resources:
      description:
        - Names of what is counted - C(crds), C(namespaces), C(cluster_operators), C(deployments), C(daemonsets),
          C(statefulsets), C(jobs), C(cronjobs), C(services), C(webhooks), C(host_network_workloads),
          C(privileged_workloads), C(images), C(credentials_requests) and C(cloud_permissions), of all platforms.
        - Names of namespaced resources are NAMESPACE/NAME. Images of workloads and ConfigMaps count, since operators
          deploy their operands from these. They have their names in C(image-references).
      type: dict
      returned: always
      contains:
        KIND:
          description: What differs of this kind.
          type: dict
          returned: for each kind
          contains:
            before:
              description: Number of names of the previous side.
              type: int
              returned: always
            after:
              description: Number of names now.
              type: int
              returned: always
            added:
              description: Names that are new, sorted.
              type: list
              elements: str
              returned: always
            removed:
              description: Names that only the previous side has, sorted.
              type: list
              elements: str
              returned: always
            by_capabilities:
              description:
                - The names of both sides, by the capabilities that they need. A name that needs other capabilities than
                  before is removed from one group, and added to another.
              type: list
              elements: dict
              returned: always
              contains:
                capabilities:
                  description: The capabilities. A name that several manifests bring needs as few as one of them.
                  type: list
                  elements: str
                  returned: always
                added:
                  description: Names that are new in this group, sorted.
                  type: list
                  elements: str
                  returned: always
                removed:
                  description: Names that are no longer in this group, sorted.
                  type: list
                  elements: str
                  returned: always
                unchanged:
                  description: Names that are in this group on both sides, sorted.
                  type: list
                  elements: str
                  returned: always
    accounts:
      description:
        - As RV(changes.resources).
        - Accounts that can C(do_everything), C(read_secrets), C(exec_into_pods), C(grant_permissions) (bind or
          escalate), C(impersonate), C(create_pods) or C(reach_nodes) (nodes/proxy) in all namespaces, counted as the
          RBAC authorizer of the API server does. Service accounts are named NAMESPACE/NAME, others C(User NAME) and
          C(Group NAME).
      type: dict
      returned: always
    unknown_roles:
      description: Bound ClusterRoles whose permissions are not counted, because no manifest creates them.
      type: list
      elements: str
      returned: always
    cpu_millicores:
      description: CPU requests of permanent workloads. All replicas count, and a DaemonSet counts once, as on one node.
      type: dict
      returned: always
      sample: {before: 511, after: 250}
      contains:
        before:
          description: The sum of the previous side.
          type: int
          returned: always
        after:
          description: The sum now.
          type: int
          returned: always
    memory_bytes:
      description: As RV(changes.cpu_millicores). Memory requests of the same workloads.
      type: dict
      returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the release.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._extract.release_info import ReleaseInfoOptions, release_info_spec, run_release_info
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import Problems


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Summarize the release. Raises ``CapabilityError``."""
    result.update(run_release_info(ReleaseInfoOptions.from_params(module.params), problems))


MODULE = ModuleDefinition(release_info_spec(), run)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
