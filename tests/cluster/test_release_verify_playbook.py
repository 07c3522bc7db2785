# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook that verifies: it asks the cluster that is meant, shows what it found, and fails at it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import Rollouts
from ansible_collections.capability.openshift.tests.cluster.helpers.support import is_write, selection
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import readers
from ansible_collections.capability.openshift.tests.cluster.test_playbooks_of_clusters import (
    CLUSTERS,
    EMPTY,
    GOOD,
    NULL,
    UNDEFINED,
    UNREADABLE,
    UNSET,
    Desk,
)
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user

VERIFY = "release_verify"
SCHEDULE = "/api/v1/namespaces/openshift-config/configmaps/insights-upload-schedule"
RELEASE = ("-e", "release=releases/4.21.0")
REQUESTS: dict[str, tuple[dict[str, Any], str]] = {
    **{
        f"undefined-{name}": ({name: UNDEFINED}, f"{name}: {UNREADABLE}")
        for name in ("release", "capabilities", "feature_gates", "overrides")
    },
    "undefined-set": ({"capabilities": {"baselineCapabilitySet": UNDEFINED}}, f"capabilities: {UNREADABLE}"),
    "empty-release": ({"release": ""}, f"release: {EMPTY}"),
    "null-release": ({"release": None}, f"release: {NULL}"),
    "empty-selection": ({"capabilities": ""}, "capabilities: is a string"),
    "null-gates": ({"feature_gates": None}, f"feature_gates: {NULL}"),
}
"""Variables of a host whose cluster is clear, which do not say what is meant."""


@pytest.fixture
def desk(rollouts: Rollouts, tmp_path: Path) -> Desk:
    """Return a desk at a cluster that nothing was rolled out to."""
    (tmp_path / "home" / ".kube").mkdir(parents=True)
    for copy in ("home/.kube/config", "kubeconfig"):
        shutil.copy(rollouts.plane.kubeconfig, tmp_path / copy)
    (tmp_path / "releases").symlink_to(EXAMPLE.parent)
    return Desk(rollouts.plane, tmp_path)


def roll_out_ready(rollouts: Rollouts) -> None:
    """Roll out what is ready without controllers: take the rest out of their hands."""
    named = {
        ("Deployment", "apps", "openshift-cluster-version", "cluster-version-operator"),
        ("Deployment", "apps", "openshift-ingress-operator", "ingress-operator"),
        ("Job", "batch", "openshift-config", "config-migration-4.21"),
        ("ClusterOperator", "config.openshift.io", "", "ingress"),
    }
    rollouts.done(EXAMPLE, capabilities=selection())
    fields = ("kind", "group", "namespace", "name")
    overrides = [{**dict(zip(fields, item, strict=True)), "unmanaged": True} for item in sorted(named)]
    path = "/apis/config.openshift.io/v1/clusterversions/version"
    rollouts.api.patch(path, {"spec": {"overrides": overrides}})


def test_a_cluster_as_it_should_be_passes_and_nothing_is_written(rollouts: Rollouts, desk: Desk) -> None:
    roll_out_ready(rollouts)
    mark = desk.plane.audit.mark()

    done = desk.run(VERIFY, *RELEASE, "-e", "kubeconfig=kubeconfig")

    assert done.code == 0, done.text
    assert "missing     0" in done.text
    assert "changed=0" in done.text
    requests = desk.requests(mark)
    assert requests
    assert not [item for item in requests if is_write(item)]


@pytest.mark.deep
def test_findings_are_listed_and_fail(rollouts: Rollouts, desk: Desk) -> None:
    roll_out_ready(rollouts)
    rollouts.api.delete(SCHEDULE)
    rollouts.api.post("/api/v1/namespaces", {"metadata": {"name": "openshift-insights"}})

    done = desk.run(VERIFY, *RELEASE, "-e", "kubeconfig=kubeconfig")

    assert done.code != 0
    assert "- ConfigMap openshift-config/insights-upload-schedule: does not exist" in done.text
    assert "- Namespace openshift-insights: disabled capabilities: Insights" in done.text
    assert "localhost differs from the release: 1 missing, 1 unexpected" in done.refusal("localhost")


@pytest.mark.deep
def test_what_could_not_be_looked_at_fails_after_the_rest_was_shown(rollouts: Rollouts, desk: Desk) -> None:
    roll_out_ready(rollouts)
    rollouts.api.delete(SCHEDULE)
    user = certificate_user(rollouts.plane, "no-deployments", readers(rollouts))

    done = desk.run(VERIFY, *RELEASE, "-e", f"kubeconfig={user.kubeconfig}")

    assert "- ConfigMap openshift-config/insights-upload-schedule: does not exist" in done.text
    assert "error: cannot list deployments.apps: 403 Forbidden" in done.text
    assert "1 missing, some resources could not be checked" in done.refusal("localhost")


@pytest.mark.deep
def test_only_the_cluster_that_is_named_is_asked(desk: Desk) -> None:
    cases = {
        **CLUSTERS,
        **UNSET,
        **{name: ({"kubeconfig": GOOD, **given}, message) for name, (given, message) in REQUESTS.items()},
    }
    mark = desk.plane.audit.mark()
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    release = {"release": str(EXAMPLE)}
    done = desk.run(VERIFY, **{name: {**local, **release, **given} for name, (given, _message) in cases.items()})

    wrong = {
        name: done.refusal(name)[:300] for name, (_given, message) in cases.items() if message not in done.refusal(name)
    }
    assert wrong == {}, done.text
    assert desk.requests(mark) == []
