# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for releases in images and for registries: ``release_image_spec`` of ``_module/argspec.py``."""

    DOCUMENTATION = r"""
options:
  architecture:
    description:
      - Architecture of the release, such as V(arm64), V(ppc64le) or V(s390x). Has an effect if the release image is a
        list of images for several architectures.
      - V(multi) is for clusters whose nodes have several architectures. It reads the image of V(amd64), or else the
        first one, because their manifests are the same.
      - The pull spec of the release keeps the digest of the list.
    type: str
    default: amd64
  release_cache:
    description:
      - Directory of releases that were read from images. A release that is named by its digest is read from it
        without any request.
      - The directory contains the last 32 releases, of about 16 MB each. You can remove it when no task runs.
      - It also contains an index of each of the last 32 releases that were read, of about 12 MB. With the index, the
        next task does not parse 1,100 manifests again. If a file of the release has changed, the index is not used.
      - By default, C(capability-openshift/releases) in the directory of the environment variable E(XDG_CACHE_HOME), or
        else in C(~/.cache).
    type: path
  signature:
    description:
      - What to do if a release that is named by its image does not have a valid OpenPGP signature for each key ring.
        V(required) fails, V(warn) adds warnings with the reasons, and V(ignore) does not look for a signature.
      - The signature contains the digest of the image. The module verifies it once, and keeps the result in
        O(release_cache) until the content of the key rings changes. A failure is not kept.
      - A directory has no digest, so this option has no effect on it.
      - The module verifies signatures with the key rings in O(signature_keys). By default, it uses the key rings in the
        release, and then accepts only signatures by known keys of Red Hat.
      - M(capability.openshift.release_apply) and M(capability.openshift.update_plan) use the key rings and the
        signature stores of the release before the update, if they know that release.
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
      - A URL names a signature store. The module reads C(URL/sha256=HEX/signature-1) and so on.
      - A file is a signature, or has manifests of ConfigMaps with signatures. A directory contains such files, such as
        C(working-dir/signatures) of oc-mirror, or has the layout of a signature store.
    type: list
    elements: raw
    default: []
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
      - A token server on another host needs TLS with a valid certificate, unless this option names that host as well.
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
  - A release can be named by a directory or by its image. C(REGISTRY/REPOSITORY@sha256:DIGEST) and
    C(REGISTRY/REPOSITORY:TAG) are pull specs, C(oci-archive:FILE[:NAME]) names an image that C(skopeo copy) wrote, and
    C(oc-mirror:PATH[@sha256:DIGEST]) one in the archive C(mirror_*.tar) of oc-mirror v2, or in the directory of its
    archives. If a directory with the given name exists, it is used.
  - From an image, only the layers with the manifests of the release are read. Each is checked against
    its digest. A tag is looked up in the registry each time.
  - Layers that are compressed with zstd need Python 3.14, or the library C(zstandard) or C(backports.zstd), on the host
    where the module runs.
  - Verifying a signature needs C(gpgv) on the host where the module runs. It is in the package C(gpgv) of Debian and
    C(gnupg2) of RHEL.
  - To set these options for all modules that read a release, use C(group/capability.openshift.release) in
    C(module_defaults).
  - Requests to registries, token servers and signature stores use the proxies that the environment variables
    E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY) set on the host where the module runs. The rules are those of Go, as
    for C(oc), podman and the cluster-version operator, but a proxy cannot be a SOCKS proxy.
"""
