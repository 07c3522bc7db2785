# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Sorts the clients of an API: the user's, OpenShift's, the capability's own, and those that list everything."""

from __future__ import annotations

from typing import Literal

from .._data.api_clients import ADD_ON_NAMESPACES, LISTING_CLIENTS, PERSONS
from .owned_apis import Ownership

ClientKind = Literal["yours", "openshift", "own", "lists_everything"]

CLIENT_KINDS: tuple[ClientKind, ...] = ("yours", "openshift", "own", "lists_everything")
"""All kinds, the one that matters most first."""

_ACCOUNT = "system:serviceaccount:"
_OPENSHIFT_NAMESPACES = ("openshift-", "kube-")


def client_kind(username: str, capability: str, ownership: Ownership) -> ClientKind:
    """The kind of the client ``username`` of an API of ``capability``."""
    if not username.startswith(_ACCOUNT):
        return "openshift" if username.startswith("system:") and username not in PERSONS else "yours"
    namespace, _colon, name = username.removeprefix(_ACCOUNT).partition(":")
    if namespace in ADD_ON_NAMESPACES:
        return "yours"
    if any(_matches(namespace, item.namespace) and item.name in ("", name) for item in LISTING_CLIENTS):
        return "own" if namespace in ownership.namespaces.get(capability, ()) else "lists_everything"
    if namespace in ownership.namespaces.get(capability, ()):
        return "own"
    if (namespace, name) in ownership.accounts.get(capability, ()):
        return "own"
    return "openshift" if namespace == "openshift" or namespace.startswith(_OPENSHIFT_NAMESPACES) else "yours"


def _matches(namespace: str, pattern: str) -> bool:
    return namespace.startswith(pattern) if pattern.endswith("-") else namespace == pattern
