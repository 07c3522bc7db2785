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
      - It also has an index of each of the last 64 releases that were read, of about 0.5 MB. So the next task does not
        parse 1,100 manifests again. A task does not use an index after a file of its release has changed.
      - By default, C(capability-openshift/releases) in the directory of the environment variable E(XDG_CACHE_HOME), or
        else in C(~/.cache).
    type: path
  signature:
    description:
      - What to do if a release that is named by its image has no valid OpenPGP signature, as the cluster-version
        operator verifies it. V(required) fails, V(warn) adds warnings with the reasons, and V(ignore) does not look for
        a signature.
      - The signature is that of the digest. It is verified once, and the result is kept in the cache. A directory has
        no digest, so this option has no effect on it.
      - The key rings are those of O(signature_keys). By default, they are those that the release brings, if all of
        their keys are known keys of Red Hat.
    type: str
    choices: [required, warn, ignore]
    default: warn
  signature_keys:
    description:
      - Files with OpenPGP key rings, armored or binary, instead of those of the release. Each of them must have signed
        the release image.
    type: list
    elements: path
    default: []
  signature_stores:
    description:
      - Where to look for OpenPGP signatures, instead of the web servers that the release names.
      - Each element is a URL, a path, or a ConfigMap (or list of ConfigMaps) as an object.
      - A URL is that of a signature store. The module reads C(URL/sha256=HEX/signature-1) and so on.
      - A file is a signature, or the manifest of a ConfigMap with signatures. A directory contains such files, such as
        C(working-dir/signatures) of oc-mirror, or has the layout of a signature store.
    type: list
    elements: raw
    default: []
notes:
  - A release can be named by a directory or by its image. C(REGISTRY/REPOSITORY@sha256:DIGEST) and
    C(REGISTRY/REPOSITORY:TAG) are pull specs, C(oci:DIRECTORY[:NAME]) and C(oci-archive:FILE[:NAME]) name an image
    that C(skopeo copy) wrote, and C(oc-mirror:PATH[@sha256:DIGEST]) one in the archive C(mirror_*.tar) of oc-mirror v2,
    or in the directory of its archives. An existing directory always stays a directory.
  - From an image, only the layers with the manifests of the release are read, typically 2 MB. Each is checked against
    its digest. A tag is looked up in the registry each time.
  - Verifying a signature needs C(gpgv) on the host where the module runs. It is in the package C(gpgv) of Debian and
    C(gnupg2) of RHEL.
  - To set these options for all modules that read a release, use C(group/capability.openshift.release) in
    C(module_defaults).
"""
