# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports the references that a selection leaves dangling."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from .._capability.inclusion import CapabilityStatus
from .._problems import Location, Problem, Problems
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import ResourceId
from .references import ReferenceKind
from .unmet_references import ReleaseReferences, UnmetReference

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
    ways = [f"create {first.target} with an extra manifest"] if first.kind in _CAN_BE_PROVIDED else []
    shared = set(first.source.capabilities).intersection(*(item.source.capabilities for item in references))
    ways += [f"disable {name}" for name in sorted(shared)[:1]]
    if not any(reference.blocks for reference in references):
        ways.append("check that nothing needs it")
    ways.append(f"enable {' and '.join(missing_names(first, enabled))} permanently")
    text = ", ".join([*ways[:-1], f"or {ways[-1]}"]) if len(ways) > 1 else ways[0]
    return text[:1].upper() + text[1:]
