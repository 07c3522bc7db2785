# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.images import has_images, images_of
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

ONE, TWO = "registry.example/release@sha256:1111", "registry.example/release@sha256:2222"


def of(kind: str, group: str = "") -> Manifest:
    return Manifest(ResourceId(group, kind, "openshift-x", "x"), "v1", {}, "x.yaml")


@pytest.mark.parametrize(
    ("data", "images"),
    [
        ({"images.json": json.dumps({"a": ONE, "b": TWO, "releaseVersion": "4.20.3"})}, {ONE, TWO}),
        ({"images.json": json.dumps({"a": "quay.io/openshift/a", "b": 1, "c": None})}, {"quay.io/openshift/a"}),
        ({"images.json": "not JSON"}, set()),
        ({"images.json": "[1]"}, set()),
        ({"builderImage": ONE, "url": "registry.example/other"}, {ONE}),
        ({"components": f"spec:\n  containers:\n  - image: {ONE}\n  - image: '{TWO}'\n"}, {ONE, TWO}),
        ({"other.json": json.dumps({"a": TWO, "b": "quay.io/openshift/a"})}, {TWO}),
        ({"longer": f"{ONE}2"}, set()),
        ({"number": 1}, set()),
        (None, set()),
        ([ONE], set()),
    ],
)
def test_images_of_a_config_map_are_pull_specs_of_the_release_and_all_of_images_json(data, images):
    assert images_of(of("ConfigMap"), {"data": data}, [ONE, TWO]) == images


def test_images_of_a_workload_are_those_of_its_containers():
    body: dict[str, Any] = {"spec": {"template": {"spec": {"containers": [{"image": "a", "env": [{"value": ONE}]}]}}}}

    assert images_of(of("Deployment", "apps"), body, [ONE]) == {"a", ONE}


@pytest.mark.parametrize(
    ("kind", "group", "expected"),
    [("ConfigMap", "", True), ("Deployment", "apps", True), ("ConfigMap", "example.org", False), ("Secret", "", False)],
)
def test_workloads_and_config_maps_can_name_images(kind, group, expected):
    assert has_images(of(kind, group)) is expected
