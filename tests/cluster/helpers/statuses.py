# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Helpers for tests of cluster_version_status: a run of the module, and the status that it wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ansible_collections.capability.openshift.plugins.modules import cluster_version_status
from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CLUSTER_VERSIONS, CRDS, EXAMPLE
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome, caller

if TYPE_CHECKING:
    import pytest

PATH = f"{CLUSTER_VERSIONS}/version"
CRD = f"{CRDS}/clusterversions.config.openshift.io"
Report = Callable[..., Outcome]
THEN = "2025-01-01T00:00:00Z"
KNOWN = [
    *("Build", "CSISnapshot", "CloudControllerManager", "CloudCredential", "Console", "DeploymentConfig"),
    *("ImageRegistry", "Ingress", "Insights", "MachineAPI", "NodeTuning", "OperatorLifecycleManager"),
    *("OperatorLifecycleManagerV1", "Storage", "baremetal", "marketplace", "openshift-samples"),
]


def select(baseline: str, *names: str) -> dict[str, Any]:
    return {"capabilities": {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}}


def status_of(plane: ControlPlane) -> dict[str, Any]:
    status: dict[str, Any] = plane.api.get(PATH)["status"]
    return status


def condition_of(plane: ControlPlane, kind: str = "ImplicitlyEnabledCapabilities") -> dict[str, Any] | None:
    return next((item for item in status_of(plane)["conditions"] if item["type"] == kind), None)


def writes(plane: ControlPlane, mark: int) -> list[Request]:
    requests = plane.audit.requests(mark, user_agent="capability.openshift")
    assert requests
    return [request for request in requests if request.verb not in ("get", "list", "watch")]


def reporter(plane: ControlPlane, capsys: pytest.CaptureFixture[str]) -> Report:
    """Return a function that runs the module, by default for the example release as the administrator."""

    def run(**options: Any) -> Outcome:
        return caller(capsys)(cluster_version_status, **{"kubeconfig": plane.kubeconfig, "release": EXAMPLE, **options})

    return run
