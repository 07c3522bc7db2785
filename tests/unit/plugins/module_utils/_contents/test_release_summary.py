# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._contents.release_summary import summarize_release
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release

EXAMPLE = Path(__file__).resolve().parents[5] / "examples" / "releases" / "4.22.0"


def codes(folder: Path) -> dict[str, int]:
    problems = Problems()
    loaded = load_release(str(folder), Problems(), openshift_version="4.22.0")
    summarize_release(loaded, ClusterOptions(), problems)
    found = [problem.code for problem in problems]
    return {code: found.count(code) for code in ("unused-capability", "partial-release")}


def test_capabilities_that_a_whole_release_does_not_use_are_reported():
    assert codes(EXAMPLE)["unused-capability"] > 0
    assert codes(EXAMPLE)["partial-release"] == 0


def test_the_directory_of_one_operator_says_nothing_about_the_capabilities_of_others(tmp_path):
    for path in (EXAMPLE / "release-manifests").glob("0000_50_cluster-image-registry-operator*"):
        shutil.copy(path, tmp_path)
    assert any(tmp_path.iterdir())
    assert codes(tmp_path) == {"unused-capability": 0, "partial-release": 1}


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (
            {"capabilities": {"excluded_capabilities": ["Console"]}, "always_enabled_capabilities": ["Console"]},
            ["capabilities.excluded_capabilities ineffective-exclusion"],
        ),
        (
            {"enabled_capabilities": ["Console"], "known_capabilities": ["Foo"]},
            ["enabled_capabilities unknown-capability", "known_capabilities unknown-capability"],
        ),
        (
            {"enabled_capabilities": ["Foo"], "known_capabilities": ["Console"]},
            ["enabled_capabilities unknown-capability"],
        ),
        ({"enabled_capabilities": ["Console"], "known_capabilities": ["Console"]}, []),
        ({"feature_gates": ["GatewayAPI", "MetricsCollectionProfiles", "Foo=false"]}, []),
        ({"feature_gates": ["GatewayApi"]}, ["feature_gates unknown-feature-gate"]),
    ],
)
def test_a_selection_or_status_that_cannot_have_its_effect_is_a_warning(options, reported):
    problems = Problems()
    loaded = load_release(str(EXAMPLE), Problems(), openshift_version="4.22.0")
    summarize_release(loaded, ClusterOptions(**options), problems)
    assert [f"{item.where} {item.code}" for item in problems if item.severity == "warning"] == reported


def test_manifests_without_a_capability_are_counted():
    loaded = load_release(str(EXAMPLE), Problems(), openshift_version="4.22.0")
    found = summarize_release(loaded, ClusterOptions(), Problems())
    without = sum(not item.capabilities for item in loaded.manifests)
    assert 0 < found["included_without_capability"] <= without < found["included"]
