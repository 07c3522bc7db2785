# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The control plane of these tests is a real one, does what tests rely on, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import urllib3

from ansible_collections.capability.openshift.tests.cluster.helpers.access import (
    CONFIG_MAPS,
)
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
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
