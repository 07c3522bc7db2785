# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for capabilities of a running cluster and their outcomes, from short descriptions."""

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
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem, Problems
from ansible_collections.capability.openshift.tests.unit.oracles.implicit_enablement import cluster_version

MINORS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "capabilities.json").read_text("utf-8")
)["minors"]
GATED = {"ClusterAPI", "CompatibilityRequirements"}
SPEC = "clusterversions.config.openshift.io version.spec.capabilities"


class ChangeOutcome(NamedTuple):
    """The outcome of a request: the change, if the request is valid, and all problems."""

    change: SpecChange | None
    problems: tuple[Problem, ...]

    @property
    def accepted(self) -> SpecChange:
        assert self.errors == []
        assert self.change is not None
        return self.change

    @property
    def errors(self) -> list[tuple[str, str]]:
        return [(str(item.where), item.message) for item in self.problems if item.severity == "error"]

    @property
    def warnings(self) -> list[tuple[str, str]]:
        return [(str(item.where), item.message) for item in self.problems if item.severity == "warning"]

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Code and location of each problem."""
        return [(item.code, str(item.where)) for item in self.problems]


def block(*names: str, baseline: str = "None") -> dict[str, Any]:
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


def outcome_of(
    spec: dict[str, Any] | None,
    options: Any = None,
    minor: str = "4.20",
    *,
    enable: Iterable[str] | None = None,
    keep: bool = False,
    enabled: Iterable[str] = (),
    known: Iterable[str] | None = None,
    new_names: Iterable[str] = (),
) -> ChangeOutcome:
    """Return the outcome of requesting ``options``, or to ``enable`` names, on a cluster that has ``spec``."""
    data = capability_data.data_of(Minor(*map(int, minor.split("."))))
    assert data is not None
    problems = Problems()
    obj = cluster_version(spec, enabled, known)
    cluster = parse_cluster_version(obj, Location(field=SPEC.removesuffix(".spec.capabilities")), problems)
    assert cluster is not None, problems
    problems = Problems()
    request = parse_request(options, enable, problems, keep_implicit=keep)._replace(new_names=frozenset(new_names))
    change = None if problems.has_errors else spec_change(cluster, request, data, problems)
    return ChangeOutcome(change, tuple(problems))


def contents(name: str, minor: str = "4.20") -> list[str]:
    names: list[str] = MINORS[minor]["sets"][name]
    return names
