# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options that name a release: ``release_spec`` in ``module_utils/_module/argspec.py``."""

    DOCUMENTATION = r"""
options:
  release:
    description:
      - The release, a directory or the name of an image.
      - The notes list the forms of a name.
      - A directory either has the layout of the release image, or is a flat directory of manifests. The release image
        has a directory C(release-manifests/), with C(release-metadata) and C(image-references), and a directory
        C(manifests/), with the manifests of the cluster-version operator itself.
      - Files ending in C(.yaml), C(.yml) or C(.json) are read in the order of their names. Subdirectories are ignored.
    type: path
    required: true
  openshift_version:
    description:
      - Version of the release, such as V(4.20) or V(4.20.3). Quote it, because YAML reads C(4.20) as the number 4.2.
      - Required only for a flat directory without C(release-metadata).
    type: str
  release_image:
    description:
      - Pull spec of the release image, for C({{.ReleaseImage}}) in the templates of C(manifests/).
      - By default, the templates are rendered with V(<unset>), and a warning reports this if one of them is written.
    type: str
"""
