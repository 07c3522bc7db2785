# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for definitions: after a crash, with rejected names, without permission to watch; few requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import (
    TOUCH_SECONDS,
    TOUCHED,
    DefinitionWatch,
    is_established,
    wait_until_established,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import CUSTOM_RESOURCE_DEFINITIONS, Target
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    AGENT,
    CRD,
    Site,
    restarted,
    served,
    site_of,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS
from ansible_collections.capability.openshift.tests.control_plane.storage import forget, rewrite_definition
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

NAME = "widgets.widgets.example"
TARGET = Target(CUSTOM_RESOURCE_DEFINITIONS, NAME)
NAMES = {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"}
SECONDS = 60.0
FEW = 20
"""More requests than any wait needs. Without pauses there would be hundreds per second."""


def definition(name: str, **names: str) -> dict[str, Any]:
    group = name.partition(".")[2]
    schema = {"openAPIV3Schema": {"type": "object"}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": schema}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {"group": group, "scope": "Cluster", "names": {**NAMES, **names}, "versions": versions},
    }


def invalid(crd: dict[str, Any]) -> None:
    """Give a definition a webhook that the API server cannot trust, so it never serves the definition."""
    forget(crd)
    service = {"name": "none", "namespace": "default"}
    crd["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhookClientConfig": {"caBundle": "bm9uZQ==", "service": service},  # as v1beta1 has it, which is stored
        "conversionReviewVersions": ["v1"],
    }


def unprocessed(crd: dict[str, Any]) -> None:
    """Leave a definition as if the API server was killed right after the request."""
    crd["status"] = {"acceptedNames": {"kind": "", "plural": ""}, "conditions": None, "storedVersions": ["v1"]}


def applied(client: Client, name: str = NAME, **names: str) -> Mapping[str, Any]:
    """Apply a definition and return its metadata from the answer."""
    written = client.apply(Target(CUSTOM_RESOURCE_DEFINITIONS, name), definition(name, **names))
    metadata: Mapping[str, Any] = written.object["metadata"]
    return metadata


@pytest.fixture
def site(cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    yield site_of(cluster, capsys, monkeypatch)
    wait_for(lambda: served(cluster.api), "the API server to be up again")
    # Definitions that are not served would disturb the next test.
    ours = [crd["metadata"]["name"] for crd in cluster.api.list(CRDS) if "example" in crd["spec"]["group"]]
    for path in (f"{CRDS}/{name}" for name in ours):
        cluster.api.delete(path)
        wait_for(lambda path=path: not cluster.api.exists(path), f"{path} to be gone")  # type: ignore[misc]
    restarted(cluster)


@pytest.fixture
def client(site: Site) -> Iterator[Client]:
    client = site.client()
    yield client
    client.close()


def after_crash(cluster: ControlPlane, client: Client, change: Callable[[dict[str, Any]], None]) -> Mapping[str, Any]:
    """Return the metadata of a definition after a crash and ``change``."""
    wait_until_established(client, TARGET, applied(client), SECONDS)
    cluster.kill_api_server()
    rewrite_definition(cluster, NAME, change)
    # A later write, so a watch from the version of the definition is rejected as too old.
    rewrite_definition(cluster, CRD, lambda crd: None)
    cluster.start_api_server()
    metadata: Mapping[str, Any] = client.get(TARGET)["metadata"]
    return metadata


@pytest.mark.parametrize(("change", "part"), [pytest.param(forget, 1.0, marks=pytest.mark.deep), (unprocessed, 0.1)])
def test_a_definition_that_a_crash_left_incomplete(
    cluster: ControlPlane, client: Client, change: Callable[[dict[str, Any]], None], part: float
) -> None:
    """The second case uses a tenth of the real time."""
    metadata = after_crash(cluster, client, change)
    mark = cluster.audit.mark()
    crd, why = wait_until_established(client, TARGET, metadata, SECONDS, part * TOUCH_SECONDS)
    assert is_established(crd), why
    assert len(cluster.audit.requests(mark, user_agent=AGENT)) <= FEW
    assert TOUCHED not in (client.get(TARGET)["metadata"].get("annotations") or {})


def test_a_wait_that_is_killed_leaves_no_trace(
    cluster: ControlPlane, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = after_crash(cluster, client, invalid)
    mark, wait = cluster.audit.mark(), DefinitionWatch.wait

    def killed(self: DefinitionWatch, name: str, uid: str, seconds: float) -> Mapping[str, Any] | None:
        if any(request.verb == "patch" for request in cluster.audit.requests(mark, user_agent=AGENT)):
            raise KeyboardInterrupt
        return wait(self, name, uid, seconds)

    monkeypatch.setattr(DefinitionWatch, "wait", killed)
    with pytest.raises(KeyboardInterrupt):
        wait_until_established(client, TARGET, metadata, SECONDS, 0.1 * TOUCH_SECONDS)
    assert TOUCHED not in (client.get(TARGET)["metadata"].get("annotations") or {})


def test_a_user_without_permission_to_watch(cluster: ControlPlane, site: Site) -> None:
    verbs = ["get", "list", "create", "patch"]
    rules = [{"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": verbs}]
    user = certificate_user(cluster, "no-watch", rules)
    theirs = site.client(kubeconfig=str(user.kubeconfig))
    mark, start = cluster.audit.mark(), time.monotonic()
    crd, why = wait_until_established(theirs, TARGET, applied(theirs), SECONDS)
    assert is_established(crd), why
    assert len(cluster.audit.requests(mark, user=user.name)) <= FEW + 4 * (time.monotonic() - start)
