# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The admission guard in tests: installed by its module, tested by writes, removed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    ADMISSION_BINDINGS,
    ADMISSION_POLICIES,
)
from ansible_collections.capability.openshift.plugins.modules import capability_guard
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    CRDS,
    capabilities_status,
    make_cluster_version,
    set_cluster_version_status,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome, caller

if TYPE_CHECKING:
    import pytest

VERSION = f"{CLUSTER_VERSIONS}/version"
POLICY = ADMISSION_POLICIES.path(GUARD_NAME)
BINDING = ADMISSION_BINDINGS.path(GUARD_NAME)
KNOWN = sorted(item.name for item in capability_data.CAPABILITIES if item.since <= Minor(4, 21))

Run = Callable[..., Outcome]


def runner(capsys: pytest.CaptureFixture[str], cluster: ControlPlane) -> Iterator[Run]:
    """Yield a function that runs the module as the administrator. Removes the guard at the end, as cleanup needs."""
    call = caller(capsys)

    def run(**options: Any) -> Outcome:
        return call(capability_guard, **{"kubeconfig": cluster.kubeconfig, **options})

    yield run
    for path in (BINDING, POLICY):
        if cluster.api.exists(path):
            cluster.api.delete(path)
    wait_for(lambda: not is_guarded(cluster.api), "the removal of the guard")


def is_guarded(api: Api) -> bool:
    """Whether the API server rejects the deletion of the ClusterVersion, if there is one."""
    return api.exists(VERSION) and refusal(lambda: api.delete(VERSION, dryRun="All")) != ""


def refusal(write: Callable[[], Any]) -> str:
    """Return why the guard rejects a write, empty if it does not."""
    try:
        write()
    except ApiError as error:
        if (error.status, error.reason) != (422, "Invalid") or GUARD_NAME not in str(error):
            raise
        return str(error).partition("denied request: ")[2]
    return ""


def block(baseline: str | None = None, *names: str) -> dict[str, Any]:
    """Return a block spec.capabilities."""
    lists: dict[str, Any] = {"additionalEnabledCapabilities": list(names)}
    return lists if baseline is None else {"baselineCapabilitySet": baseline, **lists}


def status(version: str, enabled: list[str] | None = None, known: list[str] | None = KNOWN) -> dict[str, Any]:
    """Return the status of a ClusterVersion, without known names if ``known`` is ``None``."""
    capabilities = capabilities_status(enabled or [], known or [])
    if known is None:
        del capabilities["capabilities"]["knownCapabilities"]
    return {"desired": {"version": version, "image": ""}, **capabilities}


def create(api: Api, capabilities: Mapping[str, Any] | None, reported: Mapping[str, Any] | None = None) -> None:
    """Create the ClusterVersion, by default one of 4.21 that knows all of its names."""
    spec = {} if capabilities is None else {"capabilities": capabilities}
    make_cluster_version(api, spec, status("4.21.3") if reported is None else reported)


def replace(api: Api, capabilities: Mapping[str, Any], reported: Mapping[str, Any]) -> None:
    """Replace spec and status while the guard is enforced.

    vCurrent is everything if the status knows all names, and nothing if it knows none.
    """
    everything = sorted(item.name for item in capability_data.CAPABILITIES)
    set_cluster_version_status(api, status("5.2.0", everything, everything))
    assert rejection(api, None, dry_run=False) == ""
    set_cluster_version_status(api, status("0.1.0", everything, None))
    assert rejection(api, capabilities, dry_run=False) == ""
    set_cluster_version_status(api, reported)


def rejection(api: Api, capabilities: Mapping[str, Any] | None, *, dry_run: bool = True) -> str:
    """Write another block, and return why the guard rejects it, empty if it does not."""
    obj = api.get(VERSION)
    obj["spec"].pop("capabilities", None)
    if capabilities is not None:
        obj["spec"]["capabilities"] = capabilities
    return refusal(lambda: api.put(VERSION, obj, **({"dryRun": "All"} if dry_run else {})))


def allow_any_name(api: Api) -> None:
    """Remove the enums from the CRD, and wait until the API server accepts any name."""
    path = f"{CRDS}/clusterversions.config.openshift.io"
    crd = api.get(path)
    (version,) = crd["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    schema.pop("x-kubernetes-validations", None)
    parts = [schema["properties"][part]["properties"]["capabilities"]["properties"] for part in ("spec", "status")]
    for field in [field for part in parts for field in part.values()]:
        field.get("items", field).pop("enum", None)
    api.put(path, crd)
    trial = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "trial"},
        "spec": {"clusterID": "1", "capabilities": block("v9.1", "Strange")},
    }
    wait_for(lambda: _is_accepted(api, trial), "the API server to accept any name")


def _is_accepted(api: Api, body: Mapping[str, Any]) -> bool:
    try:
        api.post(CLUSTER_VERSIONS, body, dryRun="All")
    except ApiError:
        return False
    return True
