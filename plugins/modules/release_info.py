#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_info
short_description: List the capabilities of a release and their resources
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
  - capability.openshift._attributes.actiongroup
  - capability.openshift._attributes.in_worker
  - capability.openshift._attributes.info_module
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._registry
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.selection
  - capability.openshift._selection.inclusion
  - capability.openshift._selection.overrides
  - capability.openshift._chdir
options:
  images:
    description:
      - Whether to return the images of the release, in RV(release.images).
    type: bool
    default: false
  changes_from:
    description:
      - Another release, usually an older one, in any form that O(release) can have. The module returns in RV(changes)
        what differs in O(release).
      - Manifests are compared if the cluster that the options describe includes them. So the options must be valid for
        both releases.
      - It must have C(release-metadata).
    type: path
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
    changes_from: /srv/releases/4.18.12
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities:
        - CloudCredential
        - Ingress
        - MachineAPI
  register: info

- name: Show which permissions the update needs in AWS
  ansible.builtin.debug:
    msg: "{{ item.name }}: {{ item.permissions_added | join(', ') }}"
  loop: "{{ info.changes.credentials_requests | selectattr('provider', '==', 'AWSProviderSpec') }}"
  loop_control:
    label: "{{ item.name }}"
  when: item.permissions_added | length > 0

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
          manifests_in_release: 95
          deletions: 1
          kinds: [ClusterOperator, ClusterRole, Deployment]
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
                  capabilities counts for each of them.
              type: int
              returned: always
            manifests_in_release:
              description: Number of manifests that need the capability, for all cluster profiles and feature sets.
              type: int
              returned: always
            deletions:
              description: Number of these manifests that delete their resource. They do not count in the fields below.
              type: int
              returned: always
            kinds:
              description: Kinds of the resources, sorted.
              type: list
              elements: str
              returned: always
            namespaces:
              description: Namespaces that the manifests create, sorted.
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
        - Digest of the release image that was named, which can be that of a manifest list. This is the digest that
          signatures are for.
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
    bytes_read:
      description: Size of the layers that were read, compressed. V(null) for a directory.
      type: int
      returned: success
      sample: 1748000
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
    created:
      description: When the image was built, or C(image-references) was written. V(null) if neither is known.
      type: str
      returned: success
      sample: "2026-03-04T05:06:07Z"
    images:
      description: Images of the release, sorted by name.
      type: list
      elements: dict
      returned: when O(images=true)
      contains: &image
        name:
          description: Name of the image in C(image-references).
          type: str
          returned: always
          sample: must-gather
        <<: &version
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
changes:
  description: What differs in O(release) compared with O(changes_from).
  returned: when O(changes_from) is given
  type: dict
  contains:
    version:
      description: Version of O(changes_from).
      type: str
      returned: always
      sample: 4.18.12
    known_capabilities:
      description: Known capabilities of O(changes_from) with O(feature_set), sorted.
      type: list
      elements: str
      returned: always
      sample: [Build, Console, Ingress]
    images:
      description: Images that differ.
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
          description: Images that are only in O(release).
          type: list
          elements: dict
          returned: always
          contains: *image
        removed:
          description: Images that are only in O(changes_from).
          type: list
          elements: dict
          returned: always
          contains: *image
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
              description: The image in O(changes_from).
              type: dict
              returned: always
              contains: *version
            after:
              description: The image in O(release).
              type: dict
              returned: always
              contains: *version
    manifests:
      description: Manifests of the cluster that differ, in the order of the release.
      type: dict
      returned: always
      sample:
        added: []
        deleted: []
        removed: []
        changed:
          - file: release-manifests/0000_50_console-operator_07-operator.yaml
            group: apps
            kind: Deployment
            namespace: openshift-console-operator
            name: console-operator
            capabilities: [Console]
      contains:
        added:
          description: Manifests that are only in O(release).
          type: list
          elements: dict
          returned: always
          contains: &manifest
            file:
              description: File of the manifest, relative to its release.
              type: str
              returned: always
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
            capabilities:
              description: Capabilities that the manifest needs.
              type: list
              elements: str
              returned: always
        deleted:
          description: Manifests that delete a resource that O(changes_from) does not delete.
          type: list
          elements: dict
          returned: always
          contains: *manifest
        removed:
          description:
            - Manifests that are only in O(changes_from). O(release) does not delete their resources, so they stay.
          type: list
          elements: dict
          returned: always
          contains: *manifest
        changed:
          description:
            - Manifests with another body. Comments, pull specs of images and the version of the release do not count.
          type: list
          elements: dict
          returned: always
          contains: *manifest
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
        provider:
          description: Kind of its C(providerSpec).
          type: str
          returned: always
          sample: AWSProviderSpec
        change:
          description: V(added), V(removed) or V(changed).
          type: str
          returned: always
        permissions_added:
          description: Permissions that only O(release) requests, sorted. The text depends on the platform.
          type: list
          elements: str
          returned: always
          sample: ["Allow ec2:DescribeVolumes on *"]
        permissions_removed:
          description: Permissions that only O(changes_from) requests, sorted.
          type: list
          elements: str
          returned: always
        service_accounts_added:
          description: ServiceAccounts that only O(release) names, sorted.
          type: list
          elements: str
          returned: always
        service_accounts_removed:
          description: ServiceAccounts that only O(changes_from) names, sorted.
          type: list
          elements: str
          returned: always
        secret_before:
          description: Namespace and name of the Secret in O(changes_from), V(null) if the CredentialsRequest is added.
          type: str
          returned: always
          sample: openshift-machine-api/aws-cloud-credentials
        secret_after:
          description: Namespace and name of the Secret in O(release), V(null) if the CredentialsRequest is removed.
          type: str
          returned: always
          sample: openshift-machine-api/aws-cloud-credentials
    exposure:
      description:
        - What accounts can do in the whole cluster, and names of what can be attacked, in O(changes_from) (C(before))
          and in O(release) (C(after)), for all platforms.
        - It is what the manifests allow, counted as the RBAC authorizer of the API server does. What operators create
          at run time is not known.
      type: dict
      returned: always
      contains:
        summary:
          description: The changes, as lines of text.
          type: list
          elements: str
          returned: always
        accounts:
          description:
            - Accounts that can C(do_everything), C(read_secrets), C(exec_into_pods), C(grant_permissions) (bind or
              escalate), C(impersonate), C(create_pods) or C(reach_nodes) (nodes/proxy) in all namespaces. Service
              accounts are named NAMESPACE/NAME, others C(User NAME) and C(Group NAME).
          type: dict
          returned: always
          contains:
            POWER:
              description: The accounts that can do this.
              type: dict
              returned: for each of them
              contains:
                <<: &numbers
                  before:
                    description: Their number before.
                    type: int
                    returned: always
                  after:
                    description: Their number after.
                    type: int
                    returned: always
                by_capabilities:
                  description: The same for each set of capabilities that their manifests need.
                  type: list
                  elements: dict
                  returned: always
                  contains:
                    <<: &group
                      <<: *numbers
                      capabilities:
                        description: The set of capabilities.
                        type: list
                        elements: str
                        returned: always
                      added:
                        description: Names that are new.
                        type: list
                        elements: str
                        returned: always
                      removed:
                        description: Names that no longer exist.
                        type: list
                        elements: str
                        returned: always
                    unchanged:
                      description: Names that are the same.
                      type: list
                      elements: str
                      returned: always
        resources:
          description:
            - The C(namespaces), C(crds), C(services), C(webhooks), C(host_network_workloads), C(privileged_workloads),
              C(credentials_requests) of the platform, and the C(cloud_permissions) in them.
          type: dict
          returned: always
          contains:
            KIND:
              description: What can be attacked, of this kind.
              type: dict
              returned: for each of them
              contains:
                <<: *numbers
                by_capabilities:
                  description: The same for each set of capabilities that their manifests need.
                  type: list
                  elements: dict
                  returned: always
                  contains: *group
        unknown_roles:
          description: ClusterRoles that are bound, and that neither a manifest nor Kubernetes creates.
          type: list
          elements: str
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
