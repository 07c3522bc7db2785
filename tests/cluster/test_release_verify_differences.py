# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ``release_verify`` takes for a difference, and what for ready. Real releases: test_rollout_real_releases.py."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CREATE_ONLY,
    Rollouts,
    config_map,
    crd,
    deployment,
    everything_but,
    ids,
    manifest,
    namespace,
    path_of,
    rollouts_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import (
    INGRESS,
    NONE,
    found,
    ran,
    verified,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.operators import Behaviour, Operators, operators_of
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

if TYPE_CHECKING:
    import pytest

NODES = "/api/v1/nodes"
INJECT_TLS = "config.openshift.io/inject-tls"


# What is no difference


def test_what_is_created_once_may_change(rollouts: Rollouts) -> None:
    once = config_map("once", annotations={CREATE_ONLY: "true"})
    release = rollouts.release([once])
    rollouts.done(release)
    rollouts.api.patch(path_of(once), {"data": {"key": "other"}})
    assert found(verified(rollouts, release)) == {}

    rollouts.api.delete(path_of(once))
    assert found(verified(rollouts, release)) == {"missing": ["ConfigMap once"]}


def test_injected_bundles_are_no_difference(rollouts: Rollouts) -> None:
    annotations = {"service.beta.openshift.io/inject-cabundle": "true"}
    bundle = base64.b64encode(b"-----BEGIN CERTIFICATE-----").decode()
    hook = {
        "name": "a.test.io",
        "clientConfig": {"service": {"name": "a", "namespace": "a"}, "caBundle": bundle},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    api = "admissionregistration.k8s.io/v1"
    body = manifest("ValidatingWebhookConfiguration", "a", api=api, annotations=annotations, webhooks=[hook])
    release = rollouts.release([body])
    rollouts.done(release)

    assert found(verified(rollouts, release)) == {}


def test_configuration_that_the_cvo_injects_is_expected(rollouts: Rollouts) -> None:
    definitions = [
        crd(plural, kind, namespaced=False, group="config.openshift.io")
        for plural, kind in (("infrastructures", "Infrastructure"), ("apiservers", "APIServer"))
    ]
    text = "apiVersion: operator.openshift.io/v1alpha1\nkind: GenericOperatorConfig\n"
    config = config_map("config", annotations={INJECT_TLS: "true"}, data={"config.yaml": text})
    name = "cluster-version-operator"
    cvo = deployment(name, "openshift-cluster-version", container={"name": name})
    bundle = config_map("bundle", labels={"config.openshift.io/inject-trusted-cabundle": "true"}, data={})
    release = rollouts.release([*definitions, namespace("openshift-cluster-version"), cvo, config, bundle])
    options = {"openshift_version": "5.0.0"}
    rollouts.done(release, **options)
    api = {"apiVersion": "config.openshift.io/v1", "metadata": {"name": "cluster"}}
    status = {"apiServerInternalURI": "https://api-int.test:6443"}
    path = "/apis/config.openshift.io/v1"
    rollouts.api.post(f"{path}/infrastructures", {**api, "kind": "Infrastructure", "status": status})
    field = f'.spec.template.spec.containers[name="{name}"].env'
    (different,) = verified(rollouts, release, **options)["different"]
    assert [item["field"] for item in different["fields"]] == [field]

    assert ids(rollouts.done(release, **options), "changed_resources") == [f"Deployment {name}"]
    rollouts.api.patch(path_of(bundle), {"data": {"ca-bundle.crt": "x"}})
    tls = rollouts.get(config)["data"]["config.yaml"]
    assert "minTLSVersion: VersionTLS12" in tls
    # The CVO of 5.0 keeps the order of the profile.
    assert tls.index("_RSA_WITH_AES_128_GCM") < tls.index("_ECDSA_WITH_AES_256_GCM")
    rollouts.api.patch(path_of(config), {"data": {"config.yaml": tls.replace("\n  - ", "\n    - ")}})
    assert found(verified(rollouts, release, **options), idle=True) == {}

    profile = {"tlsSecurityProfile": {"type": "Modern"}}
    rollouts.api.post(f"{path}/apiservers", {**api, "kind": "APIServer", "spec": profile})
    outcome = rollouts.done(release, force_conflicts=True, **options)
    assert "ConfigMap config" in ids(outcome, "changed_resources")
    user = certificate_user(rollouts.plane, "no-config", everything_but("config.openshift.io", "infrastructures"))
    outcome = ran(rollouts, release, kubeconfig=user.kubeconfig, **options)
    assert {code for code, _where in outcome.faults} == {"forbidden-request"}
    assert found(outcome, idle=True) == {}


def test_fields_that_the_api_does_not_know_are_a_warning(rollouts: Rollouts) -> None:
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    thing = manifest("Thing", "one", "rollouts", api="test.io/v1", spec={"size": 1, "colour": "red"})
    policy = manifest(
        "NetworkPolicy", "one", "rollouts", api="networking.k8s.io/v1", spec={"podSelector": {}, "users": ["a"]}
    )
    others = crd("others", "Other", {**spec, "optional": ["size"]})
    release = rollouts.release([crd("things", "Thing", spec), others, thing, policy])
    rollouts.done(release)

    outcome = verified(rollouts, release)

    assert found(outcome) == {}
    undeclared = [item["message"] for item in outcome["problems"] if item["code"] == "undeclared-field"]
    assert len(undeclared) == 3
    texts = (" .spec.colour of Thing, ", " .spec.users of NetworkPolicy, ", ".optional of CustomResourceDefinition, ")
    for text in texts:
        assert any(text in message for message in undeclared)

    rollouts.api.patch("/apis/test.io/v1/namespaces/rollouts/things/one", {"spec": {"size": None}})
    (item,) = verified(rollouts, release)["different"]
    assert item["fields"] == [{"field": ".spec.size", "expected": 1, "actual": None}]


def test_additions_to_a_pod_are_a_difference_that_no_rollout_removes(rollouts: Rollouts) -> None:
    operator = deployment("operator")
    release = rollouts.release([operator])
    rollouts.done(release)
    pod = {
        "hostNetwork": True,
        "tolerations": [{"operator": "Exists"}],
        "containers": [{"name": "other", "image": "a"}, {"name": "main", "securityContext": {"privileged": True}}],
    }
    merge = "application/strategic-merge-patch+json"
    rollouts.api.patch(path_of(operator), {"spec": {"template": {"spec": pod}}}, merge)

    fields = [item["field"] for item in verified(rollouts, release)["different"][0]["fields"]]

    template = ".spec.template.spec"
    assert fields == [
        f'{template}.containers[name="main"].securityContext',
        f'{template}.containers[name="other"]',
        f"{template}.hostNetwork",
    ]
    assert ids(rollouts.done(release), "changed_resources") == []
    assert len(verified(rollouts, release)["different"]) == 1


# With controllers


def test_all_is_ready_with_controllers_until_something_stops_working(
    full_plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rollouts = rollouts_of(full_plane, tmp_path, capsys, monkeypatch)
    operators = [item for item in operators_of(EXAMPLE) if item.name == "ingress"]
    with Operators(full_plane.kubeconfig, operators, make=False, namespaces=()) as working:
        rollouts.done(EXAMPLE, capabilities=NONE, wait=True, wait_timeout=600)
        working.wait("ingress")
    assert found(verified(rollouts), idle=False) == {}

    with Operators(full_plane.kubeconfig, operators, {"ingress": Behaviour(degraded="no routes")}, make=False):
        wait_for(lambda: verified(rollouts)["unready"], "the operator to be degraded")
    outcome = verified(rollouts)
    assert found(outcome, idle=False) == {"unready": ["ClusterOperator ingress"]}
    assert "no routes" in outcome["unready"][0]["message"]

    nodes = [item["metadata"]["name"] for item in full_plane.api.list(NODES)]
    pods = "/api/v1/namespaces/openshift-ingress-operator/pods"
    try:
        for name in nodes:
            full_plane.api.patch(f"{NODES}/{name}", {"spec": {"unschedulable": True}})
        for item in full_plane.api.list(pods):
            full_plane.api.delete(f"{pods}/{item['metadata']['name']}", gracePeriodSeconds="0")
        wait_for(lambda: full_plane.api.get(INGRESS)["status"].get("unavailableReplicas"), "the pods to be gone")
        outcome = verified(rollouts)
    finally:
        for name in nodes:
            full_plane.api.patch(f"{NODES}/{name}", {"spec": {"unschedulable": None}})
    assert found(outcome, idle=False) == {"unready": ["Deployment ingress-operator", "ClusterOperator ingress"]}
    assert outcome["unready"][0]["message"].startswith("0 of 1 replicas are available")
