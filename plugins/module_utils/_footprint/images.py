# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Images that a manifest names: in the containers of a workload, and in ConfigMaps from which operators read images.

An operator deploys its operands with images that its release names for it, most of them in a ConfigMap. A release has
no list of these ConfigMaps. ``oc adm release new`` replaces each pull spec in the manifests by one of image-references,
so text in a ConfigMap is an image if the release has that pull spec. In addition, the entry ``images.json`` contains
nothing but images, by convention. So it is also read in manifests that were not part of a release image.
Source: openshift/oc:pkg/cli/admin/release/image_mapper.go NewTransformFromImageStreamFile;
openshift/machine-api-operator:install/0000_30_machine-api-operator_01_images.configmap.yaml (like others).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from .._release.manifest import Manifest
from .._unstructured import nested
from .workloads import is_workload, workload_images

IMAGES_ENTRY = "images.json"
"""Entry of a ConfigMap with a JSON map of names and pull specs. It may also contain the version of the release."""

_DELIMITERS = re.compile(r"""[\s"',]+""")


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
