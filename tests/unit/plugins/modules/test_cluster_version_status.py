# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the module says before there is a cluster to ask; see tests/cluster for the rest."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import cluster_version_status
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release

GOOD = {"0000_50_one_01.yaml": manifest("one")}


@pytest.fixture
def run(call, tmp_path):
    release = write_release(tmp_path / "release", GOOD)

    def run(**options: Any) -> Any:
        return call(cluster_version_status, **{"release": release, **options})

    return run


@pytest.mark.parametrize(
    ("options", "where", "part"),
    [
        ({"release": "/does/not/exist"}, "/does/not/exist", "does not exist"),
        ({"feature_set": "TechPreview"}, "feature_set", "is not a feature set"),
        ({"feature_gates": ["A=x"]}, "feature_gates[0]", "expected NAME"),
        ({"always_enabled_capabilities": ["ingress"]}, "always_enabled_capabilities", "is not a capability of 4.20"),
        ({"release_image": "two words"}, "release_image", "is not a pull spec"),
        ({"kubeconfig": "/does/not/exist"}, "kubeconfig", "/does/not/exist does not exist"),
    ],
)
def test_bad_options_are_named(run, options, where, part):
    (error,) = run(**options).errors

    assert error["where"] == where
    assert part in error["message"]


def test_a_flat_directory_needs_its_version(run, tmp_path):
    (error,) = run(release=write_files(tmp_path / "flat", GOOD)).errors

    assert error["where"] == "openshift_version"


def test_a_cluster_that_does_not_answer_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"https://127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setattr("time.sleep", lambda _seconds: None)

    assert f"{address} does not answer" in run(host=address, api_key="x").message
