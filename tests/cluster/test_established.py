# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for definitions: the ones that a crash left half done, refused names, no right to watch; few requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import (
    TOUCH_SECONDS,
    TOUCHED,
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
"""More requests than any wait needs; one that does not pause asks hundreds each second."""


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
    """Leave a definition with a webhook that the API server cannot trust, and so never serves the definition."""
    forget(crd)
    service = {"name": "none", "namespace": "default"}
    crd["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhookClientConfig": {"caBundle": "bm9uZQ==", "service": service},  # as v1beta1 has it, which is stored
        "conversionReviewVersions": ["v1"],
    }


def never_looked_at(crd: dict[str, Any]) -> None:
    """Leave a definition as an API server does that is killed right after it was sent."""
    crd["status"] = {"acceptedNames": {"kind": "", "plural": ""}, "conditions": None, "storedVersions": ["v1"]}


def sent(client: Client, name: str = NAME, **names: str) -> Mapping[str, Any]:
    """Send a definition and return its metadata as the answer has them."""
    written = client.apply(Target(CUSTOM_RESOURCE_DEFINITIONS, name), definition(name, **names))
    metadata: Mapping[str, Any] = written.object["metadata"]
    return metadata


@pytest.fixture
def site(cluster: ControlPlane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    yield site_of(cluster, capsys, monkeypatch)
    wait_for(lambda: served(cluster.api), "the API server to be up again")
    # Those that are not served would be in the way of the next test.
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


def after_a_crash(cluster: ControlPlane, client: Client, change: Callable[[dict[str, Any]], None]) -> Mapping[str, Any]:
    """Return the metadata of a definition that a crash left as ``change`` says."""
    wait_until_established(client, TARGET, sent(client), SECONDS)
    cluster.kill_api_server()
    rewrite_definition(cluster, NAME, change)
    # Something was stored later, so that a watch from what the definition has is refused as one from the past.
    rewrite_definition(cluster, CRD, lambda crd: None)
    cluster.start_api_server()
    metadata: Mapping[str, Any] = client.get(TARGET)["metadata"]
    return metadata


@pytest.mark.parametrize(("change", "part"), [(forget, 1.0), (never_looked_at, 0.1)])
def test_a_definition_that_a_crash_left_half_done(
    cluster: ControlPlane,
    client: Client,
    change: Callable[[dict[str, Any]], None],
    part: float,
) -> None:
    """The second time nothing is waited for longer than a tenth of what it is in earnest."""
    metadata = after_a_crash(cluster, client, change)
    mark = cluster.audit.mark()
    found, why = wait_until_established(client, TARGET, metadata, SECONDS, part * TOUCH_SECONDS)
    assert is_established(found), why
    assert len(cluster.audit.requests(mark, user_agent=AGENT)) <= FEW
    assert TOUCHED not in (client.get(TARGET)["metadata"].get("annotations") or {})


def test_time_is_up(cluster: ControlPlane, client: Client) -> None:
    """After one attempt to have the definition looked at again."""
    metadata = after_a_crash(cluster, client, invalid)
    mark = cluster.audit.mark()
    found, why = wait_until_established(client, TARGET, metadata, 1.4, 0.1 * TOUCH_SECONDS)
    assert not is_established(found)
    assert why == "is not established in time: InvalidCABundle (The conversion webhook CABundle is invalid)"
    assert len(cluster.audit.requests(mark, user_agent=AGENT)) <= FEW
    assert wait_until_established(client, TARGET, metadata, 0.0)[1] == why
    assert TOUCHED not in (client.get(TARGET)["metadata"].get("annotations") or {})


def test_names_that_another_one_has(client: Client) -> None:
    wait_until_established(client, TARGET, sent(client), SECONDS)
    other = "gadgets.widgets.example"
    metadata = sent(client, other, plural="gadgets", singular="gadget")
    found, why = wait_until_established(client, Target(CUSTOM_RESOURCE_DEFINITIONS, other), metadata, SECONDS)
    assert not is_established(found)
    assert why.startswith("its names are not accepted (")
    assert "already in use" in why


def test_somebody_who_may_not_watch(cluster: ControlPlane, site: Site) -> None:
    verbs = ["get", "list", "create", "patch"]
    rules = [{"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": verbs}]
    user = certificate_user(cluster, "no-watch", rules)
    theirs = site.client(kubeconfig=str(user.kubeconfig))
    mark, begun = cluster.audit.mark(), time.monotonic()
    found, why = wait_until_established(theirs, TARGET, sent(theirs), SECONDS)
    assert is_established(found), why
    assert len(cluster.audit.requests(mark, user=user.name)) <= FEW + 4 * (time.monotonic() - begun)


def test_a_definition_that_is_gone(cluster: ControlPlane, client: Client) -> None:
    metadata = after_a_crash(cluster, client, invalid)
    client.delete(TARGET)
    with pytest.raises(ApiError) as caught:
        wait_until_established(client, TARGET, metadata, SECONDS)
    assert caught.value.code == 404
