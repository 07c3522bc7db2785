# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Add-ons on an API server that has exactly the definitions and Namespaces of a selection: what does it reject?

It reads the release, the selection and the files without the product. What neither the release nor the add-on has is
made beforehand, as if another operator had brought it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import define
from ansible_collections.capability.openshift.tests.control_plane.reset import reset
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

Body = dict[str, Any]

PROFILE = "include.release.openshift.io/self-managed-high-availability"
OPERATORS = "operators-of-tests"
"""The Namespace in which OLM installs bundles."""

WITHOUT_DEFINITION = {
    ("build.openshift.io", "BuildConfig"): "Build",
    ("apps.openshift.io", "DeploymentConfig"): "DeploymentConfig",
    ("snapshot.storage.k8s.io", "VolumeSnapshotClass"): "CSISnapshot",
}
"""Kinds that other API servers and operators of a capability serve."""

_ORDER_OF_HELM = ("Namespace", "ServiceAccount", "Secret", "ConfigMap", "CustomResourceDefinition", "ClusterRole")


class Item(NamedTuple):
    """An object of an add-on, and its file. ``chart_file`` is where Helm has it from."""

    path: str
    body: Body
    chart_file: str = ""

    @property
    def kind(self) -> tuple[str, str]:
        """Group and kind."""
        return self.body["apiVersion"].rpartition("/")[0], self.body["kind"]

    @property
    def namespace(self) -> str:
        """Its Namespace, empty if it names none."""
        return _rendered(self.body["metadata"].get("namespace") or "")

    @property
    def key(self) -> tuple[str, str]:
        """Its file and its name, as the product shows it."""
        group, kind = self.kind
        metadata = self.body["metadata"]
        namespace = f"{metadata['namespace']}/" if metadata.get("namespace") and kind not in _CLUSTER_SCOPED else ""
        return self.path, f"{kind}{f'.{group}' if group else ''} {namespace}{metadata['name']}"


_READ_BY_TOOLS = ("AgentConfig", "Kustomization")
_CLUSTER_SCOPED = ("Namespace", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "PersistentVolume")


def read_items(folder: Path) -> list[Item]:
    """Return the objects below a folder, in the order of its files. What is no object is left out.

    The references that kube-compare compares clusters with are left out as well: nothing applies them.
    """
    items = []
    references = {path.parent for path in folder.rglob("metadata.yaml") if "parts:" in path.read_text("utf-8")}
    for path in sorted(folder.rglob("*.yaml")):
        if references.intersection(path.parents):
            continue
        for text in re.split(r"^---(?=\s)", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            try:
                value = yaml.load(text, Loader=_Loader)  # noqa: S506
            except yaml.YAMLError:
                continue
            if isinstance(value, dict) and value.get("kind") and value.get("apiVersion"):
                name = (value.get("metadata") or {}).get("name")
                if isinstance(name, str) and value["kind"] not in _READ_BY_TOOLS:
                    items.append(Item(str(path.relative_to(folder)), value))
    return items


class _Loader(yaml.CSafeLoader):
    """Reads dates as strings, as Kubernetes does."""

    yaml_implicit_resolvers = {
        key: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for key, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def is_included(body: Body, enabled: Iterable[str]) -> bool:
    """Whether a self-managed cluster with the default feature set gets a manifest."""
    annotations = body["metadata"].get("annotations") or {}
    sets = annotations.get("release.openshift.io/feature-set", "Default").split(",")
    needed = set(filter(None, annotations.get("capability.openshift.io/name", "").split("+")))
    is_loaded = annotations.get(PROFILE) == "true" and "Default" in sets
    return is_loaded and "release.openshift.io/delete" not in annotations and needed <= set(enabled)


class TrimmedCluster:
    """A cluster with what a selection leaves of a release."""

    def __init__(self, plane: ControlPlane, manifests: Sequence[Body], enabled: Iterable[str]) -> None:
        self.api: Api = plane.api
        self.enabled = frozenset(enabled)
        everything = frozenset(
            name
            for body in manifests
            for name in (body["metadata"].get("annotations") or {}).get("capability.openshift.io/name", "").split("+")
        )
        loaded = [body for body in manifests if is_included(body, everything)]
        self._kinds = {_kind_of(body) for body in loaded if body["kind"] == "CustomResourceDefinition"}
        self._namespaces = {body["metadata"]["name"] for body in loaded if body["kind"] == "Namespace"}
        reset(plane)
        included = [body for body in loaded if is_included(body, self.enabled)]
        self._define([body for body in included if body["kind"] == "CustomResourceDefinition"])
        self._make_namespaces(body["metadata"]["name"] for body in included if body["kind"] == "Namespace")
        self._made = {OPERATORS}
        self._make_namespaces([OPERATORS])

    def rejected(self, items: Sequence[Item], installer: str) -> list[tuple[str, str]]:
        """Install an add-on as an installer does, and return the keys of the objects that the API server rejects."""
        self._bring_the_rest(items)
        if installer != "gitops":
            return [item.key for item in _ordered(items, installer) if not self._apply(item, installer)]
        left = list(items)
        while True:  # Argo CD and ACM try again
            again = [item for item in left if not self._apply(item, installer)]
            if len(again) == len(left):
                return [item.key for item in again]
            left = again

    def _bring_the_rest(self, items: Iterable[Item]) -> None:
        """Make the kinds and Namespaces that neither the release nor the add-on has."""
        own_kinds = {_kind_of(item.body) for item in items if item.body["kind"] == "CustomResourceDefinition"}
        own_namespaces = {item.body["metadata"]["name"] for item in items if item.body["kind"] == "Namespace"}
        missing: dict[tuple[str, str], set[str]] = {}
        for item in items:
            needed = WITHOUT_DEFINITION.get(item.kind, "")
            is_elsewhere = item.kind not in own_kinds | self._kinds and needed in (*self.enabled, "")
            if is_elsewhere and self._resource(item) is None:
                missing.setdefault(item.kind, set()).add(item.body["apiVersion"].rpartition("/")[2])
        self._define([_stub(*kind, sorted(versions)) for kind, versions in sorted(missing.items())])
        wanted = {item.namespace for item in items} - {"", "default"}
        elsewhere = wanted - own_namespaces - self._namespaces - self._made
        self._made |= elsewhere
        self._make_namespaces(elsewhere)

    def _apply(self, item: Item, installer: str) -> bool:
        """Apply an object, and return whether the API server has its kind and its Namespace."""
        found = self._resource(item)
        if found is None:
            return False
        plural, namespaced = found
        version = item.body["apiVersion"]
        namespace = OPERATORS if installer == "olm" else item.namespace or "default"
        name = _rendered(item.body["metadata"]["name"])
        prefix = f"/apis/{version}" if "/" in version else f"/api/{version}"
        path = f"{prefix}/namespaces/{namespace}/{plural}" if namespaced else f"{prefix}/{plural}"
        metadata = {key: value for key, value in item.body["metadata"].items() if key != "namespace"}
        metadata |= {"name": name, **({"namespace": namespace} if namespaced else {})}
        body = {**item.body, "metadata": metadata}
        if item.body["kind"] == "CustomResourceDefinition":
            self._define([body])
            return True
        try:
            self.api.apply(f"{path}/{name}", body)
        except ApiError as error:
            if error.status not in (400, 404, 422, 500):
                raise
            # Placeholders of templates are invalid. Whether there is the Namespace is looked at without them.
            return error.status != 404 and (not namespaced or self.api.exists(f"/api/v1/namespaces/{namespace}"))
        return True

    def _resource(self, item: Item) -> tuple[str, bool] | None:
        """Ask the API server for the plural of a kind, and whether it is in a Namespace."""
        version = item.body["apiVersion"]
        try:
            resources = self.api.get(f"/apis/{version}" if "/" in version else f"/api/{version}")["resources"]
        except ApiError as error:
            if error.status != 404:
                raise
            return None
        named = (found for found in resources if found["kind"] == item.body["kind"] and "/" not in found["name"])
        return next(((found["name"], found["namespaced"]) for found in named), None)

    def _define(self, bodies: Sequence[Body]) -> None:
        """Make CustomResourceDefinitions, and wait until they are served."""
        names = {body["metadata"]["name"] for body in bodies}
        if not names:
            return
        # No server answers conversions here.
        bodies = [
            {**body, "spec": {key: val for key, val in body["spec"].items() if key != "conversion"}} for body in bodies
        ]
        define(self.api, bodies)
        served = [Item("", {"apiVersion": _version_of(body), "kind": body["spec"]["names"]["kind"]}) for body in bodies]
        wait_for(lambda: all(self._resource(item) for item in served), "discovery")

    def _make_namespaces(self, names: Iterable[str]) -> None:
        for name in names:
            self.api.apply(f"/api/v1/namespaces/{name}", _namespace(name))


def _ordered(items: Sequence[Item], installer: str) -> list[Item]:
    if installer == "olm":
        return sorted(items, key=lambda item: item.body["kind"] != "CustomResourceDefinition")
    if installer == "helm":
        before = len(_ORDER_OF_HELM)
        places = {kind: at for at, kind in enumerate(_ORDER_OF_HELM)}
        return sorted(
            items, key=lambda item: -1 if "/crds/" in item.chart_file else places.get(item.body["kind"], before)
        )
    return list(items)


def _rendered(name: str) -> str:
    """Return the name of an object with something in the place of variables, such as ``$namespace``."""
    return name.replace("$", "of-")


def _kind_of(definition: Body) -> tuple[str, str]:
    return definition["spec"]["group"], definition["spec"]["names"]["kind"]


def _version_of(definition: Body) -> str:
    (stored,) = [item["name"] for item in definition["spec"]["versions"] if item["storage"]]
    return f"{definition['spec']['group']}/{stored}"


def _namespace(name: str) -> Body:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _stub(group: str, kind: str, versions: Sequence[str]) -> Body:
    """Return a definition that accepts everything. Whether its objects are in a Namespace does not matter to it."""
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    served = [{"name": name, "served": True, "storage": not at, "schema": schema} for at, name in enumerate(versions)]
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    metadata = {"name": f"{plural}.{group}"}
    if group.endswith(".k8s.io"):
        metadata["annotations"] = {"api-approved.kubernetes.io": "unapproved, for tests"}  # type: ignore[assignment]
    spec = {"group": group, "names": names, "scope": "Namespaced", "versions": served}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }


def errors_of(result: Mapping[str, Any], rules: Sequence[str]) -> list[tuple[str, str]]:
    """Return file and resource of the findings of some rules, each once."""
    found = {(item["path"], item["resource"]) for item in result["findings"] if item["rule"] in rules}
    return sorted(found)


def release_manifests(release: Release) -> list[Body]:
    """Return the definitions and Namespaces of a release."""
    wanted = ("CustomResourceDefinition", "Namespace")
    return [release.read_body(item) for item in release.manifests if item.resource_id.kind in wanted]
