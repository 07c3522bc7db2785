# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Small releases that tests write themselves, rollouts of them, and looks at what these did."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible_collections.capability.openshift.plugins.modules import release_apply
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, Site, is_write, site_of
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE, collection_path
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.users import Rule
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

if TYPE_CHECKING:
    import pytest

Body = dict[str, Any]
Files = Mapping[str, Body | list[Body]]

PROFILE = "include.release.openshift.io/self-managed-high-availability"
CAPABILITY = "capability.openshift.io/name"
CREATE_ONLY = "release.openshift.io/create-only"
DELETE = "release.openshift.io/delete"
FEATURE_SET = "release.openshift.io/feature-set"
SENT_HASH = "capability.openshift.io/last-applied-hash"
PART_OF = "applyset.kubernetes.io/part-of"
INVENTORY = "/api/v1/namespaces/kube-system/configmaps/capability-openshift-rollout"
NEXT = EXAMPLE.parent / "4.22.0"
HOME = "rollouts"
"""The namespace that is there before a release is rolled out."""

CLUSTER_VERSION_CRD = "0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml"
PREDICTED = (
    *("changed", "mode", "created", "changed_resources", "unchanged", "deleted", "failed_resources"),
    *("conflicts", "leftovers", "run_levels", "capability_status", "diff"),
)
_OF_ONE_RUN = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    rf'|{re.escape(SENT_HASH)}\\": \\"[0-9a-f]+'
)
_PLURALS = {"Ingress": "ingresses", "Proxy": "proxies", "SecurityContextConstraints": "securitycontextconstraints"}


def manifest(kind: str, name: str, namespace: str = "", *, api: str = "v1", **fields: Any) -> Body:
    """Return a manifest for self-managed clusters; ``annotations`` and ``labels`` go into its metadata."""
    annotations = {PROFILE: "true", **fields.pop("annotations", {})}
    metadata: Body = {"name": name, "annotations": annotations}
    if namespace:
        metadata["namespace"] = namespace
    for field in ("labels", "ownerReferences", "finalizers"):
        if field in fields:
            metadata[field] = fields.pop(field)
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def config_map(name: str, namespace: str = HOME, capability: str = "", **fields: Any) -> Body:
    """Return a manifest of a ConfigMap, the simplest of all."""
    annotations = {**({CAPABILITY: capability} if capability else {}), **fields.pop("annotations", {})}
    return manifest("ConfigMap", name, namespace, annotations=annotations, **{"data": {"key": "value"}, **fields})


def namespace(name: str) -> Body:
    """Return a manifest of a Namespace."""
    return manifest("Namespace", name)


def crd(plural: str, kind: str, spec: Body | None = None, *, namespaced: bool = True, group: str = "test.io") -> Body:
    """Return a manifest of a CustomResourceDefinition; ``spec`` is the schema of its objects' spec."""
    inner = {"type": "object", "x-kubernetes-preserve-unknown-fields": True} if spec is None else spec
    schema = {"type": "object", "properties": {"spec": inner, "status": {**_ANYTHING}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    scope = "Namespaced" if namespaced else "Cluster"
    return manifest(
        "CustomResourceDefinition",
        f"{plural}.{group}",
        api="apiextensions.k8s.io/v1",
        spec={"group": group, "names": names, "scope": scope, "versions": [version]},
    )


_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def deployment(name: str, home: str = HOME, **fields: Any) -> Body:
    """Return a manifest of a Deployment with one container ``main``; ``container`` are more fields of that."""
    container = {"name": "main", "image": "registry.example/a:1", **fields.pop("container", {})}
    labels = {"app": name}
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    return manifest("Deployment", name, home, api="apps/v1", spec=spec, **fields)


def path_of(body: Body) -> str:
    """Return where the object of a manifest is."""
    kind, metadata = body["kind"], body["metadata"]
    plural = _PLURALS.get(kind, f"{kind.lower()}s")
    root = "/api/v1" if body["apiVersion"] == "v1" else f"/apis/{body['apiVersion']}"
    home = f"/namespaces/{metadata['namespace']}" if metadata.get("namespace") else ""
    return f"{root}{home}/{plural}/{metadata['name']}"


class Rollouts(NamedTuple):
    """A cluster, and the rollouts to it."""

    site: Site
    folder: Path

    @property
    def plane(self) -> ControlPlane:
        """The control plane."""
        return self.site.plane

    @property
    def api(self) -> Api:
        """The API as another client sees it."""
        return self.site.plane.api

    @property
    def unfinished(self) -> str:
        """The mode of the last rollout, if it did not end well."""
        return str(self.api.get(INVENTORY)["data"]["unfinished"])

    def release(self, files: Files | Iterable[Body], name: str = "release", *, cluster_version: bool = False) -> Path:
        """Write a flat release, or write it again; without names of files its manifests are of one component.

        ``cluster_version``: with the CustomResourceDefinition of ClusterVersion.
        """
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        if not isinstance(files, Mapping):
            files = {f"0000_10_a_{index:02}.yaml": body for index, body in enumerate(files)}
        for file, bodies in files.items():
            text = "\n---\n".join(json.dumps(body) for body in (bodies if isinstance(bodies, list) else [bodies]))
            (folder / file).write_text(text, encoding="utf-8")
        if cluster_version:
            source = EXAMPLE / "manifests" / CLUSTER_VERSION_CRD
            (folder / CLUSTER_VERSION_CRD).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        return folder

    def apply(self, release: Path | Iterable[Body], **options: Any) -> Outcome:
        """Run ``release_apply`` on a release, or on what ``release`` makes of manifests."""
        path = release if isinstance(release, Path) else self.release(release)
        defaults: dict[str, Any] = {"kubeconfig": self.plane.kubeconfig, "release": path}
        if not (path / "release-manifests").exists():
            defaults["openshift_version"] = "4.21.0"
        if (path / CLUSTER_VERSION_CRD).exists():
            defaults["feature_set"] = "Default"  # it is a flavour of that
        return self.site.call(release_apply, **{**defaults, **options})

    def predicted(self, release: Path, **options: Any) -> Outcome:
        """Run it in check mode, which stores nothing, and for real. See that the results are the same.

        Returns the real one.
        """
        with self.unwritten():
            check = self.apply(release, check=True, **options)
        real = self.apply(release, **options)
        assert check.failed == real.failed, (check.message, real.message)
        found, expected = _predictable(check.result), _predictable(real.result)
        # The API server cannot check an object whose namespace or kind does not exist yet.
        for one, other in zip(found["diff"], expected["diff"], strict=True):
            one["after"] = one["after"] or other["after"]
        assert found == expected
        return real

    def done(self, release: Path | Iterable[Body], **options: Any) -> Outcome:
        """Run it, and see that it did not fail."""
        outcome = self.apply(release, **options)
        assert not outcome.failed, outcome.message
        return outcome

    def requests(self, since: int) -> list[Request]:
        """Return what was asked of the API server since a mark, but for discovery."""
        found = self.plane.audit.requests(since, user_agent=AGENT)
        return [request for request in found if not _is_discovery(request.uri)]

    def writes(self, since: int) -> list[str]:
        """Return verbs and paths of what was written since a mark, as far as it was accepted, in order."""
        return [
            f"{request.verb} {request.uri.partition('?')[0]}"
            for request in self.requests(since)
            if is_write(request) and request.code < 300
        ]

    @contextmanager
    def unwritten(self) -> Iterator[None]:
        """Nothing is written in between, whether it would be accepted or not."""
        mark = self.plane.audit.mark()
        yield
        assert [item for item in self.requests(mark) if is_write(item)] == []

    def get(self, body: Body) -> Body:
        """Return the object of a manifest."""
        return self.api.get(path_of(body))

    def has(self, body: Body) -> bool:
        """Return whether the object of a manifest is there."""
        return self.api.exists(path_of(body))


def rollouts_of(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Rollouts:
    """Return rollouts to a cluster that has nothing but a namespace."""
    reset(plane)
    plane.api.post("/api/v1/namespaces", namespace(HOME))
    return Rollouts(site_of(plane, capsys, monkeypatch), tmp_path)


def finalize(rollouts: Rollouts, home: Body) -> None:
    """Do what the controller of namespaces does with an empty one that is being deleted."""
    found = rollouts.get(home)
    assert "deletionTimestamp" in found["metadata"]
    rollouts.api.put(f"{path_of(home)}/finalize", {**found, "spec": {"finalizers": []}})


def ids(outcome: Outcome, key: str) -> list[str]:
    """Return resources of a result in short: their kinds and names."""
    return [f"{item['kind']} {item['name']}" for item in outcome[key]]


def severities(outcome: Outcome, *, ignored: str = "info") -> list[str]:
    """Return how bad the problems are, but for those that need no action."""
    return [item["severity"] for item in outcome["problems"] if item["severity"] != ignored]


_GROUPS = (
    *("", "apps", "batch", "apiextensions.k8s.io", "config.openshift.io", "rbac.authorization.k8s.io", "test.io"),
    *("admissionregistration.k8s.io", "apiregistration.k8s.io", "coordination.k8s.io"),
)
_OTHERS = {
    "": ["configmaps", "namespaces", "services", "serviceaccounts", "secrets"],
    "config.openshift.io": [
        *("clusterversions", "clusterversions/status", "clusteroperators"),
        *("featuregates", "infrastructures", "proxies"),
    ],
}


def everything_but(group: str, resource: str) -> list[Rule]:
    """Return rules that allow everything that a rollout does, but not one kind."""
    others = [item for item in _OTHERS.get(group, ()) if item.partition("/")[0] != resource]
    groups = [item for item in _GROUPS if item != group]
    rules: list[Rule] = [{"nonResourceURLs": ["*"], "verbs": ["*"]}]
    if others:
        rules.append({"apiGroups": [group], "resources": others, "verbs": ["*"]})
    return [*rules, {"apiGroups": groups, "resources": ["*"], "verbs": ["*"]}]


@contextmanager
def later(seconds: float, act: Callable[[], object]) -> Iterator[None]:
    """Have another client do something in a moment, and see that it went well."""
    failed: list[Exception] = []

    def run() -> None:
        time.sleep(seconds)
        try:
            act()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    assert not failed, failed


def versions_of(api: Api) -> dict[str, str]:
    """Return the resourceVersion of all objects that rollouts of tests make."""
    paths = ["/api/v1/configmaps", "/api/v1/namespaces", "/apis/apps/v1/deployments", "/api/v1/services"]
    crds = api.list("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    found = {item["metadata"]["uid"]: item["metadata"]["resourceVersion"] for item in crds}
    for path in (*paths, *map(collection_path, crds)):
        found.update({item["metadata"]["uid"]: item["metadata"]["resourceVersion"] for item in _items(api, path)})
    return found


def _items(api: Api, path: str) -> list[Body]:
    """Return what is at a path, which is nothing if no definition of its kind is served."""
    try:
        return api.list(path)
    except ApiError as error:
        if error.status != 404:
            raise
        return []


def _predictable(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a check must predict, without times, and without what depends on the uid of a new ClusterVersion."""
    text = json.dumps({"diff": [], **{key: result[key] for key in PREDICTED if key in result}})
    found: dict[str, Any] = json.loads(_OF_ONE_RUN.sub("", text))
    for item in found.get("leftovers", ()):
        if item["kind"] in ("Namespace", "CustomResourceDefinition"):
            # Nothing predicts how long the deletion of their content takes.
            item["pruned"], item["finalizers"] = item["pruned"] or bool(item["finalizers"]), []
    return found


def _is_discovery(uri: str) -> bool:
    path = uri.partition("?")[0].rstrip("/")
    return path in ("/api", "/apis", "/version", "/api/v1") or (path.startswith("/apis/") and path.count("/") <= 3)
