# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""``site_check`` reports a ClusterVersion if and only if the API server of its minor rejects it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import site_check
from ansible_collections.capability.openshift.tests.cluster.helpers.addon_oracle import release_manifests
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import are_there, release_of
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import collection_path, define
from ansible_collections.capability.openshift.tests.unit.builders.sites import write_checkout
from ansible_collections.capability.openshift.tests.unit.run_module import Call

pytestmark = pytest.mark.deep

MINORS = ("4.14", "4.18", "4.20")
CASES = 150
NAMES = ("marketplace", "OperatorLifecycleManager", "baremetal", "MachineAPI", "Console", "Ingress", "CloudCredential")
ODD_NAMES = ("console", "CompatibilityRequirements", "", 5, None)
SETS = ("None", "None", "None", "v4.11", "v4.14", "v4.18", "vCurrent", "none", "v4.99", "", 4.18, None)
IGNORED = ("ineffective-list", "duplicate-name")
"""Rules about what the API server accepts."""

__test__ = are_there(*MINORS)


def definition(minor: str) -> dict[str, Any]:
    """The definition of ClusterVersions in a release, in another group."""
    (found,) = [
        body
        for body in release_manifests(release_of(minor))
        if body["metadata"]["name"] == "clusterversions.config.openshift.io"
        and body["metadata"]["annotations"].get("release.openshift.io/feature-set", "Default") == "Default"
    ]
    group = f"v{minor}.example.com"
    found["metadata"] = {"name": f"clusterversions.{group}"}
    found["spec"]["group"] = group
    return found


def random_capabilities(chance: random.Random) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if chance.random() < 0.85:
        fields["baselineCapabilitySet"] = chance.choice(SETS)
    if chance.random() < 0.9:
        names: list[Any] = chance.sample(NAMES, chance.randrange(5))
        fields["additionalEnabledCapabilities"] = [*names, chance.choice(ODD_NAMES)] if chance.random() < 0.2 else names
    return fields


def is_rejected(api: Api, collection: str, body: dict[str, Any]) -> bool:
    group, version = collection.split("/")[2:4]
    try:
        api.post(collection, {**body, "apiVersion": f"{group}/{version}"}, dryRun="All")
    except ApiError as error:
        if error.status != 422:
            raise
        return True
    return False


@pytest.mark.parametrize("minor", MINORS)
def test_a_cluster_version_is_reported_as_the_api_server_rejects_it(
    minor: str, plane: ControlPlane, call: Call, tmp_path: Path
) -> None:
    crd = definition(minor)
    define(plane.api, [crd])
    chance = random.Random(minor)
    spec = {"clusterID": "7f1b6f2e-3a0f-4f0e-9d4b-0d9a3d3f8a11", "channel": f"stable-{minor}"}
    bodies: dict[str, dict[str, Any]] = {
        f"{number}.yaml": {
            "apiVersion": "config.openshift.io/v1",
            "kind": "ClusterVersion",
            "metadata": {"name": "version"},
            "spec": {**spec, "capabilities": random_capabilities(chance)},
        }
        for number in range(CASES)
    }
    write_checkout(tmp_path, {name: json.dumps(body) for name, body in bodies.items()})
    outcome = call(site_check, checkout=tmp_path, openshift_version=minor, fail_on="never")
    reported = {found["path"] for found in outcome["findings"] if found["rule"] not in IGNORED}
    rejected = {name for name, body in bodies.items() if is_rejected(plane.api, collection_path(crd), body)}
    wrong = {name: bodies[name]["spec"]["capabilities"] for name in reported ^ rejected}
    assert wrong == {}
    assert 20 < len(rejected) < CASES - 20
