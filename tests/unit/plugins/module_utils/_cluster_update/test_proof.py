# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which resources show whether a prediction was right, and what is not known."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.proof import (
    Prediction,
    check_prediction,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.start import start_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import CONFIG_MAPS
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import PlanOptions
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_cluster
from ansible_collections.capability.openshift.tests.unit.builders.api_server import fault
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import (
    CURRENT,
    NEXT,
    TARGET,
    cluster,
    cluster_version,
    release,
)
from ansible_collections.capability.openshift.tests.unit.sources import ROOT

RELEASES = ROOT / "examples" / "releases"
NAME, HOME = "insights-upload-schedule", "openshift-config"
"""What enables Insights, because it moves into this capability."""


def prove(folder: Path, annotations: str = "", **fields: Any) -> tuple[Prediction, list[str]]:
    """Return the proof on a cluster that still has the resource as it was, and the codes of problems about resources.

    ``annotations``: more lines in its manifest. ``names``: its capabilities there, and on the cluster. ``faults``: of
    its list. ``enabled``: before the update.
    """
    found, enabled = fields.pop("faults", []), fields.pop("enabled", ["Ingress"])
    names, stored = fields.pop("names", ("Insights", ""))
    target = shutil.copytree(RELEASES / NEXT, folder / NEXT)
    (file,) = target.rglob("*upload-schedule*")
    text = file.read_text("utf-8")
    text = text.replace("name: Insights\n", f"name: {names}\n")
    file.write_text(text.replace("  annotations:\n", f"  annotations:\n{annotations}"), "utf-8")
    capabilities = {"enabledCapabilities": enabled, "knownCapabilities": ["Ingress", "Insights", "Console"]}
    before = cluster_version(available=[release(NEXT)], status={"capabilities": capabilities}, **fields)
    path = (str(RELEASES / CURRENT), str(target))
    plan = plan_cluster(PlanOptions(ClusterOptions(), path, before)).plans[0]
    server = cluster()
    server.put(CONFIG_MAPS, NAME, HOME, metadata={"annotations": {"capability.openshift.io/name": stored}})
    for place in (CONFIG_MAPS.path(NAME, HOME), CONFIG_MAPS.path("", HOME), CONFIG_MAPS.path()):
        server.faults["GET", place] = list(found)
    problems = Problems()
    prediction = check_prediction(plan, start_of(before, TARGET), before, server.client(), problems)
    return prediction, [item.code for item in problems if "ConfigMap" in str(item) or "configmaps" in str(item)]


def test_a_resource_that_did_not_move_is_a_difference(tmp_path):
    prediction, codes = prove(tmp_path)
    assert (prediction.resources, codes) == ("different", ["different-prediction"])


@pytest.mark.parametrize("annotation", ["create-only", "delete"])
def test_a_resource_whose_annotations_the_operator_does_not_write_proves_nothing(tmp_path, annotation):
    prediction, codes = prove(tmp_path, f'    release.openshift.io/{annotation}: "true"\n')
    assert (prediction.resources, codes) == ("not_checked", [])


def test_a_resource_of_two_capabilities_has_both_in_any_order(tmp_path):
    prediction, codes = prove(tmp_path, names=("Insights+Console", "Console+Insights"))
    assert (prediction.resources, codes) == ("equal", [])


def test_an_overridden_resource_proves_nothing(tmp_path):
    override = {"group": "", "kind": "ConfigMap", "namespace": HOME, "name": NAME, "unmanaged": True}
    prediction, codes = prove(tmp_path, overrides=[override])
    assert (prediction.resources, codes) == ("not_checked", [])


def test_a_resource_that_cannot_be_read_proves_nothing(tmp_path):
    prediction, codes = prove(tmp_path, faults=[fault(403)] * 9)
    assert (prediction.resources, codes) == ("not_checked", ["forbidden-request"])


def test_without_an_implicitly_enabled_capability_there_is_nothing_to_compare(tmp_path):
    prediction, codes = prove(tmp_path, enabled=["Ingress", "Insights"])
    assert (prediction.resources, codes) == ("equal", [])
