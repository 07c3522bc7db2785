# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """Options for releases in images: ``release_image_spec`` in ``module_utils/_module/argspec.py``.

    List ``_registry`` next to it.
    """

    DOCUMENTATION = r"""
options:
  architecture:
    description:
      - Architecture of the release, if its image is a list with several, such as V(arm64), V(ppc64le) or V(s390x).
      - V(multi) is for clusters whose nodes have several architectures. It reads the image of V(amd64), or else the
        first one, because their manifests are the same.
      - The digest that names the release stays that of the list.
    type: str
    default: amd64
  release_cache:
    description:
      - Directory in which releases that were read from images are kept, each once. A release that is named by its
        digest is read from it without any request.
      - The last 32 releases are kept, of about 16 MB each. The directory can be removed at any time when no task runs.
      - It also has an index of each of the last 64 releases that were read, of about 0.5 MB, so that the next task does
        not parse 1,100 manifests again. A task does not use an index after a file of its release has changed.
      - By default, C(capability-openshift/releases) in the directory of the environment variable E(XDG_CACHE_HOME), or
        else in C(~/.cache).
    type: path
notes:
  - A release can be named by a directory or by its image. C(REGISTRY/REPOSITORY@sha256:DIGEST) and
    C(REGISTRY/REPOSITORY:TAG) are pull specs, C(oci:DIRECTORY[:NAME]) and C(oci-archive:FILE[:NAME]) name an image
    that C(skopeo copy) wrote, and C(oc-mirror:PATH[@sha256:DIGEST]) one in the archive C(mirror_*.tar) of oc-mirror v2,
    or in the directory of its archives. An existing directory always stays a directory.
  - From an image, only the layers with the manifests of the release are read, typically 2 MB. Each is checked against
    its digest. A tag is looked up in the registry each time.
  - To set these options for all modules that read a release, use C(group/capability.openshift.release) in
    C(module_defaults).
"""
