# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A control plane on loopback: etcd and kube-apiserver, on request with controllers, scheduler and simulated nodes."""

from __future__ import annotations

import ssl
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import urllib3
import yaml

from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError, write_kubeconfig
from ansible_collections.capability.openshift.tests.control_plane.audit import POLICY, Audit
from ansible_collections.capability.openshift.tests.control_plane.certificates import (
    Authority,
    Certificate,
    write_secret,
)
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError, tail
from ansible_collections.capability.openshift.tests.control_plane.ports import held_port
from ansible_collections.capability.openshift.tests.control_plane.processes import Processes
from ansible_collections.capability.openshift.tests.control_plane.programs import API, CONTROLLERS, Log, find_programs
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

ISSUER = "https://kubernetes.default.svc"
"""Who issues the tokens of service accounts, and whom they are for."""

ADMINISTRATORS = "system:masters"
_READY = 600.0
"""Seconds that a program has to get ready; an idle machine takes three."""

_PATIENCE = 2.0
"""Seconds for an answer: who took the port of a program may listen and say nothing."""


class ControlPlane:
    """A control plane, which a ``with`` statement starts, and which ends with that or with this process.

    ``controllers`` asks for kube-controller-manager, kube-scheduler and kwok with three nodes. ``folder``, a temporary
    one, is removed at the end.
    """

    def __init__(self, *, controllers: bool = False, log: Log = print) -> None:
        self.controllers = controllers
        self.programs = find_programs([*API, *(CONTROLLERS if controllers else ())], log)
        self.folder = Path(tempfile.mkdtemp(prefix="control-plane-"))
        self.authority = Authority()
        self.service_account_key = self.authority.client("service-accounts").key
        self.kubeconfig = self.folder / "admin.kubeconfig"
        """The kubeconfig of its administrator."""
        self.api: Api
        """The API as its administrator, once the programs run."""
        self._held = {name: held_port() for name in ("etcd", "kube-apiserver")}
        self.etcd, self.url = (f"https://127.0.0.1:{held.getsockname()[1]}" for held in self._held.values())
        self.processes = Processes()

    def __enter__(self) -> ControlPlane:
        """Start the programs and return when they are ready. Raises ``ControlPlaneError`` with the end of a log."""
        try:
            self._write_secrets()
            self._start_etcd()
            self.write_kubeconfig("admin", self.authority.client("administrator", ADMINISTRATORS))
            self.api = Api(self.kubeconfig)
            self.start_api_server()
            if self.controllers:
                self._start_controllers()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def audit(self) -> Audit:
        """Who asked the API for what."""
        return Audit(self.folder / "audit.log", self.api)

    def close(self) -> None:
        """End all programs and remove the folder."""
        self.processes.close(self.folder)
        for held in self._held.values():
            held.close()

    def kill_api_server(self) -> None:
        """Kill the API server as a crash would. Its data stays."""
        self.processes.kill("kube-apiserver")

    def start_api_server(self) -> None:
        """Start the API server, also one that was killed, on its port and data, and return when it is ready."""
        command = [
            str(self.programs["kube-apiserver"]),
            f"--etcd-servers={self.etcd}",
            f"--etcd-cafile={self.folder / 'ca.crt'}",
            f"--secure-port={urlsplit(self.url).port}",
            "--permit-port-sharing",
            "--bind-address=127.0.0.1",
            "--endpoint-reconciler-type=none",  # no Service can point to loopback
            f"--tls-cert-file={self.folder / 'serving.crt'}",
            f"--tls-private-key-file={self.folder / 'serving.key'}",
            f"--client-ca-file={self.folder / 'ca.crt'}",
            f"--service-account-key-file={self.folder / 'service-accounts.key'}",
            f"--service-account-signing-key-file={self.folder / 'service-accounts.key'}",
            f"--service-account-issuer={ISSUER}",
            "--service-cluster-ip-range=10.0.0.0/16",
            "--authorization-mode=RBAC",
            "--allow-privileged=true",
            f"--audit-policy-file={self.folder / 'audit-policy.yaml'}",
            f"--audit-log-path={self.folder / 'audit.log'}",
            "--audit-log-maxsize=100000",
        ]
        if not self.controllers:
            # Nothing makes the service account that each Pod would need.
            command.append("--disable-admission-plugins=ServiceAccount")
        self._start("kube-apiserver", command, self._api_server_ready)

    def kubectl(self, *arguments: str, given: str = "", kubeconfig: Path | None = None) -> str:
        """Return what kubectl prints, as the administrator unless ``kubeconfig`` says otherwise.

        ``given`` is its standard input. Raises ``ControlPlaneError`` with its complaint.
        """
        home = self.folder / "kubectl"
        command = [str(self.programs["kubectl"]), "--kubeconfig", str(kubeconfig or self.kubeconfig)]
        done = subprocess.run(
            [*command, "--cache-dir", str(home), *arguments], input=given, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ControlPlaneError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def log(self, name: str) -> Path:
        """Return the log of a program."""
        return self.folder / f"{name}.log"

    def serving_context(self) -> ssl.SSLContext:
        """Return what a server in this process needs to be trusted by clients of the API."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "serving.crt", self.folder / "serving.key")
        return context

    def write_kubeconfig(self, name: str, credentials: Certificate | str) -> Path:
        """Write a kubeconfig for a client certificate or a token, and return its path."""
        return write_kubeconfig(self.folder / f"{name}.kubeconfig", self.url, self.authority.certificate, credentials)

    def _write_secrets(self) -> None:
        serving = self.authority.serving()
        write_secret(self.folder / "ca.crt", self.authority.certificate)
        write_secret(self.folder / "serving.crt", serving.certificate)
        write_secret(self.folder / "serving.key", serving.key)
        write_secret(self.folder / "service-accounts.key", self.service_account_key)
        (self.folder / "audit-policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")

    def _start_etcd(self) -> None:
        peers = "http://127.0.0.1:0"  # there are none
        command = [
            str(self.programs["etcd"]),
            "--name=default",
            # With TLS, so that no other etcd can be taken for it.
            f"--cert-file={self.folder / 'serving.crt'}",
            f"--key-file={self.folder / 'serving.key'}",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={self.etcd}",
            f"--advertise-client-urls={self.etcd}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--socket-reuse-port",
            "--unsafe-no-fsync",  # nothing has to outlive a power cut
            "--max-txn-ops=100000",  # reset.py writes all that tests left in one transaction
            "--max-request-bytes=100000000",
            "--log-level=warn",
        ]
        self._start("etcd", command, self._etcd_ready)

    def _start_controllers(self) -> None:
        # What they may do is none of our tests' business: they are administrators.
        files = {
            name: self.write_kubeconfig(name, self.authority.client(f"system:{name}", ADMINISTRATORS))
            for name in CONTROLLERS
        }
        controllers = [
            f"--kubeconfig={files['kube-controller-manager']}",
            "--leader-elect=false",
            "--secure-port=0",
            "--controllers=*,-resourcequota-controller",  # it watches each kind, and no test has a quota
            f"--service-account-private-key-file={self.folder / 'service-accounts.key'}",
            f"--root-ca-file={self.folder / 'ca.crt'}",
        ]
        scheduler = [f"--kubeconfig={files['kube-scheduler']}", "--leader-elect=false", "--secure-port=0"]
        # Without leases the nodes are taken for dead after a minute.
        nodes = [f"--kubeconfig={files['kwok']}", "--manage-all-nodes=true", "--node-lease-duration-seconds=40"]
        for name, flags in zip(CONTROLLERS, (controllers, scheduler, nodes), strict=True):
            self.processes.start(name, [str(self.programs[name]), *flags], self.log(name))
        try:
            self._add_nodes()
            wait_for(self._default_service_account, "the service account of the namespace default")
        except ControlPlaneError as error:
            ends = "\n".join(f"{name}: {tail(self.log(name), 5)}" for name in CONTROLLERS)
            raise ControlPlaneError(f"{error}\n{ends}") from None

    def _add_nodes(self) -> None:
        """Add three nodes which are control plane and worker at once, and wait until kwok reports them as ready."""
        resources = {"cpu": "64", "memory": "256Gi", "pods": "1000"}
        for name in ("node-0", "node-1", "node-2"):
            labels = {f"node-role.kubernetes.io/{role}": "" for role in ("control-plane", "master", "worker")}
            labels |= {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
            self.api.post("/api/v1/nodes", {**node, "status": {"allocatable": resources, "capacity": resources}})
        wait_for(lambda: all(map(_is_ready, self.api.list("/api/v1/nodes"))), "the simulated nodes to be ready")

    def _default_service_account(self) -> bool:
        return self.api.exists("/api/v1/namespaces/default/serviceaccounts/default")

    def _start(self, name: str, command: list[str], ready: Callable[[], bool]) -> None:
        """Start a program, and return when it is ready. Raises ``ControlPlaneError`` if it ends before."""
        self.processes.start(name, command, self.log(name))
        wait_for(lambda: ready() or self.processes.ended(name) is not None, f"{name} to be ready", _READY)
        code = self.processes.ended(name)
        if code is not None:
            raise ControlPlaneError(f"{name} ended with {code}:\n{tail(self.log(name))}")

    def _etcd_ready(self) -> bool:
        try:
            with urllib3.PoolManager(ca_certs=str(self.folder / "ca.crt"), retries=False, timeout=_PATIENCE) as pool:
                return pool.request("GET", f"{self.etcd}/health").status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def _api_server_ready(self) -> bool:
        try:
            return self.api.text("/readyz", _PATIENCE) == "ok"
        except (ApiError, urllib3.exceptions.HTTPError):
            return False


def _is_ready(node: Mapping[str, Any]) -> bool:
    conditions = node["status"].get("conditions", [])
    ready = any(item["type"] == "Ready" and item["status"] == "True" for item in conditions)
    return ready and not node["spec"].get("taints")
