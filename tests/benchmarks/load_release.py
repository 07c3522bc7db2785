# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The candidate: load a release and decide on each of its manifests."""

from __future__ import annotations

import sys
import time

if "--without-accelerator" in sys.argv:
    sys.modules["ryml"] = None  # type: ignore[assignment]

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import decide_all
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release


def main() -> None:
    """Load, decide and count."""
    start = time.perf_counter()
    loaded = load_release(sys.argv[1])
    release = loaded.release
    context, _status = resolve_cluster(ClusterOptions(), release, Problems())
    included = sum(1 for inclusion in decide_all(release.manifests, context) if inclusion.included)
    print(included, time.perf_counter() - start)


if __name__ == "__main__":
    main()
