# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this doc fragment is **PRIVATE** to the collection. It can have breaking changes at any time.

from __future__ import annotations


class ModuleDocFragment:
    """Options for reading from registries: ``registry_spec`` in ``module_utils/_module/argspec.py``."""

    DOCUMENTATION = r"""
options:
  pull_secret:
    description:
      - Credentials for registries, as JSON or as a dict. This is the pull secret of an install-config, or the content
        of C(.dockerconfigjson) in a Secret.
      - Precedes the files of O(auth_file).
    type: json
  auth_file:
    description:
      - File with credentials for registries, such as C(auth.json) of podman, C(config.json) of Docker, or a file with a
        pull secret. It must exist.
      - A key can be a registry, or a registry with a path. The longest key that matches the repository counts.
        C(credHelpers) and C(credsStore) run the credential helper on the host where the module runs.
      - Without this option and O(pull_secret), the module reads the file that the environment variable
        E(REGISTRY_AUTH_FILE) names. If the variable is not set, it takes the credentials for the repository from the
        first of these files that has some - C($XDG_RUNTIME_DIR/containers/auth.json),
        C($XDG_CONFIG_HOME/containers/auth.json), C($DOCKER_CONFIG/config.json).
    type: path
  ca_path:
    description:
      - File with certificates of authorities in PEM format, or a directory that C(openssl rehash) prepared.
        Registries, token servers and proxies are verified with them and with those of the system.
    type: path
  insecure_registries:
    description:
      - Registries whose certificates are not verified, each as C(HOST) or C(HOST:PORT). If such a registry does not
        answer with TLS, it is read with plain HTTP. Credentials are sent to it nevertheless.
      - A token server on another host needs TLS with a valid certificate.
    type: list
    elements: str
    default: []
  mirrors:
    description:
      - Mirrors to read images from. Each element is a path, or an object as the API returns it.
      - The document or object is an C(ImageDigestMirrorSet), an C(ImageTagMirrorSet), an C(ImageContentSourcePolicy), a
        list of these, or an install-config with C(imageDigestSources) or C(imageContentSources). A directory stands for
        its files, such as C(working-dir/cluster-resources) of oc-mirror.
      - As on a node, the longest source that matches applies. Its mirrors in all sets are tried in one order, which
        keeps the order in each entry, and is by name where the entries leave it open. The source itself is tried last,
        unless its policy is C(NeverContactSource). An entry without a mirror has no effect, and neither has its policy.
    type: list
    elements: raw
    default: []
requirements:
  - urllib3, for a release or an image in a registry
notes:
  - Requests to registries, token servers and signature stores use the proxies that the environment variables
    E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY) set on the host where the module runs. The rules are those of Go, as
    for C(oc), podman and the cluster-version operator.
"""
