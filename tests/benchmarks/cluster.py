# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules that talk to a cluster cost: requests, counted by the API server, and time."""

from __future__ import annotations

import json
from threading import Timer
from typing import Any

from ansible_collections.capability.openshift.tests.benchmarks.run import BIN, HERE, ROUNDS, Candidate, compare, measure
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    apply_crds,
    capabilities_status,
    make_cluster_version,
    set_cluster_version_status,
)

OURS = "capability.openshift.cluster_capabilities"
CONSOLE = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Ingress"]}
MORE = ["Storage"]
KNOWN = ["Console", "Ingress", "Storage"]


def command(fqcn: str, **options: Any) -> list[str]:
    """Return what runs one module."""
    return [str(BIN / "python"), str(HERE / "call_module.py"), fqcn, json.dumps(options)]


def reset(plane: ControlPlane) -> None:
    """Give the cluster the spec to begin with."""
    status = {**capabilities_status(["Console", "Ingress"], KNOWN), "desired": {"version": "4.21.0"}}
    make_cluster_version(plane.api, {"capabilities": CONSOLE}, status)


def requests(plane: ControlPlane, title: str, limit: int, **options: Any) -> None:
    """Print how many requests a run of the module sends, watches aside."""
    mark = plane.audit.mark()
    measure(command(OURS, kubeconfig=str(plane.kubeconfig), **options))
    sent = plane.audit.requests(mark, user_agent="capability.openshift")
    counted = [request for request in sent if request.verb != "watch"]
    verbs = ", ".join(request.verb for request in sent)
    print(f"  {title:<46} {len(counted):>4} requests (limit {limit}): {verbs}")


def grant(plane: ControlPlane) -> None:
    """Say in the status that everything is on, as the cluster-version operator does a while after it was requested."""
    set_cluster_version_status(plane.api, {**capabilities_status(KNOWN, KNOWN), "desired": {"version": "4.21.0"}})


def main() -> None:
    """Start a control plane, and measure."""
    with ControlPlane() as plane:
        apply_crds(plane.api, EXAMPLE)
        reset(plane)
        print("Requests of cluster_capabilities")
        requests(plane, "nothing to change", 2, capabilities=CONSOLE)
        requests(plane, "enabling one", 4, enable=MORE)
        reset(plane)
        Timer(2.0, grant, [plane]).start()
        requests(plane, "enabling one, and waiting 2 s for it", 4, enable=MORE, wait=True)
        kubeconfig = str(plane.kubeconfig)

        def ours(**options: Any) -> list[str]:
            reset(plane)
            return command(OURS, kubeconfig=kubeconfig, **options)

        candidates = [
            Candidate(
                "cluster_capabilities_info",
                lambda: command("capability.openshift.cluster_capabilities_info", kubeconfig=kubeconfig),
            ),
            Candidate("cluster_capabilities, nothing to change", lambda: ours(capabilities=CONSOLE)),
            Candidate("cluster_capabilities, enabling one", lambda: ours(enable=MORE)),
        ]
        compare("One object of one cluster, whole processes", candidates, ROUNDS)


if __name__ == "__main__":
    main()
