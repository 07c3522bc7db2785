# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import shutil

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import has_cvo_manifests
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release, release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.path import (
    check_path,
    is_upgrade,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest as manifest_text
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_files, write_release


def release(version: str) -> Release:
    return release_of_version(minor_of(version))._replace(version=version)


def problems(path: str, *, allow_downgrade: bool = False) -> list[tuple[str, str]]:
    found = path_problems(path, allow_downgrade=allow_downgrade)
    assert all(item.hint for item in found)
    return [(item.severity, str(item.where)) for item in found]


def path_problems(path: str, *, allow_downgrade: bool = False, where: str = "releases") -> list[Problem]:
    found = Problems()
    check_path([release(version) for version in path.split()], where, found, allow_downgrade=allow_downgrade)
    return found


@pytest.mark.parametrize(
    ("current", "target", "expected"),
    [
        ("4.13.0", "4.14.0", True),
        ("4.13.9", "4.13.10", True),
        ("4.9.0", "4.10.0", True),
        ("4.20.0", "5.0.0", True),
        ("4.14.0-rc.1", "4.14.0", True),
        ("4.14.0-rc.9", "4.14.0-rc.10", True),
        ("4.14.0", "4.14.0", False),
        ("4.14.0", "4.14.0-rc.1", False),
        ("4.14.0", "4.13.99", False),
        ("5.0.0", "4.20.0", False),
        # Builds of one version have no order
        ("4.14.0+a", "4.14.0+b", False),
    ],
)
def test_an_upgrade_goes_to_a_later_version(current, target, expected):
    assert is_upgrade(release(current), release(target)) is expected


def test_a_release_with_only_a_minor_can_be_compared():
    flat = release_of_version(minor_of("4.14"))

    assert (flat.shown_version, release("4.14.5").shown_version) == ("4.14", "4.14.5")
    assert is_upgrade(release("4.13.5"), flat) is True
    assert is_upgrade(flat, release("4.13.5")) is False


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", [("error", "releases")]),
        ("4.13.0", [("error", "releases")]),
        ("4.13.0 4.14.0", []),
        ("4.13.0 4.13.1 4.14.0 4.15.0", []),
        ("4.13.0 4.15.0", [("warning", "4.13.0 to 4.15.0")]),
        ("4.12.0 4.13.0 4.16.0 4.18.0", [("warning", "4.13.0 to 4.16.0"), ("warning", "4.16.0 to 4.18.0")]),
        # The last minors of 4 are released together with the first minors of 5
        ("4.23.0 5.0.0", []),
        ("4.22.0 5.0.0", []),
        ("4.21.0 5.0.0", [("warning", "4.21.0 to 5.0.0")]),
        ("4.22.0 5.1.0", [("warning", "4.22.0 to 5.1.0")]),
        ("4.14.0 5.1.0", [("warning", "4.14.0 to 5.1.0")]),
        ("4.21.0 4.23.0 5.0.0 5.2.0", [("warning", "4.21.0 to 4.23.0"), ("warning", "5.0.0 to 5.2.0")]),
        # Skipped minors that the collection does not know count too.
        ("5.2.0 5.6.0", [("warning", "5.2.0 to 5.6.0")]),
        ("5.8.0 5.9.0", []),
        ("4.10.0 4.11.0", [("error", "releases[0]")]),
        ("4.9.0 4.10.0 4.11.0", [("error", "releases[0]"), ("error", "releases[1]")]),
    ],
)
def test_a_path_that_goes_up(path, expected, allowed):
    assert problems(path, allow_downgrade=allowed) == expected


@pytest.mark.parametrize(
    ("path", "locations", "allowed"),
    [
        ("4.14.0 4.13.0", ["releases[1]"], ["4.14.0 to 4.13.0"]),
        ("4.14.0 4.14.0", ["releases[1]"], []),
        ("4.13.0 4.14.0 4.13.0", ["releases[2]"], ["4.14.0 to 4.13.0"]),
        ("4.15.0 4.14.0 4.13.0", ["releases[1]", "releases[2]"], ["4.15.0 to 4.14.0", "4.14.0 to 4.13.0"]),
        ("4.15.0 4.12.0", ["releases[1]"], ["4.15.0 to 4.12.0"]),
        ("4.11.0 4.10.0", ["releases[1]"], ["4.11.0 to 4.10.0"]),
        ("4.11.0 4.10.0 4.9.0", ["releases[1]", "releases[2]", "releases[1]"], None),
    ],
)
def test_a_downgrade_must_be_allowed(path, locations, allowed):
    assert problems(path) == [("error", where) for where in locations]
    if allowed is not None:
        assert problems(path, allow_downgrade=True) == [("warning", where) for where in allowed]
    else:
        assert ("error", "releases[1]") in problems(path, allow_downgrade=True)


def test_a_problem_names_both_versions_and_the_location():
    (problem,) = path_problems("4.14.2 4.13.5", where="clusters[2].releases")

    assert str(problem.where) == "clusters[2].releases[1]"
    assert problem.message == "4.13.5 is older than 4.14.2"
    (same,) = path_problems("4.14.2 4.14.2")
    assert same.message == "4.14.2 is the same version as the previous release"


@pytest.mark.parametrize(
    ("path", "allowed", "code", "expected"),
    [
        (
            "4.13.0",
            False,
            "path-too-short",
            "releases: names 1 release, expected two or more. "
            "List the release that the cluster runs, then the releases that it updates to",
        ),
        (
            "4.10.0 4.11.0",
            False,
            "unsupported-version",
            "releases[0]: 4.10.0 has no capabilities, expected 4.11 or later. "
            "Remove it; only the last release of a path can be without capabilities",
        ),
        (
            "4.13.0 4.15.0",
            False,
            "skipped-minor",
            "4.13.0 to 4.15.0: skips minors between 4.13 and 4.15; a cluster updates to each of them, "
            "which can enable more. Plan the update to each skipped minor first",
        ),
        (
            "4.14.0 4.13.0",
            True,
            "downgrade",
            "4.14.0 to 4.13.0: 4.13.0 is older than 4.14.0: resources that only 4.14.0 has stay on the cluster. "
            "If its status contains a capability that 4.13.0 does not know, the API server rejects every write to "
            "the ClusterVersion. Plan to clean up by hand; OpenShift does not support downgrades",
        ),
        (
            "4.14.2 4.14.1",
            True,
            "downgrade",
            "4.14.2 to 4.14.1: 4.14.1 is older than 4.14.2: resources that only 4.14.2 has stay on the cluster. "
            "Roll back only to the previous version of the cluster, which is in the history of its ClusterVersion",
        ),
    ],
)
def test_a_problem_of_a_path_has_a_hint(path, allowed, code, expected):
    (problem,) = path_problems(path, allow_downgrade=allowed)

    assert problem.code == code
    assert str(problem) == expected


@pytest.mark.parametrize("form", ["image", "release-manifests", "flat"])
def test_a_directory_can_lack_the_manifests_of_its_cvo(tmp_path, form):
    path = write_release(tmp_path, {"a.yaml": manifest_text()}, "4.18.0")
    write_files(tmp_path / "manifests", {"b.yaml": manifest_text("two")})
    if form != "image":
        shutil.rmtree(tmp_path / "manifests")
    path = path / "release-manifests" if form == "flat" else path
    assert has_cvo_manifests(load_release(str(path), Problems())) is (form == "image")
