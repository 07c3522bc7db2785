# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds the object to apply from a manifest.

Drops fields that the server or others own, and adds our ApplySet label, hash annotation and owner reference.
Source, unless a comment names another: openshift/cluster-version-operator:lib/resourcebuilder, lib/resourceapply,
pkg/cvo/cvo.go (owner references), pkg/cvo/internal/operatorstatus.go.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._cluster.injected_config import InjectedConfig
from .._data.inclusion_rules import DELETE_ANNOTATION
from .._problems import Problems, shown, type_name
from .._release.manifest import Manifest
from .._resources import CLUSTER_VERSION_CRD, mappings_in, nested

PART_OF = "applyset.kubernetes.io/part-of"
"""Label of the members of an ApplySet (kubernetes/enhancements:keps/sig-cli/3659-kubectl-apply-prune)."""

LAST_APPLIED_HASH = "capability.openshift.io/last-applied-hash"
"""Annotation with the hash of the applied object, so a later run knows without a request whether to apply it again."""

CREATED_BY_ROLLOUT = "capability.openshift.io/created-by-rollout"
"""Annotation of the objects that a rollout created. The ClusterVersion owns only these, and only these are pruned."""

NORMALIZED = "-normalized"
"""Suffix of the hash if fields were dropped that the API does not declare. The rollout applies them once it does."""

_INJECT_CA_BUNDLE = "service.beta.openshift.io/inject-cabundle"
_FORMAT = "4"
"""Part of the hash. Increase it if this file builds other objects from the same manifests."""

_SERVER_OWNED = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")

_CLUSTER_ROLE = "rbac.authorization.k8s.io", "ClusterRole"
_CLUSTER_OPERATOR = "config.openshift.io", "ClusterOperator"


class OwnershipMetadata(NamedTuple):
    """The metadata that all objects of a rollout have in common.

    ``applyset`` is the id of the ApplySet, ``owner_uid`` the uid of the ClusterVersion (empty if there is none), and
    ``config`` the configuration of the cluster that is injected into manifests. ``is_created``: a rollout created the
    object, or is going to.
    """

    applyset: str
    owner_uid: str
    config: InjectedConfig
    is_created: bool = True

    def of_live(self, metadata: Mapping[str, Any] | None) -> OwnershipMetadata:
        """The ownership of an object with this metadata on the cluster, ``None`` if the rollout is going to create it.

        An object that existed before the first rollout has no owner, so the garbage collector never deletes it.
        """
        if metadata is None or is_created_by_rollout(metadata):
            return self
        return self._replace(owner_uid="", is_created=False)


def is_created_by_rollout(metadata: Mapping[str, Any]) -> bool:
    """Whether a rollout created the object with this metadata. Objects that existed before lack the annotation."""
    return bool(nested(metadata, "annotations", CREATED_BY_ROLLOUT) == "true")


def check_annotations(manifest: Manifest, problems: Problems) -> None:
    """Report annotations that make the CVO reject a manifest."""
    value = (manifest.annotations or {}).get(DELETE_ANNOTATION)
    if value is not None and value != "true":
        where = manifest.location.child(f"metadata.annotations[{DELETE_ANNOTATION}]")
        message = f"is {shown(value)}, which is an invalid delete annotation; the object is neither applied nor deleted"
        problems.error("invalid-annotation", where, message, 'Write "true", or remove the annotation')


def last_applied_hash(manifest: Manifest, body: bytes, ownership: OwnershipMetadata) -> str:
    """The hash of the object to apply. ``body``: of the manifest as JSON, which is not parsed."""
    owner, injected = _owner_uid(manifest, ownership), ownership.config.values_for(manifest)
    parts = [_FORMAT, ownership.applyset, owner, str(ownership.is_created), injected]
    return hashlib.sha256("\0".join(parts).encode() + b"\0" + body).hexdigest()[:24]


def build_apply_object(
    manifest: Manifest,
    body: Mapping[str, Any],
    ownership: OwnershipMetadata,
    hash_value: str,
    problems: Problems,
    *,
    namespaced: bool,
) -> dict[str, Any]:
    """Build the object to apply from ``manifest`` with the parsed ``body``; ``hash_value`` is its last-applied hash.

    The configuration of the cluster is already in ``body`` (``_cluster.injection.inject``).
    The object must not be applied if an error is reported.
    """
    dropped = _SERVER_OWNED if namespaced else (*_SERVER_OWNED, "namespace")
    metadata = {field: value for field, value in (body.get("metadata") or {}).items() if field not in dropped}
    labels = metadata.get("labels") or {}
    if not isinstance(labels, Mapping):
        where = manifest.location.child("metadata.labels")
        problems.error("not-a-map", where, f"is {type_name(labels)}, expected a map", "Write a map")
    if problems.has_errors:
        return {}
    metadata["labels"] = {**labels, PART_OF: ownership.applyset}
    metadata["annotations"] = {**(manifest.annotations or {}), LAST_APPLIED_HASH: hash_value}
    if ownership.is_created:
        metadata["annotations"][CREATED_BY_ROLLOUT] = "true"
    owners = _owners(manifest, metadata.pop("ownerReferences", None), ownership)
    metadata |= {"ownerReferences": owners} if owners else {}
    obj = {**{field: value for field, value in body.items() if field != "status"}, "metadata": metadata}
    if manifest.resource_id.group_kind == _CLUSTER_OPERATOR:
        # The API requires spec, and manifests omit it (pkg/cvo/internal/operatorstatus.go PreCreate).
        obj["spec"] = obj.get("spec") or {}
    if manifest.resource_id.group_kind == _CLUSTER_ROLE and obj.get("aggregationRule"):
        # A controller sets the rules (lib/resourcemerge/rbac.go EnsureClusterRole).
        obj.pop("rules", None)
    remove_injected_bundles(manifest, obj)
    return obj


def with_encoded_texts(obj: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a Secret with its ``stringData`` in ``data``, as the API server stores it; of other objects, all fields.

    If a rollout applied ``stringData``, it would own that field, and not notice changes of ``data``.
    Source: kubernetes/api:core/v1/types.go Secret.
    """
    content = dict(obj)
    texts = content.get("stringData")
    is_secret = (content.get("apiVersion"), content.get("kind")) == ("v1", "Secret")
    if is_secret and isinstance(texts, Mapping) and all(isinstance(text, str | None) for text in texts.values()):
        del content["stringData"]
        encoded = {key: b64encode((text or "").encode()).decode() for key, text in texts.items()}
        content["data"] = {**(content.get("data") or {}), **encoded}
    return content


def mark_normalized(obj: Mapping[str, Any], *, hashed: bool = True) -> dict[str, Any]:
    """Copy ``obj`` with the mark that it lacks fields of its manifest; without any hash if not ``hashed``."""
    metadata = dict(obj["metadata"])
    annotations = dict(metadata["annotations"])
    full = annotations.pop(LAST_APPLIED_HASH).removesuffix(NORMALIZED)
    metadata["annotations"] = {**annotations, **({LAST_APPLIED_HASH: full + NORMALIZED} if hashed else {})}
    return {**obj, "metadata": metadata}


def _owner_uid(manifest: Manifest, ownership: OwnershipMetadata) -> str:
    return "" if ownership.is_created and is_applied_before_its_owner(manifest) else ownership.owner_uid


def is_applied_before_its_owner(manifest: Manifest) -> bool:
    """Whether a rollout applies an object when the ClusterVersion can be missing, so the object gets no owner."""
    return manifest.resource_id.name == CLUSTER_VERSION_CRD.name


def _owners(manifest: Manifest, references: object, ownership: OwnershipMetadata) -> list[dict[str, Any]]:
    """The owners: those of the manifest win, unless they are a ClusterVersion, whose uid is that of this cluster."""
    own = [dict(item) for item in mappings_in(references) if item.get("kind") != "ClusterVersion"]
    uid = _owner_uid(manifest, ownership)
    if own or not uid:
        return own
    owner = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "name": "version", "uid": uid}
    return [owner if manifest.is_create_only else {**owner, "controller": True}]


def remove_injected_bundles(manifest: Manifest, obj: Mapping[str, Any]) -> None:
    """Remove the CAs of webhooks and APIServices from an object if an operator injects them."""
    if (manifest.annotations or {}).get(_INJECT_CA_BUNDLE) != "true":
        return
    conversion = nested(obj, "spec", "conversion", "webhook", "clientConfig")
    clients = [conversion, *(nested(item, "clientConfig") for item in mappings_in(obj.get("webhooks")))]
    for client in clients:
        if isinstance(client, dict):
            client.pop("caBundle", None)
    spec = obj.get("spec")
    if isinstance(spec, dict):
        spec.pop("caBundle", None)  # of an APIService
