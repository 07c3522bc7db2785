# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a rollout sends of a manifest: without what is not ours to say, and with the marks by which it finds its own.

Source, where nothing else is said: openshift/cluster-version-operator:lib/resourcebuilder, lib/resourceapply,
pkg/cvo/cvo.go (owner references), pkg/cvo/internal/operatorstatus.go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._problems import Problem, shown, type_name
from .._release.manifest import DELETE_ANNOTATION, Manifest, location
from .._unstructured import mappings_in, nested

CREATE_ONLY_ANNOTATION = "release.openshift.io/create-only"
PART_OF = "applyset.kubernetes.io/part-of"
"""Label of the members of an ApplySet (kubernetes/enhancements:keps/sig-cli/3659-kubectl-apply-prune)."""

LAST_APPLIED_HASH = "capability.openshift.io/last-applied-hash"
"""Annotation with the hash of what was sent, so that a later run knows without asking what it would send."""

NORMALIZED = "-normalized"
"""Follows the hash where fields were left out that the API did not know, so that they are tried when it may."""

_INJECT_PROXY = "config.openshift.io/inject-proxy"
_INJECT_CA_BUNDLE = "service.beta.openshift.io/inject-cabundle"
_FORMAT = "1"
"""Changes with what is made of a manifest here, so that objects are sent again after an update of the collection."""

_SERVER_OWNED = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")
_APPLIED_BEFORE_THEIR_OWNER = ("clusterversions.config.openshift.io", "featuregates.config.openshift.io")
"""CustomResourceDefinitions that come before there is a ClusterVersion, which owns all else."""

_CLUSTER_ROLE = "rbac.authorization.k8s.io", "ClusterRole"
_CLUSTER_OPERATOR = "config.openshift.io", "ClusterOperator"
_PROXY_VARIABLES = {"HTTP_PROXY": "httpProxy", "HTTPS_PROXY": "httpsProxy", "NO_PROXY": "noProxy"}


class OwnershipMetadata(NamedTuple):
    """What all objects of a rollout carry.

    ``applyset``: id of its ApplySet. ``owner_uid``: that of the ClusterVersion, empty where there is none.
    ``proxy``: the status of the cluster's Proxy.
    """

    applyset: str
    owner_uid: str
    proxy: Mapping[str, Any]


def is_create_only(manifest: Manifest) -> bool:
    """Tell whether a manifest is created where it is missing and never touched again."""
    return (manifest.annotations or {}).get(CREATE_ONLY_ANNOTATION, "").lower() == "true"


def wants_proxy(manifest: Manifest) -> bool:
    """Tell whether a manifest asks for the proxy of the cluster."""
    return _INJECT_PROXY in (manifest.annotations or {})


def wrong_annotations(manifest: Manifest) -> Iterator[Problem]:
    """Yield why the CVO would not apply a manifest whatever its body says."""
    value = (manifest.annotations or {}).get(DELETE_ANNOTATION)
    if value is not None and value != "true":
        where = location(manifest.file, manifest.document, field=f"metadata.annotations[{DELETE_ANNOTATION}]")
        message = f"is {shown(value)}, which is an invalid delete annotation; it is neither applied nor deleted"
        yield Problem("error", "todo", where, message, 'Write "true", or leave it out')


def last_applied_hash(manifest: Manifest, text: bytes, marks: OwnershipMetadata) -> str:
    """Return the hash of what is sent of a manifest whose document is ``text``, without reading it."""
    proxy = marks.proxy if _INJECT_PROXY in (manifest.annotations or {}) else {}
    variables = [str(proxy.get(field) or "") for field in _PROXY_VARIABLES.values()]
    parts = [_FORMAT, marks.applyset, _owner_uid(manifest, marks), *variables]
    return hashlib.sha256("\0".join(parts).encode() + b"\0" + text).hexdigest()[:24]


def build_apply_object(
    manifest: Manifest, body: Mapping[str, Any], marks: OwnershipMetadata, sent: str, namespaced: bool
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return what is sent of ``manifest``, whose body is ``body``; ``sent`` is its ``last_applied_hash``.

    Status is that of somebody else, and so are the fields that the API server fills in. A problem that is an error
    says why it cannot be sent.
    """
    annotations = manifest.annotations or {}
    metadata = {field: value for field, value in (body.get("metadata") or {}).items() if field not in _SERVER_OWNED}
    if not namespaced:
        metadata.pop("namespace", None)
    labels = metadata.get("labels") or {}
    if not isinstance(labels, Mapping):
        where = location(manifest.file, manifest.document, field="metadata.labels")
        return {}, (Problem("error", "todo", where, f"is {type_name(labels)}, expected a map", "Write a map"),)
    metadata["labels"] = {**labels, PART_OF: marks.applyset}
    metadata["annotations"] = {**annotations, LAST_APPLIED_HASH: sent}
    owners = _owners(manifest, metadata.pop("ownerReferences", None), marks)
    if owners:
        metadata["ownerReferences"] = owners
    sending = {**{field: value for field, value in body.items() if field != "status"}, "metadata": metadata}
    if manifest.resource_id.group_kind == _CLUSTER_OPERATOR:
        # The API requires it, and manifests leave it out (pkg/cvo/internal/operatorstatus.go PreCreate).
        sending["spec"] = sending.get("spec") or {}
    if manifest.resource_id.group_kind == _CLUSTER_ROLE and sending.get("aggregationRule"):
        # A controller fills them in (lib/resourcemerge/rbac.go EnsureClusterRole).
        sending.pop("rules", None)
    if annotations.get(_INJECT_CA_BUNDLE) == "true":
        _without_ca_bundles(sending)
    return sending, tuple(_inject_proxy(manifest, sending, marks.proxy))


def mark_normalized(sending: Mapping[str, Any], *, hashed: bool = True) -> dict[str, Any]:
    """Return what is sent, marked as not all of its manifest; without any hash if not ``hashed``."""
    metadata = dict(sending["metadata"])
    annotations = dict(metadata["annotations"])
    full = annotations.pop(LAST_APPLIED_HASH).removesuffix(NORMALIZED)
    metadata["annotations"] = {**annotations, **({LAST_APPLIED_HASH: full + NORMALIZED} if hashed else {})}
    return {**sending, "metadata": metadata}


def _owner_uid(manifest: Manifest, marks: OwnershipMetadata) -> str:
    return "" if manifest.resource_id.name in _APPLIED_BEFORE_THEIR_OWNER else marks.owner_uid


def _owners(manifest: Manifest, given: object, marks: OwnershipMetadata) -> list[dict[str, Any]]:
    """Return the owners: those of the manifest win, unless they are a ClusterVersion, which is the cluster's own."""
    said = [dict(item) for item in mappings_in(given) if item.get("kind") != "ClusterVersion"]
    uid = _owner_uid(manifest, marks)
    if said or not uid:
        return said
    owner = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "name": "version", "uid": uid}
    return [owner if is_create_only(manifest) else {**owner, "controller": True}]


def _without_ca_bundles(sending: dict[str, Any]) -> None:
    """Leave the CA to whoever injects it: what a manifest says there is only a place for it."""
    conversion = nested(sending, "spec", "conversion", "webhook", "clientConfig")
    clients = [conversion, *(nested(item, "clientConfig") for item in mappings_in(sending.get("webhooks")))]
    for client in clients:
        if isinstance(client, dict):
            client.pop("caBundle", None)
    spec = sending.get("spec")
    if isinstance(spec, dict):
        spec.pop("caBundle", None)  # where an APIService has it


def _inject_proxy(manifest: Manifest, sending: dict[str, Any], proxy: Mapping[str, Any]) -> Iterator[Problem]:
    """Set the variables of the cluster's proxy in the containers that the manifest names for it."""
    asked = (manifest.annotations or {}).get(_INJECT_PROXY)
    if asked is None or manifest.resource_id.kind not in ("Deployment", "DaemonSet"):
        return
    containers = nested(sending, "spec", "template", "spec", "containers")
    by_name = {str(item.get("name")): item for item in mappings_in(containers) if isinstance(item, dict)}
    variables = [
        {"name": name, "value": str(proxy[field])} for name, field in _PROXY_VARIABLES.items() if proxy.get(field)
    ]
    for name in asked.split(","):
        container = by_name.get(name)
        if container is None:
            where = location(manifest.file, manifest.document, field=f"metadata.annotations[{_INJECT_PROXY}]")
            message = f"names container {shown(name)}, and there are {', '.join(by_name) or 'none'}"
            yield Problem("error", "todo", where, message, "Name a container of the pod template")
            continue
        given = container.get("env") or []
        if not isinstance(given, list):
            where = location(manifest.file, manifest.document, field="spec.template.spec.containers.env")
            yield Problem("error", "todo", where, f"is {type_name(given)}, expected a list", "Write a list")
            continue
        set_here = [item["name"] for item in variables]
        container["env"] = [item for item in given if nested(item, "name") not in set_here] + variables
