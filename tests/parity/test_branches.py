# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data of each minor against its branches of openshift/api and openshift/hypershift (see ``branches.py``).

A reading of the branches of HyperShift is committed. With clones of both repositories, the deep tier reads them again:
CAPABILITY_CLONES names the folder with the clones ``api`` and ``hypershift``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities, hosted_clusters
from ansible_collections.capability.openshift.plugins.module_utils._data.feature_sets import (
    DEFAULT_FEATURE_SET,
    feature_set_names,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of

from .branches import Branch, api, at, hypershift

CLONES = os.environ.get("CAPABILITY_CLONES", "")
HOSTED = json.loads((Path(__file__).parent / "facts" / "hosted.json").read_bytes())
REMOVED = yaml.safe_load((Path(__file__).parents[2] / "docs/reference/removed_resources.yml").read_bytes())
MINORS = [str(minor) for minor in sorted(capabilities.BRANCHES)]

needs_clones = pytest.mark.skipif(
    not CLONES, reason="set CAPABILITY_CLONES to a folder with clones of both repositories"
)


def hosted_data_of(text: str) -> dict[str, Any]:
    """Return the data of a minor in the form of a reading, without its commit."""
    minor = minor_of(text)
    removed = [
        item
        for item in REMOVED
        if minor_of(item["since"]) <= minor and ("until" not in item or minor <= minor_of(item["until"]))
    ]
    disabled = [item for item in hosted_clusters.DEFAULT_DISABLED_SINCE if item.since <= minor][-1].names
    selectable = [item for item in hosted_clusters.SELECTABLE_SINCE if item.since <= minor]
    has_oauth = minor >= hosted_clusters.DELETED_WITHOUT_OAUTH_SINCE
    return {
        "deleted": sorted(
            name for item in hosted_clusters.DELETED_FILES if item.contains(minor) for name in item.names
        ),
        "deleted_without_oauth": [hosted_clusters.DELETED_WITHOUT_OAUTH] if has_oauth else [],
        "removed": sorted(name for item in removed for name in item["resources"]),
        "removed_on_keeping_platforms": sorted(
            name for item in removed if item["by_keeping_platforms"] for name in item["resources"]
        ),
        "disabled_by_default": sorted(
            item.name[0].upper() + item.name[1:]  # as in the name of its constant
            for item in capabilities.CAPABILITIES
            if item.since <= minor and item.name in disabled
        ),
        "can_be_disabled": sorted(selectable[-1].disabled) if selectable else [],
        "can_be_enabled": sorted(selectable[-1].enabled) if selectable else [],
    }


@pytest.mark.parametrize("minor", MINORS)
def test_what_hypershift_does_is_what_its_branch_says(minor):
    found = hosted_data_of(minor)

    assert found == {field: at(HOSTED[field], minor) for field in found}
    assert hosted_clusters.COMMITS[minor_of(minor)] == HOSTED["commits"][minor]


def test_patterns_of_the_last_branch_apply_to_each_minor():
    """Where HyperShift does not delete a pattern, the release has no such file."""
    assert sorted(hosted_clusters.DELETED_CVO_MANIFESTS) == sorted(HOSTED["deleted_cvo_manifests"])


def test_platforms_are_those_of_the_newest_branch():
    assert sorted(hosted_clusters.HOSTED_PLATFORMS) == sorted(map(str.lower, at(HOSTED["platforms"], MINORS[-1])))


@pytest.mark.deep
@needs_clones
@pytest.mark.parametrize("minor", MINORS)
def test_the_branch_of_hypershift_still_says_so(minor):
    reading = hypershift(Branch(Path(CLONES) / "hypershift", minor))

    commit = reading.pop("commit")
    assert {field: sorted(names) for field, names in reading.items()} == {
        field: at(HOSTED[field], minor) for field in reading
    }, f"commit {commit}, compared before: {hosted_clusters.COMMITS[minor_of(minor)]}"


@pytest.mark.deep
@needs_clones
@pytest.mark.parametrize("minor", MINORS)
def test_the_branch_of_the_api_still_has_these_capabilities(minor):
    reading = api(Branch(Path(CLONES) / "api", minor))
    data = capabilities.data_of(minor_of(minor))

    assert data is not None
    gates = {name: sorted(capabilities.gates_of_capability(name)) for name in data.capabilities}
    found = {
        "known": sorted(data.capabilities),
        "gates": {name: names for name, names in gates.items() if names},
        "feature_sets": sorted(set(feature_set_names(data.minor)) - {DEFAULT_FEATURE_SET}),
        "sets": {name: sorted(names) for name, names in data.sets.items()},
    }
    commit = reading.pop("commit")
    assert reading == found, f"commit {commit}, compared before: {capabilities.BRANCHES[minor_of(minor)]}"
