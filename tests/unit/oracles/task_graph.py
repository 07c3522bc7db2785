# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to be done before what in a rollout: pair by pair from the rules of the CVO, and as a graph has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import Mode, TaskGraph

Pair = tuple[int, int]


def is_job(manifest: Manifest) -> bool:
    return manifest.resource_id[:2] == ("batch", "Job") and manifest.version == "v1"


def is_late(manifest: Manifest) -> bool:
    kinds = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    group, kind = manifest.resource_id[:2]
    deletes = (manifest.annotations or {}).get("release.openshift.io/delete") == "true"
    return group == "admissionregistration.k8s.io" and kind in kinds and not deletes


def level_of(manifest: Manifest) -> str:
    """Return the run level, or the whole name where there is none, which no run level can be."""
    return place_of(manifest).partition("_")[0]


def place_of(manifest: Manifest) -> str:
    # openshift/cluster-version-operator:pkg/payload/task_graph.go reMatchPattern
    match = re.search(r"^0000_([0-9]+_[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*?)_", manifest.file.split("/")[-1])
    return match.group(1) if match else "x" + manifest.file.replace("_", "-")


def expected_pairs(manifests: Sequence[Manifest], mode: Mode) -> set[Pair]:
    """Return the pairs of indexes of which the first has to be done before the second.

    One thing is before another if a Job is one of them or between them, if all from the one to the other are of one
    component, or, in an update, if the run level changes in between. Webhooks are after all that are none, and among
    each other as in a single stage.
    """
    early = [index for index, manifest in enumerate(manifests) if not is_late(manifest)]
    late = [index for index, manifest in enumerate(manifests) if is_late(manifest)]
    pairs = {(first, second) for first in early for second in late}
    for indexes, by_level in ((early, mode == "update"), (late, False)):
        part = [manifests[index] for index in indexes]
        # How often something changed up to here: unequal counts mean that it changed in between.
        places = [0, *accumulate(place_of(one) != place_of(other) for one, other in pairwise(part))]
        levels = [0, *accumulate(level_of(one) != level_of(other) for one, other in pairwise(part))]
        jobs = list(accumulate(map(is_job, part)))
        for second in range(len(part)):
            for first in range(second):
                job = is_job(part[first]) or jobs[first] != jobs[second]
                level = by_level and levels[first] != levels[second]
                if job or level or places[first] == places[second]:
                    pairs.add((indexes[first], indexes[second]))
    return pairs


def pairs_of(graph: TaskGraph, manifests: Sequence[Manifest]) -> set[Pair]:
    """Return such pairs as the graph has them."""
    indexes = {id(manifest): index for index, manifest in enumerate(manifests)}
    done_before: dict[int, frozenset[int]] = {}
    pairs = set()
    for node in graph.sorter().static_order():
        before = frozenset[int]().union(
            *(done_before[other] | set(inside(graph, other, indexes)) for other in graph.predecessors[node])
        )
        done_before[node] = before
        for index in inside(graph, node, indexes):
            pairs |= {(other, index) for other in before}
            before |= {index}
    return pairs


def inside(graph: TaskGraph, node: int, indexes: dict[int, int]) -> list[int]:
    return [indexes[id(manifest)] for manifest in graph.nodes[node]]
