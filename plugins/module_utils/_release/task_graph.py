# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of a rollout as a graph, from the run level and the component in the name of each manifest's file."""

from __future__ import annotations

import graphlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from .manifest import Manifest

Mode = Literal["install", "update", "reconcile"]
"""The purpose of a rollout. The CVO calls them Initializing, Updating and Reconciling."""

MODES: tuple[Mode, ...] = ("install", "update", "reconcile")

_FILE_NAME = re.compile(r"0000_(\d+)_([a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*?)_", re.ASCII)
_WEBHOOKS = frozenset({"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})


class TaskGraph(NamedTuple):
    """Nodes and dependencies. ``predecessors`` maps each index of ``nodes`` to the indexes that must complete first.

    A node contains manifests that are applied one after the other, in the release's order. One without manifests is a
    barrier.
    """

    nodes: tuple[tuple[Manifest, ...], ...]
    predecessors: Mapping[int, tuple[int, ...]]

    def sorter(self) -> graphlib.TopologicalSorter[int]:
        """A new sorter of the indexes. The caller prepares it."""
        return graphlib.TopologicalSorter(self.predecessors)


def component_of(file: str) -> str:
    """The NAME of a file name ``0000_NN_NAME_...``, empty if the name has another form.

    Source: openshift/cluster-version-operator:pkg/payload/task_graph.go reMatchPattern.
    """
    return _parts(file)[1]


def run_level_of(file: str) -> str:
    """The digits NN of a file name ``0000_NN_NAME_...``, empty if the name has another form."""
    return _parts(file)[0]


def task_graph(manifests: Sequence[Manifest], mode: Mode) -> TaskGraph:
    """Build the graph in which ``manifests``, given in the release's order, are applied.

    - Stages run one after the other. The nodes of a stage are independent of each other.
    - A Job is a separate stage, after everything before it and before everything after it.
    - Between Jobs, an update has one stage per run level (adjacent files with the same digits). Install and reconcile
      have a single stage.
    - A node contains the adjacent files of one component. A file whose name has another form is a separate node, and in
      an update a separate stage.
    - A barrier follows each stage, so stages of M and N nodes need M + N edges.

    Source: openshift/cluster-version-operator:pkg/payload/task_graph.go SplitOnJobs, ByNumberAndComponent,
    FlattenByNumberAndComponent. The CVO does not have one of the rules: webhooks come last, in one
    stage. A webhook whose server does not run yet rejects every request; the CVO recovers because it retries the whole
    graph.
    """
    stages: list[list[tuple[Manifest, ...]]] = []
    pending: list[Manifest] = []
    webhooks: list[Manifest] = []
    for manifest in manifests:
        if installs_webhook(manifest):
            webhooks.append(manifest)
        elif _is_job(manifest):
            stages += _stages(pending, mode)
            stages.append(_nodes([manifest]))
            pending = []
        else:
            pending.append(manifest)
    stages += _stages(pending, mode)
    if webhooks:
        # The API server does not call webhooks for webhook configurations, so these cannot block each other.
        stages.append(_nodes(webhooks))
    return _chained(stages)


def _parts(file: str) -> tuple[str, str]:
    match = _FILE_NAME.match(file.rpartition("/")[2])
    return (match.group(1), match.group(2)) if match else ("", "")


def installs_webhook(manifest: Manifest) -> bool:
    """Whether a manifest installs a webhook that the API server calls before it accepts objects."""
    resource = manifest.resource_id
    return resource.group == "admissionregistration.k8s.io" and resource.kind in _WEBHOOKS and not manifest.deletes


def _is_job(manifest: Manifest) -> bool:
    resource = manifest.resource_id
    return (resource.group, manifest.version, resource.kind) == ("batch", "v1", "Job")


def _stage_key(manifest: Manifest) -> tuple[str, str]:
    level = run_level_of(manifest.file)
    return level, "" if level else manifest.file


def _node_key(manifest: Manifest) -> tuple[str, str]:
    level, component = _parts(manifest.file)
    return level, component or manifest.file


def _stages(manifests: Sequence[Manifest], mode: Mode) -> list[list[tuple[Manifest, ...]]]:
    if mode == "update":
        return [_nodes(list(group)) for _level, group in groupby(manifests, _stage_key)]
    return [_nodes(manifests)] if manifests else []


def _nodes(manifests: Sequence[Manifest]) -> list[tuple[Manifest, ...]]:
    return [tuple(group) for _key, group in groupby(manifests, _node_key)]


def _chained(stages: Iterable[Sequence[tuple[Manifest, ...]]]) -> TaskGraph:
    nodes: list[tuple[Manifest, ...]] = []
    predecessors: dict[int, tuple[int, ...]] = {}
    barrier: tuple[int, ...] = ()
    for stage in stages:
        members = tuple(range(len(nodes), len(nodes) + len(stage)))
        predecessors.update(dict.fromkeys(members, barrier))
        nodes += [*stage, ()]
        barrier = (len(nodes) - 1,)
        predecessors[len(nodes) - 1] = members
    return TaskGraph(tuple(nodes), predecessors)
