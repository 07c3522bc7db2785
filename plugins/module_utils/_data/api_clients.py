# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clients of the API server: who belongs to OpenShift, and who lists objects of every API whatever they are."""

from __future__ import annotations

from typing import NamedTuple

from .capabilities import SinceMinor
from .version import Minor

PERSONS = frozenset({"system:admin", "system:anonymous"})
"""Users whose names begin with ``system:`` although they do not belong to OpenShift."""

ADD_ON_NAMESPACES = frozenset({"openshift-operators", "openshift-operators-redhat"})
"""Namespaces for operators that users install. OperatorLifecycleManager creates the first one."""


class ListingClient(NamedTuple):
    """An account that lists every API. ``name`` is ``""`` for all accounts of the namespace.

    ``namespace`` is a prefix if it ends with ``-``.
    """

    namespace: str
    name: str
    source: str


_CONTROLLERS = "kubernetes/kubernetes:cmd/kube-controller-manager/app/core.go"

LISTING_CLIENTS: tuple[ListingClient, ...] = (
    ListingClient("kube-system", "generic-garbage-collector", _CONTROLLERS),
    ListingClient("kube-system", "namespace-controller", _CONTROLLERS),
    ListingClient("kube-system", "resourcequota-controller", _CONTROLLERS),
    ListingClient(
        "openshift-infra", "cluster-quota-reconciliation-controller", "openshift/cluster-policy-controller:pkg/cmd"
    ),
    ListingClient("openshift-cluster-version", "", "openshift/cluster-version-operator:install"),
    ListingClient("openshift-insights", "", "openshift/insights-operator:docs/gathered-data.md"),
    ListingClient(
        "openshift-kube-storage-version-migrator",
        "",
        "openshift/cluster-kube-storage-version-migrator-operator:bindata",
    ),
    ListingClient("openshift-must-gather-", "", "openshift/oc:pkg/cli/admin/mustgather/mustgather.go"),
)
"""Clients whose requests to an API do not mean that they use it."""

COUNTS_ONLY_DEPRECATED = SinceMinor(
    Minor(4, 18), "openshift/kubernetes#2067, #2113: the API server counts only requests for deprecated APIs"
)
"""No API of a capability is among the deprecated ones."""
