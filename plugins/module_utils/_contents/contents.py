# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What manifests bring to a cluster: resources, images, accounts with far-reaching permissions, requests of Pods.

It follows from manifests alone. What operators create at run time, and what people add, is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._data.cluster_access import BUILT_IN_ROLES
from .._data.kinds import POD_SPECS
from .._problems import Location, Problems
from .._release.credentials_requests import credentials_request, is_credentials_request
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, ResourceId, mappings_in, nested
from .access import RBAC_KINDS, Capabilities, RbacInputs, joined, least, rbac_inputs, who_can
from .images import has_images, images_of
from .workloads import Requests, is_workload, workload_requests

_KINDS: Mapping[tuple[str, str], str] = {
    CUSTOM_RESOURCE_DEFINITIONS.group_kind: "crds",
    ("", "Namespace"): "namespaces",
    ("config.openshift.io", "ClusterOperator"): "cluster_operators",
    ("apps", "Deployment"): "deployments",
    ("apps", "DaemonSet"): "daemonsets",
    ("apps", "StatefulSet"): "statefulsets",
    ("batch", "Job"): "jobs",
    ("batch", "CronJob"): "cronjobs",
    ("", "Service"): "services",
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): "webhooks",
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): "webhooks",
}
RESOURCES = (
    *dict.fromkeys(_KINDS.values()),
    "host_network_workloads",
    "privileged_workloads",
    "images",
    "credentials_requests",
    "cloud_permissions",
)
"""What is counted by name, besides accounts."""

Needed = Mapping[str, Capabilities]
"""Names, with the capabilities that each needs. A name that several manifests bring needs as few as one of them."""


class ManifestContents(NamedTuple):
    """What a manifest brings, and the capabilities that it needs. ``names``: a key of ``RESOURCES`` and a name each."""

    capabilities: Capabilities
    names: tuple[tuple[str, str], ...] = ()
    requests: Requests = Requests()
    rbac: RbacInputs = RbacInputs()


class Contents(NamedTuple):
    """What the applied manifests of a cluster bring.

    ``resources`` has names for each of ``RESOURCES``, and ``accounts`` for each of ``PERMISSIONS``. ``requests`` is the
    sum of all workloads. ``unknown_roles``: bound ClusterRoles that neither a manifest nor Kubernetes creates.
    """

    resources: Mapping[str, Needed]
    accounts: Mapping[str, Needed]
    requests: Requests
    unknown_roles: frozenset[str]


class ContentsReader:
    """Reads the manifests of ``release``, each body at most once. ``problems`` gets the problems of workloads."""

    def __init__(self, release: Release, problems: Problems) -> None:
        self._release, self._problems = release, problems
        self._image_names = {pull_spec: name for name, pull_spec in sorted(release.images.items(), reverse=True)}
        self._read: dict[Location, ManifestContents] = {}

    def read(self, applied: Mapping[ResourceId, Manifest]) -> dict[ResourceId, ManifestContents]:
        """Return what each of the ``applied`` manifests brings. Raises ``ReleaseError``."""
        return {resource: self._contents(manifest) for resource, manifest in applied.items()}

    def _contents(self, manifest: Manifest) -> ManifestContents:
        if manifest.location not in self._read:
            self._read[manifest.location] = self._read_contents(manifest)
        return self._read[manifest.location]

    def _read_contents(self, manifest: Manifest) -> ManifestContents:
        resource, needed = manifest.object_id, joined(manifest.capabilities)
        name, kind = f"{resource.namespace}/{resource.name}".removeprefix("/"), _KINDS.get(resource.group_kind)
        names = [(kind, name)] if kind else []
        requests, rbac = Requests(), RbacInputs()
        is_rbac, is_request = resource.group_kind in RBAC_KINDS, is_credentials_request(manifest)
        if is_rbac or is_request or has_images(manifest):
            body = self._release.read_body(manifest)
            if is_rbac:
                rbac = rbac_inputs(resource, body, needed)
            if is_request:
                names += _cloud_names(manifest, body, name)
            if has_images(manifest):
                found = images_of(manifest, body, self._image_names.keys())
                names += (("images", self._image_names.get(image, image)) for image in found)
            if is_workload(manifest):
                requests = workload_requests(manifest, body, self._problems)
                pods = nested(body, *POD_SPECS[resource.kind])
                names += ((workload, f"{resource.kind} {name}") for workload in _workload_kinds(pods))
        return ManifestContents(needed, tuple(names), requests, rbac)


def contents_of(parts: Mapping[ResourceId, ManifestContents]) -> Contents:
    """Return what the manifests of a cluster bring together, if each brings one of ``parts``."""
    roles = {resource.name: part.rbac.role for resource, part in parts.items() if part.rbac.role is not None}
    bindings = [part.rbac.binding for part in parts.values() if part.rbac.binding is not None]
    named = (account for part in parts.values() for account in part.rbac.accounts)
    accounts = {
        permission: {account.shown: needed for account, needed in holders.items()}
        for permission, holders in who_can(roles, bindings, named).items()
    }
    resources: dict[str, dict[str, Capabilities]] = {kind: {} for kind in RESOURCES}
    for part in parts.values():
        for kind, name in part.names:
            resources[kind][name] = least(resources[kind].get(name), part.capabilities)
    requests = Requests(*map(sum, zip(Requests(), *(part.requests for part in parts.values()), strict=True)))
    unknown = {binding.role for binding in bindings} - roles.keys() - BUILT_IN_ROLES.keys()
    return Contents(resources, accounts, requests, frozenset(unknown))


def _cloud_names(manifest: Manifest, body: Any, name: str) -> Iterator[tuple[str, str]]:
    request = credentials_request(manifest, body)
    yield "credentials_requests", name
    yield from (("cloud_permissions", f"{request.platform}: {text}") for text in sorted(request.permissions))


def _workload_kinds(pods: Any) -> Iterator[str]:
    if nested(pods, "hostNetwork") is True:
        yield "host_network_workloads"
    containers = (item for field in ("initContainers", "containers") for item in mappings_in(nested(pods, field)))
    if any(nested(container, "securityContext", "privileged") is True for container in containers):
        yield "privileged_workloads"
