# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What each manifest of a release adds to the exposure of a cluster. Reads each body at most once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._data.platforms import PLATFORM_DATA
from .._data.workloads import POD_SPECS
from .._problems import Location
from .._release.credentials_requests import credentials_request
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ResourceId
from .._unstructured import mappings_in, nested
from .access import (
    Account,
    Capabilities,
    ClusterRole,
    ClusterRoleBinding,
    cluster_role,
    joined,
    service_account,
    subjects,
)

RESOURCES = (
    "namespaces",
    "crds",
    "services",
    "webhooks",
    "host_network_workloads",
    "privileged_workloads",
    "credentials_requests",
    "cloud_permissions",
)
"""What is counted besides accounts."""

_RBAC = "rbac.authorization.k8s.io"
_NAMED = {
    ("", "Namespace"): "namespaces",
    ("", "Service"): "services",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "crds",
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): "webhooks",
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): "webhooks",
}


class Part(NamedTuple):
    """What a manifest that needs ``capabilities`` adds. ``names``: those of each of ``RESOURCES``.

    ``accounts``: those that it names.
    """

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

        Those that the release no longer has stay on the cluster, unless it deletes them. Of two manifests with the same
        resource id, the later one counts. Raises ``ReleaseError``.
        """
        parts = dict(before)
        for manifest in included:
            read = self._reader(manifest.resource_id)
            if manifest.deletes:
                parts.pop(manifest.resource_id, None)
            elif read is not None:
                parts[manifest.resource_id] = self._part(manifest, read)
        return parts

    def _part(self, manifest: Manifest, read: Callable[[Manifest, Part], Part]) -> Part:
        where = manifest.location
        if where not in self._read:
            self._read[where] = read(manifest, Part(joined(manifest.capabilities)))
        return self._read[where]

    def _reader(self, resource: ResourceId) -> Callable[[Manifest, Part], Part] | None:
        match resource.group_kind:
            case (group, "ClusterRole") if group == _RBAC:
                return self._role
            case (group, "ClusterRoleBinding" | "RoleBinding") if group == _RBAC:
                return self._binding
            case ("", "ServiceAccount"):
                return _service_account
            case ("cloudcredential.openshift.io", "CredentialsRequest"):
                return self._credentials
        if resource.kind in POD_SPECS:
            return self._workload
        return _named if resource.group_kind in _NAMED else None

    def _role(self, manifest: Manifest, part: Part) -> Part:
        return part._replace(role=cluster_role(self._release.read_body(manifest), part.capabilities))

    def _binding(self, manifest: Manifest, part: Part) -> Part:
        body, resource = self._release.read_body(manifest), manifest.resource_id
        accounts = subjects(body, resource.namespace)
        if resource.kind == "RoleBinding":
            return part._replace(accounts=accounts)
        return part._replace(
            binding=ClusterRoleBinding(part.capabilities, str(nested(body, "roleRef", "name")), accounts)
        )

    def _credentials(self, manifest: Manifest, part: Part) -> Part:
        request = credentials_request(manifest, self._release.read_body(manifest))
        if self._platform is not None and PLATFORM_DATA[self._platform].credentials != request.provider:
            return part
        permissions = (("cloud_permissions", f"{request.provider}: {text}") for text in sorted(request.permissions))
        return part._replace(names=(("credentials_requests", _name(manifest.resource_id)), *permissions))

    def _workload(self, manifest: Manifest, part: Part) -> Part:
        resource = manifest.resource_id
        pods = nested(self._release.read_body(manifest), *POD_SPECS[resource.kind])
        name = f"{resource.kind} {_name(resource)}"
        return part._replace(names=tuple((kind, name) for kind in _workload_kinds(pods)))


def _service_account(manifest: Manifest, part: Part) -> Part:
    return part._replace(accounts=(service_account(manifest.resource_id.namespace, manifest.resource_id.name),))


def _named(manifest: Manifest, part: Part) -> Part:
    return part._replace(names=((_NAMED[manifest.resource_id.group_kind], _name(manifest.resource_id)),))


def _workload_kinds(pods: Any) -> Iterator[str]:
    if nested(pods, "hostNetwork") is True:
        yield "host_network_workloads"
    containers = [
        container for field in ("initContainers", "containers") for container in mappings_in(nested(pods, field))
    ]
    if any(nested(container, "securityContext", "privileged") is True for container in containers):
        yield "privileged_workloads"


def _name(resource: ResourceId) -> str:
    return f"{resource.namespace}/{resource.name}" if resource.namespace else resource.name
