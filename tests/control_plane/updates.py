# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster-version operator that updates a cluster: it loads the release that the spec requests, and applies it.

The order is the one of the real operator: pkg/cvo/cvo.go sync, then pkg/cvo/sync_worker.go Update, syncPayload and
apply. What it decides and reports is in ``cvo_status.py``. It also plays the operators, each once it is applied.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
    check_options,
    inclusion_context,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    decide,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    always_enabled_by_default,
    data_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.control_plane import cvo_status
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import Body, Worker
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    capabilities_status,
    define,
    read_release,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import (
    Behaviour,
    Operator,
    operators_of,
    reported,
)
from ansible_collections.capability.openshift.tests.control_plane.pools import Pools, required_error, upgradeable

USER_AGENT = "cluster-version-operator"
OBJECT = f"{CLUSTER_VERSIONS}/version"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/openshift-cluster-version/leases"
GATES = "/api/v1/namespaces/openshift-config-managed/configmaps/admin-gates"
ACKS = "/api/v1/namespaces/openshift-config/configmaps/admin-acks"
_PAUSE = 0.05
_RENEWED = 10.0
_DEPLOYMENT = ("Deployment", "cluster-version-operator")
MACHINE_CONFIG = "machine-config"
_PASSING = (403, 404, 409, 422, 429, 500, 503)

Enables = Callable[[Release, Release, frozenset[str]], Iterable[str]]
"""What an update from one release to another enables in addition to these names."""


class UpdatingOperator:
    """The operator, which works in a thread as long as a ``with`` statement.

    ``images``: the folder of each release. ``running``: the image that the cluster runs, or gets if it has no history.
    A test may change all public attributes while it works:

    - ``enables`` decides as its GetImplicitlyEnabledCapabilities
    - ``available`` and ``conditional``: the updates that the graph has for each version
    - ``behaviours``: operators that are not done after ``seconds``. One that is ``silent`` never reports the version
    - ``seconds`` that all other operators need
    - ``refusal``: why no payload can be retrieved. While ``loading`` is not set, retrieving goes on
    - ``accept_risks``: whether it reads ``spec.desiredUpdate.acceptRisks``
    - ``pools``: for these, the operator ``MACHINE_CONFIG`` is done only if they are, and renders configurations
    - ``minute``: the seconds of a minute that it waits for an operator
    - ``between_checks`` whether it is upgradeable; the real one has 120 seconds
    """

    def __init__(
        self,
        kubeconfig: Path,
        images: Mapping[str, Path],
        running: str,
        enables: Enables,
        available: Mapping[str, Sequence[Body]] | None = None,
    ) -> None:
        self.available: Mapping[str, Sequence[Body]] = dict(available or {})
        self.conditional: Mapping[str, Sequence[Body]] = {}
        self.behaviours: dict[str, Behaviour] = {}
        self.seconds = 0.0
        self.refusal = ""
        self.minute = 60.0
        self.between_checks = 1.0
        self.accept_risks = False
        self.pools: Pools | None = None
        self.loading = threading.Event()
        self.loading.set()
        self._api = Api(kubeconfig, USER_AGENT)
        self._images, self.enables = images, enables
        self._paths: dict[tuple[str, str], tuple[str, bool]] = {}
        self._since: dict[str, float] = {}
        self._renewed = -_RENEWED
        self._retrieving = ""
        self._upgradeable: list[dict[str, str]] = []
        self._checked: tuple[Mapping[str, str] | None, ...] = ()
        self._checked_at = 0.0
        self._over = threading.Event()
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=USER_AGENT, daemon=True)
        self._start(running)

    def __enter__(self) -> UpdatingOperator:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Raise what went wrong in its thread."""
        self._over.set()
        self._thread.join()
        self._api.close()
        if self.failure is not None:
            raise self.failure

    def _start(self, image: str) -> None:
        """Begin as the process of a release does: with its sets, and with what the status reports as enabled."""
        self._image = self._desired = image
        self._release = self._target = read_release(self._images[image])
        self._enabled: frozenset[str] | None = None
        self._restarts = False
        version = self._release.shown_version
        text = f'Payload loaded version="{version}" image="{image}" architecture="amd64"'
        actual = {"version": version, "image": image}
        self._worker = Worker(actual, ("PayloadLoaded", text, False), total=len(self._release.manifests))
        self._position = 0

    def _run(self) -> None:
        while not self._over.wait(_PAUSE):
            try:
                self._sync()
            except urllib3.exceptions.HTTPError:
                continue  # no API server for now
            except Exception as error:
                # A conflict, a kind that is not there yet, or a name that the definition will allow.
                if isinstance(error, ApiError) and error.status in _PASSING:
                    continue
                self.failure = error
                return

    def _sync(self) -> None:
        """pkg/cvo/cvo.go sync."""
        self._renew()
        config = self._api.get(OBJECT)
        invalid = cvo_status.validation_errors(config, accept_risks=self.accept_risks)
        desired = None if invalid else cvo_status.find_update(config)
        self._resolve(config)
        version, image = desired or (str(self._worker.actual["version"]), self._image)
        if image != self._desired:
            self._load(config, version, image)
        elif self._worker.load[0] != "PayloadLoaded":  # as syncPayload resets it
            text = f'Payload loaded version="{self._worker.actual["version"]}" image="{image}"'
            self._worker = self._worker._replace(load=("PayloadLoaded", text, False))
        if not self._worker.completed and not self._restarts:
            self._apply()
        self._write_status(config, invalid)
        self._sync_pools()
        if self._restarts:
            self._start(self._desired)

    def _renew(self) -> None:
        if time.monotonic() - self._renewed < _RENEWED:
            return
        renewed = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec = {"holderIdentity": USER_AGENT, "renewTime": renewed, "leaseDurationSeconds": 137}
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "version"}, "spec": spec}
        self._api.apply(f"{LEASES}/version", body)
        self._renewed = time.monotonic()

    def _resolve(self, config: Body) -> None:
        """lib/capability SetCapabilities, with what is enabled already, and what the command line always enables."""
        minor = self._release.minor
        data = data_of(minor) if minor else None
        if data is None:
            raise ValueError(f"{self._release.shown_version} is not known")
        status = (config.get("status") or {}).get("capabilities") or {}
        before = frozenset(status.get("enabledCapabilities") or ()) if self._enabled is None else self._enabled
        block = config["spec"].get("capabilities") or {}
        names = data.sets[block.get("baselineCapabilitySet") or "vCurrent"]
        names = frozenset((*names, *(block.get("additionalEnabledCapabilities") or ())))
        stays = before | frozenset(always_enabled_by_default(minor, "self-managed-high-availability"))
        self._enabled, self._implicit = names | stays, stays - names
        self._worker = self._worker._replace(known=tuple(data.capabilities))

    def _load(self, config: Body, version: str, image: str) -> None:
        """pkg/cvo/sync_worker.go syncPayload."""
        named = f'version="{version}" image="{image}"'

        def failed(step: str, text: str) -> None:
            self._worker = self._worker._replace(load=(step, text, True))

        if not self.loading.is_set() or self._retrieving != image:
            self._retrieving = image
            text = f"Retrieving and verifying payload {named}"
            self._worker = self._worker._replace(load=("RetrievePayload", text, False))
            return
        if self.refusal or image not in self._images:
            why = self.refusal or "The update cannot be verified: unable to verify it against keyrings"
            failed("RetrievePayload", f"Retrieving payload failed {named} failure={why}")
            return
        target = read_release(self._images[image])
        if version and target.shown_version != version:
            text = (
                f"release image version {target.shown_version} does not match the expected upstream version {version}"
            )
            failed("VerifyPayloadVersion", f"Verifying payload failed {named} failure={text}")
            return
        blocked, text = cvo_status.summarize(cvo_status.preconditions(config, target.shown_version))
        if blocked:
            failed("PreconditionChecks", f"Preconditions failed for payload loaded {named}: {text}")
            return
        assert self._enabled is not None
        implicit = frozenset(self.enables(self._release, target, self._enabled)) - self._enabled
        self._enabled, self._implicit = self._enabled | implicit, self._implicit | implicit
        self._desired, self._target, self._position = image, target, 0
        loaded = f'Payload loaded version="{target.shown_version}" image="{image}" architecture="amd64"'
        self._worker = Worker(
            {"version": target.shown_version, "image": image},
            ("PayloadLoaded", loaded, False),
            total=len(target.manifests),
            known=self._worker.known,
            verified=True,
            accepted_risks=text,
        )
        self._since.clear()  # InitCOUpdateStartTimes

    def _apply(self) -> None:
        """Apply the manifests in their order until one is not done. pkg/cvo/sync_worker.go apply.

        The Deployment of the operator ends this process after it has written the status, and the one of the new
        release begins again.
        """
        expected = {item.name: item for item in operators_of(self._images[self._desired])}
        problems, target = Problems(), self._target
        context = inclusion_context(check_options(ClusterOptions(), target.minor, problems), target, problems)
        names = frozenset(self._enabled or ())
        context = context._replace(capability_status=CapabilityStatus(names | {*self._worker.known}, names))
        # Real components are installed at the same time, so that none waits long for the Namespace of another one.
        ordered = sorted(target.manifests, key=lambda manifest: manifest.resource_id.kind != "Namespace")
        for manifest in ordered[self._position :]:
            kind, name = manifest.resource_id.kind, manifest.resource_id.name
            if decide(manifest, context).included:
                body = target.read_body(manifest)
                self._apply_object({"spec": {}, **body} if kind == "ClusterOperator" else body)
                error = self._operator_error(expected[name]) if kind == "ClusterOperator" else None
                self._worker = self._worker._replace(failure=error)
                if error is not None:
                    return
                self._worker = self._worker._replace(done=self._worker.done + 1)
                self._restarts = (kind, name) == _DEPLOYMENT and self._image != self._desired
            self._position += 1
            if self._restarts:
                return
        self._worker = self._worker._replace(completed=True, reconciling=True)

    def _apply_object(self, body: dict[str, Any]) -> None:
        """Apply or delete an object, unless its kind is not served here."""
        path, annotations = self._path(body), body["metadata"].get("annotations") or {}
        if path is None:
            return
        if body["kind"] == "SecurityContextConstraints":  # as the typed client of the real operator sends it
            body = {**dict.fromkeys(("allowedCapabilities", "defaultAddCapabilities", "priority")), **body}
        deletes = annotations.get("release.openshift.io/delete") == "true"
        if body["kind"] == "CustomResourceDefinition" and not deletes:
            define(self._api, [body])
        elif deletes:
            if self._api.exists(path):
                self._api.delete(path)
        elif (
            annotations.get("release.openshift.io/create-only") != "true"
            # Its metadata is written only minutes after the update, see pkg/cvo/internal/operatorstatus.go.
            and body["kind"] != "ClusterOperator"
        ) or not self._api.exists(path):
            try:
                self._api.apply(path, {key: value for key, value in body.items() if key != "status"})
            except ApiError as error:
                if error.status != 422:  # that lacks a field which a typed client would send
                    raise

    def _path(self, body: Body) -> str | None:
        version, kind, metadata = body["apiVersion"], body["kind"], body["metadata"]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if (version, kind) not in self._paths:
            try:
                resources = self._api.get(base)["resources"]
            except ApiError as error:
                if error.status != 404:
                    raise
                return None
            own = [item for item in resources if "/" not in item["name"]]
            self._paths |= {(version, item["kind"]): (item["name"], item["namespaced"]) for item in own}
        if (version, kind) not in self._paths:
            return None
        plural, namespaced = self._paths[version, kind]
        within = f"/namespaces/{metadata['namespace']}" if namespaced else ""
        return f"{base}{within}/{plural}/{metadata['name']}"

    def _operator_error(self, operator: Operator) -> cvo_status.UpdateError | None:
        """Have the operator work, and return why it is not done."""
        path = f"{CLUSTER_OPERATORS}/{operator.name}"
        since = self._since.setdefault(operator.name, time.monotonic())
        behaviour = self.behaviours.get(operator.name, Behaviour(seconds=self.seconds))
        found = self._api.get(path)
        done = time.monotonic() - since >= behaviour.seconds and not behaviour.silent
        pools = self.pools if operator.name == MACHINE_CONFIG else None
        if pools is not None:
            pools.render(operator.versions["operator"])
            done = done and not required_error(pools.sync())
        wanted = reported(operator, behaviour, found.get("status") or {}, done=done)
        if pools is not None:
            wanted["conditions"] += filter(None, (cvo_status.condition_of(found, "Upgradeable"),))
        if wanted != found.get("status"):
            found = self._api.patch(f"{path}/status", {"status": wanted})
        return cvo_status.operator_error(operator.name, operator.versions, found)

    def _sync_pools(self) -> None:
        """Nodes also go on after the operator is done, and a degraded one keeps the cluster from updates."""
        if self.pools is None:
            return
        wanted, path = upgradeable(self.pools.sync()), f"{CLUSTER_OPERATORS}/{MACHINE_CONFIG}"
        found = self._api.get(path)
        if cvo_status.condition_of(found, "Upgradeable").get("status") != wanted["status"]:
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            kept = [item for item in found["status"]["conditions"] if item["type"] != "Upgradeable"]
            conditions = [*kept, {**wanted, "lastTransitionTime": now}]
            self._api.patch(f"{path}/status", {"status": {"conditions": conditions}})

    def _write_status(self, config: Body, invalid: Sequence[str]) -> None:
        """pkg/cvo/status.go syncStatus."""
        status = config.get("status") or {}
        before = status.get("conditions") or ()
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        worker = self._worker._replace(implicit=tuple(self._implicit))
        spent = {name: (time.monotonic() - since) / self.minute for name, since in self._since.items()}
        retrieved = cvo_status.condition("RetrievedUpdates", "True")
        found = cvo_status.conditions(worker, invalid, spent, [*before, retrieved], now)
        found += cvo_status.timed(self._check_upgradeable(config), before, now)
        version = self._release.shown_version
        accepted = (config["spec"].get("desiredUpdate") or {}).get("acceptRisks") or () if self.accept_risks else ()
        names = {item["name"] for item in accepted}
        available, conditional = cvo_status.evaluate_conditional_updates(
            self.available.get(version, ()), self.conditional.get(version, ()), names
        )
        wanted = {
            **status,
            "observedGeneration": config["metadata"]["generation"],
            "versionHash": status.get("versionHash", ""),
            "desired": dict(worker.actual),
            "history": cvo_status.merge_history(status.get("history") or (), worker, now),
            "availableUpdates": available or None,
            "conditionalUpdates": conditional,
            "conditions": list({item["type"]: item for item in found}.values()),
            **capabilities_status(self._enabled or (), worker.known),
        }
        if wanted != status:
            self._api.put(f"{OBJECT}/status", {**config, "status": wanted})

    def _check_upgradeable(self, config: Body) -> list[dict[str, str]]:
        """release-4.20 pkg/cvo/upgradeable.go syncUpgradeable: only now and then, and when acknowledgements change."""
        data = self._data_of(GATES) or {}, self._data_of(ACKS)
        pause = self.between_checks / 8 if self._worker.load[0] == "PreconditionChecks" else self.between_checks
        if data != self._checked or time.monotonic() - self._checked_at >= pause:
            self._upgradeable = cvo_status.upgradeable_conditions(config, *data, self._api.list(CLUSTER_OPERATORS))
            self._checked, self._checked_at = data, time.monotonic()
        return self._upgradeable

    def _data_of(self, path: str) -> Mapping[str, str] | None:
        try:
            return self._api.get(path).get("data") or {}
        except ApiError as error:
            if error.status != 404:
                raise
            return None
