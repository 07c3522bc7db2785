#!/usr/bin/python
# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: release_fetch
short_description: Write the manifests of an OpenShift release image to a directory
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads a release from its image in a registry, an image layout or an archive, and writes C(release-manifests/) and
    C(manifests/) to a directory. All modules can read the release from there.
  - The other modules read images themselves, so this one is for other tools and for sites without a registry.
  - Reads only the layers with these directories, and checks the digest of each layer before it uses its files. Reading
    ends at the layer that completes the release, so that it has its metadata, image references, ClusterVersion
    CustomResourceDefinition, and the Deployment and Namespace of the cluster-version operator.
  - Removes files of an earlier run that the release does not contain. Never touches other files.
extends_documentation_fragment:
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup
  - capability.openshift._release_image
  - capability.openshift._registry
attributes:
  check_mode:
    support: full
    details:
      - Reads the image, and writes to the cache but not to O(dest).
  diff_mode:
    support: full
    details:
      - Shows the names of added and removed files, and the content of changed ones.
  idempotent:
    support: full
options:
  release:
    description:
      - Pull spec of the release image, or the name of an image in a layout or an archive.
      - The notes list the forms of a name.
    type: path
    required: true
  dest:
    description:
      - Directory to write to. It is created if it does not exist.
    type: path
    required: true
seealso:
  - module: capability.openshift.release_info
  - module: capability.openshift.release_manifests
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Write a release from a mirror registry
  capability.openshift.release_fetch:
    release: "quay.io/openshift-release-dev/ocp-release@{{ release_digest }}"
    mirrors: [working-dir/cluster-resources]
    auth_file: /srv/secrets/auth.json
    ca_path: /srv/secrets/mirror-ca.crt
    dest: /srv/releases/4.20.3

- name: Write a release from an archive of oc-mirror
  capability.openshift.release_fetch:
    release: oc-mirror:/media/mirror_000001.tar
    dest: /srv/releases/4.20.3
"""

RETURN = r"""
dest:
  description: The directory.
  returned: success
  type: str
  sample: /srv/releases/4.20.3
image:
  description: The image that was read.
  returned: success
  type: dict
  contains:
    pull_spec:
      description: Its pull spec by digest. Empty for an archive or a layout, which do not contain the name.
      type: str
      returned: always
      sample: quay.io/ocp/release@sha256:2f9145136fb387d43c7fff55b30a036c14eb96b0992c292274b6f543c6c33857
    digest:
      description: The digest of the image, or of the list of images, that O(release) names.
      type: str
      returned: always
      sample: sha256:2f9145136fb387d43c7fff55b30a036c14eb96b0992c292274b6f543c6c33857
    manifest_digest:
      description: The digest of the image that was read. It differs from C(digest) for a list.
      type: str
      returned: always
      sample: sha256:2f9145136fb387d43c7fff55b30a036c14eb96b0992c292274b6f543c6c33857
    architecture:
      description: The architecture that was requested.
      type: str
      returned: always
      sample: amd64
    source:
      description: Where the image was read from, such as a mirror.
      type: str
      returned: always
      sample: mirror.example/release@sha256:2f9145136fb387d43c7fff55b30a036c14eb96b0992c292274b6f543c6c33857
    signed_by:
      description: As RV(capability.openshift.release_info#module:release.signed_by).
      type: list
      elements: dict
      returned: always
files:
  description: How many files of the release are in C(release-manifests/) and C(manifests/).
  returned: success
  type: int
  sample: 775
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - All warnings and remarks.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._extract.destination import write_release
from ..module_utils._extract.result import destination_diff
from ..module_utils._module.argspec import release_image_spec, release_source
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import InvalidOptionError, Problem, Problems
from ..module_utils._release_image.open_release import open_release

_NO_IMAGE = Problem(
    "error",
    "not-an-image",
    "release",
    "names a directory, expected an image",
    "Set release to a pull spec, or to oci-archive: or oc-mirror: with a path",
)


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Read the image and write its release. Raises ``CapabilityError``."""
    params = module.params
    opened = open_release(params["release"], release_source(params), problems)
    if opened.image is None:
        raise InvalidOptionError([_NO_IMAGE])
    plans = write_release(opened.directory, params["dest"], check_mode=module.check_mode)
    problems += [problem for plan in plans for problem in plan.problems]
    image = opened.image._asdict()
    del image["built_for"]
    signed_by = [signer._asdict() for signer in opened.signed_by]
    result.update(
        changed=any(plan.changed for plan in plans),
        dest=params["dest"],
        image={"pull_spec": opened.pull_spec, **image, "signed_by": signed_by},
        files=sum(len(plan.files) for plan in plans),
    )
    if module._diff:
        result["diff"] = [entry for plan in plans for entry in destination_diff(plan)]


MODULE = ModuleDefinition(
    {
        "release": {"type": "path", "required": True},
        "dest": {"type": "path", "required": True},
        **release_image_spec(),
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
