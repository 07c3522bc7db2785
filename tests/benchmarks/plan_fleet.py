# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The candidate: plan a fleet on four releases, with selections, statuses and paths of every kind.

Usage: plan_fleet.py CLUSTERS RELEASE RELEASE RELEASE RELEASE
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    PlanOptions,
    SharedOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import (
    PlanSerializer,
    plan_violations,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_fleet

DISTINCT = 5
"""Clusters for each distinct request: 10,000 clusters have 2,000."""


REPEATS = 3
"""The best of them counts: what is looked for is the difference of two times, of which loading is the most."""


def main() -> None:
    """Plan, and print the distinct plans, seconds beyond those that one cluster takes, and the most memory in MB."""
    paths = sys.argv[2:]
    clusters = fleet(int(sys.argv[1]), paths, [known(path) for path in paths])
    alone = min(timed([{"name": "alone"}], paths)[1] for _repeat in range(REPEATS))
    plans, together = min((timed(clusters, paths) for _repeat in range(REPEATS)), key=lambda item: item[1])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(plans, f"{max(together - alone, 0):.4f}", f"{memory:.0f}")


def timed(clusters: list[dict[str, Any]], paths: list[str]) -> tuple[int, float]:
    """Load, plan and make the result; return the number of distinct plans and the seconds."""
    start = time.perf_counter()
    common, shared = PlanOptions(ClusterOptions(), releases=paths), SharedOptions(forbidden_capabilities=["all"])
    planned = plan_fleet([common.of_cluster(entry, at) for at, entry in enumerate(clusters)], shared)
    shapes = PlanSerializer()
    result = {
        "plans": [shapes.plan(item, details=False) for item in planned.plans],
        "clusters": dict(planned.clusters),
        "violations": plan_violations(planned, shared),
    }
    return len(result["plans"]), time.perf_counter() - start


def known(path: str) -> list[str]:
    """Return the names that the release at ``path`` knows."""
    release = load_release(path, Problems())
    data = data_of(release.minor) if release.minor else None
    return sorted(data.capabilities) if data else []


def fleet(count: int, paths: list[str], names: list[list[str]]) -> list[dict[str, Any]]:
    """Return ``count`` clusters, most of them on the whole path."""
    chance = random.Random(4)
    requests: dict[str, dict[str, Any]] = {}
    while len(requests) < count // DISTINCT:
        entry = random_entry(chance, paths, names)
        requests[json.dumps(entry)] = entry
    distinct = list(requests.values())
    return [{"name": f"site-{number}", **distinct[number % len(distinct)]} for number in range(count)]


def random_entry(chance: random.Random, paths: list[str], names: list[list[str]]) -> dict[str, Any]:
    """Return an entry of a cluster: a selection, a list of names or a ClusterVersion, and its path."""
    start = chance.choice((0, 0, 0, 0, 1)) if len(paths) > 2 else 0
    some = [name for name in names[start] if chance.random() < 0.5]
    baseline = chance.choice(("None", "v4.11", "v4.12", "v4.13", "vCurrent"))
    spec = {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": some}
    entry: dict[str, Any] = {"releases": paths[start:]} if start else {}
    kind = chance.choice(("selection", "list", "object"))
    if kind == "selection":
        return {**entry, "capabilities": spec}
    if kind == "list":
        return {**entry, "enabled_capabilities": some}
    status = {"enabledCapabilities": some, "knownCapabilities": names[start]}
    cluster_version = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "spec": {"capabilities": spec},
        "status": {"capabilities": status},
    }
    return {**entry, "cluster_version": cluster_version}


if __name__ == "__main__":
    main()
