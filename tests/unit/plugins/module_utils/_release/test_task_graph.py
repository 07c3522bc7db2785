# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import DELETE_ANNOTATION
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import (
    MODES,
    TaskGraph,
    component_of,
    run_level_of,
    task_graph,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.unit.oracles.task_graph import (
    expected_pairs,
    is_job,
    is_late,
    pairs_of,
)

CONFIG_MAP, JOB = ("", "ConfigMap"), ("batch", "Job")
VALIDATING = ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
MUTATING = ("admissionregistration.k8s.io", "MutatingWebhookConfiguration")


def manifest(
    file: str, kind: tuple[str, str] = CONFIG_MAP, *, version: str = "v1", deletes: str = "", document: int = 1
) -> Manifest:
    annotations = {DELETE_ANNOTATION: deletes} if deletes else None
    return Manifest(ResourceId(*kind, "", "one"), version, annotations, file, document)


def of(files: str, *more: Manifest) -> list[Manifest]:
    return [*map(manifest, files.split()), *more]


def stages(graph: TaskGraph) -> list[list[str]]:
    """Return each stage as its nodes, and each node as its files. A barrier must follow each stage."""
    result = []
    stage: list[str] = []
    members: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    for index, node in enumerate(graph.nodes):
        if node:
            assert graph.predecessors[index] == before
            stage.append(" ".join(item.file for item in node))
            members += (index,)
        else:
            assert graph.predecessors[index] == members
            result.append(stage)
            stage, members, before = [], (), (index,)
    assert not stage
    return result


# openshift/cluster-version-operator:pkg/payload/task_graph.go reMatchPattern:
# ^0000_(\d+)_([a-zA-Z0-9]+(-[a-zA-Z0-9]+)*?)_
@pytest.mark.parametrize(
    ("file", "level", "component"),
    [
        ("0000_50_console-operator_07-operator.yaml", "50", "console-operator"),
        ("release-manifests/0000_50_console-operator_07-operator.yaml", "50", "console-operator"),
        ("0000_50_a_b_c.yaml", "50", "a"),
        ("0000_50_a_b", "50", "a"),
        ("0000_050_a_b", "050", "a"),
        ("0000_50_a-b", "", ""),
        ("0001_00_cluster-version-operator_03_service.yaml", "", ""),
        ("99_x_y.yaml", "", ""),
        ("x0000_50_a_b.yaml", "", ""),
        ("0000_50_a_b/99_x.yaml", "", ""),
        ("0000_\u0665\u0660_a_b.yaml", "", ""),
    ],
)
def test_run_level_and_component_are_parts_of_the_file_name(file, level, component):
    assert run_level_of(file) == level
    assert component_of(file) == component


def test_an_update_has_a_stage_per_run_level():
    files = "0000_07_a_0 0000_08_a_0 0000_09_a_0 0000_09_a_1 0000_09_b_0 0000_09_b_1 0000_10_a_0"

    assert stages(task_graph(of(files), "update")) == [
        ["0000_07_a_0"],
        ["0000_08_a_0"],
        ["0000_09_a_0 0000_09_a_1", "0000_09_b_0 0000_09_b_1"],
        ["0000_10_a_0"],
    ]


@pytest.mark.parametrize("mode", ["install", "reconcile"])
def test_other_rollouts_ignore_run_levels(mode):
    files = "0000_01_a_1 0000_01_b_1 0000_01_b_2 0000_02_b_2 0000_02_b_3"

    assert stages(task_graph(of(files), mode)) == [
        ["0000_01_a_1", "0000_01_b_1 0000_01_b_2", "0000_02_b_2 0000_02_b_3"]
    ]


@pytest.mark.parametrize("mode", MODES)
def test_a_job_is_a_separate_stage(mode):
    manifests = [
        manifest("0000_50_a_1"),
        manifest("0000_50_b_1"),
        manifest("0000_50_b_2", JOB),
        manifest("0000_50_b_3", JOB),
        manifest("0000_50_b_4"),
        manifest("0000_50_c_1"),
    ]

    assert stages(task_graph(manifests, mode)) == [
        ["0000_50_a_1", "0000_50_b_1"],
        ["0000_50_b_2"],
        ["0000_50_b_3"],
        ["0000_50_b_4", "0000_50_c_1"],
    ]


@pytest.mark.parametrize("job", [manifest("0000_50_a_2", JOB, version="v2"), manifest("0000_50_a_2", ("", "Job"))])
def test_similar_objects_are_not_jobs(job):
    assert stages(task_graph([manifest("0000_50_a_1"), job], "install")) == [["0000_50_a_1 0000_50_a_2"]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [VALIDATING, MUTATING])
def test_webhooks_come_last_in_one_stage(kind, mode):
    """A webhook whose server does not run yet rejects every request."""
    manifests = [
        manifest("0000_30_a_1", kind),
        manifest("0000_30_a_2"),
        manifest("0000_30_a_3", kind),
        manifest("0000_30_a_4", JOB),
        manifest("0000_50_b_1", kind, version="v1beta1"),
    ]

    graph = task_graph(manifests, mode)

    assert stages(graph) == [["0000_30_a_2"], ["0000_30_a_4"], ["0000_30_a_1 0000_30_a_3", "0000_50_b_1"]]


def test_other_kinds_of_that_group_keep_their_position():
    policy = manifest("0000_30_a_1", ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"))

    assert stages(task_graph([policy, manifest("0000_30_a_2")], "update")) == [["0000_30_a_1 0000_30_a_2"]]


@pytest.mark.parametrize("mode", MODES)
def test_no_manifests_are_an_empty_graph(mode):
    graph = task_graph([], mode)

    assert graph == TaskGraph((), {})
    assert list(graph.sorter().static_order()) == []


def test_each_sorter_is_new():
    graph = task_graph(of("0000_01_a_1 0000_02_a_1"), "update")

    for _attempt in range(2):
        sorter = graph.sorter()
        sorter.prepare()
        assert sorter.get_ready() == (0,)


files = st.builds(
    "{}/{}".format,
    st.sampled_from(["manifests", "release-manifests"]),
    st.one_of(
        st.sampled_from(["x.yaml", "y.yaml", "50", "0000_50_a", "99_a_b"]),
        st.builds("0000_{}_{}_x".format, st.sampled_from(["00", "0", "50"]), st.sampled_from(["a", "b", "a-b"])),
    ),
)
manifests = st.lists(
    st.builds(
        manifest,
        files,
        st.sampled_from([CONFIG_MAP, CONFIG_MAP, CONFIG_MAP, JOB, VALIDATING]),
        deletes=st.sampled_from(["", "", "true", "false"]),
    ),
    max_size=14,
)
modes = st.sampled_from(MODES)


def applied(graph: TaskGraph) -> list[Manifest]:
    return [item for index in graph.sorter().static_order() for item in graph.nodes[index]]


@given(manifests, modes)
def test_dependencies_equal_those_of_the_rules_pair_by_pair(manifests, mode):
    assert pairs_of(task_graph(manifests, mode), manifests) == expected_pairs(manifests, mode)


@given(manifests, modes)
def test_every_manifest_occurs_once_and_the_last_node_follows_all(manifests, mode):
    graph = task_graph(manifests, mode)

    assert sorted(map(id, applied(graph))) == sorted(map(id, manifests))
    # static_order rejects a cycle.
    assert sorted(graph.sorter().static_order()) == list(range(len(graph.nodes))) == sorted(graph.predecessors)
    assert not graph.nodes or list(graph.sorter().static_order())[-1] == len(graph.nodes) - 1
    assert not graph.nodes or not graph.nodes[-1]


@given(manifests, st.sampled_from(["install", "reconcile"]))
def test_a_flattened_graph_has_only_the_stages_that_jobs_and_webhooks_need(manifests, mode):
    early = [item for item in manifests if not is_late(item)]
    between = sum(1 for job, _group in groupby(early, is_job) if not job)
    needed = between + sum(map(is_job, early)) + any(map(is_late, manifests))

    assert sum(1 for node in task_graph(manifests, mode).nodes if not node) == needed


@given(manifests, modes)
def test_there_are_at_most_two_edges_per_node(manifests, mode):
    graph = task_graph(manifests, mode)

    assert sum(map(len, graph.predecessors.values())) <= 2 * len(graph.nodes)
