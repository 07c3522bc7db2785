# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a rollout of real releases, of which the facts have every manifest."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import (
    MODES,
    run_level_of,
    task_graph,
)
from ansible_collections.capability.openshift.tests.parity.support import FACT_RELEASES, release_facts
from ansible_collections.capability.openshift.tests.unit.oracles.task_graph import expected_pairs, is_late, pairs_of


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("release", FACT_RELEASES)
def test_what_waits_for_what(release, mode):
    manifests = release_facts(release).manifests
    assert pairs_of(task_graph(manifests, mode), manifests) == expected_pairs(manifests, mode)


@pytest.mark.parametrize("release", FACT_RELEASES)
def test_operators_of_one_run_level_are_independent(release):
    manifests = release_facts(release).manifests
    update, install = task_graph(manifests, "update"), task_graph(manifests, "install")
    levels = {run_level_of(manifest.file) for manifest in manifests}
    stages = sum(1 for node in update.nodes if not node)
    webhooks = [manifest for manifest in manifests if is_late(manifest)]

    # A release without Jobs is installed in one go, and then its webhooks.
    assert sum(1 for node in install.nodes if not node) == 2
    assert len(webhooks) > 0
    # More components than stages: otherwise nothing would be done at the same time.
    assert stages * 2 < sum(1 for node in update.nodes if node)
    assert {"00", "10", "30", "50", "90"} <= levels
    assert stages >= len(levels)
