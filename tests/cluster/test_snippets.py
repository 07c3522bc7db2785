# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shell commands of README and documentation that need a cluster. Others: ``tests/unit/test_snippets.py``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from ansible_collections.capability.openshift.tests.cluster.helpers.request_counts import count, serve_counts
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT, selection
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import history
from ansible_collections.capability.openshift.tests.cluster.helpers.updates_of_pages import END, GATE, START, updatable
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.cvo import StatusWriter
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import Operator, Operators
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_files
from ansible_collections.capability.openshift.tests.unit.builders.snippets import (
    KUBERNETES,
    OPENSHIFT,
    SHELL,
    UPDATING,
    Desk,
    snippets,
)
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

pytestmark = pytest.mark.deep

VERSION = "4.21.0"
KNOWN = ["Build", "Console", "Ingress", "Insights", "Storage"]
FAILING = {
    ("docs/how_to/roll_out_a_release.md", "-e forbidden_capabilities=all"): "enables Insights because of",
    ("docs/how_to/verify_a_cluster.md", ".release_verify "): "ClusterOperator ingress: has not reported yet",
    ("docs/how_to/verify_a_cluster.md", "/test_plan.yml "): "With no capabilities, the cluster has",
}
"""Commands that fail on purpose, by their page and a part of them, and what they print."""

OF_CLUSTERS = [snippet for snippet in snippets(*SHELL) if snippet.where in (OPENSHIFT, KUBERNETES, UPDATING)]


SITES = "clusters: {hosts: {paris: {kubeconfig: kubeconfig}, berlin: {kubeconfig: kubeconfig}}}\n"


def desk_of(plane: ControlPlane, folder: Path, page: str) -> Desk:
    """Return a desk with the kubeconfigs that the pages name."""
    config = yaml.safe_load(plane.kubeconfig.read_text("utf-8"))
    config["contexts"] += [{**config["contexts"][0], "name": "rome"}]
    text = yaml.safe_dump(config)
    for place in ("", "plane", "srv/sites/berlin", "srv/sites/paris", "srv/lab"):
        write_files(folder / place, {"kubeconfig": text})
    write_files(folder, {"paris.kubeconfig": text})
    for version in ("4.15.37", "4.20.3"):
        shutil.copytree(EXAMPLE, folder / "srv" / "releases" / version, dirs_exist_ok=True)
    return Desk(folder, page, {"K8S_AUTH_KUBECONFIG": str(folder / "kubeconfig")})


def pages(where: str) -> list[str]:
    """Return the pages with blocks for a cluster."""
    return sorted({snippet.page for snippet in OF_CLUSTERS if snippet.where == where})


def run(plane: ControlPlane, folder: Path, page: str, where: str) -> None:
    """Run the blocks of a page for a cluster."""
    desk = desk_of(plane, folder, page)
    for snippet in OF_CLUSTERS:
        if (snippet.page, snippet.where) == (page, where):
            desk.run(snippet, FAILING)


@pytest.mark.parametrize("page", pages(OPENSHIFT))
def test_the_commands_for_openshift_run(cluster: ControlPlane, tmp_path: Path, page: str) -> None:
    # Only the API server of an older release counts all requests.
    version = "4.15.37" if "capability_usage" in page else VERSION
    status = {**capabilities_status(["Ingress"], KNOWN), "desired": {"version": version}}
    make_cluster_version(cluster.api, {"capabilities": selection("Ingress")}, status)
    console = Operator("console", {"operator": version}, ("Console",))
    with StatusWriter(cluster.kubeconfig, version), Operators(cluster.kubeconfig, [console], namespaces=()):
        if "capability_usage" in page:
            mark = cluster.audit.mark()
            serve_counts(cluster)
            cluster.api.list("/apis/console.openshift.io/v1/consolelinks")
            count(cluster, cluster.audit.requests(mark))
        run(cluster, tmp_path, page, OPENSHIFT)
    if "enable" in page:
        assert cluster.api.get(OBJECT)["spec"]["capabilities"] == selection("Console", "Ingress")


def test_the_commands_for_updates_run(cluster: ControlPlane, tmp_path: Path) -> None:
    """The first one shows what has to be accepted. Nothing is left to do for a path or a fleet after the others."""
    (page,) = pages(UPDATING)
    first, *others = [snippet for snippet in OF_CLUSTERS if snippet.page == page]
    (tmp_path / "sites.yml").write_text(SITES, "utf-8")
    with updatable(cluster, tmp_path / "other") as found:
        desk = desk_of(cluster, tmp_path, page)
        for image in found.images:
            options = ["-e", f"release={image}", "-e", json.dumps({"mirrors": found.mirrors})]
            read = ansible_playbook(
                tmp_path,
                "capability.openshift.release_info",
                *options,
                env={"HOME": str(tmp_path), "SSL_CERT_FILE": found.ca},
            )
            assert read.returncode == 0, read.stdout  # Pages read it from the cache.
        desk.run(first, {(page, ""): f"accept {GATE} in acceptances"})
        assert history(cluster) == [(START, "Completed")]
        for snippet in others:
            desk.run(snippet, {})
        assert history(cluster) == [(END, "Completed"), (START, "Completed")]


def test_the_commands_for_kubernetes_run(plane: ControlPlane, tmp_path: Path) -> None:
    """One page after the other on one cluster: a preview, a rollout, and a comparison with the release."""
    reset(plane)
    for page in pages(KUBERNETES):
        run(plane, tmp_path, page, KUBERNETES)
