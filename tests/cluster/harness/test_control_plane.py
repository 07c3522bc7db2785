# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The control plane of these tests is a real one, does what tests rely on, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3

from ansible_collections.capability.openshift.tests.cluster.helpers.access import (
    CONFIG_MAPS,
    READ_CLUSTER_VERSIONS,
    status_of,
)
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    CRDS,
    EXAMPLE,
    apply_crds,
    capabilities_status,
    is_established,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import (
    NAMESPACES,
    Behaviour,
    Operator,
    Operators,
    operators_of,
)
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.users import (
    expired_token,
    token_user,
    unknown_authority,
    unknown_token,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

pytestmark = pytest.mark.deep

MODULE = "ansible_collections.capability.openshift.tests.control_plane"


def config_map(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {}}


def processes_with(text: str) -> list[str]:
    """Return the command lines of running processes that name ``text``."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in command:
            found.append(command)
    return found


# The API


def test_it_is_gone_at_the_end() -> None:
    with ControlPlane() as one:
        assert len(processes_with(str(one.folder))) == 2  # etcd and kube-apiserver
    assert processes_with(str(one.folder)) == []
    assert not one.folder.exists()


def test_its_ports_are_never_free_for_others() -> None:
    with ControlPlane() as one:
        one.kill_api_server()
        for url in (one.etcd, one.url):
            with socket.socket() as other, pytest.raises(OSError, match="in use"):
                other.bind(("127.0.0.1", urlsplit(url).port))
        one.start_api_server()
        assert one.api.text("/readyz") == "ok"


def test_strangers_are_refused(cluster: ControlPlane) -> None:
    rule = {**READ_CLUSTER_VERSIONS, "verbs": ["list"]}
    assert status_of(token_user(cluster, "late", [rule]).kubeconfig, CLUSTER_VERSIONS) == 200
    assert status_of(expired_token(cluster, "late"), CLUSTER_VERSIONS) == 401
    assert status_of(unknown_token(cluster), CLUSTER_VERSIONS) == 401
    with pytest.raises(urllib3.exceptions.SSLError, match="CERTIFICATE_VERIFY_FAILED"):
        status_of(unknown_authority(cluster), CLUSTER_VERSIONS)


# OpenShift's kinds


def definitions(api: Api) -> list[str]:
    return [body["metadata"]["name"] for body in api.list(CRDS)]


def test_kinds_of_the_example_are_established(cluster: ControlPlane) -> None:
    names = definitions(cluster.api)
    assert {"clusterversions.config.openshift.io", "clusteroperators.config.openshift.io"} <= set(names)
    assert names == apply_crds(cluster.api, EXAMPLE)
    assert all(is_established(cluster.api, name) for name in names)
    assert cluster.api.list(CLUSTER_VERSIONS) == []


def test_kinds_of_real_releases_are_accepted() -> None:
    releases = sorted(Path(os.environ.get("CAPABILITY_RELEASES", EXAMPLE.parent)).glob("*/release-manifests"))
    with ControlPlane() as one:
        names = apply_crds(one.api, releases[-1].parent)
        assert definitions(one.api) == names
        assert all(is_established(one.api, name) for name in names)
        make_cluster_version(one.api, None, {"desired": {"version": "4.99.0"}})


def test_cluster_version_is_checked_by_its_schema(cluster: ControlPlane) -> None:
    with pytest.raises(ApiError, match=r'^422 Invalid: .*Unsupported value: "Nonsense": supported values: "Build"'):
        make_cluster_version(cluster.api, {"capabilities": {"additionalEnabledCapabilities": ["Nonsense"]}})
    status = {"desired": {"version": "4.21.0"}, **capabilities_status(["Console"], ["Console", "Ingress"])}
    made = make_cluster_version(cluster.api, {"channel": "stable-4.21"}, status)
    assert made["status"]["capabilities"]["enabledCapabilities"] == ["Console"]
    assert make_cluster_version(cluster.api, {"channel": "fast-4.21"})["status"] == made["status"]


# Controllers


def test_workloads_run(full_cluster: ControlPlane) -> None:
    api = full_cluster.api
    full_cluster.kubectl("create", "namespace", "ends")
    full_cluster.kubectl("create", "configmap", "ends", "--namespace=ends")
    api.delete("/api/v1/namespaces/ends")
    full_cluster.kubectl("create", "namespace", "work")
    full_cluster.kubectl("create", "deployment", "web", "--image=any", "--replicas=3", "--namespace=work")
    full_cluster.kubectl("create", "job", "once", "--image=any", "--namespace=work")
    full_cluster.kubectl("wait", "--for=condition=Available", "deployment/web", "--namespace=work", "--timeout=600s")
    full_cluster.kubectl("wait", "--for=condition=Complete", "job/once", "--namespace=work", "--timeout=600s")
    assert len(api.list("/api/v1/nodes")) == 3
    wait_for(lambda: not api.exists("/api/v1/namespaces/ends"), "the namespace to be gone")
    reset(full_cluster, EXAMPLE)
    assert not api.exists("/api/v1/namespaces/work")
    assert api.list("/api/v1/pods") == []


def test_what_an_owner_leaves_is_collected(full_cluster: ControlPlane) -> None:
    api = full_cluster.api
    owner = api.post(CONFIG_MAPS, config_map("owner"))["metadata"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"]}
    api.post(CONFIG_MAPS, config_map("owned", ownerReferences=[reference]))
    api.delete(f"{CONFIG_MAPS}/owner")
    wait_for(lambda: not api.exists(f"{CONFIG_MAPS}/owned"), "what it owned to be gone")


# The stand-in for the operators


def conditions(api: Api, name: str) -> dict[str, str]:
    found = api.get(f"{CLUSTER_OPERATORS}/{name}").get("status", {})
    return {item["type"]: item.get("message") or item["status"] for item in found.get("conditions", [])}


def test_operators_report_as_configured(cluster: ControlPlane) -> None:
    behaviours = {
        "console": Behaviour(seconds=8),
        "ingress": Behaviour(degraded="no certificate"),
        "insights": Behaviour(unavailable="no archive"),
        "image-registry": Behaviour(silent=True),
    }
    with Operators(cluster.kubeconfig, operators_of(EXAMPLE), behaviours) as operators:
        operators.wait("openshift-samples", "ingress", "insights")
        slow = conditions(cluster.api, "console")
        assert (slow["Available"], slow["Progressing"]) == ("False", "Working towards 4.21.0")
        operators.wait()
    api = cluster.api
    assert conditions(api, "console") == {"Available": "True", "Progressing": "False", "Degraded": "False"}
    assert conditions(api, "ingress")["Degraded"] == "no certificate"
    assert conditions(api, "insights")["Available"] == "no archive"
    assert not api.exists(f"{CLUSTER_OPERATORS}/image-registry")
    versions = api.get(f"{CLUSTER_OPERATORS}/console")["status"]["versions"]
    assert versions == [{"name": "operator", "version": "4.21.0"}]
    made = {item["metadata"]["name"] for item in api.list("/api/v1/namespaces")}
    assert set(NAMESPACES) <= made


def test_operators_follow_the_cluster_version(cluster: ControlPlane) -> None:
    api = cluster.api
    make_cluster_version(api, None, capabilities_status(["Console"], ["Console", "Insights"]))
    with Operators(cluster.kubeconfig, operators_of(EXAMPLE), follow=True, namespaces=()) as operators:
        operators.wait("console")
        assert not api.exists(f"{CLUSTER_OPERATORS}/insights")
        make_cluster_version(api, None, capabilities_status(["Console", "Insights"], ["Console", "Insights"]))
        operators.wait("insights")


def test_operators_update(cluster: ControlPlane) -> None:
    path = f"{CLUSTER_OPERATORS}/console"
    old, new = (Operator("console", {"operator": version}) for version in ("4.21.0", "4.22.0"))
    with Operators(cluster.kubeconfig, [old], namespaces=()) as operators:
        operators.wait()
    with Operators(cluster.kubeconfig, [new], {"console": Behaviour(seconds=8)}, namespaces=()) as operators:
        wait_for(lambda: conditions(cluster.api, "console")["Progressing"] != "False", "the update")
        assert conditions(cluster.api, "console")["Available"] == "True"
        assert cluster.api.get(path)["status"]["versions"] == [{"name": "operator", "version": "4.21.0"}]
        operators.wait()
        assert cluster.api.get(path)["status"]["versions"] == [{"name": "operator", "version": "4.22.0"}]


def test_operators_can_wait_for_their_objects(cluster: ControlPlane) -> None:
    api = cluster.api
    with Operators(cluster.kubeconfig, operators_of(EXAMPLE), make=False, namespaces=()) as operators:
        body = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": {"name": "console"}}
        api.post(CLUSTER_OPERATORS, {**body, "spec": {}})
        operators.wait("console")
        assert [item["metadata"]["name"] for item in api.list(CLUSTER_OPERATORS)] == ["console"]


# Faults between client and server


def test_proxy_refuses_as_often_as_configured(cluster: ControlPlane) -> None:
    with FaultProxy(cluster) as proxy:
        proxy.fail("answer", 2, status=429, method="POST", seconds=3)
        proxy.fail("answer", status=503, path="configmaps/one")
        api = Api(proxy.kubeconfig)
        for _time in range(2):
            with pytest.raises(ApiError, match=r"^429 TooManyRequests"):
                api.post(CONFIG_MAPS, config_map("one"))
        api.post(CONFIG_MAPS, config_map("one"))
        with pytest.raises(ApiError, match=r"^503 ServiceUnavailable"):
            api.get(f"{CONFIG_MAPS}/one")
        assert api.delete(f"{CONFIG_MAPS}/one")["status"] == "Success"
        assert [request.passed for request in proxy.requests] == [False, False, True, False, True]
        assert (proxy.passed, proxy.pending) == (2, 0)


def test_proxy_breaks_connections(cluster: ControlPlane) -> None:
    with FaultProxy(cluster) as proxy:
        api = Api(proxy.kubeconfig)
        proxy.fail("reset")
        with pytest.raises(urllib3.exceptions.ProtocolError):
            api.post(CONFIG_MAPS, config_map("never"))
        proxy.fail("lose")
        with pytest.raises(urllib3.exceptions.ProtocolError):
            api.post(CONFIG_MAPS, config_map("lost"))
        assert not cluster.api.exists(f"{CONFIG_MAPS}/never")
        assert cluster.api.delete(f"{CONFIG_MAPS}/lost")["status"] == "Success"
        proxy.fail("hold")
        with pytest.raises(urllib3.exceptions.ReadTimeoutError):
            Api(proxy.kubeconfig, timeout=2).get("/version")
        proxy.fail("delay", seconds=0.3)
        started = time.monotonic()
        assert api.get("/version")
        assert time.monotonic() - started >= 0.3


def test_proxy_lets_a_watch_through_event_by_event(cluster: ControlPlane) -> None:
    with FaultProxy(cluster) as proxy:
        command = [str(cluster.programs["kubectl"]), "--kubeconfig", str(proxy.kubeconfig), "get", "configmaps"]
        watch = subprocess.Popen([*command, "--watch", "--output=name"], stdout=subprocess.PIPE, text=True)
        try:
            assert watch.stdout is not None
            wait_for(lambda: any("watch=true" in request.path for request in proxy.requests), "the watch")
            cluster.api.post(CONFIG_MAPS, config_map("seen"))
            assert watch.stdout.readline() == "configmap/seen\n"
        finally:
            watch.kill()
            watch.communicate()
    cluster.api.delete(f"{CONFIG_MAPS}/seen")


# Leftovers


OWNER = f"""\
import time
from {MODULE}.control_plane import ControlPlane
with ControlPlane() as plane:
    print(plane.folder, flush=True)
    time.sleep(600)
"""


def heed_interrupts() -> None:
    """Where tests run in the background of a shell, they and all that they start ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("killed", ["SIGINT", "SIGKILL"])
def test_nothing_outlives_its_owner(killed: str) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=heed_interrupts,
    )
    assert owner.stdout is not None
    folder = owner.stdout.readline().strip()
    try:
        assert len(processes_with(folder)) == 2
        owner.send_signal(signal.Signals[killed])
        owner.wait(60)
        wait_for(lambda: not processes_with(folder), "the programs to be gone")
        if killed == "SIGINT":
            assert not Path(folder).exists()
    finally:
        owner.kill()
        owner.communicate()
        subprocess.run(["rm", "-rf", folder], check=True)
