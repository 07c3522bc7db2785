# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option ``clusters`` of install_config: one table, and all files or none."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._files.files import check_access
from ansible_collections.capability.openshift.plugins.module_utils._install_config import file as file_module
from ansible_collections.capability.openshift.plugins.modules import install_config
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

SECRET = "bm90LWEtcmVhbC1vbmU6ZmFrZXdvcmQ="
COMMON: dict[str, Any] = {
    "apiVersion": "v1",
    "baseDomain": "example.com",
    "controlPlane": {"name": "master", "replicas": 1},
    "platform": {"none": {}},
    "pullSecret": '{"auths":{"registry.example":{"auth":"' + SECRET + '"}}}',
}


def cluster(tmp_path: Path, name: str, **options: Any) -> dict[str, Any]:
    path = str(tmp_path / name / "install-config.yaml")
    return {"name": name, "path": path, "content": {"metadata": {"name": name}}, **options}


def files(folder: Path) -> list[str]:
    return [name for name, text in tree(folder).items() if text is not None]


@pytest.fixture
def write(call, tmp_path):
    """Run the module with the options that all clusters have in common."""

    def run(*clusters: Any, **options: Any) -> Outcome:
        common = {"content": COMMON, "openshift_version": "4.20", "solution": "ran_du"}
        return call(install_config, clusters=list(clusters), **{**common, **options})

    return run


def test_all_files_are_written_and_a_second_run_changes_nothing(write, tmp_path):
    clusters = [
        cluster(tmp_path, "berlin"),
        cluster(tmp_path, "paris", capabilities={"excluded_capabilities": ["Console"]}),
        cluster(tmp_path, "rome", openshift_version="4.19"),
        cluster(tmp_path, "oslo"),
    ]
    first = write(*clusters)

    assert first["changed"]
    assert [(row["name"], row["differs"], row["selection"], row["errors"]) for row in first["clusters"]] == [
        ("berlin", True, 0, []),
        ("paris", True, 1, []),
        ("rome", True, 2, []),
        ("oslo", True, 0, []),
    ]
    assert [item["openshift_version"] for item in first["selections"]] == ["4.20", "4.20", "4.19"]
    assert "Console" not in first["selections"][1]["enabled_capabilities"]
    for row in first["clusters"]:
        written = yaml.safe_load(Path(row["path"]).read_text())
        assert written == {
            **COMMON,
            "metadata": {"name": row["name"]},
            "capabilities": first["selections"][row["selection"]]["capabilities"],
        }
        assert stat.S_IMODE(os.stat(row["path"]).st_mode) == 0o600

    before = tree(tmp_path)
    second = write(*clusters)
    assert not second["changed"]
    assert not any(row["differs"] for row in second["clusters"])
    assert tree(tmp_path) == before


def test_no_file_is_written_if_one_cluster_is_invalid(write, tmp_path):
    outcome = write(
        cluster(tmp_path, "berlin"),
        cluster(tmp_path, "paris", capabilities={"baselineCapabilitySet": "None"}),
        cluster(tmp_path, "rome", content={"apiVersion": "v2"}),
    )

    assert {(item["code"], item["where"].split(": ")[0]) for item in outcome.errors} == {
        ("inst-ingress", "paris"),
        ("invalid-choice", "rome"),
    }
    assert [bool(row["errors"]) for row in outcome["clusters"]] == [False, True, True]
    assert not outcome["changed"]
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("check", [False, True])
def test_only_the_valid_clusters_are_written_on_request(check, write, tmp_path):
    outcome = write(
        cluster(tmp_path, "berlin"), cluster(tmp_path, "paris", release="/nowhere"), write_valid=True, check=check
    )

    assert outcome.failed
    assert [bool(row["errors"]) for row in outcome["clusters"]] == [False, True]
    assert outcome["changed"]
    assert files(tmp_path) == ([] if check else ["berlin/install-config.yaml"])


def test_check_mode_and_diff_predict_the_run_without_secrets(write, tmp_path):
    clusters = [cluster(tmp_path, "berlin"), cluster(tmp_path, "paris")]
    predicted = write(*clusters, check=True, diff=True)

    assert tree(tmp_path) == {}
    written = write(*clusters, diff=True)
    assert predicted.result == written.result
    assert [item["before_header"] for item in written["diff"]] == [row["path"] for row in written["clusters"]]
    assert "baseDomain: example.com" in written["diff"][1]["after"]
    assert SECRET not in str(written.result)
    assert "diff" not in write(cluster(tmp_path, "rome", path="/dev/null/x"), diff=True).result


@pytest.mark.parametrize(
    ("entries", "faults"),
    [
        ([{"name": "a", "topology": "single"}], [("invalid-choice", "clusters[0] (a).topology")]),
        ([{"name": "a", "capabilities": {}, "solution": "minimal"}], [("conflicting-options", "a: solution")]),
    ],
)
def test_invalid_entries_are_reported(entries, faults, write):
    outcome = write(*entries)

    assert outcome.faults == faults
    assert SECRET not in str(outcome.result)
    assert [bool(row["errors"]) for row in outcome["clusters"]] == [True] * len(entries)


def test_comments_of_existing_files_stay(write, tmp_path):
    clusters = [cluster(tmp_path, "berlin"), cluster(tmp_path, "paris")]
    write(clusters[0])
    berlin = tmp_path / "berlin" / "install-config.yaml"
    berlin.write_text("# ours\n" + berlin.read_text())
    write(*clusters, solution="minimal")

    assert berlin.read_text().startswith("# ours\n")


def test_a_failure_while_files_are_replaced_restores_all_of_them(write, tmp_path, monkeypatch):
    clusters = [cluster(tmp_path, name) for name in ("berlin", "paris", "rome")]
    write(*clusters[:2])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    replace = os.replace

    def full(source, target):
        if "rome" in target:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr("os.replace", full)
    outcome = write(*clusters, solution="minimal")

    assert [item["code"] for item in outcome.errors] == ["unwritable-file"]
    # Without a table, the role fails at this task: the table would say that all clusters are valid.
    assert not {"clusters", "selections"} & set(outcome.result)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_file_that_changes_meanwhile_stops_all(write, tmp_path, monkeypatch):
    clusters = [cluster(tmp_path, "berlin"), cluster(tmp_path, "paris")]
    write(*clusters)
    paris = tmp_path / "paris" / "install-config.yaml"

    def meanwhile(directory, option, problems):
        paris.write_text("changed: true\n")
        check_access(directory, option, problems)

    monkeypatch.setattr(f"{file_module.__name__}.check_access", meanwhile)
    before = (tmp_path / "berlin" / "install-config.yaml").read_text()
    outcome = write(*clusters, solution="minimal")

    assert outcome.faults == [("concurrent-change", str(paris))]
    assert (tmp_path / "berlin" / "install-config.yaml").read_text() == before


def test_the_secrets_of_each_cluster_are_masked(write, tmp_path):
    secrets = [f"password-of-host-{number}" for number in range(3)]
    outcome = write(
        *(
            cluster(tmp_path, f"site-{number}", content={"apiVersion": secret, "sshKey": secret})
            for number, secret in enumerate(secrets)
        )
    )

    assert not any(secret in str(outcome.result) for secret in secrets)
    assert all("********" in error for row in outcome["clusters"] for error in row["errors"])
    assert len(outcome["clusters"]) == 3
