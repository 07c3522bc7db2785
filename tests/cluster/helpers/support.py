# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster with a ClusterVersion, the modules that ask it, and a stand-in for the cluster-version operator."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import urllib3
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import retries as _retries
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect
from ansible_collections.capability.openshift.plugins.modules import cluster_capabilities, cluster_capabilities_info
from ansible_collections.capability.openshift.tests.cluster.helpers.processes import Process
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    CRDS,
    EXAMPLE,
    capabilities_status,
    collection_path,
    define,
    make_cluster_version,
    read_release,
    release_bodies,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome, caller

AGENT = "capability.openshift"
VERSION = "4.21.0"
"""That of the example release."""

OBJECT = f"{CLUSTER_VERSIONS}/version"
CRD = "clusterversions.config.openshift.io"
FACTS = capability_data.data_of(Minor(4, 21))
assert FACTS is not None
KNOWN = FACTS.capabilities
PROPERTIES = ["get"] * 3
"""The requests for what decides about the manifests of a release: FeatureGate, Deployment and Infrastructure."""

_WRITES = {"create", "update", "patch", "delete", "deletecollection"}
_SETTINGS = re.compile(r"K8S_AUTH_|KUBE|(https?|all|no)_proxy$", re.IGNORECASE)


def selection(*names: str, baseline: str = "None") -> dict[str, Any]:
    """Return a selection in the API's spelling."""
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


class Site(NamedTuple):
    """A cluster, and the modules as its administrator runs them."""

    plane: ControlPlane
    call: Call

    def make(
        self,
        spec: Mapping[str, Any] | None,
        enabled: Iterable[str] | None = None,
        *,
        known: Iterable[str] = KNOWN,
        version: str = VERSION,
        **status: Any,
    ) -> None:
        """Make the ClusterVersion; ``spec`` is its block of capabilities. ``enabled`` of ``None``: no status yet."""
        reported = {} if enabled is None else capabilities_status(enabled, known)
        full = None if enabled is None else {"desired": {"version": version}, **reported, **status}
        make_cluster_version(self.plane.api, {} if spec is None else {"capabilities": dict(spec)}, full)

    def ask(self, capabilities: object = None, **options: Any) -> Outcome:
        """Run ``cluster_capabilities``."""
        given = {} if capabilities is None else {"capabilities": capabilities}
        return self.call(cluster_capabilities, **{"kubeconfig": self.plane.kubeconfig, **given, **options})

    def enable(self, *names: str, **options: Any) -> Outcome:
        """Run ``cluster_capabilities`` with names to add."""
        return self.ask(enable=list(names), **options)

    def info(self, **options: Any) -> Outcome:
        """Run ``cluster_capabilities_info``."""
        return self.call(cluster_capabilities_info, **{"kubeconfig": self.plane.kubeconfig, **options})

    @property
    def spec(self) -> dict[str, Any] | None:
        """The block ``spec.capabilities`` that the cluster has."""
        found: dict[str, Any] | None = self.plane.api.get(OBJECT)["spec"].get("capabilities")
        return found

    @property
    def names(self) -> set[str]:
        """The list of additional capabilities that the cluster has."""
        return set((self.spec or {}).get("additionalEnabledCapabilities") or ())

    def requests(self, since: int) -> list[Request]:
        """Return what the collection asked the API server since a mark."""
        return self.plane.audit.requests(since, user_agent=AGENT)

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Nothing is written in between, and the object is the very same."""
        before, mark = self.plane.api.get(OBJECT), self.plane.audit.mark()
        yield
        assert [request for request in self.requests(mark) if is_write(request)] == []
        assert self.plane.api.get(OBJECT) == before

    def client(self, **options: Any) -> Client:
        """Return a separate client, as a module with these options gets it."""
        params = {"kubeconfig": str(self.plane.kubeconfig), **options}
        return connect(SimpleNamespace(params=params, no_log_values=set()))


def site_of(plane: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Site:
    """Return a site whose results do not depend on the settings of the user."""
    for name in filter(_SETTINGS.match, list(os.environ)):
        monkeypatch.delenv(name)
    return Site(plane, caller(capsys))


def is_write(request: Request) -> bool:
    """Return whether a request changes anything."""
    is_question = "selfsubjectaccessreviews" in request.uri
    return request.verb in _WRITES and "dryRun=All" not in request.uri and not is_question


def verbs(requests: Iterable[Request]) -> list[str]:
    """Return what was asked, a dry run as ``dry-VERB``."""
    return [f"dry-{item.verb}" if "dryRun=All" in item.uri else item.verb for item in requests]


def short_waits(monkeypatch: pytest.MonkeyPatch, read_seconds: float = 0.5) -> None:
    """Have the client wait for hardly any time before it tries again, and for ``read_seconds`` for an answer."""
    monkeypatch.setattr(_retries, "LONGEST_WAIT", 0.02)
    assert Client._send.__kwdefaults__ is not None
    monkeypatch.setitem(Client._send.__kwdefaults__, "read_seconds", read_seconds)


read = cache(read_release)


def releases() -> list[Any]:
    """Return the releases that there are, as parameters of a test: the example, and what CAPABILITY_RELEASES names.

    Of these, only the newest one is not in the deep tier.
    """
    root = os.environ.get("CAPABILITY_RELEASES")
    folders = sorted(Path(root).iterdir()) if root else []
    real = [folder for folder in folders if (folder / "release-manifests").is_dir()]
    fast = (EXAMPLE, *real[-1:])
    marks = {folder: () if folder in fast else pytest.mark.deep for folder in (EXAMPLE, *real)}
    return [pytest.param(folder, id=folder.name, marks=mark) for folder, mark in marks.items()]


def remove_crd(api: Api) -> None:
    """Make the cluster one of plain Kubernetes, as far as ClusterVersion goes."""
    if api.exists(f"{CRDS}/{CRD}"):
        api.delete(f"{CRDS}/{CRD}")
    wait_for(lambda: not api.exists(f"{CRDS}/{CRD}") and not served(api), "the CRD to be gone")


def served(api: Api, path: str = CLUSTER_VERSIONS) -> bool:
    """Return whether objects can be requested, now that a CRD or the server came or went."""
    try:
        api.list(path)
    except (ApiError, urllib3.exceptions.HTTPError):
        return False
    return True


def restart(plane: ControlPlane) -> None:
    """Start the API server again and wait until it serves all kinds."""
    plane.start_api_server()
    restarted(plane)


def up_again(plane: ControlPlane) -> None:
    """Wait until an API server that was started again serves its own kinds."""
    wait_for(lambda: served(plane.api, "/api/v1/namespaces"), "the API server to be up again")


def restarted(plane: ControlPlane) -> None:
    """Wait until an API server that was started again serves all kinds: it is ready before they are."""
    wait_for(lambda: served(plane.api), "ClusterVersions to be served")
    for crd in plane.api.list(CRDS):
        path = collection_path(crd)
        wait_for(lambda path=path: served(plane.api, path), f"{path} to be served")  # type: ignore[misc]


@contextmanager
def crd_of(api: Api, release: Path, without: str = "") -> Iterator[None]:
    """Have the ClusterVersion of another release, or without one of its names, and none at all afterwards."""
    bodies = release_bodies(read(release), "CustomResourceDefinition")
    text = json.dumps({item["metadata"]["name"]: item for item in bodies}[CRD])
    text = re.sub(rf'"{without}", |, "{without}"', "", text) if without else text
    remove_crd(api)
    try:
        define(api, [json.loads(text)])
        yield
    finally:
        remove_crd(api)  # a CRD that is there already is not waited for


def status_of(plane: ControlPlane) -> dict[str, Any]:
    """Return the status of the ClusterVersion."""
    status: dict[str, Any] = plane.api.get(OBJECT)["status"]
    return status


def condition_of(plane: ControlPlane, kind: str = "ImplicitlyEnabledCapabilities") -> dict[str, Any] | None:
    """Return a condition of the ClusterVersion."""
    return next((item for item in status_of(plane)["conditions"] if item["type"] == kind), None)


def start_alone(**options: Any) -> Process:
    """Start ``cluster_capabilities`` in its own process."""
    return Process("cluster_capabilities", **options)


def kubeconfig_of(path: Path) -> dict[str, Any]:
    """Return what a kubeconfig says."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found
