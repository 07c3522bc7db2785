# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""When the files of a release image are complete: no lower layer has to be read then."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .._release.loader import CVO_MANIFESTS, IMAGE_REFERENCES, METADATA, RELEASE_MANIFESTS

DIRECTORIES = (CVO_MANIFESTS, RELEASE_MANIFESTS)
METADATA_FILE = f"{RELEASE_MANIFESTS}/{METADATA}"
_REFERENCES_FILE = f"{RELEASE_MANIFESTS}/{IMAGE_REFERENCES}"
_OWN = {
    "CustomResourceDefinition": "clusterversions.config.openshift.io",
    "Deployment": "cluster-version-operator",
    "Namespace": "openshift-cluster-version",
}
"""Manifests of the CVO itself, one of each of the directories that its image copies them from, each to a layer
(openshift/cluster-version-operator:Dockerfile)."""


def is_complete(files: Mapping[str, bytes]) -> bool:
    """Whether the files of the highest layers of a release image are all that it has in its two directories."""
    if METADATA_FILE not in files or _REFERENCES_FILE not in files:
        return False
    own = [data for path, data in files.items() if path.startswith(f"{CVO_MANIFESTS}/")]
    return all(any(_defines(data, kind, name) for data in own) for kind, name in _OWN.items())


def _defines(data: bytes, kind: str, name: str) -> bool:
    # Templates are not YAML before they are rendered, so the text is searched.
    return name.encode() in data and all(
        re.search(rb'^\s*"?%s"?\s*:\s*"?%s"?\s*,?\s*$' % (key, re.escape(value.encode())), data, re.MULTILINE)
        for key, value in ((b"kind", kind), (b"name", name))
    )
