#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_check
short_description: Check whether a mirror registry is ready for an installation or an update
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Checks whether a mirror registry has the images of a release, by their digests, and the signatures that clusters
    demand. Does not write anything.
  - With O(previous_release), RV(ready) is for an update of a cluster that runs that release. Without it, RV(ready) is
    for an installation. From 4.22 on, the nodes of a new cluster verify the sigstore signature of each image of the
    release, from their first boot on.
  - An image is in the mirror if its manifest and each of its layers are there. The module reads the manifests and
    compares their digests. It asks the registry for each layer and its size, and reads a layer only if its size is
    not the one in the manifest. Of a list of images, those for O(architecture) count. With V(multi), those for all
    architectures count.
  - The cluster-version operator (CVO) verifies the OpenPGP signature of a release image before it updates to it. The
    key rings are those of the release that the cluster runs. The module verifies the signature with C(gpgv). In an
    installation, no component of the cluster verifies it. The module then does so only if O(signature_stores) or
    O(signature_keys) are set.
  - CRI-O verifies sigstore signatures of images that a ClusterImagePolicy of the release covers. In 4.21, this is the
    release image, and from 4.22 on all images of the release. The signatures have to be in the mirror, next to the
    images. For a list of images, the signatures of the images in it for O(architecture) count, because a node verifies
    what it pulls.
  - In an update, the policies of both releases count. Nodes use those of O(previous_release) until the new release is
    applied.
  - The module does not fail if the mirror is not ready. Use RV(ready). If O(release) names an image by its digest that
    cannot be read, the module checks only the release image, and adds a warning. The mirror is not ready then, because
    neither the other images nor the policies are known.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup
  - capability.openshift._attributes.info_module
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._selection.cluster_type
  - capability.openshift._chdir
options:
  release_image:
    description:
      - Pull spec of the release image with its digest, as the cluster uses it. Usually it names C(quay.io), and
        O(mirrors) name its mirror.
      - Defaults to O(release) if that is a pull spec. Required for a directory or an archive.
    type: str
  images:
    description:
      - Which images to check. V(release) is the release image, and V(all) also each image in C(image-references).
      - With V(release), a warning counts the other images that a ClusterImagePolicy covers.
    type: str
    choices: [release, all]
    default: release
  previous_release:
    description:
      - The release that the cluster runs, named like O(release). Its CVO decides about the update.
      - Without it, the module checks the mirror for an installation. If O(signature_stores) are set, the key rings of
        O(release) itself verify its signature then. A signature by another key than Red Hat's is V(unknown),
        unless O(signature_keys) contains the key.
    type: path
  signature:
    description:
      - What to do if O(release) or O(previous_release) is named by its image, and has no valid signature when it is
        read. The check itself does not depend on this option.
    type: str
    choices: [required, warn, ignore]
    default: ignore
requirements:
  - PyYAML
  - gpgv (package gpgv or gnupg2), to verify OpenPGP signatures
  - cryptography, to verify sigstore signatures
notes:
  - The check is for standalone clusters. The nodes of the management cluster verify the images of the control plane of
    a hosted cluster, and no CVO verifies the signature of its release image.
  - O(mirrors) also takes the install-config of a new cluster. Set O(feature_set) to its C(featureSet).
  - On a disconnected site, O(signature_stores) is where the clusters look for signatures. The CVO looks into the
    ConfigMaps with the label C(release.openshift.io/verification-signatures) in the namespace
    C(openshift-config-managed) first.
  - The module uses the key rings in O(previous_release), even if their keys are not known keys of Red Hat.
    O(signature_keys) replaces them.
  - O(release_image) also replaces C({{.ReleaseImage}}) in the templates of C(manifests/).
  - A release that is named by its image is read before the check. The module fails if O(previous_release) cannot be
    read, or if O(release) names an image without a digest that cannot be read.
  - A ClusterImagePolicy with another C(policyType) than C(PublicKey), or with C(rekorKeyData), cannot be verified. The
    state of the signature is then V(unknown).
  - The clock of the host decides whether a signature has expired. The expiry of a key does not count, as in the CVO.
seealso:
  - module: capability.openshift.update_plan
"""

EXAMPLES = r"""
- name: Check whether a cluster can be installed from the mirror, before anything boots
  vars:
    digest: sha256:0f8e1d6a4c1b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f
  capability.openshift.mirror_check:
    release: "quay.io/openshift-release-dev/ocp-release@{{ digest }}"
    images: all
    mirrors: [install-config.yaml]
    auth_file: /srv/mirror/auth.json
    ca_path: /srv/mirror/ca.crt

- name: Check whether the mirror is ready for an update
  capability.openshift.mirror_check:
    release: /srv/releases/4.21.3
    release_image: "quay.io/openshift-release-dev/ocp-release@{{ digest }}"
    previous_release: /srv/releases/4.20.9
    images: all
    mirrors: [/srv/mirror/working-dir/cluster-resources]
    signature_stores: [/srv/mirror/working-dir/signatures]
    auth_file: /srv/mirror/auth.json
    ca_path: /srv/mirror/ca.crt
  register: mirror

- name: Show what is missing, and the commands that copy it
  ansible.builtin.debug:
    msg: "{{ item.name }}: {{ item.commands }}"
  loop: "{{ mirror.images | rejectattr('ready') }}"

- name: Check the mirror with releases that are read from it
  capability.openshift.mirror_check:
    release: "quay.io/openshift-release-dev/ocp-release@{{ digest }}"
    previous_release: "{{ cluster_version.status.desired.image }}"
    images: all
    mirrors: [/srv/mirror/working-dir/cluster-resources]
    signature_stores: [/srv/mirror/working-dir/signatures]

- name: Read the signatures that the cluster has
  ansible.builtin.command:
    argv: [oc, get, configmaps, --namespace=openshift-config-managed, --output=json,
           --selector=release.openshift.io/verification-signatures]
  register: signatures
  changed_when: false

- name: Check whether the cluster accepts the update
  capability.openshift.mirror_check:
    release: /srv/releases/4.21.3
    release_image: "quay.io/openshift-release-dev/ocp-release@{{ digest }}"
    previous_release: /srv/releases/4.20.9
    mirrors: [/srv/mirror/working-dir/cluster-resources]
    signature_stores: ["{{ signatures.stdout | from_json }}"]
"""

RETURN = r"""
ready:
  description: Whether the mirror has all checked images with all signatures that the update or the installation
    requires, and they are valid. What could not be checked is not ready.
  returned: success
  type: bool
  sample: false
images:
  description: One element for each checked image, the release image first.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: V(release) for the release image, else the tag in C(image-references).
      type: str
      returned: success
      sample: release
    image:
      description: Pull spec of the image with its digest.
      type: str
      returned: success
      sample: quay.io/openshift-release-dev/ocp-release@sha256:0f8e1d6a4c1b
    mirror:
      description: Repository of the mirror that has the image, or else of the mirror that should have it. Empty if its
        repository has no mirror.
      type: str
      returned: success
      sample: mirror.example.com:5000/openshift/release-images
    ready:
      description: Whether nodes can pull the image from the mirror, with the signatures that are required.
      type: bool
      returned: success
      sample: false
    in_mirror:
      description:
        - Whether the mirror has the image with this digest, and all that a node pulls of it. V(null) if the registry
          did not answer that, for example because credentials are missing.
      type: bool
      returned: success
      sample: true
    openpgp:
      description:
        - State of the OpenPGP signature. V(verified), V(missing) (no store has one), V(invalid), V(unknown) (it could
          not be checked), or V(not_required) (the CVO verifies only the release image, and nothing else in an
          installation).
      type: str
      returned: success
      sample: verified
    sigstore:
      description:
        - State of the sigstore signature. V(verified), V(missing) (the mirror does not have one), V(invalid),
          V(unknown) (it could not be checked), or V(not_required) (no ClusterImagePolicy covers the image).
      type: str
      returned: success
      sample: missing
    commands:
      description: Commands that copy what is missing. They need a connection to the original registry, and credentials.
      type: list
      elements: str
      returned: success
      sample:
        - oc image mirror --force quay.io/openshift-release-dev/ocp-release:sha256-0f8e1d6a4c1b.sig
          mirror.example.com:5000/openshift/release-images:sha256-0f8e1d6a4c1b.sig
    problems:
      description:
        - As RV(capability.openshift.release_lint#module:problems).
        - Why the image is not ready.
      type: list
      elements: dict
      returned: success
update_check:
  description: What the CVO of O(previous_release) demands before it updates to the release.
  returned: if O(previous_release) is set
  type: dict
  contains:
    from_version:
      description: Version of O(previous_release).
      type: str
      returned: success
      sample: 4.20.9
    to_version:
      description: Version of the release. V(null) if it cannot be read.
      type: str
      returned: success
      sample: 4.21.3
    accepted:
      description: Whether the CVO accepts the OpenPGP signature of the release image. Otherwise, it updates only with
        C(force). V(null) if the signature could not be checked.
      type: bool
      returned: success
      sample: true
    acknowledge:
      description: Gates of the releases that an administrator has to acknowledge before the update. Operators can add
        others to the cluster. V(null) if the release cannot be read, or the manifests of its cluster-version operator
        are missing.
      type: list
      elements: dict
      returned: success
      sample:
        - gate: ack-4.20-sigstore-in-4.21
          text: Nodes of 4.21 pull release images only with a sigstore signature
          source: openshift/machine-config-operator:pkg/controller/container-runtime-config
          command: >-
            oc patch configmap admin-acks --namespace openshift-config --type merge
            --patch '{"data":{"ack-4.20-sigstore-in-4.21":"true"}}'
      contains:
        gate:
          description: Name of the gate.
          type: str
          returned: always
        text:
          description: What the administrator acknowledges.
          type: str
          returned: always
        source:
          description: Where the gate is defined.
          type: str
          returned: always
        command:
          description: The command that acknowledges the gate.
          type: str
          returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the releases and the options.
  returned: always
  type: list
  elements: dict
"""

import os
from typing import Any

from ..module_utils._mirror_check.inputs import MirrorOptions
from ..module_utils._mirror_check.run import UnreadRelease, check_mirror
from ..module_utils._module.argspec import (
    ReleaseOptions,
    chdir_spec,
    inclusion_spec,
    release_source,
    release_spec,
)
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, require_library, run_module
from ..module_utils._module.progress import show_progress
from ..module_utils._problems import Problems, RegistryError
from ..module_utils._release.release import Release
from ..module_utils._release_image.open_release import open_release
from ..module_utils._release_image.release_name import parse_release_name


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Check the mirror. Raises ``CapabilityError``."""
    params, target = _load_target(module.params, problems)
    previous = _load_previous(params, problems)
    options = MirrorOptions(**{name: params[name] for name in MirrorOptions._fields})
    source = release_source(params)
    options = options._replace(architecture=source.go_architecture)
    result.update(check_mirror(target, previous, options, source.access, os.environ, show_progress, problems))


def _load_target(params: dict[str, Any], problems: Problems) -> tuple[dict[str, Any], Release | UnreadRelease]:
    """Return the options with the release image, and the release, or why it cannot be read from its image."""
    try:
        opened = open_release(params["release"], release_source(params), problems)
    except RegistryError as error:
        name = parse_release_name(params["release"], "release", Problems())
        if name is None or name.kind != "registry" or not name.digest:
            raise
        message = "cannot be read, so only the release image is checked, and is not ready"
        problems.warning("release-not-read", params["release"], message, "Correct what its row reports")
        return {**params, "release_image": params["release_image"] or params["release"]}, error.problems
    release = ReleaseOptions.from_params(params).load(opened, problems)
    return {**params, "release_image": params["release_image"] or opened.pull_spec or None}, release


def _load_previous(params: dict[str, Any], problems: Problems) -> Release | None:
    if not params["previous_release"]:
        return None
    found = Problems()
    opened = open_release(params["previous_release"], release_source(params), found, "previous_release")
    problems += (problem for problem in found if problem not in problems)  # about both releases
    return opened.load(Problems(), cluster_profile=params["cluster_profile"])


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **release_spec(),
        **inclusion_spec("cluster_type"),
        "images": {"type": "str", "choices": ["release", "all"], "default": "release"},
        "previous_release": {"type": "path"},
        "signature": {"type": "str", "choices": ["required", "warn", "ignore"], "default": "ignore"},
    },
    run,
    prepare=(lambda module: require_library(module, "urllib3", "urllib3"),),
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
