# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wishes for the capabilities of a running cluster, and what comes of them, written from short descriptions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import parse_cluster_version
from ansible_collections.capability.openshift.plugins.module_utils._cluster.spec_change import (
    SpecChange,
    parse_request,
    spec_change,
)
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import cluster_version

MINORS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "capabilities.json").read_text("utf-8")
)["minors"]
GATED = {"ClusterAPI", "CompatibilityRequirements"}
SPEC = "clusterversions.config.openshift.io version.spec.capabilities"


class Told(NamedTuple):
    """What a wish leads to: the change, if it can be told, and everything that is said of it."""

    change: SpecChange | None
    problems: tuple[Problem, ...]

    @property
    def made(self) -> SpecChange:
        assert self.errors == []
        assert self.change is not None
        return self.change

    @property
    def errors(self) -> list[tuple[str, str]]:
        return [(item.where, item.message) for item in self.problems if item.severity == "error"]

    @property
    def warnings(self) -> list[tuple[str, str]]:
        return [(item.where, item.message) for item in self.problems if item.severity == "warning"]


def block(*names: str, baseline: str = "None") -> dict[str, Any]:
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


def wished(
    spec: dict[str, Any] | None,
    options: Any,
    minor: str = "4.20",
    *,
    append: bool = False,
    adopt: bool = False,
    enabled: Iterable[str] = (),
    known: Iterable[str] | None = None,
) -> Told:
    """Return what comes of ``options`` on a cluster that has ``spec``."""
    facts = capability_data.data_of(Minor(*map(int, minor.split("."))))
    assert facts is not None
    cluster, found = parse_cluster_version(
        cluster_version(spec, enabled, known), SPEC.removesuffix(".spec.capabilities")
    )
    assert cluster is not None, found
    wish, problems = parse_request(options, append, adopt)
    if any(item.severity == "error" for item in problems):
        return Told(None, problems)
    change, more = spec_change(cluster, wish, facts)
    return Told(change, (*problems, *more))


def contents(name: str, minor: str = "4.20") -> list[str]:
    names: list[str] = MINORS[minor]["sets"][name]
    return names
