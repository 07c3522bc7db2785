# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What each manifest of a release adds to the exposure of a cluster. Reads each body at most once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._data.cluster_access import ClusterRole
from .._data.platforms import PLATFORM_DATA
from .._data.workloads import POD_SPECS
from .._problems import Location
from .._release.credentials_requests import RequestedCredentials, credentials_request
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ResourceId
from .._unstructured import mappings_in, nested
from .access import Account, Capabilities, ClusterRoleBinding, cluster_role, joined, service_account, subjects

_NAMED = {
    ("", "Namespace"): "namespaces",
    ("", "Service"): "services",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "crds",
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): "webhooks",
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): "webhooks",
}
_KINDS = {
    *_NAMED,
    ("", "ServiceAccount"),
    ("cloudcredential.openshift.io", "CredentialsRequest"),
    *(("rbac.authorization.k8s.io", kind) for kind in ("ClusterRole", "ClusterRoleBinding", "RoleBinding")),
}


class Part(NamedTuple):
    """What a manifest adds that needs ``capabilities``. ``names``: each with the one of ``RESOURCES`` that it is."""

    capabilities: Capabilities
    names: tuple[tuple[str, str], ...] = ()
    accounts: tuple[Account, ...] = ()
    role: ClusterRole | None = None
    binding: ClusterRoleBinding | None = None


Parts = Mapping[ResourceId, Part]
_NOTHING: Parts = {}


class PartReader:
    """Reads the manifests of ``release``. Of the CredentialsRequests only those for ``platform``, if it is given."""

    def __init__(self, release: Release, platform: str | None = None) -> None:
        self._release = release
        self._platform = platform
        self._read: dict[Location, Part] = {}

    def parts(self, included: Iterable[Manifest], before: Parts = _NOTHING) -> Parts:
        """Return what the ``included`` manifests add to ``before``, the parts of a cluster that the release updates.

        Those that the release no longer has stay on the cluster, unless it deletes them. Of two manifests for the same
        object, the later one counts.
        """
        parts = dict(before)
        for manifest in included:
            resource = manifest.object_id
            if manifest.deletes:
                parts.pop(resource, None)
            elif resource.group_kind in _KINDS or resource.kind in POD_SPECS:
                parts[resource] = self._part(manifest)
        return parts

    def _part(self, manifest: Manifest) -> Part:
        if manifest.location not in self._read:
            self._read[manifest.location] = self._read_part(manifest)
        return self._read[manifest.location]

    def _read_part(self, manifest: Manifest) -> Part:
        resource, needed = manifest.object_id, joined(manifest.capabilities)
        kind, name = resource.kind, f"{resource.namespace}/{resource.name}".removeprefix("/")
        if resource.group_kind in _NAMED:
            return Part(needed, ((_NAMED[resource.group_kind], name),))
        if resource.group_kind == ("", "ServiceAccount"):
            return Part(needed, accounts=(service_account(resource.namespace, resource.name),))
        body = self._release.read_body(manifest)
        if kind == "ClusterRole":
            return Part(needed, role=cluster_role(body, needed))
        if kind == "ClusterRoleBinding":
            role = str(nested(body, "roleRef", "name"))
            return Part(needed, binding=ClusterRoleBinding(needed, role, subjects(body, "")))
        if kind == "RoleBinding":
            return Part(needed, accounts=subjects(body, resource.namespace))
        if kind == "CredentialsRequest":
            return Part(needed, tuple(self._cloud(credentials_request(manifest, body), name)))
        pods = nested(body, *POD_SPECS[kind])
        return Part(needed, tuple((found, f"{kind} {name}") for found in _workload_kinds(pods)))

    def _cloud(self, request: RequestedCredentials, name: str) -> Iterator[tuple[str, str]]:
        platform = PLATFORM_DATA.get(self._platform or "")
        if self._platform is None or (platform is not None and platform.credentials == request.provider):
            yield "credentials_requests", name
            yield from (("cloud_permissions", f"{request.provider}: {text}") for text in sorted(request.permissions))


def _workload_kinds(pods: Any) -> Iterator[str]:
    if nested(pods, "hostNetwork") is True:
        yield "host_network_workloads"
    containers = (item for field in ("initContainers", "containers") for item in mappings_in(nested(pods, field)))
    if any(nested(container, "securityContext", "privileged") is True for container in containers):
        yield "privileged_workloads"
