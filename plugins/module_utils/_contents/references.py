# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""References of a manifest to other resources: what it names, and which kind of reference that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from .._data.kinds import POD_SPECS
from .._release.manifest import Manifest
from .._resources import ResourceId, as_list, mappings_in, nested

ReferenceKind = Literal[
    "dangling-namespace",
    "dangling-definition",
    "dangling-workload",
    "dangling-operator",
    "dangling-role",
    "dangling-rights",
]
"""Kinds of references, by the code of the problem if the target is missing."""

RBAC = "rbac.authorization.k8s.io"
BINDINGS = frozenset({(RBAC, "RoleBinding"), (RBAC, "ClusterRoleBinding")})
CREDENTIALS_REQUEST = ("cloudcredential.openshift.io", "CredentialsRequest")
WORKLOADS = frozenset({(group, kind) for group in ("", "apps", "batch") for kind in POD_SPECS})
REFERRERS = WORKLOADS | BINDINGS | {CREDENTIALS_REQUEST}

_ACCOUNT_OF_USER = "system:serviceaccount:"
_VOLUMES = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"))
_PROJECTED = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "name"))
_VARIABLES = (("configMapKeyRef", "ConfigMap", "name"), ("secretKeyRef", "Secret", "name"))
_ENVIRONMENTS = (("configMapRef", "ConfigMap", "name"), ("secretRef", "Secret", "name"))


class ReferenceTarget(NamedTuple):
    """A resource that a manifest refers to."""

    kind: ReferenceKind
    resource_id: ResourceId


def namespace_of(manifest: Manifest) -> ReferenceTarget | None:
    """The Namespace that contains the resource of ``manifest``; ``None`` if it is cluster-scoped."""
    name = manifest.object_id.namespace
    return ReferenceTarget("dangling-namespace", ResourceId("", "Namespace", "", name)) if name else None


def targets_of(manifest: Manifest, body: Any) -> Iterator[ReferenceTarget]:
    """Yield the resources that the body of a workload, binding or CredentialsRequest refers to, with duplicates.

    Optional references of a workload do not count: its Pods start without them.
    """
    group_kind = manifest.resource_id.group_kind
    if group_kind in WORKLOADS:
        yield from _targets_of_workload(manifest, body)
    elif group_kind in BINDINGS:
        yield from _targets_of_binding(manifest, body)
    elif group_kind == CREDENTIALS_REQUEST:
        yield from _targets_of_credentials(body)


def _targets_of_workload(manifest: Manifest, body: Any) -> Iterator[ReferenceTarget]:
    namespace = manifest.resource_id.namespace
    spec = nested(body, *POD_SPECS[manifest.resource_id.kind])
    account = nested(spec, "serviceAccountName") or nested(spec, "serviceAccount")
    if isinstance(account, str):
        yield ReferenceTarget("dangling-workload", ResourceId("", "ServiceAccount", namespace, account))
    for kind, name in _configuration_of(spec):
        yield ReferenceTarget("dangling-workload", ResourceId("", kind, namespace, name))


def _configuration_of(spec: Any) -> Iterator[tuple[str, str]]:
    """Yield kind and name of the ConfigMaps and Secrets that the Pods of ``spec`` cannot start without."""
    for volume in mappings_in(nested(spec, "volumes")):
        yield from _named(volume, _VOLUMES)
        for source in mappings_in(nested(volume, "projected", "sources")):
            yield from _named(source, _PROJECTED)
    for field in ("initContainers", "containers"):
        for container in mappings_in(nested(spec, field)):
            for variable in mappings_in(container.get("env")):
                yield from _named(variable.get("valueFrom"), _VARIABLES)
            for source in mappings_in(container.get("envFrom")):
                yield from _named(source, _ENVIRONMENTS)


def _named(value: Any, fields: tuple[tuple[str, str, str], ...]) -> Iterator[tuple[str, str]]:
    for field, kind, name_field in fields:
        name = nested(value, field, name_field)
        if isinstance(name, str) and nested(value, field, "optional") is not True:
            yield kind, name


def _targets_of_binding(manifest: Manifest, body: Any) -> Iterator[ReferenceTarget]:
    namespace = manifest.object_id.namespace
    kind, name = nested(body, "roleRef", "kind"), nested(body, "roleRef", "name")
    if isinstance(kind, str) and isinstance(name, str):
        yield ReferenceTarget("dangling-role", ResourceId(RBAC, kind, namespace if kind == "Role" else "", name))
    for subject in mappings_in(nested(body, "subjects")):
        name = subject.get("name")
        if not isinstance(name, str):
            continue
        if subject.get("kind") == "ServiceAccount":
            own = subject.get("namespace")
            account = ResourceId("", "ServiceAccount", own if isinstance(own, str) else namespace, name)
            yield ReferenceTarget("dangling-rights", account)
        elif subject.get("kind") == "User" and name.startswith(_ACCOUNT_OF_USER):
            of, _colon, account_name = name.removeprefix(_ACCOUNT_OF_USER).partition(":")
            yield ReferenceTarget("dangling-rights", ResourceId("", "ServiceAccount", of, account_name))


def _targets_of_credentials(body: Any) -> Iterator[ReferenceTarget]:
    """The accounts that get rights in a cloud, and their Namespace, because operators create some of the accounts.

    Source: openshift/cloud-credential-operator:pkg/apis/cloudcredential/v1/types_credentialsrequest.go.
    """
    namespace, names = nested(body, "spec", "secretRef", "namespace"), nested(body, "spec", "serviceAccountNames")
    if not isinstance(namespace, str):
        return
    yield ReferenceTarget("dangling-rights", ResourceId("", "Namespace", "", namespace))
    for name in as_list(names):
        if isinstance(name, str):
            yield ReferenceTarget("dangling-rights", ResourceId("", "ServiceAccount", namespace, name))
