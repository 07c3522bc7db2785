# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What manifests provide for others: namespaces, kinds, and the definitions of kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock

from .._release.manifest import Manifest
from .._resources import CUSTOM_RESOURCE_DEFINITIONS
from .change_set import ApplyResult
from .refusals import Refusal

Prerequisite = tuple[str, str]
"""``namespace`` and its name, ``kind`` and its group, or ``definition`` and the CustomResourceDefinition's name."""


class PendingPrerequisites:
    """What the manifests of a rollout provide: namespaces by name, kinds by their group, and definitions.

    A definition that is known not to change is not pending.
    """

    def __init__(self, manifests: Iterable[Manifest], is_unchanged: Callable[[Manifest], bool]) -> None:
        self._pending: dict[Prerequisite, set[int]] = {}
        for manifest in manifests:
            for provided in provided_by(manifest):
                self._pending.setdefault(provided, set()).add(id(manifest))
            if is_definition(manifest) and not manifest.deletes and is_unchanged(manifest):
                self._pending[definition_named(manifest.resource_id.name)].discard(id(manifest))
        self._lock = Lock()

    def resolve(self, manifest: Manifest) -> tuple[Prerequisite, ...]:
        """Remove what ``manifest`` provides. Returns what others may no longer have to wait for."""
        provided = provided_by(manifest)
        with self._lock:
            pending = [self._pending[prerequisite] for prerequisite in provided]
            is_last = any(manifests == {id(manifest)} for manifests in pending)
            for manifests in pending:
                manifests.discard(id(manifest))
        return provided if is_last else ()

    def is_pending(self, prerequisite: Prerequisite) -> bool:
        """Whether a manifest still has to provide it."""
        return bool(self._pending.get(prerequisite))

    def is_provided(self, prerequisite: Prerequisite) -> bool:
        """Whether any manifest of the rollout provides it, even if it is done."""
        return prerequisite in self._pending


def provided_by(manifest: Manifest) -> tuple[Prerequisite, ...]:
    """What ``manifest`` provides for others."""
    resource = manifest.resource_id
    if manifest.deletes:
        return ()
    if resource.group_kind == ("", "Namespace"):
        return (("namespace", resource.name),)
    if is_definition(manifest):
        return ("kind", resource.name.partition(".")[2]), definition_named(resource.name)
    return ()


def lacked_by(result: ApplyResult) -> Prerequisite | None:
    """What a refused manifest lacks that another manifest can provide."""
    resource = result.manifest.resource_id
    if result.refusal is Refusal.NAMESPACE_MISSING:
        return "namespace", resource.namespace
    if result.refusal in (Refusal.KIND_NOT_SERVED, Refusal.KIND_SKIPPED, Refusal.GROUP_UNAVAILABLE):
        return "kind", resource.group
    return None


def definition_named(name: str) -> Prerequisite:
    """The prerequisite that the CustomResourceDefinition ``name`` is applied."""
    return "definition", name


def is_definition(manifest: Manifest) -> bool:
    """Whether ``manifest`` is a CustomResourceDefinition."""
    return manifest.resource_id.group_kind == CUSTOM_RESOURCE_DEFINITIONS.group_kind
