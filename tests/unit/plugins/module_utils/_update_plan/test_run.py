# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is reported about the clusters of a fleet, and about the releases that they name."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import ReleaseSource
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.releases import NamedReleases
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_fleet
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.start import PlanOptions


def connect() -> Any:
    """Return no client, because a fleet must not connect."""
    raise AssertionError


@pytest.mark.parametrize(
    ("clusters", "options", "expected"),
    [
        ([], {}, "clusters: is empty. Add a cluster, or remove the option"),
        (
            [{"name": "a", "releases": []}, {"name": "a", "releases": []}],
            {},
            "clusters[1] (a).name: 'a' is also the name of clusters[0] (a). Use a unique name for each cluster",
        ),
        (
            [{"name": "", "releases": []}],
            {},
            "clusters[0].name: is empty. Set a name for each cluster",
        ),
        (
            [{"name": "a"}],
            {},
            "clusters[0] (a).releases: is missing. Set the path here, or releases for all clusters",
        ),
        (
            [{"name": "a", "releases": []}],
            {"connect": connect},
            "clusters: cannot be combined with connection options (kubeconfig, context, host), which select a single "
            "cluster. Remove the connection options, and set cluster_version for each cluster",
        ),
    ],
)
def test_an_invalid_fleet_is_reported(clusters, options, expected):
    common = PlanOptions(ClusterOptions())
    with pytest.raises(InvalidOptionError) as raised:
        plan_fleet([common.of_cluster(entry, at) for at, entry in enumerate(clusters)], common, **options)

    assert expected in list(map(str, raised.value.problems))


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        (
            7,
            "releases[0]: is 7, expected the directory of an extracted release. "
            "Write PATH, or {release: PATH, openshift_version: X.Y.Z}",
        ),
        ({"releas": "a"}, "releases[0].releas: is not a field of a release. Did you mean release?"),
    ],
)
def test_an_invalid_release_is_reported(release, expected):
    problems = Problems()

    assert NamedReleases(ReleaseSource()).path([release], "", "releases", problems) is None
    assert list(map(str, problems)) == [expected]


def test_equal_releases_are_named_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named, problems = NamedReleases(ReleaseSource()), Problems()
    paths = [
        named.path(path, "profile", "releases", problems)
        for path in (["a", "b"], ["b", "./a"], [{"release": str(tmp_path / "a")}], ["a"])
    ]

    assert paths == [(0, 1), (1, 0), (0,), (0,)]
    assert problems == []
