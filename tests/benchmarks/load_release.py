# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The candidate: load a release and decide on each of its manifests. A second argument is the directory of the index.

With the argument ``--bodies``, it also reads the body of each manifest.
"""

from __future__ import annotations

import sys
import time

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import decide_all
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release


def main() -> None:
    """Load, decide and count."""
    start = time.process_time()
    path, *more = (argument for argument in sys.argv[1:] if argument != "--bodies")
    loaded = load_release(path, Problems(), index_directory=more[0] if more else "")
    release = loaded
    context, _status = resolve_cluster(ClusterOptions(), release, Problems())
    included = sum(1 for inclusion in decide_all(release.manifests, context) if inclusion.included)
    if "--bodies" in sys.argv:
        for manifest in release.manifests:
            release.read_body(manifest)
    print(included, time.process_time() - start)


if __name__ == "__main__":
    main()
