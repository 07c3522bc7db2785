# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds the manifests of a release by the kind, the namespace and the name of their resource."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .._problems import Problem, Problems, did_you_mean, nearest_name
from .._release.manifest import Manifest

QUERY_OPTIONS = ("resource_kind", "resource_namespace", "resource_name")
"""The option of each field of a query."""

_ALL = "*"
_MOST_NAMES = 20
"""Names that a hint lists."""


class ResourceQuery(NamedTuple):
    """What the resource of a manifest has to have. ``None`` and ``*`` mean any. The case of a kind does not count."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None

    def accepts(self, manifest: Manifest) -> bool:
        """Whether the resource of ``manifest`` has all of it."""
        resource = manifest.resource_id
        return (
            _is_met(self.kind and self.kind.lower(), resource.kind.lower())
            and _is_met(self.namespace, resource.namespace)
            and _is_met(self.name, resource.name)
        )


def find_resources(query: ResourceQuery, manifests: Sequence[Manifest], problems: Problems) -> tuple[Manifest, ...]:
    """Return the ``manifests`` that ``query`` accepts. Warns if there are none."""
    found = tuple(filter(query.accepts, manifests))
    if not found:
        problems += _explain(query, manifests)
    return found


def _is_met(wanted: str | None, value: str) -> bool:
    return wanted in (None, _ALL, value)


def _explain(query: ResourceQuery, manifests: Sequence[Manifest]) -> Iterator[Problem]:
    """Yield the parts of ``query`` that no manifest has, or one problem about all of them."""
    alone = (ResourceQuery(kind=query.kind), ResourceQuery(namespace=query.namespace), ResourceQuery(name=query.name))
    known = zip(*((item.resource_id[1:]) for item in manifests), strict=True) if manifests else ((), (), ())
    wrong = [
        Problem("warning", "unknown-resource", option, f"no manifest has {value!r}", _hint(value, {*names} - {""}))
        for option, value, part, names in zip(QUERY_OPTIONS, query, alone, known, strict=True)
        if value is not None and not any(map(part.accepts, manifests))
    ]
    message = f"no manifest has this {', '.join(QUERY_OPTIONS[:-1])} and {QUERY_OPTIONS[-1]}"
    yield from wrong or [Problem("warning", "unknown-resource", QUERY_OPTIONS[0], message, "Set fewer of them")]


def _hint(value: str, known: Collection[str]) -> str:
    if not {"*", "?"}.isdisjoint(value):
        return "Set a whole name, or * for all"
    if nearest_name(value, known) is None and len(known) > _MOST_NAMES:
        return "Set * to see all"
    return did_you_mean(value, known)
