# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between two releases, or two selections."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    included_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._contents.comparison import ComparedSide, compare
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._summary.release_info import changes_lines
from ansible_collections.capability.openshift.tests.parity.support import load as load_folder
from ansible_collections.capability.openshift.tests.parity.support import release_folders
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    documents,
    image_references,
    manifest,
    write_release,
)

CLI, CONSOLE, OTHER = (f"registry.example/{name}@sha256:{number}" for number, name in enumerate(("a", "a", "b")))


def load(path: Path, version: str, images: Mapping[str, str], **manifests: str) -> Release:
    files = {f"0000_{10 + index}_{name}.yaml": text for index, (name, text) in enumerate(manifests.items())}
    references = image_references(version, images)
    return load_release(str(write_release(path / version, files, version, references=references)), Problems())


def side_of(loaded: Release, *disabled: str, known: Collection[str] = ()) -> ComparedSide:
    release, status = loaded, CapabilityStatus(frozenset(known), frozenset(known).difference(disabled))
    included = tuple(item for item in release.manifests if not set(item.capabilities) & set(disabled))
    return ComparedSide(release, status, included, f"r:{release.version}")


def changes_of(sides: Iterable[Release]) -> dict[str, Any]:
    before, after = map(side_of, sides)
    return compare(before, after, Problems())


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
    lists = {name: items for name, items in changes["manifests"].items() if isinstance(items, list) and items}
    return {name: [item["name"] for item in items] for name, items in lists.items()}


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
    changes = changes_of(sides)
    both = {"changed": ["changed"]}
    assert names(changes) == {**both, "added": ["new"], "removed": ["gone", "left"], "deleted": ["gone", "late"]}
    assert (changes["previous_version"], changes["manifests"]["before"], changes["manifests"]["after"]) == (
        "4.20.3",
        4,
        3,
    )
    back = changes_of(sides[::-1])
    assert names(back) == {**both, "added": ["gone", "left"], "removed": ["new"]}


def test_pull_specs_and_the_version_are_no_change(tmp_path: Path) -> None:
    def side(version: str, cli: str, more: str = "") -> ComparedSide:
        texts = {
            "image": config("image", a=f"{cli} and {CONSOLE}", b=f"r:{version}", c=f"v{more}\n{version}"),
            "part": config("part", a=f"{version}.1"),
        }
        return side_of(load(tmp_path, version, {"cli": cli, "console": CONSOLE}, **texts))

    changes = compare(side("4.20.3", CLI), side("4.20.4", OTHER), Problems())
    assert names(changes) == {"changed": ["part"]}
    (image,) = changes["images"]["changed"]
    assert (image["name"], image["before"]["pull_spec"], image["after"]["pull_spec"]) == ("cli", CLI, OTHER)
    other = compare(side("4.20.5", CLI), side("4.20.6", CLI, "w"), Problems())
    assert names(other) == {"changed": ["image", "part"]}
    assert other["images"] == {"added": [], "removed": [], "changed": []}


def test_images_that_come_and_go_are_named(tmp_path: Path) -> None:
    one = manifest("one")
    sides = load(tmp_path, "4.20.3", {"cli": CLI}, a=one), load(tmp_path, "4.20.4", {"console": CONSOLE}, a=one)
    images = changes_of(sides)["images"]
    assert {change: [item["name"] for item in found] for change, found in images.items()} == {
        "added": ["console"],
        "removed": ["cli"],
        "changed": [],
    }


def test_permissions_in_the_cloud_are_compared(tmp_path: Path) -> None:
    old = [request("changed", "s3:Get"), request("same", "s3:Get", label="a"), request("gone", "ec2:X")]
    new = [request("changed", "s3:Put", account="two", secret="t"), request("same", "s3:Get"), request("new", "a:B")]
    sides = load(tmp_path, "4.20.3", {}, r=documents(*old)), load(tmp_path, "4.20.4", {}, r=documents(*new))
    found = changes_of(sides)["credentials_requests"]
    nothing: dict[str, list[str]] = {"added": [], "removed": []}
    by_name = {item.pop("name"): item for item in found}
    every = {"namespace": "x", "platform": "aws"}
    assert by_name == {
        "gone": {
            **every,
            "permissions": {**nothing, "removed": ["Allow ec2:X on *"]},
            "service_accounts": {**nothing, "removed": ["one"]},
            "secret": {"before": "x/s", "after": None},
        },
        "new": {
            **every,
            "permissions": {**nothing, "added": ["Allow a:B on *"]},
            "service_accounts": {**nothing, "added": ["one"]},
            "secret": {"before": None, "after": "x/s"},
        },
        "changed": {
            **every,
            "permissions": {"added": ["Allow s3:Put on *"], "removed": ["Allow s3:Get on *"]},
            "service_accounts": {"added": ["two"], "removed": ["one"]},
            "secret": {"before": "x/s", "after": "x/t"},
        },
    }


def service(name: str, capability: str = "") -> str:
    return manifest(name, capability, kind="Service", namespace="x")


def test_a_name_that_needs_other_capabilities_changes_two_groups(tmp_path: Path) -> None:
    old = documents(service("kept"), service("moved"), service("gone", "Console"))
    new = documents(service("kept"), service("moved", "Console"), service("new", "Storage"))
    sides = load(tmp_path, "4.20.3", {}, a=old), load(tmp_path, "4.20.4", {}, a=new)

    assert changes_of(sides)["resources"]["services"] == {
        "before": 3,
        "after": 3,
        "added": ["x/new"],
        "removed": ["x/gone"],
        "by_capabilities": [
            {"capabilities": [], "added": [], "removed": ["x/moved"], "unchanged": ["x/kept"]},
            {"capabilities": ["Console"], "added": ["x/moved"], "removed": ["x/gone"], "unchanged": []},
            {"capabilities": ["Storage"], "added": ["x/new"], "removed": [], "unchanged": []},
        ],
    }


def test_two_selections_of_a_release_are_compared(tmp_path: Path) -> None:
    loaded = load(tmp_path, "4.20.3", {"cli": CLI}, a=documents(service("a"), service("b", "Console")))
    before, after = (
        side_of(loaded, known=["Console", "Storage"]),
        side_of(loaded, "Console", known=["Console", "Storage"]),
    )

    changes = compare(before, after, Problems())

    assert (changes["previous_version"], names(changes)) == ("4.20.3", {"removed": ["b"]})
    assert changes["enabled_capabilities"] == {"added": [], "removed": ["Console"]}
    assert changes["known_capabilities"] == {"added": [], "removed": []}
    assert changes["resources"]["services"]["removed"] == ["x/b"]
    assert not any(changes["images"].values())


MINIMAL = {"baselineCapabilitySet": "None"}
EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "releases"


def test_the_figures_of_all_releases_add_up() -> None:
    """Those of real releases, and of the examples. A name of one release can need other capabilities in another."""
    folders = [*sorted(EXAMPLES.glob("4.*")), *(found.values[0] for found in release_folders() if found.values[0])]
    sides = [real_side(load_folder(folder), selection) for folder in folders for selection in (None, MINIMAL)]
    for before, after in combinations(sides, 2):
        changes = compare(before, after, Problems())
        check_sums(changes)
        check_text(list(changes_lines(changes, after.release.version)), changes)


def real_side(loaded: Release, selection: object) -> ComparedSide:
    context, status = resolve_cluster(ClusterOptions(capabilities=selection), loaded, Problems())
    included = included_manifests(loaded.manifests, context)
    return ComparedSide(loaded, status, included, "<unset>")


def check_sums(changes: Mapping[str, Any]) -> None:
    """Of each part and of each of its groups: before + added - removed = after, and the groups are all names."""
    manifests = changes["manifests"]
    assert manifests["before"] + len(manifests["added"]) - len(manifests["removed"]) == manifests["after"]
    for entry in (*changes["resources"].values(), *changes["accounts"].values()):
        groups = entry["by_capabilities"]
        old, new = (
            [name for group in groups for name in (*group[part], *group["unchanged"])] for part in ("removed", "added")
        )
        assert (len(old), len(new)) == (entry["before"], entry["after"]) == (len(set(old)), len(set(new)))
        assert entry["before"] + len(entry["added"]) - len(entry["removed"]) == entry["after"]
        assert (set(new) - set(old), set(old) - set(new)) == (set(entry["added"]), set(entry["removed"]))


def check_text(lines: Sequence[str], changes: Mapping[str, Any]) -> None:
    """In the table, the changes after both numbers add up to their difference. No line shows a change of nothing."""
    start = next(number for number, line in enumerate(lines) if line.split() == ["BEFORE", "AFTER", "CHANGE"])
    rows = [re.fullmatch(r"(.*\S) +(\d+) +(\d+)(?:  (.*))?", line) for line in lines[start + 1 :]]
    table = [row for row in takewhile(lambda row: row is not None, rows) if row is not None]
    for label, before, after, change in (row.groups() for row in table):
        signed = [int(number) for number in re.findall(r"(?<![\w.])[+-]\d+", change or "")]
        assert int(before) + sum(signed) == int(after), (label, change)
        assert signed or label.startswith("Manifests")
    parts = (*changes["resources"].values(), *changes["accounts"].values())
    different = sum(1 for part in parts if any(group["added"] or group["removed"] for group in part["by_capabilities"]))
    assert len(table) == different + len(("Manifests", "CPU", "memory"))
