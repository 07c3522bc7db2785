# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import ApplyResult
from ansible_collections.capability.openshift.plugins.module_utils._rollout.graph_runner import RunListener


def manifest(level: str, name: str) -> Manifest:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}
    file = f"0000_{level}_part_{name}.yaml" if level else f"{name}.yaml"
    read = manifest_from_object(obj, file, 0, Problems())
    assert read is not None
    return read


def test_the_number_of_manifests_and_the_wait_are_shown():
    shown: list[str] = []
    manifests = [manifest("10", "a"), manifest("", "b"), manifest("10", "c")]
    listener = RunListener(manifests, shown.append)
    first, second, third = (ApplyResult(item, "created") for item in manifests)
    listener.applied(first)
    listener.applied(second)
    listener.waiting(3, "deployments.apps x", "2 of 3 replicas")
    listener.waiting(1, "namespaces y", "")
    listener.applied(third)
    assert shown == [
        "run level 10: 1 of 3, 33 %",
        "files without a run level: 2 of 3, 66 %",
        "waiting for 3: deployments.apps x (2 of 3 replicas)",
        "waiting for 1: namespaces y",
        "run level 10: 3 of 3, 100 %",
    ]


def test_numbers_grow_with_many_threads():
    shown: list[str] = []
    results = [ApplyResult(manifest("10", str(number)), "created") for number in range(300)]
    listener = RunListener([result.manifest for result in results], shown.append)
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(listener.applied, results))

    assert shown == [f"run level 10: {done} of 300, {100 * done // 300} %" for done in range(1, 301)]
