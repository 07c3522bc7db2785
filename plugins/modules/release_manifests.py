#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_manifests
short_description: Decide which manifests of a release a cluster includes, and write them to a directory
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Decides for each manifest of an extracted OpenShift release whether the cluster-version operator would apply it to a
    cluster with the given selection of capabilities.
  - With O(dest), writes the included manifests to that directory. File names, content and comments are as in the
    release. Manifests in C(manifests/) are templates. The module renders them.
  - Omits manifests that delete their resource (C(release.openshift.io/delete) is C("true")), so C(kubectl apply -f)
    does not create what the release deletes. RV(decisions) marks them with the key C(deletes).
  - Warns about references that the selection leaves dangling. The cluster includes a manifest, and does not include the
    Namespace, CustomResourceDefinition, role, ServiceAccount, ConfigMap or Secret that it refers to. The
    cluster-version operator may then never finish.
  - Removes files from O(dest) that an earlier run wrote and that are no longer included. Never changes other files.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
  - capability.openshift._attributes.in_worker
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._selection.cluster_type
  - capability.openshift._selection.hosting
  - capability.openshift._selection.selection
  - capability.openshift._selection.solution
  - capability.openshift._selection.inclusion
  - capability.openshift._selection.overrides
  - capability.openshift._chdir
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - The diff does not show the content of a file that contains a Secret.
  idempotent:
    support: full
options:
  dest:
    description:
      - Directory to write the included manifests to. It is created if necessary.
      - It must be outside of O(release).
      - The file C(.capability-openshift-files) in that directory lists the files that this module wrote.
      - The module fails if there is no manifest to write so that it never removes all files.
    type: path
  credentials_requests:
    description:
      - Whether to write only CredentialsRequests to O(dest), such as for C(ccoctl), and to return what they request in
        RV(credentials_requests).
      - Without O(platform), these are the CredentialsRequests of all platforms.
    type: bool
    default: false
  platform:
    description:
      - Platform of the cluster. CredentialsRequests of other platforms are not written to O(dest), and all of them if a
        platform such as V(none) needs none. The cluster-version operator applies them all, and the cloud-credential
        operator ignores requests of other platforms.
      - Of a hosted cluster, it also decides which files HyperShift keeps.
    type: str
    choices:
      - agent
      - alibabacloud
      - aws
      - azure
      - baremetal
      - equinixmetal
      - external
      - gcp
      - ibmcloud
      - kubevirt
      - libvirt
      - none
      - nutanix
      - openstack
      - ovirt
      - powervc
      - powervs
      - vsphere
  images:
    description:
      - Whether to return which images the selection needs, in RV(images). Use it for the list of images to mirror.
    type: bool
    default: false
  decisions:
    description:
      - Whether to return the decision on each manifest, with all reasons for an exclusion.
      - For a release with a thousand manifests, the size of the result is half a megabyte.
    type: bool
    default: false
seealso:
  - module: capability.openshift.release_info
  - module: capability.openshift.release_apply
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Write the manifests of a cluster with three capabilities
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    release_image: registry.example/release@sha256:0123
    dest: /srv/sites/berlin/manifests
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities:
        - Console
        - Ingress
        - Storage

- name: Write the manifests of a cluster with all capabilities except two
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    dest: /srv/sites/paris/manifests
    capabilities:
      excluded_capabilities:
        - Insights
        - openshift-samples

- name: Write the CredentialsRequests for ccoctl
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    dest: /srv/sites/berlin/credentials-requests
    credentials_requests: true
    platform: aws
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities:
        - CloudControllerManager
        - CloudCredential
        - Ingress
        - MachineAPI

- name: List the images that this selection needs
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    images: true
    capabilities:
      excluded_capabilities:
        - Insights
        - openshift-samples
  register: selected

- name: Write the list of images to mirror
  ansible.builtin.copy:
    content: |
      {% for image in selected.images.included + selected.images.unreferenced %}
      {{ image.pull_spec }}
      {% endfor %}
    dest: /srv/sites/berlin/images.txt
    mode: "0644"

- name: Decide without writing
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    capabilities:
      baseline_capability_set: None
    decisions: true
  register: decided

- name: Show the excluded manifests of Console, with the reasons
  ansible.builtin.debug:
    msg: "{{ item.kind }} {{ item.name }}: {{ item.reasons | map(attribute='message') | join('; ') }}"
  loop: "{{ decided.decisions | rejectattr('included') }}"
  loop_control:
    label: "{{ item.file }}"
  when: "'Console' in item.capabilities"

- name: Decide for an existing cluster
  capability.openshift.release_manifests:
    release: /srv/releases/4.20.3
    enabled_capabilities: "{{ cluster_version.status.capabilities.enabledCapabilities }}"
    known_capabilities: "{{ cluster_version.status.capabilities.knownCapabilities }}"
    overrides: "{{ cluster_version.spec.overrides | default([]) }}"
"""

RETURN = r"""
version:
  description: Version of the release, V(null) if it has no metadata and O(openshift_version) is not set.
  returned: success
  type: str
  sample: 4.20.3
enabled_capabilities:
  description: Enabled capabilities, sorted. Includes those that are always enabled.
  returned: success
  type: list
  elements: str
  sample: [Console, Ingress, Storage]
known_capabilities:
  description: Known capabilities, sorted.
  returned: success
  type: list
  elements: str
included:
  description: Number of included manifests.
  returned: success
  type: int
  sample: 655
deletions:
  description: Number of included manifests that delete their resource. O(dest) has the other included manifests.
  returned: success
  type: int
  sample: 20
excluded:
  description: Number of excluded manifests.
  returned: success
  type: int
  sample: 421
decisions:
  description: The decision on each manifest, in the order of the release.
  returned: when O(decisions=true)
  type: list
  elements: dict
  contains:
    file:
      description: File of the manifest, relative to O(release).
      type: str
      returned: always
      sample: release-manifests/0000_50_console-operator_07-operator.yaml
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
    included:
      description: Whether the manifest is included.
      type: bool
      returned: always
    deletes:
      description:
        - Whether the cluster-version operator deletes the resource during an update, instead of applying it.
        - This is independent of RV(decisions[].included). An excluded manifest deletes nothing.
      type: bool
      returned: always
    reasons:
      description:
        - All reasons for the exclusion, empty if the manifest is included.
        - The first reason is the one that the cluster-version operator reports.
      type: list
      elements: dict
      returned: always
      contains:
        rule:
          description:
            - Name of the rule, such as V(hosted_control_plane), V(feature_set) or V(disabled_capability). The guide
              I(How a decision is made) lists all of them.
          type: str
          returned: always
        message:
          description: Why the rule excludes the manifest.
          type: str
          returned: always
credentials_requests:
  description: CredentialsRequests that O(dest) gets or would get, in the order of the release.
  returned: when O(credentials_requests=true)
  type: list
  elements: dict
  contains:
    file:
      description: File of the manifest, relative to O(release).
      type: str
      returned: always
    namespace:
      description: Namespace of the CredentialsRequest.
      type: str
      returned: always
    name:
      description: Name of the CredentialsRequest.
      type: str
      returned: always
    capabilities:
      description: Capabilities that the manifest needs.
      type: list
      elements: str
      returned: always
    platform:
      description: Platform that it is for, or the kind of its C(providerSpec) if that is not known.
      type: str
      returned: always
      sample: aws
    secret_namespace:
      description: Namespace of the Secret that gets the credentials.
      type: str
      returned: always
    secret_name:
      description: Name of the Secret that gets the credentials.
      type: str
      returned: always
    service_accounts:
      description: ServiceAccounts that use the credentials.
      type: list
      elements: str
      returned: always
    permissions:
      description: Permissions in the cloud, sorted. The text of a permission depends on the platform.
      type: list
      elements: str
      returned: always
      sample: ["Allow s3:GetObject on *", "role roles/compute.viewer"]
images:
  description:
    - Images of the release, by the manifests that name them in any field. Each image is in one list.
    - A manifest that deletes its resource names no image.
  returned: when O(images=true)
  type: dict
  contains:
    included:
      description:
        - Images that included manifests name. Operators deploy their operands from these.
        - Also the images of the capabilities C(CloudCredential), C(Ingress) and C(NodeTuning) that the bootstrap of
          each installation runs, whatever it selects. For a hosted cluster, also those of manifests that are for other
          cluster profiles or that HyperShift removes, because it runs many of them itself.
        - Contains the release image if it is known.
      type: list
      elements: dict
      returned: always
      sample:
        - name: console
          pull_spec: registry.example/release@sha256:0123
      contains:
        name:
          description: Name of the image in C(image-references).
          type: str
          returned: always
        pull_spec:
          description: Pull spec of the image.
          type: str
          returned: always
    excluded:
      description:
        - As RV(images.included).
        - Images that only excluded manifests name. The cluster does not need them until it enables a capability of
          them, or changes its platform, feature set or profile.
      type: list
      elements: dict
      returned: always
    unreferenced:
      description:
        - As RV(images.included).
        - Images of the release that no manifest names. People and installers use some of them, such as C(must-gather)
          and C(installer). Others are unused.
      type: list
      elements: dict
      returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the release, the selection and O(dest).
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._extract.release_manifests import (
    ReleaseManifestsOptions,
    release_manifests_spec,
    run_release_manifests,
)
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import Problems


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Decide, and write files if requested. Raises ``CapabilityError``."""
    options = ReleaseManifestsOptions.from_params(module.params)
    result.update(run_release_manifests(options, problems, check_mode=module.check_mode, diff_mode=module._diff))


MODULE = ModuleDefinition(release_manifests_spec(), run)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
