# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors of cluster_version_status before it sends a request. See tests/cluster for the rest."""

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
    ("options", "code", "where"),
    [
        ({"release": "/does/not/exist"}, "missing-directory", "/does/not/exist"),
        ({"feature_set": "TechPreview"}, "unknown-feature-set", "feature_set"),
        ({"feature_gates": ["A=x"]}, "invalid-feature-gate", "feature_gates[0]"),
        ({"always_enabled_capabilities": ["ingress"]}, "unknown-capability", "always_enabled_capabilities"),
        ({"release_image": "two words"}, "invalid-pull-spec", "release_image"),
        ({"kubeconfig": "/does/not/exist"}, "missing-file", "kubeconfig"),
    ],
)
def test_invalid_options_are_errors(run, options, code, where):
    assert run(**options).faults == [(code, where)]


def test_a_flat_directory_needs_its_version(run, tmp_path):
    outcome = run(release=write_files(tmp_path / "flat", GOOD))

    assert outcome.faults == [("missing-version", "openshift_version")]


def test_a_cluster_that_does_not_answer_is_an_error(run, tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"https://127.0.0.1:{closed.getsockname()[1]}"
    monkeypatch.setattr("time.sleep", lambda _seconds: None)

    assert run(host=address, api_key="x").faults == [("unreachable-server", "")]
