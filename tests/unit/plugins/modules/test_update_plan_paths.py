# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where relative paths start from, and options in the other forms in which people give them, through the module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, tree, write_release
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import NOTHING, cluster_version

EXCLUDE = "exclude.release.openshift.io/lab"


@pytest.fixture
def site(releases, tmp_path, monkeypatch) -> Path:
    """A directory with releases and a ClusterVersion, which is not the one in which the module runs."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "releases").symlink_to(Path(releases.r4_13).parent)
    (folder / "cv.json").write_text(json.dumps(cluster_version()))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return folder


RELATIVE = ["releases/4.13.5", "./releases/4.14.2"]


def test_relative_paths_start_from_chdir(site, run, releases):
    pytest.importorskip("jinja2")
    outcome = run(chdir=site, releases=RELATIVE, cluster_version="cv.json", report="reviews/plan.md")

    assert outcome["hops"] == run(cluster_version=cluster_version())["hops"]
    assert outcome["report"] == [str(site / "reviews" / "plan.md")]
    assert (site / "reviews" / "plan.md").is_file()
    assert tree(Path.cwd()) == {}


def test_relative_paths_of_clusters_start_from_chdir_too(site, run):
    clusters = [
        {"name": "file", "cluster_version": "cv.json"},
        {"name": "path", "releases": [RELATIVE[0], {"release": "releases/4.15.0"}]},
    ]
    outcome = run(chdir=site, releases=RELATIVE, clusters=clusters)

    assert outcome["plans"][0]["hops"][0]["enabled_before"] == ["Console", "baremetal"]
    assert [plan["releases"] for plan in outcome["plans"]] == [["4.13.5", "4.14.2"], ["4.13.5", "4.15.0"]]


def test_absolute_paths_and_home_do_not_start_from_chdir(site, run, releases, monkeypatch):
    monkeypatch.setenv("HOME", str(site))
    outcome = run(chdir=site, releases=[releases.r4_13, "~/releases/4.14.2"], cluster_version="~/cv.json")

    assert outcome["releases"] == ["4.13.5", "4.14.2"]


def test_a_missing_chdir_is_an_error(site, run):
    outcome = run(chdir=site / "nowhere", releases=RELATIVE)

    assert outcome.faults == [("unreadable-directory", "chdir")]


@pytest.mark.parametrize("separator", [",", ", ", " , "])
def test_a_text_with_commas_is_a_path_and_a_policy(separator, run, releases):
    outcome = run(
        releases=separator.join(releases.path),
        forbidden_capabilities=separator.join(["MachineAPI", "DeploymentConfig"]),
        capabilities=NOTHING,
    )

    assert outcome["releases"] == ["4.13.5", "4.14.2", "4.15.0"]
    assert [item["name"] for item in outcome["violations"]] == ["DeploymentConfig", "MachineAPI"]


def obj(kind: str, name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": more.pop("namespace")} if "namespace" in more else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": {**metadata, "uid": "7"}, "status": {}, **more}


def test_live_resources_can_be_the_objects_themselves(run):
    objects = [
        obj("Deployment", "console", namespace="operators", apiVersion="apps/v1", spec={"replicas": 1}),
        obj("Service", "machine-api"),
        obj("Deployment", "baremetal", namespace="operators"),  # of no such group
    ]
    ids = [
        {"group": "apps", "kind": "Deployment", "namespace": "operators", "name": "console"},
        {"kind": "Service", "name": "machine-api"},
    ]
    listed = {"apiVersion": "v1", "kind": "List", "items": objects[:1]}  # as oc prints it
    of_objects, of_ids, mixed = (
        run(capabilities=NOTHING, live_resources=live, rule="presence") for live in (objects, ids, [listed, ids[1]])
    )

    assert of_objects["hops"] == of_ids["hops"] == mixed["hops"]
    assert of_objects["enabled_capabilities"] == ["Console", "DeploymentConfig", "MachineAPI"]
    fleet = run(clusters=[{"name": "one", "live_resources": objects}], rule="presence", capabilities=NOTHING)
    assert fleet["plans"][0]["enabled_capabilities"] == of_ids["enabled_capabilities"]
    # A cluster of a fleet cannot be selected.
    assert "connection" not in run(clusters=[{"name": "one"}], rule="presence").message
    assert "connection" in run(rule="presence").message


@pytest.mark.parametrize(
    ("field", "spelling", "value", "added"),
    [
        ("cluster_profile", "cluster_profile", "hypershift", 1),
        ("exclude_identifier", "exclude_identifier", "lab", 1),
        ("always_enabled_capabilities", "always_enabled_capabilities", ["Build"], 3),
    ],
)
def test_a_cluster_has_its_own_options(field, spelling, value, added, call, tmp_path):
    old = {"a.yaml": manifest("a"), "h.yaml": manifest("h", profile="hypershift")}
    new = {
        **old,
        "b.yaml": manifest("b"),
        "c.yaml": manifest("c", "Build"),
        "e.yaml": manifest("e", annotations={EXCLUDE: "true"}),
        "i.yaml": manifest("i", profile="hypershift"),
    }
    path = [str(write_release(tmp_path / v, files, v)) for v, files in {"4.19.1": old, "4.20.1": new}.items()]
    names = ("own", "spelled", "common")
    clusters = [{"name": name} for name in names]
    clusters[0][field] = clusters[1][spelling] = value
    outcome = call(update_plan, releases=path, capabilities=NOTHING, clusters=clusters, details=True)

    counts = {name: len(outcome["plans"][at]["hops"][0]["added"]) for name, at in outcome["clusters"].items()}
    assert counts == {"own": added, "spelled": added, "common": 2}
    alone = call(update_plan, releases=path, capabilities=NOTHING, **{field: value})
    assert outcome["plans"][outcome["clusters"]["own"]]["hops"] == alone["hops"]
