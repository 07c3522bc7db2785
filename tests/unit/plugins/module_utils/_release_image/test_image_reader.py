# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which files the highest layers of a release image must have, so that lower layers are not read."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._release_image.image_reader import is_complete

FILES = {
    "release-manifests/release-metadata": b"{}",
    "release-manifests/image-references": b"{}",
    "manifests/crd.yaml": b"kind: CustomResourceDefinition\nmetadata:\n  name: clusterversions.config.openshift.io\n",
    "manifests/cvo.yaml": b"kind: Deployment\nmetadata:\n  name: cluster-version-operator\n",
    "manifests/namespace.json": b'{\n"kind": "Namespace",\n"metadata": {\n"name": "openshift-cluster-version"\n}\n}',
}


@pytest.mark.parametrize("missing", ["", *FILES])
def test_each_file_is_necessary(missing):
    assert is_complete({path: data for path, data in FILES.items() if path != missing}) == (not missing)
