# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The candidate: check and write the install-configs of a fleet, whose clusters have separate networks and disks.

Usage: install_fleet.py CLUSTERS
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import InstallConfigOptions
from ansible_collections.capability.openshift.plugins.module_utils._install_config.fleet import (
    ClusterEntry,
    build_fleet,
    write_fleet,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    SelectionOptions,
)

COMMON: dict[str, Any] = {
    "apiVersion": "v1",
    "baseDomain": "example.com",
    "controlPlane": {"name": "master", "replicas": 1},
    "compute": [{"name": "worker", "replicas": 0}],
    "platform": {"none": {}},
    # The length of a real pull secret
    "pullSecret": '{"auths":{"registry.example":{"auth":"' + "ZmFrZTpmYWtl" * 230 + '"}}}',
    "sshKey": "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTZmYWtlZmFrZWZha2VmYWtl one",
}


def main() -> None:
    """Check and write, and print the distinct selections, the CPU seconds of it, and the most memory in MB."""
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        clusters = [entry(number, folder) for number in range(count)]
        options = InstallConfigOptions(
            content=COMMON, selection=SelectionOptions(solution="ran_du"), openshift_version="4.20"
        )
        start = time.process_time()
        entries = [ClusterEntry.from_params(item, at, options) for at, item in enumerate(clusters)]
        fleet = build_fleet(entries, options)
        write_fleet(fleet, check_mode=False)
        spent = time.process_time() - start
        if fleet.failed or len(list(Path(folder).iterdir())) != count:
            sys.exit(f"not all files were written: {fleet.problems[:3]}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(len(fleet.selections), f"{spent:.4f}", f"{memory:.0f}")


def entry(number: int, folder: str) -> dict[str, Any]:
    """Return the entry of a cluster: every tenth has another selection, and every seventh another version."""
    third, fourth = divmod(number, 250)
    content = {
        "metadata": {"name": f"site-{number}"},
        "networking": {"machineNetwork": [{"cidr": f"10.{third}.{fourth}.0/24"}]},
        "bootstrapInPlace": {"installationDisk": f"/dev/disk/by-path/pci-0000:01:00.0-nvme-{number}"},
    }
    cluster: dict[str, Any] = {"name": f"site-{number}", "path": f"{folder}/site-{number}.yaml", "content": content}
    if number % 10 == 0:
        cluster["capabilities"] = {"excluded_capabilities": ["Console"]}
    if number % 7 == 0:
        cluster["openshift_version"] = "4.19"
    return cluster


if __name__ == "__main__":
    main()
