# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The images of a release, and which manifests name them.

An operator deploys its operands with images that its release names for it, most of them in a ConfigMap. A release has
no list of these ConfigMaps. ``oc adm release new`` replaces each pull spec in the manifests by one of image-references,
so text in a ConfigMap is an image if the release has that pull spec. In addition, the entry ``images.json`` contains
nothing but images, by convention. So it is also read in manifests that were not part of a release image.
Source: openshift/oc:pkg/cli/admin/release/image_mapper.go NewTransformFromImageStreamFile;
openshift/machine-api-operator:install/0000_30_machine-api-operator_01_images.configmap.yaml (like others).

``oc`` replaces pull specs in the text of each manifest, whatever the field. So a search in the JSON of a body also
finds those in ImageStreams, in arguments and in fields of custom resources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from .._capability.inclusion import Inclusion
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.template import UNSET_RELEASE_IMAGE
from .._resources import nested
from .workloads import is_workload, workload_images

IMAGES_ENTRY = "images.json"
"""Entry of a ConfigMap with a JSON map of names and pull specs. It may also contain the version of the release."""

_OF_INSTALLATION = (
    "cloud-credential-operator",
    "cluster-ingress-operator",
    "cluster-node-tuning-operator",
    "ironic-agent",
    "machine-os-images",
)
"""Images of capabilities that installations use whatever they select.

The bootstrap runs the operators, which look at the selection. A hub inspects a BareMetalHost with the agent, of its
release or of the one of the site, before it installs the host. The agent-based installer takes its ISO from the last.
Source: openshift/installer:data/data/bootstrap/files/usr/local/bin/bootkube.sh.template (openshift/installer#6691) and
pkg/asset/agent/image/oc.go GetBaseIso; openshift/assisted-service:internal/controller/controllers/
preprovisioningimage_controller.go getIronicAgentImageFromClusterImageSet.
"""

_BY_HYPERSHIFT = frozenset({"hosted_control_plane", "cluster_profile"})
"""Filters that exclude what HyperShift runs itself, with the same images.

Source: openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/assets.
"""

_OF_HYPERSHIFT = (
    "cluster-capi-controllers",
    "aws-cluster-api-controllers",
    "azure-cluster-api-controllers",
    "gcp-cluster-api-controllers",
    "ibmcloud-cluster-api-controllers",
    "openstack-cluster-api-controllers",
    "openstack-resource-controller",
)
"""Images of Cluster API that HyperShift runs, whatever the feature set of the hosted cluster.

Source: openshift/hypershift:hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go ImageStreamCAPI
and internal/platform/platform.go.
"""

_NAME = rb"[\w./:@-]"
_DELIMITERS = re.compile(r"""[\s"',]+""")


class ListedImage(NamedTuple):
    """An image. ``name`` is its tag in image-references, empty if it is not there."""

    name: str
    pull_spec: str


class ImageLists(NamedTuple):
    """All images of a release, each in one list, sorted by name.

    ``included`` are those that an included manifest names, or that an installation or HyperShift can use, ``excluded``
    those that only excluded manifests name, and ``unreferenced`` those that only image-references names. A manifest
    that deletes its resource names nothing.
    """

    included: tuple[ListedImage, ...]
    excluded: tuple[ListedImage, ...]
    unreferenced: tuple[ListedImage, ...]


def has_images(manifest: Manifest) -> bool:
    """Whether a manifest can name images, so ``images_of`` needs its body."""
    return is_workload(manifest) or _is_config_map(manifest)


def images_of(manifest: Manifest, body: Any, pull_specs: Collection[str]) -> frozenset[str]:
    """Return the images that a manifest names. ``body`` is its body, ``pull_specs`` are the images of the release."""
    images = _config_map_images(body, pull_specs) if _is_config_map(manifest) else ()
    return frozenset((*images, *(workload_images(manifest, body, pull_specs) if is_workload(manifest) else ())))


def _is_config_map(manifest: Manifest) -> bool:
    return manifest.resource_id.group_kind == ("", "ConfigMap")


def _config_map_images(body: Any, pull_specs: Collection[str]) -> Iterator[str]:
    data = nested(body, "data")
    for key, text in data.items() if isinstance(data, dict) else ():
        if isinstance(text, str):
            yield from frozenset(pull_specs).intersection(_DELIMITERS.split(text))
            if key == IMAGES_ENTRY:
                yield from _listed_images(text)


def _listed_images(text: str) -> Iterator[str]:
    """Yield the pull specs in an ``images.json``. Other values, such as a version, have no path."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    for value in content.values() if isinstance(content, dict) else ():
        if isinstance(value, str) and "/" in value:
            yield value


def list_images(release: Release, inclusions: Iterable[Inclusion], *, hosted: bool = False) -> ImageLists:
    """List the images of ``release``. ``hosted``: HyperShift runs the cluster. Raises ``ReleaseError``."""
    included, excluded = set[str](), set[str]()
    images = release.images
    find, pull_specs = image_finder(images.values()), frozenset(images.values())
    ignored = _BY_HYPERSHIFT if hosted else frozenset()
    wanted = {item.manifest.location for item in inclusions if ignored.issuperset(why.rule for why in item.reasons)}
    for file in release.files.values():
        for manifest, body in file.read_all_json():
            if not manifest.deletes:
                found = included if manifest.location in wanted else excluded
                found.update(find(body))
                found.update(_other_images(release, manifest, pull_specs))
    names = {pull_spec: name for name, pull_spec in sorted(images.items(), reverse=True)}
    run_elsewhere = (*_OF_INSTALLATION, *_OF_HYPERSHIFT) if hosted else _OF_INSTALLATION
    included |= excluded.intersection(images[name] for name in run_elsewhere if name in images)
    rest = set(names) - included - excluded
    return ImageLists(
        *(
            tuple(sorted(ListedImage(names.get(pull_spec, ""), pull_spec) for pull_spec in part))
            for part in (included, excluded - included, rest)
        )
    )


def image_finder(pull_specs: Iterable[str]) -> Callable[[bytes], Iterator[str]]:
    """A function that yields each occurrence of one of ``pull_specs`` in a body (JSON)."""
    texts = {spec.encode() for spec in pull_specs if spec}
    if not texts:
        return lambda _body: iter(())
    pattern = whole_names(texts, _NAME)
    # The pattern needs 0.5 s for the bodies of a release, and few manifests contain any of these.
    hosts = {text.partition(b"/")[0] for text in texts}

    def find(body: bytes) -> Iterator[str]:
        if any(host in body for host in hosts):
            yield from (match.group().decode() for match in pattern.finditer(body))

    return find


def whole_names(names: Iterable[bytes], character: bytes) -> re.Pattern[bytes]:
    """A pattern that finds ``names`` in JSON, unless one is part of a longer name, which consists of ``character``."""
    either = b"|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # The letter of an escaped line break or tab is not part of a name.
    return re.compile(rb"(?:(?<!" + character + rb")|(?<=\\[nrt]))(?:" + either + rb")(?!" + character + rb")")


def _other_images(release: Release, manifest: Manifest, pull_specs: frozenset[str]) -> frozenset[str]:
    """Images of workloads that are not in image-references, such as the release image in the Deployment of the CVO."""
    if not has_images(manifest):
        return frozenset()
    found = images_of(manifest, release.read_body(manifest), pull_specs)
    return found - {UNSET_RELEASE_IMAGE}
