# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration of a cluster is injected into manifests exactly as the CVO of each minor does.

``facts/injection.json`` has random clusters and manifests, and what the resource builders of the CVO send to the API
server. ``make_injections.py`` makes it again.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.injection import inject, read_config
from ansible_collections.capability.openshift.plugins.module_utils._data.tls_profiles import TLS_INJECTIONS
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import manifest_from_object
from ansible_collections.capability.openshift.plugins.module_utils._resources import ApiResource, Target
from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import load_body
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import YamlError
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS
from ansible_collections.capability.openshift.tests.parity.make_injections import answer_of

GOLDEN = json.loads((FACTS / "injection.json").read_bytes())
RESOURCES = {"Proxy": "proxies", "Infrastructure": "infrastructures", "APIServer": "apiservers"}


class Cluster(NamedTuple):
    """A cluster that has every kind, and these objects named cluster, by resource."""

    objects: dict[str, dict[str, Any]]

    def find(self, group: str, kind: str) -> ApiResource:
        return ApiResource(group, "v1", "", kind)

    def find_once(self, target: Target) -> Any:
        return self.objects.get(RESOURCES[target.kind.kind])


def injected(cluster: dict[str, Any], manifest: dict[str, Any], minor: str) -> Any:
    """What this collection injects; ``None`` if it reports an error."""
    problems = Problems()
    body = copy.deepcopy(manifest)
    found = manifest_from_object(body, "manifest.yaml", 1, problems)
    assert found is not None
    client: Any = Cluster(cluster)
    inject(found, body, read_config(client, client, [found], minor_of(minor)).config, problems)
    return None if problems.has_errors else answer_of(manifest, body)


def meaning(answer: Any) -> Any:
    """What the API server and the operators see in an answer: the last of several variables with one name counts."""
    if isinstance(answer, dict):
        return {key: content(text) for key, text in answer.items()}
    if answer is None:
        return None
    return [
        [(name, {variable["name"]: {"value": "", **variable} for variable in env or ()}) for name, env in containers]
        for containers in answer
    ]


def content(text: str) -> object:
    """The content of a file. The library of the CVO writes the tag of a merge key."""
    try:
        return load_body(text.replace("!!merge <<", "<<").encode())
    except YamlError:
        return text


def purpose(text: str) -> str:
    """Why a file or a manifest may be injected in another way; empty if it may not."""
    if "servingInfo: &info" in text:
        return "an alias keeps the value that it has"
    if text.count("minTLSVersion: ") > 1 or text.count("servingInfo:") > 1:
        return "of several fields with one name, the CVO changes the first, and operators read the last"
    if '"KUBERNETES_SERVICE_' in text and '"valueFrom"' in text:
        return "the CVO leaves valueFrom beside value, which an API server rejects"
    return ""


@pytest.mark.parametrize(("column", "minor"), list(enumerate(GOLDEN["minors"])))
def test_configuration_is_injected_as_by_the_cvo(column: int, minor: str) -> None:
    wrong = []
    seen: Counter[tuple[str, str]] = Counter()
    for cluster, manifest, numbers in GOLDEN["cases"]:
        expected = GOLDEN["answers"][numbers[column]]
        found = injected(GOLDEN["clusters"][cluster], manifest, minor)
        text = "".join(manifest.get("data", {}).values()) or json.dumps(manifest.get("spec"))
        if meaning(found) != meaning(expected) and not purpose(text):
            wrong.append((GOLDEN["clusters"][cluster], manifest, expected, found))
        is_same = expected == answer_of(manifest, manifest)
        seen[manifest["kind"], "refused" if expected is None else "same" if is_same else "changed"] += 1
    assert wrong == []
    assert min(seen["Deployment", "changed"], seen["DaemonSet", "changed"], seen["Deployment", "refused"]) > 10
    assert (seen["ConfigMap", "changed"] > 100) == (minor_of(minor) >= TLS_INJECTIONS[0].since)
