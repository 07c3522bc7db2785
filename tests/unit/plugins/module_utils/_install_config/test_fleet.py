# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The clusters of a fleet: what each inherits, which mistakes belong to which, and which files are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import InstallConfigOptions
from ansible_collections.capability.openshift.plugins.module_utils._install_config.fleet import (
    ClusterEntry,
    FleetResult,
    build_fleet,
    cluster_row,
    fleet_diff,
    write_fleet,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    SelectionOptions,
)
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import site

EXAMPLE = Path(__file__).parents[5] / "examples" / "releases" / "4.21.0"
COMMON = InstallConfigOptions(content=site(), openshift_version="4.20")


def build(*entries: dict[str, Any], **common: Any) -> FleetResult:
    selection = SelectionOptions(**{name: common.pop(name) for name in ("solution",) if name in common})
    options = COMMON._replace(selection=selection, **common)
    clusters = [ClusterEntry.from_params(entry, at, options) for at, entry in enumerate(entries)]
    return build_fleet(clusters, options)


def faults(fleet: FleetResult) -> list[tuple[str, str]]:
    return [(item.code, str(item.where)) for item in fleet.problems if item.severity == "error"]


def test_the_release_of_a_cluster_replaces_the_common_version():
    (own,) = build({"name": "a", "release": str(EXAMPLE)}).selections
    assert own["openshift_version"] == "4.21.0"


@pytest.mark.parametrize(
    ("entries", "common", "expected"),
    [
        ([{"name": "a"}, {"name": "b"}], {}, []),
        ([], {}, [("empty-list", "clusters")]),
        ([{"name": ""}], {}, [("missing-field", "clusters[0].name")]),
        ([{"name": "a", "install_method": "ipx"}], {}, [("invalid-choice", "clusters[0] (a).install_method")]),
        (
            [{"name": "a"}, {"name": "b"}, {"name": "a"}],
            {},
            [("duplicate-name", "clusters[0] (a).name"), ("duplicate-name", "clusters[2] (a).name")],
        ),
        ([{"name": "a"}, {"name": "b"}], {"solution": "none"}, [("unknown-solution", "solution")]),
    ],
)
def test_a_mistake_belongs_to_its_cluster_or_to_all(entries, common, expected):
    fleet = build(*entries, **common)

    assert faults(fleet) == expected
    assert fleet.failed == bool(expected)


def test_clusters_with_the_same_result_share_it(tmp_path: Path):
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["CloudCredential", "Ingress"]}
    paths = [str(tmp_path / name / "install-config.yaml") for name in "abc"]
    fleet = build(
        {"name": "a", "path": paths[0]},
        {"name": "b", "path": paths[1], "content": {"metadata": {"name": "b"}}},
        {"name": "c", "path": paths[2], "capabilities": selection},
    )

    assert faults(fleet) == []
    assert [cluster.selection for cluster in fleet.clusters] == [0, 0, 1]
    rows = [cluster_row(cluster) for cluster in fleet.clusters]
    assert [(row["path"], row["differs"]) for row in rows] == [(path, True) for path in paths]
    write_fleet(fleet, check_mode=True)
    assert list(tmp_path.iterdir()) == []
    write_fleet(fleet, check_mode=False)
    assert [Path(path).exists() for path in paths] == [True] * 3
    again = build(*({"name": name, "path": path} for name, path in zip("ab", paths, strict=False)))
    assert [cluster_row(cluster)["differs"] for cluster in again.clusters] == [False, False]


def test_a_diff_has_both_sides_of_each_valid_file(tmp_path: Path):
    paths = [str(tmp_path / name / "install-config.yaml") for name in "ab"]
    entries = [{"name": name, "path": path} for name, path in zip("ab", paths, strict=True)]
    write_fleet(build(entries[0]), check_mode=False)
    selected = {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}}

    (changed, new) = fleet_diff(build(*({**entry, **selected} for entry in entries), {"name": "c", "path": "/"}))

    assert (changed["before_header"], new["before_header"]) == (paths[0], paths[1])
    assert "apiVersion: v1" in changed["before"]
    assert "capabilities" not in changed["before"]
    assert new["before"] == ""
    assert all("  baselineCapabilitySet: None" in side["after"] for side in (changed, new))


def test_two_clusters_cannot_have_the_same_file(tmp_path: Path):
    path = str(tmp_path / "install-config.yaml")
    fleet = build({"name": "a", "path": path}, {"name": "b", "path": path}, {"name": ""})

    assert faults(fleet)[1:] == [("duplicate-path", "clusters[0] (a).path"), ("duplicate-path", "clusters[1] (b).path")]
    write_fleet(fleet, check_mode=False)
    rows = [cluster_row(cluster) for cluster in fleet.clusters]
    assert [(row["name"], row["path"], bool(row["errors"])) for row in rows] == [
        ("a", path, True),
        ("b", path, True),
        ("clusters[2]", None, True),
    ]
    assert not Path(path).exists()
