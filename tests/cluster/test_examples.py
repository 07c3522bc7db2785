# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of modules that need a cluster, run as they are documented. Others: ``tests/unit/test_examples.py``."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.cluster.helpers.request_counts import COUNTS, count, serve_counts
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.cluster.helpers.updates import history
from ansible_collections.capability.openshift.tests.cluster.helpers.updates_of_pages import updatable
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.cvo import StatusWriter
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import Operators, operators_of
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user, token_user
from ansible_collections.capability.openshift.tests.registry.harness.registry import Registry, Site, mirror_sets
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.examples import (
    Outcomes,
    Plugin,
    play_of,
    plugins,
    run,
)
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import Key, content
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_files

pytestmark = pytest.mark.deep

VERSION = "4.20.3"
KNOWN = ["Console", "Ingress", "Insights", "Storage"]
RELEASES = {VERSION: EXAMPLE, "4.21.0": EXAMPLE, "4.23.0": EXAMPLE.parent / "4.22.0"}
KEY = Key("Release key")
MANAGED = "openshift-config-managed"
STORE = "https://127.0.0.1:1/signatures"
"""Nothing answers there."""
OF_PLAN = {
    "Read the ClusterVersion and the relevant resources from the cluster",
    "Show the verdict of each update, and its reasons",
}
BUILDS = "/apis/config.openshift.io/v1/builds"
DEPLOYMENT_CONFIGS = "/apis/apps.openshift.io/v1/deploymentconfigs"
LIST_BUILDS = {"apiGroups": ["config.openshift.io"], "resources": ["builds"], "verbs": ["list"]}
ALL = {plugin.name: plugin for plugin in plugins()}
SIMPLE = [
    *(ALL["capability_guard"], ALL["cluster_capabilities"], ALL["cluster_capabilities_info"]),
    Plugin("update_plan", [task for task in ALL["update_plan"].tasks if task["name"] in OF_PLAN]),
]


def write_releases(folder: Path) -> None:
    """Write the releases of the examples: copies of the example releases with other versions."""
    for version, source in RELEASES.items():
        path = Path(shutil.copytree(source, folder / "srv" / "releases" / version))
        for name in ("release-metadata", "image-references"):
            file = path / "release-manifests" / name
            file.write_text(file.read_text("utf-8").replace(source.name, version), "utf-8")


def files_of(cluster: ControlPlane, tmp_path: Path) -> Path:
    """Write the files that the examples read, for a cluster."""
    write_releases(tmp_path)
    srv, config = tmp_path / "srv", yaml.safe_load(cluster.kubeconfig.read_text("utf-8"))
    (context,) = config["contexts"]
    config["contexts"] += [{**context, "name": name} for name in ("edge-17", "lab", "paris")]
    status = json.dumps(reported(VERSION, available=["4.20.4", "4.21.0"]))
    files: dict[str, str | bytes] = {"kubeconfig": cluster.kubeconfig.read_bytes(), "clusterversion.yaml": status}
    for site in ("berlin", "paris"):
        write_files(srv / "sites" / site, files)
    write_files(srv, {"kubeconfig": yaml.safe_dump(config)})
    gathered = srv / "must-gather/rome/cluster-scoped-resources/config.openshift.io/clusterversions"
    write_files(gathered, {"version.yaml": status})
    for path in ("reviews", "../var/log", "../var/lib/node_exporter/textfile"):
        (srv / path).mkdir(parents=True)
    return tmp_path


@pytest.fixture
def folder(cluster: ControlPlane, tmp_path: Path) -> Path:
    """The files that the examples read."""
    return files_of(cluster, tmp_path)


@pytest.fixture
def running(cluster: ControlPlane, folder: Path) -> Iterator[ControlPlane]:
    """A cluster of the version of the examples, whose operators report."""
    status = {**capabilities_status(["Ingress"], KNOWN), "desired": {"version": VERSION}}
    make_cluster_version(cluster.api, {"capabilities": selection("Ingress")}, status)
    with ExitStack() as stack:
        stack.enter_context(StatusWriter(cluster.kubeconfig, VERSION))
        stack.enter_context(Operators(cluster.kubeconfig, operators_of(folder / "srv" / "releases" / VERSION)))
        yield cluster


def config_map(name: str, **fields: Any) -> dict[str, Any]:
    """Return a ConfigMap of the namespace with keys and signatures."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": MANAGED}, **fields}


def write_keys(release: Path) -> None:
    """Write the key into a release."""
    ring = base64.encodebytes(KEY.ring).decode()
    armored = f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{ring}-----END PGP PUBLIC KEY BLOCK-----\n"
    keys = config_map("release-verification", data={"verifier-public-key-test": armored, "store-test": STORE})
    keys["metadata"]["annotations"] = {
        "release.openshift.io/verification-config-map": "",
        "include.release.openshift.io/self-managed-high-availability": "true",
    }
    write_files(release / "release-manifests", {"0000_90_keys.json": json.dumps(keys)})


def sign(api: Api, digest: str) -> None:
    """Store the signature of a release on a cluster."""
    signature = base64.b64encode(KEY.sign(content(digest))).decode()
    stored = config_map("signatures", binaryData={f"{digest.replace(':', '-')}-1": signature})
    stored["metadata"]["labels"] = {"release.openshift.io/verification-signatures": ""}
    api.post(f"/api/v1/namespaces/{MANAGED}/configmaps", stored)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    """An empty registry."""
    write_files(tmp_path / "registry", {})
    site = Site(tmp_path / "registry")
    yield Registry(site)
    site.close()


def outcomes(
    plugin: Plugin,
    folder: Path,
    variables: Mapping[str, Any] = MappingProxyType({}),
    mirrors: Sequence[Mapping[str, Any]] = (),
    **settings: str,
) -> Outcomes:
    """Run the examples of a plugin."""
    settings["K8S_AUTH_KUBECONFIG"] = str(folder / "srv" / "kubeconfig")
    play = play_of(plugin, folder, variables)
    play["module_defaults"] = {"group/capability.openshift.release": {"mirrors": list(mirrors)}}
    (found,), printed = run(folder, play, settings=settings)
    print(printed)
    assert set(found) == {task["name"] for task in plugin.tasks}
    return found


def failed(found: Outcomes) -> set[str]:
    """Return the tasks that failed."""
    return {name for name, each in found.items() if "failed" in each}


@pytest.mark.parametrize("plugin", SIMPLE, ids=lambda plugin: plugin.name)
def test_examples(plugin: Plugin, running: ControlPlane, folder: Path) -> None:
    assert failed(outcomes(plugin, folder)) == set()


def test_examples_of_usage(cluster: ControlPlane, folder: Path) -> None:
    find, check, *_others = ALL["capability_usage_info"].tasks
    status = {**capabilities_status(["Ingress"], KNOWN), "desired": {"version": "4.15.37"}}
    make_cluster_version(cluster.api, {"capabilities": selection("Ingress")}, status)
    serve_counts(cluster)
    (folder / "srv" / "releases" / "4.15.37").symlink_to("4.20.3")
    users = [token_user(cluster, "robot", [LIST_BUILDS]), certificate_user(cluster, "alice", [LIST_BUILDS])]
    found = []
    for user in users:  # The first one belongs to OpenShift.
        mark = cluster.audit.mark()
        api = Api(user.kubeconfig, user_agent="test/1.0")
        api.list(BUILDS)
        with pytest.raises(ApiError):  # nothing serves it, and the request counts
            api.list(DEPLOYMENT_CONFIGS)
        requests = cluster.audit.requests(mark, user=user.name)
        cluster.api.delete(COUNTS)
        count(cluster, requests)
        found.append(failed(outcomes(Plugin("capability_usage_info", [find, check]), folder)))
    assert found == [set(), {check["name"]}]


def test_examples_of_updates(cluster: ControlPlane, tmp_path: Path) -> None:
    folder = files_of(cluster, tmp_path)
    show, accepted, mirrored = ALL["cluster_update"].tasks
    with updatable(cluster, folder / "srv" / "releases") as found:
        refused = outcomes(Plugin("plan", [show, mirrored]), folder, mirrors=found.mirrors, SSL_CERT_FILE=found.ca)
        assert failed(refused) == {show["name"], mirrored["name"]}
        assert history(cluster) == [("4.19.9", "Completed")]
        plugin = Plugin("update", [accepted, mirrored])
        assert failed(outcomes(plugin, folder, mirrors=found.mirrors, SSL_CERT_FILE=found.ca)) == set()
        assert history(cluster) == [("4.20.3", "Completed"), ("4.19.9", "Completed")]


def test_examples_of_rollouts(full_plane: ControlPlane, registry: Registry, tmp_path: Path) -> None:
    folder = files_of(full_plane, tmp_path)
    releases = folder / "srv" / "releases"
    write_keys(releases / VERSION)
    install, update, serve, read, signed, show = ALL["release_apply"].tasks
    verify, check, *more = ALL["release_verify"].tasks
    reset(full_plane)
    assert failed(outcomes(Plugin("definitions", [serve]), folder)) == set()
    assert full_plane.kubectl("get", "clusterversions") == ""
    reset(full_plane)
    full_plane.api.post("/api/v1/namespaces", {"metadata": {"name": MANAGED}})
    with Operators(full_plane.kubeconfig, operators_of(releases / VERSION), follow=True):
        assert failed(outcomes(Plugin("rollout", [install, show, verify, check, *more]), folder)) == set()
        full_plane.api.delete("/apis/apps/v1/namespaces/openshift-console-operator/deployments/console-operator")
        assert failed(outcomes(Plugin("verify", [verify, check]), folder)) == {check["name"]}
        next_release = release_image(releases / "4.21.0")
        registry.push("release", next_release)
        mirrors = mirror_sets({"quay.io/openshift-release-dev/ocp-release": f"{registry.host}/release"})
        variables = {"digest": next_release.digest}
        (folder / "bin").mkdir()
        (folder / "bin" / "oc").symlink_to(full_plane.programs["kubectl"])
        path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
        trusted = {"SSL_CERT_FILE": str(registry.site.ca), "PATH": path}
        unsigned = outcomes(Plugin("unsigned", [read, signed]), folder, variables, mirrors, **trusted)
        assert failed(unsigned) == {signed["name"]}
        sign(full_plane.api, next_release.digest)
        signed_update = Plugin("update", [read, signed, update])
        assert failed(outcomes(signed_update, folder, variables, mirrors, **trusted)) == set()
