#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Combine fields of AgentClusterInstalls, and write which combinations assisted-service rejects, and their platforms.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_sites CHECKOUT

The checkout is one of openshift/assisted-service, with its vendored modules or with a module proxy. The program in
``go/assisted`` is copied there, and removed afterwards.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.parity.go_program import run_in_checkout
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, write

VERSION = "4.20.3"
ARCHITECTURES = ("x86_64", "arm64", "s390x", "ppc64le", "multi")
PLATFORMS = (None, "BareMetal", "None", "External", "Nutanix", "VSphere")
NETWORKS = (None, True, False)
EXTERNALS: tuple[dict[str, str] | None, ...] = (
    None,
    {"platformName": "other"},
    {"platformName": "oci"},
    {"platformName": "oci", "cloudControllerManager": "External"},
)
AGENTS = ((1, 0), (1, 2), (3, 0), (3, 2))


def cases() -> list[dict[str, Any]]:
    """Return all combinations: an architecture, and the spec of an AgentClusterInstall."""
    specs = itertools.starmap(spec_of, itertools.product(PLATFORMS, NETWORKS, EXTERNALS, AGENTS))
    return [
        {"version": VERSION, "architecture": architecture, "spec": spec}
        for architecture, spec in itertools.product(ARCHITECTURES, specs)
    ]


def spec_of(
    platform: str | None, network: bool | None, external: dict[str, str] | None, agents: tuple[int, int]
) -> dict[str, Any]:
    """Return the spec of an AgentClusterInstall. What is ``None`` is not set."""
    spec = {
        "clusterDeploymentRef": {"name": "a"},
        "platformType": platform,
        "external": external,
        "networking": {} if network is None else {"userManagedNetworking": network},
        "provisionRequirements": {"controlPlaneAgents": agents[0], "workerAgents": agents[1]},
    }
    return {key: value for key, value in spec.items() if value is not None}


def main(arguments: list[str]) -> int:
    """Write the facts."""
    platforms = run_in_checkout("assisted", Path(arguments[0]), cases())
    write(FACTS / "sites.json", {"platforms": platforms})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
