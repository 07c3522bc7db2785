# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""CredentialsRequests: what an operator may do in a cloud, and where its secret is.

Sources: openshift/cloud-credential-operator:pkg/apis/cloudcredential/v1/types_credentialsrequest.go, types_aws.go,
types_azure.go, types_gcp.go, types_ibmcloud.go, types_vsphere.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._data.platforms import PLATFORM_DATA
from .._resources import as_list, as_text, mappings_in, nested
from .manifest import Manifest
from .release import Release

PLATFORMS: tuple[str, ...] = tuple(name for name, platform in PLATFORM_DATA.items() if platform.credentials)
"""The platforms that need CredentialsRequests, sorted."""

_PLATFORM_OF: Mapping[str, str] = {str(PLATFORM_DATA[name].credentials): name for name in reversed(PLATFORMS)}

_RESOURCE = ("cloudcredential.openshift.io", "CredentialsRequest")


class RequestedCredentials(NamedTuple):
    """A CredentialsRequest.

    ``platform``: the one that needs it, or the kind of its ``providerSpec`` if that is not known. ``permissions`` are
    texts that name one permission each. An object with unknown fields in its ``providerSpec`` has the text of each as a
    permission.
    """

    manifest: Manifest
    platform: str
    secret_namespace: str
    secret_name: str
    service_accounts: tuple[str, ...]
    permissions: frozenset[str]


def is_credentials_request(manifest: Manifest) -> bool:
    """Whether ``manifest`` is a CredentialsRequest."""
    return manifest.resource_id.group_kind == _RESOURCE


def is_for_platform(body: Any, platform: str) -> bool:
    """Whether a CredentialsRequest with ``body`` is for ``platform``, which can need none."""
    return as_text(nested(body, "spec", "providerSpec", "kind")) == PLATFORM_DATA[platform].credentials


def credentials_requests(release: Release, manifests: Iterable[Manifest], platform: str | None) -> Iterator[Manifest]:
    """Yield the CredentialsRequests among ``manifests`` of ``release`` that are applied, and are for ``platform``.

    All of them if ``platform`` is ``None``; then their bodies are not read. Raises ``ReleaseError``.
    """
    needs_none = platform is not None and platform not in PLATFORMS
    for manifest in manifests:
        if needs_none or not is_credentials_request(manifest) or manifest.deletes:
            continue
        if platform is None or is_for_platform(release.read_body(manifest), platform):
            yield manifest


def credentials_request(manifest: Manifest, body: Any) -> RequestedCredentials:
    """The CredentialsRequest in ``body``, the body of ``manifest``. Fields that are missing are empty."""
    provider_spec = nested(body, "spec", "providerSpec")
    accounts = nested(body, "spec", "serviceAccountNames")
    provider = as_text(nested(provider_spec, "kind"))
    return RequestedCredentials(
        manifest,
        _PLATFORM_OF.get(provider, provider),
        as_text(nested(body, "spec", "secretRef", "namespace")),
        as_text(nested(body, "spec", "secretRef", "name")),
        tuple(str(account) for account in as_list(accounts)),
        frozenset(_permissions(provider_spec if isinstance(provider_spec, Mapping) else {})),
    )


def _permissions(provider_spec: Mapping[str, Any]) -> Iterator[str]:
    for field, value in provider_spec.items():
        if field in ("apiVersion", "kind"):
            continue
        if field == "statementEntries":
            yield from (text for entry in mappings_in(value) for text in _statement_permissions(entry))
        elif field in ("predefinedRoles", "roleBindings"):
            yield from (f"role {_role(item)}" for item in as_list(value))
        elif field == "policies":
            yield from (text for policy in mappings_in(value) for text in _policy_permissions(policy))
        elif field in ("permissions", "dataPermissions"):
            yield from _named_permissions(value, "data permission" if field == "dataPermissions" else "permission")
        else:
            yield f"{field}={_json(value)}"


def _statement_permissions(entry: Mapping[str, Any]) -> Iterator[str]:
    """The permissions of AWS: one for each action."""
    condition = f" if {_json(entry['policyCondition'])}" if entry.get("policyCondition") else ""
    for action in as_list(entry.get("action")):
        yield f"{entry.get('effect')} {action} on {entry.get('resource')}{condition}"


def _policy_permissions(policy: Mapping[str, Any]) -> Iterator[str]:
    """The permissions of IBM Cloud: one for each role."""
    attributes = (f"{item.get('name')}={item.get('value')}" for item in mappings_in(policy.get("attributes")))
    where = ",".join(sorted(attributes))
    yield from (f"role {role} on {where}" for role in as_list(policy.get("roles")))


def _named_permissions(value: Any, word: str) -> Iterator[str]:
    """The permissions of Azure and Google Cloud, which are names, and of vSphere, which are lists of privileges."""
    for item in as_list(value):
        if isinstance(item, Mapping):
            yield from (f"privilege {privilege}" for privilege in as_list(item.get("privileges")))
        else:
            yield f"{word} {item}"


def _role(item: Any) -> Any:
    return item.get("role") if isinstance(item, Mapping) else item


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
