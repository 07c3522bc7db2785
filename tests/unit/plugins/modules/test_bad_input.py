# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Invalid releases: one error with all problems, in modules run as Ansible runs them."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    PROFILE,
    documents,
    image_references,
    manifest,
    metadata,
    write_release,
)

GOOD = {"0000_50_one_01.yaml": manifest("one")}
METADATA = "release-manifests/release-metadata"
MODULES = pytest.mark.parametrize(
    "module", [release_info, release_manifests], ids=lambda module: module.__name__.rpartition(".")[2]
)


@MODULES
def test_all_problems_of_a_release_are_reported_at_once(module, call, tmp_path):
    files: dict[str, str | bytes] = {
        "a.yaml": "kind: [\n",
        "b.yaml": documents(manifest("one"), "apiVersion: v1\nkind: List\nitems: []\n", manifest("one")),
        "c.yaml": b"\xff",
        "d.json": '{"apiVersion": "v1", "kind": "A"}',
        "e.yaml": manifest(annotations={"a": True}),
    }
    path = write_release(tmp_path, files, about=metadata("4.20"), references=image_references("4.20.3"))
    outcome = call(module, release=path)

    wheres = [problem["where"].partition(" (")[0].partition(",")[0] for problem in outcome.errors]
    expected = [METADATA, *(f"release-manifests/{name}" for name in ("a.yaml", "b.yaml", "b.yaml", "c.yaml", "d.json"))]
    assert wheres == expected
    assert outcome.message.startswith("6 problems were found:\n- ")
    for problem in outcome.errors:
        assert f"- {problem['where']}: {problem['message']}" in outcome.message
    assert [problem["where"] for problem in outcome["problems"] if problem["severity"] == "warning"] == [
        "release-manifests/e.yaml, document 1 (line 1), metadata.annotations[a]"
    ]


@pytest.mark.parametrize(
    ("dest", "baseline", "severity"),
    [(None, "vCurrent", "info"), ("manifests", "vCurrent", "warning"), ("manifests", "None", "info")],
)
def test_a_missing_release_image_is_a_warning_if_a_written_file_names_it(dest, baseline, severity, call, tmp_path):
    cvo = {"a.yaml": manifest("cvo", "Console", more="x: '{{.ReleaseImage}}'\n")}
    path = write_release(tmp_path / "release", GOOD, cvo=cvo)

    outcome = call(
        release_manifests, release=path, dest=dest and tmp_path / dest, capabilities={"baselineCapabilitySet": baseline}
    )
    problem = outcome.problem("missing-release-image")
    assert (problem["severity"], problem["where"]) == (severity, "manifests/a.yaml")
    assert call(release_manifests, release=path, release_image="registry.example/x")["problems"] == []


@MODULES
def test_a_profile_that_no_manifest_carries_is_an_error_with_those_found(module, call, tmp_path):
    files = {**GOOD, "b.yaml": manifest("two", profile="hypershift")}
    outcome = call(module, release=write_release(tmp_path, files), cluster_profile="selfmanaged")

    assert outcome.faults == [("unknown-profile", "cluster_profile")]
    assert f"its profiles are hypershift, {PROFILE}" in outcome.problem("cluster_profile")["message"]
