# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stand-in for the operators of OpenShift, the one part of a cluster that no upstream program plays.

It reports in ClusterOperators, and makes the namespaces that operators make at run time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import CAPABILITY_ANNOTATION
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    read_release,
    release_bodies,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

USER_AGENT = "operators"
NAMESPACES = (
    "openshift",
    "openshift-apiserver",
    "openshift-authentication",
    "openshift-controller-manager",
    "openshift-kube-apiserver",
    "openshift-kube-controller-manager",
    "openshift-kube-scheduler",
    "openshift-oauth-apiserver",
    "openshift-route-controller-manager",
)
"""Namespaces that are in no manifest, though manifests put objects into them."""

PLACEHOLDER = "0.0.1-snapshot"
"""What manifests say that were taken out of no release image; operators report the version of the release."""

_PAUSE = 0.1


class Operator(NamedTuple):
    """What an operator reports once it is done, and the capabilities without which it does not exist."""

    name: str
    versions: Mapping[str, str]
    capabilities: tuple[str, ...] = ()


class Behaviour(NamedTuple):
    """How an operator is unlike one that is done at once.

    ``seconds`` pass before it is; ``silent`` never reports; ``degraded`` and ``unavailable`` are messages of one that
    is, at the version that it should have.
    """

    seconds: float = 0.0
    silent: bool = False
    degraded: str = ""
    unavailable: str = ""


@cache
def operators_of(release: Path) -> tuple[Operator, ...]:
    """Return the operators of a release, with the versions that its manifests wait for."""
    read = read_release(release)
    found = []
    for body in release_bodies(read, "ClusterOperator"):
        metadata = body["metadata"]
        annotation = metadata.get("annotations", {}).get(CAPABILITY_ANNOTATION, "")
        listed = body.get("status", {}).get("versions") or [{"name": "operator", "version": read.shown_version}]
        versions = {item["name"]: item["version"].replace(PLACEHOLDER, read.shown_version) for item in listed}
        found.append(Operator(metadata["name"], versions, tuple(annotation.split("+")) if annotation else ()))
    return tuple(found)


class Operators:
    """The operators, which work in a thread as long as a ``with`` statement.

    ``behaviours``: by the name of an operator. ``make``: they make their ClusterOperators themselves; else they wait
    until these exist. ``follow``: only those work whose capabilities the ClusterVersion reports as enabled.
    ``namespaces`` are made as well.
    """

    def __init__(
        self,
        kubeconfig: Path,
        operators: Sequence[Operator],
        behaviours: Mapping[str, Behaviour] | None = None,
        *,
        make: bool = True,
        follow: bool = False,
        namespaces: Sequence[str] = NAMESPACES,
    ) -> None:
        self._api = Api(kubeconfig, USER_AGENT)
        self._operators = list(operators)
        self._behaviours = dict(behaviours or {})
        self._make, self._follow, self._namespaces = make, follow, namespaces
        unknown = sorted(set(self._behaviours) - {operator.name for operator in operators})
        if unknown:
            raise ValueError(f"no such operator: {', '.join(unknown)}")
        self._seen: dict[str, float] = {}
        self._done: set[str] = set()
        self._missing = set(namespaces)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="operators", daemon=True)
        self._failure: Exception | None = None

    def __enter__(self) -> Operators:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Raise what went wrong in their thread."""
        self._stop.set()
        self._thread.join()
        self._api.close()
        if self._failure is not None:
            raise self._failure

    def wait(self, *names: str, seconds: float = 600.0) -> None:
        """Wait until the operators ``names`` (all that are not silent, if none is named) reported to be done.

        Those who follow the ClusterVersion are waited for by name: which of them there are is its business.
        """
        silent = {name for name, behaviour in self._behaviours.items() if behaviour.silent}
        wanted = set(names) or {operator.name for operator in self._operators} - silent
        wait_for(lambda: self._failure or wanted <= self._done, f"operators: {', '.join(sorted(wanted))}", seconds)
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        while not self._stop.wait(_PAUSE):
            try:
                self._work()
            except urllib3.exceptions.HTTPError:
                continue  # no API server for now: operators try again
            except Exception as error:
                # A kind that is not there yet, a conflict, a server that is starting: operators try again.
                if isinstance(error, ApiError) and error.status in (403, 404, 409, 429, 500, 503):
                    continue
                self._failure = error
                return

    def _work(self) -> None:
        for name in sorted(self._missing):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            self._api.apply(f"/api/v1/namespaces/{name}", body)
            self._missing.discard(name)
        enabled = self._enabled() if self._follow else None
        objects = {item["metadata"]["name"]: item for item in self._api.list(CLUSTER_OPERATORS)}
        for operator in self._operators:
            behaviour = self._behaviours.get(operator.name, Behaviour())
            if behaviour.silent or (enabled is not None and not enabled.issuperset(operator.capabilities)):
                continue
            found = objects.get(operator.name)
            if found is None and self._make:
                body = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "spec": {}}
                found = self._api.post(CLUSTER_OPERATORS, {**body, "metadata": {"name": operator.name}})
            if found is not None:
                self._report(operator, behaviour, found)

    def _enabled(self) -> frozenset[str]:
        for item in self._api.list(CLUSTER_VERSIONS):
            capabilities = item.get("status", {}).get("capabilities", {})
            return frozenset(capabilities.get("enabledCapabilities") or ())
        return frozenset()

    def _report(self, operator: Operator, behaviour: Behaviour, found: Mapping[str, Any]) -> None:
        status = found.get("status") or {}
        since = self._seen.setdefault(operator.name, time.monotonic())
        done = time.monotonic() - since >= behaviour.seconds
        wanted = reported(operator, behaviour, status, done=done)
        if wanted != status:
            self._api.patch(f"{CLUSTER_OPERATORS}/{operator.name}/status", {"status": wanted})
        if done:
            self._done.add(operator.name)


def reported(operator: Operator, behaviour: Behaviour, status: Mapping[str, Any], *, done: bool) -> dict[str, Any]:
    """Return the status that an operator reports after ``status``, once its work is done or before."""
    if done:
        conditions = [
            _condition("Available", not behaviour.unavailable, behaviour.unavailable),
            _condition("Progressing", False),
            _condition("Degraded", bool(behaviour.degraded), behaviour.degraded),
        ]
        return _status(status, conditions, operator.versions)
    # At its first installation it is not available, during an update what was there before stays so.
    versions = {item["name"]: item["version"] for item in status.get("versions") or ()}
    message = f"Working towards {operator.versions.get('operator', 'the release')}"
    conditions = [
        _condition("Available", bool(versions)),
        _condition("Progressing", True, message, "Working"),
        _condition("Degraded", False),
    ]
    return _status(status, conditions, versions)


def _condition(kind: str, status: bool, message: str = "", reason: str = "Broken") -> dict[str, str]:
    item = {"type": kind, "status": str(status), "reason": reason if message else "AsExpected"}
    return {**item, "message": message} if message else item


def _status(
    status: Mapping[str, Any], conditions: Sequence[dict[str, str]], versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return ``status`` with other conditions and versions; a condition that stays keeps its time."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    before = {item["type"]: item for item in status.get("conditions") or ()}
    for item in conditions:
        old = before.get(item["type"], {})
        item["lastTransitionTime"] = old["lastTransitionTime"] if old.get("status") == item["status"] else now
    listed = [{"name": name, "version": version} for name, version in versions.items()]
    return {**status, "conditions": list(conditions), "versions": listed}
