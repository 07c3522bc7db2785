# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about the update from the previous release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from .._data.hosted_clusters import HOSTED_PROFILES
from .._data.inclusion_rules import CAPABILITY_ANNOTATION, DELETE_ANNOTATION
from .._problems import Location, Problem, plural
from .._release.manifest import Manifest
from .._release.release import CVO_MANIFESTS
from .._resources import ResourceId
from .cluster_variant import ClusterVariant
from .rules import finding
from .source import LintSource


class UpdateRules:
    """Compares the clusters of two releases that can update, resource by resource.

    ``known`` are the capabilities that the previous release and the new one know.
    """

    def __init__(
        self,
        previous: LintSource,
        source: LintSource,
        variants: tuple[Sequence[ClusterVariant], Sequence[ClusterVariant]],
        known: tuple[frozenset[str], frozenset[str]],
    ) -> None:
        self._source = source
        self._is_minor = previous.release.minor != source.release.minor
        self._known_before, self._known_after = known
        before = {variant.key: variant for variant in variants[0]}
        self._pairs = [(before[variant.key], variant) for variant in variants[1] if variant.key in before]
        self._previous = previous.release
        # An image has files of other directories, too, such as definitions of openshift/api.
        self._is_of_image = source.is_part and not previous.is_part
        self._resources = {manifest.object_id for manifest in source.release.manifests}
        self._reported: set[tuple[str, str]] = set()
        self._optional: dict[str, list[Manifest]] = {}

    def findings(self) -> Iterator[Problem]:
        """Yield each broken rule once for each resource."""
        for before, after in self._pairs:
            for resource, old in before.by_resource.items():
                new = after.by_resource.get(resource, ())
                yield from self._once(self._losses(old, new, after))
                if after.can_update:
                    changes = self._compare(old, new, before, after) if new else self._removal(old)
                    yield from self._once(changes)
        yield from self._losses_of_unused()
        yield from self._optional_resources()

    def _once(self, findings: Iterator[Problem]) -> Iterator[Problem]:
        for found in findings:
            key = (found.code, found.where.field)
            if key not in self._reported:
                self._reported.add(key)
                yield found

    def _losses(
        self, old: Sequence[Manifest], new: Sequence[Manifest], variant: ClusterVariant | None = None
    ) -> Iterator[Problem]:
        """Manifests of one resource that need less than before, whether their clusters can update or not.

        ``variant``: the clusters that have them, if there are any. No cluster has unknown capabilities.
        """
        for before in old:
            for after in (item for item in new if self._known_after.issuperset(item.capabilities)):
                enabled = frozenset(after.capabilities)
                if variant is not None:
                    if not variant.can_have_both(before, after):
                        continue
                    enabled = variant.closure(enabled)
                lost = " and ".join(sorted((set(before.capabilities) - enabled) & self._known_after))
                if lost and not before.deletes and not after.deletes:
                    message = f"needed {lost} in the previous release: clusters that disabled it get the resource"
                    yield finding("loses-capability", self._source.location(after), message)
                elif lost and after.deletes:
                    message = (
                        f"needed {lost} in the previous release: the update also deletes a resource of that name on "
                        "clusters that disabled it"
                    )
                    yield finding("deletion-loses-capability", self._source.location(after), message)

    def _losses_of_unused(self) -> Iterator[Problem]:
        """Losses of manifests that are for no cluster, because they have no profile or an odd feature set."""
        unused = []
        for release, side in ((self._previous, 0), (self._source.release, 1)):
            used = {id(manifest) for pair in self._pairs for manifest in pair[side].manifests}
            grouped: dict[ResourceId, list[Manifest]] = {}
            for manifest in release.manifests:
                if id(manifest) not in used:
                    grouped.setdefault(manifest.object_id, []).append(manifest)
            unused.append(grouped)
        for resource, old in unused[0].items():
            yield from self._once(self._losses(old, unused[1].get(resource, ())))

    def _compare(
        self, old: Sequence[Manifest], new: Sequence[Manifest], before: ClusterVariant, after: ClusterVariant
    ) -> Iterator[Problem]:
        deleted = all(item.deletes for item in old)
        if deleted and not all(item.deletes for item in new):
            message = f"was deleted by {old[0].file} of the previous release, and is applied again"
            yield finding("returns", self._source.location(new[0]), message)
        elif deleted and self._is_minor:
            effect = "so no cluster has the resource"
            if after.profile in HOSTED_PROFILES:
                effect = f"so only a hosted cluster that skipped {self._previous.minor} can have the resource"
            message = f"was already deleted by {self._previous.shown_version}, {effect}"
            yield finding("still-deletes", self._source.location(new[0], DELETE_ANNOTATION), message)
        for one, other in product(old, new):
            if not after.can_have_both(one, other):
                continue
            gained = frozenset(other.capabilities) - before.closure(frozenset(one.capabilities))
            yield from self._gains(one, other, gained, after.profile)

    def _gains(self, before: Manifest, after: Manifest, gained: frozenset[str], profile: str) -> Iterator[Problem]:
        # The CVO compares resource ids, and enables nothing if one has another namespace, which the API ignores.
        is_compared = before.resource_id == after.resource_id
        known = sorted(gained & self._known_before) if is_compared else []
        if known and after.deletes:
            message = f"deletes its resource, and now needs {' and '.join(known)}, which the previous release knew"
            where = self._source.location(after, CAPABILITY_ANNOTATION)
            yield finding("deletion-gains-capability", where, message)
        elif known and profile not in HOSTED_PROFILES:  # whose CVO never compares two releases
            message = (
                f"now needs {' and '.join(known)}, which the previous release knew: an update enables it on every "
                "cluster that has this resource"
            )
            yield finding("gains-capability", self._source.location(after, CAPABILITY_ANNOTATION), message)
        for name in gained & self._known_after - self._known_before:
            self._optional.setdefault(name, []).append(after)

    def _removal(self, old: Sequence[Manifest]) -> Iterator[Problem]:
        applied = [item for item in old if not item.deletes and item.file not in self._source.unread]
        if self._source.lacks_cvo:
            applied = [item for item in applied if not item.file.startswith(f"{CVO_MANIFESTS}/")]
        if not applied:
            return
        dropped = applied[0]
        if dropped.object_id in self._resources:
            manifests = [item for item in self._source.release.manifests if item.object_id == dropped.object_id]
            pairs = (pair for pair in self._pairs if pair[1].can_update and dropped.object_id in pair[0].by_resource)
            left = [after.key for _before, after in pairs if dropped.object_id not in after.by_resource]
            names = " and ".join(f"{profile} ({feature_set or 'Default'})" for profile, feature_set in sorted(left))
            message = f"is no longer for clusters of {names}, so it stays on them"
            yield finding("leaves-profile", self._source.location(manifests[0]), message)
        else:
            message = "was in this file of the previous release, and stays on clusters that have it"
            stays = finding("left-behind", Location(dropped.file, field=str(dropped.resource_id)), message)
            if self._is_of_image:
                where = stays.where._replace(source=dropped.file.rpartition("/")[2])
                hint = f"{stays.hint}, unless another directory or openshift/api has it"
                stays = stays._replace(severity="info", where=where, hint=hint)
            yield stays

    def _optional_resources(self) -> Iterator[Problem]:
        """One line for each new capability."""
        for name, manifests in sorted(self._optional.items()):
            number = len({manifest.object_id for manifest in manifests})
            more = f", and {plural(number - 1, 'more resource')}" if number > 1 else ""
            message = f"becomes optional with {name}{more}"
            where = self._source.location(manifests[0], CAPABILITY_ANNOTATION)
            yield finding("becomes-optional", where, message)
