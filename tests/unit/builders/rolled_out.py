# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A model of a cluster to which releases are rolled out, and with which they are compared."""

from __future__ import annotations

import time
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import ReleaseOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._progress import silent
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._release_image.opened_release import OpenedRelease
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    FEATURE_GATES,
    NAMESPACES,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import Rollout
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import (
    ClusterState,
    load_release_for,
    read_cluster_state,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.options import RolloutOptions, Timings
from ansible_collections.capability.openshift.plugins.module_utils._rollout.run import apply_definitions, roll_out
from ansible_collections.capability.openshift.plugins.module_utils._verify.verify import Verification, verify
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_release

IMAGE = "registry.example/release@sha256:1"
TIMINGS = Timings(lock_check=9, establish=1, touch=1, first_pause=0, longest_pause=0, cluster_version=0, deletion=0)


class Site:
    """A model of a cluster, and releases for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ApiServer(CLUSTER_VERSIONS, DEPLOYMENTS, FEATURE_GATES)
        self.server.put(NAMESPACES, "kube-system")

    def roll_out(
        self,
        version: str,
        *manifests: str,
        reported: Problems | None = None,
        complete: bool = True,
        only_definitions: bool = False,
        previous: Release | None = None,
        capabilities: Any = MappingProxyType({"baseline_capability_set": "None"}),
        **options: Any,
    ) -> Rollout:
        """Roll out a release, ``complete`` with its directory of the CVO. Its problems are in ``reported``, or fail."""
        client, problems = self.server.client(), Problems()
        state, loaded = self._load(client, version, manifests, problems, complete=complete)
        settings: dict[str, Any] = {
            "cluster": ClusterOptions(capabilities=capabilities),
            **dict.fromkeys(("wait", "force_conflicts", "prune", "allow_cvo_managed", "allow_downgrade", "diff_mode")),
            "mode": None,
            "parallelism": 1,
            "deadline": time.monotonic(),
            "dry_run": False,
            "allow_unserved": (),
            "rewritten_fields": lambda *_arguments: (),
            **options,
        }
        settings.update(release_image=IMAGE, timings=TIMINGS)
        if only_definitions:
            rollout = apply_definitions(client, state, loaded, RolloutOptions(**settings), silent)
        else:
            rollout = roll_out(client, state, loaded, previous, RolloutOptions(**settings), silent)
        found = [*rollout.problems, *rollout.changes.problems]
        found += [problem for result in rollout.changes.results for problem in result.problems]
        (Problems() if reported is None else reported).extend(found)
        assert reported is not None or not [item for item in found if item.severity != "info"]
        return rollout

    def verify(self, version: str, *manifests: str, selected: object = None, **options: Any) -> Verification:
        """Compare the cluster with a release, for the capabilities that are ``selected``."""
        client = self.server.client()
        state, loaded = self._load(client, version, manifests, Problems(), complete=True)
        return verify(client, state, loaded, selected, ClusterOptions(**options))

    def release(self, version: str, *manifests: str) -> Release:
        """Load a release without a cluster."""
        return OpenedRelease(self._write(version, manifests, complete=True)).load(Problems())

    def _write(self, version: str, manifests: tuple[str, ...], *, complete: bool) -> str:
        files = {f"0000_{10 + index}_part_1.yaml": text for index, text in enumerate(manifests)}
        path = write_release(self.folder / str(len(list(self.folder.iterdir()))), files, version)
        if not complete:
            (path / "manifests").rmdir()
        return str(path)

    def _load(
        self, client: Client, version: str, manifests: tuple[str, ...], problems: Problems, *, complete: bool
    ) -> tuple[ClusterState, Release]:
        path = self._write(version, manifests, complete=complete)
        state = read_cluster_state(client)
        source: Any = None
        release = ReleaseOptions("", None, IMAGE, "", source)
        return state, load_release_for(state, release, OpenedRelease(path), problems)

    def maps(self) -> set[str]:
        """The ConfigMaps in the namespace of the release."""
        prefix = CONFIG_MAPS.path("", "team")
        return {path.removeprefix(f"{prefix}/") for path in self.server.objects if path.startswith(prefix)}

    def writes(self) -> list[str]:
        """The writes since the last call."""
        found = [request for request in self.server.requests if not request.startswith("GET")]
        self.server.requests.clear()
        return found
