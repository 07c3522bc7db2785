# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanOptions

COMMON = PlanOptions(
    ClusterOptions(
        capabilities={"baselineCapabilitySet": "None"},
        cluster_profile="hypershift",
        feature_set="OKD",
        feature_gates=["A"],
        exclude_identifier="here",
        overrides=[{"kind": "A"}],
        platform="aws",
    ),
    live_resources=[],
)


A = "clusters[0] (a)"


def entry(common: PlanOptions = COMMON, **fields: Any) -> PlanOptions:
    return common.of_cluster({"name": "a", **fields}, 0)


@pytest.mark.parametrize("releases", [[], ["a", {"release": "b"}]])
def test_a_cluster_has_its_own_path_or_the_common_one(releases):
    own = entry(COMMON._replace(releases=["c"]), releases=releases)
    common = entry(COMMON._replace(releases=["c"]), releases=None)

    assert (own.releases, own.releases_where) == (releases, f"{A}.releases")
    assert (common.releases, common.releases_where) == (["c"], "releases")


def test_what_a_cluster_does_not_set_is_as_with_the_others():
    assert entry() == COMMON._replace(name="a", where=A)
    assert entry(platform=None, capabilities=None, feature_gates=None) == entry()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cluster_profile", "b"),
        ("exclude_identifier", ""),
        ("hosted_control_plane", False),
        ("feature_set", ""),
        ("feature_gates", []),
        ("overrides", []),
        ("platform", "gcp"),
    ],
)
def test_options_of_a_cluster_are_its_own(field, value):
    assert entry(**{field: value}).cluster == COMMON.cluster._replace(**{field: value})


@pytest.mark.parametrize("value", [[], [{"kind": "A", "name": "a"}], [{"kind": "A"}, 7]])
def test_live_resources_of_a_cluster_are_its_own(value):
    assert entry(live_resources=value) == entry()._replace(live_resources=value)
    assert entry(live_resources=None) == entry()


STARTS: list[tuple[str, Any]] = [
    ("capabilities", {"baselineCapabilitySet": "v4.11"}),
    ("cluster_version", {"kind": "ClusterVersion"}),
    ("cluster_version", "/path/to/it"),
    ("enabled_capabilities", []),
    ("enabled_capabilities", ["Console"]),
    ("known_capabilities", ["Console"]),
    ("known_capabilities", []),
]


@pytest.mark.parametrize(("field", "value"), STARTS)
@pytest.mark.parametrize(
    "common",
    [
        COMMON,
        COMMON._replace(cluster=ClusterOptions(enabled_capabilities=["Storage"], known_capabilities=["Storage"])),
        COMMON._replace(cluster=ClusterOptions(), cluster_version={"kind": "Other"}),
    ],
)
def test_a_start_of_a_cluster_replaces_the_whole_common_start(field, value, common):
    options = entry(common, **{field: value})

    values = {**options.cluster._asdict(), "cluster_version": options.cluster_version}
    starts = ("capabilities", "cluster_version", "enabled_capabilities", "known_capabilities")
    assert [values[name] for name in starts if values[name] is not None] == [value]
