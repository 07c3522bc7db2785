# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The APIs that belong to capabilities, and the accounts of their components."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from .._capability.inclusion import InclusionContext
from .._capability.release_capabilities import read_minor_data
from .._data.aggregated_apis import AGGREGATED_APIS, OPERATOR_APIS
from .._problems import Problems
from .._release.release import Release

Api = tuple[str, str]
"""A resource, in plural, and its group."""


class Ownership(NamedTuple):
    """What belongs to each capability.

    ``apis`` maps an API to the capabilities without which it does not exist. ``namespaces`` and ``accounts`` (namespace
    and name) are those of a capability.
    """

    apis: Mapping[Api, frozenset[str]]
    namespaces: Mapping[str, frozenset[str]]
    accounts: Mapping[str, frozenset[tuple[str, str]]]

    @property
    def capabilities(self) -> frozenset[str]:
        """The capabilities that have APIs."""
        return frozenset(name for names in self.apis.values() for name in names)


def report_uncovered(release: Release, ownership: Ownership, problems: Problems) -> None:
    """Report the capabilities of ``release`` whose use no request shows."""
    minor = release.minor
    data = None if minor is None else read_minor_data(release, minor, InclusionContext(), Problems())
    names = sorted(data.capabilities - ownership.capabilities) if data is not None else []
    if names:
        message = f"no API exists only with {', '.join(names)}, so no request shows whether they are used"
        problems.info("uncovered-capabilities", "", message, "Read what a cluster lacks without them")


def ownership_of(release: Release) -> Ownership:
    """What the manifests of ``release`` assign to capabilities, for all cluster profiles and feature sets."""
    apis: defaultdict[Api, set[str]] = defaultdict(set)
    namespaces: defaultdict[str, set[str]] = defaultdict(set)
    accounts: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for manifest in release.manifests:
        resource = manifest.resource_id
        if manifest.deletes:
            continue
        if resource.kind == "CustomResourceDefinition":
            plural, _dot, group = resource.name.partition(".")
            apis[plural, group].update(manifest.capabilities)
        for capability in manifest.capabilities:
            if (resource.group, resource.kind) == ("", "Namespace"):
                namespaces[capability].add(resource.name)
            elif (resource.group, resource.kind) == ("", "ServiceAccount"):
                accounts[capability].add((resource.namespace, resource.name))
    for item in (*AGGREGATED_APIS, *OPERATOR_APIS):
        apis[item.resource, item.group].add(item.capability)
    return Ownership(
        {api: frozenset(names) for api, names in apis.items() if names},
        {name: frozenset(items) for name, items in namespaces.items()},
        {name: frozenset(items) for name, items in accounts.items()},
    )
