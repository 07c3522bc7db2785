# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stand-in for the cluster-version operator, which no control plane runs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import urllib3

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._data.version import find_minor
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    capabilities_status,
    set_cluster_version_status,
)

_OBJECT = f"{CLUSTER_VERSIONS}/version"
_PAUSE = 0.1


class StatusWriter:
    """Writes the status of the ClusterVersion, in a thread as long as a ``with`` statement.

    What the spec requests is enabled soon after, and stays enabled. Known names stay, and are those of ``version`` if
    there are none.
    """

    def __init__(self, kubeconfig: Path, version: str) -> None:
        minor = find_minor(version)
        data = data_of(minor) if minor else None
        if data is None:
            raise ValueError(f"{version} is not known")
        self._api = Api(kubeconfig, "status-writer", timeout=60)
        self._version, self._data = version, data
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> StatusWriter:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._api.close()

    def _run(self) -> None:
        while not self._over.wait(_PAUSE):
            try:
                self._write()
            except (ApiError, urllib3.exceptions.HTTPError):
                continue  # there is none yet, another client was faster, or there is no server

    def _write(self) -> None:
        found = self._api.get(_OBJECT)
        status: Mapping[str, Any] = found.get("status") or {}
        reported = status.get("capabilities") or {}
        before = frozenset(reported.get("enabledCapabilities") or ())
        observed = {"observedGeneration": found["metadata"]["generation"]}
        known = frozenset(reported.get("knownCapabilities") or self._data.capabilities)
        block = found["spec"].get("capabilities") or {}
        names = self._data.sets[block.get("baselineCapabilitySet") or "vCurrent"] & known
        names |= frozenset(block.get("additionalEnabledCapabilities") or ())
        if not reported or not names <= before or not observed.items() <= status.items():
            capabilities = capabilities_status(names | before, known)
            set_cluster_version_status(
                self._api, {**status, **observed, "desired": {"version": self._version}, **capabilities}
            )
