# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""References that dangle if some capabilities are enabled and others are not.

A reference dangles if its manifest is included and the release contains the target, but capabilities exclude it. What
the release does not contain, or excludes for another reason, comes from elsewhere: HyperShift, an operator, the user.

A manifest that deletes its resource is no target, and needs only the definition of its kind: the CVO looks up the kind
before it deletes (openshift/cluster-version-operator:pkg/cvo/internal/dynamicclient/client.go).

Bodies are parsed only for manifests whose text contains the name of a target with other capabilities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._data.kinds import WAITED_FOR
from .._problems import Location, Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.task_graph import component_of
from .._resources import CLUSTER_OPERATORS, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, ResourceId, nested
from .references import REFERRERS, ReferenceKind, ReferenceTarget, namespace_of, targets_of

_DELETED_WITHOUT_DISCOVERY = frozenset(
    {("operators.coreos.com", "OperatorGroup"), ("security.openshift.io", "SecurityContextConstraints")}
)
"""Custom resources that the CVO deletes with a typed client. If the kind is not served, the deletion is done."""

Providers = Mapping[ResourceId, Sequence[Manifest]]
_NEVER_FINISHES = "so the cluster-version operator cannot finish"
CONSEQUENCES: Mapping[ReferenceKind, str] = {
    "dangling-namespace": f"the API server rejects an object in a Namespace that does not exist, {_NEVER_FINISHES}",
    "dangling-definition": f"the API server rejects an object whose kind it does not serve, {_NEVER_FINISHES}",
    "dangling-workload": "its Pods do not start",
    "dangling-operator": f"no operator writes its status, {_NEVER_FINISHES}",
    "dangling-role": "it grants nothing",
    "dangling-rights": "it grants rights to an account that does not exist",
}
"""What a dangling reference results in."""
_CAN_BE_PROVIDED = ("dangling-namespace", "dangling-definition", "dangling-workload")
"""References that are right if anyone creates the target. An account that a user creates would get the rights."""
_OF_AUTHORS = ("dangling-role", "dangling-rights")
"""References that only the authors of a release can correct, and with which a cluster works."""
_CANNOT_DELETE = "the cluster-version operator looks up the kind before it deletes, so it cannot finish"


class UnmetReference(NamedTuple):
    """A reference whose target needs a capability that ``source`` does not need.

    ``providers`` are the manifests of the target.
    """

    kind: ReferenceKind
    source: Manifest
    target: ResourceId
    providers: tuple[Manifest, ...]

    def dangles(self, enabled: frozenset[str]) -> bool:
        """Whether the source is included with ``enabled``, and the target is not."""
        return enabled.issuperset(self.source.capabilities) and not _is_included(self.providers, enabled)

    @property
    def blocks(self) -> bool:
        """Whether the CVO cannot finish while it dangles, because it cannot apply the source or its Pods do not start.

        Bindings can be applied nevertheless, and the CVO does not look at Pods of other workloads.
        """
        if self.kind == "dangling-workload":
            return self.source.resource_id.kind in WAITED_FOR
        return self.kind in ("dangling-namespace", "dangling-definition", "dangling-operator")


def unmet_references(release: Release, manifests: Iterable[Manifest]) -> tuple[UnmetReference, ...]:
    """The references that dangle for some selection, in the order of the release.

    ``manifests`` of ``release`` pass every filter except the one for capabilities. Raises ``ReleaseError``.
    """
    search = _Search(release, list(manifests))
    order = {id(manifest): index for index, manifest in enumerate(search.manifests)}
    return tuple(sorted(search.find(), key=lambda found: order[id(found.source)]))


class ReleaseReferences:
    """The references of a release, searched once for all selections.

    ``manifests`` of ``release`` pass every filter except the one for capabilities.
    """

    def __init__(self, release: Release, manifests: Sequence[Manifest]) -> None:
        self._release, self._manifests = release, manifests
        self._names = frozenset(name for manifest in manifests for name in manifest.capabilities)
        self._unmet: tuple[UnmetReference, ...] | None = None

    def dangling(self, enabled: frozenset[str]) -> tuple[UnmetReference, ...]:
        """Those that dangle with ``enabled``. Raises ``ReleaseError``."""
        if enabled >= self._names:
            return ()
        if self._unmet is None:
            self._unmet = unmet_references(self._release, self._manifests)
        return tuple(reference for reference in self._unmet if reference.dangles(enabled))


class _Search:
    """The search in one release. ``absent``: targets that some selection excludes."""

    def __init__(self, release: Release, manifests: Sequence[Manifest]) -> None:
        self._release, self.manifests = release, manifests
        every: dict[ResourceId, list[Manifest]] = {}
        for manifest in manifests:
            if not manifest.deletes:
                every.setdefault(manifest.object_id, []).append(manifest)
        self.absent: Providers = {
            resource: found for resource, found in every.items() if not _is_included(found, frozenset())
        }

    def find(self) -> Iterator[UnmetReference]:
        if not self.absent:
            return
        applied = [source for source in self.manifests if not source.deletes]
        for source in applied:
            namespace = namespace_of(source)
            if namespace is not None:
                yield from self._unmet(source, namespace)
        yield from self._without_definition()
        yield from self._without_named(applied)
        yield from self._without_operator(applied)

    def _without_definition(self) -> Iterator[UnmetReference]:
        by_group: dict[str, list[Manifest]] = {}
        for source in self.manifests:
            if not source.deletes or source.resource_id.group_kind not in _DELETED_WITHOUT_DISCOVERY:
                by_group.setdefault(source.resource_id.group, []).append(source)
        for definition, providers in self.absent.items():
            # A definition is named PLURAL.GROUP. None defines a kind of the core group, which has no name.
            group = definition.name.partition(".")[2]
            if definition.group_kind != CUSTOM_RESOURCE_DEFINITIONS.group_kind or not group:
                continue
            manifests = by_group.get(group, ())
            sources = [source for source in manifests if self._may_dangle(source, definition)]
            kind = nested(self._release.read_body(providers[0]), "spec", "names", "kind") if sources else None
            for source in sources:
                if source.resource_id.kind == kind:
                    yield from self._unmet(source, ReferenceTarget("dangling-definition", definition))

    def _without_named(self, applied: Iterable[Manifest]) -> Iterator[UnmetReference]:
        """References in the bodies of workloads, bindings and CredentialsRequests."""
        for source in applied:
            if source.resource_id.group_kind in REFERRERS:
                for target in dict.fromkeys(targets_of(source, self._release.read_body(source))):
                    yield from self._unmet(source, target)

    def _without_operator(self, applied: Iterable[Manifest]) -> Iterator[UnmetReference]:
        """ClusterOperators without a Deployment of their component, so no operator writes their status."""
        by_component: dict[str, list[Manifest]] = {}
        for manifest in self.manifests:
            if manifest.resource_id.group_kind == DEPLOYMENTS.group_kind and not manifest.deletes:
                by_component.setdefault(component_of(manifest.file), []).append(manifest)
        for source in applied:
            if source.resource_id.group_kind != CLUSTER_OPERATORS.group_kind or not component_of(source.file):
                continue
            operators = by_component.get(component_of(source.file), [])
            if operators and not _is_included(operators, frozenset(source.capabilities)):
                yield UnmetReference("dangling-operator", source, operators[0].resource_id, tuple(operators))

    def _unmet(self, source: Manifest, target: ReferenceTarget) -> Iterator[UnmetReference]:
        if self._may_dangle(source, target.resource_id):
            providers = tuple(self.absent[target.resource_id])
            yield UnmetReference(target.kind, source, target.resource_id, providers)

    def _may_dangle(self, source: Manifest, target: ResourceId) -> bool:
        """Whether the target can be excluded while ``source`` is included."""
        return target in self.absent and not _is_included(self.absent[target], frozenset(source.capabilities))


def _is_included(manifests: Iterable[Manifest], enabled: frozenset[str]) -> bool:
    return any(enabled.issuperset(manifest.capabilities) for manifest in manifests)


def check_references(
    release: Release,
    loaded: Sequence[Manifest],
    status: CapabilityStatus,
    severity: Literal["error", "warning"],
    problems: Problems,
    *,
    provided: Collection[ResourceId] = (),
) -> None:
    """Report the references that dangle in a cluster of ``status``, whose CVO loads the manifests ``loaded``.

    ``severity`` applies if the CVO cannot finish because of a reference. ``provided``: resources that do not come from
    the release. Raises ``ReleaseError``.
    """
    enabled = status.enabled & status.known
    found = ReleaseReferences(release, loaded).dangling(enabled)
    dangling = [item for item in found if item.target not in provided]
    report_dangling(dangling, enabled, severity, problems)


def report_dangling(
    references: Iterable[UnmetReference],
    enabled: frozenset[str],
    severity: Literal["error", "warning"],
    problems: Problems,
    *,
    where: Location | str = "",
) -> None:
    """Report each target of ``references``, which dangle with ``enabled``, once.

    ``severity`` applies if the CVO cannot finish because of a reference. Pods that do not start are warnings. Bindings
    without a role or an account are not reported: ``release_lint`` reports them to the authors of the release.
    ``where`` replaces the location of the first manifest.
    """
    by_target: dict[tuple[ReferenceKind, ResourceId], list[UnmetReference]] = {}
    for reference in (item for item in references if item.kind not in _OF_AUTHORS):
        by_target.setdefault((reference.kind, reference.target), []).append(reference)
    for found in by_target.values():
        blocking = next((reference for reference in found if reference.blocks), None)
        first = blocking or found[0]
        at = where or first.source.location
        problem = Problem(severity if blocking else "warning", first.kind, at, _message(first, len(found), enabled))
        problems.append(problem._replace(hint=_hint(found, enabled)))


def missing_names(reference: UnmetReference, enabled: Collection[str]) -> tuple[str, ...]:
    """The capabilities that the target needs besides ``enabled``, sorted. Of several manifests, the nearest counts."""
    needed = [sorted(set(provider.capabilities).difference(enabled)) for provider in reference.providers]
    nearest = min(needed, key=len)
    return tuple(nearest)


def consequence(reference: UnmetReference) -> str:
    """What happens if ``reference`` dangles."""
    if reference.source.deletes:
        return _CANNOT_DELETE
    text = CONSEQUENCES[reference.kind]
    return f"{text}, {_NEVER_FINISHES}" if reference.kind == "dangling-workload" and reference.blocks else text


def _message(first: UnmetReference, number: int, enabled: frozenset[str]) -> str:
    more = f" and {number - 1} more" if number > 1 else ""
    names = " and ".join(missing_names(first, enabled))
    verb = "refers" if number == 1 else "refer"
    included = "is included and" if number == 1 else "are included and"
    return (
        f"{first.source.resource_id}{more} {included} {verb} to {first.target}, which is excluded because {names} is "
        f"disabled: {consequence(first)}"
    )


def _hint(found: Iterable[UnmetReference], enabled: frozenset[str]) -> str:
    """All ways out. The one that cannot be reverted is the last: an enabled capability stays enabled."""
    references = list(found)
    first = references[0]
    ways = [f"create {first.target}"] if first.kind in _CAN_BE_PROVIDED else []
    shared = set(first.source.capabilities).intersection(*(item.source.capabilities for item in references))
    ways += [f"disable {name}" for name in sorted(shared)[:1]]
    if not any(reference.blocks for reference in references):
        ways.append("check that nothing needs it")
    ways.append(f"enable {' and '.join(missing_names(first, enabled))} permanently")
    text = ", ".join([*ways[:-1], f"or {ways[-1]}"]) if len(ways) > 1 else ways[0]
    return text[:1].upper() + text[1:]
