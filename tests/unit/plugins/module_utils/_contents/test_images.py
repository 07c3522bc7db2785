# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import Inclusion, Reason
from ansible_collections.capability.openshift.plugins.module_utils._contents.images import (
    has_images,
    image_finder,
    images_of,
    list_images,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    documents,
    image_references,
    manifest,
    write_release,
)

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


CLI, CONSOLE, OTHER, CREDENTIALS = (f"registry.example/{name}@sha256:{at}" for at, name in enumerate("aabb"))


def config(name: str, *, delete: bool = False, **data: str) -> str:
    annotations = {DELETE: "true"} if delete else {}
    return manifest(name, namespace="x", annotations=annotations, more=f"data: {json.dumps(data)}\n")


def release_of(tmp_path: Path, files: dict[str, str], images: dict[str, str]) -> Release:
    references = image_references("4.20.3", images)
    return load_release(str(write_release(tmp_path, files, "4.20.3", references=references)), Problems())


def test_each_image_is_in_one_list(tmp_path: Path) -> None:
    foreign, images = "quay.io/other/image:1", {"cli": CLI, "also-cli": CLI, "console": CONSOLE, "other": OTHER}
    images["cloud-credential-operator"] = CREDENTIALS  # that the bootstrap runs
    pod = f"spec: {{containers: [{{name: a, image: {foreign}}}]}}\n"
    files = {
        "0000_10_a.yaml": documents(config("a", a=CLI), manifest("p", kind="Pod", namespace="x", more=pod)),
        "0000_20_b.yaml": documents(config("b", a=CLI, b=CONSOLE, c=CREDENTIALS), config("c", a=f"{OTHER}9")),
        "0000_30_d.yaml": config("d", delete=True, a=OTHER),
    }
    loaded = release_of(tmp_path, files, images)
    reason = (Reason("capability", "disabled"),)
    decisions = [Inclusion(item, () if item.resource_id.name in "apd" else reason) for item in loaded.manifests]
    lists = list_images(loaded, decisions)
    assert lists._asdict() == {
        "included": (("", foreign), ("also-cli", CLI), ("cloud-credential-operator", CREDENTIALS)),
        "excluded": (("console", CONSOLE),),
        "unreferenced": (("other", OTHER),),
    }
    others = [item._replace(reasons=item.reasons and (Reason("cluster_profile", "unset"),)) for item in decisions]
    assert list_images(loaded, others).excluded == lists.excluded
    assert list_images(loaded, others, hosted=True).excluded == ()
    assert list_images(loaded, decisions, hosted=True) == lists


def test_hypershift_runs_cluster_api_of_a_feature_set_that_the_cluster_lacks(tmp_path: Path) -> None:
    files = {"0000_30_cluster-api_01_images.yaml": config("images", a=CLI, b=CONSOLE)}
    loaded = release_of(tmp_path, files, {"cluster-capi-controllers": CLI, "console": CONSOLE})
    decisions = [Inclusion(item, (Reason("feature_set", "disabled"),)) for item in loaded.manifests]
    assert list_images(loaded, decisions).included == ()
    assert list_images(loaded, decisions, hosted=True).included == (("cluster-capi-controllers", CLI),)


@pytest.mark.parametrize("name", ["machine-os-images", "ironic-agent"])
def test_an_installation_uses_an_image_of_baremetal(tmp_path: Path, name: str) -> None:
    files = {"0000_31_baremetal.yaml": config("images", used=CLI, ironic=OTHER)}
    loaded = release_of(tmp_path, files, {name: CLI, "ironic": OTHER})
    lists = list_images(loaded, [Inclusion(item, (Reason("capability", "disabled"),)) for item in loaded.manifests])
    assert (lists.included, lists.excluded) == (((name, CLI),), (("ironic", OTHER),))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f'"{CLI}"', [CLI]),
        (f'"{CLI} {CLI}"', [CLI, CLI]),
        (f'"x{CLI}"', []),
        (f'"{CLI}/x"', []),
        (f'"a\\n{CLI}\\n"', [CLI]),
        ('"registry.example"', []),
    ],
)
def test_only_a_whole_pull_spec_is_an_image(body: str, found: list[str]) -> None:
    assert list(image_finder([CLI, ""])(body.encode())) == found
    assert list(image_finder([""])(body.encode())) == []
