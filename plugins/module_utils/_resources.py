# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects of the Kubernetes API: kinds as served, identities, targets of requests, and fields without a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ApiResource(NamedTuple):
    """A kind in one version of its group. ``plural`` is its name in paths and RBAC rules."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = False

    @property
    def group_kind(self) -> tuple[str, str]:
        """The ``ResourceId.group_kind`` of its objects."""
        return self.group, self.kind

    @property
    def api_version(self) -> str:
        """The ``apiVersion`` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """Plural and group, such as ``deployments.apps``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, name: str = "", namespace: str = "", subresource: str = "") -> str:
        """The unquoted path of one object, or of all objects, in ``namespace`` if it is given."""
        prefix = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        parts = ["namespaces", namespace] if self.namespaced and namespace else []
        parts += [self.plural, *(part for part in (name, subresource) if part)]
        return "/".join([prefix, *parts])

    def shown(self, name: str = "", namespace: str = "", subresource: str = "") -> str:
        """The name of an object for messages, such as ``deployments.apps console/console-operator``."""
        kind = f"{self.resource}/{subresource}" if subresource else self.resource
        key = f"{namespace}/{name}" if namespace and name else namespace or name
        return f"{kind} {key}" if key else kind


CLUSTER_VERSIONS = ApiResource("config.openshift.io", "v1", "clusterversions", "ClusterVersion")
CLUSTER_OPERATORS = ApiResource("config.openshift.io", "v1", "clusteroperators", "ClusterOperator")
CUSTOM_RESOURCE_DEFINITIONS = ApiResource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition"
)
DEPLOYMENTS = ApiResource("apps", "v1", "deployments", "Deployment", namespaced=True)
ADMISSION_POLICIES = ApiResource(
    "admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy"
)
ADMISSION_BINDINGS = ApiResource(
    "admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"
)
CONFIG_MAPS = ApiResource("", "v1", "configmaps", "ConfigMap", namespaced=True)
NAMESPACES = ApiResource("", "v1", "namespaces", "Namespace")
FEATURE_GATES = ApiResource("config.openshift.io", "v1", "featuregates", "FeatureGate")
API_SERVERS = ApiResource("config.openshift.io", "v1", "apiservers", "APIServer")
LEASES = ApiResource("coordination.k8s.io", "v1", "leases", "Lease", namespaced=True)
INFRASTRUCTURES = ApiResource("config.openshift.io", "v1", "infrastructures", "Infrastructure")
PROXIES = ApiResource("config.openshift.io", "v1", "proxies", "Proxy")


class Target(NamedTuple):
    """The target of a request: all objects of a kind, one object, or a subresource of it.

    ``labels`` is a label selector for lists and watches.
    """

    kind: ApiResource
    name: str = ""
    namespace: str = ""
    subresource: str = ""
    labels: str = ""

    def __str__(self) -> str:
        return self.kind.shown(self.name, self.namespace, self.subresource)

    @property
    def path(self) -> str:
        """Its path on the API server."""
        return self.kind.path(self.name, self.namespace, self.subresource)

    @property
    def key(self) -> str:
        """The key of the object, as in ``object_key``."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def target_for(kind: ApiResource, resource: ResourceId) -> Target:
    """The target of ``resource``, which is of ``kind``."""
    return Target(kind, resource.name, resource.namespace if kind.namespaced else "")


class ResourceId(NamedTuple):
    """Identity of a resource, without its API version.

    Source: openshift/library-go:pkg/manifest/manifest.go resourceId.
    """

    group: str
    kind: str
    namespace: str
    name: str

    @property
    def group_kind(self) -> tuple[str, str]:
        """Group and kind."""
        return self.group, self.kind

    def as_object(self, *, cluster_scoped: bool) -> ResourceId:
        """The identity of its object on a cluster: the API ignores the namespace of a cluster-scoped kind.

        Manifests of real releases contain such namespaces, and gain and lose them between releases.
        """
        return self._replace(namespace="") if cluster_scoped and self.namespace else self

    def __str__(self) -> str:
        kind = f"{self.kind}.{self.group}" if self.group else self.kind
        return f"{kind} {self.namespace}/{self.name}" if self.namespace else f"{kind} {self.name}"


CLUSTER_VERSION_CRD = ResourceId(*CUSTOM_RESOURCE_DEFINITIONS.group_kind, "", "clusterversions.config.openshift.io")
"""The definition of the ClusterVersion, which each whole release has."""


CVO = "openshift-cluster-version", "cluster-version-operator"
"""Namespace and name of the CVO's Deployment. The name is also its field manager."""

Object = Mapping[str, Any]


def nested(value: Any, *path: str) -> Any:
    """The field of ``value`` at ``path``; ``None`` if it does not exist."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def as_list(value: object) -> list[Any]:
    """``value`` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """``value`` if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def mappings_in(value: object) -> list[Mapping[str, Any]]:
    """The maps in ``value`` if it is a list, else an empty list."""
    return [item for item in as_list(value) if isinstance(item, Mapping)]


def conditions_of(value: object) -> dict[str, Mapping[str, Any]]:
    """The conditions in the status of an object, by type."""
    return {as_text(item.get("type")): item for item in mappings_in(nested(value, "status", "conditions"))}


def finalizers_of(obj: object) -> tuple[str, ...]:
    """The finalizers that prevent the deletion of an object. A Namespace has some also in its spec."""
    spec = nested(obj, "spec", "finalizers") if nested(obj, "kind") == "Namespace" else None
    lists = (nested(obj, "metadata", "finalizers"), spec)
    return tuple(str(item) for items in lists if isinstance(items, list) for item in items)


def applied_fields(metadata: object, manager: str) -> Mapping[str, Any]:
    """The fields (``fieldsV1``) that a field manager owns by server-side apply, empty if it owns none."""
    for entry in mappings_in(nested(metadata, "managedFields")):
        if (entry.get("manager"), entry.get("operation"), entry.get("subresource")) == (manager, "Apply", None):
            return entry.get("fieldsV1") or {}
    return {}
