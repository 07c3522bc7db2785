# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Rules about the update from the previous release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._release.manifest import CAPABILITY_ANNOTATION, DELETE_ANNOTATION, Manifest
from .._release.release import Release
from .._resources import ResourceId
from .breach import Breach
from .cluster_variant import ClusterVariant


class UpdateRules:
    """Compares the clusters of two releases that can update, resource by resource.

    ``known`` are the capabilities that the previous release and the new one know.
    """

    def __init__(
        self,
        previous: Release,
        release: Release,
        variants: tuple[Sequence[ClusterVariant], Sequence[ClusterVariant]],
        known: tuple[frozenset[str], frozenset[str]],
    ) -> None:
        self._release = release
        self._is_minor = previous.minor != release.minor
        self._known_before, self._known_after = known
        before = {variant.key: variant for variant in variants[0]}
        self._pairs = [(before[variant.key], variant) for variant in variants[1] if variant.key in before]
        self._previous = previous
        self._resources = {manifest.resource_id for manifest in release.manifests}
        self._reported: set[tuple[str, ResourceId]] = set()

    def breaches(self) -> Iterator[Breach]:
        """Yield each broken rule once for each resource."""
        optional: dict[str, list[Manifest]] = {}
        for before, after in self._pairs:
            for resource, old in before.by_resource.items():
                new = after.by_resource.get(resource, ())
                yield from self._once(self._losses(old, new))
                if after.can_update:
                    yield from self._once(self._compare(old, new, optional) if new else self._removal(old, after))
        yield from self._losses_of_unused()
        yield from self._optional(optional)

    def _once(self, breaches: Iterator[Breach]) -> Iterator[Breach]:
        for breach in breaches:
            key = (breach.rule, breach.manifest.resource_id)
            if key not in self._reported:
                self._reported.add(key)
                yield breach

    def _losses(self, old: Sequence[Manifest], new: Sequence[Manifest]) -> Iterator[Breach]:
        """Manifests of one resource that need less than before, whether their clusters can update or not."""
        for before in old:
            for after in new:
                lost = _listed(sorted(set(before.capabilities).difference(after.capabilities) & self._known_after))
                if lost and not before.deletes and not after.deletes:
                    message = f"needed {lost} in the previous release: clusters that disabled it get the resource"
                    yield Breach("loses-capability", after, message)
                elif lost and before.deletes and after.deletes:
                    message = (
                        f"needed {lost} in the previous release: the update also deletes a resource of that name on "
                        "clusters that disabled it"
                    )
                    yield Breach("deletion-loses-capability", after, message)

    def _losses_of_unused(self) -> Iterator[Breach]:
        """Losses of manifests that are for no cluster, because they have no profile or an odd feature set."""
        unused = []
        for release, side in ((self._previous, 0), (self._release, 1)):
            used = {id(manifest) for pair in self._pairs for manifest in pair[side].manifests}
            grouped: dict[ResourceId, list[Manifest]] = {}
            for manifest in release.manifests:
                if id(manifest) not in used:
                    grouped.setdefault(manifest.resource_id, []).append(manifest)
            unused.append(grouped)
        for resource, old in unused[0].items():
            yield from self._once(self._losses(old, unused[1].get(resource, ())))

    def _compare(
        self, old: tuple[Manifest, ...], new: tuple[Manifest, ...], optional: dict[str, list[Manifest]]
    ) -> Iterator[Breach]:
        deleted = all(item.deletes for item in old)
        if deleted and not all(item.deletes for item in new):
            message = f"was deleted by {old[0].file} of the previous release, and is applied again"
            yield Breach("returns", new[0], message)
        elif deleted and self._is_minor:
            message = "was already deleted by the previous minor version, so no cluster has the resource"
            yield Breach("still-deletes", new[0], message, key=DELETE_ANNOTATION)
        for before in old:
            for after in new:
                yield from self._compare_capabilities(before, after, optional)

    def _compare_capabilities(
        self, before: Manifest, after: Manifest, optional: dict[str, list[Manifest]]
    ) -> Iterator[Breach]:
        gained = set(after.capabilities).difference(before.capabilities)
        known = sorted(gained & self._known_before)
        if known and after.deletes:
            message = f"deletes its resource, and now needs {_listed(known)}, which the previous release knew"
            yield Breach("deletion-gains-capability", after, message, key=CAPABILITY_ANNOTATION)
        elif known:
            message = (
                f"now needs {_listed(known)}, which the previous release knew: an update enables it on every cluster "
                "that has this resource"
            )
            yield Breach("gains-capability", after, message, key=CAPABILITY_ANNOTATION)
        for name in gained & self._known_after - self._known_before:
            optional.setdefault(name, []).append(after)

    def _removal(self, old: tuple[Manifest, ...], after: ClusterVariant) -> Iterator[Breach]:
        applied = [item for item in old if not item.deletes]
        if not applied:
            return
        resource = applied[0].resource_id
        if resource in self._resources:
            manifest = self._manifest(resource)
            message = f"is no longer in profile {after.profile}, so it stays on clusters of that profile"
            yield Breach("leaves-profile", manifest, message)
        else:
            message = f"was in {applied[0].file} of the previous release, and stays on clusters that have it"
            yield Breach("left-behind", applied[0], message, is_gone=True)

    def _manifest(self, resource: ResourceId) -> Manifest:
        return next(manifest for manifest in self._release.manifests if manifest.resource_id == resource)

    def _optional(self, optional: dict[str, list[Manifest]]) -> Iterator[Breach]:
        """One line for each new capability."""
        for name, manifests in sorted(optional.items()):
            number = len({manifest.resource_id for manifest in manifests})
            more = f", and {number - 1} more resources" if number > 1 else ""
            message = f"becomes optional with {name}{more}"
            yield Breach("becomes-optional", manifests[0], message, key=CAPABILITY_ANNOTATION)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)
