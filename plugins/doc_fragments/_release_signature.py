# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """Signatures of releases: ``release_signature_spec`` in ``module_utils/_module/argspec.py``."""

    DOCUMENTATION = r"""
options:
  signature:
    description:
      - Whether a release that is read from an image must have a valid OpenPGP signature. It is verified as the CVO does
        before an update, with C(gpgv).
      - V(required) fails without one, and V(warn) warns. V(ignore) does not look for signatures, and sends no request
        for them.
      - The result is kept in O(release_cache). A valid signature is not verified again with the same key rings and
        stores, and with V(warn) neither is an invalid one.
      - An extracted directory has no digest, so this has no effect for it.
    type: str
    choices: [required, warn, ignore]
    default: warn
  signature_keys:
    description:
      - Files with OpenPGP key rings, armored or binary. Each of them must have signed the release image.
      - By default, those in the release itself, in the ConfigMap with the annotation
        C(release.openshift.io/verification-config-map). They show that the image was not damaged, but not who built it.
        To decide whom to trust, set this option to the keys of a release that you trust.
    type: list
    elements: path
    default: []
  signature_stores:
    description:
      - Where to look for signatures, instead of the web servers that the release names. Each element is the URL of a
        signature store, a path, or a ConfigMap (or list of ConfigMaps) as an object.
      - On a disconnected site, C(working-dir/cluster-resources) or C(working-dir/signatures) of oc-mirror.
    type: list
    elements: raw
    default: []
"""
