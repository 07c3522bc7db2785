# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ``cluster_capabilities_info`` returns: capabilities of the cluster, and the metric."""

from __future__ import annotations

import re

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.live_plans import namespace
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import deployment
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    KNOWN,
    OBJECT,
    VERSION,
    Site,
    selection,
)

OTHERS = {"invocation", "metrics", "warnings"}
"""Checked elsewhere. Warnings of other tests appear here, because all run in one process."""

CONDITION = {
    "type": "ImplicitlyEnabledCapabilities",
    "status": "True",
    "reason": "CapabilitiesImplicitlyEnabled",
    "message": "The following capabilities could not be disabled: Build",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


def parsed_metrics(text: str) -> dict[str, int]:
    """Parse one gauge with the label ``name`` as Prometheus does; each sample occurs once."""
    *lines, last = text.split("\n")
    assert last == ""
    kinds = [line.split(" ", 3) for line in lines if line.startswith("#")]
    assert [(kind, name) for _hash, kind, name, *_text in kinds] == [
        ("HELP", "cluster_version_capability"),
        ("TYPE", "cluster_version_capability"),
    ]
    assert kinds[1][3] == "gauge"
    samples: dict[str, int] = {}
    for line in lines[2:]:
        match = re.fullmatch(r'cluster_version_capability\{name="([A-Za-z0-9-]+)"\} ([01])', line)
        assert match, line
        assert match[1] not in samples
        samples[match[1]] = int(match[2])
    return samples


# Results


def test_info_returns_all_capabilities(site: Site) -> None:
    known = sorted(KNOWN)
    site.make(selection("Console", "Storage"), ["Build", "Console"], conditions=[CONDITION])
    with site.untouched():
        outcome = site.info()
    assert {name: value for name, value in outcome.result.items() if name not in OTHERS} == {
        "changed": False,
        "spec": selection("Console", "Storage"),
        "openshift_version": VERSION,
        "requested_capabilities": ["Console", "Storage"],
        "enabled_capabilities": ["Build", "Console"],
        "known_capabilities": known,
        "disabled_capabilities": [name for name in known if name not in ("Build", "Console")],
        "pending_capabilities": ["Storage"],
        "implicitly_enabled_capabilities": ["Build"],
        "condition": CONDITION,
        "problems": [],
    }
    assert parsed_metrics(outcome["metrics"]) == {name: int(name in ("Build", "Console")) for name in known}


# What decides about manifests besides capabilities

GATE = "/apis/config.openshift.io/v1/featuregates/cluster"
CVO = "/apis/apps/v1/namespaces/openshift-cluster-version/deployments/cluster-version-operator"
OVERRIDES = [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}]


@pytest.mark.parametrize(("version", "gates"), [(VERSION, None), ("4.22.1", ["New", "Old"]), ("4.22.9", None)])
def test_info_returns_inclusion_criteria_on_request(site: Site, version: str, gates: list[str] | None) -> None:
    site.make(selection("Console"), ["Console"], version=version)
    site.plane.api.patch(OBJECT, {"spec": {"overrides": OVERRIDES}})
    reported = [
        {"version": name, "enabled": [{"name": "New"}, {"name": "Old"}], "disabled": [{"name": "Off"}]}
        for name in (VERSION, "4.22.1")
    ]
    kind = {"apiVersion": "config.openshift.io/v1", "kind": "FeatureGate", "metadata": {"name": "cluster"}}
    site.plane.api.apply(GATE, {**kind, "spec": {"featureSet": "TechPreviewNoUpgrade"}})
    site.plane.api.patch(f"{GATE}/status", {"status": {"featureGates": reported}})
    namespace(site.plane.api, "openshift-cluster-version")
    env = [{"name": "CLUSTER_PROFILE", "value": "single-node-developer"}]
    cvo = deployment("cluster-version-operator", "openshift-cluster-version", container={"env": env})
    site.plane.api.apply(CVO, cvo)

    assert site.info(inclusion_criteria=True)["inclusion_criteria"] == {
        "cluster_profile": "single-node-developer",
        "feature_set": "TechPreviewNoUpgrade",
        "feature_gates": gates,
        "overrides": OVERRIDES,
    }
    mark = site.plane.audit.mark()
    assert "inclusion_criteria" not in site.info().result
    assert len(site.requests(mark)) <= 2


def test_inclusion_criteria_of_a_cluster_that_does_not_report_them_are_null(site: Site) -> None:
    site.make(None, ["Console"])
    outcome = site.info(inclusion_criteria=True)

    assert outcome["inclusion_criteria"] == {
        "cluster_profile": None,
        "feature_set": None,
        "feature_gates": None,
        "overrides": [],
    }
    assert outcome["problems"] == []
