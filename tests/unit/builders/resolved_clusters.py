# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resolves clusters of releases that are in memory."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problem,
    Problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release, release_of_version

V4_15, V4_16, V4_20, V4_21, V4_22, V4_23, V9_9 = (
    Minor(4, 15),
    Minor(4, 16),
    Minor(4, 20),
    Minor(4, 21),
    Minor(4, 22),
    Minor(4, 23),
    Minor(9, 9),
)


class Files:
    """A release in memory: one document per file."""

    def __init__(self, minor: Minor, *texts: str) -> None:
        self.values = [yaml.safe_load(text) for text in texts]
        read = [manifest_from_object(value, f"{n}.yaml", 1, Problems()) for n, value in enumerate(self.values)]
        self.manifests = tuple(item for item in read if item is not None)
        assert len(self.manifests) == len(texts)
        self.release = Release("here", f"{minor}.1", minor, self.manifests, read_body=self.body)

    def body(self, wanted: Manifest) -> Any:
        return self.values[int(wanted.file.removesuffix(".yaml"))]


def resolve(minor: Minor | None = V4_20, files: Files | None = None, **options: Any) -> Any:
    """Resolve a cluster, and return the context, the status and the problems."""
    problems = Problems()
    release = files.release if files else release_of_version(minor)
    return *resolve_cluster(ClusterOptions(**options), release, problems), problems


def errors(minor: Minor | None = V4_20, files: Files | None = None, **options: Any) -> list[Problem]:
    with pytest.raises(InvalidOptionError) as raised:
        resolve(minor, files, **options)
    return [problem for problem in raised.value.problems if problem.severity == "error"]
