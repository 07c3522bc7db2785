# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The candidate: plan the updates of one cluster from release to release. With a single release it is only loaded.

Usage: plan_updates.py RELEASE... [--matching]    (prints what was counted, and seconds; of matching alone if asked)
"""

from __future__ import annotations

import statistics
import sys
import time

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
    check_options,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.implicit_enablement import (
    ImplicitEnablement,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_release
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.request import (
    PlanOptions,
    SharedOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import PlanSerializer
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import plan_cluster

REPEATS = 20


def main() -> None:
    """Load, plan and count."""
    releases = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if "--matching" in sys.argv:
        counted, spent = match(releases)
    else:
        start = time.perf_counter()
        counted = plan(releases) if len(releases) > 1 else len(load_release(releases[0], Problems()).manifests)
        spent = time.perf_counter() - start
    print(counted, f"{spent:.6f}")


def plan(releases: list[str]) -> int:
    """Return how many resources enable a capability of a cluster that selects none."""
    cluster = ClusterOptions(capabilities={"baselineCapabilitySet": "None"})
    fleet = plan_cluster(PlanOptions(cluster, releases=releases), SharedOptions(allow_downgrade=True))
    result = PlanSerializer().plan(fleet.plans[0], details=True)
    return sum(item["count"] for hop in result["hops"] for item in hop["implicitly_enabled"])


def match(releases: list[str]) -> tuple[int, float]:
    """Match the manifests of two releases that are loaded and filtered, and judge them for one cluster."""
    cluster = check_options(ClusterOptions(), None, Problems())
    current, target = (resolve_release(cluster, load_release(path, Problems()), Problems()) for path in releases[:2])
    assert current is not None
    assert target is not None
    spent = []
    count = 0
    for _repeat in range(REPEATS):
        start = time.perf_counter()
        enabled = ImplicitEnablement(current.loaded, target.loaded).implicitly_enabled(frozenset())
        spent.append(time.perf_counter() - start)
        count = sum(map(len, enabled.values()))
    return count, statistics.median(spent)


if __name__ == "__main__":
    main()
