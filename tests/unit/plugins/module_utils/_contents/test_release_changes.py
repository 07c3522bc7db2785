# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between two releases, and which images a release names where."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import Inclusion, Reason
from ansible_collections.capability.openshift.plugins.module_utils._contents.images import (
    image_finder,
    list_images,
)
from ansible_collections.capability.openshift.plugins.module_utils._contents.release_changes import (
    ComparedRelease,
    compare_releases,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import LoadedRelease, load_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    documents,
    image_references,
    manifest,
    write_release,
)

CLI, CONSOLE, OTHER = (f"registry.example/{name}@sha256:{number}" for number, name in enumerate(("a", "a", "b")))


def load(path: Path, version: str, images: Mapping[str, str], **manifests: str) -> LoadedRelease:
    files = {f"0000_{10 + index}_{name}.yaml": text for index, (name, text) in enumerate(manifests.items())}
    references = image_references(version, images)
    return load_release(str(write_release(path / version, files, version, references=references)))


def compared(loaded: LoadedRelease) -> ComparedRelease:
    release = loaded.release
    return ComparedRelease(release, loaded.files, loaded.image_stream, tuple(release.manifests), f"r:{release.version}")


def changes_of(sides: tuple[LoadedRelease, ...], known: list[str]) -> dict[str, Any]:
    before, after = map(compared, sides)
    return compare_releases(before, after, known)


def config(name: str, *, delete: bool = False, **data: str) -> str:
    annotations = {DELETE: "true"} if delete else {}
    return manifest(name, namespace="x", annotations=annotations, more=f"data: {json.dumps(data)}\n")


def request(name: str, action: str, *, account: str = "one", secret: str = "s", label: str = "") -> str:
    entry = {"effect": "Allow", "action": [action], "resource": "*"}
    spec = {
        "providerSpec": {"kind": "AWSProviderSpec", "statementEntries": [entry]},
        "secretRef": {"namespace": "x", "name": secret},
        "serviceAccountNames": [account],
        "comment": label,
    }
    api = "cloudcredential.openshift.io/v1"
    return manifest(name, kind="CredentialsRequest", api=api, namespace="x", more=f"spec: {json.dumps(spec)}\n")


def names(changes: Mapping[str, Any]) -> dict[str, list[str]]:
    return {change: [item["name"] for item in items] for change, items in changes["manifests"].items() if items}


def test_manifests_come_go_change_and_are_deleted(tmp_path: Path) -> None:
    old = {"same": config("same"), "changed": config("changed", a="1"), "gone": config("gone"), "left": config("left")}
    new = {
        "same": config("same"),
        "changed": config("changed", a="2"),
        "gone": config("gone", delete=True),
        "late": config("late", delete=True),
        "new": config("new"),
    }
    sides = load(tmp_path, "4.20.3", {}, **old), load(tmp_path, "4.20.4", {}, **new)
    changes = changes_of(sides, ["B", "A"])
    both = {"changed": ["changed"]}
    assert names(changes) == {**both, "added": ["new"], "removed": ["left"], "deleted": ["gone", "late"]}
    assert (changes["version"], changes["known_capabilities"]) == ("4.20.3", ["A", "B"])
    back = changes_of(sides[::-1], [])
    assert names(back) == {**both, "added": ["gone", "left"], "removed": ["new"]}


def test_pull_specs_and_the_version_are_no_change(tmp_path: Path) -> None:
    def side(version: str, cli: str, more: str = "") -> ComparedRelease:
        texts = {
            "image": config("image", a=f"{cli} and {CONSOLE}", b=f"r:{version}", c=f"v{more}\n{version}"),
            "part": config("part", a=f"{version}.1"),
        }
        return compared(load(tmp_path, version, {"cli": cli, "console": CONSOLE}, **texts))

    changes = compare_releases(side("4.20.3", CLI), side("4.20.4", OTHER), [])
    assert names(changes) == {"changed": ["part"]}
    (image,) = changes["images"]["changed"]
    assert (image["name"], image["before"]["pull_spec"], image["after"]["pull_spec"]) == ("cli", CLI, OTHER)
    other = compare_releases(side("4.20.5", CLI), side("4.20.6", CLI, "w"), [])
    assert names(other) == {"changed": ["image", "part"]}
    assert other["images"] == {"added": [], "removed": [], "changed": []}


def test_images_that_come_and_go_are_named(tmp_path: Path) -> None:
    one = manifest("one")
    sides = load(tmp_path, "4.20.3", {"cli": CLI}, a=one), load(tmp_path, "4.20.4", {"console": CONSOLE}, a=one)
    images = changes_of(sides, [])["images"]
    assert {change: [item["name"] for item in found] for change, found in images.items()} == {
        "added": ["console"],
        "removed": ["cli"],
        "changed": [],
    }


def test_permissions_in_the_cloud_are_compared(tmp_path: Path) -> None:
    old = [request("changed", "s3:Get"), request("same", "s3:Get", label="a"), request("gone", "ec2:X")]
    new = [request("changed", "s3:Put", account="two", secret="t"), request("same", "s3:Get"), request("new", "a:B")]
    sides = load(tmp_path, "4.20.3", {}, r=documents(*old)), load(tmp_path, "4.20.4", {}, r=documents(*new))
    found = changes_of(sides, [])["credentials_requests"]
    none: dict[str, Any] = {
        "namespace": "x",
        "provider": "AWSProviderSpec",
        "permissions_added": [],
        "permissions_removed": [],
        "service_accounts_added": [],
        "service_accounts_removed": [],
        "secret_before": None,
        "secret_after": None,
    }
    gone, added = ["Allow ec2:X on *"], ["Allow a:B on *"]
    by_name = {item["name"]: item for item in found}
    assert by_name == {
        "gone": {
            **none,
            "name": "gone",
            "change": "removed",
            "permissions_removed": gone,
            "service_accounts_removed": ["one"],
            "secret_before": "x/s",
        },
        "new": {
            **none,
            "name": "new",
            "change": "added",
            "permissions_added": added,
            "service_accounts_added": ["one"],
            "secret_after": "x/s",
        },
        "changed": {
            **none,
            "name": "changed",
            "change": "changed",
            "permissions_added": ["Allow s3:Put on *"],
            "permissions_removed": ["Allow s3:Get on *"],
            "service_accounts_added": ["two"],
            "service_accounts_removed": ["one"],
            "secret_before": "x/s",
            "secret_after": "x/t",
        },
    }


def test_each_image_is_in_one_list(tmp_path: Path) -> None:
    foreign, images = "quay.io/other/image:1", {"cli": CLI, "also-cli": CLI, "console": CONSOLE, "other": OTHER}
    pod = f"spec: {{containers: [{{name: a, image: {foreign}}}]}}\n"
    loaded = load(
        tmp_path,
        "4.20.3",
        images,
        included=documents(config("a", a=CLI), manifest("p", kind="Pod", namespace="x", more=pod)),
        excluded=documents(config("b", a=CLI, b=CONSOLE), config("c", a=f"{OTHER}9")),
        deleted=config("d", delete=True, a=OTHER),
    )
    reason = (Reason("capability", "disabled"),)
    decisions = [Inclusion(item, () if item.resource_id.name in "apd" else reason) for item in loaded.release.manifests]
    lists = list_images(loaded.release, loaded.files, decisions)
    assert lists._asdict() == {
        "included": (("", foreign), ("also-cli", CLI)),
        "excluded": (("console", CONSOLE),),
        "unreferenced": (("other", OTHER),),
    }


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
